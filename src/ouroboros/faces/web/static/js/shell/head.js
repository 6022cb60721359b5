// The line over the middle: what session this is, how full, how dear, in which mode, and the stop.
import { Button, Icon, html, useWatch } from "../ui.js";
import { oneLine } from "../text/safe.js";
import { folder, money, tokens } from "../text/words.js";

export function Head({ store, session, page, views }) {
  useWatch(session);
  const { state } = session;
  const meter = session.facts?.meter;
  const shown = page.away;
  return html`<header class="head">
    <${Button} icon="menu" kind="quiet bare" label="Sessions" hotkey="Alt+," onClick=${page.toggleRail} />
    <div class="head-title"><h1 class="cut foreign" title=${oneLine(session.title, 300)}>${oneLine(session.title, 160) || "New session"}</h1>
      <div class="where cut foreign" title=${state.cwd}>${shown ? `${shown.title} · ` : ""}${folder(state.cwd)}${state.mind === "rlm" ? " · writes code" : ""}${state.browser ? " · browser" : ""}</div></div>
    <div class="head-facts">
      <button class="chip" onClick=${() => page.sheet("model")} title="Choose the model (Alt+M)"><span class="cut foreign">${shortModel(state.fallback || state.model)}</span><${Icon} name="down" /></button>
      <button class="chip" onClick=${() => page.sheet("mode")} title="Choose the mode (Alt+O)"><span>${state.mode}</span><${Icon} name="down" /></button>
      <button class="chip num" onClick=${() => page.show("meter")} title="What fills the context, and what was spent">
        <${Ring} meter=${meter} /><span>${meter ? share(meter) : "–"}</span><span class="spent"><span class="hush">· </span>${spentWords(state.spent)}</span></button>
    </div>
    <div class="tabs main-tabs" role="tablist" aria-label="Middle">${views.map((view) => html`
      <button class="tab" role="tab" key=${view.id} aria-selected=${page.main === view.id} title=${`${view.title} (Alt+${view.key})`} onClick=${() => page.show(view.id)}><${Icon} name=${view.icon} /><span>${view.title}</span></button>`)}</div>
    ${session.running && html`<${Button} icon="stop" kind="bad" hotkey="Escape" onClick=${page.stop}>Stop<//>`}
  </header>`;
}

/** The context as the mark's ring: it closes as the context fills; the tick is where a summary is made. */
export function Ring({ meter }) {
  const full = meter ? Math.min(1, meter.used / meter.window) : 0;
  const round = 2 * Math.PI * 8;
  const tick = meter?.limit ? (meter.limit / meter.window) * 2 * Math.PI - Math.PI / 2 : null;
  return html`<svg class="ring" viewBox="0 0 20 20" aria-hidden="true">
    <circle cx="10" cy="10" r="8" fill="none" stroke="var(--line)" stroke-width="3" />
    <circle cx="10" cy="10" r="8" fill="none" stroke=${full > 0.8 ? "var(--warn)" : "var(--accent)"} stroke-width="3" stroke-linecap="round"
      stroke-dasharray=${`${(full * round).toFixed(2)} ${round.toFixed(2)}`} transform="rotate(-90 10 10)" />
    ${tick !== null && html`<path d=${`M${10 + 5.5 * Math.cos(tick)} ${10 + 5.5 * Math.sin(tick)}L${10 + 10 * Math.cos(tick)} ${10 + 10 * Math.sin(tick)}`} stroke="var(--ink-3)" />`}
  </svg>`;
}

export function share(meter) {
  const part = (100 * meter.used) / meter.window;
  return `${part > 0 && part < 1 ? "<1" : Math.round(part)} %`;
}

export function spentWords(spent) {
  if (!spent.requests) return "nothing spent";
  const cost = spent.unpriced ? (spent.cost ? `over ${money(spent.cost)}` : "cost unknown") : money(spent.cost);
  return `${tokens(spent.input + spent.output)} tokens, ${cost}`;
}

export function shortModel(name) {
  const words = oneLine(name, 200);
  return words.startsWith("script:") ? `script:${folder(words.slice(7))}` : words.split("/").slice(-2).join("/") || "no model";
}
