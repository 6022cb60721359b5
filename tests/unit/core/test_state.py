"""The fold: what is true after these events, live and replayed."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    ErrorRaised,
    Event,
    ModelDelta,
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
from ouroboros.core.events.question import UserAnswered, UserAsked
from ouroboros.core.events.schema import decode
from ouroboros.core.parts import Message, Text, ToolCall, ToolResult, Usage
from ouroboros.core.state import OpenCall, Spent, State, fold

ids = st.sampled_from(["a", "b", "c"])
words = st.text(max_size=12)
messages = st.builds(
    Message,
    id=ids,
    role=st.sampled_from(["user", "assistant"]),
    parts=st.lists(
        st.one_of(
            st.builds(Text, text=words),
            st.builds(ToolCall, id=ids, name=st.just("read"), arguments=st.just("{}")),
        ),
        max_size=3,
    ).map(tuple),
)
usages = st.none() | st.builds(
    Usage, input_uncached=st.integers(0, 99), output_text=st.integers(0, 9)
)
events = st.one_of(
    st.builds(
        SessionReady, cwd=words, model=words, mode=st.sampled_from(["ask", "plan"]), version=words
    ),
    st.builds(UserMessage, message=messages, steered=st.booleans()),
    st.builds(TurnStarted, turn=st.integers(1, 9)),
    st.builds(
        AgentMessage,
        message=messages,
        stop_reason=st.just("end"),
        usage=usages,
        cost=st.none() | st.floats(0, 1),
        partial=st.booleans(),
    ),
    st.builds(ToolStarted, call_id=ids, name=words, arguments=st.just("{}")),
    st.builds(ToolAttempted, call_id=ids, steps=st.just(()), decision=st.just("allow")),
    st.builds(
        ToolResulted,
        call_id=ids,
        name=words,
        status=st.sampled_from(["done", "failed", "unknown-after-crash"]),
        parts=st.lists(st.builds(Text, text=words), max_size=2).map(tuple),
        final=st.booleans(),
    ),
    st.builds(
        PermissionRequested, request_id=ids, call_id=ids, tool=words, action=words, input=words
    ),
    st.builds(
        PermissionAnswered,
        request_id=ids,
        call_id=ids,
        allowed=st.booleans(),
        decider=st.just("person"),
        scope=st.sampled_from(["once", "session"]),
    ),
    st.builds(
        PlanUpdated,
        steps=st.lists(st.builds(PlanStep, step=words, status=st.just("pending")), max_size=2).map(
            tuple
        ),
    ),
    st.builds(
        ContextCompacted,
        old_tokens=st.integers(0, 9),
        new_tokens=st.integers(0, 9),
        messages_summarized=st.integers(0, 9),
        trigger=st.just("manual"),
        history=st.lists(messages, max_size=2).map(tuple),
    ),
    st.builds(SettingsChanged, mode=st.none() | st.just("plan"), title=st.none() | words),
    st.builds(ErrorRaised, fault=st.just("provider"), kind=words, message=words),
    st.builds(ModelDelta, part=st.integers(0, 3), text=words),
    st.builds(TaskCompleted, reason=st.sampled_from(["completed", "failed"])),
    st.builds(TaskCancelled),
)


def envelopes(recorded: list[Event]) -> list[Envelope]:
    made: list[Envelope] = []
    seq = 0
    for event in recorded:
        seq += event.durable
        made.append(
            Envelope(
                id="",
                session="ses_1",
                turn=0,
                seq=seq,
                ts=0.0,
                type=event.type,
                source=event.source,
                data=event,
            )
        )
    return made


def folded(*recorded: Event) -> State:
    return fold(envelopes(list(recorded)))


@pytest.mark.deep
@pytest.mark.proves("spine-core")
@given(st.lists(events, max_size=30))
def test_replaying_the_serialised_events_equals_the_live_state(recorded: list[Event]) -> None:
    live = State()
    lines: list[bytes] = []
    for envelope in envelopes(recorded):
        live.apply(envelope)
        if envelope.data.durable:
            lines.append(msgspec.json.encode(envelope))
    assert fold([decode(line) for line in lines]) == live


def agent(*parts: Text | ToolCall, id: str = "m1", partial: bool = False) -> AgentMessage:
    message = Message(id=id, role="assistant", parts=parts)
    return AgentMessage(message=message, stop_reason="end", partial=partial)


@pytest.mark.proves("divergences-messages-with-early-calls")
def test_a_later_reply_of_the_same_id_replaces_the_partial_one() -> None:
    call = ToolCall(id="c1", name="read")
    state = folded(agent(call, partial=True), agent(Text(text="hm"), call))
    assert [message.parts for message in state.history] == [(Text(text="hm"), call)]
    assert state.spent.requests == 1


@pytest.mark.proves("I01", "A15")
def test_how_a_run_ended_is_what_the_session_says_of_itself() -> None:
    ready = SessionReady(cwd="/w", model="m", mode="full-auto", version="1")
    begun = UserMessage(message=Message(id="u", role="user", parts=(Text(text="Go."),)))
    wrong: list[object] = []
    for ended, reason, status in (
        (TaskCompleted(reason="completed"), "completed", "idle"),
        (TaskCompleted(reason="failed"), "failed", "failed"),
        (TaskCompleted(reason="limit_reached:max_turns"), "limit_reached:max_turns", "idle"),
        (TaskCancelled(), "cancelled", "idle"),
    ):
        state = folded(ready, begun, TurnStarted(turn=1), ended)
        if (state.ended, state.status) != (reason, status):
            wrong.append((ended, state.ended, state.status))
        again = folded(ready, begun, TurnStarted(turn=1), ended, begun, TurnStarted(turn=2))
        if (again.ended, again.status) == (reason, status):
            wrong.append((ended, "and a new run"))
    assert wrong == []


def test_a_call_moves_from_made_to_attempted_to_its_result() -> None:
    call = ToolCall(id="c1", name="write", arguments="{}")
    opened = [agent(call), ToolStarted(call_id="c1", name="write", arguments="{}")]
    attempted = ToolAttempted(call_id="c1", steps=("attempt",), decision="allow")
    result = ToolResulted(call_id="c1", name="write", status="done", parts=(Text(text="ok"),))
    assert folded(opened[0]).calls["c1"] == OpenCall(name="write", arguments="{}")
    assert folded(*opened).calls["c1"].phase == "started"
    assert folded(*opened, attempted).calls["c1"].phase == "attempted"
    state = folded(*opened, attempted, result)
    assert state.calls == {}
    assert state.results == {
        "c1": ToolResult(call_id="c1", name="write", parts=(Text(text="ok"),), ok=True)
    }


def test_a_call_that_started_early_is_not_made_again_by_its_message() -> None:
    started = ToolStarted(call_id="c1", name="write", arguments="{}")
    result = ToolResulted(call_id="c1", name="write", status="done")
    assert folded(started, result, agent(ToolCall(id="c1", name="write"))).calls == {}


def test_a_steered_message_joins_the_history_at_the_next_turn() -> None:
    said = UserMessage(
        message=Message(id="u", role="user", parts=(Text(text="wait"),)), steered=True
    )
    waiting = folded(said)
    assert (waiting.history, [m.id for m in waiting.queued]) == ([], ["u"])
    heard = folded(said, TurnStarted(turn=2))
    assert ([m.id for m in heard.history], heard.queued) == (["u"], [])


def test_an_unknown_price_makes_the_whole_cost_unknown() -> None:
    usage = Usage(input_uncached=3, output_text=1)
    priced = AgentMessage(
        message=Message(id="m", role="assistant"), stop_reason="end", usage=usage, cost=0.5
    )
    free = msgspec.structs.replace(priced, cost=None)
    assert folded(priced, priced).spent.cost == 1.0
    assert folded(priced, free, priced).spent.cost is None
    assert folded(priced, free, priced).spent.tokens == 12


def test_a_session_waits_until_everything_is_answered() -> None:
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action="Run ls", input="ls"
    )
    answer = PermissionAnswered(request_id="r", call_id="c", allowed=True, decider="person")
    question = UserAsked(request_id="q", call_id="d", questions=())
    words = UserAnswered(request_id="q", call_id="d")
    assert folded(asked, question, answer).status == "waiting"
    assert folded(asked, question, words).status == "waiting"
    assert folded(asked, question, words, answer).status == "running"
    assert folded(asked, question, answer, words).status == "running"


def test_a_grant_for_the_session_is_kept_and_one_for_once_is_not() -> None:
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action="Run ls", input="ls", grant="shell(ls)"
    )
    answer = PermissionAnswered(request_id="r", call_id="c", allowed=True, decider="person")
    for_session = msgspec.structs.replace(answer, scope="session")
    assert folded(asked).status == "waiting"
    assert folded(asked, answer).granted == []
    assert folded(asked, for_session).granted == ["shell(ls)"]
    refused = msgspec.structs.replace(for_session, allowed=False)
    assert folded(asked, refused).granted == []


def test_a_compaction_keeps_only_results_of_calls_that_stay() -> None:
    kept, gone = agent(ToolCall(id="k", name="read"), id="m2"), agent(ToolCall(id="g", name="read"))
    results = [ToolResulted(call_id=id, name="read", status="done") for id in ("g", "k")]
    compacted = ContextCompacted(
        old_tokens=9,
        new_tokens=1,
        messages_summarized=1,
        trigger="proactive",
        history=(kept.message,),
    )
    state = folded(gone, kept, *results, compacted)
    assert set(state.results) == {"k"}
    assert (state.history, state.measured_tokens) == ([kept.message], None)


def test_words_that_were_not_heard_yet_come_before_later_ones() -> None:
    early = Message(id="early", role="user", parts=(Text(text="wait"),))
    late = Message(id="late", role="user", parts=(Text(text="go"),))
    state = folded(UserMessage(message=early, steered=True), UserMessage(message=late))
    assert ([m.id for m in state.history], state.queued) == (["early", "late"], [])


def test_the_persons_words_begin_a_run_that_has_not_ended() -> None:
    said = UserMessage(message=Message(id="u", role="user", parts=(Text(text="again"),)))
    done = (agent(Text(text="Done.")), TaskCompleted(reason="completed", final="Done."))
    assert (folded(*done).ended, folded(*done).final) == ("completed", "Done.")
    assert (folded(*done, said).ended, folded(*done, said).final) == ("", "")


@pytest.mark.proves("providers-caching")
def test_the_cache_hit_rate_is_over_those_who_say_and_else_unknown() -> None:
    spent = Spent()
    assert spent.cache_hit_rate is None
    spent.add(Usage(input_uncached=100), None)
    assert spent.cache_hit_rate is None
    spent.add(Usage(input_uncached=50, cache_read=0, cache_write=50), None)
    assert spent.cache_hit_rate == 0.0
    spent.add(Usage(input_uncached=10, cache_read=90), None)
    assert (spent.cache_hit_rate, spent.input_tokens) == (0.45, 300)


def test_what_a_broken_reply_used_is_spent_and_measures_nothing() -> None:
    usage = Usage(input_uncached=90, output_text=10)
    whole = msgspec.structs.replace(agent(Text(text="one")), usage=usage, cost=0.5)
    broken = msgspec.structs.replace(agent(Text(text="tw"), id="m2", partial=True), cost=0.25)
    billed = msgspec.structs.replace(broken, usage=usage)
    assert folded(whole, broken).spent == folded(whole).spent
    state = folded(whole, billed)
    assert (state.spent.tokens, state.spent.cost, state.spent.requests) == (200, 0.75, 2)
    assert (state.measured_tokens, state.measured_at) == (100, 1)


def test_ids_of_calls_stay_known_after_a_compaction() -> None:
    compacted = ContextCompacted(
        old_tokens=9, new_tokens=1, messages_summarized=1, trigger="proactive", history=()
    )
    state = folded(agent(ToolCall(id="c1", name="read")), compacted)
    assert (state.call_ids, state.results) == ({"c1"}, {})


def test_an_answer_by_a_tool_outlasts_the_rest_of_its_reply() -> None:
    """The call may be done before the reply that holds it is over."""
    call = ToolCall(id="c", name="done", arguments="{}")
    reply = Message(id="a", role="assistant", parts=(call,))
    state = folded(
        TurnStarted(turn=1),
        AgentMessage(message=reply, stop_reason="unknown", partial=True),
        ToolResulted(
            call_id="c", name="done", status="done", parts=(Text(text="Hi."),), final=True
        ),
        AgentMessage(message=reply, stop_reason="tool_calls"),
    )
    assert (state.finished_by_tool, state.final) == (True, "Hi.")


def test_a_final_value_may_be_empty() -> None:
    told = (Text(text="final value set: text, 2 bytes"),)
    result = ToolResulted(call_id="c", name="repl", status="done", parts=told, final=True)
    assert folded(msgspec.structs.replace(result, answer="")).final == ""
    assert folded(result).final == told[0].text
