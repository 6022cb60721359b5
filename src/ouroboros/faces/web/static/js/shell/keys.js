// Every key of the page in one table; `?` shows it, and nothing else listens at the document.

export const KEYS = [
  { keys: "?", does: "Show all keys", act: (page) => page.sheet("help") },
  { keys: "/", does: "Commands: go to the prompt and list them", act: (page) => page.prompt("/") },
  { keys: "i", does: "Go to the prompt", act: (page) => page.prompt() },
  { keys: "Escape", does: "Stop the run; in a dialog, close it", act: (page) => page.stop(), anywhere: true },
  { keys: "Shift+Tab", where: "prompt", does: "Next mode: plan, ask, auto-edit, full-auto" },
  { keys: "Enter", where: "prompt", does: "Send; while a run is on, say it to the model at its next pass" },
  { keys: "Shift+Enter", where: "prompt", does: "New line" },
  { keys: "Tab", where: "prompt", does: "While a run is on: say it when the run has ended" },
  { keys: "ArrowUp", where: "prompt", does: "What you said before, in an empty prompt" },
  { keys: "Alt+m", does: "Choose the model", act: (page) => page.sheet("model"), anywhere: true },
  { keys: "Alt+o", does: "Choose the mode", act: (page) => page.sheet("mode"), anywhere: true },
  { keys: "Alt+n", does: "New session", act: (page) => page.go({ session: "", view: "home" }), anywhere: true },
  { keys: "Alt+p", does: "Command palette", act: (page) => page.sheet("palette"), anywhere: true },
  { keys: "Alt+a", does: "The next question that waits, in any session", act: (page) => page.nextAsk(), anywhere: true },
  { keys: "Alt+y", does: "Yes, once, to the question that is shown", act: (page) => page.answer("yes"), anywhere: true },
  { keys: "Alt+d", does: "No to the question that is shown", act: (page) => page.answer("no"), anywhere: true },
  { keys: "Alt+.", does: "Show or hide the pane at the right", act: (page) => page.toggleSide(), anywhere: true },
  { keys: "Alt+,", does: "Show or hide the sessions at the left", act: (page) => page.toggleRail(), anywhere: true },
  { keys: "Alt+t", does: "Light, dark, as the system", act: (page) => page.theme(), anywhere: true },
  { keys: "F6", does: "Between the prompt and the pane; in the browser, the page and its address", act: (page) => (page.live ? page.live.leap() : page.leap()), anywhere: true },
  { keys: "F8", does: "Browser: stop the run", act: (page) => (page.live ? page.stop() : false), anywhere: true },
  { keys: "F9", does: "Browser: take the tab over from the agent", act: (page) => (page.live ? void page.live.take() : false), anywhere: true },
  { keys: "F10", does: "Browser: hand the tab back", act: (page) => (page.live ? void page.live.give() : false), anywhere: true },
  { keys: "Alt+1 … 9", does: "The view with this number" },
  { keys: "Alt+↑ Alt+↓", does: "The session above or below" },
];

const isTyping = (element) =>
  element?.closest?.("input, textarea, select, [contenteditable], [data-keys]") !== null && element !== document.body;

/** What a pressed key is called here. */
export function named(event) {
  const key = event.key.length === 1 && event.altKey ? letter(event) : event.key;
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${key}`;
}

// With Alt some keyboards write another sign; the place of the key counts then.
function letter(event) {
  const code = event.code ?? "";
  if (code.startsWith("Key")) return code.slice(3).toLowerCase();
  if (code.startsWith("Digit")) return code.slice(5);
  return { Period: ".", Comma: "," }[code] ?? event.key.toLowerCase();
}

/** Listens at the document until the function it gives is called. */
export function listen(page) {
  const pressed = (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = named(event);
    const row = KEYS.find((each) => each.keys === name && each.act);
    const view = /^Alt\+([0-9])$/.exec(name);
    const step = { "Alt+ArrowUp": -1, "Alt+ArrowDown": 1 }[name];
    if (!row && !view && !step) return;
    if (row && !row.anywhere && isTyping(event.target)) return;
    const did = view ? page.viewAt(view[1]) : step ? page.step(step) : row.act(page);
    if (did !== false) event.preventDefault();
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}
