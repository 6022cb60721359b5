// The picture of a tab with what lies over it: who drives, where the agent acts, and what waits for an answer.
import { Button, Icon, html, useAutofocus, useEffect, useRef, useState, useTyped } from "../ui.js";
import { oneLine, plain } from "../text/safe.js";
import { hands } from "./hands.js";

const MOST = [1600, 1000];
const THUMB = { width: 256, height: 160, rate: 1 };

/** Draws the pictures of a tab into a canvas; `onShape` hears of its size in the page's pixels. */
function usePaint(canvas, feed, tab, onShape = () => {}) {
  useEffect(() => {
    const node = canvas.current;
    if (!node || !tab) return undefined;
    const context = node.getContext("2d", { alpha: false });
    return feed.paint(tab, (bitmap, head) => {
      if (node.width !== bitmap.width || node.height !== bitmap.height) Object.assign(node, { width: bitmap.width, height: bitmap.height });
      context.drawImage(bitmap, 0, 0);
      node.dataset.number = head.number;
      onShape(head);
    });
  }, [feed, tab]);
}

/** How large the picture may be, in the screen's own pixels. */
export function useRoom(box) {
  const [room, set] = useState([0, 0]);
  useEffect(() => {
    if (!box.current) return undefined;
    let timer;
    const measure = () => {
      const { clientWidth, clientHeight } = box.current ?? { clientWidth: 0, clientHeight: 0 };
      const scale = Math.min(2, devicePixelRatio || 1);
      const size = [clientWidth * scale, Math.max(clientHeight, clientWidth * 0.6) * scale];
      // In steps, so that a window that is drawn larger is not a new cast for each pixel.
      set((was) => {
        const next = size.map((each, n) => Math.min(MOST[n], Math.max(160, Math.ceil(each / 80) * 80)));
        return next[0] === was[0] && next[1] === was[1] ? was : next;
      });
    };
    const watcher = new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(measure, 150); });
    watcher.observe(box.current);
    measure();
    return () => { clearTimeout(timer); watcher.disconnect(); };
  }, []);
  return room;
}

/** What is to be had of the server for these tabs; nothing while the page is not looked at. */
export function wanted(feed, tab, room) {
  if (!tab || document.hidden || !room[0]) return [];
  const rest = feed.attached ? [] : [...feed.tabs.keys()].filter((each) => each !== tab).slice(0, 11);
  return [{ tab, width: room[0], height: room[1], rate: 30 }, ...rest.map((each) => ({ tab: each, ...THUMB }))];
}

export function Thumb({ feed, tab, shown, show }) {
  const canvas = useRef(null);
  usePaint(canvas, feed, tab.id);
  const words = oneLine(tab.title || tab.url, 80) || tab.id;
  return html`<button class=${`thumb${tab.driver === "person" ? " is-person" : ""}`} aria-label=${`Show ${words}`} aria-pressed=${shown ? "true" : "false"} onClick=${() => show(tab.id)}>
    <canvas ref=${canvas} width="256" height="160" aria-hidden="true"></canvas><span class="cut foreign">${words}</span></button>`;
}

/** `drive`: {mine, free, busy, take, give}; `box` is where the picture has its place. */
export function Stage({ feed, tab, drive, box, field }) {
  const canvas = useRef(null);
  const [shape, setShape] = useState(null);
  const known = useRef({});
  known.current = { tab: tab.id, drives: drive.mine && !tab.dialog, free: drive.free && !tab.dialog };
  usePaint(canvas, feed, tab.id, (head) => setShape((was) => (was?.width === head.width && was?.height === head.height ? was : head)));
  useEffect(() => hands({ box: canvas.current, canvas: canvas.current, field: field.current, feed, now: () => known.current, take: () => drive.hint() }), [feed, tab.id]);
  const who = drive.mine ? "person" : tab.driver === "person" ? "other" : drive.busy ? "agent" : "nobody";
  const point = who === "agent" ? feed.point(tab.id) : null;
  const place = (node) => {
    node?.style.setProperty("left", `${point.x * 100}%`);
    node?.style.setProperty("top", `${point.y * 100}%`);
  };
  const size = (node) => {
    if (!node || !shape) return;
    node.style.setProperty("--ratio", shape.width / shape.height);
    node.style.setProperty("--wide", `${shape.width}px`);
  };
  const words = { person: "you drive", other: "driven from another window", agent: "the agent drives", nobody: "nobody drives" }[who];
  const title = oneLine(tab.title || tab.url, 120) || "blank page";
  return html`<div class=${`stage is-${who}`} data-keys="stage"><div class="stage-box" ref=${box}><div class="stage-picture" ref=${size}>
      <canvas ref=${canvas} width="16" height="10" role="img" aria-label=${`Picture of ${title}; ${words}`}></canvas>
      <textarea ref=${field} class="stage-keys" aria-label=${drive.mine ? `Keys for ${title}. F6 leaves, F10 hands the tab back` : `${title}: F9 takes the tab over`} autocomplete="off" autocapitalize="off" spellcheck="false" readonly=${!drive.mine && !drive.free}></textarea>
      ${point && html`<span class=${`pointer is-${point.what}`} ref=${place} aria-hidden="true"><svg viewBox="0 0 20 20"><path d="M4 2l12 8.5-5.4.9L8 17z" /></svg></span>`}
      ${!feed.last.has(tab.id) && !["crashed"].includes(tab.status) && html`<p class="stage-words hush" role="status">The picture is on its way</p>`}
    </div></div>
    <${Over} ...${{ feed, tab, drive }} /></div>`;
}

function Over({ feed, tab, drive }) {
  const act = (kind, fields) => feed.ask(kind, { tab: tab.id, ...fields }).catch(drive.say);
  if (tab.dialog) return html`<${Asked} key=${`${tab.id} ${tab.dialog.message}`} ...${{ tab, act }} />`;
  if (tab.chooser) return html`<${Files} key=${tab.id} ...${{ tab, act }} />`;
  if (tab.status === "crashed") {
    return html`<div class="stage-card card" role="alert"><h3>This page has crashed</h3><p class="hush">Its process ended; the other tabs are well.</p>
      <div class="row"><${Button} kind="main" icon="rewind" onClick=${() => act("tab:reload")}>Load it again<//></div></div>`;
  }
  return null;
}

const KINDS = { alert: "The page says", confirm: "The page asks", prompt: "The page asks", beforeunload: "Leave the page? What was not saved is lost" };

function Asked({ tab, act }) {
  const { dialog } = tab;
  const [words, type, now] = useTyped(dialog.default);
  const box = useAutofocus();
  const answer = (accept) => (event) => { event?.preventDefault(); act("dialog", { accept, text: dialog.kind === "prompt" && accept ? now() : "" }); };
  return html`<form class="stage-card card" role="alertdialog" ref=${box} aria-label=${KINDS[dialog.kind] ?? "A dialog"} onSubmit=${answer(true)}>
    <h3>${KINDS[dialog.kind] ?? "The page shows a dialog"}</h3><p class="foreign words">${plain(dialog.message)}</p>
    ${dialog.kind === "prompt" && html`<label><span class="sr">Answer</span><input class="field" autofocus value=${words} onInput=${(e) => type(e.target.value)} /></label>`}
    <div class="row"><${Button} kind="main" icon="check" type="submit">${dialog.kind === "beforeunload" ? "Leave" : "OK"}<//>
      ${dialog.kind !== "alert" && html`<${Button} onClick=${answer(false)}>${dialog.kind === "beforeunload" ? "Stay" : "Cancel"}<//>`}</div></form>`;
}

function Files({ tab, act }) {
  const [words, type, now] = useTyped("");
  const box = useAutofocus();
  const { multiple } = tab.chooser;
  const listed = (typed) => typed.split("\n").map((each) => each.trim()).filter(Boolean).slice(0, multiple ? undefined : 1);
  const paths = listed(words);
  const give = (event) => {
    event.preventDefault();
    if (listed(now()).length) act("files", { paths: listed(now()) });
  };
  return html`<form class="stage-card card" ref=${box} aria-label="The page asks for files" onSubmit=${give}>
    <h3>The page asks for ${multiple ? "files" : "a file"}</h3>
    <label><span class="field-label">${multiple ? "Paths in the workspace, one a line" : "A path in the workspace"}</span>
      <textarea class="field mono" rows=${multiple ? 3 : 1} autofocus value=${words} onInput=${(e) => type(e.target.value)} spellcheck="false"></textarea></label>
    <div class="row"><${Button} kind="main" icon="check" type="submit" aria-disabled=${!paths.length}>Give ${multiple && paths.length > 1 ? "them" : "it"}<//>
      <${Button} onClick=${() => act("files", { paths: [] })}>None<//></div></form>`;
}
