"""The one message of an iteration: what stands in it, where, and how long it may be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.agent.context.tokens import of_text
from ouroboros.core.events import AgentMessage, TaskCompleted
from ouroboros.core.events.code import EnvironmentUpdated
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import fold
from ouroboros.rlm import history
from ouroboros.rlm.context import Bounds, Page, Setting, message
from ouroboros.rlm.progress import Iteration, Ran, line
from tests.cases import every
from tests.unit.rlm.states import Story, block

BOUNDS = Bounds(iterations=25, history_tokens=8_000)


def told(story: Story, page: Page | None = None, bounds: Bounds = BOUNDS) -> str:
    return message(story.state, bounds, page)


@pytest.mark.proves("B08")
def test_the_sections_stand_in_order() -> None:
    story = Story()
    story.say("Count the ships.")
    story.record(EnvironmentUpdated(names=("a",), metadata="- a: number = 1"))
    story.iterate(block("const a = 1"), "value: void")
    story.begin()
    text = told(
        story,
        Page(tabs=2, active="tab_1", dialogs=("tab_0 confirm",), changes=("tab_1 url: a -> b",)),
    )
    places = [
        text.index(words)
        for words in (
            "# Task\n",
            "Count the ships.",
            "Iteration 2 of 25.",
            "Progress so far:\n1. code - ok",
            "# Page changes since the last iteration\n- tab_1 url: a -> b",
            "# Environment\nTabs: 2, active tab_1.\nDialog waiting: tab_0 confirm\nRead it with dialog(tab)",
            "Variables:\n- a: number = 1",
            "# Actions so far\n## Iteration 1",
            "call setFinal(value)",
        )
    ]
    assert places == sorted(places)


@pytest.mark.proves("B09", "C19")
def test_what_there_is_not_is_not_told() -> None:
    story = Story()
    story.say("Count.")
    story.begin()
    text = told(story, Page(tabs=1, active="tab_0"))
    for words in ("Page changes", "Actions so far", "Progress", "setFinal", "Dialog"):
        assert words not in text
    assert "Tabs" not in told(story)


@pytest.mark.proves("B06", "B08")
def test_what_a_person_did_in_a_tab_is_told_also_later() -> None:
    story = Story()
    story.say("Count.")
    story.begin()
    earlier = tuple(f"before iteration {n}: tab_1 a person drove it" for n in range(2, 40))
    text = told(story, Page(tabs=1, active="tab_0", earlier=earlier))
    assert "Page changes" not in text
    assert "# What a person did in tabs before\n- before iteration 20:" in text
    assert text.index("before iteration 39:") < text.index("# Environment")
    text = told(story, Page(changes=("tab_0 opened",), earlier=earlier[:1]))
    assert "- tab_0 opened\n# What a person did in tabs before\n- before iteration 2:" in text


@pytest.mark.proves("B09", "C19")
def test_a_flood_of_changes_is_cut() -> None:
    story = Story()
    story.say("Count.")
    story.begin()
    text = told(story, Page(changes=tuple(f"tab_{n} opened" for n in range(10_000))))
    assert "tab_19 opened" in text
    assert "and 9980 more" in text
    assert "tab_20 opened" not in text


def test_a_long_task_keeps_head_and_tail() -> None:
    story = Story()
    story.say(f"Count the ships. {'x' * 50_000} Answer in French.")
    story.begin()
    text = told(story)
    assert len(text) < 7_000
    assert "Count the ships." in text
    assert "Answer in French." in text


def test_the_last_request_is_the_one_after_the_last_iteration() -> None:
    story = Story()
    story.say("Count.")
    for n in range(2):
        story.iterate(block(f"{n}"), f"entry {n}")
    story.begin()
    bounds = Bounds(iterations=2, history_tokens=1_000)
    text = told(story, bounds=bounds)
    assert "Iteration 2 of 2." in text
    assert text.endswith("if nothing useful is in variables.")


def test_a_flood_of_variables_dialogs_and_earlier_words_is_cut() -> None:
    story = Story()
    for n in range(10):
        story.say(f"Earlier {n} {'x' * 5_000}")
        story.iterate(block("1"), "entry")
        story.record(TaskCompleted(reason="completed", final="1"))
    story.say("Count.")
    lines = "\n".join(f"- v{n}: string = {'y' * 190}" for n in range(500))
    story.record(EnvironmentUpdated(names=("v0",), metadata=lines))
    story.begin()
    text = told(story, Page(tabs=1, dialogs=tuple(f"tab_{n} confirm" for n in range(1_000))))
    assert "v499: string = yyy" in text
    assert "older variables)" in text
    assert "tab_20 confirm" not in text
    assert "Earlier 9" in text
    assert len(text) < 11_000


@pytest.mark.parametrize("letter", ["x", "\u6f22", "\U0001f600"])
def test_the_newest_and_the_older_iterations_are_cut_to_the_budget(letter: str) -> None:
    past = [
        Iteration(
            number=n, ran=(Ran(code=f"click(tab_{n}) // {letter * 8_000}", entry="ok", ok=True),)
        )
        for n in range(2_000)
    ]
    text = history.told(past, 4_000)
    assert of_text(text) <= 4_000
    assert text.startswith("(of 1997 older iterations the lines under Progress are left)\n")
    assert "click(tab_1999)" in text


def test_a_child_is_told_where_it_comes_from() -> None:
    story = Story()
    story.say("Count.")
    story.begin()
    setting = Setting(request="the larger one", progress=("3. openTab - ok",), data="In __data.")
    text = message(story.state, Bounds(iterations=1, history_tokens=10, hurry_at=2), None, setting)
    for words in ("the larger one", "3. openTab - ok", "In __data.", "Only 1 iteration left"):
        assert words in text


def test_the_same_events_give_the_same_message() -> None:
    story = Story()
    story.say("Count the ships.")
    for n in range(6):
        story.iterate(block(f"const a{n} = {n}"), f"value: number\npreview: {n}")
    story.begin()
    assert message(fold(story.events), BOUNDS, None) == told(story)


@pytest.mark.proves("B11", "B08")
def test_twenty_iterations_of_long_code_fit_the_budget() -> None:
    story = Story()
    story.say("Count.")
    for n in range(20):
        story.iterate(block(f"const part{n} = {n};\n" + f"// {n} {'x' * 70}\n" * 50), f"entry {n}")
    past = history.iterations(story.state)
    text = history.told(past, 8_000)
    assert of_text(text) <= 8_000
    for n in (17, 18, 19):
        assert f"const part{n} = {n};" in text
        assert f"Result: entry {n}" in text
    assert text.startswith("(of 17 older iterations the lines under Progress are left)\n")
    story.begin()
    whole = told(story)
    for n in range(17):
        assert whole.count(f"\n{n + 1}. code - ok\n") == 1
        assert f"const part{n} = {n};" not in whole


@pytest.mark.proves("B08", "B11")
def test_progress_tells_the_newest_of_very_many_iterations() -> None:
    story = Story()
    story.say("Count.")
    for n in range(60):
        story.iterate(block(f"click(tab, '#b{n}')"), "value: void")
    story.begin()
    text = told(story, bounds=Bounds(iterations=500, history_tokens=500))
    assert (
        "Progress so far:\n(20 earlier iterations are left out here)\n21. click(#b20) - ok" in text
    )
    assert "60. click(#b59) - ok\n" in text
    assert of_text(text) < 1_500


@pytest.mark.proves("B06", "B10")
def test_the_newest_of_many_variables_are_told_in_full_and_the_older_in_short() -> None:
    story = Story()
    story.say("Count.")
    lines = [f"- v{n}: array, {n} items, {{id: number}} = {'y' * 190}" for n in range(60)]
    story.record(EnvironmentUpdated(names=("v0",), metadata="\n".join(lines)))
    story.begin()
    text = told(story)
    assert lines[59] in text
    assert lines[50] in text
    assert lines[0] not in text
    assert f"Variables:\n{lines[0][:100]}…\n{lines[1][:100]}…\n" in text
    assert len(text) < 9_000


@pytest.mark.proves("B11")
def test_all_is_told_in_full_up_to_four_fifths() -> None:
    def sized(tokens: int) -> str:
        one = Iteration(number=1, ran=(Ran(code="x" * tokens * 4, entry="ok", ok=True),))
        past = [
            one,
            *(Iteration(number=n, ran=(Ran(code="1", entry="e", ok=True),)) for n in (2, 3, 4)),
        ]
        return history.told(past, 8_000)

    assert "## Iteration 1" in sized(6_300)
    assert "## Iteration 1" not in sized(6_400)
    assert "of 1 older iterations" in sized(6_400)


@pytest.mark.deep
@pytest.mark.proves("B11")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=3_000), st.text(max_size=500), st.booleans()), max_size=30),
    st.integers(500, 9_000),
)
def test_no_history_passes_its_budget(runs: list[tuple[str, str, bool]], budget: int) -> None:
    past = [
        Iteration(number=n, ran=(Ran(code=code * 5, entry=entry, ok=ok),))
        for n, (code, entry, ok) in enumerate(runs, start=1)
    ]
    assert of_text(history.told(past, budget)) <= budget


@pytest.mark.proves("B08")
@every(
    "code, ok, entry, wanted",
    [
        ("await openTab('http://a/')", True, "", "1. openTab(http://a/) - ok"),
        ("await click(t, '#a'); await click(t, '#b')", True, "", "1. click(#a) x2 - ok"),
        ("setFinal(await getText(t))", True, "", "1. setFinal, getText - ok"),
        ("const a = 1", True, "", "1. code - ok"),
        ("nowhere()", False, "error: x " * 20, "1. code - error: x error: x error: x"),
        (
            "nope",
            False,
            "error at line 1: ReferenceError: nope is not defined\nhint: define it first",
            "1. code - error: ReferenceError: nope is not defined",
        ),
        ("await fill(tabs[0].id, {'#a': 1})", True, "", "1. fill - ok"),
        ("// log('done')\nlog('all done')", True, "", "1. code - ok"),
    ],
)
def test_a_line_says_what_the_code_did(code: str, ok: bool, entry: str, wanted: str) -> None:
    said = line(Iteration(number=1, ran=(Ran(code=code, entry=entry, ok=ok),)))
    assert said.startswith(wanted)
    assert "hint" not in said
    assert len(said) < 200


def test_iterations_keep_their_numbers_when_one_of_them_brought_no_reply() -> None:
    story = Story()
    story.say("count")
    story.iterate("```repl\n1\n```", "value: number")
    story.begin()  # killed before a word came
    story.iterate("```repl\n3\n```", "value: number")
    story.begin()
    text = message(story.state, BOUNDS, None)
    assert "Iteration 4 of" in text
    assert "## Iteration 1\n" in text
    assert "## Iteration 2\n" not in text
    assert "## Iteration 3\n```repl\n3" in text
    assert fold(story.events) == story.state
    story.say("again")
    story.iterate("```repl\n4\n```", "value: number")
    assert [one.number for one in history.iterations(story.state)] == [1]


def test_replies_without_code_are_counted_on_record_but_those_that_broke_off() -> None:
    story = Story()
    story.say("count")
    story.iterate("I think")
    story.iterate("and think")
    assert fold(story.events).silent == 2
    broken = Message(id="msg_cut", role="assistant", parts=(Text(text="an"),))
    story.begin()
    story.record(AgentMessage(message=broken, stop_reason="unknown", partial=True))
    assert story.state.silent == 2
    story.iterate("```repl\n1\n```", "value: number")
    assert story.state.silent == 0
