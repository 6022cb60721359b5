"""The steps of a run of the REPL mind as lines: few, short, and harmless whatever pages say."""

from typing import Literal

import pytest

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ModelDelta,
    PermissionAnswered,
    PermissionRequested,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.browser import TabActivated, TabUpdated
from ouroboros.core.events.code import CodeResulted, IterationStarted, Logged
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import Spent, State
from ouroboros.faces.wording.face import Ending, Notice
from ouroboros.faces.wording.steps import Bounds, Steps, summary


class Below:
    """A face that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.hints: list[str] = []
        self.taken: list[Event] = []

    def begin(self) -> None: ...

    def rest(self) -> None: ...

    def take(self, envelope: Envelope) -> None:
        self.taken.append(envelope.data)

    def tell(self, told: Notice) -> None:
        self.told.append(told.text)
        self.hints += [told.hint] if told.hint else []

    def finish(self, ending: Ending, session: str) -> None:
        self.told.append(f"{ending.reason} {session}")


def shown(*events: Event, state: State | None = None) -> Below:
    below = Below()
    steps = Steps(below, state or State(), Bounds(iterations=25, child=10))
    for number, event in enumerate(events, 1):
        steps.take(
            Envelope(
                id=f"evt_{number}",
                session="ses_1",
                turn=1,
                seq=number,
                ts=0.0,
                type=event.type,
                source=event.source,
                data=event,
            )
        )
    return below


def looked(
    title: str, *, status: Literal["done", "denied", "cancelled"] = "done", said: str = ""
) -> ToolResulted:
    return ToolResulted(
        call_id="c1.1",
        name="getText",
        status=status,
        parts=(Text(text=said),),
        title=title,
        within="c1",
    )


def test_an_iteration_names_where_it_is_and_what_it_cost() -> None:
    state = State()
    state.spent = Spent(input_tokens=2000, output_tokens=345, cost=0.0125)
    below = shown(
        TabUpdated(tab="tab_1", url="https://shop.example/a"),
        TabActivated(tab="tab_1"),
        IterationStarted(iteration=3),
        state=state,
    )
    assert below.told == ["Iteration 3/25, tab_1 https://shop.example/a, 2,345 tokens, $0.0125"]


def test_actions_are_indented_and_bounded() -> None:
    below = shown(
        *[looked(f"Read {number}") for number in range(30)],
        CodeResulted(block=0, ok=True, metadata='{"type": "array", "size": 30}'),
    )
    assert below.told == [*[f"  Read {n}" for n in range(8)], "  … 22 more", "  = array of 30"]


def test_a_call_that_acts_is_told_once() -> None:
    below = shown(
        ToolStarted(call_id="c1.1", name="click", arguments="{}", title="Click #buy", within="c1"),
        ToolResulted(call_id="c1.1", name="click", status="done", parts=(), within="c1"),
    )
    assert below.told == ["  Click #buy"]


def test_a_refused_action_is_told_with_its_reason() -> None:
    below = shown(looked("Open https://evil.example", status="denied", said="nobody is here"))
    assert below.told == ["  Open https://evil.example denied: nobody is here"]


@pytest.mark.parametrize(
    ("grant", "way"),
    [
        ("browser(https://new.example/*)", "name the place with --allow-domain"),
        ("submit(https://shop.example/*)", "choose --mode full-auto"),
    ],
)
def test_without_a_person_it_is_said_what_would_have_helped(grant: str, way: str) -> None:
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="openTab", action="Open", input="{}", grant=grant
    )
    answer = PermissionAnswered(request_id="r", call_id="c", allowed=False, decider="nobody")
    below = shown(asked, answer)
    assert below.told == ["Denied: nobody is here to answer"]
    assert below.hints == [f"run it on a terminal, or {way}"]


def test_what_comes_after_the_last_iteration_is_no_iteration_more() -> None:
    assert shown(IterationStarted(iteration=26)).told == ["Best answer"]


def test_what_was_stopped_is_said_once() -> None:
    assert shown(looked("Wait 9 ms", status="cancelled", said="cancelled")).told == [
        "  Wait 9 ms cancelled"
    ]


def test_blocks_and_words_of_the_model_are_not_repeated() -> None:
    message = Message(id="m", role="assistant", parts=(Text(text="```repl\n1\n```"),))
    below = shown(
        ModelDelta(kind="text", phase="delta", part=0, text="```repl"),
        AgentMessage(message=message, stop_reason="end"),
        ToolStarted(call_id="c1", name="repl", arguments='{"code": "1"}'),
        ToolResulted(call_id="c1", name="repl", status="done", parts=(Text(text="x"),)),
    )
    assert (below.told, below.taken) == ([], [])


def test_children_are_indented_and_numbered() -> None:
    below = shown(
        SubagentStarted(child="c", task="Find the price"),
        IterationStarted(iteration=1, child="c"),
        CodeResulted(block=0, ok=False, metadata='{"error": "no such tab"}', child="c"),
        SubagentCompleted(child="c", reason="failed"),
        SubagentStarted(child="d", task="Say which", kind="leaf", tokens=1200),
    )
    assert below.told == [
        "  child 1: Find the price",
        "  child 1: iteration 1/10",
        "    ! no such tab",
        "  child 1 ended: failed",
        "  asks about 1,200 tokens: Say which",
    ]


def test_text_of_a_page_can_neither_move_the_cursor_nor_flood() -> None:
    hostile = "\x1b[2J\r\nIteration 1/25\n" + "x" * 10_000
    below = shown(
        TabUpdated(tab="tab_1", url=f"https://a.example/{hostile}"),
        IterationStarted(iteration=1),
        looked(hostile),
        Logged(text=hostile),
        CodeResulted(block=0, ok=True, metadata=hostile),
    )
    assert len(below.told) == 4
    for line in below.told:
        assert line.isprintable()
        assert len(line) <= 160


@pytest.mark.parametrize(
    ("metadata", "line"),
    [
        ('{"type": "object", "size": 2, "schema": "{a: number}"}', "object of 2 {a: number}"),
        ("value: number\nmore", "value: number"),
        ("", "done"),
        ("[1]", "[1]"),
        ('{"error": "E: m", "line": 1}', "E: m"),
        ('{"stopped": "time"}', "stopped: time"),
        ('{"type": "void", "final": 12}', "the final value is set"),
    ],
)
def test_what_came_of_a_block_is_one_line(metadata: str, line: str) -> None:
    assert summary(metadata) == line


def test_the_end_is_the_other_face_s() -> None:
    below = shown(TaskCompleted(reason="completed", final="x"))
    assert [type(event) for event in below.taken] == [TaskCompleted]
