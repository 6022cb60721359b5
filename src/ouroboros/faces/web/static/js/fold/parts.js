// The pieces that all folds share: items of the conversation, where they belong, and what changed.

/** A session as it stands before its first event. */
export function empty(id) {
  return {
    id, cwd: "", model: "", fallback: "", mode: "ask", mind: "tools", title: "", effort: null, browser: null,
    status: "idle", running: false, turn: 0, seq: 0, began: 0,
    root: { items: [], v: 0 }, byMessage: new Map(), byCall: new Map(), byChild: new Map(),
    live: null, iteration: null, approvals: new Map(), questions: new Map(), answered: new Map(), plan: [],
    explanation: "", proposed: "", later: new Map(), goal: null, spent: spending(), before: spending(),
    tabs: new Map(), driven: new Set(), tab: "", profile: null, artifacts: [], processes: new Map(), variables: "", head: null, words: [],
    open: new Set(), reviewing: null, moves: 0, torn: false, grown: 0,
  };
}

export const spending = () => ({ input: 0, cached: 0, output: 0, requests: 0, unpriced: 0, cost: 0 });

/** Counts one request, as the engine does: an unknown price is never 0. */
export function spend(s, usage, cost) {
  const spent = s.spent;
  spent.requests += 1;
  if (usage) {
    spent.input += usage.input_uncached ?? 0;
    spent.input += (usage.cache_read ?? 0) + (usage.cache_write ?? 0);
    spent.cached += usage.cache_read ?? 0;
    spent.output += (usage.output_text ?? 0) + (usage.reasoning ?? 0);
  }
  if (cost === null || cost === undefined) spent.unpriced += 1;
  else spent.cost += cost;
}

/** Says that an item changed, and all it lies in, so that only those are drawn again. */
export function touch(item) {
  for (let each = item; each; each = each.holder) each.v = (each.v ?? 0) + 1;
}

/** Puts an item at the end of its holder; on the main line it follows what was said before it. */
export function add(s, envelope, item, holder = s.root) {
  item.key = `${envelope.seq}.${(s.grown += 1)}`;
  item.seq = envelope.seq;
  item.ts = envelope.ts;
  item.v = 0;
  item.holder = holder;
  if (holder === s.root) {
    item.prev = s.head;
    s.head = item;
  }
  holder.items.push(item);
  touch(holder);
  return item;
}

/** Where something belongs: in a call's card, in a child's, in the open iteration, or on the main line. */
export function place(s, { within, child } = {}) {
  if (within) {
    const call = s.byCall.get(within);
    if (call) return (call.items ??= [], call);
  }
  if (child) {
    const known = s.byChild.get(child);
    if (known) return known.iteration ?? known;
  }
  return s.iteration ?? s.root;
}

/** Where lines without a call of their own belong: in the block that is at work, else as `place` says. */
export function workplace(s) {
  const holder = s.iteration ?? s.root;
  const last = holder.items.at(-1);
  return last?.kind === "call" && last.status === "running" ? (last.items ??= [], last) : holder;
}

/** Lets the main line end with `item` (null: at its beginning); what came after stays known, unseen. */
export function goBack(s, item) {
  const kept = [];
  for (let each = item; each; each = each.prev) kept.push(each);
  s.root.items = kept.reverse();
  s.head = item;
  s.live = s.iteration = null;
  s.moves += 1;
  touch(s.root);
}

export const textOf = (message) =>
  (message?.parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("");
