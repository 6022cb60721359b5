// One file's change by hunk, unified or side by side; a hunk says what can be done with it.
import { Button, Icon, html, useState } from "../ui.js";
import { coloured } from "../text/code.js";
import { oneLine, spelled } from "../text/safe.js";
import { count, number } from "../text/words.js";

const SIGNS = { added: "A", changed: "M", removed: "D", moved: "R", new: "?", conflict: "!" };
const SHOWN = 300;

export function Sign({ status }) {
  return html`<span class=${`sign-of is-${status}`} title=${status}><span aria-hidden="true">${SIGNS[status] ?? "M"}</span><span class="sr">${status}: </span></span>`;
}

export function Counts({ added, removed }) {
  return html`<span class="counts num small">${added ? html`<span class="plus">+${number(added)}</span>` : ""} ${removed ? html`<span class="minus">−${number(removed)}</span>` : ""}</span>`;
}

/** What a hunk is taken back by; lines keep their ends. */
export function piece(hunk) {
  const side = (sign) => hunk.lines.filter((line) => line[0] !== sign).map((line) => line.slice(1)).join("");
  return { start: hunk.new_start, new: side("-"), old: side("+") };
}

/** Lines with their numbers: [sign, old, now, text]. */
export function rows(hunk) {
  let [old, now] = [hunk.old_start, hunk.new_start];
  return hunk.lines.map((line) => {
    const sign = line[0];
    const row = [sign, sign === "+" ? 0 : old, sign === "-" ? 0 : now, line.slice(1).replace(/\r?\n$/, "")];
    if (sign !== "+") old += 1;
    if (sign !== "-") now += 1;
    return row;
  });
}

function pairs(lines) {
  const found = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at][0] === " ") {
      found.push([lines[at], lines[at]]);
      at += 1;
      continue;
    }
    const [out, into] = [[], []];
    for (; at < lines.length && lines[at][0] !== " "; at += 1) (lines[at][0] === "-" ? out : into).push(lines[at]);
    for (let n = 0; n < Math.max(out.length, into.length); n += 1) found.push([out[n], into[n]]);
  }
  return found;
}

const WORDS = { "+": "added ", "-": "removed " };

function Cells({ row, n, language, pick }) {
  if (!row) return html`<td class="n"></td><td class="l d-none"></td>`;
  const [sign, , , text] = row;
  const kind = sign === "+" ? "new" : sign === "-" ? "old" : "same";
  return html`<td class="n num" onClick=${pick && (() => pick(row))}>${n || ""}</td><td class=${`l d-${kind}`}><span class="s" aria-hidden="true">${sign}</span>${WORDS[sign] && html`<span class="sr">${WORDS[sign]}</span>`}<code>${coloured(spelled(text), language)}</code></td>`;
}

/** The lines of a hunk as a table; `pick(row)` is called for a click on a line's number. */
export function HunkLines({ hunk, sides, path, pick }) {
  const [all, showAll] = useState(false);
  const language = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const lines = rows(hunk);
  const shown = sides ? pairs(lines) : lines;
  const cut = all ? shown : shown.slice(0, SHOWN);
  return html`<div class="hunk-lines" tabindex="0" role="region" aria-label=${`Lines of ${oneLine(path, 80)} from ${hunk.new_start}`}><table class=${sides ? "sides" : "unified"}><tbody>
    ${cut.map((row) => (sides
    ? html`<tr><${Cells} row=${row[0]} n=${row[0]?.[1]} language=${language} pick=${pick} /><${Cells} row=${row[1]} n=${row[1]?.[2]} language=${language} pick=${pick} /></tr>`
    : html`<tr><td class="n num">${row[1] || ""}</td><${Cells} row=${row} n=${row[2]} language=${language} pick=${pick} /></tr>`))}</tbody></table>
    ${cut.length < shown.length && html`<${Button} kind="quiet small" onClick=${() => showAll(true)}>${count(shown.length - cut.length, "more line")}<//>`}</div>`;
}

const CONTENT = { binary: "It is no text, so no lines are shown.", large: "It is too large for its lines to be shown.", same: "Its content is the same." };

/** A file; `tools(hunk)` is drawn over each hunk, `head` beside its name, `load()` has lines that were left out. */
export function FileDiff({ file, sides, tools, head, load, open = true, frame }) {
  const [isOpen, turn] = useState(open);
  const hunks = file.hunks;
  return html`<section class="file card" aria-label=${`${file.status} ${oneLine(file.path, 120)}`}>
    <header class="file-head"><button class="file-name" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => turn(!isOpen)}>
      <${Icon} name=${isOpen ? "down" : "right"} /><${Sign} status=${file.status} /><span class="foreign">${file.was && html`<span class="hush">${spelled(file.was)} → </span>`}${spelled(file.path)}</span></button>
      <${Counts} ...${file} />${file.mode && html`<span class="hush small mono">${file.mode.replace(" ", " → ")}</span>`}${head}</header>
    ${isOpen && html`<div class="file-body">
      ${CONTENT[file.content] && html`<p class="hush small panel">${CONTENT[file.content]}</p>`}
      ${file.is_cut && html`<p class="panel"><${Button} kind="small" onClick=${load}>Show ${count(file.added + file.removed, "changed line")}<//></p>`}
      ${file.content === "text" && !file.is_cut && !hunks.length && html`<p class="hush small panel">${file.mode ? "Only its mode is another." : "It is empty."}</p>`}
      ${hunks.map((hunk) => {
    const around = frame ? frame(hunk) : {};
    return html`<div class=${`hunk ${around.class ?? ""}`} key=${`${hunk.old_start}/${hunk.new_start}`} ...${around.rest ?? {}}>
        <div class="hunk-head"><span class="hush small num grow">${`line ${hunk.new_start}`}</span>${tools?.(hunk)}</div>
        ${!around.hidden && html`<${HunkLines} hunk=${hunk} sides=${sides} path=${file.path} pick=${around.pick} />`}${around.after}</div>`;
  })}</div>`}</section>`;
}
