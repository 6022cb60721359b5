// The first page: what to do, where, and by which mind.
import { Button, Icon, Mark, html, useAutofocus, useEffect, useRef, useState, useTyped } from "../ui.js";
import { modes } from "../text/words.js";

const EXAMPLES = [
  ["tools", "Explain what this project does and how it is laid out"],
  ["tools", "Find the failing test, mend the cause, and show that all pass"],
  ["rlm", "Compare the prices of these three pages in a table"],
];

export function Home({ store, link }) {
  const facts = store.facts;
  const [words, type, task] = useTyped("");
  const [cwd, setCwd, folder] = useTyped("");
  const [mind, setMind, chosen] = useTyped("tools");
  const [mode, setMode, how] = useTyped("");
  const [busy, setBusy] = useState(false);
  const field = useRef(null);
  useEffect(() => { if (matchMedia("(pointer: fine)").matches) field.current?.focus(); }, []);
  const begin = async (event) => {
    event?.preventDefault();
    if (busy) return;
    setBusy(true);
    await store.attempt(async () => {
      const wish = { cwd: folder() || facts?.cwd || "", mode: how(), mind: chosen() === "tools" ? "" : "rlm", browser: chosen() === "browse" };
      const said = task().trim();
      const { session } = await link.post("/sessions", wish);
      store.go({ session, view: "chat" });
      if (said) await link.command(session, { type: "submit", text: said });
    });
    setBusy(false);
  };
  const keys = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) begin(event);
  };
  return html`<div class="home">
    <header class="stack"><${Mark} /><h1>What shall be done?</h1>
      <p class="hush">In your folders and your browser, by any model, under your eyes. Nothing leaves this machine but what the model is asked and what pages are sent.</p></header>
    <form class="home-new" onSubmit=${begin}>
      <label class="sr" for="home-words">Task</label>
      <textarea id="home-words" class="field" rows="3" ref=${field} value=${words} onInput=${(e) => type(e.target.value)} onKeyDown=${keys}
        placeholder="Say it in your own words. Enter begins, Shift+Enter makes a new line."></textarea>
      <fieldset><legend class="field-label">How</legend>
        ${[["tools", "Code", "reads, edits and runs in a folder"], ["browse", "Browser", "works in pages by writing code"], ["rlm", "Data", "computes over files and text"]].map(([value, title, hint]) => html`
          <label class="choice" key=${value}><input type="radio" name="mind" value=${value} checked=${mind === value} onChange=${() => setMind(value)} />
            <span><strong>${title}</strong> <span class="hush small">${hint}</span></span></label>`)}
      </fieldset>
      <div class="home-row">
        <label><span class="field-label">Folder</span><input class="field mono" value=${cwd} placeholder=${facts?.cwd ?? ""} onInput=${(e) => setCwd(e.target.value)} spellcheck="false" autocomplete="off" /></label>
        <label><span class="field-label">Mode</span><select class="field" value=${mode} onChange=${(e) => setMode(e.target.value)}>
          <option value="">As in the settings${facts ? ` (${facts.mode})` : ""}</option>
          ${Object.entries(modes).map(([name, meaning]) => html`<option key=${name} value=${name}>${name}: ${meaning}</option>`)}</select></label>
      </div>
      <div class="row"><${Button} kind="main" icon="send" type="submit" disabled=${busy}>${busy ? "Beginning" : words.trim() ? "Begin" : "Open an empty session"}<//>
        <span class="hush small grow cut foreign">${facts && !facts.model ? "No model is chosen yet: see Settings." : facts?.model}</span></div>
    </form>
    <section aria-labelledby="home-ideas"><h2 class="field-label" id="home-ideas">For example</h2>
      <ul class="list stack">${EXAMPLES.map(([kind, idea]) => html`<li key=${idea}><button class="button quiet small" onClick=${() => { type(idea); setMind(kind === "rlm" ? "browse" : kind); field.current?.focus(); }}><${Icon} name="right" /><span>${idea}</span></button></li>`)}</ul></section>
  </div>`;
}

export function Login({ link }) {
  const [token, type, now] = useTyped("");
  const [problem, tell] = useState("");
  const box = useAutofocus();
  const enter = async (event) => {
    event.preventDefault();
    const typed = now().trim();
    if (!typed) return;
    try {
      await link.login(typed.replace(/^.*#(?:token=)?/, ""));
    } catch (error) {
      tell(error.message);
    }
  };
  return html`<main class="login"><form ref=${box} onSubmit=${enter}>
    <${Mark} /><h1>Ouroboros</h1>
    ${link.wasHere && html`<p><strong>The server was started again</strong>, and each start has a token of its own. Nothing that was kept is lost.</p>`}
    <p class="hush">This page needs the token that <code>ouro web</code> printed${link.wasHere ? " this time" : ""}. Open the whole address, or paste it here.</p>
    <label><span class="field-label">Token or address</span><input class="field mono" type="password" autofocus autocomplete="off" value=${token} onInput=${(e) => type(e.target.value)} aria-describedby="login-problem" /></label>
    <p id="login-problem" role="alert" class="small">${problem}</p>
    <${Button} kind="main" type="submit">Enter<//></form></main>`;
}
