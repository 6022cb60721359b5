// What every view is made of: preact, htm, and the few parts that all share.
import { Component, Fragment, createContext, h, render } from "../vendor/preact.js";
import {
  useCallback, useContext, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState, useErrorBoundary,
} from "../vendor/hooks.js";
import htm from "../vendor/htm.js";

export const html = htm.bind(h);
export {
  useErrorBoundary, Component, Fragment, createContext, h, render,
  useCallback, useContext, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState,
};

/**
 * What is typed or chosen in a form: [value, type, now]. Enter may come right behind a paste, before that was drawn:
 * what is sent is what `now()` holds, and a button that waits for words is `aria-disabled`, as `disabled` would eat the Enter.
 */
export function useTyped(begin) {
  const [value, set] = useState(begin);
  const held = useRef(value);
  const type = useCallback((next) => set((held.current = typeof next === "function" ? next(held.current) : next)), []);
  return [value, type, useCallback(() => held.current, [])];
}

/** Focuses what says `autofocus` in the box that this is the ref of: browsers heed that once a document. */
export function useAutofocus() {
  const box = useRef(null);
  useEffect(() => box.current?.querySelector("[autofocus]")?.focus(), []);
  return box;
}

/** A picture behind the API, which an address alone does not show. */
export function Picture({ link, path, ...rest }) {
  const [src, set] = useState("");
  useEffect(() => {
    let made = "";
    let isGone = false;
    link.picture(path).then((url) => { if (isGone) URL.revokeObjectURL(url); else set((made = url)); }, () => {});
    return () => { isGone = true; URL.revokeObjectURL(made); };
  }, [path]);
  return html`<img ...${rest} src=${src || undefined} />`;
}

/** Renders again whenever `source` (it has `watch(fn)`) says that it changed: once a frame at most. */
export function useWatch(source) {
  const [, again] = useReducer((n) => n + 1, 0);
  useLayoutEffect(() => source?.watch(again), [source]);
  return source;
}

/** A fact of `source`, by `pick(source)`: renders again only when that differs. */
export function useFact(source, pick) {
  const [, again] = useReducer((n) => n + 1, 0);
  const now = source ? pick(source) : undefined;
  const shown = useRef(now);
  shown.current = now;
  useLayoutEffect(() => source?.watch(() => pick(source) !== shown.current && again()), [source]);
  return now;
}

/** What `load()` comes to: {value, error, busy, again}; loaded anew when one of `on` changes. */
export function useLoaded(load, on) {
  const [held, hold] = useState({ busy: true });
  const count = useRef(0);
  const again = useCallback(async () => {
    const mine = ++count.current;
    hold((was) => ({ ...was, busy: true }));
    try {
      const value = await load();
      if (mine === count.current) hold({ value, busy: false });
    } catch (error) {
      if (mine === count.current) hold((was) => ({ value: was.value, error, busy: false }));
    }
  }, on);
  useEffect(() => {
    again();
    return () => { count.current += 1; };
  }, [again]);
  return { ...held, again };
}

// Drawn on a grid of 20, by lines only; every icon stands beside a word or has a label.
const ICONS = {
  chat: "M4 5.5h12v8H9l-3.5 3v-3H4z",
  timeline: "M4 5h3M4 10h3M4 15h3M10 5h6M10 10h6M10 15h6",
  sessions: "M3.5 5.5h13v9h-13zM3.5 8.5h13",
  tree: "M6 3.5v13M6 8h5.5V5.5M6 13h5.5v2.5",
  rewind: "M9.5 5l-5 5 5 5M15.5 5l-5 5 5 5",
  review: "M10 3.5v6M7 6.5h6M7 13.5h6M3.5 17h13",
  files: "M3.5 5h5l1.5 2h6.5v8.5h-13z",
  artifacts: "M3.5 4.5h13v11h-13zM3.5 13l4-4 3.5 3.5 2-2 3.5 3.5M12.5 7.5h.1",
  browser: "M3.5 4.5h13v11h-13zM3.5 8h13M5.5 6.2h.1M7.5 6.2h.1",
  settings: "M3.5 6h7M14.5 6h2M3.5 14h2M9.5 14h7M12.5 4v4M7.5 12v4",
  meter: "M4 14.5a6.5 6.5 0 1 1 12 0M10 12l3-4.5",
  stop: "M5.5 5.5h9v9h-9z",
  send: "M10 16V4.5M5.5 9L10 4.5 14.5 9",
  plus: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5L5 15",
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  cross: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  copy: "M7 7h9v9H7zM4 13V4h9",
  download: "M10 4v8.5M6.5 9.5L10 13l3.5-3.5M4.5 16h11",
  open: "M8 4.5H4.5v11h11V12M11 4.5h4.5V9M15.5 4.5L9.5 10.5",
  more: "M5 10h.1M10 10h.1M15 10h.1",
  down: "M5.5 8l4.5 4.5L14.5 8",
  right: "M8 5.5l4.5 4.5L8 14.5",
  left: "M12 5.5L7.5 10l4.5 4.5",
  again: "M15.5 10a5.5 5.5 0 1 1-1.8-4.1M15.5 3.5v3h-3",
  code: "M7 6l-4 4 4 4M13 6l4 4-4 4",
  warning: "M10 4l7 12H3zM10 8.5v3.5M10 14h.1",
  question: "M7.5 7.5a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1 .9-1 1.7M10 14.5h.1",
  pane: "M3.5 4.5h13v11h-13zM12 4.5v11",
  menu: "M4 6h12M4 10h12M4 14h12",
  search: "M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zM13 13l3.5 3.5",
  child: "M5 4v7h6M11 8l3 3-3 3",
  plan: "M4 5.5l1 1 2-2M4 11l1 1 2-2M10 5.5h6.5M10 11h6.5M5 16h11.5",
  goal: "M10 4a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM10 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  hand: "M7 11V5.5M9.5 10V4M12 10V5M14.5 11V7.5M7 11l-2-2.5-1.5 1L7 15.5h6.5l1-4.5",
  play: "M6.5 4.5l9 5.5-9 5.5z",
  sun: "M10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM10 3v1.5M10 15.5V17M3 10h1.5M15.5 10H17M5 5l1 1M14 14l1 1M15 5l-1 1M6 14l-1 1",
};

export function Icon({ name, label }) {
  const a11y = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return html`<svg class="icon" viewBox="0 0 20 20" ...${a11y}><path d=${ICONS[name] ?? ICONS.more} /></svg>`;
}

/**
 * The mark: a snake that has almost caught its tail. `share` (0 to 1) closes the ring, `turning` lets it run.
 */
export function Mark({ share = 0.86, turning = false, label }) {
  const end = Math.PI * 2 * Math.min(Math.max(share, 0.02), 0.92);
  const [cx, cy, r] = [16, 16, 11];
  const head = [cx, cy - r];
  const steps = 28;
  // The body grows from the tail's tip to the head: two edges of one closed shape.
  const [outer, inner] = [[], []];
  for (let step = 0; step <= steps; step += 1) {
    const along = step / steps;
    const angle = -Math.PI / 2 + end * (1 - along);
    const half = 0.5 + 2.1 * Math.min(1, along * 1.4);
    outer.push([cx + (r + half) * Math.cos(angle), cy + (r + half) * Math.sin(angle)]);
    inner.unshift([cx + (r - half) * Math.cos(angle), cy + (r - half) * Math.sin(angle)]);
  }
  const points = [...outer, ...inner].map((p) => p.map((n) => n.toFixed(2)).join(" ")).join("L");
  const a11y = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  return html`<svg class=${`mark${turning ? " turning" : ""}`} viewBox="0 0 32 32" ...${a11y}>
    <path class="mark-way" d="M16 5a11 11 0 1 1-.01 0z" />
    <path class="mark-body" d=${`M${points}z`} />
    <path class="mark-body" d=${`M${head[0] + 1} ${head[1] - 3.4}c-3.4-.8-6.6 1-7.4 3.4 1.4 2.2 4.4 3.6 7.4 3z`} />
    <path class="mark-eye" d="M13.2 4.3h.01" />
  </svg>`;
}

export function Button({ icon, children, kind = "", label, hotkey, ...rest }) {
  const title = label ? (hotkey ? `${label} (${hotkey})` : label) : undefined;
  return html`<button type="button" class=${`button ${kind}`} title=${title}
    aria-label=${children ? undefined : label} aria-keyshortcuts=${hotkey} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}
  </button>`;
}

/** An empty place, a place that loads, and one that failed: the three states every view has. */
export function Empty({ icon, title, children }) {
  return html`<div class="empty">${icon && html`<${Icon} name=${icon} />`}
    <h2>${title}</h2>${children && html`<div class="empty-words">${children}</div>`}</div>`;
}

export function Loading({ words = "Loading" }) {
  return html`<div class="empty loading" role="status"><${Mark} turning=${true} /><p>${words}</p></div>`;
}

export function Failed({ error, again }) {
  return html`<div class="empty failed" role="alert"><${Icon} name="warning" />
    <h2>${error?.message ?? String(error)}</h2>
    ${error?.hint && html`<p class="empty-words">${error.hint}</p>`}
    ${again && html`<${Button} onClick=${again}>Try again<//>`}</div>`;
}

/** What breaks inside is told in its place; the rest of the page goes on. */
export function Guarded({ children, words = "This cannot be shown" }) {
  const [problem, again] = useErrorBoundary((error) => console.error(error));
  if (!problem) return children;
  return html`<${Failed} error=${{ message: words, hint: String(problem.message ?? problem) }} again=${again} />`;
}

/** A word with a sign before it, so that no state is told by its colour alone. */
const SIGNS = { running: "◐", done: "✓", failed: "✗", denied: "⊘", cancelled: "◼", asking: "?", idle: "○" };

export function Status({ status, children }) {
  return html`<span class=${`status is-${status}`}><span aria-hidden="true">${SIGNS[status] ?? "•"}</span>
    ${children ?? status}</span>`;
}

export function CopyButton({ text, label = "Copy" }) {
  const [done, set] = useState("");
  const copy = async () => {
    const words = typeof text === "function" ? text() : text;
    set((await copied(words)) ? "Copied" : "Not copied");
    setTimeout(() => set(""), 1600);
  };
  return html`<button type="button" class="button quiet small" onClick=${copy}>
    <${Icon} name=${done === "Copied" ? "check" : "copy"} /><span aria-live="polite">${done || label}</span></button>`;
}

async function copied(words) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = words;
    document.body.append(area);
    area.select();
    const ok = document.execCommand("copy");
    area.remove();
    return ok;
  }
}

export function download(name, text, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
