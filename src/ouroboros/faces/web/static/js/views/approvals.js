// What waits for the person, over the prompt: one card at a time, and how many there are in all sessions.
import { Button, Icon, html, useEffect, useLayoutEffect, useRef, useState, useTyped } from "../ui.js";
import { Dialog } from "../shell/dialog.js";
import { Diff } from "../text/code.js";
import { Prose } from "../text/prose.js";
import { oneLine, plain, spelled } from "../text/safe.js";
import { modes } from "../text/words.js";

const SCOPES = {
  once: "this once", session: "until this session ends", local: "in this project, for you alone",
  project: "in this project, for everybody", user: "everywhere", policy: "everywhere, as a beginning of commands",
};

export function Asks({ store, session, page }) {
  const { state } = session;
  const closed = useClosed(session);
  const here = [...state.approvals.values()];
  const questions = [...state.questions.values()];
  const total = here.length + questions.length;
  const others = store.sessions.filter((each) => each.id !== session.id).reduce((sum, each) => sum + (each.asks ?? 0), 0);
  const count = { total, others, page };
  const first = here[0];
  const card = first ? html`<${Approval} key=${first.request_id} asked=${first} ...${{ store, session, page, count }} />`
    : questions[0] ? html`<${Questions} key=${questions[0].request_id} asked=${questions[0]} ...${{ store, session, page, count }} />`
    : state.proposed && !session.running ? html`<${Proposal} key=${state.proposed.length} text=${state.proposed} ...${{ store, session }} />` : null;
  return html`<div class="asks">${closed && html`<p class="closed small" role="status"><${Icon} name="check" />${closed}</p>`}${card}
    ${!card && others > 0 && html`<${Button} kind="small" icon="question" hotkey="Alt+A" onClick=${page.nextAsk}>${others} waiting in other sessions<//>`}</div>`;
}

/** Says for a moment who answered a card that was open here and was not answered here. */
function useClosed(session) {
  const [words, tell] = useState("");
  useEffect(() => {
    let timer;
    const end = session.on(["permission.answered", "user.answered"], ({ data }) => {
      if (session.mine.has(data.request_id)) return;
      const who = { person: "by you, elsewhere", guardian: "by the guardian", hook: "by a hook", nobody: "because nobody was there", cancelled: "because the run was stopped" }[data.decider ?? "person"];
      tell(data.allowed === undefined ? "Answered elsewhere" : `${data.allowed ? "Allowed" : "Denied"} ${who}`);
      clearTimeout(timer);
      timer = setTimeout(() => tell(""), 6000);
    });
    return () => { end(); clearTimeout(timer); };
  }, [session]);
  return words;
}

function Count({ total, others, page }) {
  return html`${total > 1 && html`<span class="badge" title="Waiting in this session">1 of ${total}</span>`}
    ${others > 0 && html`<button class="chip" onClick=${page.nextAsk} title="Go to the next (Alt+A)">${others} in other sessions</button>`}`;
}

function useAnswer(store, session) {
  const [busy, set] = useState(false);
  const answer = async (command) => {
    if (busy) return;
    set(true);
    const did = await store.attempt(() => session.send(command));
    if (!did) set(false);
  };
  return [busy, answer];
}

function Approval({ asked, store, session, page, count }) {
  const [busy, answer] = useAnswer(store, session);
  const [scope, setScope] = useState("once");
  const [rules, setRules] = useState(null);
  const [input, setInput] = useState(null);
  const [why, setWhy, whyNot] = useTyped("");
  const [whole, setWhole] = useState(false);
  const offered = scope === "policy" ? [asked.amendment?.join(" ")].filter(Boolean) : scope === "session" && asked.always?.length ? asked.always : scope === "session" && asked.grant ? [asked.grant] : asked.rules ?? [];
  const written = rules ?? offered.join("\n");
  const id = asked.request_id;
  const yes = () => answer({
    type: "approve", request_id: id, scope,
    ...(input !== null && input !== asked.input ? { input } : {}),
    ...(scope !== "once" && scope !== "policy" && rules !== null && rules !== offered.join("\n") ? { rules: rules.split("\n").map((each) => each.trim()).filter(Boolean) } : {}),
  });
  const no = () => answer({ type: "deny", request_id: id, ...(whyNot().trim() ? { message: whyNot().trim() } : {}) });
  const act = useRef(null);
  act.current = { yes: () => ready && answer({ type: "approve", request_id: id }), no: () => ready && no() };
  // Before it can be seen, so that a key that was meant for it finds it.
  useLayoutEffect(() => {
    const take = (what) => { act.current[what]?.(); return true; };
    page.cards.add(take);
    return () => page.cards.delete(take);
  }, []);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), SETTLING);
    return () => clearTimeout(timer);
  }, []);
  const scopes = asked.scopes?.length ? asked.scopes : ["once"];
  const isDiff = Boolean(asked.detail) && /^(?:diff |--- |@@)/m.test(asked.detail);
  const body = html`
    ${asked.warning && html`<p class="ask-warning"><${Icon} name="warning" /><span class="foreign">${plain(spelled(asked.warning))}</span></p>`}
    <${Reasons} asked=${asked} />
    ${isDiff ? html`<${Diff} text=${asked.detail} limit=${whole ? 4000 : 60} />` : null}
    ${asked.about?.length > 0 && html`<pre class="exact foreign">${asked.about.map(spelled).join("\n")}</pre>`}
    ${input === null ? html`<${Exact} asked=${asked} folded=${isDiff || asked.about?.length > 0} edit=${() => setInput(asked.input)} />`
      : html`<label><span class="row small hush"><span class="grow">Do this instead</span><${Button} kind="quiet small" onClick=${() => setInput(null)}>As asked<//></span><textarea class="field mono" rows=${Math.min(16, input.split("\n").length + 1)} value=${input} onInput=${(e) => setInput(e.target.value)} spellcheck="false"></textarea></label>`}
    ${scope !== "once" && scope !== "policy" && html`<div><label><span class="field-label">What is allowed then, a rule a line</span>
      <textarea class="field mono" rows=${Math.min(6, written.split("\n").length + 1)} value=${written} onInput=${(e) => setRules(e.target.value)} spellcheck="false"></textarea></label>
      ${asked.wider?.length > 0 && html`<p class="row small">Wider: ${asked.wider.map((each) => html`<button class="chip mono" key=${each} onClick=${() => setRules([...new Set([...written.split("\n"), each])].filter(Boolean).join("\n"))}>${spelled(each)}</button>`)}</p>`}</div>`}
    ${scope === "policy" && html`<p class="small">Commands that begin so: <code class="foreign">${spelled(offered.join(" "))}</code></p>`}`;
  const foot = html`<div class="ask-foot">
    <div class="row wrap"><${Button} kind="main" icon="check" hotkey="Alt+Y" disabled=${busy || !ready} onClick=${yes}>${input !== null && input !== asked.input ? "Yes, as edited" : "Yes"}<//>
      <select class="field" aria-label="For how long" value=${scope} onChange=${(e) => { setScope(e.target.value); setRules(null); }}>
        ${scopes.map((each) => html`<option key=${each} value=${each}>${SCOPES[each] ?? each}</option>`)}</select></div>
    <form class="row" onSubmit=${(e) => { e.preventDefault(); no(); }}><${Button} kind="bad" icon="cross" hotkey="Alt+D" type="submit" disabled=${busy}>No<//>
      <label class="grow"><span class="sr">Why not, or what instead: the model reads it</span><input class="field" value=${why} onInput=${(e) => setWhy(e.target.value)} placeholder="Why not, or what instead" /></label></form></div>`;
  const title = html`<span class="foreign">${oneLine(spelled(asked.action), 400)}</span>`;
  if (whole) return html`<${Dialog} title=${title} wide=${true} close=${() => setWhole(false)} foot=${foot}><div class="stack">${body}</div><//>`;
  return html`<section class="ask card" data-ready=${ready ? "" : undefined} role="group" aria-label=${`Allow: ${oneLine(asked.action, 200)}`}>
    <header class="ask-head"><span class="ask-sign" aria-hidden="true">?</span><h2 class="grow">${title}</h2><${Count} ...${count} /><${Button} kind="quiet small bare" icon="open" label="Full screen" onClick=${() => setWhole(true)} /></header>
    <div class="ask-body stack" tabindex="0" role="region" aria-label="What it would do">${body}</div>${foot}</section>`;
}

/** What is asked about exactly: the fields of an object a block each, anything else as it is. */
function Exact({ asked, edit, folded }) {
  const fields = fieldsOf(asked.input);
  const shown = fields ? html`<dl class="exact">${fields.map(([name, value]) => html`<div key=${name}><dt>${spelled(name)}</dt><dd><pre class="foreign">${spelled(typeof value === "string" ? value : JSON.stringify(value, null, 2))}</pre></dd></div>`)}</dl>`
    : html`<pre class="exact foreign">${spelled(asked.input)}</pre>`;
  const change = !asked.fixed && html`<${Button} kind="quiet small" onClick=${edit}>Edit<//>`;
  if (folded) {
    return html`<details class="tight"><summary class="small hush">Exactly what is asked, for <code>${spelled(asked.tool)}</code></summary>${shown}${change}</details>`;
  }
  return html`<div class="stack tight"><div class="row small hush"><span class="grow">Exactly, for <code>${spelled(asked.tool)}</code></span>${change}</div>${shown}</div>`;
}

function fieldsOf(input) {
  try {
    const value = JSON.parse(input);
    return value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : null;
  } catch {
    return null;
  }
}

function Reasons({ asked }) {
  const words = [
    asked.reason && asked.reason !== asked.warning ? asked.reason : "",
    asked.rule && !(asked.reason ?? "").includes(asked.rule) ? `Asked by ${asked.rule}` : "",
    asked.sources?.length ? `After reading ${asked.sources.slice(0, 3).join(", ")}${asked.sources.length > 3 ? ` and ${asked.sources.length - 3} more` : ""}: text from there may have led to it` : "",
  ].filter(Boolean);
  if (!words.length) return null;
  return html`<ul class="reasons small">${words.map((each) => html`<li key=${each} class="foreign">${plain(spelled(each))}</li>`)}</ul>`;
}

// A card that has just come must not be answered by what was meant for the one before it.
const SETTLING = 350;

const OTHER = "\u0000other";

function Questions({ asked, store, session, count }) {
  const [busy, answer] = useAnswer(store, session);
  const [chosen, choose, choice] = useTyped({});
  const [words, say, typed] = useTyped({});
  const said = (id) => (choice()[id] === OTHER || !choice()[id] ? typed()[id]?.trim() ?? "" : choice()[id]);
  const isWhole = () => asked.questions.every((each) => said(each.id));
  const send = (event) => {
    event.preventDefault();
    if (isWhole()) answer({ type: "answer", request_id: asked.request_id, answers: Object.fromEntries(asked.questions.map((each) => [each.id, [said(each.id)]])) });
  };
  return html`<form class="ask card" aria-label="The model asks" onSubmit=${send}>
    <header class="ask-head"><span class="ask-sign" aria-hidden="true">?</span><h2 class="grow">The model asks</h2><${Count} ...${count} /></header>
    <div class="ask-body stack">${asked.questions.map((each) => html`<fieldset key=${each.id} class="question"><legend class="foreign">${plain(each.question)}</legend>
      ${each.options.map((option) => html`<label class="choice" key=${option.label}><input type="radio" name=${`${asked.request_id}-${each.id}`} checked=${chosen[each.id] === option.label} onChange=${() => choose({ ...choice(), [each.id]: option.label })} />
        <span class="foreign"><strong>${plain(option.label)}</strong> <span class="hush small">${plain(option.description)}</span></span></label>`)}
      <label class="choice own"><input type="radio" name=${`${asked.request_id}-${each.id}`} checked=${chosen[each.id] === OTHER} onChange=${() => choose({ ...choice(), [each.id]: OTHER })} aria-label="In words of your own" />
        <input class="field grow" aria-label=${`In words of your own: ${oneLine(each.question, 100)}`} placeholder="In words of your own" value=${words[each.id] ?? ""}
        onInput=${(e) => { say({ ...typed(), [each.id]: e.target.value }); choose({ ...choice(), [each.id]: OTHER }); }} /></label></fieldset>`)}</div>
    <div class="ask-foot"><div class="row"><${Button} kind="main" icon="check" type="submit" disabled=${busy} aria-disabled=${!isWhole()}>Answer<//>
      <${Button} kind="quiet" onClick=${() => answer({ type: "answer", request_id: asked.request_id, answers: {} })} disabled=${busy}>Do not answer<//></div></div></form>`;
}

function Proposal({ text, store, session }) {
  const [busy, answer] = useAnswer(store, session);
  const [edited, edit] = useState(null);
  const [mode, setMode] = useState("");
  const [why, setWhy, whyNot] = useTyped("");
  return html`<section class="ask card" role="group" aria-label="A plan waits for your yes">
    <header class="ask-head"><${Icon} name="plan" /><h2 class="grow">Carry this plan out?</h2></header>
    <div class="ask-body" tabindex="0" role="region" aria-label="The plan">${edited === null ? html`<${Prose} text=${text} />`
      : html`<label><span class="sr">The plan</span><textarea class="field mono" rows="14" value=${edited} onInput=${(e) => edit(e.target.value)}></textarea></label>`}</div>
    <div class="ask-foot"><div class="row wrap"><${Button} kind="main" icon="check" disabled=${busy} onClick=${() => answer({ type: "accept_plan", ...(mode ? { mode } : {}), ...(edited !== null && edited !== text ? { text: edited } : {}) })}>${edited !== null && edited !== text ? "Yes, as changed" : "Yes"}<//>
      <label class="small"><span class="sr">In which mode</span><select class="field" value=${mode} onChange=${(e) => setMode(e.target.value)}><option value="">in the mode before</option>${Object.keys(modes).filter((each) => each !== "plan").map((each) => html`<option key=${each} value=${each}>in ${each}</option>`)}</select></label>
      <span class="grow"></span><${Button} kind="quiet small" aria-pressed=${edited !== null ? "true" : "false"} onClick=${() => edit(edited === null ? text : null)}>${edited === null ? "Change it" : "As proposed"}<//></div>
      <form class="row" onSubmit=${(e) => { e.preventDefault(); answer({ type: "refuse_plan", text: whyNot().trim() }); }}><${Button} kind="bad" icon="cross" type="submit" disabled=${busy}>No<//>
        <label class="grow"><span class="sr">What should be planned otherwise</span><input class="field" value=${why} onInput=${(e) => setWhy(e.target.value)} placeholder="What should be otherwise; then it plans on" /></label></form></div></section>`;
}
