// Markdown as values: blocks and inline pieces. No HTML is read; what is not understood is text.
import { target } from "./safe.js";

const DEEPEST = 6;
const LONGEST_INLINE = 20_000;

/** The blocks of a text: {type, …, src}; `src` is what a block was made of, so that equal ones are drawn once. */
export function blocks(text, depth = 0) {
  const lines = text.split("\n");
  const found = [];
  let at = 0;
  while (at < lines.length) {
    const from = at;
    const read = READERS.map((reader) => reader(lines, at, depth)).find(Boolean) ?? paragraph(lines, at, depth);
    at = Math.max(read.next, from + 1);
    if (read.block) found.push({ ...read.block, src: lines.slice(from, at).join("\n") });
  }
  return found;
}

const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*)|)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const DASHES = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

const READERS = [
  (lines, at) => (lines[at].trim() ? null : { next: at + 1 }),
  fence,
  (lines, at) => {
    const found = HEADING.exec(lines[at]);
    return found && { next: at + 1, block: { type: "heading", level: found[1].length, text: found[2] } };
  },
  (lines, at) => (RULE.test(lines[at]) ? { next: at + 1, block: { type: "rule" } } : null),
  quote,
  table,
  list,
];

function fence(lines, at) {
  const opened = FENCE.exec(lines[at]);
  if (!opened) return null;
  const [, indent, mark, language] = opened;
  const body = [];
  let next = at + 1;
  let closed = false;
  for (; next < lines.length && !closed; next += 1) {
    const line = lines[next];
    const end = line.trim();
    if (end.length >= mark.length && end === mark[0].repeat(end.length)) closed = true;
    else body.push(line.startsWith(indent) ? line.slice(indent.length) : line.trimStart());
  }
  return { next, block: { type: "code", language, text: body.join("\n"), open: !closed } };
}

function quote(lines, at, depth) {
  if (!QUOTE.test(lines[at]) || depth >= DEEPEST) return null;
  const body = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const found = QUOTE.exec(lines[next]);
    if (!found && (!lines[next].trim() || ITEM.test(lines[next]) || FENCE.test(lines[next]))) break;
    body.push(found ? found[1] : lines[next]);
  }
  return { next, block: { type: "quote", blocks: blocks(body.join("\n"), depth + 1) } };
}

function table(lines, at) {
  if (!lines[at].includes("|") || !DASHES.test(lines[at + 1] ?? "") || !lines[at + 1].includes("-")) return null;
  const head = cells(lines[at]);
  const marks = cells(lines[at + 1]);
  if (head.length !== marks.length) return null;
  const align = marks.map((each) => (each.endsWith(":") ? (each.startsWith(":") ? "center" : "right") : ""));
  const rows = [];
  let next = at + 2;
  for (; next < lines.length && lines[next].includes("|") && lines[next].trim(); next += 1) {
    rows.push(cells(lines[next]).slice(0, head.length));
  }
  return { next, block: { type: "table", head, align, rows } };
}

function cells(line) {
  const words = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  const found = [""];
  let code = false;
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === "\\" && words[at + 1] === "|") found[found.length - 1] += words[(at += 1)];
    else if (words[at] === "|" && !code) found.push("");
    else {
      if (words[at] === "`") code = !code;
      found[found.length - 1] += words[at];
    }
  }
  return found.map((each) => each.trim());
}

function list(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  if (!first || depth >= DEEPEST) return null;
  const indent = first[1].length;
  const ordered = /\d/.test(first[2]);
  const items = [];
  let next = at;
  let loose = false;
  while (next < lines.length) {
    const found = ITEM.exec(lines[next]);
    if (!found || found[1].length < indent || found[1].length > indent + 3 || /\d/.test(found[2]) !== ordered) break;
    const width = found[1].length + found[2].length + 1;
    const body = [found[3] ?? ""];
    next += 1;
    while (next < lines.length) {
      const line = lines[next];
      const spaces = line.length - line.trimStart().length;
      if (!line.trim()) {
        const after = lines[next + 1];
        if (after === undefined || !after.trim() || after.length - after.trimStart().length < width) break;
        body.push("");
        loose = true;
      } else if (spaces >= Math.min(width, indent + 2)) body.push(line.slice(Math.min(spaces, width)));
      else if (ITEM.test(line) || HEADING.test(line) || FENCE.test(line) || QUOTE.test(line)) break;
      else body.push(line);
      next += 1;
    }
    items.push(item(body, depth));
    while (next + 1 < lines.length && !lines[next].trim() && ITEM.exec(lines[next + 1])?.[1].length === indent) next += 1;
  }
  if (!items.length) return null;
  return { next, block: { type: "list", ordered, start: ordered ? Number.parseInt(first[2], 10) : 1, items, loose } };
}

function item(body, depth) {
  const task = /^\[([ xX])\]\s+/.exec(body[0]);
  if (task) body[0] = body[0].slice(task[0].length);
  return { checked: task ? task[1] !== " " : null, blocks: blocks(body.join("\n"), depth + 1) };
}

function paragraph(lines, at) {
  const body = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next];
    if (!line.trim()) break;
    if (next > at && (HEADING.test(line) || FENCE.test(line) || RULE.test(line) || QUOTE.test(line) || begins(line))) break;
    body.push(line);
  }
  return { next, block: { type: "text", text: body.join("\n") } };
}

const begins = (line) => {
  const found = ITEM.exec(line);
  return Boolean(found && found[3] && (!/\d/.test(found[2]) || /^1[.)]$/.test(found[2])));
};

const STOP = /[\\`*_~[!<\nhm]/;

/** The pieces of a line: text as strings, else {type, pieces | text, href, host}. */
export function inline(text, depth = 0) {
  if (depth > DEEPEST || text.length > LONGEST_INLINE) return [text];
  const found = [];
  const missing = new Set();
  let words = "";
  let at = 0;
  const flush = () => { if (words) found.push(words); words = ""; };
  while (at < text.length) {
    if (!STOP.test(text[at])) {
      words += text[at];
      at += 1;
      continue;
    }
    const read = piece(text, at, depth, missing);
    if (!read) {
      words += text[at];
      at += 1;
    } else {
      if (typeof read.piece === "string") words += read.piece;
      else { flush(); found.push(read.piece); }
      at = read.next;
    }
  }
  flush();
  return found;
}

function piece(text, at, depth, missing) {
  switch (text[at]) {
    case "\\":
      return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "") ? { piece: text[at + 1], next: at + 2 } : null;
    case "`":
      return code(text, at, missing);
    case "*": case "_": case "~":
      return strong(text, at, depth, missing);
    case "[":
      return link(text, at, depth);
    case "!":
      return text[at + 1] === "[" ? image(text, at, depth) : null;
    case "<": {
      const end = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/i.exec(text.slice(at, at + 2100));
      return end ? linked(end[1], [end[1]], at + end[0].length) : null;
    }
    case "h": case "m":
      return address(text, at);
    default:
      return { piece: /(?: {2,}|\\)$/.test(text.slice(0, at)) ? { type: "break" } : "\n", next: at + 1 };
  }
}

function code(text, at, missing) {
  const mark = /^`+/.exec(text.slice(at, at + 40))[0];
  if (missing.has(mark)) return { piece: mark, next: at + mark.length };
  for (let end = text.indexOf(mark, at + mark.length); end >= 0; end = text.indexOf(mark, end + 1)) {
    if (text[end - 1] === "`" || text[end + mark.length] === "`") continue;
    const inside = text.slice(at + mark.length, end).replace(/\n/g, " ").replace(/^ (.*[^ ].*) $/, "$1");
    return { piece: { type: "code", text: inside }, next: end + mark.length };
  }
  missing.add(mark);
  return { piece: mark, next: at + mark.length };
}

const KINDS = { "**": "strong", "__": "strong", "*": "em", _: "em", "~~": "del" };

function strong(text, at, depth, missing) {
  const mark = text[at] === text[at + 1] ? text[at] + text[at] : text[at];
  const kind = KINDS[mark];
  const after = text[at + mark.length] ?? " ";
  const inWord = mark[0] === "_" && /\w/.test(text[at - 1] ?? " ");
  if (!kind || /\s/.test(after) || inWord || missing.has(mark)) return { piece: mark, next: at + mark.length };
  for (let end = text.indexOf(mark, at + mark.length); end >= 0; end = text.indexOf(mark, end + 1)) {
    const isLonger = mark.length === 1 && (text[end + 1] === mark || text[end - 1] === mark);
    const isWord = mark[0] === "_" && /\w/.test(text[end + mark.length] ?? " ");
    if (/\s/.test(text[end - 1]) || isLonger || isWord || end === at + mark.length) continue;
    return { piece: { type: kind, pieces: inline(text.slice(at + mark.length, end), depth + 1) }, next: end + mark.length };
  }
  missing.add(mark);
  return { piece: mark, next: at + mark.length };
}

const LINK = /^\[((?:[^\[\]\\\n]|\\.|\[[^\]\n]*\]){0,500})\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+"[^"\n]*")?\s*\)/;

function link(text, at, depth) {
  const found = LINK.exec(text.slice(at, at + 3000));
  return found ? linked(found[2], inline(found[1], depth + 1), at + found[0].length, found[1]) : null;
}

/** A picture from outside is not loaded: it is told, and may be followed like a link. */
function image(text, at) {
  const found = LINK.exec(text.slice(at + 1, at + 3001));
  return found ? linked(found[2], [`picture: ${found[1] || "without words"}`], at + 1 + found[0].length) : null;
}

function linked(href, pieces, next, words = "") {
  const to = target(href);
  if (!to) return { piece: { type: "span", pieces: [...pieces, href && href !== words ? ` (${href})` : ""] }, next };
  return { piece: { type: "link", pieces, ...to, plain: words === href || pieces[0] === href }, next };
}

function address(text, at) {
  if (/\w/.test(text[at - 1] ?? " ")) return null;
  const found = /^(?:https?:\/\/|mailto:)[^\s<>"'`|\\]+/i.exec(text.slice(at, at + 2100));
  if (!found) return null;
  let href = found[0].replace(/[.,;:!?*_~]+$/, "");
  while (href.endsWith(")") && href.split(")").length > href.split("(").length) href = href.slice(0, -1);
  return linked(href, [href], at + href.length);
}
