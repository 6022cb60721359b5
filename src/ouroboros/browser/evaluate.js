// Runs code of ours in a page and tells its value as JSON text, cut before it leaves the page.
// The first letter of what comes back says what follows: v a value, t a cut one, e an error, r "not by me".
(() => {
  const { stringify } = JSON;
  const toEval = eval;
  const DEEPEST = 60, MOST = 200000;
  const FUNCTION = /^\s*\(*\s*(async\b\s*)?(function\b|\([^()]*(\([^()]*\)[^()]*)*\)\s*=>|[\w$]+\s*=>)/;

  const compiled = (text) => {
    try {
      return { made: toEval(text) };
    } catch (fault) {
      return { fault, blocked: fault?.name !== "SyntaxError" };
    }
  };

  const words = (thing) => {
    try {
      return String(thing).slice(0, 500);
    } catch {
      return "something that cannot be told";
    }
  };

  const failed = (fault) => {
    let text = "", line = 0;
    try {
      text = fault instanceof Error || typeof fault?.message === "string" ? `${fault.name}: ${fault.message}` : words(fault);
      const place = /<anonymous>:(\d+):\d+\)?$/m.exec(String(fault?.stack ?? ""));
      line = place ? Number(place[1]) : 0;
    } catch {
      text = words(fault);
    }
    return "e" + stringify({ message: words(text), line });
  };

  const named = (node) => {
    const id = node.id ? `#${node.id}` : "";
    const text = node.nodeType === 1 ? `<${node.localName}${id}>` : node.nodeName;
    return `[node ${words(text)}]`;
  };

  // What JSON has no word for; `undefined` when it has one.
  const odd = (value) => {
    if (typeof value === "bigint") return value.toString();
    if (typeof value === "function") return `[function ${words(value.name)}]`;
    if (typeof value === "symbol") return words(value.toString());
    if (typeof value !== "object" || value === null) return undefined;
    if (value instanceof Node) return named(value);
    if (value instanceof Error) return `[${words(value)}]`;
    if (value instanceof RegExp) return words(value);
    if (value === globalThis) return "[window]";
    return undefined;
  };

  const listed = (value) => {
    if (value instanceof Map) return [...value.entries()];
    if (value instanceof Set || value instanceof NodeList || value instanceof HTMLCollection) return [...value];
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value);
    return value;
  };

  // The slow way, for cycles, getters that throw, and structures without an end.
  const copied = (value, depth, above, count) => {
    const word = odd(value);
    if (word !== undefined) return word;
    if (typeof value !== "object" || value === null) return value;
    if (above.includes(value)) return "[circular]";
    if (depth > DEEPEST || ++count.all > MOST) return "[more]";
    above.push(value);
    try {
      const plain = listed(value);
      if (Array.isArray(plain)) return plain.map((item) => copied(item, depth + 1, above, count));
      const copy = {};
      for (const key of Object.keys(plain)) {
        try {
          copy[key] = copied(plain[key], depth + 1, above, count);
        } catch (fault) {
          copy[key] = `[threw ${words(fault)}]`;
        }
      }
      return copy;
    } catch (fault) {
      return `[threw ${words(fault)}]`;
    } finally {
      above.pop();
    }
  };

  const encoded = (value) => {
    try {
      return stringify(value, (_, inner) => odd(inner) ?? listed(inner));
    } catch {
      return stringify(copied(value, 0, [], { all: 0 }));
    }
  };

  // Half a surrogate pair is no text that another program could read.
  const wellFormed = (text) =>
    /\\ud[89a-f]/.test(text) ? text.replace(/\\(?:ud[89a-f]..|.)/g, (part) => (part.length > 2 ? "\\ufffd" : part)) : text;

  const tell = (value, limit) => {
    try {
      if (typeof value === "string" && value.length > limit) {
        return "t" + stringify({ __truncated: true, originalLength: value.length, data: value.slice(0, limit) });
      }
      const text = wellFormed(encoded(value) ?? "null");
      if (text.length <= limit) return "v" + text;
      return "t" + stringify({ __truncated: true, originalLength: text.length, data: text.slice(0, limit) });
    } catch (fault) {
      return failed(fault);
    }
  };

  const NO_VALUE = "e" + stringify({
    message: "TypeError: the code comes to a function, not to a value: call it, as in (() => value)()",
    line: 0,
  });

  // Without a promise there is nothing to wait for: the answer is there at once.
  const settled = (value, code, limit, isCalled) => {
    if (value !== null && /^[of]/.test(typeof value) && typeof value.then === "function") {
      return awaited(value, code, limit, isCalled);
    }
    if (typeof value !== "function") return tell(value, limit);
    return !isCalled && FUNCTION.test(code) ? settled(value(), code, limit, true) : NO_VALUE;
  };

  const awaited = async (value, code, limit, isCalled) => {
    try {
      return settled(await value, code, limit, isCalled);
    } catch (fault) {
      return failed(fault);
    }
  };

  const run = (code, limit) => {
    try {
      const bare = code.replace(/[;\s]+$/, "");
      const waits = /\bawait\b/.test(bare) ? "async" : "";
      const expression = compiled(`(${waits}()=>(${bare}\n))`);
      if (expression.made) return settled(expression.made(), bare, limit, false);
      if (expression.blocked) return "r";
      const script = compiled(`if(0){${code}\n}`);
      if (!script.fault) return settled(toEval(code), code, limit, false);
      const body = compiled(`(async()=>{${code}\n})`);
      if (body.fault) return failed(body.fault);
      return /\breturn\b/.test(code) ? settled(body.made(), code, limit, true) : "r";
    } catch (fault) {
      return failed(fault);
    }
  };

  return { run, tell };
})()
