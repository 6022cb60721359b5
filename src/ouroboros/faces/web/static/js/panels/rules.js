// Permission rules: those that count, lines added and taken out, and why something would be asked about.
import { Button, Failed, Icon, Loading, Status, html, useLoaded, useState, useTyped } from "../ui.js";
import { Segments } from "./live.js";
import { oneLine, spelled } from "../text/safe.js";
import { modes } from "../text/words.js";

const SIGN = { allow: "done", ask: "asking", deny: "denied" };
const SAYS = { allow: "happens unasked", ask: "is asked about", deny: "is refused" };
const LAYERS = { user: "For me, everywhere", local: "For me, in this project", project: "For all, in this project" };

const asked = (path, query, more = {}) => `${path}?${[query, new URLSearchParams(more)].filter(String).join("&")}`;

export function Rules({ store, link, query }) {
  const found = useLoaded(() => link.get(asked("/rules", query)), [query]);
  const [given, set, now] = useTyped({ outcome: "allow", rule: "", layer: "user" });
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  const { lines, session, policies, mode } = found.value;
  const add = (event) => {
    event.preventDefault();
    if (!now().rule.trim()) return;
    store.attempt(async () => {
      const { file } = await link.post(asked("/rules", query), now());
      store.say(`The rule is in ${file}`, { hint: "It counts for sessions opened from now on" });
      set({ ...now(), rule: "" });
      found.again();
    });
  };
  const remove = (line) => store.attempt(async () => {
    await link.del(asked("/rules", query, { outcome: line.outcome, rule: line.rule, layer: line.layer }));
    store.say("The rule is taken out");
    found.again();
  });
  return html`<div class="stack rules"><p>The mode is <strong>${mode}</strong>: <span class="hush">${modes[mode] ?? ""}</span></p>
    <${Why} link=${link} query=${query} />
    <section><h3>Rules</h3>${!lines.length && html`<p class="hush">There are none, so the mode decides alone. A rule says what may happen unasked, is asked about, or may never be.</p>`}
      <ul class="list">${lines.map((line) => html`<li class="row rule" key=${`${line.layer}/${line.outcome}/${line.rule}`}><${Status} status=${SIGN[line.outcome]}>${line.outcome}<//><code class="grow foreign">${spelled(line.rule)}</code><span class="chip" title=${spelled(line.source)}>${line.layer}</span>
        ${line.editable ? html`<${Button} kind="quiet small bare" icon="close" label=${`Take out ${line.outcome} ${oneLine(line.rule, 60)}`} onClick=${() => remove(line)} />` : html`<span class="no-tool"></span>`}</li>`)}</ul>
      ${session.length > 0 && html`<h4>Until the session ends</h4><ul class="list">${session.map((rule) => html`<li class="row rule" key=${rule}><${Status} status="done">allow<//><code class="foreign">${spelled(rule)}</code></li>`)}</ul>`}</section>
    <form class="card panel stack" onSubmit=${add}><h4>Add a rule</h4><div class="row wrap"><${Segments} label="What becomes of it" options=${{ allow: "Allow", ask: "Ask", deny: "Deny" }} value=${given.outcome} choose=${(outcome) => set({ ...now(), outcome })} />
      <label class="grow"><span class="sr">Rule</span><input class="field mono" placeholder="Bash(git log:*)  or  Read(/src/**)" value=${given.rule} spellcheck="false" autocomplete="off" onInput=${(e) => set({ ...now(), rule: e.target.value })} /></label>
      <label><span class="sr">For whom</span><select class="field" value=${given.layer} onChange=${(e) => set({ ...now(), layer: e.target.value })}>${Object.entries(LAYERS).map(([id, words]) => html`<option value=${id}>${words}</option>`)}</select></label>
      <button class="button main" type="submit" aria-disabled=${!given.rule.trim()}>Add</button></div></form>
    ${policies.length > 0 && html`<section><h3>Policy files</h3>${policies.map((each) => html`<details key=${each.path}><summary class="mono foreign">${spelled(each.path)}${each.counts ? "" : html`<span class="hush"> does not count: ${oneLine(each.problem, 200)}</span>`}</summary><pre class="card panel foreign small">${spelled(each.text)}</pre></details>`)}</section>`}</div>`;
}

function Why({ link, query }) {
  const [kind, choose] = useState("command");
  const [text, type, now] = useTyped("");
  const [op, does, done] = useTyped("read");
  const [said, tell] = useState(null);
  const ask = async (event) => {
    event.preventDefault();
    if (!now().trim()) return;
    try {
      tell(await link.get(asked("/rules/explain", query, { [kind]: now(), ...(kind === "path" ? { op: done() } : {}) })));
    } catch (error) {
      tell({ error });
    }
  };
  const hints = { command: "git push --force", path: "../elsewhere/file", url: "https://example.com/" };
  return html`<form class="card panel stack" onSubmit=${ask}><h4>Why would this be asked about?</h4><div class="row wrap"><${Segments} label="What kind" options=${{ command: "Command", path: "Path", url: "Address" }} value=${kind} choose=${(next) => { choose(next); tell(null); }} />
    ${kind === "path" && html`<label><span class="sr">What would be done</span><select class="field" value=${op} onChange=${(e) => does(e.target.value)}>${["read", "write", "list", "delete", "patch"].map((each) => html`<option>${each}</option>`)}</select></label>`}
    <label class="grow"><span class="sr">${kind}</span><input class="field mono" placeholder=${hints[kind]} value=${text} spellcheck="false" autocomplete="off" onInput=${(e) => { type(e.target.value); tell(null); }} /></label><button class="button" type="submit" aria-disabled=${!text.trim()}>Explain</button></div>
    <div role="status">${said?.error && html`<p class="note bad small">${said.error.message}</p>`}
    ${said && !said.error && html`<div class="stack why">${said.here && html`<p><${Status} status=${SIGN[said.here.decision]}>It ${SAYS[said.here.decision] ?? said.here.decision}<//> <span class="foreign">by ${oneLine(said.here.decided_by, 200) || "no rule"}${said.here.why && `: ${oneLine(said.here.why, 300)}`}</span></p>`}
      <p class="hush small foreign">By itself it is taken for ${oneLine(said.taken_for, 60)}${said.reason && `: ${oneLine(said.reason, 300)}`}${said.rule && ` (${oneLine(said.rule, 80)})`}.${said.here?.runs ? ` It runs ${said.here.runs}.` : ""} Nothing was run.</p></div>`}</div></form>`;
}
