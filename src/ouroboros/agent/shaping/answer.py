"""Holds the last words of a run to a schema: told once, sent back a few times, else the run failed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.agent.running.hooked import Heard, Hooks
from ouroboros.core.events import ErrorRaised, Event, TaskCompleted
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, MessageKind, Text
from ouroboros.core.state import State
from ouroboros.plugins.hooks.contexts import as_context

if TYPE_CHECKING:
    from ouroboros.agent.shaping.schema import Schema

MOST_TRIES = 3
"""So often an answer that does not fit is sent back."""

_ASKED = (
    "<output_schema>\nEnd this task with one JSON value that fits this JSON Schema, and say nothing "
    "beside it in your last reply:\n{schema}\n</output_schema>"
)
_AGAIN = (
    "Your last reply has to be one JSON value that fits the schema, with nothing beside it. What is "
    "wrong with it:\n{problems}\nGive the whole value again."
)


async def read(data: bytes) -> "Schema":
    """The schema as it was written, read in a thread; raises ``Misuse`` where it is none."""
    return await to_thread.run_sync(_read, data)


def _read(data: bytes) -> "Schema":
    from ouroboros.agent.shaping.schema import Schema  # a library that few runs need

    return Schema.read(data)


def fitting(text: str, schema: "Schema") -> tuple[str, tuple[str, ...]]:
    """The JSON in a reply that fits, as it was written, else what is wrong with it; may be slow.

    Fences and words around it do no harm.
    """
    broken = ""
    for written in _candidates(text):
        try:
            value: object = msgspec.json.decode(written)
        except (msgspec.DecodeError, RecursionError) as error:
            broken = broken or f"it is no JSON: {error}"
            continue
        problems = schema.problems(value)
        return "" if problems else written, problems
    return "", (broken or "it is empty",)


def asked(written: str) -> str:
    """What a model is told of a schema."""
    return _ASKED.format(schema=written)


def again(problems: tuple[str, ...]) -> str:
    """What a model is told of an answer that does not fit."""
    return _AGAIN.format(problems="\n".join(f"- {problem}" for problem in problems))


class Shaped:
    """Programs of the person around a session, with a schema for its answers behind them."""

    def __init__(
        self,
        inner: Hooks,
        schema: "Schema",
        written: bytes,
        *,
        state: State,
        record: Callable[[Event], None],
        ids: Ids,
    ) -> None:
        """``written`` is what the schema was read from."""
        self._inner, self._schema = inner, schema
        self._written = written.decode("utf-8", "replace").strip()
        self._state, self._record, self._ids = state, record, ids
        self._told, self._tries = -1, 0

    async def news(self) -> tuple[Message, ...]:
        """What the model is to be told before it is asked next; of the schema once, and after a summary."""
        news = await self._inner.news()
        if self._told == self._state.compactions:
            return news
        self._told = self._state.compactions
        text = asked(self._written)
        if self._state.mind == "rlm":  # of context it is shown only what hooks say
            text = as_context(text)
        return (self._message("context", text), *news)

    async def prompted(self, message: Message) -> Heard:
        """What becomes of the person's words."""
        self._tries = 0
        return await self._inner.prompted(message)

    async def stopping(self, verdict: TaskCompleted) -> TaskCompleted | Message:
        """How a run ends: with an answer that fits, or not well."""
        said = await self._inner.stopping(verdict)
        if isinstance(said, Message) or said.reason != "completed":
            return said
        found, problems = await to_thread.run_sync(fitting, said.final, self._schema)
        if not problems:
            return replace(said, final=found)
        if self._tries < MOST_TRIES:
            self._tries += 1
            return self._message("nudge", again(problems))
        text = f"the answer does not fit the schema: {problems[0]}"
        self._record(ErrorRaised(fault="runtime", kind="output_schema", message=text))
        return replace(said, reason="failed")

    def _message(self, kind: MessageKind, text: str) -> Message:
        parts = (Text(text=text),)
        return Message(id=self._ids.new("msg"), role="user", kind=kind, parts=parts)


def _candidates(text: str) -> list[str]:
    """Where JSON may stand in a reply: all of it, within fences, from its first bracket to its last."""
    bare = text.strip()
    found = [bare]
    fenced = bare.split("```")
    if len(fenced) >= 3:
        found.append(fenced[-2].partition("\n")[2].strip())
    starts = [at for at in (bare.find("{"), bare.find("[")) if at >= 0]
    if starts:  # what is within a value is not the value
        start = min(starts)
        end = bare.rfind("}" if bare[start] == "{" else "]")
        found.append(bare[start : end + 1])
    return [each for each in dict.fromkeys(found) if each]
