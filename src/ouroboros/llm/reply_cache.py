"""Replies kept for requests that are made again: the same words are answered without a network.

What counts as the same: address, model, system prompt, tools, settings and everything said, but for
our own identifiers and the day it is. Only replies that came to a good end are kept.
"""

import os
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, Protocol

import msgspec
from anyio import to_thread
from msgspec import Struct

from ouroboros.core.parts import Message, Origin, Reasoning, Text, ToolCall, ToolResult
from ouroboros.llm.fields import UNREADABLE
from ouroboros.llm.request import Request
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockKind,
    BlockStarted,
    CallReady,
    Finished,
    Recalled,
    StreamEvent,
)
from ouroboros.safety.leaks import Leaks

MOST_BYTES = 64 * 1_048_576
"""All replies together; the ones that were not asked for longest go first."""

LARGEST_BYTES = 4 * 1_048_576
"""A longer reply is not kept."""

_DAY = re.compile(r"<current_date>[0-9-]*</current_date>")


class Model(Protocol):
    """Whom to ask when nothing is kept."""

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        ...

    def stream(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Asks."""
        ...


class Kept(Struct, frozen=True, kw_only=True):
    """A reply in its file."""

    version: Literal[1] = 1
    key: str
    reply: Finished


class Shelf:
    """Replies in a folder that only its owner can read; every method blocks."""

    def __init__(
        self, folder: Path, *, most_bytes: int = MOST_BYTES, leaks: Leaks | None = None
    ) -> None:
        """The folder is made when the first reply is kept; one that holds a secret is not."""
        self._leaks = leaks or Leaks({})
        self._folder = folder
        self._most_bytes = most_bytes

    def get(self, key: str) -> Finished | None:
        """The reply, or None where there is none that can be read."""
        file = self._file(key)
        try:
            kept = msgspec.json.decode(file.read_bytes(), type=Kept)
        except (OSError, *UNREADABLE):
            return None
        if kept.key != key:
            return None
        with suppress(OSError):
            os.utime(file)
        return kept.reply

    def put(self, key: str, reply: Finished) -> None:
        """Keeps a reply; where that cannot be done nothing is lost but time later."""
        content = msgspec.json.encode(Kept(key=key, reply=reply))
        if len(content) > LARGEST_BYTES or self._leaks.contains(content):
            return
        with suppress(OSError):
            self._write(self._file(key), content)
            self._make_room()

    def _write(self, file: Path, content: bytes) -> None:
        from ouroboros.safety.private_file import replacing

        for folder in (*reversed(self._folder.parents[:2]), self._folder):
            folder.mkdir(mode=0o700, exist_ok=True)
        with replacing(file) as opened:
            opened.write(content)

    def _make_room(self) -> None:
        with os.scandir(self._folder) as found:
            files = sorted(((each.stat(), each.path) for each in found), key=_age)
        total = sum(state.st_size for state, _ in files)
        for state, path in files:
            if total <= self._most_bytes:
                return
            Path(path).unlink(missing_ok=True)
            total -= state.st_size

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"


class CachedModel:
    """A model that is asked only for what is not on the shelf."""

    def __init__(self, model: Model, shelf: Shelf, *, address: str) -> None:
        """``address`` tells apart servers that offer models of one name."""
        self._model = model
        self._shelf = shelf
        self._address = address

    @property
    def origin(self) -> Origin:
        """Who writes the replies, or wrote them then."""
        return self._model.origin

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        """The events of one reply; one that was kept begins with ``Recalled``."""
        key = await to_thread.run_sync(key_of, request, self.origin, self._address)
        kept = await to_thread.run_sync(self._shelf.get, key)
        if kept is not None:
            async with aclosing(_again(key, kept)) as events:
                yield events
            return
        async with (
            self._model.stream(request) as fresh,
            aclosing(self._keeping(key, fresh)) as events,
        ):
            yield events

    async def _keeping(
        self, key: str, events: AsyncIterator[StreamEvent]
    ) -> AsyncGenerator[StreamEvent]:
        async for event in events:
            if isinstance(event, Finished) and event.stop_reason in {"end", "tool_calls"}:
                await to_thread.run_sync(self._shelf.put, key, event)
            yield event


def key_of(request: Request, origin: Origin, address: str) -> str:
    """The name under which the reply to a request is kept."""
    from hashlib import sha256  # costs start-up time, and most runs keep nothing

    names: dict[str, str] = {}
    asked = {
        "address": address,
        "origin": origin,
        "system": request.system,
        "tools": request.tools,
        "messages": [_message(message, names) for message in request.messages],
        "settings": (
            request.model,
            request.tool_choice,
            request.max_output_tokens,
            request.temperature,
            request.effort,
            request.service_tier,
            request.window,
        ),
    }
    return sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()


def _message(message: Message, names: dict[str, str]) -> object:
    """The message without its id, and with its calls numbered over the whole request."""
    parts: list[object] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                parts.append(Text(text=_DAY.sub("", text), meta=part.meta))
            case ToolCall(id=id):
                name = names.setdefault(id, f"call {len(names)}")
                parts.append(msgspec.structs.replace(part, id=name))
            case ToolResult(call_id=call_id):
                name = names.setdefault(call_id, f"call {len(names)}")
                parts.append(msgspec.structs.replace(part, call_id=name))
            case _:
                parts.append(part)
    return message.role, parts, message.origin


async def _again(key: str, reply: Finished) -> AsyncGenerator[StreamEvent]:
    """The events of a reply that was kept."""
    yield Recalled(key=key)
    for number, part in enumerate(reply.parts):
        kind: BlockKind
        match part:
            case Text(text=text):
                kind, name = "text", ""
            case Reasoning(text=text):
                kind, name = "reasoning", ""
            case ToolCall(name=name, arguments=text):
                kind = "call"
            case _:
                continue
        yield BlockStarted(part=number, kind=kind, name=name)
        yield BlockGrew(part=number, kind=kind, text=text)
        yield BlockEnded(part=number, kind=kind)
        if isinstance(part, ToolCall):
            yield CallReady(call=part, parts=reply.parts[: number + 1])
    yield reply


def _age(file: tuple[os.stat_result, str]) -> int:
    return file[0].st_mtime_ns
