// What surrounds model-written code in its isolate. The value of this file is a function of the
// configuration that gives `entry`, by which the worker speaks to it. Everything it needs of the
// language is taken here before any other code runs: whatever that code does to Object.prototype,
// JSON, Promise or Symbol later cannot change what these functions do.
(function (config) {
  "use strict";
  const { apply, defineProperty, deleteProperty, ownKeys } = Reflect;
  const { create, freeze } = Object;
  const { parse, stringify } = JSON;
  const PromiseOf = Promise;
  const ErrorOf = Error;
  const TypeErrorOf = TypeError;
  const evaluate = eval;
  const world = globalThis;
  const join = Array.prototype.join;
  const slice = String.prototype.slice;
  const indexOf = String.prototype.indexOf;
  const startsWith = String.prototype.startsWith;
  const hasOwn = Object.prototype.hasOwnProperty;
  const sourceOf = Function.prototype.toString;
  const add = (list, item) => { defineProperty(list, list.length, fresh(item)); };
  const fresh = (value) => ({
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
  const hidden = (value) => ({
    __proto__: null, value, writable: true, enumerable: false, configurable: true,
  });
  const cut = (text, from, to) => apply(slice, text, [from, to]);
  const has = (object, key) => apply(hasOwn, object, [key]);
  // With a constructor of its own a promise is awaited without asking its prototype anything.
  const honest = (promise) => {
    defineProperty(promise, "constructor", hidden(PromiseOf));
    return promise;
  };
  const shapes = config.shapes;
  const limits = config.limits;

  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry"]) {
    deleteProperty(world, name);
  }
  for (const [name, value] of [["prepareStackTrace", undefined], ["stackTraceLimit", 20]]) {
    defineProperty(ErrorOf, name, { __proto__: null, value, writable: false, configurable: false });
  }

  let outbox = [];
  let run = null;
  let nextId = 1;
  let timers = create(null);
  let armed = 0;
  const answers = create(null);
  const sources = create(null);
  const seeds = create(null);
  const tell = (kind, text) => add(outbox, kind + text);

  const isThenable = (value) => {
    try {
      return typeof value === "object" && value !== null && typeof value.then === "function";
    } catch {
      return false;
    }
  };
  // What the model should know of its own code; never a word of data.
  const tellModel = (text) => {
    if (run !== null && run.notes.length < limits.notes) add(run.notes, stringify(cut(text, 0, 300)));
  };
  const { encoded, bounded, host, answered, giveUp, openCalls } = config.calls({
    shapes, limits, add, cut, hidden, honest, isThenable, tell, tellModel,
    number: () => nextId++, block: () => run,
  });

  // Names that stay: functions of the host, getters, env, what the worker seeds.
  const fixed = (name, get) => {
    const words = name + " belongs to this REPL and cannot be replaced; choose another name";
    defineProperty(world, name, {
      __proto__: null, get, set() { throw new TypeErrorOf(words); },
      enumerable: false, configurable: false,
    });
  };
  const keep = (name, value) => fixed(name, () => value);
  const note = (text) => {
    if (run === null || run.noted >= limits.logs || run.said >= limits.said) return;
    run.noted++;
    run.said += text.length;
    add(run.logs, stringify(text.length > limits.log ? cut(text, 0, limits.log) + "…" : text));
    if (run.noted === limits.logs) add(run.logs, '"more was logged, and left out"');
  };
  const line = (args) => {
    let text = "";
    for (let i = 0; i < args.length && text.length <= limits.log; i++) {
      const value = args[i];
      text += (i ? " " : "")
        + (typeof value === "string" ? cut(value, 0, limits.log + 1) : shapes.preview(value, limits.log));
    }
    return text;
  };
  const log = (...args) => { note(line(args)); };
  const voices = create(null);
  for (const name of ["log", "info", "warn", "error", "debug", "trace", "dir", "table", "group"]) {
    voices[name] = freeze({ [name]: (...args) => { note(line(args)); } }[name]);
  }
  for (const name of ["groupEnd", "time", "timeEnd", "count", "clear"]) {
    voices[name] = freeze({ [name]: () => {} }[name]);
  }
  voices.assert = freeze((sure, ...args) => { if (!sure) note("assertion failed " + line(args)); });
  const setFinal = (value) => {
    if (run === null || run.closed) throw new ErrorOf("setFinal: the block has ended");
    if (isThenable(value)) {
      run.promised = value;
      return;
    }
    run.promised = undefined;
    run.final = bounded(encoded(value, "setFinal: the value"), "setFinal: the value");
    run.finalText = typeof value === "string";
  };
  const setTimer = (action, delay, ...args) => {
    if (typeof action !== "function") throw new TypeErrorOf("setTimeout: a function is needed");
    if (armed >= limits.timers) throw new ErrorOf("setTimeout: " + armed + " timers are set already");
    const id = nextId++;
    const wait = delay > 0 ? (delay < limits.sleep ? +delay : limits.sleep) : 0;
    timers[id] = () => apply(action, undefined, args);
    armed++;
    tell("t", '{"id":' + id + ',"seconds":' + wait / 1000 + "}");
    return id;
  };
  const clearTimer = (id) => {
    if (typeof id === "number" && timers[id] !== undefined) {
      deleteProperty(timers, id);
      armed--;
    }
  };
  const rang = (id) => {
    const action = timers[id];
    if (action === undefined) return;
    clearTimer(+id);
    try {
      action();
    } catch (problem) {
      tellModel("a timer failed: " + shapes.words(problem));
    }
  };

  const env = {};
  keep("env", env);
  keep("log", freeze(log));
  keep("setFinal", freeze(setFinal));
  keep("console", freeze(voices));
  keep("setTimeout", freeze(setTimer));
  keep("clearTimeout", freeze(clearTimer));
  keep("queueMicrotask", freeze((action) => { (async () => { await null; action(); })(); }));
  for (const name of config.functions) keep(name, host(name));
  for (const name of config.globals) {
    answers[name] = { __proto__: null, text: "null", value: null, read: false };
    fixed(name, () => {
      const held = answers[name];
      if (!held.read) {
        held.value = parse(held.text);
        held.read = true;
      }
      return held.value;
    });
  }
  config.web(world);
  const { every, listedNames, declare, variables } = config.names({
    world, env, shapes, limits, add, cut, has, fresh,
  });
  const split = (text) => {
    const at = apply(indexOf, text, ["\n"]);
    return [cut(text, 0, at), cut(text, at + 1)];
  };
  const put = (text) => {
    const { 0: name, 1: json } = split(text);
    if (answers[name] !== undefined) {
      answers[name] = { __proto__: null, text: json, value: null, read: false };
    }
  };

  // A block.
  const begun = (n) => {
    return {
      __proto__: null, n, logs: [], noted: 0, said: 0, final: null, finalText: false,
      settled: false, closed: false, ok: true, value: undefined, refusal: "", box: null,
      promised: undefined, notes: [],
    };
  };
  const refuse = (text) => {
    const { 0: n, 1: thrown } = split(text);
    run = begun(+n);
    run.refusal = thrown;
    run.settled = true;
  };
  // An async function would ask what it returns for its `then`; in a box of ours nothing is asked.
  const named = (block) => (made, name) => {
    if (name === undefined) return (block.box = { __proto__: null, made });
    defineProperty(made, "name", { __proto__: null, value: name, configurable: true });
    return made;
  };
  const start = (text, block) => {
    const { n, names: made, portable, notes } = parse(text);
    run = begun(n);
    for (let i = 0; i < notes.length; i++) tellModel(notes[i]);
    declare(made);
    for (let i = 0; i < portable.length; i++) {
      const one = portable[i];
      sources[one[0]] = { __proto__: null, seen: one[1], source: one[2] };
    }
    const mine = run;
    (async () => {
      let ok = true;
      let value;
      try {
        value = await honest(apply(block, undefined, [named(mine)]));
        if (value === mine.box) value = isThenable(mine.box.made) ? await mine.box.made : mine.box.made;
        while (mine.promised !== undefined) {
          const final = await mine.promised;
          mine.promised = undefined;
          setFinal(final);
        }
      } catch (problem) {
        ok = false;
        value = problem;
      }
      mine.settled = true;
      mine.ok = ok;
      mine.value = value;
    })();
  };
  const finish = (reason, plain) => {
    const done = run;
    if (done === null) return;
    done.closed = true;
    timers = create(null);
    armed = 0;
    giveUp();
    let text = '{"n":' + done.n;
    if (reason === "stall") {
      text += ',"thrown":{"name":"Error","message":' + stringify(
        "the block waits for a promise, and nothing is left that could settle it") + "}";
    } else if (reason) text += ',"stopped":' + stringify(reason);
    else if (done.refusal) text += ',"thrown":' + done.refusal;
    else if (done.ok) text += ',"shape":' + shapes.of(done.value, limits.preview, plain);
    else text += ',"thrown":' + shapes.thrown(done.value, plain);
    if (done.final !== null) {
      text += ',"final":' + done.final + ',"final_text":' + (done.finalText ? "true" : "false");
    }
    text += ',"notes":[' + apply(join, done.notes, [","]) + "]";
    text += ',"logs":[' + apply(join, done.logs, [","]) + '],"variables":' + variables(plain) + "}";
    run = null;
    tell("d", text);
  };
  const idle = () => {
    if (run === null) return;
    const open = openCalls();
    if (run.settled) tell(open === 0 ? "e" : "w", "");
    else if (open === 0 && armed === 0) tell("z", "");
  };

  // What the parent asks for between blocks.
  const replied = (id, work) => {
    let text;
    try {
      text = '"value":' + bounded(work(), "the value");
    } catch (problem) {
      text = '"error":' + stringify(cut(shapes.words(problem), 0, 500));
    }
    tell("r", '{"id":' + id + "," + text + "}");
  };
  const found = (name) => {
    const inner = apply(startsWith, name, ["env."]);
    const holder = inner ? env : world;
    const key = inner ? cut(name, 4) : name;
    if (!has(holder, key)) throw new ErrorOf("there is no variable " + name);
    return holder[key];
  };
  const valueOf = (name) => {
    const text = stringify(found(name));
    if (text === undefined) throw new ErrorOf(name + " has no JSON");
    return text;
  };
  const define = (name, value) => {
    declare([name]);
    defineProperty(world, name, fresh(value));
    seeds[name] = value;
    return "true";
  };
  const memory = config.memory({
    every, sources, seeds, declare, world, env,
    sourceOf: (value) => apply(sourceOf, value, []),
    revive: (source) => evaluate("(" + source + "\n)"),
  });
  const ask = (operation, text) => {
    const { 0: id, 1: rest } = split(text);
    replied(id, () => {
      if (operation === "names") return "[" + apply(join, listedNames(), [","]) + "]";
      if (operation === "value") return valueOf(rest);
      if (operation === "checkpoint") return memory.save(+rest);
      if (operation === "restore") return memory.load(parse(rest));
      const { 0: name, 1: body } = split(rest);
      return define(name, operation === "text" ? body : parse(body));
    });
  };
  return (operation, text, block) => {
    if (operation === "idle") idle();
    else if (operation === "refuse") refuse(text);
    else if (operation === "start") start(text, block);
    else if (operation === "answer") answered(text);
    else if (operation === "put") put(text);
    else if (operation === "timer") rang(text);
    else if (operation === "finish") finish(text, false);
    else if (operation === "plain") finish(text, true);
    else ask(operation, text);
    const said = apply(join, outbox, ["\n"]);
    outbox = [];
    return said;
  };
})
