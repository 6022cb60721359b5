// The commands behind a slash that the page knows: each is a wish, or shows a view. `waits`: not during a run.
import { modes } from "../text/words.js";

const turns = (rest) => {
  if (!rest) return 1;
  if (!/^\d{1,4}$/.test(rest) || rest === "0") throw new Error(`${rest} is not a number of turns`);
  return Number(rest);
};
const need = (rest, usage) => {
  if (!rest) throw new Error(`it takes more words: ${usage}`);
  return rest;
};
const send = (wish) => ({ session }, rest) => session.send(wish(rest));
const show = (id) => ({ page }) => page.show(id);

export const COMMANDS = {
  help: { usage: "/help", meaning: "every key and command", act: ({ page }) => page.sheet("help") },
  model: {
    usage: "/model [PROVIDER/NAME]", meaning: "another model for the turns to come",
    act: ({ session, page }, rest) => (rest ? session.send({ type: "set_model", model: rest }) : page.sheet("model")),
  },
  effort: { usage: "/effort LEVEL", meaning: "how much the model reasons: none to max", act: send((rest) => ({ type: "set_model", effort: need(rest, "/effort high") })) },
  mode: {
    usage: "/mode [NAME]", meaning: "how much is asked: plan, ask, auto-edit, full-auto",
    act: ({ session, page }, rest) => {
      if (!rest) return page.sheet("mode");
      if (!(rest in modes)) throw new Error(`there is no mode ${rest}; there are ${Object.keys(modes).join(", ")}`);
      return session.send({ type: "set_mode", mode: rest });
    },
  },
  plan: {
    usage: "/plan [yes [MODE]|no [WHY]]", meaning: "plan only; or answer the plan that waits",
    act: ({ session }, rest) => {
      const [word, ...more] = rest.split(/\s+/);
      if (!rest) return session.send({ type: "set_mode", mode: "plan" });
      if (word === "yes") return session.send({ type: "accept_plan", mode: more[0] || null });
      if (word === "no") return session.send({ type: "refuse_plan", text: more.join(" ") });
      throw new Error("say /plan, /plan yes or /plan no");
    },
  },
  compact: { usage: "/compact [FOCUS]", meaning: "summarise the history now", waits: true, act: send((focus) => ({ type: "compact", focus })) },
  queue: { usage: "/queue TEXT", meaning: "say it when the run has ended", act: send((text) => ({ type: "queue", text: need(text, "/queue TEXT") })) },
  goal: {
    usage: "/goal [TEXT|pause|resume|clear|budget N]", meaning: "what to work towards over many turns",
    act: ({ session, store }, rest) => {
      if (!rest) return store.say(session.state.goal ? `Goal: ${session.state.goal.objective}` : "There is no goal");
      if (rest === "pause") return session.send({ type: "set_goal", status: "paused" });
      if (rest === "resume") return session.send({ type: "set_goal", status: "active" });
      if (rest === "clear") return session.send({ type: "set_goal", clear: true });
      const budget = /^budget (\d+)$/.exec(rest);
      return session.send(budget ? { type: "set_goal", token_budget: Number(budget[1]) } : { type: "set_goal", objective: rest });
    },
  },
  review: { usage: "/review [FOCUS]", meaning: "have the uncommitted changes reviewed", waits: true, act: send((focus) => ({ type: "review", target: "uncommitted", focus })) },
  rename: { usage: "/rename TITLE", meaning: "call this session so", act: send((title) => ({ type: "set_title", title: need(title, "/rename TITLE") })) },
  personality: { usage: "/personality NAME", meaning: "the manner of speaking: none, friendly, pragmatic", act: send((personality) => ({ type: "set_personality", personality: need(personality, "/personality friendly") })) },
  undo: { usage: "/undo [TURNS]", meaning: "take the latest turns back, with what they did to files", waits: true, act: send((rest) => ({ type: "undo", turns: turns(rest) })) },
  redo: { usage: "/redo", meaning: "have again what was taken back last", waits: true, act: send(() => ({ type: "redo" })) },
  rollback: { usage: "/rollback [TURNS]", meaning: "leave the latest turns; files stay as they are", waits: true, act: send((rest) => ({ type: "rollback", turns: turns(rest) })) },
  fork: {
    usage: "/fork", meaning: "go on in another session that begins like this one", waits: true,
    act: async ({ session, store }) => {
      const forked = new Promise((done) => {
        const end = session.on(["session.forked"], ({ data }) => { end(); done(data.child); });
      });
      await session.send({ type: "fork" });
      store.go({ session: await forked, view: "chat" });
    },
  },
  stop: { usage: "/stop", meaning: "stop the run; the history stays valid", act: send(() => ({ type: "interrupt" })) },
  new: { usage: "/new", meaning: "another session", act: ({ store }) => store.go({ session: "", view: "home" }) },
  timeline: { usage: "/timeline", meaning: "every event", act: show("timeline") },
  browser: { usage: "/browser", meaning: "the tabs", act: show("browser") },
  files: { usage: "/files", meaning: "the folder, with what changed", act: show("files") },
  diff: { usage: "/diff", meaning: "what was changed", act: show("review") },
  tree: { usage: "/tree", meaning: "every message, on all branches", act: show("tree") },
  rewind: { usage: "/rewind", meaning: "go back to before a turn", act: show("rewind") },
  context: { usage: "/context", meaning: "what fills the context", act: show("meter") },
  cost: { usage: "/cost", meaning: "what was spent", act: show("meter") },
  permissions: { usage: "/permissions", meaning: "rules, and where they stand", act: show("settings") },
};

/** Does what a line that begins with a slash says; raises Error with words for the person. */
export async function carryOut(line, seat) {
  const [, name, rest = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line);
  const known = COMMANDS[name];
  if (!known) throw new Error(`there is no command /${name}; / lists them`);
  if (known.waits && seat.session.running) throw new Error(`/${name} has to wait until the run ends; Esc stops it`);
  await known.act(seat, rest.trim());
}
