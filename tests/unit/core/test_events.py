"""Events as bytes and back, and names old and new."""

from importlib import import_module
from pkgutil import iter_modules

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core import events
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    TaskCompleted,
    ToolResulted,
)
from ouroboros.core.events.aliases import ALIASES
from ouroboros.core.events.schema import Unreadable, decode, registry
from ouroboros.core.parts import (
    Foreign,
    Media,
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    Usage,
)
from tests.cases import every

UNIFIED = [
    "session.ready",
    "user.message",
    "turn.started",
    "iteration.started",
    "model.delta",
    "agent.message",
    "code.generated",
    "code.result",
    "tool.started",
    "tool.progress",
    "tool.result",
    "permission.requested",
    "permission.answered",
    "permission.blocked",
    "safety.input_flag",
    "safety.output_redacted",
    "safety.output_blocked",
    "subagent.started",
    "subagent.completed",
    "subagent.message",
    "browser.changes",
    "tab.updated",
    "tab.active",
    "tab.closed",
    "env.updated",
    "log",
    "context.compacted",
    "memory.stored",
    "memory.forgotten",
    "goal.created",
    "goal.updated",
    "goal.continued",
    "goal.limited",
    "schedule.added",
    "schedule.fired",
    "schedule.removed",
    "cache.hit",
    "error",
    "checkpoint.created",
    "checkpoint.restored",
    "session.branched",
    "session.forked",
    "repo.loaded",
    "plan.updated",
    "diff.steering",
    "diff.turn",
    "task.completed",
    "task.cancelled",
]

texts = st.text(max_size=40)
metas = st.dictionaries(
    st.text(min_size=1, max_size=8), st.one_of(texts, st.integers(-9, 9), st.none()), max_size=3
)
parts = st.one_of(
    st.builds(Text, text=texts, meta=metas),
    st.builds(Media, media_type=st.just("image/png"), data=st.just("aGk="), meta=metas),
    st.builds(Reasoning, text=texts, meta=metas),
    st.builds(ToolCall, id=texts, name=texts, arguments=texts, meta=metas),
    st.builds(Foreign, kind=texts, content=texts, meta=metas),
)


def envelope(event: Event, seq: int = 1) -> Envelope:
    return Envelope(
        id=f"evt_{seq}",
        session="ses_1",
        turn=1,
        seq=seq,
        ts=1.5,
        type=event.type,
        source=event.source,
        data=event,
    )


@pytest.mark.deep
@given(st.lists(parts, max_size=4))
def test_an_event_survives_its_json(content: list[Part]) -> None:
    message = Message(
        id="m",
        role="assistant",
        parts=tuple(content),
        origin=Origin(provider="p", protocol="q", model="r"),
    )
    before = envelope(
        AgentMessage(message=message, stop_reason="end", usage=Usage(raw={"a": {"b": [1]}}))
    )
    assert decode(msgspec.json.encode(before)) == before


@pytest.mark.proves("A17", "I04")
def test_the_envelope_has_the_agreed_shape() -> None:
    line = msgspec.json.encode(envelope(TaskCompleted(reason="completed", final="ok")))
    assert msgspec.json.decode(line) == {
        "v": 1,
        "id": "evt_1",
        "session": "ses_1",
        "turn": 1,
        "seq": 1,
        "ts": 1.5,
        "type": "task.completed",
        "source": "system",
        "data": {"reason": "completed", "final": "ok"},
    }


@pytest.mark.proves("A17", "I05")
def test_every_unified_name_is_an_event_type() -> None:
    assert set(UNIFIED) <= set(registry())


@pytest.mark.proves("A17", "divergences-old-names-of-events")
def test_every_old_name_maps_to_a_known_event() -> None:
    assert {"tab:updated", "tab:active-changed", "tab:closed"} < set(ALIASES)
    assert {name for name in ALIASES.values() if name not in registry()} == set()


@every(
    ("line", "complaint"),
    [
        (b'{"v":1,"id":"x"', "not an event"),
        (b"", "not an event"),
        (b"\xff\xfe", "not an event"),
        (msgspec.json.encode({"v": 1}), "not an event"),
        (
            msgspec.json.encode(envelope(TaskCompleted(reason="x"))).replace(b'"v":1', b'"v":9'),
            "schema 9",
        ),
        (
            msgspec.json.encode(envelope(TaskCompleted(reason="x"))).replace(
                b"task.completed", b"task.invented"
            ),
            "unknown event type 'task.invented'",
        ),
        (
            msgspec.json.encode(envelope(TaskCompleted(reason="x"))).replace(b'"x"', b"7"),
            "not an event",
        ),
    ],
)
def test_a_line_that_is_no_event_is_refused(line: bytes, complaint: str) -> None:
    with pytest.raises(Unreadable, match=complaint):
        decode(line)


def test_calls_of_a_message_keep_their_order() -> None:
    calls = (ToolCall(id="b", name="x"), ToolCall(id="a", name="y"))
    message = Message(id="m", role="assistant", parts=(calls[0], Text(text="and"), calls[1]))
    assert (message.calls, message.text) == (calls, "and")


def test_usage_sums_its_disjoint_counts() -> None:
    usage = Usage(input_uncached=10, cache_read=5, cache_write=2, output_text=7, reasoning=3)
    assert (usage.input_total, usage.output_total, usage.total) == (17, 10, 27)
    assert Usage(input_uncached=1, output_text=1).total == 2


def test_defaults_are_left_out_of_the_wire() -> None:
    event = ToolResulted(call_id="c", name="read", status="done")
    assert msgspec.to_builtins(event) == {"call_id": "c", "name": "read", "status": "done"}


@pytest.mark.proves("spine-core")
def test_every_event_is_registered_under_a_name_of_its_own() -> None:
    families = [
        import_module(f"ouroboros.core.events.{found.name}")
        for found in iter_modules(events.__path__)
    ]
    kinds = {
        kind
        for family in families
        for kind in vars(family).values()
        if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
    }
    names = sorted(kind.type for kind in kinds)
    assert names == sorted(set(names))
    assert set(registry().values()) == kinds
