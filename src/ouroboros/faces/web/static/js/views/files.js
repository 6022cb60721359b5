// The files of the session's folders, to be read: a tree with marks of what changed, and a look into each.
import { Button, CopyButton, Empty, Failed, Icon, Loading, Picture, html, useAutofocus, useEffect, useRef, useState, useWatch } from "../ui.js";
import { Sign } from "../panels/diff.js";
import { Segments, TOUCHED, at, useLive } from "../panels/live.js";
import { coloured } from "../text/code.js";
import { oneLine, spelled } from "../text/safe.js";
import { bytes, count, folder, number } from "../text/words.js";

const kept = new Map();
const PAGE = 300;

export function View({ link, session, page, rest }) {
  useWatch(session);
  const memory = kept.get(session.id) ?? { open: new Set([""]), root: 0, file: "", how: "all" };
  kept.set(session.id, memory);
  const [, redraw] = useState(0);
  const change = (more) => { Object.assign(memory, more); redraw((n) => n + 1); };
  useEffect(() => { if (rest?.path) change({ file: rest.path }); }, [rest?.path]);
  const marks = useLive(session, TOUCHED, () => link.get(at(session, "files/marks", { root: memory.root })), [memory.root]);
  const top = useLive(session, [], () => link.get(at(session, "files", { root: memory.root, limit: 1 })), [memory.root]);
  if (!top.value) return top.error ? html`<${Failed} error=${top.error} again=${top.again} />` : html`<${Loading} />`;
  const said = marks.value ?? { session: {}, git: {}, branch: "" };
  const paths = [...new Set([...Object.keys(said.session), ...Object.keys(said.git)])].sort();
  const { roots } = top.value;
  return html`<div class="panel files"><div class="panel-head bar">
    ${roots.length > 1 ? html`<label class="grow"><span class="sr">Folder</span><select class="field" value=${memory.root} onChange=${(e) => change({ root: Number(e.target.value), open: new Set([""]), file: "" })}>
      ${roots.map((root) => html`<option value=${root.number} disabled=${!root.is_there}>${root.number ? "brought in: " : ""}${spelled(root.path)}</option>`)}</select></label>`
    : html`<span class="grow cut foreign" title=${spelled(roots[0].path)}><strong>${spelled(folder(roots[0].path))}</strong>${said.branch && html`<span class="hush"> on ${oneLine(said.branch, 60)}</span>`}</span>`}
    <${Segments} label="Which files" options=${{ all: "All", changed: `Changed${paths.length ? ` ${number(paths.length)}` : ""}` }} value=${memory.how} choose=${(how) => change({ how })} />
    <${Button} kind="quiet small" onClick=${() => { top.again(); marks.again(); redraw((n) => n + 1); memory.turn = (memory.turn ?? 0) + 1; }}>Look again<//></div>
    ${said.trouble && html`<p class="note small">${said.trouble}</p>`}
    ${memory.file ? html`<${File} key=${`${memory.root}/${memory.file}`} ...${{ link, session, page }} root=${memory.root} path=${memory.file} mark=${said} close=${() => change({ file: "" })} />`
    : memory.how === "changed" ? html`<${Changed} paths=${paths} said=${said} show=${(file) => change({ file })} page=${page} />`
      : html`<${Tree} key=${`${memory.root}/${memory.turn ?? 0}`} ...${{ link, session, memory, change, said }} />`}</div>`;
}

function Changed({ paths, said, show, page }) {
  if (!paths.length) return html`<${Empty} icon="files" title="Nothing is changed">Neither by this session nor as git sees it.<//>`;
  return html`<ul class="list tree-rows">${paths.map((path) => html`<li key=${path}><button class="tree-row" onClick=${() => (said.session[path] === "removed" || said.git[path] === "removed" ? page.show("review") : show(path))}>
    <${Marks} path=${path} said=${said} /><span class="grow cut foreign">${spelled(path)}</span></button></li>`)}</ul>
    ${said.is_cut && html`<p class="hush small">There are more; these are the first.</p>`}`;
}

function Marks({ path, said }) {
  const [mine, git] = [said.session[path], said.git[path]];
  return html`${mine && html`<span class="marked" title=${`${mine} by this session`}><${Sign} status=${mine} /><span class="sr">by this session, </span></span>`}${git && html`<span class="marked git" title=${`git: ${git}`}><${Sign} status=${git} /><span class="sr">in git, </span></span>`}`;
}

/** Folders that hold something that is marked. */
function above(said) {
  const found = new Set();
  for (const path of [...Object.keys(said.session), ...Object.keys(said.git)]) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) found.add(path.slice(0, cut));
  }
  return found;
}

function Tree({ link, session, memory, change, said }) {
  const pages = useRef(new Map());
  const [, redraw] = useState(0);
  const [at_, focus] = useState("");
  const box = useRef(null);
  const load = async (path, start = 0, limit = PAGE) => {
    const page = pages.current.get(path) ?? { entries: [], total: 0 };
    pages.current.set(path, { ...page, busy: true, error: null });
    redraw((n) => n + 1);
    try {
      const { folder: found } = await link.get(at(session, "files", { root: memory.root, path, start: start || undefined, limit }));
      pages.current.set(path, { entries: [...page.entries.slice(0, start), ...found.entries], total: found.total });
    } catch (error) {
      pages.current.set(path, { ...page, error });
    }
    redraw((n) => n + 1);
  };
  useEffect(() => {
    // As many as there were, so that nothing that is looked at goes away.
    const all = () => { for (const path of memory.open) load(path, 0, Math.min(1000, Math.max(PAGE, pages.current.get(path)?.entries.length ?? 0))); };
    let timer;
    all();
    const end = session.on(TOUCHED, () => { clearTimeout(timer); timer = setTimeout(all, 400); });
    return () => { clearTimeout(timer); end(); };
  }, []);
  const holds = above(said);
  const rows = [];
  const walk = (path, depth) => {
    const page = pages.current.get(path);
    if (!page || (!page.entries.length && page.busy)) return void rows.push({ key: `${path}/…`, depth, words: "Loading" });
    if (page.error) return void rows.push({ key: `${path}/!`, depth, words: page.error.message, again: () => load(path) });
    if (!page.entries.length) rows.push({ key: `${path}/0`, depth, words: "empty" });
    for (const entry of page.entries) {
      const isOpen = entry.kind === "folder" && memory.open.has(entry.path);
      rows.push({ key: entry.path, depth, entry, isOpen });
      if (isOpen) walk(entry.path, depth + 1);
    }
    if (page.entries.length < page.total) rows.push({ key: `${path}/+`, depth, words: `${number(page.total - page.entries.length)} more`, again: () => load(path, page.entries.length) });
  };
  walk("", 0);
  const act = (row) => {
    const { entry } = row;
    if (!entry) return row.again?.();
    if (entry.kind === "file" && !entry.is_odd) change({ file: entry.path });
    if (entry.kind !== "folder" || entry.is_odd) return undefined;
    memory.open.has(entry.path) ? memory.open.delete(entry.path) : (memory.open.add(entry.path), load(entry.path));
    return redraw((n) => n + 1);
  };
  const here = Math.max(0, rows.findIndex((row) => row.key === at_));
  const keys = (event) => {
    const row = rows[here];
    const go = (n) => { const next = rows[Math.min(Math.max(n, 0), rows.length - 1)]; focus(next.key); setTimeout(() => box.current?.querySelector('[tabindex="0"]')?.focus()); };
    const up = () => { for (let n = here - 1; n >= 0; n -= 1) if (rows[n].depth < row.depth) return go(n); return undefined; };
    const acts = { ArrowDown: () => go(here + 1), ArrowUp: () => go(here - 1), Home: () => go(0), End: () => go(rows.length - 1), Enter: () => act(row), " ": () => act(row),
      ArrowRight: () => (row.entry?.kind === "folder" && !row.isOpen ? act(row) : go(here + 1)), ArrowLeft: () => (row.isOpen ? act(row) : up()) };
    if (!acts[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  };
  return html`<div class="tree-rows" role="tree" aria-label="Files" ref=${box} onKeyDown=${keys}>${rows.map((row, n) => html`<div role="treeitem" class=${`tree-row indent-${Math.min(row.depth, 9)}${row.entry?.is_ignored ? " is-ignored" : ""}`} key=${row.key}
    aria-level=${row.depth + 1} aria-expanded=${row.entry?.kind === "folder" ? String(row.isOpen) : undefined} aria-selected="false" tabindex=${n === here ? 0 : -1} onFocus=${() => focus(row.key)} onClick=${() => { focus(row.key); act(row); }}>
    ${row.entry ? html`<${Name} entry=${row.entry} isOpen=${row.isOpen} said=${said} holds=${holds} />` : html`<span class="hush small">${row.words}</span>`}</div>`)}</div>`;
}

function Name({ entry, isOpen, said, holds }) {
  const icon = entry.kind === "folder" ? (isOpen ? "down" : "right") : "";
  return html`<span class="tree-icon">${icon && html`<${Icon} name=${icon} />`}</span><span class="cut foreign">${spelled(entry.name)}${entry.kind === "folder" ? "/" : ""}</span>
    ${entry.kind === "link" && html`<span class="hush small cut foreign">link to ${oneLine(entry.leads, 80)}</span>`}${entry.kind === "other" && html`<span class="hush small">no file</span>`}${entry.is_odd && html`<span class="hush small">its name is no text</span>`}
    <span class="grow"></span>${entry.is_ignored && html`<span class="sr">ignored</span>`}<${Marks} path=${entry.path} said=${said} />${entry.kind === "folder" && holds.has(entry.path) && html`<span class="marked" title="Something in it is changed"><span aria-hidden="true">•</span><span class="sr">something in it is changed</span></span>`}
    ${entry.kind === "file" && html`<span class="hush small num">${bytes(entry.size)}</span>`}`;
}

function File({ link, session, page, root, path, mark, close }) {
  const found = useLive(session, TOUCHED, () => link.get(at(session, "file", { root, path })), [root, path]);
  const box = useAutofocus();
  const language = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const file = found.value;
  const lines = file?.content === "text" ? file.text.replace(/\n$/, "").split("\n") : [];
  return html`<section class="look card" ref=${box} aria-label=${`File ${oneLine(path, 120)}`} onKeyDown=${(event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } }}>
    <header class="file-head"><${Button} kind="quiet small" icon="files" autofocus onClick=${close}>All files<//><strong class="grow cut foreign">${spelled(path)}</strong><${Marks} path=${path} said=${mark} />
      ${mark.session[path] && html`<${Button} kind="small quiet" icon="review" onClick=${() => page.show("review")}>Changes<//>`}
      ${file?.content === "text" && html`<${CopyButton} text=${file.text} />`}<${Button} kind="small quiet" icon="chat" onClick=${() => page.prompt(`@${/\s/.test(path) ? `"${path}"` : path} `)}>Mention<//></header>
    ${!file && (found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`)}
    ${file && html`<p class="hush small num look-facts">${bytes(file.size)}${lines.length ? ` · ${count(lines.length, "line")}` : ""}${file.encoding && file.encoding !== "utf-8" ? ` · ${file.encoding}` : ""}${file.is_cut ? " · only its beginning" : ""}${file.is_clean === false ? " · a secret is not shown" : ""}</p>`}
    ${file?.content === "empty" && html`<p class="hush panel">It is empty.</p>`}
    ${file?.content === "binary" && html`<${Empty} icon="files" title="This is no text">${bytes(file.size)} of something else.<//>`}
    ${file?.content === "image" && html`<p class="panel"><${Picture} link=${link} class="picture" alt=${`Picture ${oneLine(path, 120)}`} path=${at(session, "file", { root, path, raw: 1 })} /></p>`}
    ${lines.length > 0 && html`<div class="look-lines" tabindex="0" role="region" aria-label="Content"><pre class="numbers" aria-hidden="true">${lines.map((_, n) => n + 1).join("\n")}</pre><pre class="foreign"><code>${coloured(lines.join("\n"), language)}</code></pre></div>`}</section>`;
}
