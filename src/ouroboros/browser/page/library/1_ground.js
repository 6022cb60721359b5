// Everything of the DOM is taken here by its own function: a page can shadow properties of its
// document and its forms with named elements, in our world too.
const uncurry = (f) => Function.prototype.call.bind(f);
const reads = (kind, name) => uncurry(Object.getOwnPropertyDescriptor(kind.prototype, name).get);
const does = (kind, name) => uncurry(kind.prototype[name]);

const parentOf = reads(Node, "parentNode");
const textOf = reads(Node, "textContent");
const isConnected = reads(Node, "isConnected");
const ownerOf = reads(Node, "ownerDocument");
const rootOf = does(Node, "getRootNode");
const tagOf = reads(Element, "localName");
const upperTagOf = reads(Element, "tagName");
const shadowOf = reads(Element, "shadowRoot");
const slotOf = reads(Element, "assignedSlot");
const outerOf = reads(Element, "outerHTML");
const attribute = does(Element, "getAttribute");
const hasAttribute = does(Element, "hasAttribute");
const matches = does(Element, "matches");
const closest = does(Element, "closest");
const rectsOf = does(Element, "getClientRects");
const rectOf = does(Element, "getBoundingClientRect");
const scrollTo = does(Element, "scrollIntoView");
const isShown = does(Element, "checkVisibility");
const innerOf = reads(HTMLElement, "innerText");
const isEditable = reads(HTMLElement, "isContentEditable");
const focusOn = does(HTMLElement, "focus");
const bodyOf = reads(Document, "body");
const topOf = reads(Document, "documentElement");
const viewOf = reads(Document, "defaultView");
const activeOf = reads(Document, "activeElement");
const titleOf = reads(Document, "title");
const stateOf = reads(Document, "readyState");
const frameDocument = {
  iframe: reads(HTMLIFrameElement, "contentDocument"),
  frame: reads(HTMLFrameElement, "contentDocument"),
  object: reads(HTMLObjectElement, "contentDocument"),
};
const windowIn = reads(HTMLObjectElement, "contentWindow");
const allIn = {
  1: does(Element, "querySelectorAll"),
  9: does(Document, "querySelectorAll"),
  11: does(DocumentFragment, "querySelectorAll"),
};
const atPoint = { 9: does(Document, "elementFromPoint"), 11: does(ShadowRoot, "elementFromPoint") };
const walker = does(Document, "createTreeWalker");
const evaluateXPath = does(Document, "evaluate");

// Closed shadow roots that were handed in over the protocol, by host.
const closedRoots = new WeakMap();
const shadow = (element) => shadowOf(element) ?? closedRoots.get(element) ?? null;

class Refusal extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}
const refuse = (kind, message) => {
  throw new Refusal(kind, message);
};

// Elements by number, so that code can hold one without the page seeing a mark on it.
const held = new Map();
const numbers = new WeakMap();
let lastNumber = 0;
const hold = (element) => {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++lastNumber;
    numbers.set(element, number);
    held.set(number, new WeakRef(element));
  }
  return number;
};
const heldElement = (number) => {
  const element = held.get(number)?.deref();
  if (!element || !viewOf(ownerOf(element)))
    refuse("changed", "the element of this handle is gone, or its frame was left");
  return element;
};

const FRAMES = "iframe,frame,object";
const isFrame = (element) =>
  ["iframe", "frame"].includes(tagOf(element)) || (tagOf(element) === "object" && !!windowIn(element));
const documentIn = (element) => {
  const read = frameDocument[tagOf(element)];
  try {
    return read ? read(element) : null;
  } catch {
    return null;
  }
};
const all = (root, css) => allIn[root.nodeType](root, css);

// The root itself and every open shadow root and same-origin frame under it, in document order.
const MOST_ROOTS = 2000;
const rootsUnder = (root, found = []) => {
  found.push(root);
  for (const element of all(root, "*")) {
    if (found.length >= MOST_ROOTS) break;
    const inner = shadow(element) ?? (isFrame(element) ? documentIn(element) : null);
    if (inner) rootsUnder(inner, found);
  }
  return found;
};

const cut = (text, most) => (text.length > most ? text.slice(0, most) : text);
const tidy = (text) => text.replace(/\s+/g, " ").trim();
const isHtml = (element) => element.namespaceURI === "http://www.w3.org/1999/xhtml";
const seenText = (element) => (isHtml(element) ? innerOf(element) : textOf(element)) ?? "";

const describe = (element) => {
  const id = attribute(element, "id");
  const name = attribute(element, "name");
  const classes = (attribute(element, "class") ?? "").split(/\s+/).filter(Boolean).slice(0, 2);
  const words = cut(tidy(cut(textOf(element) ?? "", 400)), 40);
  const marks = (id ? `#${id}` : "") + (id ? "" : classes.map((c) => `.${c}`).join(""));
  const named = !id && name ? `[name="${name}"]` : "";
  return cut(`<${tagOf(element)}${marks}${named}>${words ? ` "${words}"` : ""}`, 120);
};

// Parent in what is drawn: slots, shadow hosts and same-origin frames are crossed.
const drawnParent = (node) => {
  const slot = node.nodeType === 1 ? slotOf(node) : null;
  const parent = slot ?? parentOf(node);
  return parent?.nodeType === 11 && parent.host ? parent.host : parent;
};
const isWithin = (node, ancestor) => {
  for (let at = node; at; at = drawnParent(at)) if (at === ancestor) return true;
  return false;
};
const hasArea = (element) => {
  for (const rect of rectsOf(element)) if (rect.width > 0 && rect.height > 0) return true;
  return false;
};
const whyUnseen = (element) => {
  if (!isConnected(element)) return "it is no longer in the page";
  if (!isShown(element)) return "it is not displayed (display: none or in hidden content)";
  if (!isShown(element, { visibilityProperty: true })) return "it is hidden (visibility: hidden)";
  if (!hasArea(element)) return "it has no size";
  return "";
};
const isVisible = (element) => whyUnseen(element) === "";
