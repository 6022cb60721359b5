"""Every form of the page takes an Enter that comes right behind a paste, before the page was drawn."""

import json
import re

import pytest
from anyio import to_thread

from ouroboros.app.providers import keys
from ouroboros.faces.web.application import STATIC
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.web.conftest import Shown
from tests.web.window import Window

PASTED_AND_SENT = """((fields) => {
  let form;
  for (const [selector, words] of Object.entries(fields)) {
    const field = document.querySelector(selector);
    form ??= field.form;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, words);
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
  }
  // What a browser does for an Enter: nothing, where the form's first button is disabled.
  const button = form.querySelector('button:not([type=button]), input[type=submit]');
  if (button.disabled) return 'eaten';
  form.requestSubmit(button);
  return 'sent';
})"""
"""Pastes into fields and presses Enter, all in one task: nothing is drawn in between."""


ASKED = Turn(tool_calls=(call("exec_command", cmd="touch asked"),))
QUESTION = {
    "id": "where",
    "header": "Where",
    "question": "Where to?",
    "options": [{"label": "Here", "description": "x"}, {"label": "There", "description": "y"}],
}


async def paste(window: Window, fields: dict[str, str]) -> None:
    await window.until(f"document.querySelector({json.dumps(next(iter(fields)))}) !== null")
    assert await window.run(f"{PASTED_AND_SENT}({json.dumps(fields)})") == "sent", fields


async def settings_take_it(window: Window) -> None:
    await window.run("ouro.page.show('settings')")
    await window.click(".settings .segments button", "All")
    await window.click(".provider .file-name", "Anthropic")
    await paste(window, {".key input": "sk-ant-0123456789abcdef"})
    await window.shows("ANTHROPIC_API_KEY is kept in")
    await window.click(".panel-head .button", "Own server")
    await window.until("document.querySelectorAll('.dialog .field').length === 4")
    fields = [f".dialog label:nth-of-type({n}) input" for n in (1, 2)]
    await paste(window, {fields[0]: "mine", fields[1]: "http://127.0.0.1:9/v1"})
    await window.shows("mine is added to")
    await window.click(".provider .file-name", "mine")
    await paste(window, {"form.stack label input": "http://127.0.0.1:10/v1"})
    await window.shows("mine is changed")
    await window.run("ouro.page.show('settings', {tab: 'values', query: 'limits.max_turns'})")
    await window.click(".value", "limits.max_turns")
    await paste(window, {".edit input": "9"})
    await window.until("document.querySelector('.value-now')?.innerText === '9'")
    await window.run("ouro.page.show('settings', {tab: 'rules'})")
    await paste(window, {"[placeholder^='Bash(git']": "Bash(git log:*)"})
    await window.until("document.querySelector('.rule')?.innerText.includes('Bash(git log:*)')")
    await paste(window, {"[placeholder^='git push']": "git log -1"})
    await window.until("document.querySelector('.why') !== null")
    home = window.served.root / "home"
    kept = await to_thread.run_sync(keys.sealed, home)
    assert any("0123456789abcdef" in key for key in kept.values())
    assert "http://127.0.0.1:10/v1" in (home / "config.toml").read_text()


async def sessions_take_it(window: Window) -> None:
    session = await window.session(mode="full-auto")
    await window.run("ouro.page.show('sessions')")
    await window.click(".menu .button")
    await window.click(".popup button", "Rename")
    await paste(window, {".dialog input": "Foxes"})
    await window.until("document.querySelector('.session-title')?.innerText === 'Foxes'")
    await window.click(".menu .button")
    await window.click(".popup button", "Delete")
    await paste(window, {".dialog input": session[-4:]})
    await window.until("document.querySelectorAll('.session-row').length === 0")


async def questions_take_it(window: Window) -> None:
    session = await window.session(mode="ask")
    await window.say("Go")
    await window.until("document.querySelector('.ask[data-ready]') !== null")
    await paste(window, {".ask form input": "not today, tomorrow"})
    await window.until("document.querySelector('.ask .question') !== null")
    assert "not today, tomorrow" in window.served.model.exchanges[-1].body
    await paste(window, {".question .own input.field": "Far away"})
    await window.until("document.querySelector('.ending') !== null")
    assert "Far away" in window.served.model.exchanges[-1].body
    assert not (window.served.root / "work" / "asked").exists()
    await window.served.send(session, "set_mode", mode="full-auto")
    sent = "document.querySelectorAll('.said').length === 2"
    await window.run(
        "(() => { const field = document.querySelector('.prompt textarea'); field.focus();"
        "Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, 'And now');"
        "field.dispatchEvent(new InputEvent('input', {bubbles: true}));"
        "field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true})); })()"
    )
    await window.until(sent)


async def the_first_page_takes_it(window: Window) -> None:
    await window.run("ouro.store.go({session: '', view: 'home'})")
    await paste(window, {"#home-words": "Begin from here"})
    await window.until("document.querySelector('.said')?.innerText === 'Begin from here'")


@pytest.mark.proves("V13")
@pytest.mark.deep
async def test_each_form_takes_what_was_pasted_just_before_it_is_sent(page: Shown) -> None:
    asked = call("request_user_input", questions=[QUESTION])
    turns = [
        ASKED,
        Turn(tool_calls=(asked,)),
        Turn(text="One"),
        Turn(text="Two"),
        Turn(text="Three"),
    ]
    async with page(turns) as window:
        await settings_take_it(window)
        await sessions_take_it(window)
        await questions_take_it(window)
        await the_first_page_takes_it(window)


def test_no_form_lets_its_state_eat_an_enter() -> None:
    for path in (STATIC / "js").rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        for button in re.findall(r"<(?:button|\$\{Button\})[^\n]*?type=\"submit\"[^\n]*?<\/", text):
            found = re.findall(r"(?<!aria-)disabled=\$\{([^}]*)\}", button.rpartition("<button")[2])
            assert set(found) <= {"busy"}, (path.name, button[:200])
        if "<form" in text:
            assert "useTyped" in text or path.name == "live.js", path.name
