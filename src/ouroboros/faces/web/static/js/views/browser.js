// The browser inside the page: its tabs, the picture of one of them, and the person's hands in it.
import { Button, Empty, Icon, Loading, html, useEffect, useRef, useState, useTyped, useWatch } from "../ui.js";
import { Feed } from "../live/feed.js";
import { Stage, Thumb, useRoom, wanted } from "../live/stage.js";
import { oneLine } from "../text/safe.js";

export function View({ store, link, session, page }) {
  useWatch(session);
  const [feed] = useState(() => new Feed(link, session.id));
  useWatch(feed);
  useEffect(() => {
    feed.onRefused = (error) => store.say(error.message, { kind: "error", hint: error.hint });
    feed.open();
    const hidden = () => feed.changed();
    document.addEventListener("visibilitychange", hidden);
    return () => { document.removeEventListener("visibilitychange", hidden); feed.close(); };
  }, [feed]);
  if (feed.phase === "none") {
    return html`<${Empty} icon="browser" title="This session has no browser">
      <p>${feed.problem === "this session has no browser" ? "It was begun without one. Begin another with “Browser” to see its tabs here." : oneLine(feed.problem, 300)}</p>
      <p><${Button} kind="main" icon="plus" onClick=${() => page.go({ session: "", view: "home" })}>Begin one with a browser<//></p><//>`;
  }
  if (feed.phase === "connecting") return html`<${Loading} words="Looking for the browser" />`;
  return html`<${Browser} ...${{ store, session, page, feed }} />`;
}

function Browser({ store, session, page, feed }) {
  const [chosen, choose] = useState("");
  const box = useRef(null);
  const field = useRef(null);
  const bar = useRef(null);
  const root = useRef(null);
  const room = useRoom(root);
  const shown = feed.tabs.get(chosen) ?? feed.tabs.get(feed.active) ?? [...feed.tabs.values()][0] ?? null;
  const id = shown?.id ?? "";
  useEffect(() => { feed.look(wanted(feed, id, room)); });
  // What a person drives stays in view, whatever the agent opens meanwhile; handed back, the view follows it again.
  const held = useRef("");
  useEffect(() => {
    if (shown?.mine) choose(held.current = id);
    else if (held.current === id) choose(held.current = "");
  }, [id, shown?.mine]);
  const say = (error) => store.say(error.message, { kind: "error", hint: error.hint });
  const ask = (kind, fields = {}) => feed.ask(kind, fields).catch((error) => { say(error); return null; });
  const busy = session.running;
  const drive = {
    mine: Boolean(shown?.mine), busy, say,
    // While no run is on nobody minds a hand; while one is, it is taken on purpose.
    free: Boolean(shown) && shown.driver === "agent" && !busy,
    take: async () => { if (shown && await ask("take", { tab: id })) field.current?.focus({ preventScroll: true }); },
    give: () => shown && ask("give", { tab: id }),
    leap: () => (document.activeElement === bar.current ? field : bar).current?.focus({ preventScroll: true }),
    enter: () => field.current?.focus({ preventScroll: true }),
    address: () => document.activeElement === field.current && bar.current?.focus(),
    hint: () => store.say(shown?.driver === "person" ? "Another window drives this tab: F9 takes it over" : "The agent drives this tab: F9 takes it over", {}),
  };
  useLiveKeys(page, drive);
  // The tab may come into view only later; then the focus goes to it, and not to what stood in its place.
  const now = useRef("");
  now.current = id;
  const wish = useRef(null);
  const settle = () => {
    const { tab, url } = wish.current ?? {};
    if (!tab || now.current !== tab) return;
    wish.current = null;
    // Whoever went elsewhere while the tab opened stays there.
    const at = document.activeElement;
    if (at === document.body || root.current?.contains(at)) (url ? field : bar).current?.focus({ preventScroll: true });
  };
  useEffect(settle);
  const open = async (url = "") => {
    const said = await ask("tab:open", { url });
    if (!said?.tab) return;
    wish.current = { tab: said.tab, url };
    choose(said.tab);
    requestAnimationFrame(settle);
  };
  const show = (tab) => { choose(tab); if (feed.tabs.get(tab)?.mine) ask("tab:switch", { tab }); };
  return html`<div class="browser" ref=${root}>
    <${Strip} ...${{ feed, id, show, ask, open }} />
    <${Bar} key=${id} ...${{ feed, tab: shown, ask, open, bar, drive }} />
    ${feed.phase === "lost" && html`<p class="browser-note" role="status"><${Icon} name="warning" /> Not connected; what you see is as of then.</p>`}
    ${shown ? html`<${Stage} key=${id} ...${{ feed, drive, box, field }} tab=${shown} />` : html`<${Gone} ...${{ feed, ask, open }} />`}
    ${shown && html`<${Foot} ...${{ feed, drive, tab: shown, field }} profile=${session.state.profile} />`}
    ${feed.tabs.size > 1 && !feed.attached && html`<div class="thumbs" role="group" aria-label="All tabs">${[...feed.tabs.values()].map((tab) => html`<${Thumb} key=${tab.id} ...${{ feed, tab, show }} shown=${tab.id === id} />`)}</div>`}</div>`;
}

/** F9 takes over, F10 hands back, F6 goes between the page and its address, wherever the page has its focus; the page's table of keys names them. */
function useLiveKeys(page, drive) {
  const now = useRef(drive);
  now.current = drive;
  useEffect(() => {
    const live = { take: () => now.current.take(), give: () => now.current.give(), leap: () => now.current.leap() };
    page.live = live;
    return () => { if (page.live === live) page.live = null; };
  }, [page]);
}

const SIGNS = { loading: "◐", crashed: "✗", dialog: "?" };

function Strip({ feed, id, show, ask, open }) {
  const names = [...feed.tabs.keys()];
  const keys = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Delete") ask("tab:close", { tab: id });
    if (!step) return;
    event.preventDefault();
    const next = names[(names.indexOf(id) + step + names.length) % names.length];
    show(next);
    requestAnimationFrame(() => event.target.closest("[role=tablist]")?.querySelector("[aria-selected=true]")?.focus());
  };
  return html`<div class="live-strip"><div class="tabs" role="tablist" aria-label="Tabs of the browser" onKeyDown=${keys}>${[...feed.tabs.values()].map((tab) => html`
    <button class="tab" role="tab" key=${tab.id} tabindex=${tab.id === id ? 0 : -1} aria-selected=${tab.id === id ? "true" : "false"} title=${oneLine(`${tab.title}\n${tab.url}`, 300)} onClick=${() => show(tab.id)}
      onAuxClick=${(event) => event.button === 1 && ask("tab:close", { tab: tab.id })}>
      ${SIGNS[tab.status] && html`<span class=${`sign is-${tab.status}`} aria-hidden="true">${SIGNS[tab.status]}</span><span class="sr">${tab.status}: </span>`}
      ${tab.driver === "person" && html`<${Icon} name="hand" label="driven by a person" />`}
      <span class="cut foreign">${oneLine(tab.title || tab.url, 60) || tab.id}</span>${tab.id === feed.active && html`<span class="dot" title="The agent's active tab"></span>`}</button>`)}</div>
    ${id && html`<${Button} kind="quiet bare small" icon="close" label="Close this tab" onClick=${() => ask("tab:close", { tab: id })} />`}
    <${Button} kind="quiet bare small" icon="plus" label="New tab" onClick=${() => open()} /></div>`;
}

function Bar({ feed, tab, ask, open, bar, drive }) {
  const [words, type, now] = useTyped(null);
  const url = tab?.url === "about:blank" ? "" : tab?.url ?? "";
  const go = async (event) => {
    event.preventDefault();
    const typed = now();
    const wanted = (typed ?? url).trim();
    if (!wanted) return;
    if (!tab) return void open(wanted);
    // The keys are the page's at once, as in any browser; what is typed here before the answer comes stays.
    drive.enter();
    if (await ask("tab:navigate", { tab: tab.id, url: wanted })) type((held) => (held === typed ? null : held));
    else drive.address();
  };
  const step = (kind) => () => ask(kind, { tab: tab.id });
  const off = !tab;
  const isLoading = tab?.status === "loading";
  return html`<form class="live-bar" onSubmit=${go}>
    <${Button} kind="quiet bare small" icon="left" label="Back" disabled=${off} onClick=${step("tab:go-back")} />
    <${Button} kind="quiet bare small" icon="right" label="Forward" disabled=${off} onClick=${step("tab:go-forward")} />
    <${Button} kind="quiet bare small" icon=${isLoading ? "close" : "again"} label=${isLoading ? "Stop loading" : "Reload"} disabled=${off} onClick=${step(isLoading ? "tab:stop" : "tab:reload")} />
    <label class="grow"><span class="sr">Address</span><input ref=${bar} class="field foreign" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="example.com" value=${words ?? url}
      onInput=${(e) => type(e.target.value)} onFocus=${(e) => e.target.select()} onBlur=${() => words === url && type(null)} onKeyDown=${(e) => e.key === "Escape" && (type(null), e.stopPropagation())} /></label>
    ${tab && (drive.mine ? html`<${Button} kind="small main" icon="play" hotkey="F10" onClick=${drive.give} title="Hand the tab back to the agent (F10)">Hand back<//>`
      : html`<${Button} kind="small" icon="hand" hotkey="F9" onClick=${drive.take} title="Take the tab over (F9)">Take over<//>`)}</form>`;
}

function Foot({ feed, drive, tab, profile, field }) {
  const isTouch = matchMedia("(pointer: coarse)").matches;
  const who = drive.mine ? ["person", "hand", tab.awaited ? "You drive; the agent waits" : "You drive"] : tab.driver === "person" ? ["other", "hand", "Another window drives"] : drive.busy ? ["agent", "play", "The agent drives"] : null;
  return html`<div class="browser-foot small hush">${who && html`<span class=${`driver is-${who[0]}`}><${Icon} name=${who[1]} />${who[2]}</span>`}<span class="grow" role="status">${drive.mine
    ? html`Nothing of what you do is recorded.<span class="by-key"> <kbd>F10</kbd> hands it back${drive.busy ? html`, <kbd>F8</kbd> stops the run` : ""}, <kbd>F6</kbd> leaves the page.</span>`
    : tab.driver === "person" ? html`<span class="by-key"><kbd>F9</kbd> takes it over.</span>`
      : drive.busy ? html`<span class="by-key"><kbd>F9</kbd> takes over: the agent then waits. <kbd>F8</kbd> stops it.</span>` : html`Work in the page as in any other<span class="by-key">, or press <kbd>F9</kbd></span>.`}</span>
    ${profile?.insteadOf && html`<span class="chip" title=${oneLine(`Another browser runs on the profile ${profile.insteadOf}: its logins are not in this one`, 200)}>Profile ${oneLine(profile.name, 40)}</span>`}
    ${feed.attached && html`<span class="chip" title="Only the tab you look at is drawn, and none is brought to the front">Your own browser</span>`}
    ${isTouch && drive.mine && html`<${Button} kind="small" onClick=${() => field.current?.focus()}>Keyboard<//>`}</div>`;
}

function Gone({ feed, ask, open }) {
  if (feed.state === "off" || feed.state === "running") {
    return html`<${Empty} icon="browser" title=${feed.state === "off" ? "The browser has not been started" : "No tab is open"}>
      <p>It starts with its first page: the agent's, or yours.</p><p><${Button} icon="plus" kind="main" onClick=${() => open()}>Open a tab<//></p><//>`;
  }
  return html`<${Empty} icon="warning" title=${feed.state === "socket-lost" ? "The browser was lost; it is tried again" : "The browser is gone"}>
    ${feed.why && html`<p class="foreign">${oneLine(feed.why, 300)}</p>`}
    ${feed.state === "exited" && html`<p><${Button} kind="main" icon="again" onClick=${() => ask("browser:recover")}>Start it again with its tabs<//></p>`}<//>`;
}
