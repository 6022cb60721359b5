// Getting a field ready for real keys, and setting the few that no key can fill.
const UNTYPED = new Set(["date", "time", "month", "week", "datetime-local", "color"]);
const NO_TEXT = new Set(["checkbox", "radio", "range", "file", "button", "submit", "reset", "image", "hidden"]);
const setterOf = (kind, name) => uncurry(Object.getOwnPropertyDescriptor(kind.prototype, name).set);
const setInput = setterOf(HTMLInputElement, "value");
const setTextArea = setterOf(HTMLTextAreaElement, "value");
const isTextField = (element) =>
  tagOf(element) === "textarea" || (tagOf(element) === "input" && !NO_TEXT.has(element.type) && !UNTYPED.has(element.type));
const isRich = (element) => isHtml(element) && isEditable(element);
const no = (element, why) => refuse("cannot", `nothing was done to ${describe(element)}: ${why}`);

// A wrapper such as a labelled box stands for the one field in it.
const fieldOf = (element) => {
  if (tagOf(element) === "label" && element.control) return element.control;
  if (CONTROL_TAGS.has(tagOf(element)) || isRich(element)) return element;
  const inner = all(shadow(element) ?? element, "input:not([type=hidden]),textarea,select,[contenteditable=true]");
  return inner.length === 1 ? inner[0] : element;
};
const selectAll = (element) => {
  if (isTextField(element)) return element.select();
  const range = ownerOf(element).createRange();
  range.selectNodeContents(element);
  const selection = viewOf(ownerOf(element)).getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};
const caretToEnd = (element) => {
  if (isTextField(element)) {
    try {
      element.setSelectionRange(element.value.length, element.value.length);
    } catch {
      return true; // number and email fields let no script set their caret
    }
    return false;
  }
  if (!isRich(element)) return false;
  selectAll(element);
  viewOf(ownerOf(element)).getSelection().collapseToEnd();
  return false;
};
const ready = async (target) => {
  const aimed = await aim({ target, need: "focus" });
  const element = fieldOf(heldElement(aimed.node));
  const why = whyUnable(element, "upload");
  if (why) no(element, why);
  return { ...aimed, node: hold(element), what: describe(element), element };
};
const sent = ({ element, ...rest }) => rest;
const takeFocus = (element) => {
  if (element.readOnly) no(element, "it is read-only");
  const inside = ownerOf(element);
  const view = viewOf(inside);
  if (!view.document.hasFocus()) view.focus();
  focusOn(element);
  const active = focused();
  if (active !== element && !isWithin(active, element)) no(element, "it cannot be given the focus");
};
const focus = async ({ target }) => {
  const aimed = await ready(target);
  scrollTo(aimed.element, { block: "nearest", inline: "nearest", behavior: "instant" });
  takeFocus(aimed.element);
  return sent(aimed);
};
const typing = async ({ target, clear }) => {
  const aimed = await ready(target);
  const { element } = aimed;
  if (tagOf(element) === "input" && NO_TEXT.has(element.type)) no(element, `no text can be typed into a ${element.type}`);
  if (tagOf(element) === "select") no(element, "it is a select; use select or fill");
  if (UNTYPED.has(element.type)) no(element, `use fill for a ${element.type} field`);
  if (!matches(element, ":focus-within") || clear)
    scrollTo(element, { block: "nearest", inline: "nearest", behavior: "instant" });
  takeFocus(element);
  if (clear) selectAll(element);
  const end = !clear && caretToEnd(element);
  return { ...sent(aimed), end, empty: isTextField(element) ? element.value === "" : tidy(seenText(element)) === "" };
};
const fire = (element, name) =>
  does(EventTarget, "dispatchEvent")(element, new (viewOf(ownerOf(element)).Event)(name, { bubbles: true, composed: name === "input" }));
const setDirectly = (element, value) => {
  setInput(element, value);
  if (element.value === "" && value !== "") no(element, `${cut(value, 60)} is not a ${element.type} (${FORMATS[element.type] ?? "?"})`);
  fire(element, "input");
  fire(element, "change");
};
const FORMATS = {
  date: "2026-01-31",
  time: "13:45",
  month: "2026-01",
  week: "2026-W05",
  "datetime-local": "2026-01-31T13:45",
  color: "#ff8800",
};
// One real key press takes the last step, so that the page hears trusted events.
const rangeKey = (element, value) => {
  const wanted = Number(value);
  if (!Number.isFinite(wanted)) no(element, `${cut(value, 60)} is not a number`);
  setInput(element, String(wanted));
  const snapped = Number(element.value);
  if (Math.abs(snapped - wanted) > (Number(element.step) || 1)) no(element, `it goes from ${element.min || 0} to ${element.max || 100}`);
  const step = element.step === "any" ? (Number(element.max || 100) - Number(element.min || 0)) / 100 : Number(element.step) || 1;
  for (const [before, key] of [[snapped - step, "ArrowRight"], [snapped + step, "ArrowLeft"]]) {
    setInput(element, String(before));
    if (Math.abs(Number(element.value) - before) < step / 1000) return { key, wanted: String(snapped) };
  }
  setInput(element, String(snapped));
  return { key: "", wanted: String(snapped) };
};
const truth = (element, value) => {
  if (typeof value === "boolean") return value;
  if (["true", "on", "1", "checked", "yes"].includes(String(value).toLowerCase())) return true;
  if (["false", "off", "0", "", "unchecked", "no"].includes(String(value).toLowerCase())) return false;
  return String(value) === element.value || no(element, "a box takes true or false");
};
const filling = async ({ target, value }) => {
  const aimed = await ready(target);
  const { element } = aimed;
  const answer = (how, more = {}) => ({ ...sent(aimed), how, ...more });
  if (tagOf(element) === "select") return { ...(await choosing({ target: { node: aimed.node }, values: [value].flat() })) };
  const type = tagOf(element) === "input" ? element.type : "";
  if (type === "checkbox" || type === "radio") {
    const wanted = truth(element, value);
    if (type === "radio" && !wanted && element.checked) no(element, "a radio button is unset by choosing another");
    return answer(element.checked === wanted ? "done" : "click");
  }
  if (type === "file") no(element, "use upload for a file field");
  if (NO_TEXT.has(type) && type !== "range") no(element, `a ${type} takes no value`);
  const words = value === null || value === undefined ? "" : String(value);
  scrollTo(element, { block: "nearest", inline: "nearest", behavior: "instant" });
  takeFocus(element);
  if (type === "range") return answer("key", rangeKey(element, words));
  if (UNTYPED.has(type)) {
    setDirectly(element, words);
    return answer("set", { wanted: element.value });
  }
  if (!isTextField(element) && !isRich(element)) no(element, "it is not a field that can be filled");
  if (isTextField(element) && element.value === words) return answer("done");
  selectAll(element);
  const empty = isTextField(element) ? element.value === "" : tidy(textOf(element) ?? "") === "";
  return answer(words === "" ? (empty ? "done" : "delete") : "insert", { wanted: words });
};
const optionFor = (element, wanted) => {
  const options = Array.from(element.options);
  const label = (option) => tidy(option.label || option.text);
  const text = String(wanted);
  const chosen =
    options.find((option) => option.value === text) ??
    options.find((option) => label(option) === tidy(text)) ??
    options.find((option) => label(option).toLowerCase() === tidy(text).toLowerCase()) ??
    (typeof wanted === "number" ? options[wanted] : undefined);
  const known = options.slice(0, 12).map((option) => JSON.stringify(cut(label(option), 30)));
  if (!chosen) no(element, `no option ${JSON.stringify(cut(text, 60))}; it has ${known.join(", ")}${options.length > 12 ? `, ${options.length} in all` : ""}`);
  if (chosen.disabled || (tagOf(parentOf(chosen)) === "optgroup" && parentOf(chosen).disabled)) no(element, `the option ${JSON.stringify(cut(label(chosen), 40))} is disabled`);
  return chosen;
};
const isFree = (option) => !option.disabled && !parentOf(option).disabled && !option.hidden;
const choosing = async ({ target, values }) => {
  const aimed = await ready(target);
  const { element } = aimed;
  if (tagOf(element) !== "select") no(element, "it is not a select; click it, then the option that appears");
  if (!element.multiple && values.length !== 1) no(element, "it takes one option");
  const chosen = values.map((value) => optionFor(element, value));
  scrollTo(element, { block: "nearest", inline: "nearest", behavior: "instant" });
  takeFocus(element);
  const wanted = chosen.map((option) => option.value);
  const isSet = Array.from(element.options).every((option) => option.selected === chosen.includes(option));
  if (isSet) return { ...sent(aimed), how: "done", wanted: wanted.join(", ") };
  if (element.multiple) {
    for (const option of element.options) option.selected = chosen.includes(option);
    fire(element, "input");
    fire(element, "change");
    return { ...sent(aimed), how: "set", wanted: wanted.join(", ") };
  }
  const free = Array.from(element.options).filter((option) => option === chosen[0] || isFree(option));
  const at = free.indexOf(chosen[0]);
  const neighbour = free[at - 1] ?? free[at + 1];
  const before = element.selectedIndex;
  if (neighbour) neighbour.selected = true;
  return { ...sent(aimed), how: "key", key: neighbour ? (free[at - 1] ? "ArrowDown" : "ArrowUp") : "", wanted: wanted[0], index: chosen[0].index, before };
};
// What came of it; where the key did not do it, it is set by hand and said so.
const filled = ({ node, wanted, index, how }) => {
  const element = heldElement(node);
  let trusted = how !== "set";
  if (how === "key" && (index === null ? element.value !== wanted : element.selectedIndex !== index)) {
    if (index === null) setInput(element, wanted);
    else element.selectedIndex = index;
    fire(element, "input");
    fire(element, "change");
    trusted = false;
  }
  const state = stateAfter(element);
  const now = isRich(element) ? seenText(element) : String(element.value ?? "");
  const isOff = how === "insert" && tidy(now) !== tidy(wanted ?? "");
  return { ...state, trusted, note: isOff ? (now === "" ? "the field did not take it" : "the page changed what was entered") : "" };
};
const SCROLLS = /^(auto|scroll|overlay)$/;
const canScroll = (element) => {
  const style = viewOf(ownerOf(element)).getComputedStyle(element);
  return (
    (SCROLLS.test(style.overflowY) && element.scrollHeight > element.clientHeight + 1) ||
    (SCROLLS.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1)
  );
};
const paneOf = (element) => {
  for (let at = element; at; at = drawnParent(at)) if (at.nodeType === 1 && canScroll(at)) return at;
  return ownerOf(element).scrollingElement ?? topOf(ownerOf(element));
};
const isHidden = reads(Document, "hidden");
const mainPane = () => {
  const page = document.scrollingElement ?? topOf(document);
  if (page.scrollHeight > window.innerHeight + 1 || page.scrollWidth > window.innerWidth + 1) return page;
  let [best, most] = [page, 0];
  for (const element of Array.from(all(document, "*")).slice(0, 20_000)) {
    const area = element.clientWidth * element.clientHeight;
    if (area > most && canScroll(element) && isVisible(element)) [best, most] = [element, area];
  }
  return best;
};
const HEARD_MS = 3000;
const scrolled = async (pane) => {
  const view = viewOf(ownerOf(pane));
  let heard = null;
  const event = new Promise((done) => listen(view, "scroll", (heard = () => done()), true));
  await Promise.race([event, pause(HEARD_MS)]);
  unlisten(view, "scroll", heard, true);
  await nextFrame();
};
const scrolling = async ({ target, direction, amount }) => {
  const element = target ? one(target).element : null;
  if (direction === "into") {
    scrollTo(element, { block: "center", inline: "nearest", behavior: "instant" });
  }
  const pane = element ? paneOf(element) : mainPane();
  const before = [pane.scrollLeft, pane.scrollTop];
  const by = { up: [0, -amount], down: [0, amount], left: [-amount, 0], right: [amount, 0], top: [0, -1e9], bottom: [0, 1e9] }[direction];
  if (by) pane.scrollBy({ left: by[0], top: by[1], behavior: "instant" });
  // A list that grows as it is scrolled has to hear of it first.
  const hasMoved = before[0] !== pane.scrollLeft || before[1] !== pane.scrollTop;
  await (hasMoved && !isHidden(ownerOf(pane)) ? scrolled(pane) : nextFrame());
  const after = [pane.scrollLeft, pane.scrollTop];
  return {
    x: Math.round(after[0]),
    y: Math.round(after[1]),
    moved: before[0] !== after[0] || before[1] !== after[1],
    atEnd: pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 1,
    height: pane.scrollHeight,
    visible: element ? isVisible(element) && !!placeOf(element).point : undefined,
  };
};
const scrollingPage = ({ direction, amount }) => scrolling({ direction, amount });
const place = ({ target, position }) => {
  const { element, count } = one(target);
  const spot = placeOf(element, position);
  return { node: hold(element), count, what: describe(element), point: spot.point ?? null, facts: factsOf(element) };
};
Object.assign(acting, { place, scrollingPage, focus, typing, filling, choosing, filled, scrolling });
