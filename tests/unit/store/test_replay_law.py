"""Folding what was kept gives the state that was live."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    ErrorRaised,
    Event,
    PermissionAnswered,
    PermissionRequested,
    PlanStep,
    PlanUpdated,
    SessionReady,
    SettingsChanged,
    TaskCancelled,
    TaskCompleted,
    ToolAttempted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.parts import Foreign, Media, Message, Origin, Reasoning, Text, ToolCall, Usage
from ouroboros.core.state import State, fold
from ouroboros.store import resume
from tests.unit.store.samples import keep, numbered

words = st.text(max_size=20)
names = st.sampled_from(["a", "b", "c"])
whole = st.integers(min_value=0, max_value=2**53)
meta = st.dictionaries(
    words,
    st.recursive(
        st.none() | st.booleans() | whole | words,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
        max_leaves=5,
    ),
    max_size=2,
)


def made(kind: Callable[..., Any], /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(kind, **fields)


text = made(Text, text=words, meta=meta)
part = (
    text
    | made(Media, media_type=words, data=words, name=words)
    | made(Reasoning, text=words, meta=meta)
    | made(ToolCall, id=names, name=words, arguments=words, meta=meta)
    | made(Foreign, kind=words, content=words)
)
message = made(
    Message,
    id=words,
    role=st.sampled_from(["user", "assistant"]),
    parts=st.lists(part, max_size=3).map(tuple),
    kind=st.sampled_from(["plain", "context", "summary", "nudge"]),
    origin=st.none() | made(Origin, provider=words, protocol=words, model=words),
)
usage = st.none() | made(
    Usage, input_uncached=whole, cache_read=st.none() | whole, reasoning=st.none() | whole, raw=meta
)
cost = st.none() | st.floats(min_value=0, max_value=1e6, allow_nan=False)
mode = st.sampled_from(["plan", "ask", "auto-edit", "full-auto"])

event: st.SearchStrategy[Event] = st.one_of(
    made(SessionReady, cwd=words, model=words, mode=mode, version=words, title=words),
    made(
        SettingsChanged,
        mode=st.none() | mode,
        model=st.none() | words,
        cwd=st.none() | words,
        title=st.none() | words,
    ),
    made(TurnStarted, turn=whole),
    made(UserMessage, message=message, steered=st.booleans()),
    made(AgentMessage, message=message, stop_reason=words, usage=usage, cost=cost),
    made(ToolStarted, call_id=names, name=words, arguments=words),
    made(ToolAttempted, call_id=names, steps=st.lists(words).map(tuple), decision=words),
    made(
        ToolResulted,
        call_id=names,
        name=words,
        status=st.sampled_from(["done", "failed", "denied", "cancelled", "unknown-after-crash"]),
        parts=st.lists(text, max_size=2).map(tuple),
        final=st.booleans(),
    ),
    made(
        PermissionRequested,
        request_id=names, call_id=names, tool=words, action=words, input=words, grant=words,
    ),
    made(
        PermissionAnswered,
        request_id=names,
        call_id=names,
        allowed=st.booleans(),
        decider=st.just("person"),
        scope=st.sampled_from(["once", "session"]),
    ),
    made(
        ContextCompacted,
        old_tokens=whole,
        new_tokens=whole,
        messages_summarized=whole,
        trigger=st.just("manual"),
        history=st.lists(message, max_size=3).map(tuple),
        usage=usage,
        cost=cost,
    ),
    made(
        PlanUpdated, steps=st.lists(made(PlanStep, step=words, status=st.just("pending"))).map(tuple)
    ),
    made(ErrorRaised, fault=st.just("provider"), kind=words, message=words),
    made(TaskCompleted, reason=st.sampled_from(["completed", "failed", "limit_reached:max_turns"])),
    made(TaskCancelled),
)  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


numbers = count()


@pytest.mark.proves("spine-core", "I01", "I06")
@given(events=st.lists(event, max_size=25))
def test_the_fold_of_what_was_kept_is_the_live_state(home: Path, events: list[Event]) -> None:
    session = f"ses_{next(numbers)}"
    envelopes = numbered(events, session=session)
    live = State()
    for each in envelopes:
        live.apply(each)
    if not envelopes:
        return
    keep(home, envelopes)
    found = resume.read(home, session)
    assert found.warnings == ()
    assert found.envelopes == envelopes
    assert fold(found.envelopes) == live
