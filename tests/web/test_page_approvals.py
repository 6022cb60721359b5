"""What waits for the person, in the page: shown whole, answered in every way, closed everywhere."""

import json
from typing import Any

import pytest

from ouroboros.llm.turns import Turn
from tests.browser.chromium import Chromium
from tests.story.stage import call
from tests.web.conftest import Shown
from tests.web.serving import Frame
from tests.web.window import PHONE, Window, window

_ASK = "document.querySelector('.ask') !== null"
_GONE = "document.querySelector('.ask') === null"


def _run(command: str) -> Turn:
    return Turn(tool_calls=(call("exec_command", cmd=command),))


async def _answered(window: Window, session: str) -> list[dict[str, Any]]:
    found = [each["data"] for each in await window.served.log(session)]
    types = [each["type"] for each in await window.served.log(session)]
    return [data for kind, data in zip(types, found, strict=True) if kind == "permission.answered"]


async def _fill(window: Window, selector: str, words: str) -> None:
    await window.run(
        f"(document.querySelector('{selector}').focus(), document.activeElement.select())"
    )
    await window.type(words)


def _turns_of_the_input_may_be_changed_and_a_no_brings_words_to_the_model() -> list[Turn]:
    return [_run("touch asked"), _run("touch refused"), Turn(text="Well")]


async def the_input_may_be_changed_and_a_no_brings_words_to_the_model(window: Window) -> None:
    session = await window.session()
    await window.say("Do it")
    await window.until(_ASK)
    assert "not known only to read" in await window.text(".ask .reasons")
    assert "Asked by mode ask" in await window.text(".ask .reasons")
    await window.click(".ask button", "Edit")
    await window.until("document.querySelector('.ask textarea')?.value === 'touch asked'")
    await _fill(window, ".ask textarea", "touch changed")
    await window.click(".ask button", "Yes, as edited")
    await window.until("document.querySelector('.ask .exact')?.innerText === 'touch refused'")
    work = window.served.root / "work"
    assert (work / "changed").exists()
    assert not (work / "asked").exists()
    await _fill(window, ".ask form input", "not today, tomorrow")
    await window.press("Enter")
    await window.until("document.querySelector('.ending') !== null")
    assert not (work / "refused").exists()
    assert "not today, tomorrow" in window.served.model.exchanges[-1].body
    yes, no = await _answered(window, session)
    assert (yes["allowed"], yes["input"]) == (True, "touch changed")
    assert (no["allowed"], no["message"]) == (False, "not today, tomorrow")
    assert "Denied by you: not today, tomorrow" in await window.text(".transcript")


_AT_ONCE = """new MutationObserver((_, me) => {
  if (!document.querySelector('.ask')) return;
  me.disconnect();
  const key = {key: 'y', code: 'KeyY', altKey: true, bubbles: true, cancelable: true};
  document.body.dispatchEvent(new KeyboardEvent('keydown', key));
  document.querySelector('.ask .button.main').click();
  globalThis.tried = true;
}).observe(document.body, {subtree: true, childList: true})"""


async def a_card_that_has_just_come_takes_no_answer_meant_for_another(window: Window) -> None:
    session = await window.session()
    await window.run(_AT_ONCE)
    await window.say("Do it")
    await window.until("globalThis.tried && document.querySelector('.ask[data-ready]') !== null")
    assert await _answered(window, session) == []
    await window.answer()
    await window.until("document.querySelector('.ending') !== null")
    assert [each["allowed"] for each in await _answered(window, session)] == [True]


@pytest.mark.proves("E14")
@pytest.mark.deep
async def test_always_shows_the_beginning_and_the_folder_that_it_covers(page: Shown) -> None:
    """A yes for the session to what stands in the card is one to others of its kind."""
    turns = [
        *(_run("python3 c.py one"), _run("python3 c.py two && ls")),
        *(Turn(tool_calls=(call("write", path=f"{name}.txt", content="x\n"),)) for name in "ab"),
        Turn(text="Well"),
    ]
    choose = (
        "(() => { const all = document.querySelector('.ask select'); all.value = 'session';"
        "all.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    rules = "document.querySelector('.ask textarea')?.value"
    async with page(turns, mode="ask") as window:
        session = await window.session()
        await window.say("Go")
        for covers in ("(python3 c.py:*)", "/work/**)"):
            await window.until(_ASK)
            await window.run(choose)
            await window.until(f"{rules}?.endsWith('{covers}')")
            await window.click(".ask .button.main", "Yes")
            await window.until(f"!{rules}?.endsWith('{covers}')")
        await window.until("document.querySelector('.ending') !== null")
        assert [each["scope"] for each in await _answered(window, session)] == [
            "session",
            "session",
        ]
        assert (window.served.root / "work" / "b.txt").exists()


@pytest.mark.proves("E14", "E16")
@pytest.mark.deep
async def test_a_yes_for_good_writes_the_rules_that_stand_in_the_card(page: Shown) -> None:
    write = Turn(tool_calls=(call("write", path="a.txt", content="one\n"),))
    again = Turn(tool_calls=(call("write", path="b.txt", content="two\n"),))
    async with page([write, again, Turn(text="Well")], mode="ask") as window:
        await window.session()
        await window.say("Write")
        await window.until(_ASK)
        assert "+one" in await window.text(".ask .diff")
        tall = "document.querySelector('.ask .diff').getBoundingClientRect().height"
        assert await window.run(f"{tall} > 60")
        await window.run(
            "(() => { const all = document.querySelector('.ask select'); all.value = 'user';"
            "all.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )
        await window.until("document.querySelectorAll('.ask textarea').length === 1")
        rules = str(await window.run("document.querySelector('.ask textarea').value"))
        assert rules.endswith("work/a.txt)")
        both = f"{rules}\n{rules.replace('a.txt', 'b.txt')}"
        await _fill(window, ".ask textarea", both)
        await window.click(".ask .button.main", "Yes")
        await window.until("document.querySelector('.ending') !== null")
        assert (window.served.root / "work" / "b.txt").read_text() == "two\n"
        kept = (window.served.root / "home" / "config.toml").read_text()
        assert all(each in kept for each in both.split("\n"))
        assert "Remembered in" in await window.text(".transcript")


@pytest.mark.proves("E28", "V14", "E18")
@pytest.mark.deep
async def test_a_question_survives_a_reload_and_closes_where_it_was_not_answered(
    page: Shown,
) -> None:
    turns = [_run("touch one"), _run("touch two"), Turn(text="Well")]
    async with page(turns, mode="ask") as first:
        session = await first.session()
        await first.say("Do it")
        await first.until(_ASK)
        other = await first.served.open(mode="ask")
        await first.served.send(other, "submit", text="Do it too")
        await first.until(
            "document.querySelector('.ask .chip')?.innerText === '1 in other sessions'"
        )
        await first.tab.reload()
        await first.until(_ASK)
        assert await first.text(".ask .exact") == "touch one"
        (asked,) = (await first.served.look(session))["approvals"]
        answer: Frame = {"request_id": asked["request_id"]}
        assert (await first.served.send(session, "approve", **answer)).status_code == 202
        await first.shows("Allowed by you, elsewhere")
        late = await first.run(
            f"ouro.store.current.send({{type: 'deny', request_id: '{asked['request_id']}'}})"
            ".then(() => 'done', (refused) => String(refused.status))"
        )
        assert late == "409"
        await first.press("Alt+a")
        await first.until(f"location.hash.includes('{other}')")
        await first.until("document.querySelector('.ask .exact')?.innerText === 'touch two'")
        await first.answer("Alt+d")
        await first.until(_GONE)
        assert [each["allowed"] for each in await _answered(first, other)] == [False]


@pytest.mark.proves("E28", "V14")
@pytest.mark.deep
async def test_two_pages_show_one_question_and_the_first_answer_closes_both(
    page: Shown, chromium: Chromium
) -> None:
    async with (
        page([_run("touch one"), Turn(text="Well")], mode="ask") as desk,
        window(chromium, desk.served, PHONE) as phone,
    ):
        session = await desk.session()
        await desk.say("Do it")
        await phone.enter(f"{session}/chat")
        await phone.until(_ASK)
        await desk.until(_ASK)
        await phone.click(".ask .button.main", "Yes")
        await desk.until("document.querySelector('.ending') !== null")
        await phone.until("document.querySelector('.ending') !== null")
        assert await desk.count(".ask") == await phone.count(".ask") == 0
        assert len(await _answered(desk, session)) == 1


def _turns_of_questions_of_the_model_and_plans_are_answered_in_the_page() -> list[Turn]:
    question: dict[str, Any] = {
        "id": "base",
        "header": "Base",
        "question": "Which database?",
        "options": [
            {"label": "SQLite", "description": "one file"},
            {"label": "PostgreSQL", "description": "a server"},
        ],
    }
    asks = call(
        "call_tool",
        name="request_user_input",
        arguments={"questions": [question, question | {"id": "why", "question": "Why that?"}]},
    )
    plan = "Here:\n<proposed_plan>\n1. Write **a.txt**\n</proposed_plan>\nTell me."
    return [Turn(tool_calls=(asks,)), Turn(text=plan), Turn(text="It is so.")]


async def questions_of_the_model_and_plans_are_answered_in_the_page(window: Window) -> None:
    session = await window.session(mode="plan")
    await window.say("Plan it")
    await window.shows("Which database?")
    await window.click(".ask label", "PostgreSQL")
    await window.run("document.querySelectorAll('.ask .own input.field')[1].focus()")
    await window.type("many machines")
    await window.click(".ask button", "Answer")
    await window.shows("Carry this plan out?")
    assert await window.run("document.querySelector('.ask strong').innerText") == "a.txt"
    assert "<proposed_plan>" not in await window.text(".transcript")
    events = await window.served.log(session)
    (said,) = [each["data"]["answers"] for each in events if each["type"] == "user.answered"]
    assert said == {"base": ["PostgreSQL"], "why": ["many machines"]}
    await window.click(".ask button", "Change it")
    await window.until("document.querySelector('.ask textarea') !== null")
    await _fill(window, ".ask textarea", "1. Only look")
    await window.click(".ask button", "Yes, as changed")
    await window.shows("It is so.")
    (accepted,) = [
        each["data"] for each in await window.served.log(session) if each["type"] == "plan.answered"
    ]
    assert (accepted["accepted"], accepted["text"]) == (True, "1. Only look")
    assert "Only look" in await window.text(".proposed")


async def what_can_only_be_done_as_it_is_offers_no_change(window: Window) -> None:
    await window.session()
    asked = {"call_id": "c", "tool": "click", "action": "Send a form", "input": '{"tab":"t"}'}
    for number, (fixed, buttons) in enumerate(((False, 1), (True, 0))):
        data = {**asked, "request_id": f"req_{number}", "fixed": fixed}
        await window.run(
            "(() => { const { current } = ouro.store; current.state.approvals.clear(); const seq = current.state.seq + 1;"
            "current.take({kind: 'event', event: {id: `e${seq}`, seq, ts: 0, type: 'permission.requested',"
            f"data: {json.dumps(data)}}}}}) }})()"
        )
        edit = "[...document.querySelectorAll('.ask .button')].filter((each) => each.innerText === 'Edit')"
        await window.until(
            f"document.querySelector('.ask .exact') !== null && {edit}.length === {buttons}"
        )


@pytest.mark.proves("E13", "E15", "V06", "interfaces-questions-and-plans-on-the-page")
async def test_what_waits_for_the_person_is_answered_in_the_page(page: Shown) -> None:
    async with page(
        [
            *_turns_of_the_input_may_be_changed_and_a_no_brings_words_to_the_model(),
            *[_run("touch one"), Turn(text="Well")],
            *_turns_of_questions_of_the_model_and_plans_are_answered_in_the_page(),
        ],
        mode="ask",
    ) as window:
        await the_input_may_be_changed_and_a_no_brings_words_to_the_model(window)
        await a_card_that_has_just_come_takes_no_answer_meant_for_another(window)
        await questions_of_the_model_and_plans_are_answered_in_the_page(window)
        await what_can_only_be_done_as_it_is_offers_no_change(window)
