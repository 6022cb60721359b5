// Keeps presses and keys of ours from every element but the one that is meant. It is registered before
// any script of the page, so that no listener of the page hears what is kept from it.
(() => {
  "use strict";
  if (globalThis[NAME]) return;
  const uncurry = (f) => Function.prototype.call.bind(f);
  const getter = (kind, name) => uncurry(Object.getOwnPropertyDescriptor(kind.prototype, name).get);
  const listen = uncurry(EventTarget.prototype.addEventListener);
  const stop = uncurry(Event.prototype.stopImmediatePropagation);
  const prevent = uncurry(Event.prototype.preventDefault);
  const pathOf = uncurry(Event.prototype.composedPath);
  const typeOf = getter(Event, "type");
  const timeOf = getter(Event, "timeStamp");
  const attribute = uncurry(Element.prototype.getAttribute);
  const tagOf = getter(Element, "localName");
  const has = uncurry(Set.prototype.has);
  const nowIn = (view) => view.performance.now();

  const NAMES = {
    press: new Set(["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "dragstart"]),
    keys: new Set(["keydown", "keypress", "keyup", "beforeinput"]),
    drop: new Set(["dragenter", "dragover", "drop", "pointerup", "mouseup"]),
  };
  const ALL = new Set(Object.values(NAMES).flatMap((names) => Array.from(names)));
  // By when an input was made counts, not by when a busy page gets to it.
  const ARMED_MS = 30_000;
  const isOld = !!document.documentElement?.firstChild;

  const described = (node) => {
    if (node?.nodeType !== 1) return "the page";
    const id = attribute(node, "id");
    return `<${tagOf(node)}${id ? `#${id.slice(0, 60)}` : ""}>`;
  };
  const guardIn = (view) => {
    let armed = null;
    const hear = (event) => {
      const state = armed;
      if (!state || !event.isTrusted || !has(state.names, typeOf(event)) || timeOf(event) > state.until) return;
      if (state.passes?.(event)) return;
      state.stray = state.stray || described(pathOf(event)[0]);
      stop(event);
      prevent(event);
    };
    for (const name of ALL) listen(view, name, hear, true);
    return {
      arm: (kind, passes, ms = ARMED_MS) => {
        armed = { names: NAMES[kind], until: nowIn(view) + ms, passes, stray: "" };
      },
      // What was made before now is still judged when it comes.
      disarm: () => {
        if (!armed) return "";
        armed.until = Math.min(armed.until, nowIn(view));
        return armed.stray;
      },
    };
  };
  const own = guardIn(window);
  const others = new WeakMap();
  const guardOf = (view) => {
    if (!view || view === window) return own;
    if (!others.has(view)) others.set(view, guardIn(view));
    return others.get(view);
  };
  const ours = (key) => {
    if (key !== KEY) throw new TypeError("not yours");
  };
  const value = Object.freeze({
    isOld,
    arm: (key, kind, { passes, view, ms } = {}) => {
      ours(key);
      guardOf(view).arm(kind, passes, ms);
      return true;
    },
    disarm: (key, view) => {
      ours(key);
      return guardOf(view).disarm();
    },
  });
  Object.defineProperty(globalThis, NAME, { value });
})();
