// Foreign text as a page may show it: what nobody sees, or what turns the line round, is spelled out.

const CSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])/g;
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\uddef]/g;
const HIDDEN = /[\u200c\u200d\ufe00-\ufe0f]/g;

const spell = (each) => `\\u{${each.codePointAt(0).toString(16)}}`;

/** Words to read: no terminal codes, no turned or hidden letters; carriage returns are line ends. */
export function plain(text) {
  const words = String(text ?? "");
  if (/^[\n\t\x20-\x7e]*$/.test(words)) return words;
  return words.replace(CSI, "").replace(/\r\n?/g, "\n").replace(UNSAFE, spell);
}

/** What is asked about exactly: nothing is left out, everything unseen is spelled. */
export function spelled(text) {
  const words = String(text ?? "");
  if (/^[\n\t\x20-\x7e]*$/.test(words)) return words;
  return words.replace(UNSAFE, spell).replace(HIDDEN, spell);
}

export function oneLine(text, limit = 200) {
  const line = plain(String(text ?? "").slice(0, limit * 4)).replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Where a link leads, if a person may follow it: {href, host}; null for anything but web and mail. */
export function target(address) {
  const words = String(address ?? "").replace(/[\u0000-\u0020\u007f]/g, "");
  if (!/^(?:https?:\/\/|mailto:)/i.test(words)) return null;
  try {
    const url = new URL(words);
    if (url.username || url.password) return null;
    return { href: url.href, host: url.protocol === "mailto:" ? url.pathname : url.host };
  } catch {
    return null;
  }
}

/** JSON text with two spaces, or as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return String(text ?? "");
  }
}
