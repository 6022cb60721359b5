// The way to the server: questions and wishes by HTTP, facts by a websocket that goes on where it broke off.
import { Watched } from "./watched.js";

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;
const SILENCE = 45_000;
const PATIENCE = 30_000;
const KEPT = "key";

/** The server said no, or could not be asked (status 0). */
export class Refused extends Error {
  constructor(message, { hint = "", status = 0 } = {}) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

export class Link extends Watched {
  /** `state`: `connecting`, `online`, `offline` (with `retryAt`) or `locked` (the token is missing). */
  constructor(root = "/api/v1") {
    super();
    this.root = root;
    this.state = "connecting";
    this.wasHere = false;
    this.retryAt = 0;
    // The cookie goes to every server of this machine; the key stays with this port, and counts with it.
    this.key = localStorage.getItem(KEPT) ?? "";
    this.streams = new Set();
    addEventListener("online", () => this.retry());
    // Another tab logged in, at a server that was started again.
    addEventListener("storage", ({ key }) => key === KEPT && this.state === "locked" && location.reload());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.state === "offline") this.retry();
    });
  }

  get(path) { return this.call("GET", path); }
  post(path, body = {}, patience = PATIENCE) { return this.call("POST", path, body, patience); }
  put(path, body = {}) { return this.call("PUT", path, body); }
  del(path) { return this.call("DELETE", path); }

  /** Says a wish of `core/commands.py`, as {type, …}; raises Refused. It is never said twice by itself. */
  command(session, command) {
    return this.post(`/sessions/${encodeURIComponent(session)}/commands`, command);
  }

  async call(method, path, body, patience = PATIENCE) {
    let answer;
    const headers = { "X-Ouroboros-Key": this.key, ...(body === undefined ? {} : { "Content-Type": "application/json" }) };
    try {
      answer = await fetch(this.root + path, {
        method, headers, credentials: "same-origin", signal: AbortSignal.timeout(patience),
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch {
      throw new Refused("The server cannot be reached", { hint: "Is `ouro web` still running?" });
    }
    const isJson = (answer.headers.get("content-type") ?? "").includes("json");
    const said = isJson ? await answer.json().catch(() => ({})) : await answer.text();
    if (answer.status === 401) this.#become("locked");
    if (answer.ok) return said;
    const words = (isJson && said.error) || `The server answered ${answer.status}`;
    throw new Refused(words, { hint: said.hint ?? "", status: answer.status });
  }

  async login(token) {
    const { key } = await this.post("/login", { token });
    localStorage.setItem(KEPT, (this.key = key));
    this.#become("connecting");
    this.retry();
  }

  /** A websocket below the API; the key is one of its subprotocols, since no header can be said. */
  socket(path) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    return new WebSocket(`${scheme}//${location.host}${this.root}${path}`, ["ouroboros", `key.${this.key}`]);
  }

  /** What a path has as an address of this page, to be revoked by who asked. */
  async picture(path) {
    const answer = await fetch(this.root + path, { headers: { "X-Ouroboros-Key": this.key }, credentials: "same-origin" });
    if (!answer.ok) throw new Refused(`The server answered ${answer.status}`, { status: answer.status });
    return URL.createObjectURL(await answer.blob());
  }

  /** Lets the browser keep what a path has as a file. */
  async keep(path, name = "") {
    const file = document.createElement("a");
    file.href = await this.#once(path);
    file.download = name;
    file.click();
  }

  /** Shows what a path has in a tab of its own. */
  async show(path) { open(await this.#once(path), "_blank", "noopener,noreferrer"); }

  async #once(path) { return (await this.post("/once", { path })).address; }

  /** Opens a stream; `path()` is asked anew each time, so that it can name where to go on. */
  stream(path, take, lost = () => {}) {
    const stream = new Stream(this, path, take, lost);
    this.streams.add(stream);
    stream.open();
    return stream;
  }

  retry() {
    for (const stream of this.streams) stream.now();
  }

  /** Says how the streams are, together. */
  judge() {
    if (this.state === "locked" && ![...this.streams].some((each) => each.isOpen)) return;
    const down = [...this.streams].filter((each) => !each.isOpen && each.failures > 0);
    if (!down.length) return this.#become([...this.streams].every((s) => s.isOpen) ? "online" : this.state);
    this.retryAt = Math.min(...down.map((each) => each.retryAt));
    this.#become("offline");
  }

  #become(state) {
    if (state === "online") this.wasHere = true;
    this.state = state;
    this.changed();
  }
}

class Stream {
  constructor(link, path, take, lost) {
    Object.assign(this, { link, path, take, lost, failures: 0, isOpen: false, retryAt: 0 });
  }

  open() {
    if (this.closed || this.socket) return;
    const socket = this.link.socket(this.path());
    this.socket = socket;
    socket.onopen = () => {
      this.isOpen = true;
      this.failures = 0;
      this.#listen();
      this.link.judge();
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      this.#listen();
      const frame = JSON.parse(data);
      if (frame.kind === "ping") socket.send('{"kind":"pong"}');
      else this.take(frame);
    };
    socket.onclose = () => {
      if (socket === this.socket) this.#broken();
    };
  }

  /** Leaves the connection and makes another one, which goes on from the cursor. */
  resync() {
    const socket = this.socket;
    if (!socket) return;
    this.#broken(0);
    socket.close();
  }

  now() {
    if (this.closed || this.isOpen) return;
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.open();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.link.streams.delete(this);
    this.socket?.close();
    this.socket = null;
    this.link.judge();
  }

  #broken(wait) {
    this.socket = null;
    this.isOpen = false;
    clearTimeout(this.silence);
    if (this.closed) return;
    this.lost();
    if (wait === undefined) {
      this.failures += 1;
      const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.failures - 1));
      wait = longest * (0.5 + Math.random() / 2);
      // A refused handshake says no status: a plain question tells whether it is the token.
      if (this.failures > 1 && navigator.onLine !== false) this.link.get("/state").catch(() => {});
    }
    this.retryAt = Date.now() + wait;
    this.timer = setTimeout(() => this.open(), wait);
    this.link.judge();
  }

  #listen() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.socket?.close(), SILENCE);
  }
}
