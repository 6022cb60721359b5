// Colours for code, by what nearly all languages share: notes, texts, numbers, words.
import { html, h } from "../ui.js";
import { plain } from "./safe.js";
import { count } from "./words.js";

const LONGEST = 40_000;
const WORDS = new Set(("abstract and as async await break case catch class const continue def default del delete do elif else enum except export "
  + "extends false False final finally fn for from func function if impl import in instanceof interface is lambda let match mod mut new nil None "
  + "not null of or package pass private protected pub public raise return self static struct super switch this throw true True try type typeof "
  + "undefined use var void where while with yield then fi done esac echo select insert update SELECT FROM WHERE").split(" "));
const HASHED = /^(?:py|python|sh|bash|shell|zsh|toml|yaml|yml|rb|ruby|make|dockerfile|conf|ini)$/i;
const TOKEN = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|<!--[\s\S]*?(?:-->|$))|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?)|(\b\d[\w.]*\b)|([A-Za-z_$][\w$]*)|(#[^\n]*)/g;

/** Code as vnodes: text, and spans for what has a colour. */
export function coloured(source, language = "") {
  const text = plain(source);
  if (text.length > LONGEST || /^(?:text|txt|plain|console|output)$/i.test(language)) return text;
  const found = [];
  let last = 0;
  for (const hit of text.matchAll(TOKEN)) {
    const [whole, note, words, digits, word, hash] = hit;
    const kind = note ? "note" : words ? "text" : digits ? "number" : word && WORDS.has(word) ? "word"
      : hash && HASHED.test(language) ? "note" : "";
    if (!kind) continue;
    if (hit.index > last) found.push(text.slice(last, hit.index));
    found.push(h("span", { class: `c-${kind}` }, whole));
    last = hit.index + whole.length;
  }
  found.push(text.slice(last));
  return found;
}

/** A unified diff, a line each; signs as well as colours say what is new. */
export function Diff({ text, limit = 400 }) {
  const lines = plain(text).replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, limit);
  return html`<pre class="diff" tabindex="0">${shown.map((line) => {
    const kind = /^(?:diff |index |new file|deleted file|similarity|rename |--- |\+\+\+ )/.test(line) ? "file"
      : line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "new" : line.startsWith("-") ? "old" : "same";
    return html`<span class=${`d-${kind}`}>${line || " "}${"\n"}</span>`;
  })}${lines.length > limit && html`<span class="d-file">… ${count(lines.length - limit, "more line")}</span>`}</pre>`;
}

export function diffCounts(text) {
  let [added, removed, files] = [0, 0, 0];
  for (const line of String(text ?? "").split("\n")) {
    if (line.startsWith("+++ ")) files += 1;
    else if (line.startsWith("--- ")) continue;
    else if (line.startsWith("+")) added += 1;
    else if (line.startsWith("-")) removed += 1;
  }
  return { added, removed, files };
}
