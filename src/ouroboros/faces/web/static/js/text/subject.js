// What an event is about, in one line.
import { oneLine } from "./safe.js";
import { duration } from "./words.js";

const textOf = (message) => (message?.parts ?? []).map((part) => part.text ?? (part.name ? `[${part.name}]` : "")).join(" ");

const SUBJECTS = {
  "session.ready": (d) => `${d.model} · ${d.mode} · ${d.cwd}`,
  "user.message": (d) => `${d.message.kind && d.message.kind !== "plain" ? `(${d.message.kind}) ` : ""}${textOf(d.message)}`,
  "agent.message": (d) => `${d.partial ? "(so far) " : ""}${textOf(d.message)}`,
  "turn.started": (d) => `turn ${d.turn}`,
  "tool.started": (d) => d.title || `${d.name} ${d.arguments}`,
  "tool.attempted": (d) => [d.decision, d.rule, d.sandbox].filter(Boolean).join(" · "),
  "tool.result": (d) => `${d.name} ${d.status}, ${duration(d.seconds ?? 0)} ${(d.parts ?? []).map((part) => part.text ?? "").join(" ")}`,
  "iteration.started": (d) => `iteration ${d.iteration}${d.child ? ` of ${d.child}` : ""}`,
  "code.generated": (d) => d.code,
  "code.result": (d) => `${d.ok ? "" : "failed: "}${d.metadata}`,
  "permission.requested": (d) => d.action,
  "permission.answered": (d) => `${d.allowed ? "yes" : "no"} by ${d.decider}${d.message ? `: ${d.message}` : ""}`,
  "checkpoint.created": (d) => `${d.kind ?? "before"} ${d.checkpoint.slice(0, 10)}`,
  "hook.finished": (d) => `${d.event} ${d.status ?? "completed"}`,
  "tab.updated": (d) => `${d.tab} ${d.title ?? ""} ${d.url}`,
  "browser.changes": (d) => `${d.tab} ${d.summary}`,
};

export function subject({ type, data }) {
  const said = SUBJECTS[type]?.(data ?? {});
  if (said !== undefined) return oneLine(said, 240);
  const words = Object.values(data ?? {}).filter((each) => ["string", "number", "boolean"].includes(typeof each));
  return oneLine(words.join(" · "), 240);
}
