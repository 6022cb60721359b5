// What browsers have beside the language and models take for granted: URL, URLSearchParams,
// structuredClone, atob, btoa. Plain code of the isolate's own world; it reaches nothing outside.
(function (world) {
  "use strict";
  const hidden = (name, value) => Object.defineProperty(world, name, {
    value, writable: true, enumerable: false, configurable: true,
  });
  const decode = (text) => {
    const spaced = text.replaceAll("+", " ");
    try {
      return decodeURIComponent(spaced);
    } catch {
      return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (part) => {
        try {
          return decodeURIComponent(part);
        } catch {
          return part;
        }
      });
    }
  };
  const encode = (text) => encodeURIComponent(text).replaceAll("%20", "+")
    .replace(/[!'()~]/g, (sign) => "%" + sign.charCodeAt(0).toString(16).toUpperCase());

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(from = "", changed = undefined) {
      if (typeof from === "string") {
        for (const part of from.replace(/^\?/, "").split("&")) {
          if (!part) continue;
          const at = part.indexOf("=");
          this.#pairs.push(at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]);
        }
      } else if (from !== null && from !== undefined) {
        const pairs = typeof from[Symbol.iterator] === "function" ? [...from] : Object.entries(from);
        for (const [name, value] of pairs) this.#pairs.push([String(name), String(value)]);
      }
      if (changed) this.#changed = changed;
    }
    get size() { return this.#pairs.length; }
    get(name) { return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]); }
    has(name) { return this.#pairs.some((pair) => pair[0] === String(name)); }
    append(name, value) {
      this.#pairs.push([String(name), String(value)]);
      this.#changed();
    }
    set(name, value) {
      const at = this.#pairs.findIndex((pair) => pair[0] === String(name));
      if (at < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter((pair, i) => i <= at || pair[0] !== String(name));
      this.#pairs[at] = [String(name), String(value)];
      this.#changed();
    }
    delete(name) {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name));
      this.#changed();
    }
    sort() {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#changed();
    }
    forEach(action, self) { for (const [name, value] of this.#pairs) action.call(self, value, name, this); }
    *keys() { for (const pair of this.#pairs) yield pair[0]; }
    *values() { for (const pair of this.#pairs) yield pair[1]; }
    *entries() { for (const pair of this.#pairs) yield [pair[0], pair[1]]; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map((pair) => encode(pair[0]) + "=" + encode(pair[1])).join("&"); }
  }

  const PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21" };
  const whole = /^([a-z][a-z0-9+.-]*:)(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/i;
  const quoted = (text) => text.replace(/[\s"<>`{}]|[^\x00-\x7f]+/g, encodeURIComponent);
  const steps = (path) => {
    const kept = [];
    const parts = path.split("/");
    for (let i = 0; i < parts.length; i++) {
      const isLast = i === parts.length - 1;
      if (parts[i] === "..") kept.pop();
      else if (parts[i] !== ".") {
        kept.push(parts[i]);
        continue;
      }
      if (isLast) kept.push("");
      if (!kept.length) kept.push("");
    }
    const text = kept.join("/");
    return text.startsWith("/") ? text : "/" + text;
  };
  const invalid = (text) => new TypeError("Invalid URL: " + String(text).slice(0, 200));
  const split = (text) => {
    const found = whole.exec(text);
    if (!found) return null;
    const [, scheme, authority, path, search = "", hash = ""] = found;
    return { protocol: scheme.toLowerCase(), authority, path, search, hash };
  };
  const resolved = (text, base) => {
    const own = split(text);
    if (own && (own.authority !== undefined || !(own.protocol in PORTS))) return own;
    if (base === undefined || own) return null;
    const from = split(new URL(base).href);
    if (text.startsWith("//")) return split(from.protocol + text);
    const [, path, search, hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(text);
    if (path === "") {
      return { ...from, search: search ?? (text.startsWith("?") ? "" : from.search), hash };
    }
    const rooted = path.startsWith("/") ? path : from.path.slice(0, from.path.lastIndexOf("/") + 1) + path;
    return { ...from, path: rooted, search: search ?? "", hash };
  };

  class URL {
    #parts;
    #searchParams;
    constructor(address, base = undefined) {
      const text = String(address).trim().replace(/[\t\n\r]/g, "");
      const found = resolved(text, base);
      if (!found) throw invalid(address);
      const { protocol, authority, path, search, hash } = found;
      const isWeb = protocol in PORTS;
      const place = /^(?:([^@]*?)(?::([^@]*))?@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority ?? "");
      if (!place || (isWeb && (!place[3] || /[\s<>^|%]/.test(place[3]) || +place[4] > 65535))) throw invalid(address);
      this.#parts = {
        protocol, username: place[1] ?? "", password: place[2] ?? "", hasHost: authority !== undefined,
        hostname: isWeb ? place[3].toLowerCase() : place[3],
        port: place[4] && place[4] !== PORTS[protocol] ? String(+place[4]) : "",
        pathname: quoted(isWeb ? steps(path.replaceAll("\\", "/")) : path),
        search: search === "?" ? "" : quoted(search), hash: hash === "#" ? "" : quoted(hash),
      };
    }
    static canParse(address, base) { return URL.parse(address, base) !== null; }
    static parse(address, base) {
      try {
        return new URL(address, base);
      } catch {
        return null;
      }
    }
    get protocol() { return this.#parts.protocol; }
    get username() { return this.#parts.username; }
    get password() { return this.#parts.password; }
    get hostname() { return this.#parts.hostname; }
    get port() { return this.#parts.port; }
    get host() { return this.hostname + (this.port && ":" + this.port); }
    get pathname() { return this.#parts.pathname; }
    get search() { return this.#parts.search; }
    get hash() { return this.#parts.hash; }
    get origin() { return this.protocol in PORTS ? this.protocol + "//" + this.host : "null"; }
    get href() {
      const { protocol, username, password, hasHost, pathname, search, hash } = this.#parts;
      const user = username || password ? username + (password && ":" + password) + "@" : "";
      return protocol + (hasHost ? "//" + user + this.host : "") + pathname + search + hash;
    }
    set pathname(path) {
      this.#parts.pathname = quoted(steps(String(path).replace(/[?#]/g, encodeURIComponent)));
    }
    set search(text) {
      const query = String(text).replace(/^\?/, "").replaceAll("#", "%23");
      this.#parts.search = query && "?" + quoted(query);
      this.#searchParams = undefined;
    }
    set hash(text) {
      const name = String(text).replace(/^#/, "");
      this.#parts.hash = name && "#" + quoted(name);
    }
    get searchParams() {
      this.#searchParams ??= new URLSearchParams(this.search, () => {
        const query = this.#searchParams.toString();
        this.#parts.search = query && "?" + query;
      });
      return this.#searchParams;
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }

  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const btoa = (value) => {
    const text = String(value);
    const made = [];
    for (let i = 0; i < text.length; i += 3) {
      const [a, b, c] = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)];
      if (a > 255 || b > 255 || c > 255) throw new RangeError("btoa: a character is above U+00FF");
      made.push(ALPHABET[a >> 2] + ALPHABET[((a & 3) << 4) | (b >> 4)]
        + (i + 1 < text.length ? ALPHABET[((b & 15) << 2) | (c >> 6)] : "=")
        + (i + 2 < text.length ? ALPHABET[c & 63] : "="));
    }
    return made.join("");
  };
  const atob = (value) => {
    const text = String(value).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new TypeError("atob: this is no base64");
    const made = [];
    for (let i = 0, bits = 0, held = 0; i < text.length; i++) {
      held = ((held << 6) | ALPHABET.indexOf(text[i])) & 0xffff;
      bits += 6;
      if (bits >= 8) made.push(String.fromCharCode((held >> (bits -= 8)) & 255));
    }
    return made.join("");
  };

  const structuredClone = (value, seen = new Map()) => {
    if (typeof value === "function" || typeof value === "symbol") {
      throw new TypeError("structuredClone: a " + typeof value + " could not be cloned");
    }
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const kept = (made) => {
      seen.set(value, made);
      return made;
    };
    if (value instanceof Date) return kept(new Date(value.getTime()));
    if (value instanceof RegExp) return kept(new RegExp(value.source, value.flags));
    if (value instanceof Promise) throw new TypeError("structuredClone: a promise could not be cloned: await it");
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return kept(value.slice());
    if (value instanceof Map) {
      const made = kept(new Map());
      for (const [key, inner] of value) made.set(structuredClone(key, seen), structuredClone(inner, seen));
      return made;
    }
    if (value instanceof Set) {
      const made = kept(new Set());
      for (const inner of value) made.add(structuredClone(inner, seen));
      return made;
    }
    if (value instanceof Error) return kept(new Error(value.message));
    const made = kept(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) {
      Object.defineProperty(made, key, {
        value: structuredClone(value[key], seen), writable: true, enumerable: true, configurable: true,
      });
    }
    return made;
  };

  hidden("URL", URL);
  hidden("URLSearchParams", URLSearchParams);
  hidden("atob", atob);
  hidden("btoa", btoa);
  hidden("structuredClone", (value) => structuredClone(value));
})
