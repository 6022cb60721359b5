// The variables of an isolate as text, and back. What is not plain data, and no function that
// stands alone, is named as lost.
(function (shapes) {
  "use strict";
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
  const { create, keys, is } = Object;
  const { stringify } = JSON;
  const { isFinite } = Number;
  const objectPrototype = Object.prototype;
  const hasOwn = objectPrototype.hasOwnProperty;
  const has = (holder, key) => apply(hasOwn, holder, [key]);
  const join = Array.prototype.join;
  const slice = String.prototype.slice;
  const toText = BigInt.prototype.toString;
  const mapEach = Map.prototype.forEach;
  const setEach = Set.prototype.forEach;
  const mapSet = Map.prototype.set;
  const setAdd = Set.prototype.add;
  const getTime = Date.prototype.getTime;
  const getter = (name) => getOwnPropertyDescriptor(RegExp.prototype, name).get;
  const regExpSource = getter("source");
  const regExpFlags = getter("flags");
  const [MapOf, SetOf, DateOf, RegExpOf, BigIntOf, ErrorOf, StringOf] =
    [Map, Set, Date, RegExp, BigInt, Error, String];
  const MARK = "\u0192";
  const slot = (value) => ({
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
  const add = (list, item) => { defineProperty(list, list.length, slot(item)); };
  const marked = (kind, text) => '["' + MARK + '","' + kind + '"' + (text ? "," + text : "") + "]";

  const listed = (state, items, above) => {
    const texts = [];
    for (let i = 0; i < items.length; i++) add(texts, text(state, items[i], above));
    return "[" + apply(join, texts, [","]) + "]";
  };
  const object = (state, value, above) => {
    const parent = getPrototypeOf(value);
    if (parent !== objectPrototype && parent !== null) throw new ErrorOf("an instance of a class");
    const texts = [];
    const all = keys(value);
    for (let i = 0; i < all.length; i++) {
      const found = getOwnPropertyDescriptor(value, all[i]);
      if (!has(found, "value")) throw new ErrorOf("a getter");
      add(texts, stringify(all[i]) + ":" + text(state, found.value, above));
    }
    const written = "{" + apply(join, texts, [","]) + "}";
    return parent === null ? marked("bare", written) : written;
  };
  const array = (state, value, above) => {
    if (value.length * 14 > state.left) throw new ErrorOf("too large");
    const written = listed(state, value, above);
    return value.length && value[0] === MARK ? marked("array", written) : written;
  };
  const pairs = (value) => {
    const items = [];
    apply(mapEach, value, [(inner, key) => add(items, [key, inner])]);
    return items;
  };
  const members = (value) => {
    const items = [];
    apply(setEach, value, [(inner) => add(items, inner)]);
    return items;
  };
  const integer = (state, value) => {
    if (shapes.fitsInto(256, value)) return StringOf(value);
    if (!shapes.fitsInto(4 * state.left, value)) throw new ErrorOf("too large");
    const digits = apply(toText, value < 0n ? -value : value, [16]);
    state.left -= digits.length;
    return (value < 0n ? "-0x" : "0x") + digits;
  };
  const text = (state, value, over) => {
    if ((state.left -= 14) < 0) throw new ErrorOf("too large");
    const kind = shapes.kindOf(value);
    if (kind === "string") {
      if ((state.left -= value.length) < 0) throw new ErrorOf("too large");
      return stringify(value);
    }
    if (kind === "number") {
      const plain = isFinite(value) && !is(value, -0);
      return plain ? StringOf(value) : marked("number", stringify(is(value, -0) ? "-0" : StringOf(value)));
    }
    if (kind === "boolean" || kind === "null") return StringOf(value);
    if (kind === "void") return marked("void", "");
    if (kind === "bigint") return marked("bigint", stringify(integer(state, value)));
    for (let one = over; one !== null; one = one.over) {
      if (one.value === value || one.depth > 500) throw new ErrorOf("cyclic");
    }
    const above = { __proto__: null, value, over, depth: over === null ? 1 : over.depth + 1 };
    if (kind === "array") return array(state, value, above);
    if (kind === "object") return object(state, value, above);
    if (kind === "Date") return marked("Date", stringify(StringOf(apply(getTime, value, []))));
    if (kind === "Map") return marked("Map", listed(state, pairs(value), above));
    if (kind === "Set") return marked("Set", listed(state, members(value), above));
    if (kind === "RegExp") {
      return marked("RegExp", stringify(apply(regExpSource, value, [])) + ","
        + stringify(apply(regExpFlags, value, [])));
    }
    throw new ErrorOf("a " + kind);
  };

  const special = (value) => {
    const kind = value[1];
    const inner = value[2];
    if (kind === "void") return undefined;
    if (kind === "number") return +inner;
    if (kind === "bigint") return inner[0] === "-" && inner[2] === "x" ? -BigIntOf(apply(slice, inner, [1])) : BigIntOf(inner);
    if (kind === "Date") return new DateOf(+inner);
    if (kind === "RegExp") return new RegExpOf(inner, value[3]);
    const items = plain(inner);
    if (kind === "array") return items;
    if (kind === "bare") {
      const made = create(null);
      const all = keys(items);
      for (let i = 0; i < all.length; i++) defineProperty(made, all[i], slot(items[all[i]]));
      return made;
    }
    const made = kind === "Map" ? new MapOf() : new SetOf();
    for (let i = 0; i < items.length; i++) {
      if (kind === "Map") apply(mapSet, made, [items[i][0], items[i][1]]);
      else apply(setAdd, made, [items[i]]);
    }
    return made;
  };
  const plain = (value) => {
    const all = keys(value);
    for (let i = 0; i < all.length; i++) {
      defineProperty(value, all[i], slot(revived(value[all[i]])));
    }
    return value;
  };
  const revived = (value) => {
    if (typeof value !== "object" || value === null) return value;
    return value[0] === MARK && has(value, "0") ? special(value) : plain(value);
  };

  return ({ every, sources, seeds, declare, world, env, sourceOf, revive }) => ({
    __proto__: null,
    save(limit) {
      const state = { __proto__: null, left: limit };
      const values = [];
      const functions = [];
      const lost = [];
      const given = [];
      every((holder, key, name) => {
        const before = state.left;
        try {
          const found = getOwnPropertyDescriptor(holder, key);
          if (!has(found, "value")) throw new ErrorOf("a getter");
          if (holder === world && name in seeds && seeds[name] === found.value) {
            add(given, stringify(name));
            return;
          }
          const known = holder === world ? sources[key] : undefined;
          if (typeof found.value === "function" && known && sourceOf(found.value) === known.seen) {
            add(functions, "[" + stringify(key) + "," + stringify(known.source) + "]");
          } else add(values, stringify(name) + ":" + text(state, found.value, null));
        } catch {
          state.left = before;
          add(lost, stringify(name));
        }
      });
      return '{"values":{' + apply(join, values, [","]) + '},"functions":['
        + apply(join, functions, [","]) + '],"seeds":[' + apply(join, given, [","])
        + '],"lost":[' + apply(join, lost, [","]) + "]}";
    },
    load(saved) {
      const lost = [];
      const failed = (name) => add(lost, stringify(name));
      const functions = saved.functions;
      for (let i = 0; i < functions.length; i++) {
        const key = functions[i][0];
        const source = functions[i][1];
        try {
          const made = revive(source);
          declare([key]);
          defineProperty(world, key, slot(made));
          sources[key] = { __proto__: null, seen: source, source };
        } catch {
          failed(key);
        }
      }
      const names = keys(saved.values);
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        const inner = name.length > 4 && name[0] === "e" && name[3] === ".";
        try {
          let key = name;
          if (inner) {
            key = "";
            for (let j = 4; j < name.length; j++) key += name[j];
          } else declare([key]);
          defineProperty(inner ? env : world, key, slot(revived(saved.values[name])));
        } catch {
          failed(name);
        }
      }
      for (let i = 0; i < saved.lost.length; i++) failed(saved.lost[i]);
      for (let i = 0; i < saved.seeds.length; i++) {
        if (!(saved.seeds[i] in seeds)) failed(saved.seeds[i]);
      }
      return "[" + apply(join, lost, [","]) + "]";
    },
  });
})
