// The life of a session and its runs: begun, changed, ended, gone on with from elsewhere.
import { end } from "./done.js";
import { say } from "./asked.js";
import { count } from "../text/words.js";
import { add, goBack, spend, spending, touch } from "./parts.js";

export function sessionReady(s, envelope, event) {
  Object.assign(s, {
    cwd: event.cwd || s.cwd, model: event.model, mode: event.mode, mind: event.mind ?? "tools",
    title: event.title || s.title, effort: event.effort ?? null, browser: event.browser ?? null,
  });
  if (event.resumed) {
    settle(s, envelope);
    // A program that ended takes its tabs with it, also where nobody could say so.
    if (s.driven.size) say(s, envelope, { text: `Nobody drives ${[...s.driven].join(", ")} any more: the program had ended`, sort: "browser" });
  }
  s.driven.clear();
}

export function sessionChanged(s, envelope, event) {
  const facts = [];
  for (const name of ["mode", "model", "effort", "personality", "service_tier", "cwd", "title"]) {
    if (event[name] === undefined || event[name] === null) continue;
    s[name] = event[name];
    if (name === "model") s.fallback = "";
    const said = name === "service_tier" && !event[name] ? "left to the vendor" : event[name];
    facts.push(`${name.replace("service_tier", "service tier").replace("cwd", "folder")}: ${said}`);
  }
  if (facts.length) say(s, envelope, { text: `Now ${facts.join(", ")}`, sort: "settings" });
}

export function turnStarted(s, envelope, event) {
  s.turn = event.turn;
  s.running = true;
  s.status = "running";
  s.live = null;
  if (!s.began) s.began = envelope.ts;
}

export function taskEnded(s, envelope, event) {
  const reason = envelope.type === "task.cancelled" ? "cancelled" : event.reason;
  end(s.iteration, envelope);
  const seconds = s.began ? envelope.ts - s.began : undefined;
  settle(s, envelope);
  const before = s.before ?? spending();
  const spent = s.spent;
  add(s, envelope, {
    kind: "end", reason, why: envelope.type === "task.cancelled" ? event.reason : "", final: event.final ?? "",
    seconds, turns: Math.max(0, s.turn - (before.turn ?? 0)), mind: s.mind,
    tokens: spent.input + spent.output - before.input - before.output,
    cost: spent.unpriced > before.unpriced ? null : spent.cost - before.cost, words: s.words.at(-1) ?? "",
  });
  s.status = reason === "failed" ? "failed" : "idle";
}

function settle(s, envelope) {
  s.running = false;
  s.iteration = s.live = null;
  s.began = 0;
  for (const call of [...s.open].map((id) => s.byCall.get(id))) {
    call.status = "cancelled";
    touch(call);
  }
  s.open.clear();
  for (const child of s.byChild.values()) {
    if (child.status !== "running") continue;
    Object.assign(child, { status: "cancelled", iteration: null, seconds: envelope.ts - child.started });
    touch(child);
  }
}

export function movedTo(s, envelope, event) {
  const id = event.message_id;
  let item = id ? s.byMessage.get(id) : null;
  if (id && !item) return;
  while (item && item.holder !== s.root) item = item.holder;
  goBack(s, item?.last ?? item);
  s.approvals.clear();
  s.questions.clear();
  s.proposed = "";
  s.running = false;
  s.status = "idle";
  const words = envelope.type === "session.rollback"
    ? `The conversation goes on without its latest ${event.turns === 1 ? "turn" : `${event.turns} turns`}`
    : id ? "The conversation goes on from here" : "The conversation begins anew";
  say(s, envelope, { text: words, sort: "moved" });
}

export function sessionForked(s, envelope, event) {
  if (event.child !== s.id) {
    say(s, envelope, { text: "Another session begins like this one", sort: "moved", session: event.child });
    return;
  }
  s.spent = spending();
  s.before = spending();
  s.later.clear();
  s.parent = event.parent;
  movedTo(s, { ...envelope, type: "session.forked" }, event);
  say(s, envelope, { text: "Forked from another session", sort: "moved", session: event.parent });
}

export function compacted(s, envelope, event) {
  spend(s, event.usage, event.cost);
  const text = `Context summarised: ${count(event.messages_summarized, "message")}, ${event.old_tokens.toLocaleString("en-US")} to ${event.new_tokens.toLocaleString("en-US")} tokens`;
  say(s, envelope, { text, hint: "a summary can leave things out; a new session suits a new task", sort: "context" });
}

export function goalChanged(s, envelope, event) {
  if (event.parent) return;
  const goal = s.goal;
  switch (envelope.type) {
    case "goal.created":
      s.goal = { id: event.goal_id, objective: event.objective, status: "active", budget: event.token_budget ?? null, turns: 0 };
      return;
    case "goal.continued":
      if (goal) goal.turns = event.number;
      say(s, envelope, { text: `Goes on for the goal, turn ${event.number}`, sort: "goal" });
      return;
    case "goal.limited":
      if (goal) goal.status = event.status;
      say(s, envelope, { text: `The goal stopped at a limit: ${event.status.replace("_", " ")}`, level: "warning", sort: "goal" });
      return;
    default:
      if (!goal || goal.id !== event.goal_id) return;
      if (event.cleared) s.goal = null;
      else {
        if (event.objective) goal.objective = event.objective;
        if (event.status) goal.status = event.status;
        if (event.token_budget !== undefined && event.token_budget !== null) goal.budget = event.token_budget || null;
        goal.reason = event.reason ?? "";
      }
  }
}
