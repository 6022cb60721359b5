"""Blocks of a transcript: what events become, and rows of many heights."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.events import (
    AgentMessage,
    Event,
    ModelDelta,
    PermissionAnswered,
    PermissionRequested,
    PlanStep,
    PlanUpdated,
    SessionReady,
    TaskCancelled,
    TaskCompleted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.browser import TabDriven, TabUpdated
from ouroboros.core.events.code import CodeGenerated, CodeResulted, IterationStarted
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.parts import Message, Text, Usage
from ouroboros.faces.tui.transcript.blocks import (
    Block,
    Call,
    Children,
    Closing,
    Iteration,
    Plan,
    Prose,
    Said,
    Told,
)
from ouroboros.faces.tui.transcript.changes import change_rows, parts
from ouroboros.faces.tui.transcript.drawing import guess, rows_of
from ouroboros.faces.tui.transcript.heights import Heights
from ouroboros.faces.tui.transcript.look import Look
from ouroboros.faces.tui.transcript.scribe import Scribe
from ouroboros.faces.wording.rows import row_width
from tests.tui.screen_stage import envelope

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,4 @@\n a = 1\n-b = 2\n+b = 3\n+c = 4\n d = 5\n"


class Sheet:
    """A page that only keeps what is on it."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def add(self, block: Block) -> None:
        self.blocks.append(block)

    def touch(self, block: Block) -> None:
        assert any(each is block for each in self.blocks) or isinstance(block, Call | Iteration)


def written(*events: Event) -> list[Block]:
    sheet = Sheet()
    scribe = Scribe(sheet)
    for seq, event in enumerate(events):
        scribe.take(envelope(event, seq, ts=float(seq)))
    return sheet.blocks


def said(text: str) -> UserMessage:
    return UserMessage(message=Message(id="u", role="user", parts=(Text(text=text),)))


def reply(text: str) -> AgentMessage:
    message = Message(id="a", role="assistant", parts=(Text(text=text),))
    return AgentMessage(message=message, stop_reason="end", usage=Usage(input_uncached=10))


def pieces(text: str, size: int) -> list[Event]:
    cut = [text[at : at + size] for at in range(0, len(text), size)]
    return [
        TurnStarted(turn=1),
        ModelDelta(phase="start", part=0),
        *(ModelDelta(part=0, text=each) for each in cut),
        ModelDelta(phase="end", part=0),
    ]


def rows(block: Block, columns: int = 60) -> list[str]:
    found = rows_of(block, Look(columns=columns))
    return ["".join(span.text for span in row).rstrip() for row in found]


WORDS = "First.\n\n* one\n* two\n\n```python\nx = 1\n```\n\nLast **words**."


@pytest.mark.proves("V02")
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_streamed_words_are_shown_once_and_look_as_those_from_the_log(size: int) -> None:
    live = written(said("go"), *pieces(WORDS, size), reply(WORDS))
    past = written(said("go"), TurnStarted(turn=1), reply(WORDS))
    texts = [block.text for block in live if isinstance(block, Prose)]
    assert "\n\n".join(texts) == WORDS
    assert [block.text for block in past if isinstance(block, Prose)] == [WORDS]
    assert not any(block.is_open for block in live if isinstance(block, Prose))


def test_a_stream_that_is_cut_off_leaves_what_was_said() -> None:
    events = [*pieces("Half a sen", 4)[:-1], TaskCancelled()]
    prose, closing = written(*events)
    assert prose == Prose(text="Half a sen")
    assert isinstance(closing, Closing)
    assert closing.text.startswith("Interrupted")


def test_a_call_is_one_card_from_its_start_to_its_end() -> None:
    started = ToolStarted(call_id="c", name="shell", arguments="{}", title="Run x")
    (card,) = written(started, ToolProgress(call_id="c", part=0, text="so far\n"))
    assert isinstance(card, Call)
    assert card.status == ""
    assert "so far" in rows(card)[-1]
    ended = ToolResulted(call_id="c", name="shell", status="failed", seconds=2.0)
    (card,) = written(started, ended)
    assert "failed 2.0 s" in rows(card)[0]


@pytest.mark.proves("V12")
def test_a_call_that_is_asked_about_says_so_until_it_is_answered() -> None:
    started = ToolStarted(call_id="c", name="shell", arguments="{}", title="Run x")
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action="Run x", input="x"
    )
    (card,) = written(started, asked)
    assert rows(card)[0].endswith("waits for you")
    answered = PermissionAnswered(
        request_id="r", call_id="c", allowed=True, decider="person", seconds=40.0
    )
    (card,) = written(started, asked, answered)
    (found,) = rows_of(card, Look(columns=60, now=45.0))[:1]
    assert "".join(span.text for span in found).endswith("running 5.0 s")
    refused = PermissionAnswered(request_id="r", call_id="c", allowed=False, decider="person")
    _, told = written(started, asked, refused)
    assert told == Told(text="Denied by you", level="warning")


def test_a_newer_plan_folds_the_one_before() -> None:
    one = PlanUpdated(steps=(PlanStep(step="a", status="pending"),))
    two = PlanUpdated(steps=(PlanStep(step="a", status="completed"),))
    old, new = written(one, two)
    assert isinstance(old, Plan)
    assert (old.is_old, len(rows(old))) == (True, 1)
    assert rows(new)[1].strip() == "[x] a"


def test_the_closing_line_counts_what_this_run_used() -> None:
    first = (said("a"), TurnStarted(turn=1), reply("x"), TaskCompleted(reason="completed"))
    closing = written(*first, *first)[-1]
    assert isinstance(closing, Closing)
    assert "after 1 turn, 3.0 s; 10 tokens" in closing.text


def test_iterations_have_their_code_and_children_their_tree() -> None:
    blocks = written(
        IterationStarted(iteration=1),
        CodeGenerated(block=0, code="f(1)"),
        SubagentStarted(child="a", task="outer"),
        SubagentStarted(child="b", task="inner", parent="a"),
        SubagentCompleted(child="b", reason="failed"),
        CodeResulted(block=0, ok=False, metadata='{"error": "no f"}', seconds=0.5),
        TaskCompleted(reason="completed"),
    )
    iteration, children, _ = blocks
    assert isinstance(iteration, Iteration)
    assert "! no f  0.5 s" in "\n".join(rows(iteration))
    assert isinstance(children, Children)
    assert [row.strip(" │") for row in rows(children)[1:]][1].startswith("inner  failed")


def test_long_words_of_the_person_are_folded() -> None:
    block = Said(text="\n".join(str(at) for at in range(100)))
    assert rows(block)[-1].endswith("… 88 more rows")
    assert len(rows_of(Said(text=block.text, unfolded=True), Look(columns=60))) == 100


def test_a_diff_has_the_numbers_of_both_sides() -> None:
    below = [
        row.text for each in change_rows(DIFF, Look(columns=60, sides=False), 99) for row in each
    ]
    assert "".join(below).count("b = ") == 2
    beside = change_rows(DIFF, Look(columns=60, sides=True), 99)
    lines = ["".join(span.text for span in row) for row in beside]
    changed = next(line for line in lines if "b = 2" in line)
    assert changed.index("b = 2") < changed.index("b = 3")


@pytest.mark.parametrize(
    "diff",
    [
        "",
        "@@ -0,0 +1 @@\n+only",
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-y",
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b",
        "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a line of dashes\n kept",
        "no diff at all",
        "@@ -99999999999999999999 +1 @@\n+x",
    ],
)
def test_any_diff_is_drawn_in_its_width(diff: str) -> None:
    for sides in (True, False):
        for row in change_rows(diff, Look(columns=40, sides=sides), 50):
            assert row_width(row) <= 40


def test_a_removed_line_of_dashes_is_no_header() -> None:
    (part,) = parts("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a line of dashes\n kept")
    assert [line.sign for line in part.lines] == ["@", "-", " "]


@pytest.mark.proves("interfaces-diff-of-several-files")
def test_a_second_file_begins_where_the_hunks_of_the_first_are_over() -> None:
    head = "--- a/{0}\n+++ b/{0}\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"
    first, second = parts(head.format("x.py") + head.format("y.py"))
    assert (first.name, second.name) == ("x.py", "y.py")
    assert (
        [line.sign for line in second.lines]
        == ["@", " ", "-", "+"]
        == [line.sign for line in first.lines]
    )


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=80)


@pytest.mark.deep
@pytest.mark.proves("V22")
@given(texts, st.integers(12, 200), st.booleans())
def test_whatever_is_written_no_row_is_too_wide_or_commands_a_terminal(
    text: str, columns: int, unfolded: bool
) -> None:
    look = Look(columns=columns, unfolded=unfolded)
    blocks: list[Block] = [
        Said(text=text),
        Prose(text=text),
        Told(text=text, hint=text),
        Call(id="c", name="shell", title=text, status="done", output=text, detail=""),
        Call(id="c", name="edit", title=text, live=text, deeds=[text]),
        Iteration(number=1, live=text),
    ]
    for block in blocks:
        assert guess(block, columns) >= 1
        for row in rows_of(block, look):
            assert not any(each < " " or each == "\x7f" for span in row for each in span.text)


@given(st.lists(st.integers(0, 9), max_size=60), st.data())
def test_rows_are_found_as_if_they_were_counted(heights: list[int], data: st.DataObject) -> None:
    sums = Heights(heights)
    for _ in range(5):
        if heights:
            at = data.draw(st.integers(0, len(heights) - 1))
            heights[at] = data.draw(st.integers(0, 9))
            sums.change(at, heights[at])
        heights.append(data.draw(st.integers(0, 9)))
        sums.append(heights[-1])
    owners = [(at, row) for at, height in enumerate(heights) for row in range(height)]
    assert sums.total == len(owners)
    assert [sums.find(row) for row in range(len(owners))] == owners
    assert [sums.top(at) for at in range(len(heights))] == [
        sum(heights[:at]) for at in range(len(heights))
    ]


def reply_of_code(text: str) -> AgentMessage:
    return reply(f"{text}\n\n```repl\nf(1)\n```\n")


@pytest.mark.proves("V12")
def test_an_iteration_that_is_over_says_what_it_was_for_did_and_came_to() -> None:
    ready = SessionReady(cwd="/w", model="m", mode="ask", version="1", mind="rlm")
    first, second, third, _ = written(
        ready,
        IterationStarted(iteration=1),
        CodeGenerated(block=0, code="f(1)"),
        CodeResulted(block=0, ok=False, metadata='{"error": "no f"}', seconds=0.5),
        reply_of_code("I try *f* first."),
        IterationStarted(iteration=2),
        CodeGenerated(block=1, code="// a remark\ng(2)"),
        TabUpdated(tab="tab_0", url="about:blank"),
        TabUpdated(tab="tab_1", url="https://example.com/"),
        CodeResulted(block=1, ok=True, metadata='{"type": "array", "size": 3}', seconds=0.0),
        reply_of_code(""),
        IterationStarted(iteration=3),
        CodeGenerated(block=2, code="// a remark\nh(3)"),
        CodeResulted(block=2, ok=True, metadata='{"type": "void"}', seconds=0.0),
        reply_of_code(""),
        TaskCompleted(reason="failed", final="```repl\nf(1)\n```"),
    )
    assert rows(first, 80)[0].split("  ")[:2] == ["▸ Iteration 1", "I try *f* first."]
    assert rows(first, 80)[0].endswith("1 block, 1 failed, 4.0 s")
    assert rows(first, 80)[1:] == ["  │ ! no f  0.5 s"]
    assert rows(second, 80)[0].startswith("▸ Iteration 2  tab_1 https://example.com/  ")
    assert rows(second, 80)[1:] == ["  │ tab_1 https://example.com/", "  │ = array of 3"]
    assert rows(third, 80)[0].startswith("▸ Iteration 3  h(3)  ")
    assert isinstance(first, Iteration)
    first.unfolded = True
    assert "f(1)" in "\n".join(rows(first, 80))


@pytest.mark.proves("V24")
def test_a_tab_that_a_person_drove_when_the_program_ended_is_told_to_be_nobodys() -> None:
    ready = SessionReady(cwd="/w", model="m", mode="ask", version="1")
    again = SessionReady(cwd="/w", model="m", mode="ask", version="1", resumed=True)
    taken = TabDriven(tab="tab_1", driver="person", why="taken")

    def told(*events: Event) -> list[str]:
        return [each.text for each in written(ready, taken, *events) if isinstance(each, Told)][1:]

    nobody = "Nobody drives tab_1 any more: the program had ended"
    assert told(again) == [nobody]
    assert told(TabDriven(tab="tab_1", driver="agent", why="closed"), again) == [nobody]
    assert told(again, again) == [nobody]
    given = TabDriven(tab="tab_1", driver="agent", why="given")
    assert told(given, again) == ["tab_1 is the agent's again"]
