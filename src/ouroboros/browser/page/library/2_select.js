// The selector dialect: CSS, text=, role=, label=, XPath; >>> goes into shadow roots and frames.
const quoted = (text) => {
  const whole = /^(["'])(.*)\1$/s.exec(text.trim());
  return whole ? { text: tidy(whole[2]), exact: true } : { text: tidy(text), exact: false };
};
const says = (words, wanted) => {
  const text = tidy(words);
  return wanted.exact
    ? text === wanted.text
    : text.toLowerCase().includes(wanted.text.toLowerCase());
};

const UNSPOKEN = new Set(["script", "style", "noscript", "template", "head"]);
const spoken = (element) => {
  if (!all(element, "script,style,noscript,template").length) return textOf(element) ?? "";
  const words = [];
  const texts = walker(ownerOf(element), element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (!UNSPOKEN.has(tagOf(parentOf(texts.currentNode)))) words.push(texts.currentNode.data);
  return words.join("");
};
const childrenOf = (node) => Array.from(all(node, ":scope > *"));
const topChildren = (root) => (root.nodeType === 1 ? childrenOf(root) : Array.from(root.children));
const byText = (root, wanted) => {
  const found = [];
  const look = (element) => {
    if (UNSPOKEN.has(tagOf(element))) return false;
    if (matches(element, "input[type=submit],input[type=button],input[type=reset]"))
      return says(element.value, wanted) && found.push(element) > 0;
    const own = says(textOf(element) ?? "", { text: wanted.text, exact: false });
    let inside = false;
    if (own || all(element, "input").length > 0)
      for (const child of childrenOf(element)) inside = look(child) || inside;
    if (!inside && own && says(spoken(element), wanted)) return found.push(element) > 0;
    return inside;
  };
  for (const child of topChildren(root)) look(child);
  return found;
};

const ROLES = {
  button: "button,input[type=button],input[type=submit],input[type=reset],input[type=image],summary",
  link: "a[href],area[href]",
  checkbox: "input[type=checkbox]",
  radio: "input[type=radio]",
  textbox: 'textarea,input:not([type]),input:is([type=text],[type=email],[type=tel],[type=url],[type=password]):not([list]),[contenteditable=""],[contenteditable=true]',
  searchbox: "input[type=search]",
  combobox: "select:not([multiple]):not([size]),input[list]",
  listbox: "select[multiple],select[size],datalist",
  option: "option",
  slider: "input[type=range]",
  spinbutton: "input[type=number]",
  heading: "h1,h2,h3,h4,h5,h6",
  img: "img[alt],svg[aria-label]",
  list: "ul,ol,menu",
  listitem: "li",
  table: "table",
  row: "tr",
  cell: "td",
  columnheader: "th",
  form: "form",
  navigation: "nav",
  main: "main",
  dialog: "dialog",
  article: "article",
  progressbar: "progress",
};
const labelText = (element) => {
  const words = [];
  const ids = (attribute(element, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  const root = rootOf(element);
  for (const id of ids) {
    const named = all(root, `#${CSS.escape(id)}`)[0];
    if (named) words.push(textOf(named) ?? "");
  }
  if (attribute(element, "aria-label")) words.push(attribute(element, "aria-label"));
  const isControl = ["input", "select", "textarea", "button"].includes(tagOf(element));
  if (isControl) for (const label of element.labels ?? []) words.push(textOf(label) ?? "");
  return tidy(words.join(" "));
};
const nameOf = (element) => {
  const tag = tagOf(element);
  const given = labelText(element);
  if (given) return given;
  if (tag === "input" && ["submit", "button", "reset"].includes(element.type)) return element.value;
  const alt = attribute(element, "alt");
  if (alt) return alt;
  const words = tag === "select" || tag === "textarea" ? "" : tidy(cut(seenText(element), 500));
  const other = attribute(element, "title") || attribute(element, "placeholder");
  if (words || other) return words || other;
  return all(element, "img[alt]")[0]?.alt ?? "";
};
const byRole = (root, words) => {
  const read = /^([\w-]+)\s*(?:\[\s*name\s*=\s*(.+?)\s*\])?$/s.exec(words.trim());
  if (!read) refuse("selector", `role=${words} is not of the form role=button[name="Save"]`);
  const role = read[1].toLowerCase();
  const implied = ROLES[role];
  const css = `[role="${role}"]` + (implied ? `,:is(${implied}):not([role])` : "");
  const found = Array.from(all(root, css));
  if (!read[2]) return found;
  const wanted = quoted(read[2]);
  return found.filter((element) => says(nameOf(element), wanted));
};
const CONTROLS =
  'input:not([type=hidden]),select,textarea,button,[contenteditable=""],[contenteditable=true],[role]';
const byLabel = (root, wanted) => {
  const controls = Array.from(all(root, CONTROLS));
  const found = controls.filter((element) => says(labelText(element), wanted));
  if (found.length) return found;
  return controls.filter((e) => says(attribute(e, "placeholder") ?? "", wanted));
};
const byXPath = (root, path) => {
  const at = root.nodeType === 9 ? root : (ownerOf(root) ?? document);
  let found;
  try {
    found = evaluateXPath(at, path, root, null, 7, null);
  } catch {
    refuse("selector", `${path} is not an XPath the browser understands`);
  }
  const nodes = [];
  for (let at = 0; at < found.snapshotLength; at++) nodes.push(found.snapshotItem(at));
  return nodes.filter((node) => node.nodeType === 1);
};
const byCss = (root, css) => {
  try {
    return Array.from(all(root, css));
  } catch {
    const words = /:(?:contains|has-text|text)\(\s*["']?(.+?)["']?\s*\)/.exec(css);
    const instead = words ? `; by its words: text=${cut(words[1], 60)}` : "";
    return refuse("selector", `${cut(css, 200)} is not a CSS selector the browser understands${instead}`);
  }
};
const matchIn = (root, step) => {
  if (step.startsWith("text=")) return byText(root, quoted(step.slice(5)));
  if (step.startsWith("label=")) return byLabel(root, quoted(step.slice(6)));
  if (step.startsWith("role=")) return byRole(root, step.slice(5));
  if (step.startsWith("xpath=")) return byXPath(root, step.slice(6));
  if (step.startsWith("//") || step.startsWith("(//")) return byXPath(root, step);
  return byCss(root, step);
};
// The top document first; only when it has no match, what is open below it.
const matchDeep = (root, step) => {
  const found = matchIn(root, step);
  if (found.length) return found;
  const deeper = [];
  for (const inner of rootsUnder(root).slice(1)) deeper.push(...matchIn(inner, step));
  return deeper;
};

// Cuts at >>> outside quotes and brackets.
const stepsOf = (selector) => {
  const steps = [];
  let [begun, depth, quote] = [0, 0, ""];
  for (let at = 0; at < selector.length; at++) {
    const letter = selector[at];
    if (letter === "\\") at++;
    else if (quote) quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "[" || letter === "(") depth++;
    else if (letter === "]" || letter === ")") depth--;
    else if (depth <= 0 && selector.startsWith(">>>", at)) {
      steps.push(selector.slice(begun, at).trim());
      begun = at + 3;
      at += 2;
    }
  }
  steps.push(selector.slice(begun).trim());
  if (steps.some((step) => !step)) refuse("selector", `${cut(selector, 200)}: a part is empty`);
  return steps;
};

class Enter {
  constructor(frame, rest) {
    Object.assign(this, { frame, rest });
  }
}
// Walks the steps; gives elements, or the frame of another origin where the walk must go on.
const walk = (root, steps) => {
  let found = matchDeep(root, steps[0]);
  for (let at = 1; at < steps.length; at++) {
    const next = [];
    for (const element of found) {
      const inner = shadow(element) ?? (isFrame(element) ? documentIn(element) : null);
      if (inner) next.push(...matchDeep(inner, steps[at]));
      else if (isFrame(element)) return new Enter(element, steps.slice(at).join(" >>> "));
      else next.push(...matchDeep(element, steps[at]));
    }
    found = next;
  }
  return Array.from(new Set(found));
};

const framesIn = (root) =>
  rootsUnder(root).flatMap((inner) => Array.from(all(inner, FRAMES)).filter(isFrame));
const frameBy = (wanted) => {
  const frames = framesIn(document);
  const urlOf = (frame) => {
    const inner = documentIn(frame);
    return inner ? viewOf(inner).location.href : frame.src || "";
  };
  const chosen =
    typeof wanted === "number"
      ? frames[wanted - 1]
      : (frames.find((f) => [attribute(f, "name"), attribute(f, "id")].includes(wanted)) ??
        frames.find((frame) => urlOf(frame).includes(wanted)));
  if (chosen) return chosen;
  const known = frames.slice(0, 8).map((frame, at) => `${at + 1}: ${describe(frame)}`);
  return refuse("missing", `no frame ${wanted}; there are ${known.join(", ") || "none"}`);
};

const near = (selector) => {
  const words = (selector.match(/[\w-]{3,}/g) ?? []).map((word) => word.toLowerCase());
  const like = [];
  for (const element of all(document, "[id],[name]")) {
    const id = attribute(element, "id") || attribute(element, "name");
    if (words.some((word) => id.toLowerCase().includes(word) || word.includes(id.toLowerCase())))
      like.push(attribute(element, "id") ? `#${id}` : `[name="${id}"]`);
    if (like.length === 5) break;
  }
  if (!like.length && /^[\p{L}\p{N}][\p{L}\p{N} '’&-]*$/u.test(selector) && !document.querySelector(selector.split(" ")[0]))
    return `; by its words: text=${cut(selector, 60)}`;
  return like.length ? `; similar: ${cut(like.join(", "), 160)}` : "";
};
const missing = (selector) => {
  const count = all(document, "*").length;
  return `no element matches ${cut(selector, 200)} among ${count}${near(selector)}`;
};

// A target is {selector, frame?}, or {node} for an element held before.
const search = (target) => {
  if (target.node !== undefined) return [heldElement(target.node)];
  let root = document;
  if (target.frame !== undefined && target.frame !== null) {
    const frame = frameBy(target.frame);
    root = documentIn(frame);
    if (!root) return new Enter(frame, target.selector);
  }
  return target.selector === "" ? [bodyOf(root) ?? topOf(root)] : walk(root, stepsOf(target.selector));
};
class Entering extends Error {
  constructor(enter) {
    super("another frame");
    this.enter = enter;
  }
}
const found = (target) => {
  const elements = search(target);
  if (elements instanceof Enter) throw new Entering(elements);
  return elements.filter(Boolean);
};
const SEARCHED_FOR_VISIBLE = 500;
const one = (target) => {
  const elements = found(target);
  if (!elements.length) refuse("missing", missing(target.selector ?? "the handle"));
  const seen = elements.length > 1 && elements.slice(0, SEARCHED_FOR_VISIBLE).find(isVisible);
  return { element: seen || elements[0], count: elements.length };
};
