// What pressing an element would set off: what it is told as before anything is pressed.
const ACTORS = "a[href],area[href],button,input,select,textarea,label,summary,option";
const aroundIt = (element, css) => {
  for (let at = element; at; at = drawnParent(at)) if (at.nodeType === 1 && matches(at, css)) return at;
  return null;
};
// The button, link or field that a press on an element reaches, if there is one.
const actorAt = (element) => {
  const actor = aroundIt(element, ACTORS);
  return actor && tagOf(actor) === "label" ? (actor.control ?? actor) : actor;
};
const actorOf = (element) => actorAt(element) ?? element;
const PAYING =
  /\b(pay|payment|buy|purchase|order|checkout|check out|subscribe|donate|bid|kaufen|bezahlen|bestellen|acheter|payer|commander|comprar|pagar|acquista|paga)\b/i;
const absolute = (element, url) => {
  try {
    return new URL(url, ownerOf(element).baseURI).href;
  } catch {
    return "";
  }
};
const GRAVE =
  /\b(delete|remove|cancel|unsubscribe|confirm|send|sign|log ?out|transfer|approve|reset|l\u00f6schen|supprimer|eliminar|elimina)\b/i;
const SECRET = /token|csrf|xsrf|nonce|secret|session|passw|signature|^auth/i;
const asksForMore = (field) =>
  ["password", "email", "tel", "file"].includes(field.type) ||
  tagOf(field) === "textarea" ||
  (field.type === "hidden" && SECRET.test(attribute(field, "name") ?? ""));
const looksLikeSearch = (form, words) => {
  const fields = Array.from(all(rootOf(form), "input,textarea,select")).filter((field) => field.form === form);
  if (GRAVE.test(words) || fields.some(asksForMore)) return false;
  const texts = fields.filter(isTextField);
  const isNamed = closest(form, "[role=search],search") || all(form, "[role=search],search,input[type=search]").length > 0;
  return isNamed ? texts.length > 0 : texts.length === 1;
};
const formFacts = (actor, form) => {
  const submits = ["submit", "image"].includes(actor.type);
  const own = (name) => (submits && attribute(actor, `form${name}`)) || attribute(form, name) || "";
  const action = own("action");
  return {
    method: (own("method") || "get").toLowerCase(),
    action: action ? absolute(form, action) : viewOf(ownerOf(form)).location.href,
    card: all(form, '[autocomplete*="cc-"]').length > 0,
  };
};
const factsOf = (element, isEntering = false) => {
  const actor = actorOf(element);
  const tag = tagOf(actor);
  const label = cut(tidy(cut(nameOf(actor) || seenText(actor), 400)), 80);
  const form = CONTROL_TAGS.has(tag) ? actor.form : null;
  const submits =
    (tag === "button" && actor.type === "submit") || (tag === "input" && ["submit", "image"].includes(actor.type));
  const enters =
    isEntering && tag === "input" && !["button", "reset", "checkbox", "radio", "file"].includes(actor.type);
  const isSubmit = !!form && (submits || enters);
  const facts = form ? formFacts(actor, form) : { method: "", action: "", card: false };
  // A button within a link is pressed, and the link is followed too.
  const anchor = aroundIt(actor, "a[href],area[href]");
  const href = anchor ? (link(anchor, "href") ?? "") : "";
  const isPressed = submits || tag === "button" || tag === "a" || actor.type === "button" || enters;
  const words = `${label} ${isSubmit ? new URL(facts.action || "about:blank").pathname : ""}`.replace(/[-_/.]/g, " ");
  return {
    tag,
    type: kindOf(actor) ?? "",
    label,
    is_submit: isSubmit,
    is_search: isSubmit && facts.method === "get" && !facts.card && looksLikeSearch(form, words),
    method: isSubmit ? facts.method : "",
    action: isSubmit ? facts.action : "",
    is_payment: isPressed && (PAYING.test(words) || (isSubmit && facts.card)),
    is_upload: tag === "input" && actor.type === "file",
    is_download: !!anchor && hasAttribute(anchor, "download"),
    href,
    page: viewOf(ownerOf(element)).location.href,
  };
};

// A root that is closed to us may hang on it, with anything in it; 0 where none can be.
const HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);
const hollow = (element) =>
  element && !shadow(element) && (HOSTS.has(tagOf(element)) || tagOf(element).includes("-")) ? hold(element) : 0;
// What Enter or the space bar would mean where the focus is; `access` is the letter of an access key instead.
const entering = ({ access = "" }) => {
  const keyed = access
    ? rootsUnder(document).flatMap((root) =>
        Array.from(all(root, "[accesskey]")).filter((element) =>
          attribute(element, "accesskey").toLowerCase().split(/\s+/).includes(access)))
    : [];
  const active = access ? keyed[0] : focused();
  if (!active) return { facts: null };
  const view = viewOf(ownerOf(active));
  const holder = view === window ? 0 : hold(view.frameElement);
  return { facts: factsOf(active, !access), hollow: hollow(active), node: hold(active), holder, focus: document.hasFocus() };
};
