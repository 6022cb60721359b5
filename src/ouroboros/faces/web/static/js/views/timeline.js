// Every event of a session, newest last: only the rows that are seen are in the page, however many there are.
import { Button, CopyButton, Empty, Icon, html, useEffect, useLayoutEffect, useMemo, useRef, useState, useWatch } from "../ui.js";
import { plain } from "../text/safe.js";
import { clock, count, number } from "../text/words.js";
import { subject } from "../text/subject.js";

const ROW = 30;
const SPARE = 12;
const GROUPS = {
  words: ["user.message", "agent.message", "context.compacted", "queue.put", "queue.dropped"],
  calls: ["tool.started", "tool.attempted", "tool.result", "process.kept", "process.ended", "hook.started", "hook.finished"],
  code: ["iteration.started", "code.generated", "code.result", "env.updated", "env.kept", "log"],
  children: ["subagent."],
  pages: ["browser.", "tab.", "dialog.", "download.", "artifact.", "request."],
  approvals: ["permission", "user.asked", "user.answered", "guardian.", "safety.", "plan."],
  files: ["checkpoint.", "diff.turn", "turn.undone", "turn.redone", "repo."],
  session: ["session.", "task.", "turn.started", "goal.", "model.", "review.", "error", "network.", "cache.", "schedule.", "memory."],
};

const groupOf = (type) => Object.keys(GROUPS).find((name) => GROUPS[name].some((each) => type.startsWith(each))) ?? "session";

export function View({ store, session, rest }) {
  useWatch(session);
  const [off, setOff] = useState(new Set());
  const [words, type] = useState("");
  const [chosen, choose] = useState(Number(rest.seq) || 0);
  const { events } = session;
  const counts = useMemo(() => tally(events), [events, Math.floor(events.length / 20)]);
  const shown = useShown(session, off, words);
  const found = chosen ? session.events.find((each) => each.seq === chosen) : null;
  useEffect(() => { if (rest.seq) choose(Number(rest.seq)); }, [rest.seq]);
  const turn = (name) => {
    const next = new Set(off);
    if (!next.delete(name)) next.add(name);
    setOff(next);
  };
  return html`<div class="timeline">
    <div class="timeline-bar"><label class="search"><span class="sr">Find in events</span><${Icon} name="search" /><input class="field" type="search" placeholder="Find in events, or a number" value=${words} onInput=${(e) => type(e.target.value)} /></label>
      <div class="row wrap" role="group" aria-label="Which events">${Object.keys(GROUPS).filter((name) => counts[name]).map((name) => html`<button class="chip" key=${name} aria-pressed=${off.has(name) ? "false" : "true"} onClick=${() => turn(name)}>${name} <span class="num">${number(counts[name])}</span></button>`)}
      ${off.size > 0 && html`<${Button} kind="quiet small" onClick=${() => setOff(new Set())}>All<//>`}</div></div>
    ${shown.length ? html`<${Rows} events=${shown} chosen=${chosen} choose=${choose} jump=${/^\d+$/.test(words.trim()) ? Number(words) : 0} />`
      : html`<${Empty} icon="timeline" title=${events.length ? "No event fits" : "No events yet"} />`}
    ${found && html`<${Details} envelope=${found} close=${() => choose(0)} store=${store} />`}
  </div>`;
}

function tally(events) {
  const counts = {};
  for (const { type } of events) {
    const name = groupOf(type);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The events that fit; what was looked at once is not looked at again while only new ones come. */
function useShown(session, off, words) {
  const held = useRef({});
  const wanted = /^\d+$/.test(words.trim()) ? "" : words.trim().toLowerCase();
  const key = `${[...off].sort()}|${wanted}`;
  const { events } = session;
  const cache = held.current;
  if (cache.key !== key || cache.events !== events || cache.seen > events.length) {
    Object.assign(cache, { key, events, seen: 0, found: [] });
  }
  for (; cache.seen < events.length; cache.seen += 1) {
    const each = events[cache.seen];
    if (off.size && off.has(groupOf(each.type))) continue;
    if (wanted && !`${each.type} ${JSON.stringify(each.data)}`.toLowerCase().includes(wanted)) continue;
    cache.found.push(each);
  }
  return cache.found;
}

function Rows({ events, chosen, choose, jump }) {
  const box = useRef(null);
  const stuck = useRef(true);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const seen = new ResizeObserver(() => setHeight(box.current?.clientHeight || 600));
    seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (stuck.current && !chosen) box.current.scrollTop = box.current.scrollHeight;
  });
  useEffect(() => {
    const wanted = jump || chosen;
    const at = wanted ? events.findIndex((each) => each.seq >= wanted) : -1;
    if (at < 0) return;
    const pane = box.current;
    if (at * ROW < pane.scrollTop || (at + 1) * ROW > pane.scrollTop + pane.clientHeight) {
      stuck.current = false;
      pane.scrollTop = at * ROW - pane.clientHeight / 2;
    }
  }, [jump, chosen]);
  const scrolled = () => {
    const pane = box.current;
    if (!pane) return;
    stuck.current = pane.scrollHeight - pane.scrollTop - pane.clientHeight < ROW * 2;
    setTop(pane.scrollTop);
  };
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(events.length, Math.ceil((top + height) / ROW) + SPARE);
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 }[event.key];
    if (!step) return;
    event.preventDefault();
    const now = chosen ? events.findIndex((each) => each.seq === chosen) : step > 0 ? -1 : events.length;
    choose(events[Math.min(Math.max(now + step, 0), events.length - 1)].seq);
  };
  const index = chosen ? events.findIndex((each) => each.seq === chosen) : -1;
  return html`<div class="rows" ref=${box} onScroll=${scrolled} onKeyDown=${keys} tabindex="0" data-keys role="listbox" aria-label=${`Events, ${number(events.length)}`}
      aria-activedescendant=${index >= first && index < last ? `event-${chosen}` : undefined}>
    <div class="rows-all" role="presentation" ref=${(node) => node?.style.setProperty("height", `${events.length * ROW}px`)}>
      <div class="rows-seen" role="presentation" ref=${(node) => node?.style.setProperty("transform", `translateY(${first * ROW}px)`)}>
      ${events.slice(first, last).map((each, n) => html`<div class="event" key=${each.seq} id=${`event-${each.seq}`} role="option" aria-selected=${each.seq === chosen ? "true" : "false"} aria-setsize=${events.length} aria-posinset=${first + n + 1} onClick=${() => choose(each.seq === chosen ? 0 : each.seq)}>
        <span class="num hush">${each.seq}</span><span class="num hush">${clock(each.ts)}</span><code class=${`kind is-${groupOf(each.type)}`}>${each.type}</code><span class="cut foreign">${subject(each)}</span></div>`)}</div></div></div>`;
}

function Details({ envelope, close }) {
  const box = useRef(null);
  const json = JSON.stringify(envelope, null, 2);
  return html`<section class="details" ref=${box} aria-label=${`Event ${envelope.seq}`} onKeyDown=${(e) => { if (e.key === "Escape") { e.preventDefault(); close(); } }}>
    <header class="row"><h2 class="grow">${envelope.type} <span class="hush num">${envelope.seq}</span></h2><${CopyButton} text=${json} label="Copy JSON" /><${Button} icon="close" kind="quiet bare small" label="Close" onClick=${close} /></header>
    <p class="hush small num">${clock(envelope.ts)} · turn ${envelope.turn} · from ${envelope.source} · ${envelope.id}</p>
    <div class="tree-json"><${Value} value=${envelope.data} depth=${0} /></div></section>`;
}

/** JSON on demand: what lies deep, or is long, opens when it is asked for. */
function Value({ name, value, depth }) {
  const [open, turn] = useState(depth < 4);
  const label = name === undefined ? null : html`<span class="key foreign">${plain(name)}</span>`;
  if (value === null || typeof value !== "object") {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return html`<div class="leaf">${label}<span class=${`foreign ${typeof value === "string" ? "" : "c-number"}`}>${plain(text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text)}</span></div>`;
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? count(entries.length, "item") : count(entries.length, "key");
  if (name === undefined) return html`${entries.map(([key, each]) => html`<${Value} key=${key} name=${key} value=${each} depth=${depth + 1} />`)}`;
  return html`<div class="branch"><button class="branch-head" aria-expanded=${open ? "true" : "false"} onClick=${() => turn(!open)}><${Icon} name=${open ? "down" : "right"} />${label}<span class="hush small">${entries.length ? size : "empty"}</span></button>
    ${open && html`<div class="branch-in">${entries.slice(0, 500).map(([key, each]) => html`<${Value} key=${key} name=${key} value=${each} depth=${depth + 1} />`)}</div>`}</div>`;
}
