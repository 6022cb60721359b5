// The tabs of a session as this window is told of them: their state, their pictures, and wishes back.
import { Refused } from "../link.js";
import { Watched } from "../watched.js";

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;
const ANSWER = 60_000;
const POINT = 1600;

export class Feed extends Watched {
  /** `phase`: `connecting`, `open`, `lost` (it is tried again) or `none` (there is no browser; `problem` says why). */
  constructor(link, session) {
    super();
    Object.assign(this, { link, session, phase: "connecting", problem: "", state: "off", why: "", attached: false, active: "" });
    this.tabs = new Map();
    this.points = new Map();
    this.shapes = new Map();
    this.last = new Map();
    this.painters = new Map();
    this.asked = new Map();
    this.views = [];
    this.failures = 0;
    this.count = 0;
  }

  open() {
    if (this.closed || this.socket) return;
    const path = `/sessions/${encodeURIComponent(this.session)}/browser?viewer=${viewer()}`;
    const socket = this.link.socket(path);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      if (typeof data === "string") this.#take(JSON.parse(data));
      else this.#picture(data, socket);
    };
    socket.onclose = () => socket === this.socket && this.#lost();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
    this.#refuseAll();
  }

  /** Says a wish that nobody waits for; what refuses it is told to `onRefused`. */
  wish(kind, fields = {}) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ kind, ...fields }));
  }

  /** Says a wish; its answer, or raises Refused. */
  ask(kind, fields = {}) {
    return new Promise((done, refuse) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        refuse(new Refused("The browser cannot be reached just now"));
        return;
      }
      const id = `w${(this.count += 1)}`;
      const timer = setTimeout(() => this.#answer(id, null), ANSWER);
      this.asked.set(id, { done, refuse, timer });
      this.wish(kind, { id, ...fields });
    });
  }

  /** These tabs are in view: [{tab, width, height, rate}]. */
  look(views) {
    const words = JSON.stringify(views);
    if (words === JSON.stringify(this.views)) return;
    this.views = views;
    this.wish("watch", { views });
  }

  /** Calls `fn(bitmap, head)` for each picture of a tab, beginning with the last; gives its end. */
  paint(tab, fn) {
    const painters = this.painters.get(tab) ?? new Set();
    this.painters.set(tab, painters.add(fn));
    const last = this.last.get(tab);
    if (last) createImageBitmap(last.blob).then((bitmap) => painters.has(fn) && fn(bitmap, last.head), () => {});
    return () => painters.delete(fn);
  }

  #take(said) {
    switch (said.kind) {
      case "hello":
        Object.assign(this, { phase: "open", state: said.state, why: said.why, attached: said.attached, active: said.active });
        this.failures = 0;
        this.tabs = new Map(said.tabs.map((tab) => [tab.id, tab]));
        this.wish("watch", { views: this.views });
        break;
      case "browser":
        Object.assign(this, { state: said.state, why: said.why, attached: said.attached });
        if (said.state !== "running") this.tabs = new Map();
        break;
      case "tab:updated":
        this.tabs.set(said.tab.id, said.tab);
        break;
      case "tab:active-changed":
        this.active = said.tab;
        break;
      case "tab:closed":
        for (const kept of [this.tabs, this.points, this.shapes, this.last]) kept.delete(said.tab);
        break;
      case "point":
        this.points.set(said.tab, { ...said, at: Date.now() });
        setTimeout(() => this.changed(), POINT + 50);
        break;
      case "closed":
        this.phase = "none";
        this.problem = said.error;
        this.closed = true;
        break;
      case "refused":
        if (!said.id) this.onRefused?.(new Refused(said.error, { hint: said.hint }));
        this.#answer(said.id, said);
        break;
      default:
        if (said.id) this.#answer(said.id, said);
    }
    this.changed();
  }

  /** Where the agent acts in a tab, for a moment. */
  point(tab) {
    const found = this.points.get(tab);
    return found && Date.now() - found.at < POINT ? found : null;
  }

  async #picture(data, socket) {
    const length = new DataView(data).getUint32(0);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    const blob = new Blob([new Uint8Array(data, 4 + length)], { type: "image/jpeg" });
    const isFirst = !this.last.has(head.tab);
    this.last.set(head.tab, { blob, head });
    this.shapes.set(head.tab, head);
    try {
      const bitmap = await createImageBitmap(blob);
      // Pictures may be ready in another order than they came.
      if ((this.last.get(head.tab)?.head.number ?? 0) <= head.number) {
        for (const fn of this.painters.get(head.tab) ?? []) fn(bitmap, head);
      }
      bitmap.close();
    } catch {
      // One that cannot be read is left out; the next one comes.
    }
    if (socket === this.socket && socket.readyState === WebSocket.OPEN) this.wish("seen");
    if (isFirst) this.changed();
  }

  #answer(id, said) {
    const asked = this.asked.get(id);
    if (!asked) return;
    this.asked.delete(id);
    clearTimeout(asked.timer);
    if (said && said.kind !== "refused") asked.done(said);
    else asked.refuse(new Refused(said?.error ?? "No answer came", { hint: said?.hint ?? "" }));
  }

  #refuseAll() {
    for (const id of [...this.asked.keys()]) this.#answer(id, { kind: "refused", error: "The connection broke off" });
  }

  #lost() {
    this.socket = null;
    this.#refuseAll();
    if (this.closed) return;
    this.phase = "lost";
    this.failures += 1;
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.failures - 1));
    this.timer = setTimeout(() => this.open(), wait * (0.5 + Math.random() / 2));
    this.changed();
  }
}

/** The name of this window, the same after it is loaded again: what its person holds stays theirs. */
function viewer() {
  const fresh = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (n) => n.toString(16).padStart(2, "0")).join("");
  try {
    const name = sessionStorage.getItem("ouro.viewer") ?? fresh();
    sessionStorage.setItem("ouro.viewer", name);
    return name;
  } catch {
    return fresh();
  }
}
