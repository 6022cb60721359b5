// One open session as the page knows it: its events, what they add up to, and the stream they come by.
import { apply, empty, say, tear } from "./fold/fold.js";
import { Watched } from "./watched.js";

const REFRESH_ON = new Set(["task.completed", "task.cancelled", "context.compacted", "session.branched", "session.rollback", "turn.started", "session.changed"]);

export class Session extends Watched {
  constructor(link, id) {
    super();
    this.link = link;
    this.id = id;
    this.state = empty(id);
    this.events = [];
    this.facts = null;
    this.phase = "loading";
    this.problem = null;
    this.mine = new Set();
    this.listeners = new Set();
  }

  /** Begins to follow it; once. */
  open() {
    if (this.stream) return this;
    this.phase = "loading";
    this.refresh();
    const path = () => `/sessions/${encodeURIComponent(this.id)}/stream?after=${this.state.seq}`;
    this.stream = this.link.stream(path, (frame) => this.take(frame), () => this.#lost());
    return this;
  }

  close() {
    this.stream?.close();
    this.stream = null;
    clearTimeout(this.timer);
  }

  take(frame) {
    switch (frame.kind) {
      case "hello":
        this.goal = frame.seq;
        if (this.state.seq >= frame.seq) this.#ready();
        if (frame.seq < this.state.seq) this.#startOver();
        break;
      case "event":
        this.#hear([frame.event]);
        break;
      case "events":
        this.#hear(frame.events);
        break;
      case "gap":
        tear(this.state);
        if (frame.after > this.state.seq) this.stream.resync();
        break;
      case "told":
        this.tell([frame]);
        break;
      case "closed":
        this.phase = "closed";
        this.problem = frame.error ? { message: frame.error } : null;
        this.close();
        break;
      default:
    }
    this.changed();
  }

  /** Calls `fn(envelope)` for each event from now on that is of one of these types; gives its end. */
  on(types, fn) {
    const listener = { types: new Set(types), fn };
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Says a wish; raises Refused. */
  async send(command) {
    if (command.request_id) this.mine.add(command.request_id);
    try {
      return await this.link.command(this.id, command);
    } catch (error) {
      if (command.request_id) this.mine.delete(command.request_id);
      throw error;
    }
  }

  /** Gives what happened after event `from` and up to event `to`, once all of it is known here. */
  async between(from, to) {
    await new Promise((known) => {
      const look = () => this.state.seq >= to && (known(), end());
      const end = this.watch(look);
      look();
    });
    return this.events.filter(({ seq }) => seq > from && seq <= to);
  }

  /** Shows lines that are no event; they are kept nowhere. */
  tell(told) {
    for (const { text, level, hint } of told) say(this.state, { seq: this.state.seq, ts: Date.now() / 1000 }, { text, level, hint, sort: "told" });
    this.changed();
  }

  /** Asks the server for what no event says: the meter, a problem of the run. */
  async refresh() {
    clearTimeout(this.timer);
    this.timer = null;
    try {
      this.facts = await this.link.get(`/sessions/${encodeURIComponent(this.id)}`);
      if (this.phase === "failed") this.phase = "loading";
      this.problem = null;
    } catch (error) {
      if (error.status && error.status !== 401 && this.phase === "loading") {
        this.phase = "failed";
        this.problem = error;
        this.close();
      }
    }
    this.changed();
  }

  get running() {
    return this.state.running || Boolean(this.facts?.running && this.facts.seq >= this.state.seq);
  }

  get title() {
    return this.state.title || this.facts?.title || this.state.words[0] || "";
  }

  get asks() {
    return this.state.approvals.size + this.state.questions.size + (this.state.proposed && !this.running ? 1 : 0);
  }

  #hear(envelopes) {
    for (const envelope of envelopes) {
      const isKept = Boolean(envelope.id);
      if (isKept && envelope.seq <= this.state.seq) continue;
      if (isKept && envelope.seq > this.state.seq + 1) {
        // A hole: what is missing comes again, by the cursor.
        this.stream?.resync();
        return;
      }
      if (!isKept && envelope.seq < this.state.seq) continue;
      try {
        apply(this.state, envelope);
      } catch (error) {
        console.error(`event ${envelope.seq} ${envelope.type} cannot be shown`, error);
      }
      if (isKept) this.events.push(envelope);
      for (const { types, fn } of this.listeners) if (types.has(envelope.type)) fn(envelope);
      if (REFRESH_ON.has(envelope.type) && this.phase === "ready") this.#refreshSoon();
    }
    if (this.state.seq >= (this.goal ?? Infinity)) this.#ready();
  }

  #ready() {
    if (this.phase === "loading") this.phase = "ready";
  }

  #lost() {
    tear(this.state);
    this.changed();
  }

  /** The log is shorter than what is known here: it is another log, and is read from its beginning. */
  #startOver() {
    this.state = empty(this.id);
    this.events = [];
    this.stream.resync();
  }

  #refreshSoon() {
    this.timer ??= setTimeout(() => this.refresh(), 150);
  }
}
