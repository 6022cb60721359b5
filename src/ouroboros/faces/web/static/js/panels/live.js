// What all panels have in common: answers that are had again when something changed, small forms, words.
import { Button, html, useEffect, useLoaded, useRef } from "../ui.js";
import { Dialog } from "../shell/dialog.js";

const SOON = 300;

/** The address of something of a session; `query` without what is empty. */
export function at(session, path, query = {}) {
  const words = Object.entries(query).flatMap(([name, value]) => [value].flat().filter((each) => each !== "" && each !== undefined && each !== null).map((each) => [name, each]));
  return `/sessions/${encodeURIComponent(session.id)}/${path}${words.length ? `?${new URLSearchParams(words)}` : ""}`;
}

/** As useLoaded, and again soon after events of these types. */
export function useLive(session, types, load, on = []) {
  const found = useLoaded(load, [session?.id, ...on]);
  const again = useRef(found.again);
  again.current = found.again;
  useEffect(() => {
    let timer;
    const end = session.on(types, () => {
      clearTimeout(timer);
      timer = setTimeout(() => again.current(), SOON);
    });
    return () => { clearTimeout(timer); end(); };
  }, [session]);
  return found;
}

export const MOVED = ["session.branched", "session.rollback", "session.forked", "turn.undone", "turn.redone", "task.completed", "task.cancelled"];
export const TOUCHED = [...MOVED, "checkpoint.created", "checkpoint.restored", "diff.turn"];

/** Some of these, one of which is on: {value: label}. */
export function Segments({ label, options, value, choose }) {
  return html`<div class="segments" role="group" aria-label=${label}>${Object.entries(options).map(([key, words]) => html`
    <button type="button" key=${key} aria-pressed=${key === value ? "true" : "false"} onClick=${() => choose(key)}>${words}</button>`)}</div>`;
}

/** A question with a yes that names what it does; `off()` says whether something is missing for it. */
export function Sure({ title, yes, act, close, bad, children, off }) {
  const go = (event) => { event.preventDefault(); if (!off?.()) { close(); act(); } };
  return html`<${Dialog} title=${title} close=${close}><form class="stack" onSubmit=${go}>${children}
    <div class="row end"><${Button} onClick=${close}>Cancel<//><button class=${`button ${bad ? "bad" : "main"}`} type="submit" aria-disabled=${Boolean(off?.())}>${yes}</button></div></form><//>`;
}

export function Field({ label, hint, ...rest }) {
  return html`<label class="grow"><span class="field-label">${label}</span><input class="field" autocomplete="off" spellcheck="false" ...${rest} />${hint && html`<span class="hush small">${hint}</span>`}</label>`;
}
