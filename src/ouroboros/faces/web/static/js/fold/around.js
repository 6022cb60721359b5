// What happened around the conversation: tabs, files, hooks, the network, reviews, faults.
import { count } from "../text/words.js";
import { say } from "./asked.js";
import { add, place, touch, workplace } from "./parts.js";

export function tabEvent(s, envelope, event) {
  switch (envelope.type) {
    case "tab.updated": {
      const known = s.tabs.get(event.tab) ?? {};
      s.tabs.set(event.tab, { url: event.url, title: event.title || (known.url === event.url ? known.title : ""), status: event.status ?? "" });
      s.tab ||= event.tab;
      const holder = workplace(s);
      const last = (holder.items ?? []).at(-1);
      if (last?.kind === "page" && last.tab === event.tab && (last.url === event.url || !last.url || last.status === "loading")) {
        Object.assign(last, { url: event.url, title: event.title || last.title, status: event.status });
        touch(last);
        return;
      }
      if (known.url === event.url) return;
      add(s, envelope, { kind: "page", tab: event.tab, url: event.url, title: event.title, status: event.status }, holder);
      return;
    }
    case "tab.active":
      s.tab = event.tab;
      return;
    case "tab.driver":
      browserEvent(s, envelope, event);
      return;
    default:
      s.tabs.delete(event.tab);
      if (s.tab === event.tab) s.tab = [...s.tabs.keys()].at(-1) ?? "";
  }
}

export function pageChanged(s, envelope, event) {
  add(s, envelope, { kind: "page", tab: event.tab, summary: event.summary }, workplace(s));
}

export function browserEvent(s, envelope, event) {
  if (envelope.type === "tab.driver") {
    if (event.driver === "person") s.driven.add(event.tab);
    else if (event.why !== "closed") s.driven.delete(event.tab);
  }
  if (envelope.type === "browser.started") s.profile = { name: event.profile ?? "", insteadOf: event.instead_of ?? "" };
  const told = {
    "browser.started": () => (event.instead_of ? { text: `Another browser runs on the profile ${event.instead_of}, so this one runs on ${event.profile}`, level: "warning",
      hint: "logins of the one are not in the other; what you log in to there stays there" }
      : { text: `The browser is there (${event.mode}, ${event.version}${event.headless ? ", headless" : ""})` }),
    "browser.lost": () => ({ text: `The browser is gone: ${event.why || event.state}`, level: "warning" }),
    "tab.driver": () => (event.driver === "person" ? { text: `A person drives ${event.tab}: the agent waits with it` }
      : event.why === "closed" ? null : { text: `${event.tab} is the agent's again` }),
    "dialog.opened": () => ({ text: `${event.tab} shows a dialog (${event.kind}): ${event.message ?? ""}`, level: "warning" }),
    "dialog.answered": () => ({ text: `${event.tab}: the dialog was ${event.accepted ? "accepted" : "dismissed"} by ${event.by}` }),
    "download.started": () => ({ text: `Download begins: ${event.name}` }),
    "download.finished": () => (event.state === "completed" ? null
      : { text: `Download ${event.state}: ${event.name} ${event.reason ?? ""}`, level: "warning" }),
    "request.blocked": () => ({ text: `A request to ${event.origin} was kept back: ${event.reason}`, level: "warning" }),
  }[envelope.type]?.();
  if (told) add(s, envelope, { kind: "notice", level: "info", sort: "browser", ...told }, workplace(s));
}

export function artifactKept(s, envelope, event) {
  s.artifacts.push(event);
  add(s, envelope, { kind: "artifact", id: event.id, name: event.name, sort: event.kind, bytes: event.bytes, mime: event.mime }, workplace(s));
}

export function environmentUpdated(s, envelope, event) {
  if (event.child) return;
  s.variables = event.metadata || "";
  const holder = place(s);
  if (holder === s.root) return;
  holder.names = event.names;
  holder.variables = event.metadata;
  touch(holder);
}

export function logged(s, envelope, event) {
  if (event.level === "debug") return;
  add(s, envelope, { kind: "log", level: event.level ?? "info", text: event.text }, workplace(s));
}

export function turnDiffed(s, envelope, event) {
  add(s, envelope, { kind: "changes", diff: event.diff });
}

export function filesMoved(s, envelope, event) {
  const lost = event.failed?.length ? `, but not all of it: ${event.failed.join("; ")}` : "";
  const done = event.done?.length ? ` (${[...event.done].sort().join(", ")})` : "";
  const taken = (words) => `${words} ${event.turns === 1 ? "turn" : count(event.turns, "turn")}${done}${lost}`;
  const told = {
    "checkpoint.restored": () => restored(event),
    "turn.undone": () => taken("Took back the latest"),
    "turn.redone": () => taken("Have again the latest"),
  }[envelope.type]?.();
  if (told) say(s, envelope, { text: told, level: lost ? "warning" : "info", sort: "files" });
}

function restored(event) {
  const again = event.finished ? "A rewind that was cut off is finished: files" : "Files";
  const { changed = 0, left = [], paths = [] } = event;
  if (!changed) return left.length ? `${again} stay as they are: ${left.slice(0, 3).join("; ")}` : `${again} are as they were; nothing was different`;
  const named = `${paths.slice(0, 3).join(", ")}${changed > 3 ? ", ..." : ""}`;
  return `${again} were brought back, ${count(changed, "path")} changed: ${named}`;
}

export function hookFinished(s, envelope, event) {
  if (event.status === "completed" && !event.message) return;
  const text = [`Hook for ${event.event}`, event.status === "completed" ? "" : event.status, event.message || event.text].filter(Boolean).join(": ");
  say(s, envelope, { text, level: event.status === "completed" ? "info" : "warning", sort: "hook" });
}

export function reviewEvent(s, envelope, event) {
  if (envelope.type === "review.entered") {
    s.reviewing = add(s, envelope, { kind: "review", subject: event.subject, target: event.target, outcome: "running" });
    s.running = true;
    return;
  }
  const item = s.reviewing;
  if (!item) return;
  if (envelope.type === "review.progress") item.progress = `${event.part} of ${event.parts}`;
  else {
    Object.assign(item, { outcome: event.outcome, review: event.review ?? {}, problem: event.problem ?? "" });
    s.reviewing = null;
    s.running = false;
  }
  touch(item);
}

export function processEvent(s, envelope, event) {
  if (envelope.type === "process.kept") {
    s.processes.set(event.number, event.command);
    say(s, envelope, { text: `Goes on in the background as ${event.number}: ${event.command}`, sort: "process" });
    return;
  }
  s.processes.delete(event.number);
  say(s, envelope, { text: `Background command ${event.number} ended with ${event.exit_code}`, sort: "process" });
}

export function errorRaised(s, envelope, event) {
  say(s, envelope, { text: event.message, hint: event.hint ?? "", level: "error", sort: "error" });
}

const SAFETY = {
  "safety.input_flag": (e) => `Text that looks like an instruction: ${e.phrase || (e.flags ?? []).join(", ")}`,
  "safety.output_redacted": (e) => `Secrets taken out: ${e.findings.map((each) => each.kind).join(", ")}`,
  "safety.output_blocked": (e) => `Text held back: ${e.findings.map((each) => each.kind).join(", ")}`,
  "diff.steering": (e) => `Also changed what steers later runs: ${e.paths.slice(0, 3).join(", ")}${e.paths.length > 3 ? ` and ${e.paths.length - 3} more` : ""}`,
  "guardian.stopped": (e) => `The guardian refused ${e.in_a_row} in a row: a person is needed`,
};

const PLAIN = {
  "model.retried": (e) => `Trying again in ${e.delay_seconds.toFixed(1)} s (${e.attempt} of ${e.maximum}): ${e.reason}`,
  "cache.hit": () => "Answered from the cache; nothing was sent",
  "session.imported": (e) => `Read from ${e.origin}; what was allowed there is not here`,
  "repo.loaded": (e) => `${e.repo} is here${e.file_count ? ` (${e.file_count.toLocaleString("en-US")} files)` : ""}`,
  "permissions.granted": (e) => `You let it do more ${e.scope === "turn" ? "for this run" : "for this session"}: ${[e.network && "network", ...(e.read ?? []).map((p) => `read ${p}`), ...(e.write ?? []).map((p) => `write ${p}`), ...(e.rules ?? [])].filter(Boolean).join(", ")}`,
  "memory.stored": (e) => `Remembered: ${e.content}`,
};

/** One line for what needs no more. */
export function told(s, envelope, event) {
  const safety = SAFETY[envelope.type];
  const words = safety ?? PLAIN[envelope.type];
  if (words) {
    const level = safety || envelope.type === "model.retried" ? "warning" : "info";
    add(s, envelope, { kind: "notice", level, text: words(event), sort: safety ? "safety" : "note" }, place(s));
  } else if (envelope.type === "guardian.reviewed") {
    const allowed = event.outcome === "allow";
    const text = `${allowed ? "Allowed" : "Denied"} by the guardian (${event.risk_level ?? "high"} risk): ${event.rationale ?? ""}`;
    say(s, envelope, { text, level: allowed ? "info" : "warning", sort: "safety" });
  } else if (envelope.type === "model.switched") {
    s.fallback = event.new === s.model ? "" : event.new;
    const text = event.reason ? `${event.old} failed, ${event.new} takes over: ${event.reason}` : `Back from ${event.old} to ${event.new}`;
    say(s, envelope, { text, level: event.reason ? "warning" : "info", sort: "model" });
  } else if (envelope.type === "network.contacted" && event.decision === "denied") {
    say(s, envelope, { text: `Not let to ${event.host}:${event.port}: ${event.reason ?? ""}`, level: "warning", sort: "network" });
  }
}
