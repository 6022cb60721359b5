// The commands behind a slash: those that show something of the page are done here, all others by the server, as every
// face has them. `waits`: not during a run; `alone`: the server does it where words follow.

const MINUTES = 10 * 60_000;
const show = (id) => ({ page }) => page.show(id);

const OWN = {
  help: { alone: true, act: ({ page }) => page.sheet("help") },
  model: { alone: true, act: ({ page }) => page.sheet("model") },
  mode: { alone: true, act: ({ page }) => page.sheet("mode") },
  sessions: { alone: true, act: show("sessions") },
  resume: { alone: true, act: show("sessions") },
  diff: { alone: true, act: show("review") },
  tree: { alone: true, act: show("tree") },
  rewind: { alone: true, act: show("rewind") },
  context: { alone: true, act: show("meter") },
  cost: { alone: true, act: show("meter") },
  permissions: { alone: true, act: ({ page }) => page.show("settings", { tab: "rules" }) },
  export: {
    usage: "/export [jsonl|md|html]", meaning: "have the session as a file",
    act: ({ session, link }, rest) => {
      const format = rest || "md";
      if (!["jsonl", "md", "html"].includes(format)) throw new Error(`there is no form ${format}; there are jsonl, md and html`);
      return link.keep(`/sessions/${encodeURIComponent(session.id)}/export?format=${format}`);
    },
  },
  new: { usage: "/new", meaning: "another session", act: ({ store }) => store.go({ session: "", view: "home" }) },
  stop: { usage: "/stop", meaning: "stop the run; the history stays valid", act: ({ session }) => session.send({ type: "interrupt" }) },
  timeline: { usage: "/timeline", meaning: "every event", act: show("timeline") },
  browser: { usage: "/browser", meaning: "the tabs", act: show("browser") },
  files: { usage: "/files", meaning: "the folder, with what changed", act: show("files") },
  artifacts: { usage: "/artifacts", meaning: "what was kept with the session", act: show("artifacts") },
};

/** What has a sign of its own, or means nothing in a page. */
const SIGNS = new Set(["!", "#", "quit"]);

let asked = null;

/** Every command by its name: {usage, meaning, waits, act}. */
export function commands(link) {
  asked ??= link.get("/slashes").then(joined, () => {
    asked = null; // it is asked for again with the next slash
    return joined({ commands: [] });
  });
  return asked;
}

function joined({ commands: known }) {
  const found = {};
  for (const each of known) if (!SIGNS.has(each.name)) found[each.name] = { ...each, ...OWN[each.name] };
  for (const [name, each] of Object.entries(OWN)) if (!found[name] && each.usage) found[name] = each;
  return found;
}

/** Whether words are for us and not for the model; a path is none, and several lines may begin with a heading. */
export function isLine(words) {
  if (words.startsWith("!")) return Boolean(words.slice(1).trim());
  if (words.startsWith("# ")) return !words.trim().includes("\n");
  return /^\/(?:[\w?-]+)?(?:\s|$)/.test(words);
}

/** Does what such a line says; raises Error or Refused with words for the person. */
export async function carryOut(line, seat) {
  const [, name, rest] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [null, "", line];
  const own = Object.hasOwn(OWN, name) ? OWN[name] : null;
  if (own && (!own.alone || !rest.trim())) return own.act(seat, rest.trim());
  const { session, store, link } = seat;
  const done = await link.post(`/sessions/${encodeURIComponent(session.id)}/lines`, { line }, MINUTES);
  session.tell(done.told);
  if (!done.next) return undefined;
  if (done.next === "home") return store.go({ session: "", view: "home" });
  const id = done.next === "new" ? (await link.post("/sessions", { cwd: session.state.cwd })).session : done.next;
  return store.go({ session: id, view: "chat" });
}
