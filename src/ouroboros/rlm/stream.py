"""A model's reply with its blocks of code made into calls of the REPL."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import cast

import msgspec
from msgspec.structs import replace

from ouroboros.core.parts import Part, Text, ToolCall
from ouroboros.llm.stream import CallReady, Failed, Finished, StreamEvent
from ouroboros.rlm.code import calls
from ouroboros.rlm.code.blocks import blocks

TOOL = "repl"
_CUT = frozenset({"length", "overflow"})


@asynccontextmanager
async def with_blocks(
    stream: AbstractAsyncContextManager[AsyncIterator[StreamEvent]],
) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
    """The same stream; its end has a call for each block, in order.

    Calls that the model made in its own way are held back until then, and become blocks too.
    """
    async with stream as events:
        rewritten = _rewritten(cast("AsyncGenerator[StreamEvent]", events))
        async with aclosing(rewritten):
            yield rewritten


async def _rewritten(events: AsyncIterator[StreamEvent]) -> AsyncGenerator[StreamEvent]:
    async for event in events:
        match event:
            case CallReady():
                continue
            case Finished(parts=parts, stop_reason=stop):
                yield replace(event, parts=called(parts, is_cut=stop in _CUT))
            case Failed(parts=parts):
                yield replace(event, parts=_without_calls(parts))
            case _:
                yield event


def called(parts: tuple[Part, ...], *, is_cut: bool) -> tuple[Part, ...]:
    """The parts with a call for each block of code.

    Of a reply that ran into the output limit, the block that was being written is not run.
    """
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    found = [block.code for block in blocks(text) if block.closed or not is_cut]
    if not is_cut:
        made = (calls.arguments(part.arguments) for part in parts if isinstance(part, ToolCall))
        found += [code for code in made if code.strip()]
    return (*_without_calls(parts), *map(_call, found))


def _without_calls(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(part for part in parts if not isinstance(part, ToolCall))


def _call(code: str) -> ToolCall:
    arguments = msgspec.json.encode({"code": code.encode("utf-8", "replace").decode()}).decode()
    return ToolCall(id="", name=TOOL, arguments=arguments)
