// Facts as short words, as the other faces say them.

export function duration(seconds) {
  if (seconds === undefined || seconds === null) return "";
  if (seconds < 9.95) return `${Math.max(seconds, 0).toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

export const number = (value) => Number(value ?? 0).toLocaleString("en-US");
export const count = (value, noun, several = `${noun}s`) => `${number(value)} ${value === 1 ? noun : several}`;

export function money(cost) {
  if (cost === null || cost === undefined) return "cost unknown";
  return cost >= 1 ? `$${cost.toFixed(2)}` : `$${cost.toFixed(4)}`;
}

export function tokens(value) {
  if (value < 1000) return String(value ?? 0);
  if (value < 999_500) return `${(value / 1000).toFixed(value < 9950 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(1)}M`;
}

export function bytes(value) {
  if (value < 1000) return `${value ?? 0} B`;
  if (value < 999_500) return `${(value / 1000).toFixed(1)} kB`;
  return `${(value / 1e6).toFixed(1)} MB`;
}

export function clock(ts) {
  return new Date(ts * 1000).toLocaleTimeString("en-GB");
}

export function ago(ts, now = Date.now() / 1000) {
  const seconds = Math.max(0, now - ts);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 86_400 * 14) return `${Math.floor(seconds / 86_400)} d`;
  return new Date(ts * 1000).toISOString().slice(0, 10);
}

export function ending(reason) {
  if (reason?.startsWith("limit_reached:")) return `Stopped at the limit ${reason.slice(14)}`;
  return { completed: "Done", cancelled: "Interrupted", failed: "Failed" }[reason] ?? reason;
}

export const modes = {
  plan: "Plan only: nothing is changed",
  ask: "Ask before edits and commands",
  "auto-edit": "Edit files unasked, ask before commands",
  "full-auto": "Work unasked; lasting harm is asked about",
};

export const folder = (path) => String(path ?? "").split("/").filter(Boolean).pop() ?? "/";
