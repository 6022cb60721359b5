// What waits for the person: permissions, questions, plans, words for later.
import { add, place, touch } from "./parts.js";

export function permissionRequested(s, envelope, event) {
  if (event.reviewer !== "guardian") s.approvals.set(event.request_id, { ...event, ts: envelope.ts, seq: envelope.seq });
  mark(s, event.call_id, { asking: true, action: event.action });
}

export function permissionAnswered(s, envelope, event) {
  const asked = s.approvals.get(event.request_id);
  s.approvals.delete(event.request_id);
  s.answered.set(event.request_id, event);
  mark(s, event.call_id, { asking: false });
  if (event.decider === "guardian") return;
  const who = { person: "you", hook: "a hook", nobody: "nobody: no one was there to answer" }[event.decider] ?? "the end of the run";
  const scope = { session: " for this session", local: " for good, here", project: " for good, in this project", user: " for good", policy: " for good, by policy" }[event.scope] ?? "";
  const text = event.decider === "cancelled" ? "Not answered: the run was stopped" : event.allowed
    ? `Allowed${scope} by ${who}${event.input ? ", as edited" : ""}`
    : `Denied by ${who}${event.message ? `: ${event.message}` : ""}`;
  say(s, envelope, { text, level: event.allowed ? "info" : "warning", about: s.byCall.has(event.call_id) ? "" : asked?.action ?? "", sort: "answer", edited: event.input },
    { within: s.byCall.has(event.call_id) ? event.call_id : "" });
}

export function permissionBlocked(s, envelope, event) {
  say(s, envelope, { text: `Blocked ${event.tool}: ${event.reason}`, level: "warning", sort: "answer" });
}

export function permissionRemembered(s, envelope, event) {
  const text = event.problem ? `Not remembered, so the yes counts once: ${event.problem}` : `Remembered in ${event.place}`;
  say(s, envelope, { text, level: event.problem ? "warning" : "info", sort: "answer" });
}

export function userAsked(s, envelope, event) {
  s.questions.set(event.request_id, { ...event, ts: envelope.ts });
  mark(s, event.call_id, { asking: true });
}

export function userAnswered(s, envelope, event) {
  const asked = s.questions.get(event.request_id);
  s.questions.delete(event.request_id);
  mark(s, event.call_id, { asking: false });
  const answers = Object.entries(event.answers ?? {});
  const words = (id) => asked?.questions.find((each) => each.id === id)?.question ?? id;
  add(s, envelope, {
    kind: "answers", answers: answers.map(([id, said]) => ({ question: words(id), said })),
  }, place(s));
}

export function planUpdated(s, envelope, event) {
  s.plan = event.steps;
  s.explanation = event.explanation ?? "";
}

export function planProposed(s, envelope, event) {
  s.proposed = event.text;
  // The plan has a card of its own.
  if (s.head?.kind === "reply") {
    s.head.hasPlan = true;
    touch(s.head);
  }
  add(s, envelope, { kind: "proposed", text: event.text, state: "asking" });
}

export function planAnswered(s, envelope, event) {
  s.proposed = "";
  for (let each = s.head; each; each = each.prev) {
    if (each.kind !== "proposed") continue;
    if (event.accepted && event.text) each.text = event.text;
    each.state = event.accepted ? "accepted" : "refused";
    each.why = event.accepted ? event.mode ?? "" : event.text;
    touch(each);
    return;
  }
}

export const wordsQueued = (s, envelope, event) => s.later.set(event.id, event.text);
export const wordsDropped = (s, envelope, event) => s.later.delete(event.id);

/** A line beside the conversation. */
export function say(s, envelope, told, where) {
  return add(s, envelope, { kind: "notice", level: "info", ...told }, place(s, where));
}

function mark(s, id, facts) {
  const call = s.byCall.get(id);
  if (!call) return;
  Object.assign(call, facts);
  touch(call);
}
