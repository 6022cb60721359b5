// Settings: providers and their keys, every value with where it comes from, rules, and what is trusted.
import { Button, Empty, Failed, Icon, Loading, Status, html, useEffect, useLoaded, useState, useTyped, useWatch } from "../ui.js";
import { Rules } from "../panels/rules.js";
import { Project } from "../panels/trust.js";
import { Field, Segments, Sure } from "../panels/live.js";
import { oneLine, spelled } from "../text/safe.js";
import { folder, number, tokens } from "../text/words.js";

const TABS = { providers: "Providers", models: "Models", values: "Values", rules: "Rules", project: "Trust and hooks" };

export function View({ store, link, rest }) {
  useWatch(store);
  const [tab, choose] = useState(TABS[rest?.tab] ? rest.tab : "providers");
  const [session, of] = useState(rest?.of ?? "");
  useEffect(() => { if (TABS[rest?.tab]) choose(rest.tab); }, [rest?.tab]);
  const query = session ? `session=${encodeURIComponent(session)}` : "";
  const folders = [...new Map(store.sessions.map((each) => [each.cwd, each.id]))].filter(([cwd]) => cwd !== store.facts?.cwd);
  const Tab = { providers: Providers, models: Models, values: Values, rules: Rules, project: Project }[tab];
  return html`<div class="panel settings stack"><h2 class="sr">Settings</h2><div class="panel-head bar"><div class="tabs grow" role="tablist" aria-label="Settings">
    ${Object.entries(TABS).map(([id, words]) => html`<button class="tab" role="tab" key=${id} ref=${id === tab ? seen : null} aria-selected=${id === tab ? "true" : "false"} onClick=${() => choose(id)}>${words}</button>`)}</div>
    ${folders.length > 0 && html`<label class="row small"><span class="hush">for</span><select class="field" value=${session} onChange=${(e) => of(e.target.value)}><option value="">${spelled(folder(store.facts?.cwd))}</option>
      ${folders.map(([cwd, id]) => html`<option value=${id}>${spelled(folder(cwd))}</option>`)}</select></label>`}</div>
    <${Tab} key=${`${tab}/${session}`} ...${{ store, link, query, rest }} go=${choose} /></div>`;
}

const seen = (element) => element?.scrollIntoView({ block: "nearest", inline: "nearest" });

const asked = (path, query, more = {}) => {
  const words = [query, new URLSearchParams(Object.entries(more).filter(([, value]) => value !== "")).toString()].filter(Boolean).join("&");
  return words ? `${path}?${words}` : path;
};

function Providers({ store, link, query, go }) {
  const found = useLoaded(() => link.get(asked("/providers", query)), [query]);
  const [how, choose] = useState("ready");
  const [words, type] = useState("");
  const [adds, add] = useState(false);
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  const all = found.value.providers;
  const ready = all.filter((each) => each.is_ready);
  const wanted = words.trim().toLowerCase();
  const shown = (how === "ready" && !wanted ? ready : all).filter((each) => `${each.name} ${each.title}`.toLowerCase().includes(wanted));
  return html`<div class="stack"><div class="panel-head bar"><label class="grow finder"><span class="sr">Find a provider</span><${Icon} name="search" /><input class="field" type="search" placeholder="Find a provider" value=${words} onInput=${(e) => type(e.target.value)} /></label>
    <${Segments} label="Which" options=${{ ready: `Ready ${ready.length}`, all: `All ${all.length}` }} value=${wanted ? "all" : how} choose=${choose} /><${Button} icon="plus" onClick=${() => add(true)}>Own server<//></div>
    <p class="small">A new session asks <strong class="mono foreign">${found.value.model || "no model yet"}</strong>. <button class="link" onClick=${() => go("models")}>Choose another</button></p>
    ${!shown.length && html`<${Empty} icon="settings" title=${wanted ? "No provider is called so" : "No provider is ready"}><p>${wanted ? "A server of your own can be added." : "Give one of them a key, or add a server of your own."}</p>${!wanted && html`<p><${Button} onClick=${() => choose("all")}>Show all ${all.length}<//></p>`}<//>`}
    <ul class="list stack">${shown.map((each) => html`<${Provider} key=${each.name} one=${each} ...${{ store, link, query }} formats=${found.value.protocols} again=${found.again} />`)}</ul>
    ${adds && html`<${NewProvider} ...${{ store, link, query }} formats=${found.value.protocols} again=${found.again} close=${() => add(false)} />`}</div>`;
}

function Provider({ one, formats, store, link, query, again }) {
  const [open, turn] = useState(false);
  const [result, tell] = useState(null);
  const at = `/providers/${encodeURIComponent(one.name)}`;
  const keys = Object.entries(one.keys);
  const has = keys.filter(([, source]) => source);
  const proof = has.length ? `${has[0][0]} from ${has[0][1]}` : one.proof || (one.is_ready || !keys.length ? "needs no key" : `${keys[0][0]} is not set`);
  const test = async () => {
    tell({ busy: true });
    try {
      tell(await link.post(asked(`${at}/test`, query)));
    } catch (error) {
      tell({ error: error.message, hint: error.hint });
    }
  };
  const forget = (variable) => store.attempt(async () => {
    const gone = await link.del(asked(`${at}/key`, query, { variable }));
    store.say(`Removed from ${gone.place}`, gone.still ? { hint: `It is still found: ${gone.still}` } : {});
    again();
  });
  const remove = () => store.attempt(async () => { await link.del(at); store.say(`${one.name} is taken out of your settings`); again(); });
  return html`<li class="card provider"><div class="provider-head"><button class="file-name" aria-expanded=${String(open)} onClick=${() => turn(!open)}><${Icon} name=${open ? "down" : "right"} />
      <span class="grow"><strong class="foreign">${spelled(one.title)}</strong> <span class="hush mono small">${spelled(one.name)}</span>${one.is_own && html` <span class="chip">yours</span>`}</span></button>
      <${Status} status=${one.is_ready ? "done" : "idle"}>${one.is_ready ? "ready" : "not ready"}<//><${Button} kind="small" disabled=${result?.busy} onClick=${test}>${result?.busy ? "Asking" : "Test"}<//></div>
    <p class="hush small provider-facts foreign">${oneLine(proof, 160)}</p>
    <div role="status">${result && !result.busy && (result.answer ? html`<p class="note good small"><${Icon} name="check" /><span class="foreign">${oneLine(result.answer.model, 80)} answered in ${result.answer.seconds.toFixed(1)} s: “${oneLine(result.answer.text, 80)}”</span></p>`
    : html`<p class="note bad small"><${Icon} name="warning" /><span class="foreign">${oneLine(result.error, 400)}${result.hint && html` <span class="hush">${oneLine(result.hint, 300)}</span>`}</span></p>`)}</div>
    ${open && html`<div class="provider-body stack"><p class="hush small mono foreign">${one.protocol}${one.base_url ? ` · ${spelled(one.base_url)}` : ""}</p>
      ${keys.map(([variable, source]) => html`<${Key} key=${variable} ...${{ variable, source, store, link, query, again, at }} forget=${() => forget(variable)} />`)}
      ${!keys.length && html`<p class="small">${one.proof ? oneLine(one.proof, 200) : "It needs no key."}</p>`}
      ${one.is_own && html`<${OwnServer} ...${{ one, formats, store, link, query, again }} /><div><${Button} kind="small bad" onClick=${remove}>Take it out of your settings<//></div>`}</div>`}</li>`;
}

function Key({ variable, source, store, link, query, again, at, forget }) {
  const [key, type, now] = useTyped("");
  const keep = (event) => {
    event.preventDefault();
    if (!now().trim()) return;
    store.attempt(async () => {
      const kept = await link.put(asked(`${at}/key`, query), { key: now(), variable });
      type("");
      store.say(`${variable} is kept in ${kept.place}`, kept.still ? { hint: `The one in ${kept.still} comes first` } : {});
      again();
    });
  };
  const isKept = ["keys.sealed", "keys.toml", "keyring"].includes(source);
  return html`<form class="row key" onSubmit=${keep}><label class="grow"><span class="field-label"><code>${variable}</code> <span class="hush">${source ? `set, from ${source}; it is not shown` : "not set"}</span></span>
    <input class="field mono" type="password" autocomplete="off" spellcheck="false" placeholder=${source ? "A new key takes its place" : "Paste the key"} value=${key} onInput=${(e) => type(e.target.value)} /></label>
    <button class="button main" type="submit" aria-disabled=${!key.trim()}>Keep</button>${isKept && html`<${Button} kind="quiet" onClick=${forget}>Remove<//>`}</form>`;
}

/** The address, wire format and key variable of a server of one's own, to be changed. */
function OwnServer({ one, formats, store, link, query, again }) {
  const was = { base_url: one.base_url, protocol: one.protocol, key_env: Object.keys(one.keys)[0] ?? "" };
  const [given, set, now] = useTyped(was);
  const on = (name) => ({ value: given[name], onInput: (e) => set({ ...now(), [name]: e.target.value }) });
  const differs = (typed) => (typed.base_url.trim() ? Object.keys(was).filter((name) => typed[name].trim() !== was[name]) : []);
  const save = (event) => {
    event.preventDefault();
    const typed = now();
    if (!differs(typed).length) return;
    store.attempt(async () => {
      for (const name of differs(typed)) await link.put(asked("/settings", query), { key: `providers.${one.name}.${name}`, value: typed[name].trim() || null });
      store.say(`${one.name} is changed`, { hint: "It counts for sessions opened from now on" });
      again();
    });
  };
  return html`<form class="stack" onSubmit=${save}><${Field} label="Address" ...${on("base_url")} /><div class="row wrap"><${WireFormat} formats=${formats} ...${on("protocol")} />
    <${Field} label="Variable of its key" placeholder="needs none" ...${on("key_env")} /></div>
    <div class="row end"><button class="button small" type="submit" aria-disabled=${!differs(given).length}>Save</button></div></form>`;
}

function WireFormat({ formats, ...rest }) {
  return html`<label><span class="field-label">Wire format</span><select class="field" ...${rest}>${formats.map((each) => html`<option value=${each}>${each}</option>`)}</select></label>`;
}

function NewProvider({ formats, store, link, query, again, close }) {
  const [given, set, now] = useTyped({ name: "", base_url: "", protocol: "openai-chat", key_env: "" });
  const on = (name) => ({ value: given[name], onInput: (e) => set({ ...now(), [name]: e.target.value }) });
  const act = () => store.attempt(async () => {
    const typed = now();
    const { file } = await link.post(asked("/providers", query), { ...typed, is_keyless: !typed.key_env });
    store.say(`${typed.name} is added to ${file}`);
    again();
  });
  return html`<${Sure} title="A server of your own" yes="Add" close=${close} act=${act} off=${() => !now().name || !now().base_url}>
    <${Field} label="Name" hint="Its models are then called NAME/MODEL." autofocus ...${on("name")} />
    <${Field} label="Address" placeholder="http://127.0.0.1:8080/v1" ...${on("base_url")} />
    <${WireFormat} formats=${formats} ...${on("protocol")} />
    <${Field} label="Variable of its key" hint="Leave it out where it needs none." placeholder="MY_SERVER_KEY" ...${on("key_env")} /><//>`;
}

function Models({ store, link, query }) {
  const [words, type] = useState("");
  const [wanted, ask] = useState("");
  useEffect(() => { const timer = setTimeout(() => ask(words.trim()), 250); return () => clearTimeout(timer); }, [words]);
  const found = useLoaded(() => link.get(asked("/models", query, { query: wanted, limit: 60 })), [query, wanted]);
  const now = useLoaded(() => link.get(asked("/providers", query)), [query]);
  const choose = (name) => store.attempt(async () => {
    const done = await link.put(asked("/settings", query), { key: "model", value: name });
    store.say(`New sessions ask ${name}`, done.wins ? { hint: `Here the ${done.wins} says otherwise, and that counts` } : {});
    now.again();
  });
  return html`<div class="stack"><label class="finder"><span class="sr">Find a model</span><${Icon} name="search" /><input class="field" type="search" placeholder="Find a model, such as sonnet" value=${words} onInput=${(e) => type(e.target.value)} /></label>
    <p class="small">A new session asks <strong class="mono foreign">${now.value?.model || "no model yet"}</strong>.</p>
    ${found.error && html`<${Failed} error=${found.error} again=${found.again} />`}${!found.value && found.busy && html`<${Loading} />`}
    ${found.value && !found.value.models.length && html`<${Empty} icon="search" title="No model is called so"><p>A model that nobody lists can be named all the same: under Values, as <code>model</code>.</p><//>`}
    <div class="scroll" tabindex="0" role="region" aria-label="Models"><table class="facts-table models"><thead><tr><th>Model</th><th class="num">Window</th><th class="num">Answer</th><th class="num">$ per M in</th><th class="num">out</th><th>Takes</th><th></th></tr></thead>
      <tbody>${(found.value?.models ?? []).map(({ name, known }) => html`<tr key=${name}><th scope="row" class="mono foreign">${spelled(name)}${known.retires && html`<span class="hush small"> until ${known.retires}</span>`}</th><td class="num">${known.window ? tokens(known.window) : "?"}</td><td class="num">${known.max_output ? tokens(known.max_output) : "?"}</td>
        <td class="num">${known.price ? known.price.input : "?"}</td><td class="num">${known.price ? known.price.output : "?"}</td><td class="small hush">${[known.tools === false && "no tools", known.reasoning && "thinks", ...(known.inputs ?? [])].filter(Boolean).join(", ")}</td>
        <td>${now.value?.model === name ? html`<${Status} status="done">chosen<//>` : html`<button class="button small quiet" aria-label=${`Choose ${oneLine(name, 120)}`} onClick=${() => choose(name)}>Choose</button>`}</td></tr>`)}</tbody></table></div>
    ${found.value?.more > 0 && html`<p class="hush small num">${number(found.value.more)} more; say more of the name.</p>`}</div>`;
}

function Values({ store, link, query, rest }) {
  const found = useLoaded(() => link.get(asked("/settings", query)), [query]);
  const [words, type] = useState(rest?.query ?? "");
  const [how, choose] = useState("all");
  const [edits, edit] = useState("");
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  const wanted = words.trim().toLowerCase();
  const shown = found.value.values.filter((each) => each.key.toLowerCase().includes(wanted) && (how === "all" || each.origin !== "default"));
  const groups = new Map();
  for (const each of shown) {
    const name = each.key.includes(".") ? each.key.split(".")[0] : "";
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  const save = (one, value, layer) => store.attempt(async () => {
    const done = await link.put(asked("/settings", query), { key: one.key, value, layer });
    store.say(`${one.key} ${value === null ? "is taken out of" : "is saved in"} ${done.file}`, { hint: done.wins ? `The ${done.wins} says otherwise, and that counts` : "It counts for sessions opened from now on" });
    edit("");
    found.again();
  });
  return html`<div class="stack"><div class="panel-head bar"><label class="grow finder"><span class="sr">Find a setting</span><${Icon} name="search" /><input class="field" type="search" placeholder="Find a setting" value=${words} onInput=${(e) => type(e.target.value)} /></label>
    <${Segments} label="Which" options=${{ all: "All", set: "Set" }} value=${how} choose=${choose} /></div>
    ${found.value.warnings.map((each) => html`<p class="note small" key=${each}><${Icon} name="warning" /><span class="foreign">${oneLine(each, 600)}</span></p>`)}
    ${!shown.length && html`<${Empty} icon="search" title="No setting is called so" />`}
    ${[...groups].map(([name, values]) => html`<section key=${name} aria-label=${name || "General"}><h3>${name || "General"}</h3><ul class="list values">${values.map((one) => html`<li key=${one.key} class=${edits === one.key ? "is-edited" : ""}>
      <button class="value" aria-expanded=${String(edits === one.key)} onClick=${() => edit(edits === one.key ? "" : one.key)}><code class="grow">${one.key}</code><span class="mono small value-now foreign">${written(one.value)}</span><span class=${`chip origin${one.origin === "default" ? " hush" : ""}`}>${oneLine(one.origin, 40)}</span></button>
      ${edits === one.key && (/^(?:permissions|hooks|providers|models)\b/.test(one.key) ? html`<p class="small hush panel">${one.key.startsWith("permissions") ? "Rules have a tab of their own." : "This is changed in its file, or by the command line."}</p>` : html`<${Edit} one=${one} save=${save} />`)}</li>`)}</ul></section>`)}
    <details class="small"><summary>Where values come from, the nearest first</summary><ul class="list">${found.value.layers.map((each) => html`<li key=${each.name} class="row"><strong>${each.name}</strong><span class="mono foreign grow cut">${spelled(each.source)}</span><span class="hush">${each.state}</span></li>`)}</ul></details></div>`;
}

const written = (value) => (value === null ? "not set" : typeof value === "string" ? value || "“”" : JSON.stringify(value));

function Edit({ one, save }) {
  const begin = one.value === null ? "" : typeof one.value === "string" ? one.value : JSON.stringify(one.value);
  const [value, type, now] = useTyped(begin);
  const [layer, choose, where] = useTyped(["project", "local"].includes(one.origin) ? one.origin : "user");
  const isSame = (typed, place) => typed === begin && one.origin === place;
  const layers = { user: "For me, everywhere", local: "For me, in this project", project: "For all, in this project" };
  return html`<form class="edit stack" onSubmit=${(event) => { event.preventDefault(); if (!isSame(now(), where())) save(one, now(), where()); }}>
    <div class="row wrap">${one.choices.length ? html`<label class="grow"><span class="field-label">${one.key}</span><select class="field" value=${value} onChange=${(e) => type(e.target.value)}>${!one.choices.map(String).includes(value) && html`<option value=${value}>${value || "not set"}</option>`}${one.choices.map((each) => html`<option value=${String(each)}>${String(each) || "none"}</option>`)}</select></label>`
    : html`<${Field} label=${one.key} hint=${one.expects} class="field mono" value=${value} onInput=${(e) => type(e.target.value)} />`}
      <label><span class="field-label">For whom</span><select class="field" value=${layer} onChange=${(e) => choose(e.target.value)}>${Object.entries(layers).map(([id, words]) => html`<option value=${id}>${words}</option>`)}</select></label></div>
    <div class="row end">${one.origin !== "default" && html`<${Button} kind="small quiet" onClick=${() => save(one, null, layer)}>Take it out there<//>`}<button class="button main small" type="submit" aria-disabled=${isSame(value, layer)}>Save</button></div></form>`;
}
