"""What a goal has used, as a fold over the log."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    SessionReady,
    TaskCompleted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.fleet import SubagentReplied
from ouroboros.core.events.goal import GoalCreated, GoalLimited, GoalUpdated
from ouroboros.core.events.schema import decode
from ouroboros.core.parts import Message, Usage
from ouroboros.core.state import State, fold
from ouroboros.store.line import encode
from tests.cases import every

READY = SessionReady(cwd="/w", model="m", mode="ask", version="1", resumed=True)
GOAL = GoalCreated(goal_id="goal_1", objective="x", token_budget=100)


def said(number: int, tokens: int = 0, cached: int = 0) -> AgentMessage:
    usage = Usage(input_uncached=tokens, cache_read=cached, output_text=1)
    message = Message(id=f"m{number}", role="assistant")
    return AgentMessage(message=message, stop_reason="end", usage=usage, cost=0.0)


def log(*events: Event | tuple[Event, float]) -> list[Envelope]:
    found: list[Envelope] = []
    ts = 1000.0
    for seq, each in enumerate(events, 1):
        event, ts = each if isinstance(each, tuple) else (each, ts + 1)
        found.append(
            Envelope(
                id=f"e{seq}",
                session="ses_a",
                turn=1,
                seq=seq,
                ts=ts,
                type=event.type,
                source="agent",
                data=event,
            )
        )
    return found


def used(state: State) -> tuple[int, int]:
    assert state.goals is not None
    found = state.goals.used["goal_1"]
    return found.tokens, int(found.seconds)


def updated(status: str) -> GoalUpdated:
    return msgspec.convert({"goal_id": "goal_1", "status": status}, GoalUpdated)


@pytest.mark.proves("Z04", "codex-18.6")
@every("order", [(0, 1), (1, 0)])
def test_the_reply_that_sets_a_goal_is_not_counted_whichever_came_first(order: tuple[int, int]):
    first = (said(1, 50), GOAL)
    events = [TurnStarted(turn=1), *(first[at] for at in order), TurnStarted(turn=2), said(2, 9)]
    assert used(fold(log(*events)))[0] == 10


@pytest.mark.proves("Z04", "codex-18.6")
@every("order", [(0, 1), (1, 0)])
def test_the_reply_that_reaches_it_is_counted_whichever_came_first(order: tuple[int, int]):
    last = (said(1, 50), updated("complete"))
    events = [GOAL, TurnStarted(turn=1), *(last[at] for at in order), TurnStarted(turn=2)]
    assert used(fold(log(*events, said(2, 70))))[0] == 51


@pytest.mark.proves("Z04", "codex-18.6")
def test_a_child_counts_and_a_cache_does_not():
    child = SubagentReplied(child="a", usage=Usage(input_uncached=5, cache_read=900), cost=0.0)
    assert used(fold(log(GOAL, TurnStarted(turn=1), said(1, 10, 400), child)))[0] == 16


def test_a_budget_that_is_used_up_counts_on_until_the_run_has_ended():
    limited = GoalLimited(goal_id="goal_1", status="budget_limited", tokens_used=1, seconds_used=0)
    begun = [GOAL, TurnStarted(turn=1), said(1, 120), limited, TurnStarted(turn=2), said(2, 3)]
    ended = [TaskCompleted(reason="completed"), TurnStarted(turn=3), said(3, 500)]
    assert used(fold(log(*begun, *ended)))[0] == 125


@pytest.mark.proves("Z04", "codex-18.6")
def test_time_between_runs_and_of_a_clock_that_is_set_back_is_not_counted():
    events = [
        (GOAL, 0.0),
        (TurnStarted(turn=1), 10.0),
        (said(1), 14.0),
        (UserMessage(message=Message(id="u", role="user")), 4.0),
        (said(2), 5.0),
        (READY, 90_000.0),
        (TurnStarted(turn=2), 90_001.0),
        (said(3), 90_003.0),
        (TaskCompleted(reason="completed"), 90_003.0),
        (READY, 99_999.0),
    ]
    assert used(fold(log(*events)))[1] == 4 + 1 + 2


STEPS = st.lists(
    st.one_of(
        st.integers(0, 200).map(lambda tokens: ("said", tokens)),
        st.sampled_from(["turn", "end", "ready", "active", "paused", "complete"]).map(
            lambda name: (name, 0)
        ),
    ),
    max_size=40,
)


@pytest.mark.deep
@pytest.mark.proves("Z01")
@given(steps=STEPS)
def test_each_reply_is_counted_once_and_a_replay_equals_what_was_live(
    steps: list[tuple[str, int]],
):
    """Whatever comes between, also the end of the program at any event."""
    events: list[Event] = [GOAL]
    status, works, expected = "active", False, 0
    for number, (name, tokens) in enumerate(steps):
        match name:
            case "said":
                events.append(said(number, tokens))
                expected += (tokens + 1) * works
            case "turn":
                events.append(TurnStarted(turn=number))
                works = status == "active"
            case "end":
                events.append(TaskCompleted(reason="completed"))
                works = False
            case "ready":
                events.append(READY)
                works = False
            case _:
                events.append(updated(name))
                status = name
    whole = log(*events)
    live = State()
    for envelope in whole:
        live.apply(envelope)
        kept = msgspec.json.decode(msgspec.json.encode(live.goals), type=type(live.goals))
        assert kept == live.goals
    assert used(live)[0] == expected
    assert fold([decode(encode(each)) for each in whole]).goals == live.goals
