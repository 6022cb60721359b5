// What a folder brings along and which hooks may run: read first, then trusted, and taken back.
import { Button, Failed, Icon, Loading, Status, html, useLoaded, useState } from "../ui.js";
import { oneLine, spelled } from "../text/safe.js";
import { count } from "../text/words.js";
import { Sure } from "./live.js";

const SAYS = {
  nothing: ["done", "This folder brings no settings, hooks or variables of its own."],
  trusted: ["done", "You trusted what this folder brings; it counts until one of its files changes."],
  untrusted: ["idle", "This folder brings settings that you have not trusted, so none of them count."],
  changed: ["failed", "What this folder brings has changed since you trusted it, so none of it counts."],
};

const asked = (path, query) => (query ? `${path}?${query}` : path);

export function Project({ store, link, query }) {
  const found = useLoaded(() => link.get(asked("/trust", query)), [query]);
  const [sure, ask] = useState(false);
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  const project = found.value;
  const [sign, words] = SAYS[project.verdict];
  const waits = ["untrusted", "changed"].includes(project.verdict);
  const decide = (trusted) => store.attempt(async () => {
    try {
      await link.put(asked("/trust", query), { trusted, seen: project.seen });
      store.say(trusted ? "Trusted" : "No longer trusted", { hint: "It counts for sessions opened from now on" });
    } finally {
      found.again();
    }
  });
  return html`<div class="stack"><section class="card panel stack" aria-label="Trust"><p class="mono foreign">${spelled(project.folder)}</p><p><${Status} status=${sign}>${words}<//></p>
    ${project.summary.length > 0 && html`<h3>${project.verdict === "trusted" ? "What counts" : "What trust would let count"}</h3><pre class="foreign small" tabindex="0">${project.summary.map(spelled).join("\n")}</pre>`}
    ${waits && html`<p class="note small"><${Icon} name="warning" /><span>These files can change what happens unasked, and run programs. Read them before you trust them; trust holds for exactly what is shown.</span></p>`}
    <div class="row end">${waits && html`<${Button} kind="main" icon="check" onClick=${() => ask(true)}>Trust this folder<//>`}
      ${project.verdict === "trusted" && html`<${Button} icon="cross" onClick=${() => decide(false)}>Trust it no longer<//>`}</div>
    ${sure && html`<${Sure} title="Trust this folder?" yes="Trust it" close=${() => ask(false)} act=${() => decide(true)}>
      <p>The settings, rules and variables of <strong class="mono foreign">${spelled(project.folder)}</strong> that were shown count from then on.</p><p class="hush">A hook of it runs once you trust it by itself, too.</p><//>`}</section>
    <${Hooks} key=${project.seen + project.verdict} ...${{ store, link, query }} /></div>`;
}

const STANDS = { active: ["done", "may run"], disabled: ["cancelled", "switched off"], "not trusted": ["idle", "not trusted"], changed: ["failed", "changed since you trusted it"], "folder not trusted": ["idle", "its folder is not trusted"], "not managed": ["cancelled", "only the administrator's run"] };

function Hooks({ store, link, query }) {
  const found = useLoaded(() => link.get(asked("/hooks", query)), [query]);
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  const { hooks, warnings } = found.value;
  const decide = (one, decision) => store.attempt(async () => {
    try {
      await link.put(asked("/hooks", query), { key: one.key, hash: one.hash, decision });
      store.say({ trust: "The hook is trusted", untrust: "The hook is no longer trusted", enable: "The hook is switched on", disable: "The hook is switched off" }[decision], { hint: "It counts for sessions opened from now on" });
    } finally {
      found.again();
    }
  });
  return html`<section class="stack" aria-labelledby="hooks-head"><h3 id="hooks-head">Hooks <span class="hush small">${hooks.length ? count(hooks.length, "hook") : ""}</span></h3>
    ${warnings.map((each) => html`<p class="note small" key=${each}><${Icon} name="warning" /><span class="foreign">${oneLine(each, 400)}</span></p>`)}
    ${!hooks.length && html`<p class="hush">None are set up. They are programs that run at moments of a session, named under <code>[hooks]</code> of the settings or in <code>hooks.json</code>.</p>`}
    <ul class="list stack">${hooks.map((one) => {
    const [sign, words] = STANDS[one.verdict] ?? ["idle", one.verdict];
    const foreign = ["project", "local"].includes(one.source);
    const waits = ["not trusted", "changed"].includes(one.verdict);
    return html`<li class="card panel stack hook" key=${one.key}><div class="row wrap"><strong class="grow">${one.event} <span class="hush mono small foreign">${spelled(one.matcher || "*")}</span></strong><span class="chip">${one.source}</span><${Status} status=${sign}>${words}<//></div>
      <pre class="foreign small" tabindex="0">${spelled(one.text)}</pre>
      <div class="row end">${waits && html`<${Button} kind="small main" onClick=${() => decide(one, "trust")}>Trust this hook<//>`}
        ${foreign && one.verdict === "active" && html`<${Button} kind="small" onClick=${() => decide(one, "untrust")}>Trust it no longer<//>`}
        ${one.verdict === "disabled" ? html`<${Button} kind="small" onClick=${() => decide(one, "enable")}>Switch on<//>`
    : !["managed", "core"].includes(one.source) && html`<${Button} kind="small quiet" onClick=${() => decide(one, "disable")}>Switch off<//>`}</div></li>`;
  })}</ul></section>`;
}
