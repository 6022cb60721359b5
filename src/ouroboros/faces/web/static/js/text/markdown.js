// Markdown as values, read by markdown-it: blocks and inline pieces. No HTML is read; what is not understood is text.
import MarkdownIt from "../../vendor/markdown-it.js";
import { plain, target } from "./safe.js";

const DEEPEST = 16;
const LONGEST_INLINE = 20_000;
const LONGEST_LINK = 2000;

/** A reader with these steps; links are judged where they are made, so that one that leads nowhere is still told. */
function reader(steps) {
  const made = new MarkdownIt({ html: false, linkify: true });
  made.validateLink = () => true;
  made.normalizeLink = made.normalizeLinkText = (words) => words;
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false }).add("ftp:", null).add("//", null);
  made.core.ruler.enableOnly(steps);
  // A definition would be text that nobody sees, and a line below a list's first sign no heading while it is written.
  made.block.ruler.disable(["reference", "lheading"]);
  made.block.ruler.before("table", "deep", deep);
  return made;
}

/** What lies deeper is one paragraph: markdown-it would leave it out. */
function deep(state, from, end) {
  if (state.level < DEEPEST) return false;
  const content = state.getLines(from, end, state.blkIndent, false).trim();
  state.push("paragraph_open", "p", 1).map = [from, end];
  Object.assign(state.push("inline", "", 0), { content, map: [from, end], children: [] });
  state.push("paragraph_close", "p", -1);
  state.line = end;
  return true;
}

const readers = {};
const blockReader = () => (readers.block ??= reader(["normalize", "block"]));
const inlineReader = () => (readers.inline ??= reader(["normalize", "block", "inline", "linkify", "text_join"]));

/** The blocks of a text: {type, …, src}; `src` is what a block was made of, so that equal ones are drawn once. */
export function blocks(text) {
  const lines = text.split(/\r\n?|\n/);
  const found = under(tree(blockReader().parse(text, {})));
  for (const block of found) block.src = lines.slice(...block.map).join("\n");
  return found;
}

/** The flat tokens of markdown-it as nodes that hold those between their beginning and their end. */
function tree(tokens) {
  const open = [{ under: [] }];
  for (const token of tokens) {
    const node = { token, under: [] };
    if (token.nesting < 0) open.pop();
    else open.at(-1).under.push(node);
    if (token.nesting > 0) open.push(node);
  }
  return open[0];
}

const under = (node) => node.under.map((each) => ({ ...made(each), map: each.token.map }));
const content = (node) => node.under[0]?.token.content ?? "";
const all = (node, type) => node.under.flatMap((each) => (each.token.type === type ? [each] : all(each, type)));

function made(node) {
  const { token } = node;
  switch (token.type) {
    case "heading_open":
      return { type: "heading", level: Number(token.tag[1]), text: content(node) };
    case "hr":
      return { type: "rule" };
    case "fence": case "code_block":
      return { type: "code", language: /\S*/.exec(token.info.trim())[0], text: token.content.replace(/\n$/, "") };
    case "blockquote_open":
      return { type: "quote", blocks: under(node) };
    case "table_open":
      return table(node);
    case "bullet_list_open": case "ordered_list_open":
      return list(node);
    default:
      return { type: "text", text: content(node), tight: token.hidden };
  }
}

function table(node) {
  const [head, ...rows] = all(node, "tr_open").map((row) => row.under);
  const align = head.map((cell) => /center|right/.exec(cell.token.attrGet("style") ?? "")?.[0] ?? "");
  return { type: "table", head: head.map(content), align, rows: rows.map((row) => row.map(content)) };
}

function list(node) {
  const items = node.under.map(item);
  const ordered = node.token.type[0] === "o";
  const loose = items.some((each) => each.blocks.some((block) => block.type === "text" && !block.tight));
  return { type: "list", ordered, start: ordered ? Number(node.token.attrGet("start") ?? 1) : 1, items, loose };
}

function item(node) {
  const found = under(node);
  const task = found[0]?.type === "text" ? /^\[([ xX])\]\s+/.exec(found[0].text) : null;
  if (task) found[0].text = found[0].text.slice(task[0].length);
  return { checked: task ? task[1] !== " " : null, blocks: found };
}

/** The pieces of a line: text as strings, else {type, pieces | text, href, host}. */
export function inline(text) {
  if (text.length > LONGEST_INLINE) return [text];
  const all = { pieces: [] };
  const open = [all];
  for (const token of inlineReader().parseInline(text, {})[0].children) {
    const top = open.at(-1);
    if (token.nesting > 0) {
      // What is too deep keeps its words and loses its look; a link has no other in it.
      const isShown = open.length < DEEPEST || token.type === "link_open";
      open.push({ token: isShown ? token : null, pieces: isShown ? [] : top.pieces });
    } else if (token.nesting < 0) {
      const { token: begun, pieces } = open.pop();
      if (begun) add(open.at(-1).pieces, begun.type === "link_open" ? linked(begun, pieces) : { type: begun.tag === "s" ? "del" : begun.tag, pieces });
    } else if (token.type === "image" && open.some((each) => each.token?.type === "link_open")) add(top.pieces, pictured(token));
    else add(top.pieces, leaf(token));
  }
  return all.pieces;
}

function add(pieces, piece) {
  if (typeof piece === "string" && typeof pieces.at(-1) === "string") pieces[pieces.length - 1] += piece;
  else if (piece) pieces.push(piece);
}

/** A picture from outside is not loaded: it is told, and may be followed like a link. */
const pictured = (token) => `picture: ${plain(token.content) || "without words"}`;

function leaf(token) {
  switch (token.type) {
    case "softbreak":
      return "\n";
    case "hardbreak":
      return { type: "break" };
    case "code_inline":
      return { type: "code", text: plain(token.content) };
    case "image":
      return linked(token, [pictured(token)], "src");
    default:
      // An entity is a letter only now, and may be one that nobody sees.
      return plain(token.content);
  }
}

function linked(token, pieces, name = "href") {
  const href = token.attrGet(name) ?? "";
  const to = href.length <= LONGEST_LINK ? target(href) : null;
  if (to) return { type: "link", pieces, ...to, plain: pieces[0] === href };
  if (token.markup === "autolink") return { type: "span", pieces: ["<", ...pieces, ">"] };
  const isTold = href && pieces[0] !== href;
  return { type: "span", pieces: [...pieces, isTold ? ` (${plain(href.length > LONGEST_LINK ? `${href.slice(0, 80)}…` : href)})` : ""] };
}
