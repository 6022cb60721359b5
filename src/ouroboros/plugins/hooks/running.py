"""Runs the hooks of a session: all that fit at once, each bounded, each on record."""

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

import anyio
import msgspec
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.clock import Clock
from ouroboros.core.errors import OuroborosError, unwrapped
from ouroboros.core.events import Event
from ouroboros.core.events.hooks import HookFinished, HookStarted
from ouroboros.core.ids import Ids
from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.plugins.hooks import answers, command
from ouroboros.plugins.hooks.answers import Said
from ouroboros.plugins.hooks.definition import Agent, Command, Definition, Prompt
from ouroboros.plugins.hooks.matching import matches
from ouroboros.plugins.hooks.merging import NOTHING, Merged, Ran, merged
from ouroboros.plugins.hooks.moments import Moment

MOST_TOKENS = 2_500
"""Of the words of one hook a model reads this much; the whole is kept beside."""

_SHOWN_CHARACTERS = 600
_TOLD: frozenset[Moment] = frozenset({"SubagentStop"})

END_SECONDS = 10.0
"""How long hooks may take when a session ends."""

type _Telling = tuple[Moment, Callable[[], dict[str, object]], Sequence[str]]


class Judge(Protocol):
    """Asks a model on behalf of a hook; bounds no time, and raises ``OuroborosError``."""

    async def judge(self, handler: Prompt | Agent, payload: str) -> str: ...


class World(Struct, frozen=True, kw_only=True):
    """What hooks need of a session.

    Attributes:
        environment: What commands see, before it is cleaned of credentials.
        keep: Keeps words that are too long for a model, without secrets, and says where; empty for nowhere.
        barred: Why a hook may not run any more; empty when it may.
        judge: None where no model can be asked.
    """

    record: Callable[[Event], None]
    clock: Clock
    ids: Ids
    cwd: Path
    environment: Mapping[str, str]
    keep: Callable[[bytes], Awaitable[str]]
    barred: Callable[[Definition], Awaitable[str]]
    judge: Judge | None = None


class Hooks:
    """The hooks of one session."""

    def __init__(self, definitions: Sequence[Definition], world: World) -> None:
        """``definitions`` are those that may run, in the order of the settings."""
        self._definitions, self._world = tuple(definitions), world
        self._beside: TaskGroup | None = None
        self._ends = 0
        self._news: MemoryObjectSendStream[_Telling] | None = None
        self._all_told = anyio.Event()

    def fitting(self, moment: Moment, names: Sequence[str] = ()) -> tuple[Definition, ...]:
        """The hooks of a moment for a thing with these names; without names no matcher counts."""
        return tuple(
            each
            for each in self._definitions
            if each.moment == moment and (not names or matches(each.matcher, names))
        )

    async def fire(
        self,
        moment: Moment,
        payload: Callable[[], dict[str, object]],
        *,
        names: Sequence[str] = (),
        call_id: str = "",
    ) -> Merged:
        """Runs all that fit and gives their answer; never raises for what fails in them."""
        fitting = self.fitting(moment, names)
        if not fitting:
            return NOTHING
        said = payload()
        stdin = msgspec.json.encode(said)
        runs: list[Ran | None] = [None] * len(fitting)

        async def one(number: int, definition: Definition) -> None:
            found = await self._run(definition, stdin, call_id)
            self._ends += 1
            runs[number] = Ran(said=found, order=self._ends)

        async with anyio.create_task_group() as tasks:
            for number, definition in enumerate(fitting):
                if definition.handler.is_async:
                    self._start_beside(definition, stdin, call_id)
                else:
                    tasks.start_soon(one, number, definition)
        return await self._shortened(merged([run for run in runs if run is not None]))

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None]:
        """Until the end of the block hooks may run beside the session; then they are ended."""
        if not any(each.handler.is_async or each.moment in _TOLD for each in self._definitions):
            yield
            return
        try:
            async with anyio.create_task_group() as self._beside:
                self._news, news = anyio.create_memory_object_stream[_Telling](math.inf)
                self._beside.start_soon(self._tell_all, news)
                try:
                    yield
                finally:
                    await self._end()
        except ExceptionGroup as group:  # what the block raised, as it raised it
            raise unwrapped(group) from group

    def tell(
        self, moment: Moment, payload: Callable[[], dict[str, object]], *, names: Sequence[str] = ()
    ) -> None:
        """Runs all that fit beside the session; what they say counts for nothing."""
        if self._news is not None and self.fitting(moment, names):
            self._news.send_nowait((moment, payload, names))

    async def _tell_all(self, news: MemoryObjectReceiveStream[_Telling]) -> None:
        try:
            async with news:
                async for moment, payload, names in news:
                    await self.fire(moment, payload, names=names)
        finally:
            self._all_told.set()

    async def _end(self) -> None:
        """Lets those that were to be told hear it, and ends what runs beside."""
        if self._news is not None:
            self._news.close()
            self._news = None
        with anyio.move_on_after(END_SECONDS, shield=True):
            await self._all_told.wait()
        beside, self._beside = self._beside, None
        if beside is not None:
            beside.cancel_scope.cancel()

    def _start_beside(self, definition: Definition, stdin: bytes, call_id: str) -> None:
        if self._beside is not None:
            self._beside.start_soon(self._run, definition, stdin, call_id)

    async def _run(self, definition: Definition, stdin: bytes, call_id: str) -> Said:
        world = self._world
        run_id = world.ids.new("hook")
        started = HookStarted(
            run_id=run_id,
            event=definition.moment,
            origin=definition.place,
            kind=definition.kind,
            message=definition.handler.status_message,
            call_id=call_id,
        )
        world.record(started)
        began = world.clock.monotonic()
        said = Said(status="cancelled")
        try:
            said = await self._said(definition, stdin)
        finally:
            world.record(
                HookFinished(
                    run_id=run_id,
                    event=definition.moment,
                    origin=definition.place,
                    kind=definition.kind,
                    status=said.status,
                    text=said.reason[:_SHOWN_CHARACTERS],
                    message=said.message[:_SHOWN_CHARACTERS],
                    call_id=call_id,
                    seconds=world.clock.monotonic() - began,
                )
            )
        return said

    async def _said(self, definition: Definition, stdin: bytes) -> Said:
        try:
            if why := await self._world.barred(definition):
                return Said(status="failed", reason=why)
            match definition.handler:
                case Command() as handler:
                    return await self._command(definition, handler, stdin)
                case Prompt() | Agent() as handler:
                    return await self._judged(definition, handler, stdin)
        except (OSError, OuroborosError, ValueError) as failed:
            return Said(status="failed", reason=str(failed))

    async def _command(self, definition: Definition, handler: Command, stdin: bytes) -> Said:
        world = self._world
        own = {"OUROBOROS_PROJECT_DIR": str(world.cwd), "CLAUDE_PROJECT_DIR": str(world.cwd)}
        ended = await command.run(
            handler.command,
            cwd=world.cwd,
            environment={**world.environment, **own},
            stdin=stdin,
            seconds=definition.seconds,
        )
        if ended.problem:
            return Said(status="failed", reason=ended.problem)
        return answers.said(definition.moment, ended.exit_code, ended.stdout, ended.stderr)

    async def _judged(self, definition: Definition, handler: Prompt | Agent, stdin: bytes) -> Said:
        if self._world.judge is None:
            return Said(status="failed", reason="there is no model to ask here")
        with anyio.move_on_after(definition.seconds):
            text = await self._world.judge.judge(handler, stdin.decode())
            return answers.judged(definition.moment, text)
        return Said(status="failed", reason=f"it took longer than {definition.seconds:g} s")

    async def _shortened(self, found: Merged) -> Merged:
        """The same with words that a model can take; what is cut is kept whole beside."""
        short = partial(shortened, keep=self._world.keep)
        return replace(
            found,
            blocked=await short(found.blocked),
            stopped=await short(found.stopped),
            contexts=tuple([await short(text) for text in found.contexts]),
        )


async def shortened(text: str, keep: Callable[[bytes], Awaitable[str]]) -> str:
    """The beginning and the end of a long text, and where the whole is."""
    most = MOST_TOKENS * CHARS_PER_TOKEN
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return text
    try:
        place = await keep(data)
        where = f"the whole is in {place}" if place else "the whole is not kept"
    except (OSError, OuroborosError) as failed:
        where = f"the whole could not be kept: {failed}"
    head = data[: most // 2].decode("utf-8", "ignore")
    tail = data[-most // 2 :].decode("utf-8", "ignore")
    return f"{head}\n[... {len(data) - most:,} bytes are left out here; {where} ...]\n{tail}"
