"""What a REPL needs of other rooms, handed in."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from ouroboros.code.js.values import Host, Outcome
from ouroboros.core.parts import ToolCall
from ouroboros.tools.registry import Registry
from ouroboros.tools.tool import Result


class Variables(Protocol):
    """What code has defined, or was given."""

    async def put(self, name: str, json: bytes) -> None: ...
    async def define(self, name: str, json: bytes) -> None: ...
    async def value(self, name: str) -> bytes: ...


class Isolate(Variables, Protocol):
    """One place where code runs; ``code.js.isolate`` has the real one."""

    async def run(self, code: str, *, seconds: float) -> Outcome: ...
    async def checkpoint(self) -> bytes: ...
    async def restore(self, data: bytes) -> Sequence[str]: ...


class Isolates(Protocol):
    """Where isolates come from."""

    def isolate(
        self, host: Host, *, globals: tuple[str, ...], functions: tuple[str, ...]
    ) -> AbstractAsyncContextManager[Isolate]: ...


class Performer(Protocol):
    """Carries out what code asks for; an ``Orchestrator`` is one."""

    async def perform(self, call: ToolCall, *, within: str, registry: Registry) -> Result: ...


class Getters(Protocol):
    """Values that code reads by name and that are always those of now, such as ``tabs``."""

    @property
    def names(self) -> tuple[str, ...]: ...
    async def freshen(self) -> None: ...
    def origins(self) -> tuple[str, ...]: ...
    def values(self) -> dict[str, bytes]: ...
