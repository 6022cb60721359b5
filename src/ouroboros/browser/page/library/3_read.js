// Reading: the shapes that code sees.
const MASK = "********";
const CONTROL_TAGS = new Set(["input", "textarea", "select", "button", "option", "output"]);
const valueOf = (element) => {
  const tag = tagOf(element);
  if (!CONTROL_TAGS.has(tag)) return null;
  if (tag === "input" && element.type === "password") return element.value ? MASK : "";
  return String(element.value ?? "");
};
const link = (element, name) => {
  if (tagOf(element) === "form") return null;
  const value = element[name];
  if (typeof value === "string") return value || null;
  const written = value?.baseVal;
  if (typeof written !== "string") return null;
  try {
    return new URL(written, ownerOf(element).baseURI).href;
  } catch {
    return written;
  }
};
const kindOf = (element) =>
  tagOf(element) === "form" || typeof element.type !== "string" ? null : element.type || null;
const classOf = (element) => attribute(element, "class") ?? "";

const asOne = (element) => ({
  tagName: upperTagOf(element),
  id: attribute(element, "id") ?? "",
  className: classOf(element),
  innerText: cut(seenText(element), 200),
  href: link(element, "href"),
  src: link(element, "src"),
  value: valueOf(element),
  type: kindOf(element),
});
const asItem = (element) => ({
  tagName: upperTagOf(element),
  id: attribute(element, "id") ?? "",
  className: cut(classOf(element), 100),
  innerText: cut(seenText(element), 200),
  href: link(element, "href"),
  src: link(element, "src"),
});
const asLink = (element) => ({
  text: cut(tidy(seenText(element)), 100),
  href: link(element, "href") ?? "",
});
const asInput = (element) => ({
  id: attribute(element, "id") ?? "",
  name: attribute(element, "name") ?? "",
  type: element.type ?? "",
  value: valueOf(element) ?? "",
  placeholder: attribute(element, "placeholder") ?? "",
});

const MOST_ITEMS = 100_000;
const listed = (elements, shape) => {
  if (elements.length > MOST_ITEMS)
    refuse("cannot", `${elements.length} elements match, more than ${MOST_ITEMS} are not listed; narrow the selector`);
  return elements.map(shape);
};
const under = (target, css) => {
  const starts = target.selector === "" ? [ownerOf(found(target)[0])] : found(target);
  return starts.flatMap((start) => rootsUnder(start).flatMap((r) => Array.from(all(r, css))));
};
const text = ({ target }) => {
  const element = found(target)[0];
  return element ? bulk(seenText(element)) : null;
};
const dom = ({ target }) => {
  const element = target.selector === "" ? topOf(ownerOf(found(target)[0])) : found(target)[0];
  return element ? bulk(outerOf(element)) : null;
};

// A text too long for one message is fetched in pieces.
const PIECE = 8_000_000;
const pieces = new Map();
let lastPiece = 0;
const bulk = (whole) => {
  if (whole.length <= PIECE) return whole;
  pieces.set(++lastPiece, whole);
  if (pieces.size > 2) pieces.delete(pieces.keys().next().value);
  return { __bulk: lastPiece, characters: whole.length };
};
const piece = ({ number, from }) => {
  const whole = pieces.get(number) ?? refuse("changed", "the text was let go; read it again");
  let to = Math.min(whole.length, from + PIECE);
  const last = whole.charCodeAt(to - 1);
  if (to < whole.length && last >= 0xd800 && last < 0xdc00) to--;
  if (to >= whole.length) pieces.delete(number);
  return { to, text: whole.slice(from, to) };
};

const reading = {
  text,
  dom,
  piece,
  links: ({ target }) => listed(under(target, "a[href],area[href]"), asLink),
  inputs: ({ target }) => listed(under(target, "input,textarea,select"), asInput),
  one: ({ target }) => {
    const element = found(target)[0];
    return element ? asOne(element) : null;
  },
  every: ({ target }) => listed(found(target), asItem),
  handle: ({ target }) => ({ node: hold(one(target).element) }),
};
