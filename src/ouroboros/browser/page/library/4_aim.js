// Where a press would land, whether it would reach its element, and what it would mean.
const listen = does(EventTarget, "addEventListener");
const unlisten = does(EventTarget, "removeEventListener");
const animationsOf = does(Document, "getAnimations");
const PATIENCE_MS = 500;
const STILL_MS = 1000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
// Until the page is drawn once more; what is hidden never is.
const FRAME_MS = 250;
const nextDrawn = () =>
  isHidden(document) ? pause(0) : Promise.race([new Promise((done) => requestAnimationFrame(() => done())), pause(FRAME_MS)]);
const nextFrame = () =>
  Promise.race([new Promise((done) => requestAnimationFrame(() => done())), pause(50)]);

const hitAt = (inside, x, y) => {
  let hit = atPoint[9](inside, x, y);
  for (;;) {
    const inner = hit && shadow(hit);
    const deeper = inner ? atPoint[11](inner, x, y) : null;
    if (!deeper || deeper === hit) return hit;
    hit = deeper;
  }
};
const labelled = (node) => {
  for (let at = node; at; at = drawnParent(at))
    if (at.nodeType === 1 && tagOf(at) === "label") return at.control;
  return null;
};
// An event names the host of a root that is closed to it, so a host stands for what is inside.
const accepts = (element, hit) =>
  !!hit && (isWithin(hit, element) || labelled(hit) === element || isHostOf(hit, element));
// Nobody knows from outside what a press into a frame would meet.
const meets = (element, hit, need) => accepts(element, hit) && !(need === "press" && isFrame(hit));
const isHostOf = (hit, element) => {
  for (let root = rootOf(element); root.nodeType === 11; root = rootOf(root.host))
    if (root.host === hit) return !shadowOf(hit);
  return false;
};

// Whether more than shifting and scaling lies between an element and the screen.
const isWarped = (element) => {
  for (let at = element; at; at = drawnParent(at)) {
    if (at.nodeType !== 1) continue;
    const style = viewOf(ownerOf(at)).getComputedStyle(at);
    if (style.rotate !== "none" || style.perspective !== "none") return true;
    if (style.transform === "none") continue;
    const matrix = new DOMMatrix(style.transform);
    if (!matrix.is2D || matrix.b || matrix.c || matrix.a <= 0 || matrix.d <= 0) return true;
  }
  return false;
};
// A point of a frame's document in the document around it.
const mapped = (frame, x, y) => {
  const [rect, style] = [rectOf(frame), viewOf(ownerOf(frame)).getComputedStyle(frame)];
  const across = rect.width / (frame.offsetWidth || rect.width || 1);
  const down = rect.height / (frame.offsetHeight || rect.height || 1);
  return [
    rect.left + (frame.clientLeft + parseFloat(style.paddingLeft) + x) * across,
    rect.top + (frame.clientTop + parseFloat(style.paddingTop) + y) * down,
  ];
};
// The mouse counts from what a pinched page shows of itself.
const onScreen = (view, x, y) => {
  const seen = view.visualViewport;
  if (!seen || seen.scale === 1) return { x, y, top: true };
  const [left, top] = [x - seen.offsetLeft, y - seen.offsetTop];
  const isIn = left >= 0 && top >= 0 && left < seen.width && top < seen.height;
  return isIn ? { x: left, y: top, top: true } : { cover: null };
};
// From the element's own frame out to the outermost one of the same origin, which is `up` frames away.
const outwards = (inside, x, y) => {
  let view = viewOf(inside);
  let warped = false;
  for (let up = 0; ; up++) {
    let frame = null;
    try {
      frame = view.frameElement;
    } catch {
      frame = null;
    }
    if (!frame) {
      if (warped || view !== view.top) return { x, y, warped, top: view === view.top, up };
      return onScreen(view, x, y);
    }
    warped = warped || isWarped(frame);
    if (!warped) {
      [x, y] = mapped(frame, x, y);
      const hit = hitAt(ownerOf(frame), x, y);
      if (hit !== frame) return { x, y, cover: hit };
    }
    view = viewOf(ownerOf(frame));
  }
};
const SPOTS = [
  ...[[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]],
  ...[[0.04, 0.04], [0.96, 0.04], [0.04, 0.96], [0.96, 0.96]],
];
const placeOf = (element, position, need = "") => {
  const inside = ownerOf(element);
  const view = viewOf(inside);
  let cover = null;
  let isOutside = true;
  for (const rect of Array.from(rectsOf(element)).slice(0, 8)) {
    const [left, top] = [Math.max(rect.left, 0), Math.max(rect.top, 0)];
    const [right, bottom] = [Math.min(rect.right, view.innerWidth), Math.min(rect.bottom, view.innerHeight)];
    if (!position && (right - left < 0.5 || bottom - top < 0.5)) continue;
    const spots = position ? [[0, 0]] : SPOTS;
    for (const [across, down] of spots) {
      const x = position ? rect.left + position[0] : left + (right - left) * across;
      const y = position ? rect.top + position[1] : top + (bottom - top) * down;
      if (x < 0 || y < 0 || x > view.innerWidth || y > view.innerHeight) continue;
      isOutside = false;
      const hit = hitAt(inside, x, y);
      if (!meets(element, hit, need)) {
        cover = cover ?? hit;
        continue;
      }
      const outer = outwards(inside, x, y);
      if (outer.cover === undefined) return { point: outer, hit, at: [x, y] };
      cover = cover ?? outer.cover;
      isOutside = isOutside || !outer.cover;
    }
  }
  return { cover, isOutside };
};

const ariaDisabled = (element) => {
  for (let at = element; at; at = drawnParent(at))
    if (at.nodeType === 1 && attribute(at, "aria-disabled") === "true") return true;
  return false;
};
const whyUnable = (element, need) => {
  const unseen = need === "upload" ? "" : whyUnseen(element);
  if (unseen) return unseen;
  if (matches(element, ":disabled")) return "it is disabled";
  if (ariaDisabled(element)) return "it is disabled (aria-disabled)";
  if (closest(element, "[inert]")) return "it is inert";
  return "";
};
const coverWords = (element, place) => {
  if (viewOf(ownerOf(element)).getComputedStyle(element).pointerEvents === "none")
    return "it takes no clicks (pointer-events: none)";
  if (place.isOutside || !place.cover) return "it is outside of what can be scrolled into view";
  if (isFrame(place.cover) && isWithin(place.cover, element))
    return `a press would land in what ${describe(place.cover)} shows; name that by >>> after the frame`;
  if (isWithin(element, place.cover)) return `a part of ${describe(place.cover)} clips or covers it`;
  return `${describe(place.cover)} covers it`;
};
const sameRect = (a, b) =>
  a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;
const becomesStill = async (element) => {
  const until = performance.now() + STILL_MS;
  for (let last = rectOf(element); performance.now() < until; ) {
    await nextFrame();
    const now = rectOf(element);
    if (sameRect(last, now)) return;
    last = now;
  }
};
const isAnimated = (element) =>
  animationsOf(ownerOf(element)).some((a) => a.playState === "running" && a.effect?.target && isWithin(element, a.effect.target));
const BLOCKS = ["center", "nearest", "start", "end"];
const comeIntoReach = (element, position, need) => {
  let place = placeOf(element, position, need);
  for (const block of BLOCKS) {
    if (place.point) break;
    scrollTo(element, { block, inline: block, behavior: "instant" });
    place = { ...placeOf(element, position, need), scrolled: true };
  }
  return place;
};
// The frame of the same origin in which an element lies, when that is not the one of our world.
const holderOf = (element) => {
  const view = viewOf(ownerOf(element));
  return view === window ? 0 : hold(view.frameElement);
};
const aim = async ({ target, need = "press", position, again = false, isStill = false }) => {
  const { element, count } = one(target);
  if (!isStill && (again || isAnimated(element))) await becomesStill(element);
  const until = performance.now() + PATIENCE_MS;
  let [why, place] = ["", {}];
  do {
    why = whyUnable(element, need);
    if (!why && need !== "press" && need !== "over") break;
    place = why ? {} : comeIntoReach(element, position, need);
    why = why || (place.point ? "" : coverWords(element, place));
    if (!why) break;
    if (!isConnected(element)) break;
    await pause(40);
  } while (performance.now() < until);
  if (why) refuse("cannot", `nothing was done to ${describe(element)}: ${why}`);
  // What is pressed may lie within the element: a card, a page, the host of a root.
  const spot = place.hit ?? element;
  return {
    node: hold(element),
    count,
    what: describe(element),
    point: place.point ?? null,
    at: place.at ?? [0, 0],
    holder: holderOf(element),
    scrolled: !!place.scrolled,
    facts: factsOf(spot),
    spot: hold(spot),
    hollow: hollow(spot),
  };
};

// Sees that a press reaches its element: one that would reach another is kept from the page.
const meaningOf = (facts) =>
  JSON.stringify([facts.is_submit, facts.is_search, facts.is_payment, facts.is_upload, facts.is_download, facts.method, facts.action, facts.href]);
// What lies under an event, within closed roots that we know too.
const hitOf = (event) => {
  const first = event.composedPath()[0];
  if (first?.nodeType !== 1) return null;
  const inner = shadow(first) ? hitAt(ownerOf(first), event.clientX, event.clientY) : null;
  return inner && isWithin(inner, first) ? inner : first;
};
let guarding = null;
const guard = (element, spot, meaning, isDrag) => {
  const state = { hits: 0, misses: 0, clicks: 0, cover: "", slipped: "", isAllowed: false };
  const actor = actorAt(spot);
  const isMeant = (hit) => !!hit && meets(element, hit, "press") && (actorAt(hit) === actor || isHostOf(hit, spot));
  const isOthers = (hit) => {
    const other = hit && actorAt(hit);
    return !!other && other !== actor && !isWithin(hit, element);
  };
  const pressed = (hit) => {
    state.isAllowed = isMeant(hit) && meaningOf(factsOf(isHostOf(hit, spot) ? spot : hit)) === meaning;
    if (state.isAllowed) state.hits++;
    else {
      state.misses++;
      state.cover = hit ? describe(hit) : "the page";
    }
    return state.isAllowed;
  };
  // What shrinks or goes when it is pressed has no click; the page has heard the press all the same.
  const passes = (event) => {
    const hit = hitOf(event);
    if (event.type === "pointerdown") return pressed(hit);
    if (!state.isAllowed) return false;
    if (isDrag) return true;
    if (isMeant(hit)) {
      if (event.type === "click") {
        state.clicks++;
        state.slipped = "";
      }
      return true;
    }
    const lies = event.type === "pointerup" ? hitAt(ownerOf(element), event.clientX, event.clientY) : null;
    if (event.type === "pointerup" && !isMeant(lies)) state.slipped = hit ? describe(hit) : "the page";
    return !isOthers(hit);
  };
  state.isMeant = isMeant;
  guarding = state;
  GUARD.arm(KEY, "press", { passes, view: viewOf(ownerOf(element)) });
};
// Right before the press: whether what was aimed at is still where it was, and what it was.
const arm = ({ node, spot, at: [x, y], meaning, drag = false }) => {
  const [element, aimed] = [held.get(node)?.deref(), held.get(spot)?.deref()];
  if (!element || !aimed || !isConnected(element) || !viewOf(ownerOf(element)))
    return { moved: true, cover: "what took its place" };
  const hit = hitAt(ownerOf(element), x, y);
  guard(element, aimed, meaning, drag);
  if (guarding.isMeant(hit)) return { moved: false };
  GUARD.disarm(KEY, viewOf(ownerOf(element)));
  return { moved: true, cover: hit ? describe(hit) : "the page" };
};
// Sees that keys reach the element that had the focus, or fields that the page goes on to as they are typed.
const isKeyed = (element, hit, isExact) => hit === element || isHostOf(hit, element) || (!isExact && isWithin(hit, element));
const armKeys = ({ node, exact = false }) => {
  const element = heldElement(node);
  const view = viewOf(ownerOf(element));
  const state = { hits: 0, misses: 0, cover: "", slipped: "", isTabbed: false, wasLast: false };
  const follows = (event, hit) => {
    if (exact || !state.hits || event.type === "keyup") return false;
    const isField = isTextField(hit) || isRich(hit);
    if (event.key === "Enter") return isField && !!hit.form && hit.form === element.form;
    return isField || (state.isTabbed && event.key !== " ");
  };
  const passes = (event) => {
    const first = event.composedPath()[0];
    const hit = first?.nodeType === 1 ? (shadow(first) ? (focused() ?? first) : first) : null;
    if (event.type === "keyup") return state.wasLast;
    const isMeant = !!hit && isKeyed(element, hit, exact);
    state.wasLast = !!hit && (isMeant || follows(event, hit));
    if (!state.wasLast) {
      state.misses++;
      state.cover = state.cover || (hit ? describe(hit) : "the page");
    } else if (event.type !== "keypress") {
      state.hits++;
      if (!isMeant) state.slipped = describe(hit);
      if (event.key === "Tab") state.isTabbed = true;
    }
    return state.wasLast;
  };
  guarding = state;
  GUARD.arm(KEY, "keys", { passes, view });
  return true;
};
// Sees that what is dragged by the browser's own drag and drop is dropped where it should be.
const armDrop = ({ node }) => {
  const element = heldElement(node);
  // A page may move things as they are dragged over it, so what counts is what was there first.
  let isThere = null;
  const passes = (event) => {
    if (event.type.startsWith("drag")) isThere = isThere ?? accepts(element, hitOf(event));
    return isThere === true;
  };
  GUARD.arm(KEY, "drop", { passes, view: viewOf(ownerOf(element)) });
  return true;
};
const dropped = ({ node }) => GUARD.disarm(KEY, viewOf(ownerOf(heldElement(node))));
// Which element the mouse is over when it stands.
let hovering = null;
const track = ({ node, at: [x, y] }) => {
  hovering?.stop();
  const element = heldElement(node);
  const view = viewOf(ownerOf(element));
  const under = hitAt(ownerOf(element), x, y);
  const state = { hit: under && isFrame(under) && accepts(element, under) ? true : null, cover: "", rect: rectOf(element), x, y };
  const hear = (event) => {
    if (!event.isTrusted) return;
    const hit = hitOf(event);
    state.hit = accepts(element, hit);
    state.cover = hit ? describe(hit) : "the page";
  };
  state.stop = () => unlisten(view, "pointermove", hear, true);
  listen(view, "pointermove", hear, true);
  hovering = state;
  return true;
};
const hovered = ({ node }) => {
  const state = hovering;
  hovering = null;
  state?.stop();
  const element = held.get(node)?.deref();
  // What the page shows over it for the mouse is its business; that it went away is ours.
  if (state?.hit && element && isConnected(element) && !sameRect(state.rect, rectOf(element))) {
    const hit = hitAt(ownerOf(element), state.x, state.y);
    state.hit = accepts(element, hit);
    state.cover = hit ? describe(hit) : "the page";
  }
  return { hit: state?.hit ?? null, cover: state?.cover ?? "", ...stateAfter(held.get(node)?.deref() ?? null) };
};
// Where a target is by now, in its own frame.
const standing = ({ node }) => {
  const rect = rectOf(heldElement(node));
  return [rect.left, rect.top];
};
// Whether the mouse comes here: to a frame of another process it does once that was drawn.
const MOVES = ["pointermove", "mousemove"];
let feeling = { stop: () => {}, heard: Promise.resolve(false) };
const feel = ({ node }) => {
  feeling.stop();
  const view = viewOf(ownerOf(heldElement(node)));
  const state = { stop: () => {} };
  state.heard = new Promise((done) => {
    const hear = (event) => event.isTrusted && state.stop(done(true));
    state.stop = () => MOVES.forEach((name) => unlisten(view, name, hear, true));
    for (const name of MOVES) listen(view, name, hear, true);
  });
  feeling = state;
};
const felt = ({ ms }) => Promise.race([feeling.heard, pause(ms).then(() => false)]);
// A browser drops presses and keys on a page that it has not drawn, for half a second after the page began.
const UNDRAWN_MS = 800;
const painted = async () => {
  const isDrawn = () =>
    performance.getEntriesByType("paint").length || performance.now() > (performance.getEntriesByType("navigation")[0]?.responseStart ?? 0) + UNDRAWN_MS;
  if (isDrawn()) return false;
  while (!isDrawn()) await pause(20);
  await nextFrame();
  return true;
};
// Aims at what stands still while two frames are drawn, or at what goes on moving.
const ROUNDS = 3;
const engage = async (wanted) => {
  let aimed = await aim(wanted);
  const { count, what } = aimed;
  const element = heldElement(aimed.node);
  for (let round = 0, isMoved = true; isMoved && round < ROUNDS; round++) {
    const before = rectOf(element);
    await nextDrawn();
    await nextDrawn();
    const { scrolled } = aimed;
    aimed = await aim({ ...wanted, target: { node: aimed.node }, isStill: true });
    aimed.scrolled = aimed.scrolled || scrolled;
    isMoved = !sameRect(before, rectOf(element));
  }
  return { ...aimed, count, what, meaning: meaningOf(aimed.facts) };
};
const focused = () => {
  let active = activeOf(document);
  for (;;) {
    const inner = active && (shadow(active) ?? documentIn(active));
    const deeper = inner && (inner.nodeType === 9 ? activeOf(inner) : inner.activeElement);
    if (!deeper || deeper === active) return active;
    active = deeper;
  }
};
const stateAfter = (element) => {
  const active = focused();
  const state = { url: location.href, focus: active && active !== bodyOf(document) ? describe(active) : "" };
  if (!element || !isConnected(element)) return { ...state, gone: !!element };
  const actor = actorOf(element);
  const value = isHtml(actor) && isEditable(actor) ? cut(innerOf(actor), 200) : valueOf(actor);
  if (value !== null && !["button", "option"].includes(tagOf(actor))) state.value = cut(value, 200);
  if (["checkbox", "radio"].includes(actor.type)) state.checked = actor.checked;
  return state;
};
const released = ({ node, click }) => {
  const state = guarding;
  guarding = null;
  const element = held.get(node)?.deref() ?? null;
  const view = element && viewOf(ownerOf(element));
  const judged = { hit: !state || !(state.hits + state.misses) ? null : state.hits > 0, times: state?.hits ?? 0, clicks: state?.clicks ?? 0, missed: state?.misses ?? 0, old: GUARD.isOld };
  if (!view) return { ...judged, left: true, ...stateAfter(null) };
  GUARD.disarm(KEY, view);
  const slipped = click ? (state?.slipped ?? "") : "";
  return { ...judged, cover: state?.cover ?? "", slipped, ...stateAfter(element) };
};
// The owner of a frame of another origin: maps a point of the frame outwards, if it is not covered.
const drawn = async () => {
  for (let frames = 0; frames < 3; frames++) await nextFrame();
};
const fromFrame = async (frame, x, y, scrolled) => {
  // The browser finds a frame of another process by what was drawn last.
  if (scrolled) await drawn();
  const view = viewOf(ownerOf(frame));
  const reach = () => {
    const [left, top] = mapped(frame, x, y);
    const hit = hitAt(ownerOf(frame), left, top);
    return hit === frame ? outwards(ownerOf(frame), left, top) : { cover: hit };
  };
  if (isWarped(frame)) {
    scrollTo(frame, { block: "nearest", inline: "nearest", behavior: "instant" });
    await drawn();
    return { x, y, warped: true };
  }
  let outer = reach();
  if (outer.cover !== undefined) {
    scrollTo(frame, { block: "center", inline: "center", behavior: "instant" });
    const [left, top] = mapped(frame, x, y);
    if (left < 0 || top < 0 || left > view.innerWidth || top > view.innerHeight)
      view.scrollBy({ left: left - view.innerWidth / 2, top: top - view.innerHeight / 2, behavior: "instant" });
    outer = { ...reach(), scrolled: true };
    await drawn();
  }
  if (outer.cover === undefined) return outer;
  const cover = outer.cover ? describe(outer.cover) : "the edge of the window";
  return { error: { message: `nothing was done: ${cover} covers the frame ${describe(frame)}` } };
};
const acting = {
  aim,
  engage,
  arm,
  armKeys,
  armDrop,
  dropped,
  track,
  hovered,
  standing,
  painted,
  feel,
  felt,
  released,
  entering,
  after: ({ node }) => stateAfter(node ? (held.get(node)?.deref() ?? null) : focused()),
};
