// The prompt: words, commands, files by @, pictures by paste; sent, said meanwhile, or kept for later.
import { Button, Icon, html, useLayoutEffect, useRef, useState } from "../ui.js";
import { filtered } from "../shell/dialog.js";
import { oneLine, plain } from "../text/safe.js";
import { modes } from "../text/words.js";
import { carryOut, commands, isLine } from "./commands.js";
import { listed } from "./mentions.js";

const drafts = new Map();
const PICTURE_BYTES = 5_000_000;

/** Words of the person's that were taken back stand in the prompt again, unless others do. */
export function giveBack(page, session, message) {
  const said = session.state.byMessage.get(message);
  if (said?.kind !== "user" || !said.text || drafts.get(session.id)) return;
  drafts.set(session.id, said.text);
  if (page.store.current === session) for (const take of page.prompts) take(said.text);
}

export function Composer({ store, session, page, link }) {
  const { state } = session;
  const [text, setText] = useState(drafts.get(session.id) ?? "");
  const [media, setMedia] = useState([]);
  const [menu, setMenu] = useState(null);
  const back = useRef(0);
  const field = useRef(null);
  const last = useRef(Promise.resolve());
  const running = session.running;
  const type = (words) => { drafts.set(session.id, words); setText(words); };
  // What was pasted counts before it is drawn.
  const typed = () => drafts.get(session.id) ?? "";

  useLayoutEffect(() => {
    const area = field.current;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, innerHeight * 0.4)}px`;
  }, [text]);
  useLayoutEffect(() => {
    const take = (words) => {
      if (words !== undefined) { type(words); back.current = 0; suggest(words, words.length); }
      field.current?.focus();
    };
    page.prompts.add(take);
    if (matchMedia("(pointer: fine)").matches && !document.querySelector("[role=dialog]")) field.current?.focus();
    return () => page.prompts.delete(take);
  }, []);

  const suggest = async (words, at) => {
    const before = words.slice(0, at);
    const slash = /^\/(\S*)$/.exec(before);
    if (slash) {
      const known = await commands(link);
      if (field.current?.value !== words) return;
      const options = Object.entries(known).map(([name, each]) => ({
        value: `/${name} `, label: `/${name}`, from: 0, off: running && each.waits,
        hint: running && each.waits ? "when the run has ended" : each.meaning,
      }));
      setMenu({ options: filtered(options, before).slice(0, 12), at: 0 });
      return;
    }
    const mention = /(?:^|\s)@([^\s@]{0,200})$/.exec(before);
    if (!mention) { setMenu(null); return; }
    const from = at - mention[1].length - 1;
    const found = await listed(link, session, mention[1]).catch(() => []);
    if (field.current?.value !== words) return;
    const options = found.map((each) => ({ value: `@${each.path}${each.isFolder ? "" : " "}`, label: each.path, from, hint: each.isFolder ? "folder" : each.hint ?? "", more: each.isFolder }));
    setMenu(options.length ? { options, at: 0 } : null);
  };

  const take = (option) => {
    if (!option || option.off) return;
    const at = field.current.selectionStart;
    const words = text.slice(0, option.from) + option.value + text.slice(at).replace(/^\s+/, "");
    type(words);
    setMenu(null);
    const cursor = option.from + option.value.length;
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(cursor, cursor);
      if (option.more) suggest(words, cursor);
    });
  };

  const say = (how) => {
    const words = typed().trim();
    const handed = media;
    if (!words && !handed.length) return;
    setMenu(null);
    type("");
    setMedia([]);
    back.current = 0;
    // One after the other, in the order in which they were said.
    last.current = last.current.then(async () => {
      const did = await store.attempt(() => sent(words, handed, how));
      if (did || field.current?.value) return;
      type(words);
      setMedia(handed);
    });
  };
  const sent = (words, handed, how) => {
    if (isLine(words)) return carryOut(words, { session, store, page, link });
    if (!session.running) {
      const pictures = handed.map(({ media_type, data, name }) => ({ type: "media", media_type, data, name }));
      return session.send({ type: "submit", text: words, ...(pictures.length ? { media: pictures } : {}) });
    }
    if (handed.length) throw Object.assign(new Error("Pictures can be handed in when the run has ended"), { hint: "Esc stops it" });
    return session.send({ type: how === "queue" ? "queue" : "steer", text: words });
  };

  const recall = (step) => {
    const said = state.words;
    const next = Math.min(Math.max(back.current + step, 0), said.length);
    if (next === back.current) return;
    back.current = next;
    const words = next ? said[said.length - next] : "";
    type(words);
    requestAnimationFrame(() => field.current?.setSelectionRange(words.length, words.length));
  };

  const keys = (event) => {
    if (event.isComposing) return;
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    const done = () => { event.preventDefault(); event.stopPropagation(); };
    if (menu?.options.length) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (step) { done(); setMenu({ ...menu, at: (menu.at + step + menu.options.length) % menu.options.length }); return; }
      const whole = text === menu.options[menu.at].value.trim();
      if (key === "Tab" || (key === "Enter" && !shiftKey && !whole)) { done(); take(menu.options[menu.at]); return; }
      if (key === "Escape") { done(); setMenu(null); return; }
    }
    if (key === "Enter" && !shiftKey && !altKey) { done(); say("steer"); }
    else if (key === "Tab" && shiftKey) { done(); nextMode(); }
    else if (key === "Tab" && running && typed().trim()) { done(); say("queue"); }
    else if (key === "ArrowUp" && (!text || back.current) && !ctrlKey && !metaKey) { done(); recall(1); }
    else if (key === "ArrowDown" && back.current) { done(); recall(-1); }
  };

  const nextMode = () => {
    const names = Object.keys(modes);
    const mode = names[(names.indexOf(state.mode) + 1) % names.length];
    store.attempt(() => session.send({ type: "set_mode", mode }));
  };

  const attach = async (files) => {
    for (const file of files) {
      if (!/^image\/(?:png|jpeg|gif|webp)$/.test(file.type)) { store.say(`${oneLine(file.name, 60)} is no picture`, { kind: "error", hint: "mention a file by @ instead" }); continue; }
      if (file.size > PICTURE_BYTES) { store.say(`${oneLine(file.name, 60)} is larger than 5 MB`, { kind: "error" }); continue; }
      const data = await base64(file);
      setMedia((was) => [...was, { media_type: file.type, data, name: file.name || "picture" }]);
    }
  };
  const pictures = (list) => [...(list ?? [])].filter((each) => each.type.startsWith("image/"));
  const paste = (event) => {
    const found = pictures(event.clipboardData?.files);
    if (found.length) { event.preventDefault(); attach(found); }
  };
  const drop = (event) => {
    event.preventDefault();
    attach([...(event.dataTransfer?.files ?? [])]);
  };

  const hint = running ? "Enter says it to the model now, Tab keeps it for after the run" : "Enter sends, Shift+Enter makes a new line, / commands, @ files";
  return html`<div class="composer" onDragOver=${(e) => e.preventDefault()} onDrop=${drop}>
    <${Later} ...${{ state, session, store }} />
    ${menu?.options.length > 0 && html`<ul class="menu-list card suggest" role="listbox" id="suggest" aria-label="Suggestions">${menu.options.map((each, n) => html`
      <li key=${each.label} id=${`suggest-${n}`} role="option" aria-selected=${n === menu.at ? "true" : "false"} aria-disabled=${each.off ? "true" : undefined} onMouseDown=${(e) => { e.preventDefault(); take(each); }}
        ref=${n === menu.at ? (node) => node?.scrollIntoView({ block: "nearest" }) : null}><span class="mono foreign">${plain(each.label)}</span><span class="hush small cut foreign">${oneLine(each.hint, 120)}</span></li>`)}</ul>`}
    <div class="prompt card">
      ${media.length > 0 && html`<ul class="list row pictures">${media.map((each, n) => html`<li key=${n}><img src=${`data:${each.media_type};base64,${each.data}`} alt=${oneLine(each.name, 60)} /><${Button} kind="quiet small bare" icon="close" label=${`Leave out ${oneLine(each.name, 40)}`} onClick=${() => setMedia(media.filter((_, at) => at !== n))} /></li>`)}</ul>`}
      <textarea ref=${field} rows="1" aria-label=${running ? "Say something while it runs" : "Say what shall be done"} aria-describedby="prompt-hint" placeholder=${running ? "Steer, or Tab to say it afterwards" : "Say what shall be done"}
        value=${text} onInput=${(e) => { back.current = 0; type(e.target.value); suggest(e.target.value, e.target.selectionStart); }} onKeyDown=${keys} onPaste=${paste} onBlur=${() => setTimeout(() => document.activeElement !== field.current && setMenu(null), 150)}
        role="combobox" aria-autocomplete="list" aria-expanded=${menu?.options.length ? "true" : "false"} aria-controls="suggest" aria-activedescendant=${menu?.options.length ? `suggest-${menu.at}` : undefined}></textarea>
      <div class="prompt-foot"><label class="button quiet small bare" title="Hand in a picture"><${Icon} name="artifacts" label="Hand in a picture" /><input class="sr" type="file" accept="image/png,image/jpeg,image/gif,image/webp" multiple onChange=${(e) => { attach([...e.target.files]); e.target.value = ""; }} /></label>
        <span class="hush small grow cut" id="prompt-hint">${hint}</span>
        ${running && html`<${Button} kind="small" onClick=${() => say("queue")} disabled=${!text.trim()}>Later<//>`}
        <${Button} kind="main small" icon="send" onClick=${() => say("steer")} disabled=${!text.trim() && !media.length}>${running ? "Steer" : "Send"}<//></div>
    </div></div>`;
}

function Later({ state, session, store }) {
  if (!state.later.size) return null;
  return html`<ul class="list later" aria-label="Said when the run has ended">${[...state.later].map(([id, words]) => html`<li key=${id} class="small row"><span class="hush">Then:</span><span class="grow cut foreign" title=${oneLine(words, 400)}>${oneLine(words, 200)}</span>
    <${Button} kind="quiet small bare" icon="close" label="Do not say it" onClick=${() => store.attempt(() => session.send({ type: "dequeue", id }))} /></li>`)}</ul>`;
}

async function base64(file) {
  const address = await new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(",") + 1);
}
