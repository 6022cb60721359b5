// What a person does over the picture of a tab, as wishes: places are parts of the picture, 0 to 1.

const BUTTONS = ["left", "middle", "right", "back", "forward"];
const LINE = 40;
const SENTINEL = "\u00a0";

export const bits = (event) => (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);

/**
 * Listens on `box` (around the canvas) and `field` (it takes the keys, and what input methods make).
 * `now()` says {tab, drives, free}: `drives` when this window's person does, `free` when nobody minds if they begin.
 * `take()` is called for a press while the agent is at work: the press itself does nothing.
 */
export function hands({ box, canvas, field, feed, now, take }) {
  const ends = [];
  const on = (node, name, fn, options) => {
    node.addEventListener(name, fn, options);
    ends.push(() => node.removeEventListener(name, fn, options));
  };
  const send = (kind, fields) => feed.wish(kind, { tab: now().tab, ...fields });
  const may = () => now().drives || now().free;

  const at = (event) => {
    const area = canvas.getBoundingClientRect();
    const part = (value, from, size) => Math.min(1, Math.max(0, (value - from) / (size || 1)));
    return { x: part(event.clientX, area.left, area.width), y: part(event.clientY, area.top, area.height) };
  };

  // The mouse: moves once a frame at most.
  let move = null;
  let held = 0;
  const flush = () => {
    if (move) send("mouse", { what: "move", ...move });
    move = null;
  };
  on(box, "pointermove", (event) => {
    if (event.pointerType === "touch" || !now().drives) return;
    if (!move) requestAnimationFrame(flush);
    move = { ...at(event), buttons: event.buttons, button: "none", modifiers: bits(event) };
  });
  const press = (event, what) => {
    flush();
    const count = what === "down" ? (held = Math.min(3, Math.max(1, event.detail || 1))) : held || 1;
    send("mouse", { what, ...at(event), button: BUTTONS[event.button] ?? "left", buttons: event.buttons, count, modifiers: bits(event) });
  };
  on(box, "mousedown", (event) => {
    event.preventDefault();
    field.focus({ preventScroll: true });
    if (!may()) return void take();
    press(event, "down");
    const up = (end) => {
      removeEventListener("mouseup", up, true);
      press(end, "up");
    };
    addEventListener("mouseup", up, true);
  });
  on(box, "contextmenu", (event) => may() && event.preventDefault());
  on(box, "wheel", (event) => {
    if (!now().drives) return;
    event.preventDefault();
    const scale = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? canvas.clientHeight : 1;
    const far = (value) => Math.max(-5000, Math.min(5000, value * scale));
    send("wheel", { ...at(event), dx: far(event.deltaX), dy: far(event.deltaY), modifiers: bits(event) & 9 });
  }, { passive: false });

  // Fingers: as they are, once the person drives; before that the page around scrolls, and a tap takes over.
  const names = new Map();
  const points = (event) => [...event.touches].slice(0, 10).map((touch) => {
    if (!names.has(touch.identifier)) {
      const used = new Set(names.values());
      names.set(touch.identifier, [...Array(11).keys()].find((n) => !used.has(n)));
    }
    return { id: names.get(touch.identifier), ...at(touch) };
  });
  const touched = (what) => (event) => {
    if (!now().drives) return;
    event.preventDefault();
    send("touch", { what, points: points(event), modifiers: bits(event) });
    const there = new Set([...event.touches].map((touch) => touch.identifier));
    for (const name of names.keys()) if (!there.has(name)) names.delete(name);
  };
  for (const what of ["start", "move", "end", "cancel"]) on(box, `touch${what}`, touched(what), { passive: false });

  // The keyboard. What writes a letter is sent as its key; what an input method makes, as text.
  const down = new Set();
  let composing = false;
  const clear = () => { field.value = SENTINEL; field.setSelectionRange(1, 1); };
  on(field, "keydown", (event) => {
    if (!now().drives || /^F(6|8|9|10)$/.test(event.key) || event.altKey && event.key.length === 1 && !event.ctrlKey && !altGraph(event)) return;
    if (event.isComposing || event.keyCode === 229 || event.key === "Dead" || event.key === "Process") return;
    const isCommand = (event.ctrlKey || event.metaKey) && !altGraph(event);
    if (isCommand && /^[cvx]$/i.test(event.key) && !event.shiftKey) return; // copy, paste and cut come by themselves
    event.preventDefault();
    event.stopPropagation();
    down.add(event.code);
    send("key", { what: "down", ...key(event, isCommand), repeat: event.repeat });
  });
  on(field, "keyup", (event) => {
    if (!now().drives || !down.delete(event.code)) return;
    event.preventDefault();
    send("key", { what: "up", ...key(event, true) });
  });
  on(field, "blur", () => {
    for (const code of down) send("key", { what: "up", key: code.replace(/^(Key|Digit)/, ""), code });
    down.clear();
  });
  on(field, "compositionstart", () => { composing = true; });
  on(field, "compositionupdate", (event) => now().drives && send("compose", { text: event.data.slice(0, 1000) }));
  on(field, "compositionend", (event) => {
    composing = false;
    if (now().drives) send(event.data ? "insert" : "compose", { text: event.data });
    clear();
  });
  on(field, "input", (event) => {
    if (composing || event.isComposing) return;
    const tap = (name, number) => ["down", "up"].forEach((what) => send("key", { what, key: name, code: name, number, text: what === "down" && name === "Enter" ? "\r" : "" }));
    if (now().drives) {
      if (event.inputType === "deleteContentBackward") tap("Backspace", 8);
      else if (event.inputType === "insertLineBreak" || event.inputType === "insertParagraph") tap("Enter", 13);
      else if (event.data && event.inputType !== "insertCompositionText") send("insert", { text: event.data });
    }
    clear();
  });

  // The clipboard, both ways; what is copied is the page's, and goes nowhere but to the person's clipboard.
  on(field, "paste", (event) => {
    event.preventDefault();
    const text = event.clipboardData.getData("text/plain");
    if (now().drives && text) feed.ask("paste", { tab: now().tab, text: text.slice(0, 1_000_000) }).catch((error) => feed.onRefused?.(error));
  });
  for (const kind of ["copy", "cut"]) {
    on(field, kind, (event) => {
      if (!now().drives) return;
      event.preventDefault();
      copied(feed.ask("copy", { tab: now().tab, cut: kind === "cut" }).then((said) => said.text)).catch((error) => feed.onRefused?.(error));
    });
  }
  clear();
  return () => ends.forEach((end) => end());
}

const altGraph = (event) => event.getModifierState?.("AltGraph") ?? false;

function key(event, isCommand) {
  const one = [...event.key].length === 1;
  const text = isCommand ? "" : one ? event.key : event.key === "Enter" ? "\r" : "";
  const modifiers = altGraph(event) ? bits(event) & 8 : bits(event);
  return { key: event.key.slice(0, 40), code: event.code.slice(0, 40), number: Math.min(255, event.keyCode), location: Math.min(3, event.location), modifiers, text };
}

/** Puts text that is still to come on the clipboard: it must be asked for while the key is fresh. */
async function copied(coming) {
  if (globalThis.ClipboardItem && navigator.clipboard?.write) {
    const blob = coming.then((text) => new Blob([text], { type: "text/plain" }));
    return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  }
  return navigator.clipboard.writeText(await coming);
}
