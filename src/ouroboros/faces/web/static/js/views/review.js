// What was changed, to be gone through hunk by hunk: accepted, taken back, remarked on.
import { Button, Empty, Failed, Icon, Loading, html, useEffect, useRef, useState, useTyped, useWatch } from "../ui.js";
import { FileDiff, Sign, piece, rows } from "../panels/diff.js";
import { Segments, TOUCHED, at, useLive } from "../panels/live.js";
import { oneLine, spelled } from "../text/safe.js";
import { count } from "../text/words.js";

const remarks = new Map();
const KEPT = 2000;

function mark(path, hunk) {
  let sum = 5381;
  for (const sign of `${path}\0${hunk.lines.join("")}`) sum = (Math.imul(sum, 33) ^ sign.codePointAt(0)) >>> 0;
  return `${sum.toString(36)}.${hunk.lines.length}`;
}

function useAccepted(session) {
  const name = `ouro.accepted.${session.id}`;
  const [found, set] = useState(() => new Set(read(name)));
  return [found, (marks, yes) => {
    const next = new Set(found);
    for (const each of marks) yes ? next.add(each) : next.delete(each);
    try {
      localStorage.setItem(name, JSON.stringify([...next].slice(-KEPT)));
    } catch {
      // What is not kept is accepted for as long as the page is open.
    }
    set(next);
  }];
}

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "[]");
  } catch {
    return [];
  }
}

export function View({ store, link, session, page, rest }) {
  useWatch(session);
  const [turn, choose] = useState(rest?.turn ?? "");
  useEffect(() => { if (rest?.turn) choose(rest.turn); }, [rest?.turn]);
  const [way, setWay] = useState(store.choices.diff ?? "unified");
  const [whole, setWhole] = useState({});
  const [accepted, accept] = useAccepted(session);
  const [note, write] = useState(null);
  const [last, remember] = useState(null);
  const [, redraw] = useState(0);
  const box = useRef(null);
  const points = useLive(session, TOUCHED, () => link.get(at(session, "points")));
  const found = useLive(session, TOUCHED, () => { setWhole({}); return link.get(at(session, "changes", { turn })); }, [turn]);
  const said = remarks.get(session.id) ?? [];
  const say = (next) => { remarks.set(session.id, next); redraw((n) => n + 1); };
  const steers = found.value?.steering ?? {};
  const what = (file) => steers[file.path] ?? steers[file.was] ?? "";
  // What steers later runs is shown apart, before the others.
  const files = (found.value?.files ?? []).map((file) => whole[file.path] ?? file).sort((a, b) => !what(a) - !what(b));
  const steering = files.filter(what);
  const hidden = new Set(found.value?.hidden);
  const start = found.value?.start;
  // Only what ends at the files as they are can be taken out of them.
  const isLive = Boolean(found.value) && !found.value.end;
  const running = session.running;

  // A hunk that is all of a file goes back with the file.
  const goesBack = (file) => isLive && !hidden.has(file.path) && !["added", "removed"].includes(file.status);
  const take = async (file, hunks) => {
    const command = hunks ? { type: "take_back", path: file.path, pieces: hunks.map(piece) }
      : { type: "restore", checkpoint: start, paths: [file.path, ...(file.was ? [file.was] : [])], foreign: "overwrite" };
    await store.attempt(async () => {
      const from = session.state.seq;
      const { seq } = await session.send(command);
      const found = (await session.between(from, seq)).findLast(({ type }) => type === "checkpoint.restored");
      if (found) remember({ path: file.path, was: file.was, before: found.data.start });
    });
  };
  const putBack = async () => {
    const paths = [last.path, ...(last.was ? [last.was] : [])];
    if (await store.attempt(() => session.send({ type: "restore", checkpoint: last.before, paths, foreign: "overwrite" }))) remember(null);
  };
  const show = async (file) => store.attempt(async () => {
    const one = await link.get(at(session, "changes", { turn, path: file.path }));
    setWhole((was) => ({ ...was, [file.path]: one.files[0] }));
  });
  const send = () => {
    page.prompt(words(said));
    say([]);
  };
  const step = (event, file, hunk) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.altKey || event.metaKey) return;
    const all = [...box.current.querySelectorAll(".hunk")];
    const here = all.indexOf(event.currentTarget);
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") all[here + (key === "j" ? 1 : -1)]?.focus();
    else if (key === "a") accept([mark(file.path, hunk)], !accepted.has(mark(file.path, hunk)));
    else if (key === "x" && !running && goesBack(file)) take(file, [hunk]);
    else if (key === "c") write({ path: file.path, hunk, line: begins(hunk) });
    else return;
    event.preventDefault();
  };

  const marks = files.flatMap((file) => file.hunks.map((hunk) => mark(file.path, hunk)));
  const left = marks.filter((each) => !accepted.has(each)).length;
  const plain = files.filter((file) => !what(file)).flatMap((file) => file.hunks.map((hunk) => mark(file.path, hunk)));
  const hasPlain = plain.some((each) => !accepted.has(each));
  const head = html`<div class="panel-head bar">
    <label class="grow"><span class="sr">What to show</span><select class="field" value=${turn} onChange=${(e) => choose(e.target.value)}>
      <option value="">The whole session</option>
      ${(points.value?.points ?? []).map((each) => html`<option key=${each.message_id} value=${each.message_id}>${each.number === 1 ? "Latest turn" : `Turn ${each.number} back`}: ${oneLine(each.text, 60)}</option>`)}</select></label>
    ${!page.isPhone && html`<${Segments} label="How" options=${{ unified: "Unified", sides: "Side by side" }} value=${way} choose=${(value) => { setWay(value); store.choose("diff", value); }} />`}
    <${Button} kind="quiet bare" icon="rewind" label="Rewind" onClick=${() => page.show("rewind")} /></div>`;
  if (!found.value && found.busy) return html`<${Loading} />`;
  if (found.error && !found.value) return html`<${Failed} error=${found.error} again=${found.again} />`;
  return html`<div class="panel review" ref=${box}>${head}
    ${found.error && html`<p class="note" role="alert">${found.error.message}</p>`}
    ${!files.length && html`<${Empty} icon="review" title=${turn ? "This turn changed no files" : "No files were changed"}>What tools and commands change in ${spelled(session.state.cwd)} is shown here, to be accepted, taken back or remarked on.<//>`}
    ${files.length > 0 && html`<p class="row small hush"><span class="grow num">${count(files.length, "file")} · ${left ? `${count(left, "hunk")} to look at` : "all accepted"}${found.value.more ? ` · ${count(found.value.more, "more file")}` : ""}</span>
      ${hasPlain && html`<${Button} kind="small quiet" icon="check" onClick=${() => accept(plain, true)}>${steering.length ? "Accept the others" : "Accept all"}<//>`}</p>
      ${steering.length > 0 && html`<p class="note row" role="note"><${Icon} name="warning" /><span class="grow">${count(steering.length, "file")} here ${steering.length === 1 ? "steers" : "steer"} later runs: <span class="foreign">${spelled(steering.slice(0, 3).map((file) => file.path).join(", "))}</span>${steering.length > 3 ? ` and ${steering.length - 3} more` : ""}.</span></p>`}
      ${files.length > 3 && html`<ul class="list file-index" aria-label="Files">${files.map((file, n) => html`<li key=${file.path}><button onClick=${() => box.current.querySelectorAll(".file")[n]?.scrollIntoView({ block: "start" })}><${Sign} status=${file.status} /><span class="cut foreign">${spelled(file.path)}</span></button></li>`)}</ul>`}`}
    ${last && html`<p class="note row" role="status"><${Icon} name="check" /><span class="grow">Taken back in <span class="foreign">${spelled(last.path)}</span>. The model is told.</span><${Button} kind="small" onClick=${putBack}>Put it back<//></p>`}
    ${running && isLive && files.length > 0 && html`<p class="note"><${Icon} name="warning" /> A run is under way: what is there can be looked at, and taken back once it has ended.</p>`}
    ${files.map((file) => html`<${FileDiff} key=${`${turn}/${file.path}`} file=${file} sides=${way === "sides" && !page.isPhone} load=${() => show(file)}
      head=${html`${what(file) && html`<span class="chip" title=${what(file)}>steers later runs</span>`}${hidden.has(file.path) && html`<span class="chip" title="Parts of it cannot be taken back">a secret is not shown</span>`}
        ${isLive && start && html`<${Button} kind="small quiet" disabled=${running} label="Bring the whole file back to what it was" icon="rewind" onClick=${() => take(file, null)}>${{ added: "Remove file", removed: "Bring back" }[file.status] ?? "File back"}<//>`}`}
      tools=${(hunk) => {
    const is = accepted.has(mark(file.path, hunk));
    return html`<${Button} kind="small quiet" aria-pressed=${is ? "true" : "false"} icon="check" onClick=${() => accept([mark(file.path, hunk)], !is)}>${is ? "Accepted" : "Accept"}<//>
      ${goesBack(file) && html`<${Button} kind="small quiet" icon="cross" disabled=${running} onClick=${() => take(file, [hunk])}>Take back<//>`}
      <${Button} kind="small quiet" icon="chat" onClick=${() => write({ path: file.path, hunk, line: begins(hunk) })}>Remark<//>`;
  }}
      frame=${(hunk) => {
    const is = accepted.has(mark(file.path, hunk));
    const mine = note?.path === file.path && note.hunk.new_start === hunk.new_start;
    return {
      class: is ? "is-accepted" : "", hidden: is && !mine,
      pick: (row) => write({ path: file.path, hunk, line: row[2] || row[1], text: row[3] }),
      rest: { tabindex: 0, onKeyDown: (event) => step(event, file, hunk) },
      after: mine && html`<${Remark} note=${note} close=${() => write(null)} keep=${(one) => { say([...said, one]); write(null); }} />`,
    };
  }} />`)}
    ${files.length > 0 && html`<p class="hush small keys-hint">On a hunk: <kbd>J</kbd> next, <kbd>K</kbd> before, <kbd>A</kbd> accept, <kbd>X</kbd> take back, <kbd>C</kbd> remark.</p>`}
    ${said.length > 0 && html`<div class="remarks card" role="region" aria-label="Remarks"><ul class="list stack">${said.map((one, n) => html`<li class="row" key=${n}><span class="grow"><code class="foreign">${spelled(one.path)}:${one.line}</code> ${one.text}</span>
      <${Button} kind="quiet small bare" icon="close" label="Drop this remark" onClick=${() => say(said.filter((_, at_) => at_ !== n))} /></li>`)}</ul>
      <${Button} kind="main" icon="chat" onClick=${send}>Put ${count(said.length, "remark")} into the prompt<//></div>`}
  </div>`;
}

const begins = (hunk) => { const row = rows(hunk).find((each) => each[0] !== " "); return row[2] || row[1]; };

function Remark({ note, keep, close }) {
  const [text, type, now] = useTyped("");
  const [line, pick, where] = useTyped(note.line);
  const lines = rows(note.hunk);
  const go = (event) => {
    event.preventDefault();
    const [words, at] = [now().trim(), Number(where())];
    const row = lines.find((each) => (each[2] || each[1]) === at) ?? lines[0];
    if (words) keep({ path: note.path, line: at, code: row[3], text: words });
  };
  return html`<form class="remark stack" onSubmit=${go} onKeyDown=${(event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) go(event); }}>
    <label><span class="field-label">Line</span><select class="field mono" value=${line} onChange=${(e) => pick(e.target.value)}>${lines.map(([sign, old, now, words]) => html`<option value=${now || old}>${now || old} ${sign} ${oneLine(words, 70)}</option>`)}</select></label>
    <label><span class="field-label">What should be otherwise?</span><textarea class="field" rows="3" autofocus ref=${(node) => node && !text && node.focus()} value=${text} onInput=${(e) => type(e.target.value)}></textarea></label>
    <div class="row end"><${Button} kind="small" onClick=${close}>Cancel<//><button class="button main small" type="submit" aria-disabled=${!text.trim()}>Keep the remark</button></div></form>`;
}

/** Remarks as words to the model. */
export function words(said) {
  const list = said.map((one) => `* \`${one.path}\`, line ${one.line}:\n  > ${one.code.trim().slice(0, 300)}\n\n  ${one.text.replaceAll("\n", "\n  ")}`);
  return `I looked through the changes. Please attend to ${said.length === 1 ? "this remark" : "these remarks"}:\n\n${list.join("\n\n")}\n`;
}
