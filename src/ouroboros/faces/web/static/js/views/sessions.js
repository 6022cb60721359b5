// All sessions that are kept: found, gone on with, called otherwise, forked, written out, put away, deleted.
import { Button, Empty, Failed, Icon, Loading, Status, html, useEffect, useLoaded, useRef, useState, useTyped, useWatch } from "../ui.js";
import { Dialog } from "../shell/dialog.js";
import { Field, Segments, Sure } from "../panels/live.js";
import { oneLine, spelled } from "../text/safe.js";
import { ago, count, folder } from "../text/words.js";

const PAGE = 60;
const SAYS = { running: ["running", "running"], waiting: ["asking", "waiting for you"], failed: ["failed", "failed"], interrupted: ["cancelled", "cut off"] };

export function View({ store, link, rest }) {
  useWatch(store);
  const [words, type] = useState(rest?.query ?? "");
  const [query, ask] = useState(words);
  const [where, choose] = useState("all");
  const [limit, more] = useState(PAGE);
  const [act, begin] = useState(null);
  useEffect(() => {
    const timer = setTimeout(() => ask(words.trim()), 200);
    return () => clearTimeout(timer);
  }, [words]);
  const stamp = store.sessions.map((each) => `${each.id}${each.status}${each.asks}${each.title}`).join();
  const found = useLoaded(() => link.get(`/sessions?${new URLSearchParams({ query, limit, ...(where === "here" ? {} : { all: 1 }), ...(where === "away" ? { archived: 1 } : {}) })}`), [query, where, limit, stamp]);
  const list = found.value?.sessions ?? [];
  const back = (one) => store.attempt(async () => { await link.put(`/sessions/${encodeURIComponent(one.id)}/archived`, { archived: false }); done("Back on the list"); });
  const done = (text) => { store.say(text); found.again(); };
  return html`<div class="panel sessions stack"><h2 class="sr">Sessions</h2><div class="panel-head bar">
    <label class="grow finder"><span class="sr">Search in all that was said</span><${Icon} name="search" /><input class="field" type="search" placeholder="Search in all that was said" value=${words} onInput=${(e) => { type(e.target.value); more(PAGE); }} /></label>
    <${Segments} label="Of which folder" options=${{ all: "All folders", here: "This folder", away: "Put away" }} value=${where} choose=${choose} />
    <${Button} kind="main" icon="plus" onClick=${() => store.go({ session: "", view: "home" })}>New<//></div>
    ${found.error && html`<${Failed} error=${found.error} again=${found.again} />`}
    ${!found.value && found.busy && html`<${Loading} />`}
    ${found.value && !list.length && (query ? html`<${Empty} icon="search" title="Nothing was found">No session ${where === "here" ? "of this folder" : where === "away" ? "that was put away" : ""} has all of these words.<//>`
    : where === "away" ? html`<${Empty} icon="sessions" title="Nothing was put away">A session that you put away is off the list, and kept.<//>` : html`<${Empty} icon="sessions" title="No sessions yet"><p>What you begin stands here, also after the server has stopped.</p><//>`)}
    <ul class="list stack">${list.map((one) => html`<${Row} key=${one.id} one=${one} store=${store} act=${(kind) => (kind === "back" ? back(one) : begin({ kind, one }))} />`)}</ul>
    ${list.length === limit && limit < 1000 && html`<${Button} onClick=${() => more(Math.min(1000, limit * 3))}>More<//>`}
    ${act && html`<${Act} ...${act} ...${{ link, store, done }} close=${() => begin(null)} />`}</div>`;
}

function Row({ one, store, act }) {
  const [sign, said] = one.asks ? SAYS.waiting : one.running ? SAYS.running : SAYS[one.status] ?? [];
  const go = () => store.go({ session: one.id, view: "chat", rest: one.node ? { at: one.node } : {} });
  return html`<li class="card session-row"><button class="session-open" onClick=${go}>
    <span class="session-title foreign">${oneLine(one.title, 160) || html`<span class="hush">Nothing said yet</span>`}</span>
    ${one.excerpt && html`<span class="session-excerpt foreign">${oneLine(one.excerpt, 240)}</span>`}
    <span class="hush small session-facts">${sign && html`<${Status} status=${sign}>${said}<//>`}${one.open && !one.running && !one.asks && html`<span class="chip">open</span>`}
      <span class="foreign" title=${spelled(one.cwd)}>${folder(one.cwd)}</span><span class="foreign cut">${oneLine(one.model, 60)}</span><span class="num">${count(one.turns, "turn")}</span><span class="num">${ago(one.updated)}</span>${one.parent && html`<span>forked</span>`}</span></button>
    <${Menu} one=${one} act=${act} /></li>`;
}

function Menu({ one, act }) {
  const [open, turn] = useState(false);
  const box = useRef(null);
  useEffect(() => {
    if (!open) return undefined;
    box.current.querySelector(".popup button")?.focus();
    const away = (event) => !box.current?.contains(event.target) && turn(false);
    addEventListener("pointerdown", away);
    return () => removeEventListener("pointerdown", away);
  }, [open]);
  const keys = (event) => {
    if (event.key === "Escape") { event.stopPropagation(); turn(false); box.current.querySelector("button").focus(); }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...box.current.querySelectorAll(".popup button")];
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length]?.focus();
  };
  const isAway = one.status === "archived";
  const items = { rename: "Rename", fork: "Fork", export: "Write out", ...(isAway ? { back: "Put back" } : { archive: "Put away" }), delete: "Delete" };
  return html`<div class="menu" ref=${box} onKeyDown=${keys}><${Button} kind="quiet bare" icon="more" label=${`More for ${oneLine(one.title, 60) || one.id}`} aria-haspopup="menu" aria-expanded=${String(open)} onClick=${() => turn(!open)} />
    ${open && html`<div class="popup card" role="menu">${Object.entries(items).map(([kind, words]) => html`<button role="menuitem" key=${kind} class=${kind === "delete" ? "is-bad" : ""} onClick=${() => { turn(false); act(kind); }}>${words}</button>`)}</div>`}</div>`;
}

function Act({ kind, one, link, store, done, close }) {
  const at = `/sessions/${encodeURIComponent(one.id)}`;
  const [words, type, now] = useTyped(kind === "rename" ? one.title : "");
  const name = oneLine(one.title, 80) || one.id;
  if (kind === "rename") {
    return html`<${Sure} title="Rename" yes="Rename" close=${close} off=${() => !now().trim()} act=${() => store.attempt(async () => { await link.put(`${at}/title`, { title: now() }); done("Renamed"); })}>
      <${Field} label="Title" value=${words} maxlength="200" autofocus onInput=${(e) => type(e.target.value)} /><//>`;
  }
  if (kind === "fork") {
    return html`<${Sure} title="Fork" yes="Fork" close=${close} act=${() => store.attempt(async () => { const { session } = await link.post(`${at}/fork`, {}); store.go({ session, view: "chat" }); })}>
      <p>Another session begins with all that was said in <strong class="foreign">${name}</strong>. Both go on by themselves. The Tree of a session forks from any message.</p><//>`;
  }
  if (kind === "archive") {
    return html`<${Sure} title="Put away" yes="Put away" close=${close} act=${() => store.attempt(async () => { await link.put(`${at}/archived`, { archived: true }); done("Put away"); })}>
      <p><strong class="foreign">${name}</strong> leaves this list and is kept; it can be put back.</p><//>`;
  }
  if (kind === "export") return html`<${Export} ...${{ at, link, name, store, close }} />`;
  const own = one.id.slice(-4);
  return html`<${Sure} title="Delete for good" yes="Delete" bad=${true} close=${close} off=${() => now().trim() !== own} act=${() => store.attempt(async () => { await link.post(`${at}/delete`, { confirm: one.id }); done("Deleted"); })}>
    <p>All that was said in <strong class="foreign">${name}</strong>, what was kept with it, and its checkpoints are deleted. The files of your folder stay as they are. Nothing brings it back.</p>
    <${Field} label=${`Type ${own} to confirm`} value=${words} autofocus onInput=${(e) => type(e.target.value)} /><//>`;
}

/** Ways to write a session out; the browser keeps the file. */
function Export({ at, link, name, store, close }) {
  const [full, whole] = useState(false);
  const [active, only] = useState(false);
  const path = (format) => `${at}/export?${new URLSearchParams({ format, ...(full ? { full: 1 } : {}), ...(active ? { active: 1 } : {}) })}`;
  const forms = { md: ["Markdown", "to read and to edit"], html: ["Web page", "to read, by itself"], jsonl: ["JSON lines", "every event; can be imported"] };
  return html`<${Dialog} title="Write out" close=${close}><div class="stack"><p>Secrets that are known are taken out of <strong class="foreign">${name}</strong>.</p>
    <label class="row"><input type="checkbox" checked=${full} onChange=${(e) => whole(e.target.checked)} /> Also what is in files, not only their names</label>
    <label class="row"><input type="checkbox" checked=${active} onChange=${(e) => only(e.target.checked)} /> Only the branch that goes on</label>
    <div class="forms">${Object.entries(forms).map(([format, [title, hint]]) => html`<button type="button" class="button" key=${format} onClick=${() => store.attempt(async () => { await link.keep(path(format)); close(); })}><${Icon} name="download" /><span>${title}<span class="hush small"> ${hint}</span></span></button>`)}</div></div><//>`;
}
