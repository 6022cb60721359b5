"""A session may end after any of its events: whatever the point, the next request is a valid one.

A long run with everything that can happen in it is recorded once for each wire format. Then every
prefix of its log is folded, recovered and gone on with, and the request that follows is held to
what each vendor accepts.
"""

import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from ouroboros.agent.asking.approvals import Desk
from ouroboros.agent.context.briefing import Surroundings
from ouroboros.agent.journal import Journal
from ouroboros.agent.mind import ToolMind
from ouroboros.agent.session import Session
from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker, Tuning
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Approve, Deny, Interrupt, Steer
from ouroboros.core.errors import Misuse
from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    ModelDelta,
    PermissionAnswered,
    PermissionRequested,
    TaskCancelled,
    ToolAttempted,
    ToolResulted,
)
from ouroboros.core.events.schema import decode
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.limits import Caps
from ouroboros.core.parts import Origin, Part, Text, ToolCall
from ouroboros.core.state import State, fold
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished, StreamEvent
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.story.stage import FORMATS, PROMPTS, Stage, call, stage

FULL = ScriptedUsage(input_uncached=8_000, output_text=100)
LOW = ScriptedUsage(input_uncached=500, output_text=10)
SHELL = call("shell", command="echo hi >> out.txt")
LONG = call("write", path="b.txt", content="y" * 400)
TURNS = [
    Turn(reasoning="Hm.", text="I look.", tool_calls=(call("ls"), SHELL, call("ls")), usage=LOW),
    Turn(
        reasoning="So.",
        text="Once more.",
        tool_calls=(call("ls", path="."), LONG),
        chunk=8,
        pace_seconds=0.002,
        fault=Fault(kind="cut", after=120),
    ),
    Turn(reasoning="Empty.", usage=LOW),
    Turn(text="Denied now.", tool_calls=(SHELL,), usage=LOW),
    Turn(text="", tool_calls=(call("nonsense"), call("read", path=7)), usage=FULL),
    Turn(text="The summary.", usage=LOW),
    Turn(text="First answer.", usage=LOW),
    Turn(text="Wait for it.", tool_calls=(call("shell", command="sleep 30"),), usage=LOW),
    Turn(text="Half a rep" * 20, chunk=4, pace_seconds=0.02),
    Turn(fault=Fault(kind="auth")),
    Turn(text="Last answer.", usage=LOW),
]


async def answer(s: Stage) -> None:
    """Yes to the first question, no to the second, yes to all others."""
    for number in range(1, 20):
        await s.until(PermissionRequested, number)
        asked = s.events(PermissionRequested)[number - 1].request_id
        await s.session.send(Deny(request_id=asked) if number == 2 else Approve(request_id=asked))


async def record(tmp_path: Path, format: str) -> list[Envelope]:
    keep = {"window": 10_000, "keep_messages": 1}
    async with (
        stage(tmp_path, TURNS, format=format, interactive=True, mode="ask", context=keep) as s,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(answer, s)
        async with anyio.create_task_group() as run:
            run.start_soon(s.run, "The task")
            await s.until(ToolAttempted)
            await s.session.send(Steer(text="Mind the gap."))
        for count in (1, 2):
            deltas = len(s.events(ModelDelta))
            async with anyio.create_task_group() as run:
                run.start_soon(s.run, f"Stop me, {count}")
                if count == 1:
                    await s.until(ToolAttempted, len(s.events(ToolAttempted)) + 1)
                else:
                    await s.until(ModelDelta, deltas + 5)
                await s.session.send(Interrupt())
        assert (await s.run("Fail")).reason == "failed"
        assert (await s.run("")).final == "Last answer."
        tasks.cancel_scope.cancel()
    durable = [envelope for envelope in s.shown if envelope.data.durable]
    assert [type(e.data) for e in durable].count(ContextCompacted) == 1
    assert [type(e.data) for e in durable].count(TaskCancelled) == 2
    assert any(isinstance(e.data, AgentMessage) and e.data.partial for e in durable)
    return [decode(msgspec.json.encode(envelope)) for envelope in durable]


class Memory:
    """A log that keeps its events."""

    def __init__(self, envelopes: list[Envelope]) -> None:
        self.envelopes = envelopes

    def append(self, envelope: Envelope) -> None:
        assert envelope.seq == len(self.envelopes) + 1
        self.envelopes.append(decode(msgspec.json.encode(envelope)))

    async def settled(self, seq: int) -> None:
        assert seq == len(self.envelopes)


class Listener:
    """A model that remembers what it was asked, and is done at once."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.asked: list[Request] = []

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        self.asked.append(request)

        async def events() -> AsyncGenerator[StreamEvent]:
            yield Finished(parts=(Text(text="Fine."),), stop_reason="end")

        yield events()


class LateHands:
    """Nothing is called after the crash but what had waited for a yes, and that is refused now."""

    def __init__(self, state: State, journal: Journal) -> None:
        self.state, self.journal = state, journal

    async def do(self, call: ToolCall) -> object:
        asked = [one for one in self.state.approvals.values() if one.call_id == call.id]
        assert len(asked) == 1, f"{call.name} was called"
        self.journal.record(
            PermissionAnswered(
                request_id=asked[0].request_id,
                call_id=call.id,
                allowed=False,
                decider="person",
            )
        )
        refused = ToolResulted(call_id=call.id, name=call.name, status="denied")
        self.journal.record(refused)
        return refused

    def may_overlap(self, call: ToolCall) -> bool:
        return True


async def around() -> Surroundings:
    return Surroundings(
        cwd=Path("/"), shell="sh", system="x", date="today", timezone="UTC", git="none"
    )


async def nobody(name: str) -> Speaker:
    raise AssertionError(name)


def opened(state: State, log: Memory, model: Listener) -> Session:
    clock = SystemClock()
    ids = TimeOrderedIds(clock, os.urandom)
    mind = ToolMind(
        lineup=Lineup(
            Speaker(name="m", model=model, tuning=Tuning(), cost=lambda usage: None),
            clock=clock,
            connect=nobody,
        ),
        prompts=PROMPTS,
        system=(PROMPTS["core"],),
        tools=lambda: (),
        ids=ids,
        context=lambda state: None,
    )
    journal = Journal(state=state, log=log, ids=ids, clock=clock)
    return Session(
        state=state,
        journal=journal,
        desk=Desk(interactive=False),
        mind=mind,
        hands=LateHands(state, journal),
        surroundings=around,
        speakers=nobody,
        prompts=PROMPTS,
        caps=Caps(),
        off=(),
        ids=ids,
        clock=clock,
    )


def ends_in_an_answer(prefix: list[Envelope]) -> bool:
    """A whole reply came last, and the end that follows from it was not written any more."""
    told = [e.data for e in prefix if e.type.startswith(("agent.", "user.", "task.", "turn."))]
    match told[-1:]:
        case [AgentMessage(message=message, stop_reason="end")]:
            return bool(message.text.strip()) and not message.calls
        case _:
            return False


async def gone_on(prefix: list[Envelope], origin: Origin) -> Request | None:
    """The first request of a process that goes on after these events; none after a whole answer."""
    log, model = Memory(list(prefix)), Listener(origin)
    state = fold(prefix)
    session = opened(state, log, model)
    session.recover()
    waits = {asked.call_id for asked in state.approvals.values()}
    assert set(state.calls) == waits
    try:
        await session.resume()
    except Misuse:
        await session.submit("Go on")
    assert state.ended == "completed"
    assert (state.calls, state.approvals) == ({}, {})
    assert fold(log.envelopes) == state
    assert bool(model.asked) is not ends_in_an_answer(prefix)
    return next(iter(model.asked), None)


def complaints(protocol: str, request: Request, origin: Origin) -> list[str]:
    dialect = Dialect(reasoning_send_back="details")
    body = json.loads(by_name(protocol).build_body(request, dialect, origin))
    match protocol:
        case "anthropic-messages":
            return wrong_messages(body["messages"])
        case "openai-responses":
            return wrong_items(body["input"])
        case _:
            return wrong_chat(body["messages"])


def wrong_chat(messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    awaited: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in awaited:
                found.append(f"a result of no call: {message}")
            else:
                awaited.remove(message["tool_call_id"])
            continue
        if awaited:
            found.append(f"calls without results before {message}: {awaited}")
        awaited = [made["id"] for made in message.get("tool_calls", ())]
        if not message["content"] and not awaited:
            found.append(f"nothing is said: {message}")
    if awaited or messages[-1]["role"] not in {"user", "tool"}:
        found.append(f"the last word is {messages[-1]}")
    return found


def wrong_messages(messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    joined: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        if joined and joined[-1][0] == message["role"]:
            joined[-1][1].extend(message["content"])
        else:
            joined.append((message["role"], list(message["content"])))
    awaited: list[str] = []
    for role, blocks in joined:
        results = [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
        if sorted(results) != sorted(awaited):
            found.append(f"awaited results of {awaited}, found {results}")
        if results and any(one["type"] != "tool_result" for one in blocks[: len(results)]):
            found.append(f"results do not come first: {blocks}")
        awaited = [one["id"] for one in blocks if one["type"] == "tool_use"]
        if role == "assistant" and blocks[-1]["type"] == "thinking":
            found.append("a message ends in thoughts")
        if not blocks or any(one["type"] == "text" and not one["text"].strip() for one in blocks):
            found.append(f"an empty text: {blocks}")
    if joined[0][0] != "user" or joined[-1][0] != "user":
        found.append(f"begins with {joined[0]}, ends with {joined[-1]}")
    return found


def wrong_items(items: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    awaited: list[str] = []
    for item, after in zip(items, [*items[1:], None], strict=True):
        match item["type"]:
            case "function_call":
                awaited.append(item["call_id"])
            case "function_call_output" if item["call_id"] in awaited:
                awaited.remove(item["call_id"])
            case "function_call_output":
                found.append(f"a result of no call: {item}")
            case "reasoning":
                follows = after and (after["type"] == "function_call" or after.get("role"))
                if follows not in {True, "assistant"}:
                    found.append(f"thoughts without what follows: {after}")
            case _ if item["role"] == "user" and awaited:
                found.append(f"calls without results before {item}: {awaited}")
            case _ if not item["content"]:
                found.append(f"nothing is said: {item}")
            case _:
                pass
    if awaited or items[-1].get("role") == "assistant":
        found.append(f"the last word is {items[-1]}")
    return found


def not_beginnings(log: list[Envelope]) -> list[str]:
    """Partial replies that are no beginning of what the same reply became."""
    known: dict[str, tuple[Part, ...]] = {}
    found: list[str] = []
    for event in (e.data for e in log if isinstance(e.data, AgentMessage)):
        earlier = known.get(event.message.id, ())
        if event.message.parts[: len(earlier)] != earlier:
            found.append(f"{earlier} became {event.message.parts}")
        known[event.message.id] = event.message.parts
    return found


@pytest.mark.proves("I06", "codex-16.1", "codex-16.5")
@pytest.mark.parametrize(
    "format", [FORMATS[0], *(pytest.param(x, marks=pytest.mark.deep) for x in FORMATS[1:])]
)
async def test_the_request_after_a_crash_at_any_event_is_valid(tmp_path: Path, format: str) -> None:
    log = await record(tmp_path, format)
    origin = next(e.data.message.origin for e in log if isinstance(e.data, AgentMessage))
    assert origin is not None
    assert not_beginnings(log) == []
    found: dict[int, list[str]] = {}
    answered = 0
    for length in range(1, len(log) + 1):
        request = await gone_on(log[:length], origin)
        if request is None:
            answered += 1
            continue
        for protocol in ("openai-chat", "openai-responses", "anthropic-messages"):
            other = (
                origin
                if protocol == origin.protocol
                else msgspec.structs.replace(origin, protocol=protocol)
            )
            if wrong := complaints(protocol, request, other):
                found[length] = wrong
    assert found == {}
    assert answered >= 2
    assert len(log) > 60
