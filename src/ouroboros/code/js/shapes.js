// What kind of thing a value is, in a few characters and a few milliseconds however big it is.
// No getter is called and no toJSON; a Proxy's traps may throw, which is noted.
(function (limits) {
  "use strict";
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { keys } = Object;
  const { isArray } = Array;
  const { stringify } = JSON;
  const { isFinite } = Number;
  const { isView } = ArrayBuffer;
  const { asIntN } = BigInt;
  // To write one in decimal takes time by the square of its length: what is longer is not written.
  const DECIMAL_BITS = 4096;
  const fitsInto = (bits, value) => asIntN(bits, value) === value;
  const isError = Error.isError;
  const objectPrototype = Object.prototype;
  const promisePrototype = Promise.prototype;
  const TypeErrorOf = TypeError;
  const StringOf = String;
  const getter = (holder, name) => getOwnPropertyDescriptor(holder, name).get;
  const mapSize = getter(Map.prototype, "size");
  const setSize = getter(Set.prototype, "size");
  const mapEntries = Map.prototype.entries;
  const setValues = Set.prototype.values;
  const mapNext = getPrototypeOf(new Map().entries()).next;
  const setNext = getPrototypeOf(new Set().values()).next;
  const viewLength = getter(getPrototypeOf(Uint8Array.prototype), "length");
  const bufferSize = getter(ArrayBuffer.prototype, "byteLength");
  const getTime = Date.prototype.getTime;
  const toISO = Date.prototype.toISOString;
  const regExpText = getter(RegExp.prototype, "source");
  const hasOwn = objectPrototype.hasOwnProperty;
  const has = (holder, key) => apply(hasOwn, holder, [key]);
  const slice = String.prototype.slice;
  const search = RegExp.prototype.exec;
  const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
  const cut = (text, to) => (text.length > to ? apply(slice, text, [0, to]) : text);
  const tried = (method, value, ...args) => {
    try {
      return apply(method, value, args);
    } catch {
      return undefined;
    }
  };
  const brand = (value) => {
    if (isArray(value)) return "array";
    if (isError(value)) return "error";
    // Each brand below that it is not costs a thrown error: plain objects are told apart first.
    const parent = getPrototypeOf(value);
    if (parent === objectPrototype || parent === null) return "object";
    if (tried(mapSize, value) !== undefined) return "Map";
    if (tried(setSize, value) !== undefined) return "Set";
    if (tried(getTime, value) !== undefined) return "Date";
    if (isView(value)) return "typed array";
    if (tried(bufferSize, value) !== undefined) return "ArrayBuffer";
    if (parent === promisePrototype) return "promise";
    return tried(regExpText, value) !== undefined ? "RegExp" : "object";
  };
  const kindOf = (value) => {
    if (value === undefined) return "void";
    if (value === null) return "null";
    const type = typeof value;
    return type === "object" ? brand(value) : type;
  };
  const sizeOf = (value, kind) => {
    if (kind === "string" || kind === "array") return value.length;
    if (kind === "Map") return apply(mapSize, value, []);
    if (kind === "Set") return apply(setSize, value, []);
    if (kind === "typed array") return tried(viewLength, value) || 0;
    if (kind === "ArrayBuffer") return apply(bufferSize, value, []);
    return kind === "object" ? keys(value).length : 0;
  };
  const budget = () => ({ __proto__: null, nodes: limits.nodes });
  const member = (holder, key) => {
    const slot = getOwnPropertyDescriptor(holder, key);
    if (slot === undefined) return { __proto__: null, value: undefined };
    return slot;
  };
  const numeral = (value) => (value === 0 && 1 / value < 0 ? "0" : StringOf(value));

  // The beginning of the JSON of a value; `state.left` characters may still be written.
  const put = (state, text) => {
    state.text += cut(text, state.left);
    state.left -= text.length;
  };
  const quoted = (text, left) => stringify(cut(text, left > 0 ? left : 0));
  const write = (state, value, depth) => {
    if (state.left <= 0) return;
    const kind = kindOf(value);
    if (kind === "string") put(state, quoted(value, state.left));
    else if (kind === "number") put(state, isFinite(value) ? numeral(value) : StringOf(value));
    else if (kind === "boolean") put(state, value ? "true" : "false");
    else if (kind === "null" || kind === "void") put(state, kind === "null" ? "null" : "undefined");
    else if (kind === "bigint") put(state, fitsInto(DECIMAL_BITS, value) ? StringOf(value) + "n" : "a BigInt of more than 1,200 digits");
    else if (kind === "array") writeArray(state, value, depth);
    else if (kind === "object") writeObject(state, value, depth);
    else if (kind === "Date") put(state, stringify(tried(toISO, value) || "Invalid Date"));
    else if (kind === "error") put(state, quoted(words(value), state.left));
    else if (kind === "Map" || kind === "Set") writeKeyed(state, value, kind, depth);
    else put(state, kind === "promise" ? "[promise: await it]" : "[" + kind + "]");
  };
  const writeKeyed = (state, value, kind, depth) => {
    if (depth >= limits.depth) return put(state, "[" + kind + " " + sizeOf(value, kind) + "]");
    const isMap = kind === "Map";
    const each = apply(isMap ? mapEntries : setValues, value, []);
    put(state, kind + " {");
    for (let i = 0; state.left > 0; i++) {
      const step = apply(isMap ? mapNext : setNext, each, []);
      if (step.done) break;
      if (i) put(state, ",");
      if (isMap) {
        write(state, step.value[0], depth + 1);
        put(state, ":");
      }
      write(state, isMap ? step.value[1] : step.value, depth + 1);
    }
    put(state, "}");
  };
  const writeSlot = (state, holder, key, depth) => {
    const slot = member(holder, key);
    if (has(slot, "value")) write(state, slot.value, depth + 1);
    else put(state, "[getter]");
  };
  const writeArray = (state, value, depth) => {
    if (depth >= limits.depth) return put(state, "[…" + value.length + "]");
    put(state, "[");
    for (let i = 0; i < value.length && state.left > 0; i++) {
      if (i) put(state, ",");
      writeSlot(state, value, i, depth);
    }
    put(state, "]");
  };
  const writeObject = (state, value, depth) => {
    const all = keys(value);
    if (depth >= limits.depth) return put(state, "{…" + all.length + "}");
    put(state, "{");
    for (let i = 0; i < all.length && state.left > 0; i++) {
      put(state, (i ? "," : "") + quoted(all[i], state.left) + ":");
      // What a handle holds is a page's to read: long words that tell a reader nothing.
      if (all[i] === "__handle") put(state, "{…}");
      else writeSlot(state, value, all[i], depth);
    }
    put(state, "}");
  };
  const preview = (value, cap) => {
    const state = { __proto__: null, text: "", left: cap };
    try {
      write(state, value, 0);
    } catch (problem) {
      return cut(state.text + " (reading it failed: " + words(problem) + ")", cap);
    }
    return state.text;
  };

  // Length of the whole as JSON, or null where counting would take too long.
  const length = (value, budget, over) => {
    if (--budget.nodes < 0) return null;
    const type = typeof value;
    if (type === "string") return value.length + 2;
    if (type === "number") return isFinite(value) ? numeral(value).length : 4;
    if (type === "boolean") return value ? 4 : 5;
    if (value === null) return 4;
    if (type !== "object") return type === "bigint" ? null : 4;
    for (let one = over; one !== null; one = one.over) {
      if (one.value === value) budget.cyclic = true;
      if (one.value === value || one.depth > 60) return null;
    }
    const above = { __proto__: null, value, over, depth: over === null ? 1 : over.depth + 1 };
    if (isArray(value) && value.length > budget.nodes) return null;
    const all = isArray(value) ? null : keys(value);
    const count = all === null ? value.length : all.length;
    if (count > budget.nodes) return null;
    let total = 2 + (count > 1 ? count - 1 : 0);
    for (let i = 0; i < count; i++) {
      const slot = member(value, all === null ? i : all[i]);
      const inner = has(slot, "value") ? length(slot.value, budget, above) : null;
      if (inner === null) return null;
      total += inner + (all === null ? 0 : all[i].length + 3);
    }
    return total;
  };

  // Below objects alone an array says how long it is: there is one of it, not one for each item.
  const schemaOf = (value, depth, alone) => {
    const kind = kindOf(value);
    if (kind === "array") {
      const items = depth >= 3 ? "[…]" : "[" + itemsOf(value, depth + 1) + "]";
      return alone && value.length > 1 ? items + " x " + value.length : items;
    }
    return kind === "object" ? (depth >= 3 ? "{…}" : membersOf(value, depth, alone)) : kind;
  };
  const slotSchema = (holder, key, depth, alone) => {
    const slot = member(holder, key);
    return has(slot, "value") ? schemaOf(slot.value, depth, alone) : "getter";
  };
  const itemsOf = (value, depth) => {
    let text = "";
    const seen = { __proto__: null };
    const count = value.length < 5 ? value.length : 5;
    for (let i = 0; i < count; i++) {
      const one = slotSchema(value, i, depth, false);
      if (seen[one] !== true) {
        seen[one] = true;
        text += (text ? " | " : "") + one;
      }
    }
    return text;
  };
  const membersOf = (value, depth, alone) => {
    const all = keys(value);
    let text = "{";
    for (let i = 0; i < all.length && i < limits.keys; i++) {
      const key = cut(all[i], 40);
      text += (i ? ", " : "") + (apply(search, plainKey, [key]) ? key : stringify(key))
        + ": " + slotSchema(value, all[i], depth + 1, alone);
    }
    return text + (all.length > limits.keys ? ", …" + (all.length - limits.keys) + " more}" : "}");
  };
  const schema = (value, kind) => {
    if (kind === "array") return cut(itemsOf(value, 1), limits.schema);
    return kind === "object" ? cut(membersOf(value, 0, true), limits.schema) : "";
  };

  const names = {
    __proto__: null, Map: "object", Set: "array", Date: "object", RegExp: "other",
    "typed array": "array", ArrayBuffer: "other",
  };
  const whole = (value, cap, budget) => {
    const kind = kindOf(value);
    let text = '{"kind":' + stringify(names[kind] || kind) + ',"size":' + sizeOf(value, kind);
    let note = names[kind] ? kind : "";
    const counts = { __proto__: null, nodes: budget.nodes, cyclic: false };
    const measured = kind === "void" || kind === "function" || kind === "symbol" || names[kind]
      ? null : length(value, counts, null);
    budget.nodes = counts.nodes > 0 ? counts.nodes : 0;
    if (measured !== null) text += ',"characters":' + measured;
    if (counts.cyclic) note = "cyclic";
    const form = schema(value, kind);
    if (form) text += ',"schema":' + stringify(form);
    if (kind !== "void") text += ',"preview":' + stringify(preview(value, cap));
    return text + (note ? ',"note":' + stringify(note) : "") + "}";
  };
  const bare = (value, why) => {
    const type = typeof value;
    const kind = type === "undefined" ? "void" : value === null ? "null"
      : type === "object" ? "other" : type;
    return '{"kind":' + stringify(kind) + ',"note":' + stringify(why) + "}";
  };
  const of = (value, cap, plain, budgetLeft) => {
    if (plain) return bare(value, "not looked into");
    try {
      return whole(value, cap, budgetLeft || budget());
    } catch (problem) {
      return bare(value, "reading it failed: " + cut(words(problem), 100));
    }
  };
  const ofSlot = (slot, cap, budgetLeft, plain) =>
    has(slot, "value") ? of(slot.value, cap, plain, budgetLeft) : '{"kind":"other","note":"getter"}';

  // Errors, read without trusting them.
  const own = (value, key) => {
    try {
      const found = value[key];
      return typeof found === "string" ? found : "";
    } catch {
      return "";
    }
  };
  const words = (problem) => {
    if (typeof problem === "string") return cut(problem, 2000);
    if (typeof problem === "object" && problem !== null) {
      return cut(own(problem, "message"), 2000) || "an error without words";
    }
    if (typeof problem === "symbol" || typeof problem === "function") return typeof problem;
    return StringOf(problem);
  };
  const thrown = (problem, plain) => {
    const isObject = typeof problem === "object" && problem !== null;
    const name = isObject && !plain ? cut(own(problem, "name"), 100) || "Error" : "thrown";
    const said = plain ? "" : isObject && !isError(problem) && !own(problem, "message")
      ? preview(problem, limits.preview) : words(problem);
    const stack = isObject && !plain ? cut(own(problem, "stack"), 4000) : "";
    return '{"name":' + stringify(name) + ',"message":' + stringify(said)
      + ',"stack":' + stringify(stack) + "}";
  };

  // An argument of a host call must be JSON; says which part is not.
  const hints = {
    __proto__: null, Map: "Object.fromEntries(it)", Set: "[...it]", "typed array": "Array.from(it)",
    bigint: "String(it)", function: "its result", promise: "await it", symbol: "a string",
    ArrayBuffer: "Array.from(new Uint8Array(it))", error: "its message",
  };
  const check = (value, where) => {
    const state = { __proto__: null, nodes: limits.nodes };
    inspect(value, where, null, state);
  };
  const inspect = (value, where, over, state) => {
    if (--state.nodes < 0) return;
    if (over !== null && over.depth > 500) {
      throw new TypeErrorOf(cut(where, 60) + "… is nested more than 500 deep: make it flat");
    }
    const kind = kindOf(value);
    if (hints[kind]) {
      throw new TypeErrorOf(where + " is a " + kind + ", not JSON: give " + hints[kind]);
    }
    if (kind === "number" && !isFinite(value)) {
      throw new TypeErrorOf(where + " is " + StringOf(value) + ", which JSON does not have");
    }
    if (kind !== "array" && kind !== "object") return;
    for (let one = over; one !== null; one = one.over) {
      if (one.value === value) throw new TypeErrorOf(where + " is cyclic: it holds itself");
    }
    const above = { __proto__: null, value, over, depth: over === null ? 1 : over.depth + 1 };
    const all = kind === "array" ? null : keys(value);
    const count = all === null ? value.length : all.length;
    for (let i = 0; i < count && state.nodes > 0; i++) {
      const slot = member(value, all === null ? i : all[i]);
      if (!has(slot, "value")) continue;
      inspect(slot.value, where + (all === null ? "[" + i + "]" : "." + cut(all[i], 40)), above, state);
    }
  };
  return { __proto__: null, of, ofSlot, preview, budget, thrown, words, check, kindOf, fitsInto };
})
