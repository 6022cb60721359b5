// What opens over the page: keys, models, modes, and the palette of everything that can be done.
import { html, useLoaded, useWatch } from "../ui.js";
import { modes, tokens } from "../text/words.js";
import { commands } from "../chat/commands.js";
import { Chooser, Dialog } from "./dialog.js";
import { KEYS } from "./keys.js";

export function Sheet({ store, link, page, session, views }) {
  useWatch(store);
  const close = () => page.sheet("");
  switch (store.sheet) {
    case "help":
      return html`<${Help} close=${close} views=${views} />`;
    case "model":
      return session && html`<${Models} ...${{ link, session, store, close }} />`;
    case "mode":
      return session && html`<${Chooser} title="Mode" close=${close} current=${session.state.mode}
        options=${Object.entries(modes).map(([value, hint]) => ({ value, label: value, hint }))}
        choose=${(mode) => store.attempt(() => session.send({ type: "set_mode", mode }))} />`;
    case "palette":
      return html`<${Palette} ...${{ store, link, session, page, views, close }} />`;
    default:
      return null;
  }
}

function Models({ link, session, store, close }) {
  const { value } = useLoaded(() => link.get("/models"), []);
  const options = (value?.models ?? []).map((each) => ({
    value: each.name, label: each.name, hint: each.known?.window ? `${tokens(each.known.window)} tokens` : "",
  }));
  const now = session.state.model;
  const all = options.some((each) => each.value === now) ? options : [{ value: now, label: now, hint: "asked now" }, ...options];
  return html`<${Chooser} title="Model for the turns to come" close=${close} free=${true} current=${now} options=${all}
    placeholder="PROVIDER/NAME" choose=${(model) => store.attempt(() => session.send({ type: "set_model", model }))} />`;
}

function Palette({ store, link, session, page, views, close }) {
  const { value: known } = useLoaded(() => commands(link), []);
  const running = Boolean(session?.running);
  const options = [
    ...views.filter((view) => view.place === "page" || session).map((view) => ({ value: `view:${view.id}`, label: view.title, hint: view.key ? `Alt+${view.key}` : "" })),
    ...KEYS.filter((each) => each.act && !["?", "/", "i"].includes(each.keys)).map((each) => ({ value: `key:${each.keys}`, label: each.does, hint: each.keys })),
    ...(session ? Object.entries(known ?? {}).map(([name, each]) => ({
      value: `slash:${name}`, label: `/${name}`, hint: running && each.waits ? "when the run has ended" : each.meaning, off: running && each.waits,
    })) : []),
    ...store.sessions.map((each) => ({ value: `session:${each.id}`, label: each.title || "Nothing said yet", hint: "open session" })),
  ];
  const choose = (value) => {
    const [kind, ...rest] = value.split(":");
    const name = rest.join(":");
    if (kind === "view") page.show(name);
    if (kind === "session") store.go({ session: name, view: "chat" });
    if (kind === "key") KEYS.find((each) => each.keys === name).act(page);
    if (kind === "slash") page.prompt(`/${name} `);
  };
  return html`<${Chooser} title="Do" close=${close} options=${options} choose=${choose} placeholder="What shall be done?" />`;
}

function Help({ close, views }) {
  const rows = [...KEYS, ...views.filter((view) => view.key).map((view) => ({ keys: `Alt+${view.key}`, does: `Show: ${view.title}` }))];
  return html`<${Dialog} title="Keys" close=${close}>
    <table class="keys"><thead class="sr"><tr><th scope="col">Key</th><th scope="col">What it does</th></tr></thead><tbody>
      ${rows.map((row) => html`<tr key=${row.keys + row.does}><td>${row.keys.split(" ").map((each) => html`<kbd>${each}</kbd> `)}</td><td>${row.does}${row.where && html` <span class="hush small">(in the prompt)</span>`}</td></tr>`)}
    </tbody></table><//>`;
}
