"""Scripts of turns: reading them, picking from them, and streaming them."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.core.parts import Message, Part, Reasoning, Text, ToolCall, ToolResult, Usage
from ouroboros.llm.client import Client
from ouroboros.llm.echo import EchoRoute
from ouroboros.llm.request import Request
from ouroboros.llm.retry import Policy
from ouroboros.llm.script import ScriptRoute
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockStarted,
    CallReady,
    Failed,
    Finished,
    Retrying,
    StreamEvent,
)
from ouroboros.llm.turns import Fault, Player, ScriptedCall, Turn, load, parse
from ouroboros.testing.clock import ManualClock
from tests.cases import every


def user(text: str, *parts: Part) -> Message:
    return Message(id="u", role="user", parts=(*parts, Text(text=text)))


def said(text: str) -> Message:
    return Message(id="a", role="assistant", parts=(Text(text=text),))


def request(*messages: Message) -> Request:
    return Request(model="script", messages=messages or (user("go"),))


def scripted(turns: Sequence[Turn], clock: ManualClock) -> Client:
    route = ScriptRoute(Player(turns), clock.sleep)
    return Client(route, policy=Policy(), sleep=clock.sleep, random=lambda: 0.5)


async def heard(client: Client, asked: Request) -> list[StreamEvent]:
    async with client.stream(asked) as events:
        return [event async for event in events]


async def heard_breaking(client: Client, asked: Request) -> tuple[list[StreamEvent], ModelFailed]:
    events: list[StreamEvent] = []
    keep = events.append
    try:
        async with client.stream(asked) as stream:
            async for event in stream:
                keep(event)
    except ModelFailed as error:
        return events, error
    raise AssertionError("the reply did not break off")


@pytest.mark.proves("spine-llm")
async def test_a_turn_streams_as_a_vendors_reply_does() -> None:
    turn = parse(
        '{"reasoning": "hmm", "text": "Hello", "chunk": 3, "tool_calls": '
        '[{"name": "read", "arguments": {"path": "a"}}], "usage": {"output_text": 7}}',
        "inline",
    )
    call = ToolCall(id="call_1_1", name="read", arguments='{"path":"a"}')
    parts = (Reasoning(text="hmm"), Text(text="Hello"), call)
    assert await heard(scripted(turn, ManualClock()), request()) == [
        BlockStarted(part=0, kind="reasoning"),
        BlockGrew(part=0, kind="reasoning", text="hmm"),
        BlockEnded(part=0, kind="reasoning"),
        BlockStarted(part=1, kind="text"),
        BlockGrew(part=1, kind="text", text="Hel"),
        BlockGrew(part=1, kind="text", text="lo"),
        BlockEnded(part=1, kind="text"),
        BlockStarted(part=2, kind="call", name="read"),
        BlockGrew(part=2, kind="call", text='{"p'),
        BlockGrew(part=2, kind="call", text="ath"),
        BlockGrew(part=2, kind="call", text='":"'),
        BlockGrew(part=2, kind="call", text='a"}'),
        BlockEnded(part=2, kind="call"),
        CallReady(call=call, parts=parts),
        Finished(
            parts=parts,
            stop_reason="tool_calls",
            raw_stop_reason="tool_calls",
            usage=Usage(cache_read=0, cache_write=0, output_text=7, reasoning=0),
            response_id="script_1",
            model="script",
        ),
    ]


async def test_a_resumed_history_goes_on_at_the_right_turn() -> None:
    turns = parse('{"text":"one"}\n{"text":"two"}\n{"text":"three"}\n', "inline")
    asked = request(user("a"), said("one"), user("b"), said("two"), user("c"))
    last = (await heard(scripted(turns, ManualClock()), asked))[-1]
    assert isinstance(last, Finished)
    assert last.parts == (Text(text="three"),)


@given(turns=st.lists(st.booleans(), min_size=1, max_size=12), start=st.integers(0, 12))
def test_replies_are_numbered_by_the_history_and_faults_come_between(
    turns: list[bool], start: int
) -> None:
    """True is an answer; a fault before it is met once, whatever was played before."""
    made = [
        Turn(text=str(index)) if answers else Turn(fault=Fault(kind="server"))
        for index, answers in enumerate(turns)
    ]
    answers = [turn for turn in made if turn.fault is None]
    player = Player(made)
    for answered in range(start, len(answers)):
        while (turn := player.play(answered, "").turn).fault is not None:
            pass
        assert turn is answers[answered]


def test_a_conditional_turn_is_not_counted() -> None:
    player = Player(
        [Turn(text="one"), Turn(when="Summarise", text="short"), Turn(text="two")], name="x"
    )
    assert player.play(1, "please Summarise this").turn.text == "short"
    assert player.play(1, "go on").turn.text == "two"


def test_call_ids_differ_from_turn_to_turn() -> None:
    call = ScriptedCall(name="read")
    player = Player([Turn(tool_calls=(call, call)), Turn(tool_calls=(call,))], repeat=True)
    first, second, third = (player.play(answered, "") for answered in range(3))
    ids = [first.call_id(0), first.call_id(1), second.call_id(0), third.call_id(0)]
    assert len(set(ids)) == 4


def test_a_script_that_has_run_out_says_so() -> None:
    player = Player([Turn(text="only")], name="demo.jsonl")
    with pytest.raises(ModelFailed, match=r"'demo.jsonl' holds 1 replies .* reply 2") as caught:
        player.play(1, "")
    assert not caught.value.failure.retryable


async def test_after_a_compaction_the_script_goes_on() -> None:
    client = scripted(parse('{"text":"1"}\n{"text":"2"}\n{"text":"3"}', "x"), ManualClock())
    await heard(client, request(user("a")))
    await heard(client, request(user("a"), said("1"), user("b")))
    summary = Message(id="s", role="user", kind="summary", parts=(Text(text="so far"),))
    last = (await heard(client, request(user("a"), summary, user("c"))))[-1]
    assert isinstance(last, Finished)
    assert last.parts == (Text(text="3"),)


@pytest.mark.proves("spine-llm")
async def test_a_fault_is_retried_like_a_vendors() -> None:
    clock = ManualClock()
    turns = [
        Turn(fault=Fault(kind="rate_limit", retry_after_seconds=1.0)),
        Turn(reasoning="thinking", fault=Fault(kind="cut", after=4)),
        Turn(text="done"),
    ]
    events = await heard(scripted(turns, clock), request())
    retries = [event for event in events if isinstance(event, Retrying)]
    assert [(one.attempt, one.maximum, one.delay_seconds) for one in retries] == [
        (1, 4, 1.0),
        (1, 5, pytest.approx(0.2)),
    ]
    assert clock.slept == [1.0, pytest.approx(0.2)]
    assert isinstance(events[-1], Finished)


async def test_what_broke_off_after_visible_words_is_not_sent_again() -> None:
    client = scripted(
        [Turn(text="Hello", chunk=1, fault=Fault(kind="cut", after=2))], ManualClock()
    )
    events, error = await heard_breaking(client, request())
    words = [event.text for event in events if isinstance(event, BlockGrew)]
    assert words == ["H", "e"]
    assert isinstance(events[-1], Failed)
    assert error.failure.kind == "transport"


@pytest.mark.proves("spine-llm", "H03")
async def test_echo_says_the_last_words_of_the_user() -> None:
    client = Client(EchoRoute(), policy=Policy(), sleep=ManualClock().sleep, random=lambda: 0.5)
    result = ToolResult(call_id="1", name="x", parts=(Text(text="result"),))
    context = Message(id="c", role="user", kind="context", parts=(Text(text="cwd"),))
    tool = Message(id="t", role="user", parts=(result,))
    asked = request(user("first"), said("first"), user("say this"), context, tool)
    last = (await heard(client, asked))[-1]
    assert isinstance(last, Finished)
    assert last.parts == (Text(text="say this"),)


@every(
    ("text", "message"),
    [
        ('{"text":"ok"}\n\n{"txt":"no"}', "Line 3 of the model script 'f'.*txt"),
        ('{"text":"ok"', "Line 1"),
        ("[]", "Line 1"),
        ('{"text":"a"}\n{"fault":{"kind":"explode"}}', "Line 2.*explode"),
        ('{"tool_calls":[{"arguments":{}}]}', "Line 1.*name"),
        ('{"text":"a\u2028b","chunk":"x"}', "Line 1.*chunk"),
        ("\n \n", "holds no turns"),
    ],
)
def test_a_broken_line_is_named(text: str, message: str) -> None:
    with pytest.raises(Misuse, match=message):
        parse(text, "f")


def test_a_script_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(Misuse, match=str(path)):
            load(path)
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(Misuse, match="not UTF-8"):
        load(binary)


def test_scripted_arguments_may_be_broken_on_purpose() -> None:
    turn = parse('{"tool_calls":[{"name":"x","arguments":"{broken"}]}', "f")[0]
    assert turn.tool_calls[0].json == "{broken"


async def test_a_scripted_fault_is_retried_where_a_vendors_would_be() -> None:
    turns = parse('{"fault": {"kind": "invalid_tool_output"}}\n{"text": "ok"}\n', "inline")
    events = await heard(scripted(turns, ManualClock()), request())
    assert [type(event).__name__ for event in events][:1] == ["Retrying"]
    assert isinstance(events[-1], Finished)
