// What was done: calls, blocks of code and what came of them, children.
import { add, place, spend, touch, workplace } from "./parts.js";

const LIVE_BYTES = 20_000;

export function toolStarted(s, envelope, event) {
  const known = s.byCall.get(event.call_id);
  s.open.add(event.call_id);
  const fresh = {
    name: event.name, title: event.title ?? "", args: event.arguments ?? "", status: "running", progress: "",
    within: event.within ?? "", started: envelope.ts,
  };
  if (known) {
    Object.assign(known, fresh);
    touch(known);
    return;
  }
  const item = add(s, envelope, { kind: "call", id: event.call_id, ...fresh }, place(s, event));
  s.byCall.set(event.call_id, item);
  const reply = s.byMessage.get(`call:${event.call_id}`);
  if (reply && item.holder === s.root) reply.last = item;
}

export function toolAttempted(s, envelope, event) {
  const call = s.byCall.get(event.call_id);
  if (!call) return;
  Object.assign(call, { decision: event.decision, rule: event.rule, sandbox: event.sandbox, steps: event.steps });
  if (event.command) call.command = event.command;
  if (event.unasked) call.unasked = true;
  touch(call);
}

export function toolProgress(s, envelope, event) {
  const call = s.byCall.get(event.call_id);
  if (!call) return;
  const grown = call.progress + event.text;
  call.progress = grown.length > LIVE_BYTES ? `…\n${grown.slice(-LIVE_BYTES)}` : grown;
  touch(call);
}

export function toolResulted(s, envelope, event) {
  let call = s.byCall.get(event.call_id);
  s.open.delete(event.call_id);
  // A question to a model has a card as a child already.
  if (!call && event.status === "done" && event.name.startsWith("llm_query")) return;
  if (!call) {
    call = add(s, envelope, { kind: "call", id: event.call_id, args: "", within: event.within ?? "" }, place(s, event));
    s.byCall.set(event.call_id, call);
  }
  const parts = event.parts ?? [];
  Object.assign(call, {
    name: event.name, status: event.status, seconds: event.seconds ?? 0, truncated: event.truncated, blob: event.blob,
    title: event.title || call.title || "", detail: event.detail ?? "", bytes: event.original_bytes,
    steps: event.steps?.length ? event.steps : call.steps, final: event.final, progress: "", asking: false,
    output: parts.filter((part) => part.type === "text").map((part) => part.text).join("\n"),
    media: parts.filter((part) => part.type === "media"),
  });
  if (event.final && event.answer !== undefined && event.answer !== null) call.answer = event.answer;
  touch(call);
}

export function iterationStarted(s, envelope, event) {
  const child = event.child ? s.byChild.get(event.child) : null;
  const item = { kind: "iteration", number: event.iteration, task: event.task ?? "", child: event.child, items: [] };
  if (child) {
    end(child.iteration, envelope);
    child.iteration = add(s, envelope, item, child);
    return;
  }
  end(s.iteration, envelope);
  s.iteration = add(s, envelope, item);
}

export function end(iteration, envelope) {
  if (!iteration || iteration.ended) return;
  iteration.ended = envelope.ts;
  touch(iteration);
}

/** A block belongs to the call of `repl` that runs it; a child's has only itself. */
export function codeGenerated(s, envelope, event) {
  const holder = place(s, event);
  const call = event.child ? null : runningBlock(holder);
  if (call) {
    Object.assign(call, { code: event.code, block: event.block });
    touch(call);
    return;
  }
  add(s, envelope, {
    kind: "call", name: "repl", id: `${event.child}/${event.iteration}/${event.block}`, title: "", args: "",
    code: event.code, block: event.block, status: "running", started: envelope.ts, progress: "",
  }, holder);
}

export function codeResulted(s, envelope, event) {
  const holder = place(s, event);
  const call = [...(holder.items ?? [])].reverse().find((each) => each.code !== undefined && each.block === event.block);
  if (!call) return;
  call.ok = event.ok;
  try {
    call.metadata = JSON.parse(event.metadata);
  } catch {
    call.metadata = { preview: event.metadata };
  }
  call.blockSeconds = event.seconds ?? 0;
  if (event.child) Object.assign(call, { status: event.ok ? "done" : "failed", seconds: event.seconds ?? 0 });
  touch(call);
}

function runningBlock(holder) {
  return [...(holder.items ?? [])].reverse().find(
    (each) => each.kind === "call" && each.status === "running" && each.code === undefined,
  );
}

export function subagentStarted(s, envelope, event) {
  const parent = event.parent ? place(s, { child: event.parent }) : workplace(s);
  const item = add(s, envelope, {
    kind: "child", id: event.child, task: event.task, how: event.kind ?? "run", tokens: event.tokens ?? 0,
    items: [], status: "running", started: envelope.ts, cost: 0,
  }, parent);
  s.byChild.set(event.child, item);
}

export function subagentReplied(s, envelope, event) {
  spend(s, event.usage, event.cost);
  const child = s.byChild.get(event.child);
  if (!child) return;
  child.model = event.model;
  child.cost = event.cost === null || event.cost === undefined || child.cost === null ? null : child.cost + event.cost;
  touch(child);
}

export function subagentCompleted(s, envelope, event) {
  const child = s.byChild.get(event.child);
  if (!child) return;
  end(child.iteration, envelope);
  child.iteration = null;
  const status = { completed: "done", "": "done", cancelled: "cancelled" }[event.reason] ?? "failed";
  Object.assign(child, { status, reason: event.reason, final: event.final ?? "", seconds: envelope.ts - child.started });
  touch(child);
}
