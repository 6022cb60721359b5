// What was said: the person's words, and replies while they stream and when they are whole.
import { add, place, spend, textOf, touch } from "./parts.js";

export function userMessage(s, envelope, event) {
  const { message } = event;
  const text = textOf(message);
  if ((message.kind ?? "plain") === "plain" && !event.steered) {
    s.iteration = null;
    s.live = null;
    s.began = envelope.ts;
    s.before = { ...s.spent, turn: s.turn };
    s.proposed = "";
    s.later.delete(message.id);
    s.running = true;
  }
  const kind = event.steered ? "user" : { plain: "user", nudge: "nudge", summary: "summary" }[message.kind ?? "plain"];
  // Context stays out of sight in the chat, but a branch may begin with it.
  const media = (message.parts ?? []).filter((part) => part.type === "media");
  const item = add(s, envelope, { kind: kind ?? "context", id: message.id, text, media, steered: event.steered },
    event.steered ? place(s) : s.root);
  if (item.kind === "user") s.words.push(text);
  s.byMessage.set(message.id, item);
}

export function delta(s, envelope, event) {
  const reply = liveReply(s, envelope);
  let part = reply.parts.find((each) => each.number === event.part);
  if (!part) {
    part = { number: event.part, kind: event.kind ?? "text", name: event.name ?? "", text: "", done: false };
    // The beginning was said while nobody listened here; the whole reply brings it.
    part.torn = event.phase !== "start";
    reply.parts.push(part);
  } else if (event.phase === "start") {
    // A block that begins again replaces what was heard of it: a retry, or a reader who caught up.
    Object.assign(part, { text: "", done: false, torn: false });
  }
  if (event.text) part.text += event.text;
  if (event.phase === "end") part.done = true;
  touch(reply);
}

export function agentMessage(s, envelope, event) {
  const { message } = event;
  let reply = s.byMessage.get(message.id);
  if (!reply) {
    reply = liveReply(s, envelope);
    reply.id = message.id;
    s.byMessage.set(message.id, reply);
  }
  const streams = event.partial && reply.parts.some((part) => part.number !== undefined);
  if (!streams) reply.parts = (message.parts ?? []).map(shown).filter(Boolean);
  reply.done = !event.partial;
  reply.stop = event.stop_reason;
  reply.calls = (message.parts ?? []).filter((part) => part.type === "tool_call").map((part) => part.id);
  for (const id of reply.calls) s.byMessage.set(`call:${id}`, reply);
  if (!event.partial || event.usage) spend(s, event.usage, event.cost);
  if (reply.done) {
    s.live = null;
    reply.usage = event.usage;
    reply.cost = event.cost;
  }
  touch(reply);
}

function shown(part) {
  if (part.type === "text" || part.type === "reasoning") {
    return part.text ? { kind: part.type, text: part.text, done: true } : null;
  }
  return null;
}

function liveReply(s, envelope) {
  if (!s.live) s.live = add(s, envelope, { kind: "reply", id: "", parts: [], done: false }, place(s));
  return s.live;
}

/** The connection broke: what streamed may miss words, so it waits for the whole reply. */
export function tear(s) {
  if (!s.live) return;
  s.live.parts = s.live.parts.filter((part) => part.number === undefined);
  s.live.torn = true;
  touch(s.live);
}
