// One item of the conversation; drawn again only when the fold touched it.
import { Button, Component, CopyButton, Icon, Status, download, h, html } from "../ui.js";
import { Diff, coloured, diffCounts } from "../text/code.js";
import { blocks } from "../text/markdown.js";
import { Code, Prose } from "../text/prose.js";
import { oneLine, plain, pretty, target } from "../text/safe.js";
import { bytes, count, duration, ending, money, number, tokens } from "../text/words.js";
import { touch } from "../fold/parts.js";

const MOST_INSIDE = 60;
const MOST_IN_DONE = 8;

export class Item extends Component {
  shouldComponentUpdate(next, state) {
    return next.item !== this.props.item || next.v !== this.props.v || next.isLast !== this.props.isLast || state !== this.state;
  }

  componentDidCatch(problem) {
    console.error(problem);
    this.setState({ problem });
  }

  render({ item, isLast, seat }, { problem }) {
    if (problem) return html`<p class="line is-error"><${Icon} name="warning" /><span>An entry (${item.kind}) cannot be shown: ${String(problem.message)}</span></p>`;
    const Kind = KINDS[item.kind];
    return Kind ? html`<${Kind} item=${item} isLast=${isLast} seat=${seat} />` : null;
  }
}

/** What lies in an item, in order; of very many only the last, until they are asked for. */
export function Inside({ item, seat }) {
  const items = item.items ?? [];
  const most = item.kind === "call" && item.status !== "running" ? MOST_IN_DONE : MOST_INSIDE;
  const from = item.allInside ? 0 : Math.max(0, items.length - most);
  if (!items.length) return null;
  return html`<div class="inside">
    ${from > 0 && html`<${Button} kind="quiet small" onClick=${() => { item.allInside = true; touch(item); seat.session.changed(); }}>${number(from)} before these<//>`}
    ${items.slice(from).map((each) => html`<${Item} key=${each.key} item=${each} v=${each.v} seat=${seat} />`)}</div>`;
}

/** A part that opens and closes; the person's choice wins over what the state suggests. */
function Fold({ item, byItself, head, children, seat, label, className = "" }) {
  const isOpen = item.open ?? byItself;
  const turn = () => { item.open = !isOpen; touch(item); seat.session.changed(); };
  return html`<section class=${`fold card ${className}`} aria-label=${label}>
    <button class="fold-head" aria-expanded=${isOpen ? "true" : "false"} onClick=${turn}><${Icon} name=${isOpen ? "down" : "right"} />${head}</button>
    ${isOpen && html`<div class="fold-body">${children}</div>`}</section>`;
}

function User({ item }) {
  return html`<article class=${`said${item.steered ? " steered" : ""}`} aria-label="You">
    ${item.steered && html`<span class="hush small">While it ran</span>`}
    <div class="said-words foreign">${plain(item.text)}</div>
    <${Pictures} media=${item.media} /></article>`;
}

export function Pictures({ media }) {
  if (!media?.length) return null;
  return html`<div class="pictures">${media.map((each) => (/^image\/(?:png|jpe?g|gif|webp)$/.test(each.media_type) && each.data
    ? html`<img src=${`data:${each.media_type};base64,${each.data}`} alt=${oneLine(each.name, 80) || "A picture that was handed in"} />`
    : html`<span class="chip"><${Icon} name="artifacts" />${oneLine(each.name || each.media_type, 60)}</span>`))}</div>`;
}

const CODE_OF_BLOCKS = /^(?:|js|javascript|ts|typescript|repl)$/i;

/** A reply of the mind that writes code, without the code: its blocks stand below it. */
function withoutCode(text) {
  return blocks(text).filter((each) => each.type !== "code" || !CODE_OF_BLOCKS.test(each.language)).map((each) => each.src).join("\n\n");
}

/** A reply without the first whole plan in it: that stands below, or is asked about. */
function withoutPlan(text) {
  const from = text.indexOf("<proposed_plan>");
  const end = from < 0 ? -1 : text.indexOf("</proposed_plan>", from);
  return end < 0 ? text : text.slice(0, from) + text.slice(end + "</proposed_plan>".length);
}

function Reply({ item }) {
  const strips = item.done && item.calls?.length && item.holder?.kind === "iteration";
  const words = (text) => (strips ? withoutCode(text) : item.hasPlan ? withoutPlan(text) : text);
  const parts = item.parts.map((part) => (part.kind === "text" ? { ...part, text: words(part.text) } : part));
  const shown = parts.filter((part) => part.text || (!item.done && part.kind === "call"));
  if (!shown.length && item.done) return null;
  return html`<article class="reply" aria-label="Answer" aria-busy=${item.done ? undefined : "true"}>
    ${item.torn && !item.done && html`<p class="hush small">The connection broke; this answer comes whole when it is finished.</p>`}
    ${shown.map((part, n) => html`<${Part} key=${part.number ?? n} part=${part} live=${!item.done} />`)}
    ${!shown.length && html`<p class="thinking hush"><span class="caret"></span><span class="sr">Answering</span></p>`}
    ${item.done && item.stop && !["end", "tool_calls"].includes(item.stop) && html`<p class="hush small">The answer ended early: ${item.stop.replaceAll("_", " ")}</p>`}
  </article>`;
}

function Part({ part, live }) {
  if (part.kind === "reasoning") {
    return html`<details class="reasoning" open=${live && !part.done}><summary>${live && !part.done ? "Thinking" : "Thought"}<span class="hush small"> ${number(part.text.length)} characters</span></summary>
      <div class="foreign">${plain(part.text)}</div></details>`;
  }
  if (part.kind === "call") {
    return html`<div class="writing"><span class="hush small">Writes a call of <code>${oneLine(part.name, 60)}</code></span><pre class="foreign">${plain(part.text.slice(-600))}<span class="caret"></span></pre></div>`;
  }
  return html`${part.torn && live && html`<span class="hush">… </span>`}<${Prose} text=${part.text} open=${live && !part.done} />`;
}

function Call({ item, seat }) {
  if (item.code !== undefined || item.name === "repl") return html`<${Block} item=${item} seat=${seat} />`;
  const diff = item.detail && /^(?:diff |--- |@@)/m.test(item.detail) ? item.detail : "";
  const counts = diff ? diffCounts(diff) : null;
  const status = item.asking ? "asking" : item.status;
  const failed = status === "failed" || status === "denied" || status === "unknown-after-crash";
  const words = { asking: "waiting for you", "unknown-after-crash": "unknown: the program ended meanwhile" }[status] ?? status;
  const inside = Boolean(item.items?.length);
  return html`<${Fold} item=${item} seat=${seat} className=${`call is-${status}`} label=${`Call: ${oneLine(item.title || item.name, 80)}`}
    byItself=${failed || Boolean(item.progress) || Boolean(diff && diff.length < 6000) || inside || Boolean(item.media?.length)}
    head=${html`<span class="fold-title foreign">${oneLine(item.title || `${item.name} ${item.args}`, 160)}</span>
      ${counts && html`<span class="counts num small"><span class="plus">+${counts.added}</span> <span class="minus">−${counts.removed}</span></span>`}
      <${Status} status=${status}>${words}<//>${item.seconds !== undefined && html`<span class="hush small num">${duration(item.seconds)}</span>`}`}>
    ${item.command && html`<p class="small hush">Runs as: <code class="foreign">${oneLine(item.command, 400)}</code></p>`}
    ${diff ? html`<${Diff} text=${diff} />` : null}
    ${item.progress && html`<pre class="output live foreign" tabindex="0">${plain(item.progress.slice(-4000))}</pre>`}
    ${item.output && !diff && html`<${Output} item=${item} />`}
    <${Pictures} media=${item.media} />
    <${Inside} item=${item} seat=${seat} />
    <details class="small facts"><summary>What was called, and why it might</summary>
      <div class="stack"><${Code} text=${pretty(item.args)} language="json" label=${item.name} />
      ${diff && item.output && html`<${Code} text=${item.output} label="answer" />`}
      <p class="hush">${[item.decision && `decided: ${item.decision}`, item.rule && `by ${item.rule}`, item.sandbox && item.sandbox !== "none" && `in ${item.sandbox}`, item.truncated && `cut: ${bytes(item.bytes)} in all`].filter(Boolean).map((each) => oneLine(each, 200)).join(" · ") || "No more is known."}</p></div></details>
  <//>`;
}

// What a command's answer says before its output is for the model; a person sees it from the card.
const PREAMBLE = /^(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\n(?:Process exited with code (-?\d+)\n)?(?:Process running with [^\n]*\n)?(?:Original token count: [^\n]*\n)?(?:Total output lines: [^\n]*\n)?Output:\n/;

function Output({ item }) {
  const said = PREAMBLE.exec(item.output);
  const text = plain(said ? item.output.slice(said[0].length) : item.output).replace(/\n$/, "");
  if (!text) return html`<p class="hush small">${said?.[1] && said[1] !== "0" ? `No output; it ended with ${said[1]}.` : "No output."}</p>`;
  const lines = text.split("\n");
  if (lines.length <= 16) return html`<pre class="output foreign" tabindex="0">${text}</pre>`;
  return html`<details class="long"><summary><pre class="output foreign">${lines.slice(0, 6).join("\n")}</pre><span class="small hush">${count(lines.length - 6, "more line")}</span></summary>
    <pre class="output foreign" tabindex="0">${lines.slice(6, 3000).join("\n")}</pre></details>`;
}

function Block({ item, seat }) {
  const meta = item.metadata;
  const status = item.asking ? "asking" : item.ok === false ? "failed" : item.status;
  const code = item.code ?? parsedCode(item.args);
  const lines = code.split("\n").length;
  return html`<section class=${`block card is-${status}`} aria-label=${`Block ${(item.block ?? 0) + 1}`}>
    <header class="block-head"><${Icon} name="code" /><span class="grow">Block ${(item.block ?? 0) + 1}<span class="hush small"> ${count(lines, "line")}</span></span>
      <${Status} status=${status}>${status === "asking" ? "waiting for you" : status}<//><span class="hush small num">${duration(item.seconds ?? item.blockSeconds)}</span><${CopyButton} text=${code} /></header>
    <pre class="block-code" tabindex="0"><code>${coloured(code, "js")}</code></pre>
    <${Inside} item=${item} seat=${seat} />
    ${meta && html`<${Metadata} meta=${meta} ok=${item.ok} />`}
    ${!meta && item.status !== "running" && item.output && html`<pre class="output foreign">${plain(item.output)}</pre>`}
  </section>`;
}

function parsedCode(args) {
  try {
    return String(JSON.parse(args).code ?? args);
  } catch {
    return args ?? "";
  }
}

const SIZED = { array: "items", string: "characters", object: "keys" };

function Metadata({ meta, ok }) {
  const error = meta.error ?? meta.stopped;
  if (!ok || error !== undefined) {
    return html`<div class="meta is-failed" role="note"><strong>${meta.stopped !== undefined ? "Stopped" : "Error"}${meta.line ? ` at line ${meta.line}` : ""}</strong><pre class="foreign">${plain(String(error ?? meta.preview ?? "the block failed"))}</pre></div>`;
  }
  const size = meta.type === "void" ? "no value" : [meta.type, SIZED[meta.type] && `${number(meta.size)} ${SIZED[meta.type]}`,
    meta.characters && SIZED[meta.type] && meta.type !== "string" && `${number(meta.characters)} characters of JSON`].filter(Boolean).join(" · ");
  return html`<dl class="meta"><div><dt>Value</dt><dd>${plain(size)}${meta.final ? html` <strong>final value set, ${bytes(meta.final)}</strong>` : ""}</dd></div>
    ${meta.schema && html`<div><dt>Schema</dt><dd><code class="foreign">${plain(meta.schema)}</code></dd></div>`}
    ${meta.preview && html`<div><dt>Preview</dt><dd><code class="foreign">${plain(meta.preview)}</code></dd></div>`}</dl>`;
}

function Iteration({ item, isLast, seat }) {
  const made = item.items.filter((each) => each.kind === "call");
  const failed = made.filter((each) => each.ok === false).length;
  const status = item.ended ? (failed && failed === made.length ? "failed" : "done") : seat.session.running ? "running" : "cancelled";
  const said = item.items.find((each) => each.kind === "reply");
  const words = oneLine(withoutCode(said?.parts.find((part) => part.kind === "text")?.text ?? ""), 120) || deed(item, made);
  const byItself = isLast || !item.ended || failed > 0;
  return html`<${Fold} item=${item} seat=${seat} byItself=${byItself} className=${`iteration is-${status}`} label=${`Iteration ${item.number}`}
    head=${html`<span class="fold-title">${item.child ? "Its iteration" : "Iteration"} ${item.number}${words && !(item.open ?? byItself) ? html`<span class="hush foreign"> ${words}</span>` : ""}</span>
      <span class="hush small">${count(made.length, "block")}${failed ? `, ${failed} failed` : ""}</span><${Status} status=${status} />${item.ended && html`<span class="hush small num">${duration(item.ended - item.ts)}</span>`}`}>
    <${Inside} item=${item} seat=${seat} />
    ${item.variables && html`<details class="small facts"><summary>Variables: ${count(item.names.length, "name")}</summary><pre class="foreign">${plain(item.variables)}</pre></details>`}<//>`;
}

/** The first thing that an iteration without words did. */
function deed(item, made) {
  const done = made.flatMap((each) => each.items ?? []).find((each) => each.title);
  const page = item.items.find((each) => each.kind === "page" && each.url && each.url !== "about:blank");
  const line = (made[0]?.code ?? "").split("\n").map((each) => each.trim()).find((each) => each && !each.startsWith("//"));
  return oneLine(done?.title || (page ? `${page.tab} ${page.url}` : "") || line || "", 120);
}

function Child({ item, seat }) {
  const what = item.how === "run" ? "Child run" : item.how === "pack" ? "Asks a model, several at once" : "Asks a model";
  return html`<${Fold} item=${item} seat=${seat} byItself=${item.status === "running" && item.how === "run"} className=${`child is-${item.status}`} label=${what}
    head=${html`<${Icon} name="child" /><span class="fold-title foreign"><strong>${what}</strong> ${oneLine(item.task, 140)}</span>
      <${Status} status=${item.status} />${item.seconds !== undefined && html`<span class="hush small num">${duration(item.seconds)}</span>`}`}>
    <p class="foreign">${plain(item.task)}</p>
    <p class="hush small">${[item.id, item.model, item.tokens && `${number(item.tokens)} tokens of data`, item.cost ? money(item.cost) : ""].filter(Boolean).map((each) => oneLine(each, 120)).join(" · ")}</p>
    <${Inside} item=${item} seat=${seat} />
    ${item.final && html`<p class="small">Came to: <span class="foreign">${plain(item.final)}</span></p>`}
    ${item.status === "running" && html`<${Button} kind="small" icon="stop" onClick=${() => seat.store.attempt(() => seat.session.send({ type: "interrupt", child: item.id }))}>Stop this child<//>`}<//>`;
}

function Page({ item }) {
  const to = target(item.url);
  return html`<p class="line"><${Icon} name="browser" /><span class="hush">${item.tab}</span>
    ${item.summary ? html`<span class="foreign">${oneLine(item.summary, 300)}</span>` : html`<span class="foreign cut" title=${oneLine(item.url, 400)}>${item.title && !item.url.includes(item.title) ? oneLine(item.title, 100) : ""} <span class="hush">${to ? oneLine(to.href, 120) : oneLine(item.url, 120)}</span></span>`}</p>`;
}

const LEVELS = { info: "right", warning: "warning", error: "warning", debug: "right" };

function Notice({ item, seat }) {
  return html`<div class=${`line is-${item.level}`}><${Icon} name=${LEVELS[item.level] ?? "right"} label=${item.level === "info" ? undefined : item.level} />
    <span class="grow"><span class=${`foreign${item.sort === "told" ? " told" : ""}`}>${plain(item.text)}</span>${item.about && html`<span class="hush foreign"> ${oneLine(item.about, 160)}</span>`}
    ${item.hint && html`<span class="hint foreign">${plain(item.hint)}</span>`}</span>
    ${item.session && html`<${Button} kind="quiet small" onClick=${() => seat.store.go({ session: item.session, view: "chat" })}>Show it<//>`}</div>`;
}

function Log({ item }) {
  return html`<p class=${`line is-${item.level}`}><span class="sign" aria-hidden="true">›</span><span class="foreign log">${plain(item.text)}</span></p>`;
}

function Artifact({ item, seat }) {
  return html`<p class="line"><${Icon} name="artifacts" /><span class="foreign">${oneLine(item.name, 120)}</span><span class="hush small">${item.sort}, ${bytes(item.bytes)}</span>
    <${Button} kind="quiet small" onClick=${() => seat.page.show("artifacts", { name: item.id })}>Show<//></p>`;
}

function Changes({ item, seat }) {
  const counts = diffCounts(item.diff);
  return html`<${Fold} item=${item} seat=${seat} byItself=${false} className="changes" label="What the run changed"
    head=${html`<${Icon} name="review" /><span class="fold-title">Changed ${count(counts.files, "file")}</span><span class="counts num small"><span class="plus">+${counts.added}</span> <span class="minus">−${counts.removed}</span></span>`}>
    <${Diff} text=${item.diff} /><${Button} kind="small" icon="review" onClick=${() => seat.page.show("review")}>Review<//><//>`;
}

function Answers({ item }) {
  return html`<div class="card answers">${item.answers.length ? html`<dl>${item.answers.map((each) => html`<div><dt class="foreign">${plain(each.question)}</dt><dd class="foreign">${each.said.map(plain).join(", ")}</dd></div>`)}</dl>` : html`<p class="hush">You did not answer.</p>`}</div>`;
}

function Proposed({ item }) {
  if (item.state === "asking") return null;
  return html`<section class="card proposed" aria-label="Plan"><header class="block-head"><${Icon} name="plan" /><span class="grow">${item.state === "accepted" ? "Plan, accepted" : "Plan, refused"}${item.why && html`<span class="hush foreign">: ${oneLine(item.why, 120)}</span>`}</span></header>
    <div class="fold-body"><${Prose} text=${item.text} /></div></section>`;
}

function Review({ item }) {
  const { review = {}, outcome } = item;
  const words = { running: `Reviews ${item.subject}${item.progress ? `, part ${item.progress}` : ""}`, completed: review.overall_correctness || "Reviewed", interrupted: "The review was stopped", failed: `The review failed: ${item.problem}` }[outcome];
  return html`<section class="card review" aria-label="Review"><header class="block-head"><${Icon} name="search" /><span class="grow foreign">${oneLine(words, 300)}</span><${Status} status=${{ completed: "done", interrupted: "cancelled" }[outcome] ?? outcome} /></header>
    <div class="fold-body">${review.overall_explanation && html`<${Prose} text=${review.overall_explanation} />`}
    ${(review.findings ?? []).map((each) => html`<div class="finding"><strong class="foreign">${oneLine(each.title, 200)}</strong><${Prose} text=${each.body} />
      <p class="hush small foreign">${oneLine(each.code_location.absolute_file_path, 200)}:${each.code_location.line_range.start}${each.remark ? ` · ${oneLine(each.remark, 200)}` : ""}</p></div>`)}</div></section>`;
}

function End({ item, seat }) {
  const sign = { completed: "done", cancelled: "cancelled", failed: "failed" }[item.reason] ?? "failed";
  const last = lastWords(item);
  const isJson = /^\s*[[{]/.test(item.final) && pretty(item.final) !== item.final;
  // A run that broke off has no result; what it said last stands above.
  const repeats = sign !== "done" || (last && last.trim() === item.final.trim());
  const facts = [item.turns && count(item.turns, "turn"), duration(item.seconds), item.tokens ? `${tokens(item.tokens)} tokens` : "", item.tokens ? money(item.cost) : ""].filter(Boolean).join(" · ");
  const name = `${oneLine(item.words, 40).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "answer"}.${isJson ? "json" : "md"}`;
  return html`<section class=${`ending is-${sign}${item.final && !repeats ? " card" : ""}`} aria-label="Result">
    ${item.final && !repeats && html`<div class="fold-body result">${isJson ? html`<${Code} text=${pretty(item.final)} language="json" label="result" />` : html`<${Prose} text=${item.final} />`}</div>`}
    <footer><${Status} status=${sign}>${ending(item.reason)}<//><span class="hush small num grow">${facts}</span>
      ${item.final && sign === "done" && html`<${CopyButton} text=${isJson ? pretty(item.final) : item.final} label="Copy result" />
        <${Button} kind="quiet small" icon="download" onClick=${() => download(name, isJson ? pretty(item.final) : item.final, isJson ? "application/json" : "text/markdown")}>Download<//>`}
      ${["cancelled", "failed"].includes(sign) && html`<${Button} kind="quiet small" icon="play" onClick=${() => seat.store.attempt(() => seat.session.send({ type: "submit", text: "Go on." }))}>Go on<//>`}
    </footer></section>`;
}

function lastWords(item) {
  for (let each = item.prev; each && each.kind !== "user"; each = each.prev) {
    if (each.kind === "reply") return each.parts.filter((part) => part.kind === "text").map((part) => part.text).join("");
  }
  return "";
}

const Nudge = ({ item }) => h("p", { class: "line" }, html`<${Icon} name="right" /><span class="hush">The model was reminded: <span class="foreign">${oneLine(item.text, 200)}</span></span>`);
const Summary = ({ item, seat }) => html`<${Fold} item=${item} seat=${seat} byItself=${false} label="Summary" head=${html`<span class="fold-title">Summary of what was before</span>`}><${Prose} text=${item.text} /><//>`;

const KINDS = {
  user: User, reply: Reply, call: Call, iteration: Iteration, child: Child, page: Page, notice: Notice, log: Log,
  artifact: Artifact, changes: Changes, answers: Answers, proposed: Proposed, review: Review, end: End, nudge: Nudge, summary: Summary,
};
