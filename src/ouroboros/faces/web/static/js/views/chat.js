// The conversation: what was said and done on the branch that stands, what waits for an answer, and the prompt.
import { Button, Empty, Guarded, Icon, Loading, html, useEffect, useLayoutEffect, useRef, useState, useWatch } from "../ui.js";
import { Composer } from "../chat/composer.js";
import { Item } from "../chat/item.js";
import { oneLine } from "../text/safe.js";
import { count } from "../text/words.js";
import { Asks } from "./approvals.js";
import { Goal, Plan } from "./cards.js";

const PAGE = 80;
const NEAR = 80;

export function View({ store, link, session, page }) {
  useWatch(session);
  useWatch(store);
  const { state } = session;
  if (session.phase === "loading" && !state.seq) return html`<${Loading} words="Opening the session" />`;
  const seat = { store, link, session, page };
  return html`<div class="chat">
    <${Transcript} ...${seat} />
    <div class="chat-foot"><div class="column">
      <${Plan} state=${state} /><${Goal} state=${state} store=${store} session=${session} />
      <${Guarded} words="The question cannot be shown"><${Asks} ...${seat} /><//>
      ${session.phase !== "closed" && html`<${Composer} key=${session.id} ...${seat} />`}</div></div>
    <${Herald} session=${session} /></div>`;
}

function Transcript({ store, link, session, page }) {
  const { state } = session;
  const box = useRef(null);
  const stuck = useRef(true);
  const height = useRef(0);
  const [limit, setLimit] = useState(PAGE);
  const [below, setBelow] = useState(false);
  const items = state.root.items.filter((item) => item.kind !== "context");
  const from = Math.max(0, items.length - limit);
  const shown = items.slice(from);

  useLayoutEffect(() => {
    const pane = box.current;
    if (stuck.current) pane.scrollTop = pane.scrollHeight;
    else if (height.current) pane.scrollTop += pane.scrollHeight - height.current;
    height.current = 0;
  });
  useEffect(() => {
    // Pictures, fonts and the prompt change heights without a word.
    const grown = new ResizeObserver(() => { if (stuck.current && box.current) box.current.scrollTop = box.current.scrollHeight; });
    grown.observe(box.current);
    grown.observe(box.current.firstElementChild);
    return () => grown.disconnect();
  }, []);

  const scrolled = () => {
    const pane = box.current;
    if (!pane) return;
    const gap = pane.scrollHeight - pane.scrollTop - pane.clientHeight;
    stuck.current = gap < NEAR;
    if (below === stuck.current) setBelow(!stuck.current);
    if (pane.scrollTop < 300 && from > 0 && !stuck.current) earlier();
    else if (stuck.current && limit > PAGE * 3) setLimit(PAGE);
  };
  const earlier = () => {
    height.current = box.current.scrollHeight;
    stuck.current = false;
    setLimit(limit + PAGE);
  };
  const down = () => {
    stuck.current = true;
    setLimit(PAGE);
    box.current.scrollTop = box.current.scrollHeight;
  };
  const seat = { store, link, session, page };
  const lastIteration = [...shown].reverse().find((item) => item.kind === "iteration");
  return html`<div class="transcript" ref=${box} onScroll=${scrolled} tabindex="0" role="region" aria-label="Conversation">
    <div class="column">
      ${from > 0 && html`<div class="row center"><${Button} kind="quiet small" onClick=${earlier}>${count(from, "earlier entry", "earlier entries")}<//></div>`}
      ${!shown.length && html`<${Beginning} state=${state} />`}
      ${shown.map((item) => html`<${Item} key=${item.key} item=${item} v=${item.v} isLast=${item === lastIteration} seat=${seat} />`)}
      ${session.facts?.problem && !session.running && html`<div class="line is-error" role="alert"><${Icon} name="warning" /><span class="grow">${session.facts.problem.error}<span class="hint">${session.facts.problem.hint}</span></span></div>`}
      ${(session.facts?.warnings ?? []).map((words) => html`<div class="line is-warning" key=${words}><${Icon} name="warning" /><span class="grow foreign">${words}</span></div>`)}
      ${session.running && html`<${Working} state=${state} />`}
    </div>
    ${below && html`<${Button} kind="small to-end" icon="down" onClick=${down}>${session.running ? "What happens now" : "To the end"}<//>`}
  </div>`;
}

function Beginning({ state }) {
  const words = state.mind === "rlm" ? "Say what shall be found out. It writes code; pages and files stay values of variables, and you see each block and what came of it."
    : "Say what shall be done here. You see each step, and are asked before what you did not allow.";
  return html`<${Empty} icon=${state.mind === "rlm" ? "code" : "chat"} title="Nothing said yet"><p>${words}</p><p class="hush small"><kbd>/</kbd> commands <kbd>@</kbd> files <kbd>?</kbd> keys</p><//>`;
}

function Working({ state }) {
  const live = state.live && !state.live.done;
  const busy = [...state.open].map((id) => state.byCall.get(id)).reverse().find((call) => !call.asking);
  const waits = state.approvals.size || state.questions.size;
  const words = waits ? "Waits for your answer" : live ? "Answering" : busy ? oneLine(busy.title || busy.name, 80) : "Working";
  return html`<p class="working hush small"><svg class="dot" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="2.5" stroke-dasharray="36 8" stroke-linecap="round" /></svg><span class="foreign">${words}</span></p>`;
}

/** Says in few words, for who cannot see it, what would otherwise be seen; never the stream itself. */
function Herald({ session }) {
  const [words, tell] = useState("");
  useEffect(() => session.on(
    ["permission.requested", "user.asked", "plan.proposed", "task.completed", "task.cancelled", "error", "iteration.started"],
    ({ type, data }) => {
      if (session.phase !== "ready") return;
      tell({
        "permission.requested": () => (data.reviewer === "guardian" ? "" : `Waiting for you: ${oneLine(data.action, 160)}`),
        "user.asked": () => "The model asks you something", "plan.proposed": () => "A plan waits for your yes",
        "task.completed": () => (data.reason === "completed" ? `Done. ${oneLine(data.final, 300)}` : `The run ended: ${data.reason}`),
        "task.cancelled": () => "The run was stopped", error: () => `Error: ${oneLine(data.message, 200)}`,
        "iteration.started": () => (data.child ? "" : `Iteration ${data.iteration}`),
      }[type]());
    },
  ), [session]);
  return html`<div class="sr" role="status" aria-live="polite" aria-atomic="true">${words}</div>`;
}
