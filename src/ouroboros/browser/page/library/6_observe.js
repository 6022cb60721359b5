// What kind of page this is, in a few hundred characters however large it is.
const PREVIEW = 240;
const counted = (css) => all(document, css).length;
const previewOf = (body) => {
  const words = [];
  let length = 0;
  const texts = walker(document, body, NodeFilter.SHOW_TEXT);
  for (let looked = 0; length < PREVIEW && looked < 2000 && texts.nextNode(); looked++) {
    const parent = parentOf(texts.currentNode);
    const said = tidy(cut(texts.currentNode.data, 2 * PREVIEW));
    if (!said || UNSPOKEN.has(tagOf(parent)) || !isShown(parent, { visibilityProperty: true })) continue;
    words.push(said);
    length += said.length + 1;
  }
  return cut(words.join(" "), PREVIEW);
};
const lengthOf = (body) => {
  const texts = walker(document, body, NodeFilter.SHOW_TEXT);
  let length = 0;
  while (texts.nextNode()) length += texts.currentNode.length;
  return length;
};
const observe = () => {
  const body = bodyOf(document);
  const top = document.scrollingElement ?? topOf(document);
  const active = focused();
  return {
    url: location.href,
    title: cut(titleOf(document), 200),
    ready: stateOf(document),
    elements: counted("*"),
    links: counted("a[href],area[href]"),
    buttons: counted("button,[role=button],input[type=submit],input[type=button],input[type=reset]"),
    inputs: counted("input:not([type=hidden]),textarea,select"),
    forms: counted("form"),
    frames: counted("iframe,frame"),
    images: counted("img"),
    dialogs: counted("dialog[open],[role=dialog],[aria-modal=true]"),
    characters: body ? lengthOf(body) : 0,
    width: window.innerWidth,
    height: window.innerHeight,
    scroll: Math.round(top.scrollTop),
    scrollHeight: top.scrollHeight,
    focus: active && active !== body ? describe(active) : "",
    preview: body ? previewOf(body) : "",
  };
};
const INTERACTIVE =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=""],[contenteditable=true],[role=button],[role=link],[role=checkbox],[role=radio],[role=tab],[role=menuitem],[role=option],[role=switch],[role=combobox],[role=textbox],[role=slider],[onclick],[tabindex]:not([tabindex="-1"])';
const roleOf = (element) => {
  const given = attribute(element, "role");
  if (given) return given;
  const found = Object.keys(ROLES).find((role) => matches(element, ROLES[role]));
  return found ?? tagOf(element);
};
const outline = ({ target, limit }) => {
  const items = [];
  let total = 0;
  for (const root of rootsUnder(ownerOf(found(target)[0])))
    for (const element of all(root, INTERACTIVE)) {
      if (items.length >= limit) {
        total++;
        continue;
      }
      if (!isVisible(element)) continue;
      total++;
      const item = { node: hold(element), role: roleOf(element), name: cut(nameOf(element), 80) };
      const value = valueOf(element);
      if (value !== null && tagOf(element) !== "button") item.value = cut(value, 80);
      if (matches(element, ":disabled") || ariaDisabled(element)) item.disabled = true;
      if (["checkbox", "radio"].includes(element.type)) item.checked = element.checked;
      items.push(item);
    }
  return { items, total };
};

// Waits for an element or words; the page's changes wake it, a clock covers what they do not show.
const POLL_MS = 100;
const holds = ({ target, state, text: words }) => {
  if (words !== undefined) {
    const elements = found(target);
    const roots = target.selector === "" ? rootsUnder(document) : elements;
    return roots.some((root) => {
      const element = root.nodeType === 9 ? bodyOf(root) : root;
      if (!element) return false;
      if (!tidy(textOf(element) ?? "").toLowerCase().includes(words.toLowerCase())) return false;
      if (element.nodeType !== 1) return true;
      return tidy(seenText(element)).toLowerCase().includes(words.toLowerCase());
    });
  }
  const elements = found(target);
  if (state === "attached") return elements.length > 0;
  const isSeen = elements.slice(0, SEARCHED_FOR_VISIBLE).some(isVisible);
  return state === "hidden" ? !isSeen : isSeen;
};
const waiting = (wanted) =>
  new Promise((done, fail) => {
    let timer = 0;
    let queued = false;
    const end = (settle, value) => {
      clearInterval(timer);
      clearTimeout(late);
      observer.disconnect();
      settle(value);
    };
    const look = () => {
      queued = false;
      try {
        if (holds(wanted)) end(done, { holds: true, url: location.href });
      } catch (error) {
        end(fail, error);
      }
    };
    const soon = () => {
      if (queued) return;
      queued = true;
      setTimeout(look, 10);
    };
    const observer = new MutationObserver(soon);
    const late = setTimeout(() => end(done, { holds: false, url: location.href }), wanted.ms);
    timer = setInterval(look, POLL_MS);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    look();
  });
