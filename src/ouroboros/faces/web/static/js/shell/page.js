// What the page can do as a whole: show a view, open a sheet, stop, step to the next question.

const WIDE = matchMedia("(min-width: 64.01rem)");
const PHONE = matchMedia("(max-width: 44rem)");
const THEMES = ["system", "light", "dark"];
const PHONE_VIEWS = ["chat", "timeline", "browser"];

export class Page {
  constructor(store, views) {
    Object.assign(this, { store, views, rail: false, prompts: new Set(), cards: new Set() });
    for (const name of ["stop", "toggleSide", "toggleRail", "theme", "skip", "nextAsk"]) this[name] = this[name].bind(this);
    for (const media of [WIDE, PHONE]) media.addEventListener("change", () => store.changed());
  }

  get isWide() { return WIDE.matches; }
  get isPhone() { return PHONE.matches; }
  get hasRail() { return this.isWide ? this.store.choices.rail !== false : this.rail; }
  get mains() { return this.views.filter((view) => view.place === "main"); }
  get sides() { return this.views.filter((view) => view.place === "side"); }
  get pages() { return this.views.filter((view) => view.place === "page"); }
  get phone() { return PHONE_VIEWS.map((id) => this.views.find((view) => view.id === id)).filter(Boolean); }

  /** The view in the middle; on a phone a view of the pane stands there too. */
  get main() {
    const view = this.views.find((each) => each.id === this.store.route.view);
    if (view?.place === "main" || (view?.place === "side" && this.isPhone)) return view.id;
    return "chat";
  }

  /** On a phone: the view that is shown and has no place at the lower edge. */
  get away() { return this.sides.find((view) => view.id === this.main && !this.phone.includes(view)); }

  /** The view of the pane; empty where it is closed. */
  get side() {
    if (this.isPhone || !this.store.current) return "";
    return this.sides.some((view) => view.id === this.store.choices.side) ? this.store.choices.side : "";
  }

  /** Shows a view where it belongs; `rest` is what it is told, as `{seq: 12}`. */
  show(id, rest = {}) {
    const view = this.views.find((each) => each.id === id);
    if (!view) return false;
    const { store } = this;
    if (view.place === "page") store.go({ session: "", view: id, rest });
    else if (!store.current) return false;
    else if (view.place === "main" || this.isPhone) store.go({ view: id, rest });
    else {
      store.choose("side", id);
      store.go({ rest, replace: true });
    }
    this.rail = false;
    return true;
  }

  viewAt(digit) {
    const view = this.views.find((each) => each.key === digit);
    return view ? this.show(view.id) : false;
  }

  sheet(name) {
    this.store.sheet = name;
    this.store.changed();
  }

  toggleSide() {
    const { store } = this;
    if (!store.current) return;
    if (this.side) {
      this.before = this.side;
      store.choose("side", "");
    } else if (this.isPhone) this.sheet("palette");
    else store.choose("side", this.before || this.sides[0]?.id || "");
  }

  /** Goes into the pane, or from there to the prompt; where there is no pane the browser does as it likes. */
  leap() {
    const pane = document.querySelector(".side > .view");
    if (!pane) return false;
    return pane.parentElement.contains(document.activeElement) ? this.prompt() : void pane.focus();
  }

  toggleRail() {
    if (this.isWide) this.store.choose("rail", this.store.choices.rail === false);
    else {
      this.rail = !this.rail;
      this.store.changed();
    }
  }

  theme() {
    const now = THEMES.indexOf(this.store.choices.theme);
    this.store.choose("theme", THEMES[(now + 1) % THEMES.length]);
    this.paint();
    this.store.say(`Colours: ${this.store.choices.theme}`);
  }

  paint() {
    const { theme } = this.store.choices;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }

  /** Esc: what lies over the page first, then the run. */
  stop() {
    if (this.store.sheet) return void this.sheet("");
    if (this.rail && !this.isWide) return void this.toggleRail();
    const session = this.store.current;
    if (!session?.running) return false;
    this.store.attempt(() => session.send({ type: "interrupt" }));
    return true;
  }

  skip(event) {
    event.preventDefault();
    document.getElementById("middle")?.focus();
  }

  go(where) {
    this.rail = false;
    this.store.go(where);
  }

  /** Puts the cursor into the prompt, with these words where some are given. */
  prompt(words) {
    if (!this.store.current) return false;
    if (this.main !== "chat") this.show("chat");
    setTimeout(() => { for (const take of this.prompts) take(words); }, 30);
    return true;
  }

  /** Answers the card that is shown. */
  answer(what) {
    for (const take of this.cards) return take(what);
    return false;
  }

  /** Goes to the next session that asks something. */
  nextAsk() {
    const { store } = this;
    const asking = store.sessions.filter((each) => each.asks);
    if (!asking.length) return void store.say("Nothing waits for you");
    const at = asking.findIndex((each) => each.id === store.route.session);
    store.go({ session: asking[(at + 1) % asking.length].id, view: "chat" });
  }

  step(by) {
    const { store } = this;
    const ids = store.sessions.map((each) => each.id);
    if (!ids.length) return false;
    const at = ids.indexOf(store.route.session);
    store.go({ session: ids[(at + by + ids.length) % ids.length], view: "chat" });
    return true;
  }
}
