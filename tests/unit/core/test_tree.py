"""The tree of a session: what a branch brings back, what it never takes back, live and replayed."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Event,
    PermissionAnswered,
    PermissionRequested,
    PermissionsGranted,
    PlanStep,
    PlanUpdated,
    SessionReady,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.events.process import ProcessKept
from ouroboros.core.events.schema import decode
from ouroboros.core.events.session import (
    SessionBranched,
    SessionForked,
    SessionImported,
    SessionRolledBack,
)
from ouroboros.core.parts import Message, Text, ToolCall, Usage
from ouroboros.core.state import Spent, State, fold
from tests.unit.core.test_state import envelopes, events


def words(id: str, text: str = "", **fields: Any) -> Message:
    return Message(id=id, role="user", parts=(Text(text=text or id),), **fields)


def reply(id: str, *calls: str, usage: int = 0) -> AgentMessage:
    made = tuple(ToolCall(id=call, name="read") for call in calls)
    return AgentMessage(
        message=Message(id=id, role="assistant", parts=(Text(text=id), *made)),
        stop_reason="end",
        usage=Usage(input_uncached=usage) if usage else None,
        cost=0.5,
    )


def result(call: str, *sources: str) -> ToolResulted:
    parts = (Text(text=f"result {call}"),)
    return ToolResulted(call_id=call, name="read", status="done", parts=parts, sources=sources)


def turn(number: int) -> list[Event]:
    """Words, a reply with a call, its result, the last reply."""
    return [
        UserMessage(message=words(f"c{number}", kind="context"), told={"mode": f"m{number}"}),
        UserMessage(message=words(f"u{number}")),
        TurnStarted(turn=2 * number - 1),
        reply(f"a{number}", f"k{number}", usage=10 * number),
        ToolStarted(call_id=f"k{number}", name="read", arguments="{}"),
        PlanUpdated(steps=(PlanStep(step=f"s{number}", status="pending"),)),
        result(f"k{number}"),
        TurnStarted(turn=2 * number),
        reply(f"b{number}", usage=100 * number),
        TaskCompleted(reason="completed", final=f"b{number}"),
    ]


def folded(*recorded: Event) -> State:
    return fold(envelopes(list(recorded)))


def seen(state: State) -> list[str]:
    return [message.id for message in state.history]


def compared(state: State) -> dict[str, Any]:
    """What a model's next request is made from."""
    return {
        "history": state.history,
        "results": state.results,
        "told": state.told,
        "plan": state.plan,
        "measured": (state.measured_tokens, state.measured_at),
        "ended": (state.ended, state.final, state.began),
    }


def test_a_rollback_leaves_what_was_before_the_turn() -> None:
    before = folded(*turn(1))
    after = folded(*turn(1), *turn(2), SessionRolledBack(turns=1, message_id="b1"))
    assert compared(after) == compared(before)
    assert after.turn == 4
    assert (after.spent.requests, after.spent.cost) == (4, 2.0)
    assert after.call_ids == {"k1", "k2"}


def test_the_turns_and_where_to_go_back_to() -> None:
    state = folded(*turn(1), *turn(2))
    assert state.tree.turns() == ["u2", "u1"]
    assert (state.tree.before("u2"), state.tree.before("u1")) == ("b1", "")
    assert list(state.tree.way())[:3] == ["b2", "a2", "u2"]


def test_back_at_the_beginning_all_is_told_anew() -> None:
    state = folded(*turn(1), SessionBranched(message_id=""))
    assert (state.history, state.results, state.told, state.plan) == ([], {}, {}, ())
    assert state.measured_tokens is None
    assert state.spent.requests == 2


def test_a_message_has_two_leaves_after_a_branch() -> None:
    state = folded(*turn(1), SessionBranched(message_id="a1"), reply("x"), *turn(3))
    assert seen(state)[:4] == ["c1", "u1", "a1", "x"]
    children = [id for id, node in state.tree.nodes.items() if node.parent == "a1"]
    assert children == ["b1", "x"]
    assert state.results.keys() == {"k1", "k3"}
    back = folded(
        *turn(1), SessionBranched(message_id="a1"), reply("x"), SessionBranched(message_id="b1")
    )
    assert compared(back) == compared(folded(*turn(1)))


@pytest.mark.proves("I09")
def test_what_a_summary_left_comes_back_in_its_order() -> None:
    summary = ContextCompacted(
        old_tokens=9,
        new_tokens=1,
        messages_summarized=4,
        trigger="manual",
        history=(words("u1"), words("kept"), words("sum", kind="summary")),
    )
    state = folded(*turn(1), summary, *turn(2), SessionBranched(message_id="sum"))
    assert seen(state) == ["u1", "kept", "sum"]


def test_behind_a_summary_the_whole_history_is_back() -> None:
    summary = ContextCompacted(
        old_tokens=9,
        new_tokens=1,
        messages_summarized=4,
        trigger="manual",
        history=(words("u1"), words("sum", kind="summary")),
    )
    state = folded(*turn(1), summary, *turn(2))
    assert seen(state) == ["u1", "sum", "c2", "u2", "a2", "b2"]
    assert "k1" not in state.results
    back = folded(*turn(1), summary, *turn(2), SessionBranched(message_id="b1"))
    assert compared(back) == compared(folded(*turn(1)))
    again = folded(
        *turn(1),
        summary,
        *turn(2),
        SessionBranched(message_id="b1"),
        SessionBranched(message_id="sum"),
    )
    assert seen(again) == ["u1", "sum"]
    assert state.tree.turns() == ["u2", "u1"]


@pytest.mark.proves("I13")
def test_what_was_allowed_is_neither_taken_back_nor_widened() -> None:
    asked = PermissionRequested(
        request_id="r", call_id="k", tool="shell", action="x", input="x", grant="shell(x)"
    )
    yes = PermissionAnswered(
        request_id="r", call_id="k", allowed=True, decider="person", scope="session"
    )
    granted = PermissionsGranted(call_id="k", network=True, scope="session")
    state = folded(
        *turn(1),
        asked,
        yes,
        granted,
        ProcessKept(number=1, command="x"),
        SessionBranched(message_id=""),
    )
    assert state.granted == ["shell(x)"]
    assert state.grants == [granted]
    assert state.processes == {1: "x"}
    asked_again = folded(*turn(1), asked, SessionBranched(message_id="u1"), yes)
    assert asked_again.granted == []


@pytest.mark.proves("I13")
def test_text_from_outside_that_was_read_stays_read() -> None:
    reads = (*turn(1), TurnStarted(turn=3), reply("z", "k9"), result("k9", "file /w/evil"))
    state = folded(*reads, SessionBranched(message_id="b1"))
    assert state.sources == ["file /w/evil"]
    many = [result(f"n{n}", f"file {n}") for n in range(60)]
    state = folded(*reads, TurnStarted(turn=4), reply("y"), *many, TurnStarted(turn=5), reply("w"))
    assert "file /w/evil" not in state.sources
    assert folded(
        *reads, TurnStarted(turn=4), reply("y"), *many, TurnStarted(turn=5), reply("w"),
        SessionBranched(message_id="z"),
    ).sources[-1] == "file /w/evil"  # fmt: skip


def test_words_that_nobody_heard_stay_on_their_branch() -> None:
    said = UserMessage(message=words("late"), steered=True)
    state = folded(*turn(1), *turn(2), said, SessionRolledBack(turns=1, message_id="b1"))
    assert (state.queued, seen(state)[-1]) == ([], "b1")
    assert state.tree.nodes["late"].parent == "b2"
    assert state.tree.turns() == ["u1"]


def test_a_fork_owns_neither_the_spending_nor_the_grants_of_its_parent() -> None:
    granted = PermissionsGranted(call_id="k", network=True, scope="session")
    forked = SessionForked(message_id="b1", child="ses_1", parent="ses_0")
    state = folded(*turn(1), granted, *turn(2), forked)
    assert (state.parent, state.spent, state.grants) == ("ses_0", Spent(), [])
    assert compared(state) == compared(folded(*turn(1)))
    elsewhere = folded(*turn(1), SessionForked(message_id="u1", child="ses_9"))
    assert (elsewhere.parent, seen(elsewhere)[-1], elsewhere.spent.requests) == ("", "b1", 2)


@pytest.mark.proves("sessions-children-lost-twice")
def test_lost_children_are_known_until_that_is_on_record_and_a_fork_has_none() -> None:
    ready = SessionReady(version="1", cwd="/w", model="m", mode="ask")
    first, second = (SubagentStarted(child=name, task=name) for name in ("sub_1", "sub_2"))
    killed_twice: list[Event] = [*turn(1), ready, first, ready, second, ready]
    state = folded(*killed_twice)
    assert (sorted(state.lost), state.children) == (["sub_1", "sub_2"], {})
    told = SubagentCompleted(child="sub_1", reason="lost")
    assert sorted(folded(*killed_twice, told).lost) == ["sub_2"]
    forked = SessionForked(message_id="b1", child="ses_1", parent="ses_0")
    assert folded(*killed_twice, forked).lost == {}


def test_an_imported_session_brings_no_permissions_and_counts_as_read_from_outside() -> None:
    granted = PermissionsGranted(call_id="k", network=True, scope="session")
    state = folded(*turn(1), granted, SessionImported(origin="a.jsonl", cwd="/here"))
    assert (state.grants, state.mode, state.cwd) == ([], "ask", "/here")
    assert state.sources == ["imported session"]
    assert seen(state)[-1] == "b1"


def test_a_place_that_is_not_there_changes_nothing() -> None:
    state = folded(*turn(1), SessionBranched(message_id="nowhere"))
    assert compared(state) == compared(folded(*turn(1)))
    assert state.moves == 0


ids = st.sampled_from(["a", "b", "c", "a@1", ""])
moves = st.one_of(
    st.builds(SessionBranched, message_id=ids),
    st.builds(SessionRolledBack, turns=st.integers(1, 3), message_id=ids),
    st.builds(
        SessionForked,
        message_id=ids,
        child=st.sampled_from(["ses_1", "ses_2"]),
        parent=st.just("ses_0"),
    ),
    st.builds(SessionImported, origin=st.just("file")),
)


@pytest.mark.proves("I06", "I09")
@given(st.lists(st.one_of(events, moves), max_size=40))
def test_replay_equals_live_over_branches_and_the_history_is_the_way_to_the_head(
    recorded: list[Event],
) -> None:
    live = State()
    lines: list[bytes] = []
    for envelope in envelopes(recorded):
        live.apply(envelope)
        assert live.tree.history(live.tree.head) == live.history
        assert len(list(live.tree.way())) <= len(live.tree.nodes)
        if envelope.data.durable:
            lines.append(msgspec.json.encode(envelope))
    assert fold([decode(line) for line in lines]) == live


@pytest.mark.deep
@given(st.lists(st.one_of(events, moves), max_size=30), st.data())
def test_what_was_left_comes_back_as_it_was(recorded: list[Event], data: st.DataObject) -> None:
    """Wherever the conversation goes on from, coming back brings the same history and results."""
    made = envelopes(recorded)
    before = fold(made)
    here = before.tree.head
    elsewhere = data.draw(st.sampled_from(["", *before.tree.nodes]))
    there_and_back = [
        *recorded,
        SessionBranched(message_id=elsewhere),
        SessionBranched(message_id=here if not before.queued else ""),
    ]
    after = fold(envelopes(there_and_back))
    if before.queued:
        assert after.history == []
        return
    assert after.history == before.history
    assert after.spent == before.spent
    assert (after.granted, after.remembered) == (before.granted, before.remembered)
    assert set(before.sources) <= set(after.sources)
    if not here:
        return
    assert (after.told, after.plan) == (before.told, before.plan)
    assert (after.measured_tokens, after.measured_at) == (
        before.measured_tokens,
        before.measured_at,
    )
