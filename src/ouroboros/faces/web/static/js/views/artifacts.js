// What was kept with the session: pictures to look at, everything else to have.
import { Empty, Failed, Icon, Loading, Picture, Button, html, useEffect, useState, useWatch } from "../ui.js";
import { Dialog } from "../shell/dialog.js";
import { Segments, at, useLive } from "../panels/live.js";
import { oneLine, spelled } from "../text/safe.js";
import { ago, bytes, count } from "../text/words.js";

const SHOWABLE = /\.(?:html?|txt|svg)$/i;

export function View({ store, link, session, rest }) {
  useWatch(session);
  const found = useLive(session, ["artifact.kept", "task.completed", "user.message"], () => link.get(at(session, "artifacts")));
  const [kind, choose] = useState("all");
  const [open, look] = useState("");
  const all = found.value?.artifacts ?? [];
  useEffect(() => {
    const one = all.find((each) => each.name === rest?.name || (rest?.name && each.id === rest.name));
    if (one?.is_picture) look(one.name);
  }, [rest?.name, found.value]);
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  if (!all.length) return html`<${Empty} icon="artifacts" title="Nothing was kept yet">Screenshots, downloads, pictures and pages as PDF that this session makes or gets stand here.<//>`;
  const pictures = all.filter((each) => each.is_picture);
  const shown = kind === "pictures" ? pictures : kind === "others" ? all.filter((each) => !each.is_picture) : all;
  const path = (one, query) => at(session, `artifacts/${encodeURIComponent(one.name)}`, query);
  const keep = (one) => store.attempt(() => link.keep(path(one), one.name));
  const index = pictures.findIndex((each) => each.name === open);
  const step = (by) => look(pictures[(index + by + pictures.length) % pictures.length].name);
  return html`<div class="panel artifacts"><div class="panel-head bar"><span class="grow hush small num">${count(all.length, "file")}</span>
    <${Segments} label="Which" options=${{ all: "All", pictures: "Pictures", others: "Files" }} value=${kind} choose=${choose} /></div>
    ${!shown.length && html`<p class="hush">None of this kind.</p>`}
    <ul class="list gallery">${shown.map((one) => html`<li key=${one.name} class=${`card artifact${one.name === rest?.name || one.id === rest?.name ? " is-meant" : ""}`}>
      ${one.is_picture ? html`<button class="artifact-picture" aria-label=${`Look at ${oneLine(one.name, 80)}`} onClick=${() => look(one.name)}><${Picture} link=${link} alt="" path=${path(one)} /></button>`
    : html`<div class="artifact-picture"><${Icon} name=${one.kind === "pdf" ? "files" : "download"} /></div>`}
      <div class="artifact-words"><strong class="cut foreign" title=${spelled(one.name)}>${spelled(one.name)}</strong><span class="hush small cut foreign">${one.kind} · ${bytes(one.bytes)} · ${ago(one.at)}${one.origin ? ` · ${oneLine(one.origin, 60)}` : ""}</span>
        <div class="row"><${Button} kind="small quiet" icon="download" onClick=${() => keep(one)}>Download<//>
        ${!one.is_picture && SHOWABLE.test(one.name) && html`<${Button} kind="small quiet" icon="open" title="Without scripts, apart from this page" onClick=${() => store.attempt(() => link.show(path(one, { show: 1 })))}>Show<//>`}</div></div></li>`)}</ul>
    ${index >= 0 && html`<${Dialog} title=${oneLine(open, 80)} wide=${true} close=${() => look("")}><div class="lightbox" onKeyDown=${(event) => { if (event.key === "ArrowRight") step(1); if (event.key === "ArrowLeft") step(-1); }}>
      <${Picture} link=${link} alt=${`Picture ${oneLine(open, 80)}`} path=${path(pictures[index])} />
      <div class="row end"><span class="grow hush small num">${index + 1} of ${pictures.length} · ${bytes(pictures[index].bytes)}${pictures[index].origin ? ` · ${oneLine(pictures[index].origin, 80)}` : ""}</span>
      ${pictures.length > 1 && html`<${Button} kind="small" onClick=${() => step(-1)}>Before<//><${Button} kind="small" onClick=${() => step(1)}>Next<//>`}
      <${Button} kind="small" icon="download" onClick=${() => keep(pictures[index])}>Download<//></div></div><//>`}</div>`;
}
