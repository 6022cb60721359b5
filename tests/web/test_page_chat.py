"""The conversation in the page: tasks typed, watched, steered and stopped."""

from urllib.parse import urlsplit

import pytest

from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.web.conftest import Shown
from tests.web.window import Window

_CALLS = "document.querySelectorAll('.call').length"


def _turns_of_a_task_is_typed_watched_allowed_and_answered_and_nothing_comes_from_outside() -> list[
    Turn
]:
    return [
        Turn(
            text="I look **first**.", tool_calls=(call("exec_command", cmd="mkdir found; echo hi"),)
        ),
        Turn(
            text="## Found\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```python\nprint(1)\n```", chunk=3
        ),
    ]


async def a_task_is_typed_watched_allowed_and_answered_and_nothing_comes_from_outside(
    window: Window,
) -> None:
    await window.shows("What shall be done?")
    await window.say("Look around")
    await window.shows("Exactly, for exec_command")
    assert "mkdir found; echo hi" in await window.text(".ask .exact")
    assert await window.text("article.said") == "Look around"
    assert await window.run("document.querySelector('.reply strong').textContent") == "first"
    assert not (window.served.root / "work" / "found").exists()
    await window.answer()
    await window.until("document.querySelector('.ending') !== null")
    assert (window.served.root / "work" / "found").is_dir()
    assert await window.count(".ask") == 0
    assert "waiting" not in await window.text(".call")
    assert "done" in await window.text(".call")
    heading = "document.querySelector('.prose h4')?.textContent"
    assert await window.run(heading) == "Found"
    assert await window.run("document.querySelector('td.right').textContent") == "2"
    assert "Done" in await window.text(".ending")
    assert await window.run("document.title") == "Look around · Ouroboros"
    home = urlsplit(window.served.plate.address).netloc
    assert window.asked
    assert {urlsplit(each).netloc for each in window.asked if each[:5] != "data:"} == {home}


def _turns_of_iterations_show_code_what_came_of_it_children_and_errors() -> list[Turn]:
    return [
        Turn(text="I count.\n\n```js\nconst rows = [{id: 1}, {id: 2}]; log('two'); rows\n```"),
        Turn(text="```js\n// A remark.\nconst more = rows.length\n```"),
        Turn(
            text="```js\nawait llm_query('Say it', 'data')\n```\n\n```js\nthrow new Error('no <b>')\n```"
        ),
        Turn(text="said"),
        Turn(text="```js\nsetFinal({answer: 42})\n```"),
    ]


async def iterations_show_code_what_came_of_it_children_and_errors(window: Window) -> None:
    await window.session(mind="rlm", mode="full-auto")
    await window.say("Count")
    await window.until("document.querySelector('.ending.card') !== null")
    heads = await window.run(
        "[...document.querySelectorAll('.iteration > .fold-head')].map((each) => each.innerText)"
    )
    # What is folded says what it was for, or else what it did.
    assert [each.split("\n")[0] for each in heads] == [
        "Iteration 1 I count.",
        "Iteration 2 const more = rows.length",
        "Iteration 3",
        "Iteration 4",
    ]
    assert "2 blocks, 1 failed" in heads[2]
    await window.click(".iteration > .fold-head", "Iteration 1")
    await window.until("document.querySelector('.iteration').innerText.includes('const rows')")
    first = await window.text(".iteration")
    assert "I count." in first
    assert "```" not in first
    assert "const rows = [{id: 1}, {id: 2}]" in first
    for fact in ("array · 2 items", "{id: number}", '[{"id":1},{"id":2}]', "two"):
        assert fact in first
    second = await window.run("document.querySelectorAll('.iteration')[2].innerText")
    assert "Asks a model Say it" in second
    assert "Error at line 1" in second
    assert "no <b>" in second
    assert '"answer": 42' in await window.text(".ending.card")


def _turns_of_words_steer_wait_or_stop_a_run_by_keys() -> list[Turn]:
    return [
        Turn(text="First", tool_calls=(call("exec_command", cmd="touch one"),)),
        Turn(text="Steered then"),
        Turn(text="Later then", tool_calls=(call("exec_command", cmd="touch two"),)),
    ]


async def words_steer_wait_or_stop_a_run_by_keys(window: Window) -> None:
    session = await window.session()
    await window.say("Begin")
    await window.until("document.querySelector('.ask') !== null")
    await window.say("Mind the time")
    await window.until("document.querySelector('.said.steered') !== null")
    await window.focus()
    await window.type("And then this")
    await window.press("Tab")
    await window.until("document.querySelector('.later')?.innerText.includes('And then this')")
    await window.answer()
    await window.until("document.querySelectorAll('.said').length === 3")
    await window.until("document.querySelector('.ask') !== null")
    await window.press("Escape")
    await window.shows("Interrupted")
    assert await window.count(".ask") == 0
    state = await window.served.rests(session)
    assert state["queued"] == {}
    assert not (window.served.root / "work" / "two").exists()
    said = [
        part["text"]
        for each in await window.served.log(session)
        if each["type"] == "user.message" and each["data"]["message"].get("kind") is None
        for part in each["data"]["message"]["parts"]
    ]
    assert said == ["Begin", "Mind the time", "And then this"]


@pytest.mark.proves("V11", "V24")
@pytest.mark.deep
async def test_modes_models_commands_and_views_are_reached_by_keys_alone(page: Shown) -> None:
    async with page([Turn(text="Well")], mode="ask") as window:
        session = await window.session()
        await window.focus()
        await window.press("Shift+Tab")
        await window.until("ouro.store.current.state.mode === 'auto-edit'")
        await window.say("/mode plan")
        await window.until("ouro.store.current.state.mode === 'plan'")
        await window.say("/mode nonsense")
        await window.shows("there is no mode 'nonsense'")
        await window.press("Alt+m")
        await window.until("document.activeElement.matches('[role=dialog] input')")
        await window.type("openai-chat/another")
        await window.press("Enter")
        await window.until("ouro.store.current.state.model === 'openai-chat/another'")
        await window.until("document.activeElement.matches('.prompt textarea')")
        await window.run("document.activeElement.blur()")
        await window.press("/")
        await window.until("document.querySelector('.suggest') !== null")
        await window.type("ren")
        await window.press("Tab")
        await window.type("A better name")
        await window.press("Enter")
        await window.until("document.querySelector('.head h1').innerText === 'A better name'")
        assert (await window.served.look(session))["title"] == "A better name"
        await window.press("Alt+2")
        await window.until("document.querySelector('.timeline') !== null")
        await window.press("?")
        await window.until("document.querySelector('[role=dialog] .keys') !== null")
        await window.press("Escape")
        await window.until("document.querySelector('[role=dialog]') === null")
        await window.press("Alt+p")
        await window.until("document.activeElement.matches('[role=dialog] input')")
        await window.type("newsession")
        await window.press("Enter")
        await window.shows("What shall be done?")


@pytest.mark.proves("interfaces-reach")
@pytest.mark.deep
async def test_a_key_goes_into_the_pane_and_back_to_the_prompt(page: Shown) -> None:
    async with page() as window:
        await window.session()
        await window.press("Alt+9")
        await window.until("document.querySelector('.side .panel.meter') !== null")
        await window.focus()
        await window.press("F6")
        await window.until("document.activeElement.matches('.side > .view')")
        await window.press("Tab")
        await window.until("document.activeElement.matches('.side > .view *')")
        await window.press("F6")
        await window.until("document.activeElement.matches('.prompt textarea')")
        await window.press("Alt+.")
        await window.until("document.querySelector('.side') === null")
        await window.press("F6")
        assert await window.run("document.activeElement.matches('.prompt textarea')")


_PASTE = """(() => {
  const bytes = Uint8Array.from(atob('%s'), (each) => each.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], 'dot.png', {type: 'image/png'}));
  const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
  document.querySelector('.prompt textarea').dispatchEvent(event);
})()"""
_DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.mark.proves("V11", "V24")
@pytest.mark.deep
async def test_a_picture_is_pasted_and_a_file_is_named_by_its_beginning(page: Shown) -> None:
    async with page([Turn(text="A dot")]) as window:
        work = window.served.root / "work"
        (work / "sources").mkdir()
        (work / "sources" / "main.py").write_text("x = 1\n")
        await window.session()
        await window.run(_PASTE % _DOT)
        await window.until("document.querySelector('.prompt .pictures img')?.complete")
        await window.focus()
        await window.type("What is this, and @sou")
        await window.until("document.querySelector('.suggest')?.innerText.includes('sources/')")
        await window.press("Tab")
        await window.until("document.querySelector('.suggest')?.innerText.includes('main.py')")
        await window.press("Tab")
        value = "document.querySelector('.prompt textarea').value"
        assert await window.run(value) == "What is this, and @sources/main.py "
        await window.press("Enter")
        await window.until("document.querySelector('.ending') !== null")
        assert await window.count(".said .pictures img") == 1
        body = window.served.model.exchanges[-1].body
        assert _DOT in body
        assert "@sources/main.py" in body
        await window.focus()
        await window.press("ArrowUp")
        await window.until(f"{value} === 'What is this, and @sources/main.py'")


@pytest.mark.proves("V11", "V24", "V12", "B27")
async def test_conversations_are_had_in_the_page(page: Shown) -> None:
    async with page(
        [
            *_turns_of_a_task_is_typed_watched_allowed_and_answered_and_nothing_comes_from_outside(),
            *_turns_of_iterations_show_code_what_came_of_it_children_and_errors(),
            *_turns_of_words_steer_wait_or_stop_a_run_by_keys(),
        ],
        mode="ask",
    ) as window:
        await a_task_is_typed_watched_allowed_and_answered_and_nothing_comes_from_outside(window)
        await iterations_show_code_what_came_of_it_children_and_errors(window)
        await words_steer_wait_or_stop_a_run_by_keys(window)
