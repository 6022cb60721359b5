"""The scripted provider: plays turns from a file, offline and always the same."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import get_args

from ouroboros.core.errors import Failure, FailureKind, ModelFailed
from ouroboros.core.parts import Message, Origin, Part, Reasoning, Text, ToolCall, ToolResult, Usage
from ouroboros.llm.request import Request
from ouroboros.llm.retry import RETRYABLE
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockKind,
    BlockStarted,
    CallReady,
    Failed,
    Finished,
    StreamEvent,
)
from ouroboros.llm.turns import Fault, Played, Player, Turn, pieces

_KINDS: frozenset[str] = frozenset(get_args(FailureKind.__value__))


class ScriptRoute:
    """Answers each request with the turn the player picks; keeps no connection."""

    def __init__(self, player: Player, sleep: Callable[[float], Awaitable[None]]) -> None:
        """``sleep`` is ``anyio.sleep`` outside of tests."""
        self._player = player
        self._sleep = sleep
        self._next = 0

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        return Origin(provider="script", protocol="script", model="script")

    @asynccontextmanager
    async def attempt(
        self, request: Request
    ) -> AsyncGenerator[AsyncIterator[Sequence[StreamEvent]]]:
        """Plays one turn."""
        played = self._player.play(self._answered(request), latest_text(request.messages))
        turn = played.turn
        if turn.delay_seconds:
            await self._sleep(turn.delay_seconds)
        if turn.fault is not None and not _begins(turn.fault):
            await self._sit_out(turn.fault)
            raise ModelFailed(_failure(turn.fault))
        if turn.fault is None and not turn.when:
            self._next += 1
        replies = self._replies(played, request)
        try:
            yield replies
        finally:
            await replies.aclose()

    async def warm(self) -> None:
        """Has nothing to open."""

    def explain(self, failure: Failure) -> str:
        """What to change in the script."""
        return "Take the turn with this fault out of the script."

    async def close(self) -> None:
        """Has nothing to close."""

    def _answered(self, request: Request) -> int:
        """Replies so far; a compacted history no longer shows them all, and that of the REPL mind none."""
        answered = sum(1 for message in request.messages if message.role == "assistant")
        if not answered:
            return self._next
        if any(message.kind == "summary" for message in request.messages):
            return max(answered, self._next)
        self._next = answered
        return answered

    async def _sit_out(self, fault: Fault) -> None:
        if fault.kind in {"silent", "stall"}:
            await self._sleep(fault.seconds)

    async def _replies(
        self, played: Played, request: Request
    ) -> AsyncGenerator[Sequence[StreamEvent]]:
        turn = played.turn
        room = turn.fault.after if turn.fault is not None else None
        for event in deltas(played):
            if room is not None and isinstance(event, BlockGrew | CallReady | BlockEnded):
                if room <= 0:
                    break
                room -= len(event.text) if isinstance(event, BlockGrew) else 0
            yield (event,)
            if turn.pace_seconds:
                await self._sleep(turn.pace_seconds)
        if turn.fault is not None:
            await self._sit_out(turn.fault)
            yield (Failed(failure=_failure(turn.fault)),)
            return
        yield (
            Finished(
                parts=parts(played),
                stop_reason=turn.stop_reason,
                raw_stop_reason=turn.stop_reason,
                usage=usage_of(turn, request),
                response_id=f"script_{played.number}",
                model="script",
            ),
        )


def parts(played: Played) -> tuple[Part, ...]:
    """The parts of a turn's reply, in the order they are said."""
    turn = played.turn
    reply: list[Part] = []
    if turn.reasoning:
        reply.append(Reasoning(text=turn.reasoning))
    if turn.text:
        reply.append(Text(text=turn.text))
    for index, call in enumerate(turn.tool_calls):
        reply.append(ToolCall(id=played.call_id(index), name=call.name, arguments=call.json))
    return tuple(reply)


def deltas(played: Played) -> Iterator[StreamEvent]:
    """Everything of a reply but its ending."""
    size, whole = played.turn.chunk, parts(played)
    for number, part in enumerate(whole):
        kind: BlockKind
        match part:
            case Reasoning(text=text):
                kind, name = "reasoning", ""
            case Text(text=text):
                kind, name = "text", ""
            case ToolCall(name=name, arguments=text):
                kind = "call"
            case _:
                continue
        yield BlockStarted(part=number, kind=kind, name=name)
        for piece in pieces(text, size):
            yield BlockGrew(part=number, kind=kind, text=piece)
        yield BlockEnded(part=number, kind=kind)
        if isinstance(part, ToolCall):
            yield CallReady(call=part, parts=whole[: number + 1])


def latest_text(messages: Sequence[Message]) -> str:
    """What the last message says, tool results included."""
    if not messages:
        return ""
    texts = [part.text for part in messages[-1].parts if isinstance(part, Text | ToolResult)]
    return "\n".join(texts)


def usage_of(turn: Turn, request: Request) -> Usage:
    """What the turn says it used, or four characters a token."""
    said = turn.usage
    if said is not None:
        return Usage(
            input_uncached=said.input_uncached,
            cache_read=said.cache_read,
            cache_write=said.cache_write,
            output_text=said.output_text,
            reasoning=said.reasoning,
        )
    asked = sum(map(len, request.system)) + sum(
        len(part.text) + len(part.arguments if isinstance(part, ToolCall) else "")
        for message in request.messages
        for part in message.parts
        if isinstance(part, Text | Reasoning | ToolResult)
    )
    said_length = len(turn.text) + sum(len(call.json) for call in turn.tool_calls)
    return Usage(
        input_uncached=asked // 4, output_text=said_length // 4, reasoning=len(turn.reasoning) // 4
    )


def _begins(fault: Fault) -> bool:
    return fault.in_stream or fault.after > 0 or fault.kind in {"cut", "end", "garbage", "stall"}


def _failure(fault: Fault) -> Failure:
    kind: FailureKind = "transport"
    if fault.kind in {"silent", "stall"}:
        kind = "timeout"
    for known in get_args(FailureKind.__value__):
        if fault.kind == known:
            kind = known
    return Failure(
        kind=kind,
        message=fault.message or f"The model script answers with {fault.kind!r}.",
        retryable=kind in RETRYABLE,
        retry_after_seconds=fault.retry_after_seconds,
        status=fault.status,
    )
