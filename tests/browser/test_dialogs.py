"""Dialogs: waved through, or waiting for a decision, and never in anybody's way."""

import pytest

from ouroboros.browser.errors import CannotAct, DialogOpen
from ouroboros.browser.prompts.dialogs import MOST_ALERTS, DialogRule, Dialogs
from ouroboros.browser.tabs import Tab
from ouroboros.core.events.browser import DialogAnswered, DialogOpened
from ouroboros.core.events.envelope import Event
from tests.browser.settling import until
from tests.browser.stage import Stage, read


async def _watched(stage: Stage, rule: DialogRule = "ask") -> tuple[Dialogs, list[Event]]:
    events: list[Event] = []
    dialogs = Dialogs(events.append, lambda url: rule)
    await dialogs.begin(stage.connection, stage.tabs)
    return dialogs, events


def _ask(tab: Tab, code: str) -> None:
    later = f"setTimeout(() => {{ window.said = {code} }}, 0); 1"
    tab.connection.post(
        "Runtime.evaluate", {"expression": later, "userGesture": True}, session=tab.session
    )


@pytest.mark.deep
@pytest.mark.proves("C18")
async def test_an_alert_is_waved_through_and_remembered(stage: Stage) -> None:
    dialogs, events = await _watched(stage)
    tab = await stage.show("<title>Shop</title>")
    assert await read(tab, "alert('sold out'); 'went on'") == "went on"
    (past,) = dialogs.past
    assert (past.kind, past.message) == ("alert", "sold out")
    assert [type(event) for event in events] == [DialogOpened, DialogAnswered]


QUESTIONS = [
    ("confirm('Delete all?')", "confirm", True, "", True),
    ("confirm('Delete all?')", "confirm", False, "", False),
    ("prompt('Name?', 'you')", "prompt", True, "me", "me"),
    ("prompt('Name?', 'you')", "prompt", False, "", None),
]


@pytest.mark.proves("C18")
async def test_a_question_waits_for_its_answer(stage: Stage) -> None:
    dialogs, _ = await _watched(stage)
    tab = await stage.show("<title>Shop</title>")
    other = await stage.show("<title>Other</title>", path="other")
    for code, kind, accept, text, said in QUESTIONS:
        _ask(tab, code)
        await until(lambda: tab.dialog)
        assert (tab.facts.dialog, tab.facts.status) == (kind, "dialog")
        with pytest.raises(DialogOpen):
            await tab.evaluate("1")
        assert await read(other, "document.title") == "Other"
        await dialogs.answer(tab.id, accept, text)
        assert await read(tab, "window.said") == said, (code, accept)
        assert (tab.facts.dialog, dialogs.of(tab.id)) == ("", None)


@pytest.mark.deep
async def test_the_words_of_a_dialog_are_cut_to_a_preview(stage: Stage) -> None:
    dialogs, events = await _watched(stage)
    tab = await stage.show("<title>Shop</title>")
    _ask(tab, "confirm('x'.repeat(100000))")
    await until(lambda: tab.dialog)
    waiting = dialogs.of(tab.id)
    assert waiting is not None
    assert len(waiting.message) == 400
    assert all(len(event.message) <= 400 for event in events if isinstance(event, DialogOpened))
    await dialogs.answer(tab.id, accept=False)


@pytest.mark.deep
async def test_a_tab_with_an_open_question_can_be_closed(stage: Stage) -> None:
    dialogs, _ = await _watched(stage)
    tab = await stage.show("<title>Shop</title>")
    _ask(tab, "confirm('stay?')")
    await until(lambda: tab.dialog)
    await stage.tabs.close(tab.id)
    assert tab.is_closed
    assert dialogs.of(tab.id) is None


@pytest.mark.deep
async def test_no_dialog_cannot_be_answered(stage: Stage, tab: Tab) -> None:
    dialogs, _ = await _watched(stage)
    with pytest.raises(CannotAct, match="no dialog"):
        await dialogs.answer(tab.id, accept=True)


@pytest.mark.deep
@pytest.mark.proves("C18")
async def test_a_page_that_asks_to_stay_is_left_when_we_leave_it(stage: Stage) -> None:
    await _watched(stage)
    tab = await stage.show(
        "<script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>"
    )
    await read(tab, "1")
    await tab.call(
        "Input.dispatchMouseEvent",
        {"type": "mousePressed", "x": 5, "y": 5, "button": "left", "clickCount": 1},
    )
    await tab.navigate(stage.site.put("next", "<title>Next</title>"))
    await until(lambda: tab.status == "complete")
    assert await read(tab, "document.title") == "Next"


@pytest.mark.deep
async def test_a_page_that_leaves_itself_waits_for_a_decision(stage: Stage) -> None:
    dialogs, _ = await _watched(stage)
    tab = await stage.show(
        "<script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>"
    )
    stage.site.put("next", "<title>Next</title>")
    await tab.call(
        "Input.dispatchMouseEvent",
        {"type": "mousePressed", "x": 5, "y": 5, "button": "left", "clickCount": 1},
    )
    _ask(tab, "location = '/next'")
    await until(lambda: tab.dialog)
    assert tab.dialog == "beforeunload"
    await dialogs.answer(tab.id, accept=False)
    assert await read(tab, "location.pathname") == "/page"


@pytest.mark.proves("C18")
@pytest.mark.deep
async def test_a_storm_of_alerts_ends_and_harms_no_other_tab(stage: Stage) -> None:
    dialogs, events = await _watched(stage)
    tab = await stage.show("<title>Storm</title>")
    other = await stage.show("<title>Other</title>", path="other")
    _ask(tab, "(() => { for (let i = 0; i < 1000; i++) alert(i) })()")
    await until(lambda: tab.dialog, 60)
    waiting = dialogs.of(tab.id)
    assert waiting is not None
    assert waiting.alerts == MOST_ALERTS + 1
    assert len(events) < 10
    assert await read(other, "document.title") == "Other"
    await stage.tabs.close(tab.id)


@pytest.mark.parametrize(("rule", "said"), [("accept", True), ("dismiss", False)])
@pytest.mark.deep
async def test_a_site_may_have_its_questions_answered_beforehand(
    stage: Stage, rule: DialogRule, said: bool
) -> None:
    await _watched(stage, rule)
    tab = await stage.show("<title>Shop</title>")
    assert await read(tab, "confirm('sure?')") is said
