// The left edge: the sessions that are open, those of before, and the way to everything else.
import { Button, Icon, Mark, html, useEffect, useState, useWatch } from "../ui.js";
import { oneLine } from "../text/safe.js";
import { ago, folder } from "../text/words.js";

export function Rail({ store, link, page }) {
  useWatch(store);
  const past = usePast(store, link);
  const open = new Set(store.sessions.map((each) => each.id));
  const earlier = past.filter((each) => !open.has(each.id)).slice(0, 20);
  return html`<nav class="rail" aria-label="Sessions">
    <button class="brand" onClick=${() => page.go({ session: "", view: "home" })}><${Mark} share=${0.86} turning=${store.sessions.some((s) => s.running)} /><span>Ouroboros</span></button>
    <div class="rail-new"><${Button} icon="plus" kind="main" hotkey="Alt+N" onClick=${() => page.go({ session: "", view: "home" })}>New session<//></div>
    <div class="rail-list">
      ${store.sessions.length > 0 && html`<h2 id="rail-open">Open</h2><ul class="list" aria-labelledby="rail-open">
        ${store.sessions.map((each) => html`<${Item} key=${each.id} one=${each} store=${store} page=${page} />`)}</ul>`}
      ${earlier.length > 0 && html`<h2 id="rail-past">Before</h2><ul class="list" aria-labelledby="rail-past">
        ${earlier.map((each) => html`<${Item} key=${each.id} one=${each} store=${store} page=${page} />`)}</ul>`}
      ${!store.sessions.length && !earlier.length && html`<p class="hush small panel">No sessions yet. What you begin stays here, also after the server has stopped.</p>`}
    </div>
    <div class="rail-foot">
      ${page.pages.map((view) => html`<${Button} key=${view.id} icon=${view.icon} kind="quiet bare" label=${view.title} onClick=${() => page.go({ session: "", view: view.id })} />`)}
      <span class="grow"></span>
      <${Button} icon="sun" kind="quiet bare" label="Light or dark" hotkey="Alt+T" onClick=${page.theme} />
      <${Button} icon="question" kind="quiet bare" label="Keys and help" hotkey="?" onClick=${() => page.sheet("help")} />
    </div></nav>`;
}

function Item({ one, store, page }) {
  const state = one.asks ? "asking" : one.running ? "running" : one.status === "failed" ? "failed" : "idle";
  const sign = { asking: "?", running: "◐", failed: "✗", idle: "○" }[state];
  const said = { asking: `${one.asks} waiting for you`, running: "running", failed: "failed", idle: "" }[state];
  const current = store.route.session === one.id;
  return html`<li><button class="rail-item" aria-current=${current ? "page" : undefined} onClick=${() => page.go({ session: one.id, view: current ? undefined : "chat" })}>
    <span class=${`sign is-${state}`} aria-hidden="true">${sign}</span>
    <span class="cut foreign">${oneLine(one.title, 80) || html`<span class="hush">Nothing said yet</span>`}</span>
    ${one.asks ? html`<span class="badge" aria-hidden="true">${one.asks}</span>` : html`<span></span>`}
    <span class="where cut">${folder(one.cwd)}${one.updated ? ` · ${ago(one.updated)}` : ""}${said && html`<span class="sr">, ${said}</span>`}</span>
  </button></li>`;
}

function usePast(store, link) {
  const [past, set] = useState([]);
  useEffect(() => {
    let ended = false;
    link.get("/sessions?all=1&limit=40").then((found) => !ended && set(found.sessions), () => {});
    return () => { ended = true; };
  }, [store.sessions.map((each) => each.id).join()]);
  return past;
}
