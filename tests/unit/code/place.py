"""Isolates for tests: real workers, and a host that answers from a table."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

import anyio
from msgspec import Raw

from ouroboros.code.js.isolate import Isolate
from ouroboros.code.js.values import Answer, Outcome
from ouroboros.code.pool import Isolates
from ouroboros.core.clock import SystemClock
from tests.passing import until

type Does = Callable[..., Awaitable[Any]]


class Refused(Exception):
    """What a host function says no with."""


class TableHost:
    """A host of a few functions; keeps what it was asked."""

    def __init__(self, **functions: Does) -> None:
        self.functions = {"echo": echo, "fail": fail, "wait": wait} | functions
        self.asked: list[tuple[str, Any]] = []
        self.open = 0

    async def answer(self, name: str, arguments: Raw) -> Answer:
        given = json.loads(bytes(arguments))
        self.asked.append((name, given))
        self.open += 1
        try:
            found = await self.functions[name](*given)
        except Refused as problem:
            return Answer(error=str(problem))
        finally:
            self.open -= 1
        return found if isinstance(found, Answer) else Answer(value=json.dumps(found).encode())


async def echo(*arguments: Any) -> Any:
    return arguments[0] if len(arguments) == 1 else list(arguments)


async def fail(words: str = "no") -> Any:
    raise Refused(words)


async def wait(seconds: float = 3600) -> Any:
    await anyio.sleep(seconds)
    return "waited"


@asynccontextmanager
async def pool() -> AsyncGenerator[Isolates]:
    async with Isolates(environment={}, clock=SystemClock()) as isolates:
        yield isolates


@asynccontextmanager
async def isolate(
    host: TableHost | None = None, *, globals: tuple[str, ...] = ()
) -> AsyncGenerator[Isolate]:
    host = host or TableHost()
    async with (
        pool() as isolates,
        isolates.isolate(host, globals=globals, functions=tuple(host.functions)) as one,
    ):
        _hosts[one] = host
        yield one


_hosts: WeakKeyDictionary[Isolate, TableHost] = WeakKeyDictionary()


async def run_while(
    one: Isolate, code: str, happens: Callable[[], Awaitable[None]], *, seconds: float = 30.0
) -> Outcome:
    """Runs a block; something happens to it once it has begun."""
    outcomes: list[Outcome] = []
    asked = _hosts[one].asked
    begun = ("echo", [len(asked)])

    async def later() -> None:
        await until(lambda: begun in asked)
        await happens()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(later)
        outcomes.append(await one.run(f"await echo({len(asked)}); {code}", seconds=seconds))
    return outcomes[0]


def told(outcome: Outcome) -> str:
    """An outcome in one short line: the value's preview, or what went wrong and where."""
    if outcome.stopped and outcome.thrown is None:
        return f"stopped: {outcome.stopped}"
    if outcome.thrown is not None:
        return f"{outcome.thrown.name} at {outcome.thrown.line}: {outcome.thrown.message}"
    assert outcome.shape is not None
    return "void" if outcome.shape.kind == "void" else outcome.shape.preview


def names(outcome: Outcome) -> tuple[str, ...]:
    return tuple(variable.name for variable in outcome.variables)
