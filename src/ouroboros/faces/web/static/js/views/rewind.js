// Where the session can go back to: each turn with what it changed, and the way back.
import { Button, Empty, Failed, Icon, Loading, html, useState, useWatch } from "../ui.js";
import { giveBack } from "../chat/composer.js";
import { FileDiff } from "../panels/diff.js";
import { Segments, TOUCHED, at, useLive } from "../panels/live.js";
import { oneLine, spelled } from "../text/safe.js";
import { ago, count } from "../text/words.js";

export function View({ store, link, session, page }) {
  useWatch(session);
  const found = useLive(session, TOUCHED, () => link.get(at(session, "points")));
  const [open, turn] = useState("");
  const running = session.running;
  const send = (command) => store.attempt(() => session.send(command));
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  const { points, undone, undoable } = found.value;
  // What stands in the way is decided where it is seen.
  const undo = async () => {
    const { message_id: latest } = points[0];
    if (await send({ type: "undo" })) giveBack(page, session, latest);
    else turn(latest);
  };
  return html`<div class="panel rewind"><div class="panel-head bar"><span class="grow hush small">Nothing is lost: what is taken back can be had again.</span>
    <${Button} kind="small" disabled=${running || !points.length || !undoable} onClick=${undo}>Undo the latest turn<//>
    <${Button} kind="small" disabled=${running || !undone} onClick=${() => send({ type: "redo" })}>Redo${undone > 1 ? ` (${undone})` : ""}<//></div>
    ${running && html`<p class="note"><${Icon} name="warning" /><span class="grow">A run is under way. Stop it to go back.</span><${Button} kind="small bad" icon="stop" onClick=${page.stop}>Stop<//></p>`}
    ${!points.length && html`<${Empty} icon="rewind" title="Nothing to go back to yet">Every turn you begin stands here, with what it changed in files.<//>`}
    <ol class="list points">${points.map((point) => html`<li key=${point.message_id} class="card point">
      <button class="point-head" aria-expanded=${open === point.message_id ? "true" : "false"} onClick=${() => turn(open === point.message_id ? "" : point.message_id)}>
        <span class="point-number num" aria-hidden="true">${point.number}</span>
        <span class="grow"><span class="point-words foreign">${oneLine(point.text, 200)}</span>
          <span class="hush small num">${point.number === 1 ? "latest turn" : `turn ${point.number} back`}${point.at ? ` · ${ago(point.at)}` : ""} · ${changed(point)}</span></span>
        <${Icon} name=${open === point.message_id ? "down" : "right"} /></button>
      ${open === point.message_id && html`<${Point} ...${{ store, link, session, point, running, page }} isDeep=${point.number > undoable} />`}</li>`)}</ol></div>`;
}

function changed({ added, changed: touched, removed }) {
  if (added < 0) return "its files are not kept any more";
  const words = [added && `${added} new`, touched && `${touched} changed`, removed && `${removed} removed`].filter(Boolean);
  return words.length ? `${words.join(", ")} ${added + touched + removed === 1 ? "file" : "files"}` : "no files";
}

function wouldChange({ added, changed: touched, removed }) {
  const words = [[added, "comes back", "come back"], [touched, "changes", "change"], [removed, "goes", "go"]];
  return words.filter(([some]) => some).map(([some, one, many]) => `${count(some, "file")} ${some === 1 ? one : many}`).join(", ");
}

function Point({ store, link, session, point, running, page, isDeep }) {
  const found = useLive(session, TOUCHED, () => link.get(at(session, `points/${encodeURIComponent(point.message_id)}/diff`)), [point.message_id]);
  const [what, choose] = useState("both");
  const [foreign, decide] = useState("");
  const [busy, work] = useState(false);
  const send = async (commands) => {
    const did = await store.attempt(async () => { for (const command of commands) await session.send(command); });
    if (did && commands.some(({ type }) => type !== "restore")) giveBack(page, session, point.message_id);
    return did;
  };
  if (!found.value) return html`<div class="point-body">${found.error ? html`<p class="note" role="alert">${found.error.message}</p>` : html`<${Loading} />`}
    ${found.error && html`<${Back} what="conversation" go=${() => send([{ type: "rewind", message_id: point.message_id }])} off=${running} />`}</div>`;
  const { made } = found.value;
  // Turns that are undone leave alone what none of them touched; going back further is a restore.
  const isUndo = what === "both" && !isDeep;
  const back = (isUndo && found.value.undo) || found.value.back;
  const asks = what !== "conversation" && back.foreign.length > 0;
  const go = async () => {
    work(true);
    const decision = asks ? foreign : "ask";
    const before = { message_id: point.message_id };
    const files = { type: "restore", ...before, foreign: decision }, words = { type: "rewind", ...before };
    const commands = { both: isUndo ? [{ type: "undo", turns: point.number, foreign: decision }] : [files, words], files: [files], conversation: [words] }[what];
    if (await send(commands)) store.say({ both: "Words and files are as they were before", files: "Files are as they were before", conversation: "The conversation goes on from before" }[what]);
    work(false);
  };
  return html`<div class="point-body stack">
    ${made.files.length > 0 && html`<details><summary>What this turn changed: ${count(made.files.length, "file")}</summary><div class="stack">${made.files.slice(0, 50).map((file) => html`<${FileDiff} key=${file.path} file=${file} open=${made.files.length < 4} load=${() => page.show("review", { turn: point.message_id })} />`)}</div></details>`}
    <fieldset class="way"><legend>Go back to before these words</legend>
      <${Segments} label="What goes back" options=${{ both: "Both", files: "Files", conversation: "Conversation" }} value=${what} choose=${choose} />
      ${what !== "conversation" && html`<p class="small hush">${back.changes.files.length ? `${wouldChange(back)}.` : "No file is different."}</p>
        ${back.changes.files.length > 0 && html`<details><summary>What would change</summary><div class="stack">${back.changes.files.slice(0, 50).map((file) => html`<${FileDiff} key=${file.path} file=${file} open=${back.changes.files.length < 4} />`)}</div></details>`}
        ${Object.keys(back.left).length > 0 && html`<details><summary>${count(Object.keys(back.left).length, "path")} ${Object.keys(back.left).length === 1 ? "that stays as it is" : "that stay as they are"}</summary><ul class="small">${Object.entries(back.left).slice(0, 100).map(([path, why]) => html`<li><code class="foreign">${spelled(path)}</code>: ${oneLine(why, 200)}</li>`)}</ul></details>`}`}
      ${asks && html`<fieldset class="note foreign-edits"><legend>Changed by somebody else since</legend>
        <ul class="small">${back.foreign.slice(0, 30).map((path) => html`<li><code class="foreign">${spelled(path)}</code>${back.unsure.includes(path) ? " (or by a command)" : ""}</li>`)}</ul>
        <label class="choice"><input type="radio" name="foreign" checked=${foreign === "keep"} onChange=${() => decide("keep")} /><span>Leave these as they are</span></label>
        <label class="choice"><input type="radio" name="foreign" checked=${foreign === "overwrite"} onChange=${() => decide("overwrite")} /><span>Bring these back too; what is new goes</span></label></fieldset>`}
      <${Back} what=${what} go=${go} off=${running || busy || (asks && !foreign)} />
    </fieldset></div>`;
}

function Back({ what, go, off }) {
  const words = { both: "Take back words and files", files: "Bring the files back", conversation: "Go on from before" }[what];
  return html`<div><${Button} kind="main" icon="rewind" disabled=${off} onClick=${go}>${words}<//></div>`;
}
