// The page: it takes the token out of the address, follows the server, and lays views out.
import { Button, Failed, Guarded, Icon, Loading, html, render, useEffect, useFact, useState, useWatch } from "./ui.js";
import { Link } from "./link.js";
import { Store } from "./store.js";
import { VIEWS, byId } from "./views/index.js";
import { Head } from "./shell/head.js";
import { Home, Login } from "./shell/home.js";
import { listen } from "./shell/keys.js";
import { Rail } from "./shell/rail.js";
import { Sheet } from "./shell/sheets.js";
import { Page } from "./shell/page.js";

const link = new Link();
const store = new Store(link);
const page = new Page(store, VIEWS);

const loaded = new Map();

/** A view, loaded when it is first shown, or when the server is back; what breaks in one leaves the others alone. */
function Shown({ id, session }) {
  const [failed, tell] = useState({});
  const state = useFact(link, (one) => one.state);
  const load = () => byId[id].load().then((module) => { loaded.set(id, module.View); tell({}); }, () => tell({ id }));
  useEffect(() => { if (!loaded.has(id)) load(); }, [id, state]);
  const View = loaded.get(id);
  if (!View && failed.id === id) return html`<${Failed} error=${{ message: `${byId[id].title} could not be loaded`, hint: "It is tried again when the server is back." }} again=${load} />`;
  if (!View) return html`<${Loading} />`;
  return html`<${Guarded} key=${`${session?.id}/${id}`}><${View} ...${{ store, link, session, page }} rest=${store.route.rest} /><//>`;
}

function Banner() {
  useWatch(link);
  const [, again] = useState(0);
  useEffect(() => {
    if (link.state !== "offline") return undefined;
    const timer = setInterval(() => again((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, [link.state]);
  if (link.state !== "offline") return null;
  const wait = Math.max(0, Math.ceil((link.retryAt - Date.now()) / 1000));
  return html`<div class="banner" role="status"><${Icon} name="warning" />
    <span>The server cannot be reached. What you see is as of then; a run may go on without this page.</span>
    <span class="num" aria-hidden="true">${wait ? `Again in ${wait} s` : "Trying"}</span><${Button} kind="small" onClick=${() => link.retry()}>Try now<//></div>`;
}

function Side({ session }) {
  const views = page.sides;
  const now = page.side;
  if (!views.length) return null;
  if (!now) {
    return html`<nav class="side-bar" aria-label="Panes">${views.map((view) => html`<${Button} key=${view.id} icon=${view.icon} kind="quiet bare"
      label=${view.title} hotkey=${view.key && `Alt+${view.key}`} onClick=${() => page.show(view.id)} />`)}</nav>`;
  }
  const width = store.choices.sideWidth;
  const move = (value) => store.choose("sideWidth", Math.min(70, Math.max(22, value)));
  const drag = (event) => event.buttons && move(100 - (100 * event.clientX) / innerWidth);
  const keys = (event) => {
    const step = { ArrowLeft: 2, ArrowRight: -2 }[event.key];
    if (step) move(width + step);
  };
  return html`<aside class="side" aria-label=${byId[now].title} ref=${(node) => node?.style.setProperty("--side", width)}>
    <div class="side-grip" role="separator" aria-orientation="vertical" tabindex="0" aria-label="Width of the pane" aria-valuenow=${Math.round(width)} aria-valuemin="22" aria-valuemax="70"
      onPointerDown=${(e) => e.target.setPointerCapture(e.pointerId)} onPointerMove=${drag} onKeyDown=${keys}></div>
    <div class="side-head"><div class="tabs" role="tablist" aria-label="Pane">${views.map((view) => html`<button class="tab" role="tab" key=${view.id} aria-selected=${view.id === now} aria-label=${view.title}
      title=${view.key ? `${view.title} (Alt+${view.key})` : view.title} onClick=${() => page.show(view.id)}><${Icon} name=${view.icon} /><span>${view.title}</span></button>`)}</div>
      <${Button} icon="close" kind="quiet bare" label="Close the pane" hotkey="Alt+." onClick=${page.toggleSide} /></div>
    <div class="view" tabindex="-1"><${Shown} id=${now} session=${session} /></div></aside>`;
}

function Bottom({ session }) {
  const views = session ? page.phone : [];
  return html`<nav class="bottom" aria-label="Views">
    <button onClick=${page.toggleRail}><${Icon} name="menu" />Sessions${store.asks ? html`<span class="badge" aria-label=${`${store.asks} waiting for you`}>${store.asks}</span>` : null}</button>
    ${views.map((view) => html`<button key=${view.id} aria-current=${page.main === view.id ? "page" : undefined} onClick=${() => page.show(view.id)}><${Icon} name=${view.icon} />${view.title}</button>`)}
    <button aria-current=${session && page.away ? "page" : undefined} onClick=${() => page.sheet("palette")}><${Icon} name="more" />More</button></nav>`;
}

function App() {
  useWatch(store);
  useWatch(link);
  const session = store.current;
  const title = useFact(session, (one) => one.title);
  useEffect(() => {
    const words = session ? title || "New session" : byId[store.route.view]?.title ?? "";
    const asks = store.asks ? `(${store.asks}) ` : "";
    document.title = `${asks}${words ? `${words.slice(0, 60)} · ` : ""}Ouroboros`;
  });
  if (link.state === "locked") return html`<${Login} link=${link} />`;
  const rail = page.hasRail ? " has-rail" : "";
  return html`<a class="skip button" href="#middle" onClick=${page.skip}>Skip to the middle</a>
    <div class=${`app${rail}`}><${Banner} />
      ${page.hasRail ? html`<${Rail} ...${{ store, link, page }} />` : null}
      ${page.hasRail && !page.isWide ? html`<button class="rail-veil" aria-label="Close the sessions" onClick=${page.toggleRail}></button>` : null}
      <main class="middle" id="middle" tabindex="-1">${session ? html`<${Middle} session=${session} />` : html`<${Pages} />`}</main>
      ${session && html`<${Side} session=${session} />`}
      <${Bottom} session=${session} /></div>
    <${Sheet} ...${{ store, link, page, session }} views=${VIEWS} />
    <div class="toasts" role="status" aria-live="polite">${store.toasts.map((each) => html`<div class=${`toast is-${each.kind}`} key=${each.id}>
      <${Icon} name=${each.kind === "error" ? "warning" : "check"} /><div class="grow"><div>${each.text}</div>${each.hint && html`<div class="hush small">${each.hint}</div>`}</div>
      <${Button} icon="close" kind="quiet bare small" label="Close" onClick=${() => store.unsay(each.id)} /></div>`)}</div>`;
}

function Middle({ session }) {
  useFact(session, (one) => one.phase);
  if (session.phase === "failed") return html`<div class="view"><${Failed} error=${session.problem} again=${() => store.reopen(session.id)} /></div>`;
  return html`<${Head} ...${{ store, session, page }} views=${page.mains} />
    ${session.phase === "closed" && html`<div class="banner" role="status"><span>${session.problem?.message ?? "This session was closed; all of it is kept."}</span><${Button} kind="small" onClick=${() => store.reopen(session.id)}>Open it again<//></div>`}
    <div class="view" id="view" tabindex="-1"><${Shown} id=${page.main} session=${session} /></div>`;
}

function Pages() {
  const id = store.route.view;
  const head = html`<header class="head phone-head"><${Button} icon="menu" kind="quiet bare" label="Sessions" hotkey="Alt+," onClick=${page.toggleRail} />
    <div class="head-title"><h1 class="cut">${byId[id]?.title ?? "Ouroboros"}</h1></div></header>`;
  if (byId[id]?.place === "page") return html`${head}<div class="view"><${Shown} id=${id} session=${null} /></div>`;
  return html`<div class="view"><${Home} store=${store} link=${link} /></div>`;
}

async function begin() {
  const found = /^#(?:token=)?([\w-]{20,})$/.exec(location.hash);
  if (found && !found[1].startsWith("ses_")) {
    history.replaceState(null, "", location.pathname);
    await link.login(found[1]).catch(() => {});
  }
  document.getElementById("app").replaceChildren();
  page.paint();
  store.read();
  addEventListener("popstate", () => store.read());
  addEventListener("hashchange", () => store.read());
  listen(page);
  render(html`<${App} />`, document.getElementById("app"));
  performance.mark("usable");
  try {
    await store.load();
  } catch (error) {
    if (error.status && error.status !== 401) store.say(error.message, { kind: "error", hint: error.hint });
  }
  store.follow();
}

begin();
// For tests and for a person at the console; it can do what the page can.
globalThis.ouro = { store, link, page };
