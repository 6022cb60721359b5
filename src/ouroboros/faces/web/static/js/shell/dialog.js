// A dialog over the page: it takes the focus, keeps it, gives it back, and Esc closes it.
import { Button, html, useEffect, useId, useMemo, useRef, useState } from "../ui.js";

const MOST = 150;
const STOPS = "a[href],button:not(:disabled),input:not(:disabled),select,textarea,[tabindex]:not([tabindex='-1'])";

export function Dialog({ title, close, wide, children, foot }) {
  const box = useRef(null);
  const name = useId();
  useEffect(() => {
    const before = document.activeElement;
    const first = box.current.querySelector("[autofocus]") ?? box.current.querySelector(STOPS);
    first?.focus();
    // What has to be scrolled and holds nothing to go to is gone to itself.
    const body = box.current.querySelector(".dialog-body");
    if (body.scrollHeight > body.clientHeight && !body.querySelector(STOPS)) body.tabIndex = 0;
    return () => before?.isConnected && before.focus();
  }, []);
  const keys = (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
    if (event.key !== "Tab") return;
    const stops = [...box.current.querySelectorAll(STOPS)].filter((each) => each.offsetParent !== null);
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
  };
  return html`<div class="veil" onMouseDown=${(event) => event.target === event.currentTarget && close()}>
    <div class=${`dialog${wide ? " wide" : ""}`} role="dialog" aria-modal="true" aria-labelledby=${name} ref=${box} onKeyDown=${keys}>
      <header><h2 id=${name} class="grow">${title}</h2><${Button} icon="close" kind="quiet bare" label="Close" hotkey="Escape" onClick=${close} /></header>
      <div class="dialog-body">${children}</div>${foot}
    </div></div>`;
}

/** A list to choose from by typing: arrows and Enter choose. `options`: {value, label, hint, off}. */
export function Chooser({ title, options, choose, close, free, current, placeholder = "Type to filter" }) {
  return html`<${Dialog} title=${title} close=${close}>
    <${Picker} ...${{ options, choose, close, free, current, placeholder }} /><//>`;
}

function Picker({ options, choose, close, free, current, placeholder }) {
  const [words, type] = useState("");
  const [at, move] = useState(Math.max(0, options.findIndex((each) => each.value === current)));
  const name = useId();
  const shown = useMemo(() => {
    const found = filtered(options, words);
    const typed = words.trim();
    const own = { value: typed, label: typed, hint: "as typed" };
    if (!free || !typed || found.some((each) => each.value === typed)) return found;
    // Letters in order fit much; only what holds the very words stands before them.
    return found.some((each) => each.label.toLowerCase().includes(typed.toLowerCase())) ? [...found, own] : [own, ...found];
  }, [options, words]);
  const index = Math.min(at, shown.length - 1, MOST - 1);
  const take = (option) => {
    if (!option || option.off) return;
    close();
    choose(option.value);
  };
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      move(Math.min(Math.max(index + step, 0), Math.min(shown.length, MOST) - 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(shown[index]);
    }
  };
  return html`<div class="stack">
    <input class="field" autofocus role="combobox" aria-expanded="true" aria-controls=${name} aria-label=${placeholder} placeholder=${placeholder}
      aria-activedescendant=${shown.length ? `${name}-${index}` : undefined} value=${words} onInput=${(e) => { type(e.target.value); move(0); }} onKeyDown=${keys} />
    <ul class="menu-list" role="listbox" id=${name} aria-label="Choices">
      ${shown.slice(0, MOST).map((each, n) => html`<li key=${each.value} id=${`${name}-${n}`} role="option" aria-selected=${n === index} aria-disabled=${each.off ? "true" : undefined}
        onMouseMove=${() => n !== index && move(n)} onClick=${() => take(each)} ref=${n === index ? seen : null}>
        <span class="foreign">${each.value === current ? "✓ " : ""}${each.label}</span><span class="hush small grow foreign">${each.hint}</span></li>`)}
      ${shown.length > MOST && html`<li role="option" aria-disabled="true" aria-selected="false" class="hush small">${shown.length - MOST} more: type to find them</li>`}
      ${!shown.length && html`<li aria-disabled="true" role="option" aria-selected="false">Nothing fits</li>`}
    </ul></div>`;
}

function seen(element) {
  element?.scrollIntoView({ block: "nearest" });
}

/** Options whose label has all letters in order; those that begin with them first. */
export function filtered(options, words) {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return options;
  const score = (label) => {
    const text = label.toLowerCase();
    const found = text.indexOf(wanted);
    if (found >= 0) return found;
    let from = 0;
    for (const letter of wanted) {
      from = text.indexOf(letter, from) + 1;
      if (!from) return Infinity;
    }
    return 100 + text.length;
  };
  return options.map((each) => [score(each.label), each]).filter(([worth]) => worth < Infinity)
    .sort((a, b) => a[0] - b[0]).map(([, each]) => each);
}
