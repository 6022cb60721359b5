// What code asks of its host: each call a promise that its answer settles. The value of this file is
// a function of what the prelude has made, called before any other code runs.
(function (given) {
  "use strict";
  const { shapes, limits, number, block, tell, tellModel } = given;
  const { add, cut, hidden, honest, isThenable } = given;
  const { apply, defineProperty, deleteProperty, ownKeys } = Reflect;
  const { create, freeze } = Object;
  const { parse, stringify } = JSON;
  const { captureStackTrace } = Error;
  const [PromiseOf, ErrorOf, TypeErrorOf, StringOf] = [Promise, Error, TypeError, String];
  const { indexOf, startsWith, charCodeAt: codeAt } = String.prototype;
  const sourceOf = Function.prototype.toString;
  let open = 0;
  let calls = create(null);

  const utf8Length = (text) => {
    if (text.length * 3 <= limits.frame) return text.length;
    let size = 0;
    for (let i = 0; i < text.length; i++) {
      const code = apply(codeAt, text, [i]);
      size += code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xe000 ? 2 : 3;
    }
    return size;
  };
  const bounded = (text, what) => {
    if (utf8Length(text) > limits.frame - 4096) {
      throw new TypeErrorOf(what + " is longer than " + limits.frame + " bytes");
    }
    return text;
  };
  const encoded = (value, where) => {
    if (value === undefined) return "null";
    shapes.check(value, where);
    let text;
    try {
      text = stringify(value);
    } catch (problem) {
      throw new TypeErrorOf(where + " cannot be turned into JSON: " + shapes.words(problem));
    }
    return text === undefined ? "null" : text;
  };
  // Code for a page is text; a function that stands alone is as good.
  const asCode = (name, place, value) =>
    name === "execInTab" && place === 1 && typeof value === "function"
      ? "(" + apply(sourceOf, value, []) + ")()" : value;
  const send = (name, args, mark) => {
    const run = block();
    if (run === null || run.closed) throw new ErrorOf(name + ": the block has ended");
    if (open >= limits.open) {
      throw new ErrorOf(name + ": " + limits.open + " calls are open already; await some first");
    }
    let text = "";
    for (let i = 0; i < args.length; i++) {
      text += (i ? "," : "") + encoded(asCode(name, i, args[i]), name + ": argument " + (i + 1));
    }
    bounded(text, name + ": what it was given");
    const id = number();
    tell("c", '{"id":' + id + ',"name":' + stringify(name) + ',"arguments":[' + text + "]}");
    open++;
    return honest(new PromiseOf((resolve, reject) => {
      calls[id] = { __proto__: null, resolve, reject, mark, name };
    }));
  };
  const refused = (mark, words) => {
    const frames = StringOf(mark.stack);
    const at = apply(indexOf, frames, ["\n    at "]);
    defineProperty(mark, "message", hidden(words));
    const rest = at < 0 ? "" : cut(frames, at);
    defineProperty(mark, "stack", hidden("Error: " + words + rest));
    return mark;
  };
  const later = async (name, args, mark) => {
    const ready = [];
    for (let i = 0; i < args.length; i++) add(ready, await args[i]);
    return send(name, ready, mark);
  };
  const host = (name) => {
    const made = {
      [name]: (...args) => {
        const mark = new ErrorOf("");
        captureStackTrace(mark, made);
        try {
          for (let i = 0; i < args.length; i++) {
            const value = args[i];
            if (isThenable(value)) {
              return honest(later(name, args, mark));
            }
          }
          return send(name, args, mark);
        } catch (problem) {
          const words = shapes.words(problem);
          return honest(new PromiseOf((_, reject) => reject(refused(mark, words))));
        }
      },
    }[name];
    return freeze(made);
  };
  const answered = (text) => {
    const first = apply(indexOf, text, ["\n"]);
    const call = calls[cut(text, 1, first)];
    if (call === undefined) return;
    deleteProperty(calls, cut(text, 1, first));
    open--;
    if (apply(startsWith, text, ["+"])) {
      let value;
      try {
        value = parse(cut(text, first + 1));
      } catch {
        call.reject(refused(call.mark, call.name + ": the answer could not be read"));
        return;
      }
      call.resolve(value);
      return;
    }
    const words = cut(text, first + 1);
    const run = block();
    if (run !== null && run.settled) tellModel(call.name + " was not awaited and failed: " + words);
    call.reject(refused(call.mark, words));
  };
  // The end of a block: whoever still waits hears of it.
  const giveUp = () => {
    if (open > 0) tellModel(open + " calls were still open at the end of the block and were given up");
    const left = calls;
    calls = create(null);
    open = 0;
    const ids = ownKeys(left);
    for (let i = 0; i < ids.length; i++) {
      const call = left[ids[i]];
      call.reject(refused(call.mark, call.name + ": the block has ended"));
    }
  };
  return { encoded, bounded, host, answered, giveUp, openCalls: () => open };
})
