// What fills the model's context, and what was spent: by this session, by model, in a day and a month.
import { Button, Failed, Icon, Loading, html, useWatch } from "../ui.js";
import { Ring, share } from "../shell/head.js";
import { MOVED, at, useLive } from "../panels/live.js";
import { oneLine } from "../text/safe.js";
import { money, number, tokens } from "../text/words.js";

const TYPES = [...MOVED, "turn.started", "agent.message", "context.compacted", "session.changed", "model.switched"];
const NAMES = { daily_cost: "Today, all sessions", monthly_cost: "This month, all sessions" };

export function View({ store, link, session, page }) {
  useWatch(session);
  const found = useLive(session, TYPES, () => link.get(at(session, "meter")));
  if (!found.value) return found.error ? html`<${Failed} error=${found.error} again=${found.again} />` : html`<${Loading} />`;
  const { meter, spent, models, limits, max_turns: turns, max_cost: cost } = found.value;
  const compact = () => store.attempt(() => session.send({ type: "compact" }));
  return html`<div class="panel meter stack">
    ${meter && html`<section aria-labelledby="meter-context"><div class="panel-head"><h3 id="meter-context" class="grow">Context</h3><${Button} kind="small" disabled=${session.running} onClick=${compact}>Summarise now<//></div>
      <div class="row meter-sum"><${Ring} meter=${meter} /><strong class="num">${share(meter)}</strong><span class="hush num">${number(meter.used)} of ${number(meter.window)} tokens, ${meter.source === "reported" ? "counted by the vendor" : "estimated"}</span></div>
      <${Bar} meter=${meter} />
      <table class="facts-table"><caption class="sr">What fills the context</caption><thead class="sr"><tr><th>Kind</th><th>Tokens</th><th>Share</th></tr></thead><tbody>
        ${meter.blocks.map((block, n) => html`<tr key=${block.name}><th scope="row"><svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" class=${`fill-${n % 8}`} /></svg>${oneLine(block.name, 60)}</th><td class="num">${number(block.tokens)}</td><td class="num hush">${part(block.tokens, meter.window)}</td></tr>`)}
        <tr><th scope="row"><svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" class="fill-free" /></svg>free</th><td class="num">${number(Math.max(0, meter.window - meter.used))}</td><td class="num hush">${part(Math.max(0, meter.window - meter.used), meter.window)}</td></tr></tbody></table>
      ${meter.limit && html`<p class="hush small num">It is summarised at ${number(meter.limit)} tokens.</p>`}${meter.is_assumed && html`<p class="hush small">Nobody says how large this model's window is: it is assumed. The setting context.window tells it.</p>`}</section>`}
    <section aria-labelledby="meter-spent"><h3 id="meter-spent">Spent by this session</h3>
      ${!models.length ? html`<p class="hush">Nothing yet.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="By model"><table class="facts-table"><thead><tr><th>Model</th><th class="num">Requests</th><th class="num">In</th><th class="num">from cache</th><th class="num">Out</th><th class="num">Cost</th></tr></thead>
        <tbody>${models.map(({ model, spent: used }) => html`<tr key=${model}><th scope="row" class="foreign">${oneLine(model, 60) || "unknown"}</th><${Used} used=${used} /></tr>`)}</tbody>
        ${spent && models.length > 1 && html`<tfoot><tr><th scope="row">All</th><${Used} used=${spent} /></tr></tfoot>`}</table></div>`}</section>
    <section aria-labelledby="meter-limits"><div class="panel-head"><h3 id="meter-limits" class="grow">Limits</h3><${Button} kind="small quiet" icon="settings" onClick=${() => page.show("settings", { tab: "values", query: "limits." })}>Change<//></div>
      <ul class="list stack">${limits.map((each) => html`<li key=${each.name}><div class="row"><span class="grow">${NAMES[each.name] ?? each.name}</span><span class="num">${each.cost ? money(each.cost) : "$0"}${each.most === null ? html`<span class="hush">, no limit</span>` : ` of ${money(each.most)}`}</span></div>
        ${each.most !== null && html`<progress max=${each.most} value=${Math.min(each.cost, each.most)} aria-label=${NAMES[each.name] ?? each.name}></progress>`}
        ${each.unpriced > 0 && html`<p class="hush small"><${Icon} name="warning" /> ${number(each.unpriced)} of ${number(each.requests)} requests have no known price, so they are not in it.</p>`}</li>`)}
      <li class="row"><span class="grow">Turns of one run</span><span class="num">${turns ?? html`<span class="hush">no limit</span>`}</span></li>
      <li class="row"><span class="grow">Cost of one session</span><span class="num">${cost === null ? html`<span class="hush">no limit</span>` : money(cost)}</span></li></ul></section></div>`;
}

const part = (value, whole) => (whole ? `${((100 * value) / whole).toFixed(value && value / whole < 0.01 ? 1 : 0)} %` : "");

function Used({ used }) {
  return html`<td class="num">${number(used.requests)}</td><td class="num">${tokens(used.input_tokens)}</td><td class="num">${tokens(used.cached_tokens)}</td><td class="num">${tokens(used.output_tokens)}</td>
    <td class="num">${used.unpriced ? (used.known_cost ? `over ${money(used.known_cost)}` : "unknown") : money(used.known_cost)}</td>`;
}

function Bar({ meter }) {
  let x = 0;
  const scale = 1000 / Math.max(meter.window, meter.used, 1);
  return html`<svg class="meter-bar" viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true"><rect width="1000" height="24" class="fill-free" />
    ${meter.blocks.map((block, n) => {
    const width = block.tokens * scale;
    x += width;
    return html`<rect key=${block.name} x=${x - width} width=${width} height="24" class=${`fill-${n % 8}`} />`;
  })}${meter.limit && html`<rect x=${meter.limit * scale - 1.5} width="3" height="24" class="fill-limit" />`}</svg>`;
}
