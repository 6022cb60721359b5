// Small standing cards over the prompt: the plan's steps and the goal.
import { Button, Icon, html, useState } from "../ui.js";
import { oneLine, plain } from "../text/safe.js";
import { number } from "../text/words.js";

const SIGNS = { completed: ["☑", "done"], in_progress: ["◐", "at work"], pending: ["☐", "to do"] };

export function Plan({ state }) {
  const [open, turn] = useState(false);
  const { plan } = state;
  if (!plan.length) return null;
  const done = plan.filter((each) => each.status === "completed").length;
  const now = plan.find((each) => each.status === "in_progress");
  if (done === plan.length && !state.running) return null;
  return html`<section class="standing" aria-label="Plan"><button class="standing-head" aria-expanded=${open ? "true" : "false"} onClick=${() => turn(!open)}>
      <${Icon} name="plan" /><span class="num small">${done} of ${plan.length}</span><span class="grow cut foreign">${oneLine(now?.step ?? (done === plan.length ? "All steps done" : plan[done]?.step), 160)}</span><${Icon} name=${open ? "down" : "right"} /></button>
    ${open && html`<div class="standing-body">${state.explanation && html`<p class="hush small foreign">${plain(state.explanation)}</p>`}
      <ol class="list">${plan.map((each, n) => html`<li key=${n} class=${`step is-${each.status}`}><span aria-hidden="true">${SIGNS[each.status][0]}</span><span class="sr">${SIGNS[each.status][1]}: </span><span class="foreign">${plain(each.step)}</span></li>`)}</ol></div>`}</section>`;
}

const STATES = { active: "worked towards", paused: "paused", blocked: "blocked", usage_limited: "stopped by the provider's limit", budget_limited: "stopped by its budget", complete: "reached" };

export function Goal({ state, store, session }) {
  const { goal } = state;
  if (!goal || goal.status === "complete") return null;
  const set = (wish) => () => store.attempt(() => session.send({ type: "set_goal", ...wish }));
  return html`<section class="standing goal" aria-label="Goal"><div class="standing-head"><${Icon} name="goal" /><span class="grow cut foreign" title=${oneLine(goal.objective, 400)}>${oneLine(goal.objective, 200)}</span>
    <span class="hush small">${STATES[goal.status] ?? goal.status}${goal.budget ? `, at most ${number(goal.budget)} tokens` : ""}${goal.turns ? `, turn ${goal.turns}` : ""}</span>
    ${goal.status === "active" ? html`<${Button} kind="quiet small" onClick=${set({ status: "paused" })}>Pause<//>` : html`<${Button} kind="quiet small" onClick=${set({ status: "active" })}>Go on<//>`}
    <${Button} kind="quiet small bare" icon="close" label="Forget the goal" onClick=${set({ clear: true })} /></div></section>`;
}
