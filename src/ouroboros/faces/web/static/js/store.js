// What the page knows beside the sessions themselves: which are open, what is shown, and how.
import { Session } from "./session.js";
import { Watched } from "./watched.js";

const KEPT = 4;
const CHOICES = "ouro.choices";

export class Store extends Watched {
  constructor(link) {
    super();
    this.link = link;
    this.facts = null;
    this.sessions = [];
    this.known = new Map();
    this.route = { session: "", view: "", side: "", rest: {} };
    this.sheet = "";
    this.toasts = [];
    this.choices = { theme: "system", side: "", sideWidth: 44, rail: true, ...read() };
  }

  /** The session that is shown; null on pages without one. */
  get current() {
    return this.route.session ? this.session(this.route.session) : null;
  }

  /** The fold of a session, which follows it from now on; the least lately shown ones are left. */
  session(id) {
    let found = this.known.get(id);
    if (found) {
      this.known.delete(id);
    } else {
      found = new Session(this.link, id).open();
    }
    this.known.set(id, found);
    for (const [old, each] of this.known) {
      if (this.known.size <= KEPT) break;
      if (old === id) continue;
      each.close();
      this.known.delete(old);
    }
    return found;
  }

  /** Opens a session anew after it was closed or failed. */
  reopen(id) {
    this.known.get(id)?.close();
    this.known.delete(id);
    this.changed();
  }

  follow() {
    this.stream ??= this.link.stream(() => "/stream", (frame) => {
      if (frame.kind !== "sessions") return;
      this.sessions = frame.sessions;
      this.changed();
    });
  }

  async load() {
    this.facts = await this.link.get("/state");
    this.sessions = this.facts.sessions ?? [];
    this.changed();
  }

  /** How many questions wait in all open sessions. */
  get asks() {
    return this.sessions.reduce((sum, each) => sum + (each.asks ?? 0), 0);
  }

  choose(name, value) {
    this.choices = { ...this.choices, [name]: value };
    try {
      localStorage.setItem(CHOICES, JSON.stringify(this.choices));
    } catch {
      // A browser that keeps nothing still shows everything.
    }
    this.changed();
  }

  /** Goes to a view, of a session or of none; `{view: "timeline", rest: {seq: 12}}`. */
  go({ session = this.route.session, view = this.route.view, side, rest = {}, replace = false } = {}) {
    const words = Object.entries(side === undefined ? rest : { ...rest, side }).filter(([, value]) => value !== "");
    const query = words.length ? `?${new URLSearchParams(words)}` : "";
    const hash = session ? `#/${session}/${view || "chat"}${query}` : `#/${view || "sessions"}${query}`;
    if (replace) history.replaceState(null, "", hash);
    else if (hash !== location.hash) history.pushState(null, "", hash);
    this.read();
  }

  /** Takes the address for what is shown. */
  read() {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const [first = "", second = ""] = path.split("/");
    const rest = Object.fromEntries(new URLSearchParams(query));
    const isSession = first.startsWith("ses_");
    this.route = {
      session: isSession ? first : "", view: (isSession ? second : first) || (isSession ? "chat" : "home"), rest,
    };
    this.changed();
  }

  /** A short word at the edge; `kind` is `info` or `error`. */
  say(text, { kind = "info", hint = "" } = {}) {
    const toast = { id: crypto.randomUUID?.() ?? String(Math.random()), text, kind, hint };
    this.toasts = [...this.toasts.slice(-2), toast];
    setTimeout(() => this.unsay(toast.id), kind === "error" ? 12_000 : 5000);
    this.changed();
  }

  unsay(id) {
    this.toasts = this.toasts.filter((each) => each.id !== id);
    this.changed();
  }

  /** Does it, and says what went wrong; true where nothing did. */
  async attempt(act) {
    try {
      await act();
      return true;
    } catch (error) {
      this.say(error.message, { kind: "error", hint: error.hint });
      return false;
    }
  }
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(CHOICES) ?? "{}");
  } catch {
    return {};
  }
}
