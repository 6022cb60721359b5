// The conversation as a tree: go on from elsewhere, begin a session of its own there, compare two branches.
import { Button, Empty, Failed, Icon, Loading, html, useMemo, useState, useWatch } from "../ui.js";
import { Dialog } from "../shell/dialog.js";
import { FileDiff } from "../panels/diff.js";
import { MOVED, at, useLive } from "../panels/live.js";
import { Prose } from "../text/prose.js";
import { oneLine } from "../text/safe.js";
import { count } from "../text/words.js";

const SHOWN = 400;
const ROLES = { user: "You", assistant: "Model", tool: "Tool", system: "System" };

/** The messages in the order of the page: what goes on comes last and is not moved in. */
export function laidOut(twigs) {
  const below = new Map();
  for (const twig of twigs) below.set(twig.parent, [...(below.get(twig.parent) ?? []), twig]);
  const known = new Set(twigs.map((twig) => twig.id));
  const found = [];
  const stack = twigs.filter((twig) => !known.has(twig.parent)).reverse().map((twig, n, all) => [twig, all.length > 1 && n < all.length - 1 ? 1 : 0, all.length > 1]);
  while (stack.length) {
    const [twig, depth, begins] = stack.pop();
    const next = below.get(twig.id) ?? [];
    found.push({ twig, depth, begins, ends: !next.length, forks: next.length > 1 });
    const main = next.find((each) => each.is_active) ?? next.at(-1);
    const others = next.filter((each) => each !== main);
    if (main) stack.push([main, depth, next.length > 1]);
    for (const each of others.reverse()) stack.push([each, depth + 1, true]);
  }
  return found;
}

export function View({ store, link, session }) {
  useWatch(session);
  const found = useLive(session, [...MOVED, "user.message", "agent.message"], () => link.get(at(session, "tree")));
  const [picked, pick] = useState([]);
  const [shows, compare] = useState(false);
  const [all, showAll] = useState(false);
  const rows = useMemo(() => laidOut(found.value?.twigs ?? []), [found.value]);
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  if (!rows.length) return html`<${Empty} icon="tree" title="Nothing was said yet">Every message stands here once it is said. From each of them the conversation can go on another way.<//>`;
  const shown = all ? rows : rows.slice(-SHOWN);
  const running = session.running;
  const go = (twig) => store.attempt(() => session.send({ type: "branch", message_id: twig.id }));
  const fork = (twig) => store.attempt(async () => {
    const { session: id } = await link.post(at(session, "fork"), { message: twig.id });
    store.go({ session: id, view: "chat" });
  });
  const toggle = (id) => pick((was) => (was.includes(id) ? was.filter((each) => each !== id) : [...was, id].slice(-2)));
  return html`<div class="panel tree"><div class="panel-head bar"><span class="grow hush small num">${count(found.value.total, "message")} · ${count(rows.filter((row) => row.ends).length, "branch", "branches")}</span>
      <${Button} kind=${`small ${picked.length === 2 ? "main" : ""}`} disabled=${picked.length !== 2} onClick=${() => compare(true)}>${picked.length === 2 ? "Compare the two" : `Pick ${2 - picked.length} to compare`}<//></div>
    ${running && html`<p class="note"><${Icon} name="warning" /> A run is under way. It can go on from elsewhere once it has ended.</p>`}
    ${shown.length < rows.length && html`<${Button} kind="quiet small" onClick=${() => showAll(true)}>${count(rows.length - shown.length, "message")} before these<//>`}
    <ol class="list twigs">${shown.map(({ twig, depth, begins, forks }) => html`<li key=${twig.id} class=${`twig depth-${Math.min(depth, 6)}${twig.is_active ? " is-active" : ""}${twig.is_head ? " is-head" : ""}${begins ? " begins" : ""}${twig.role === "user" ? " is-user" : ""}`}>
      <span class="twig-dot" aria-hidden="true"></span>
      <div class="grow twig-words"><span class="hush small num">${twig.number} ${ROLES[twig.role] ?? twig.role}${twig.kind !== "plain" ? ` (${twig.kind})` : ""}</span>${forks && html`<span class="chip">parts here</span>`}${twig.is_head && html`<span class="chip is-now"><${Icon} name="play" />goes on here</span>`}
        <div class="foreign">${oneLine(twig.text, 160) || html`<span class="hush">${twig.calls.length ? `calls ${oneLine(twig.calls.join(", "), 100)}` : "no words"}</span>`}</div>
        ${(found.value.forks[twig.id] ?? []).map((id) => html`<button class="chip" onClick=${() => store.go({ session: id, view: "chat" })}><${Icon} name="open" />forked into ${id.slice(-6)}</button>`)}</div>
      <div class="twig-tools"><${Button} kind="quiet small bare" icon="play" label=${`Go on from message ${twig.number}`} disabled=${running || twig.is_head} onClick=${() => go(twig)} />
        <${Button} kind="quiet small bare" icon="open" label=${`Begin a session of its own after message ${twig.number}`} onClick=${() => fork(twig)} />
        <${Button} kind="quiet small bare" icon="review" label=${`Compare message ${twig.number}`} aria-pressed=${picked.includes(twig.id) ? "true" : "false"} onClick=${() => toggle(twig.id)} /></div></li>`)}</ol>
    ${shows && html`<${Comparison} ...${{ link, session, left: picked[0], right: picked[1] }} close=${() => compare(false)} />`}</div>`;
}

function Comparison({ link, session, left, right, close }) {
  const found = useLive(session, [], () => link.get(at(session, "compare", { left, right })), [left, right]);
  const arm = (name, label) => {
    const side = found.value.messages[name];
    return html`<section class="arm" aria-label=${label}><h3>${label}</h3>
      ${!side.messages.length && html`<p class="hush">Nothing was said here that the other has not.</p>`}
      ${side.messages.map((each) => html`<article class="arm-said" key=${each.id}><span class="hush small">${ROLES[each.role] ?? each.role}</span>
        ${each.text && html`<${Prose} text=${each.text} />`}${each.calls.length > 0 && html`<p class="small hush">calls ${oneLine(each.calls.join(", "), 200)}</p>`}${each.is_cut && html`<p class="small hush">… there is more of it</p>`}</article>`)}
      ${side.more > 0 && html`<p class="hush small">${count(side.more, "more message")}</p>`}</section>`;
  };
  return html`<${Dialog} title="Two branches" wide=${true} close=${close}>
    ${!found.value && (found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`)}
    ${found.value && html`<p class="hush small num">${count(found.value.messages.shared, "message is", "messages are")} the same before they part.</p>
      <div class="arms">${arm("left", "The first")}${arm("right", "The second")}</div>
      <h3>Files, from the first to the second</h3>
      ${found.value.trouble && html`<p class="note">${found.value.trouble}</p>`}
      ${!found.value.files.files.length && !found.value.trouble && html`<p class="hush">No file is different.</p>`}
      <div class="stack">${found.value.files.files.map((file) => html`<${FileDiff} key=${file.path} file=${file} open=${found.value.files.files.length < 6} />`)}</div>`}<//>`;
}
