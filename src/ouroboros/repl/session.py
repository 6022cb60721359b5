"""One REPL: an isolate, the functions its code may call, and what is told of each block."""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
import msgspec
from anyio import to_thread
from msgspec import Raw

from ouroboros.code.js.values import Answer
from ouroboros.core.errors import OuroborosError, StoreFailed, ToolFailed
from ouroboros.core.events import Event
from ouroboros.core.events.code import Logged, VariablesKept
from ouroboros.core.events.safety import InputFlagged
from ouroboros.core.limits import BLOCK_SECONDS, LOG_CHARS
from ouroboros.core.parts import Text, ToolCall
from ouroboros.repl.capabilities import Capabilities
from ouroboros.repl.checkpoints import Checkpoint, Checkpoints, Found
from ouroboros.repl.hiding import Hide, hidden, nothing
from ouroboros.repl.metadata import Entry, entry, harmless
from ouroboros.repl.patience import Patience
from ouroboros.repl.positions import named
from ouroboros.repl.seams import Getters, Isolate, Isolates, Performer
from ouroboros.repl.seeds import Seeds
from ouroboros.repl.taint import Taint
from ouroboros.safety.sanitize import sanitized
from ouroboros.tools.arguments import decode
from ouroboros.tools.registry import AnyTool, Registry
from ouroboros.tools.tool import Result

_CLOSING_SECONDS = 5.0
_KEEPING_SECONDS = 30.0
_LOGS = 1_000
_NAMES = 200
_LARGE = 200_000
_PATIENCE = 10
_TABS = re.compile(r"\btabs\b(?!\s*(?:\.\s*length\b|\[[^\]]*\]\s*\??\.\s*(?:id|status|opener)\b))")
"""A look at titles and addresses; a block that hides one was not steered: nothing was read yet."""


class Notes:
    """Texts of our own that a block's code asked to be shown to the model."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._texts: list[str] = []

    def show(self, text: str) -> None:
        """Adds a text to the entry of the block that runs."""
        self._texts.append(text)

    def take(self) -> tuple[str, ...]:
        """All since the last time."""
        taken, self._texts = tuple(self._texts), []
        return taken


class Repl:
    """Runs blocks, one after the other; answers their calls by tools on the spine."""

    def __init__(
        self,
        isolates: Isolates,
        *,
        performer: Performer,
        functions: Sequence[AnyTool],
        record: Callable[[Event], None],
        taint: Taint,
        capabilities: Capabilities | None = None,
        notes: Notes | None = None,
        getters: Getters | None = None,
        seeds: Seeds | None = None,
        checkpoints: Checkpoints | None = None,
        close_tab: Callable[[str], Awaitable[None]] | None = None,
        seconds: float = BLOCK_SECONDS,
        hide: Hide = nothing,
    ) -> None:
        """Starts nothing; ``async with`` does.

        Args:
            isolates: Where the isolate comes from.
            performer: Carries calls out; events of calls go its way.
            functions: Tools whose names are those of the functions.
            record: Puts logs and warnings on record.
            taint: Of the whole session: shared with the REPLs of its children.
            capabilities: What this REPL may do; everything without.
            notes: Where functions leave texts for the model.
            getters: Values that are always those of now.
            seeds: Variables it begins with.
            checkpoints: Where its variables are kept, and come from when they are there.
            close_tab: Closes a tab that a child leaves behind.
            seconds: Running time of a block.
            hide: Takes secrets out of what is told of a block.
        """
        self._isolates, self._performer, self._record = isolates, Patience(performer), record
        self._functions = {tool.name: tool for tool in functions}
        self._registry = Registry(functions)
        self._taint, self._capabilities = taint, capabilities or Capabilities()
        self._notes, self._getters = notes or Notes(), getters
        self._seeds, self._checkpoints = seeds or Seeds(), checkpoints
        self._close_tab, self._seconds, self._hide = close_tab, seconds, hide
        self._isolate: Isolate | None = None
        self._open = AsyncExitStack()
        self._turn = anyio.Lock()
        self._within, self._calls = "", 0
        self._got: dict[str, bytes] = {}
        self._failed: StoreFailed | None = None
        self._is_kept = True
        self._sees_tabs = False
        self._is_stale = False
        self._held: str | None = None
        self._names: tuple[str, ...] = ()
        self._kept_at, self._kept_in = 0.0, 0.0

    async def __aenter__(self) -> Self:
        """Opens the isolate, defines the seeds, and brings back what was kept."""
        names = (*self._functions, *self._capabilities.withheld)
        getters = self._getters.names if self._getters is not None else ()
        async with AsyncExitStack() as opening:
            isolate = await opening.enter_async_context(
                self._isolates.isolate(self, globals=getters, functions=tuple(dict.fromkeys(names)))
            )
            self._isolate = isolate
            for seed in self._seeds.seeds:
                await isolate.define(seed.name, seed.value)
            await self._restore(isolate)
            self._open = opening.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Keeps what is not kept yet; closes the isolate, and the tabs that a child has opened."""
        isolate, self._isolate = self._isolate, None
        try:
            if isolate is not None and self._is_stale and error is None:
                with anyio.move_on_after(_KEEPING_SECONDS), suppress(OuroborosError):
                    await self._keep(isolate)
            return await self._open.__aexit__(kind, error, trace)
        finally:
            if self._capabilities.is_child and self._close_tab is not None:
                with anyio.move_on_after(_CLOSING_SECONDS, shield=True):
                    for tab in self._capabilities.own():
                        with suppress(ToolFailed):
                            await self._close_tab(tab)

    @property
    def functions(self) -> tuple[AnyTool, ...]:
        """What its code may call."""
        return tuple(self._functions.values())

    async def run_block(self, code: str, *, call_id: str, seconds: float | None = None) -> Entry:
        """Runs one block; its failure is its entry.

        Args:
            code: As the model wrote it.
            call_id: The call whose block this is; calls that the code makes are within it.
            seconds: Running time, when it is not the usual one.

        Raises:
            StoreFailed: An effect of the code could not be put on record.
        """
        async with self._turn:
            isolate = self._opened()
            self._within, self._calls = call_id, 0
            self._taint.within = call_id
            self._sees_tabs = self._sees_tabs or _TABS.search(code) is not None
            for name, value in (await self._changed()).items():
                await isolate.put(name, value)
            try:
                outcome = await isolate.run(code, seconds=seconds or self._seconds)
            finally:
                failed, self._failed = self._failed, None
            if failed is not None:
                raise failed
            outcome = hidden(outcome, self._hide)
            for said in outcome.logs[:_LOGS]:
                self._record(Logged(text=sanitized(said)[:LOG_CHARS]))
            told = entry(outcome, shown=(*self._taint.blocked(), *self._notes.take()))
            if told.flagged:
                self._record(InputFlagged(call_id=call_id, phrase=told.flagged))
            self._names = tuple(variable.name for variable in outcome.variables[:_NAMES])
            await self._keep_in_time(isolate)
            return told

    async def value(self, name: str) -> bytes:
        """The JSON of a variable."""
        async with self._turn:
            return await self._opened().value(name)

    async def define(self, name: str, json: bytes) -> None:
        """Gives a variable a value."""
        async with self._turn:
            await self._opened().define(name, json)

    async def answer(self, name: str, arguments: Raw) -> Answer:
        """Carries out a call of the code: a tool's, by the rules, with its value whole."""
        withheld = self._capabilities.withheld.get(name)
        if withheld is not None:
            return Answer(value=msgspec.json.encode(withheld))
        tool = self._functions.get(name)
        if tool is None:
            return Answer(error=f"there is no function {name!r}")
        self._calls += 1
        call_id = f"{self._within}.{self._calls}"
        try:
            call = ToolCall(id=call_id, name=name, arguments=named(name, arguments, tool.arguments))
            self._check(tool, call)
            result = await self._performer.perform(
                call, within=self._within, registry=self._registry
            )
            changed = await self._changed()
        except StoreFailed as failed:
            self._failed = failed
            return Answer(error="the session can no longer be kept; the run ends")
        except OuroborosError as failed:
            return Answer(error=failed.message)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as broken:
            return Answer(error=f"{name}: its arguments cannot be read: {broken}")
        if not result.ok:
            return Answer(error=_words(result), globals=changed)
        value = result.value
        if value is None:
            value = msgspec.json.encode(_words(result))
        return Answer(value=value, globals=changed)

    def _check(self, tool: AnyTool, call: ToolCall) -> None:
        """Raises ``Denied`` when this REPL may not do it, whatever the rules say."""
        if not self._capabilities.is_child:
            return
        arguments = decode(tool.arguments, call.arguments)
        effect = tool.effect(arguments, Path("/"))
        tab: str | None = getattr(arguments, "tab", None)
        if tab is not None:
            self._capabilities.check(tool.name, effect, tab)

    async def _changed(self) -> dict[str, bytes]:
        """The getters that have another value than the code has last seen; who looks has read titles."""
        if self._getters is None:
            return {}
        if self._sees_tabs:
            await self._getters.freshen()
            await self._taint.read(*self._getters.origins())
        now = self._getters.values()
        changed = {name: value for name, value in now.items() if self._got.get(name) != value}
        self._got.update(changed)
        return changed

    def _opened(self) -> Isolate:
        if self._isolate is None:
            raise ToolFailed("the REPL is closed")
        return self._isolate

    async def _restore(self, isolate: Isolate) -> None:
        found = await to_thread.run_sync(self._load)
        if found is None:
            return
        lost: Sequence[str] = found.gone
        text = "the variables of this session are not here any more"
        if found.checkpoint is not None:
            await self._taint.restore(found.checkpoint.saved)
            lost = await isolate.restore(found.checkpoint.variables)
            text = "the variables of this session were brought back"
            text += ", as they were some blocks earlier" if found.is_older else ""
        names = {seed.name for seed in self._seeds.seeds}
        missing = [harmless(name, 60) for name in lost if name not in names]
        if missing:
            text += f"; lost are {', '.join(missing[:30])}: define them again if you need them"
        if missing or found.checkpoint is not None:
            self._notes.show(text)

    def _load(self) -> Found | None:
        try:
            return self._checkpoints.load() if self._checkpoints is not None else None
        except OSError:
            return None

    async def _keep_in_time(self, isolate: Isolate) -> None:
        """After a block; large variables are kept now and then, so that they cost a tenth at most."""
        began = anyio.current_time()
        self._is_stale = began < self._kept_at + _PATIENCE * self._kept_in
        if self._is_stale:
            return self._note_kept("")
        size = await self._keep(isolate)
        self._kept_at = anyio.current_time()
        self._kept_in = self._kept_at - began if size > _LARGE else 0.0

    async def _keep(self, isolate: Isolate) -> int:
        """Keeps the variables, so many bytes; a disk that says no is told once, and the run goes on."""
        variables = await isolate.checkpoint()
        if self._checkpoints is None or self._checkpoints.is_left:
            return len(variables)
        checkpoint = Checkpoint(variables=variables, saved=self._taint.saved())
        try:
            self._note_kept(await to_thread.run_sync(self._checkpoints.keep, checkpoint))
        except OSError as failed:
            if self._is_kept:
                words = f"the variables of the REPL are not kept for a resume: {failed.strerror}"
                self._record(Logged(level="warning", text=words))
            self._is_kept = False
            self._note_kept("")
        return len(variables)

    def _note_kept(self, name: str) -> None:
        """Says under which name the variables are kept now; empty where that is later."""
        if name != self._held and self._checkpoints is not None:
            self._held = name
            self._record(VariablesKept(name=name, names=self._names if name else ()))


def _words(result: Result) -> str:
    return "\n".join(part.text for part in result.parts if isinstance(part, Text))
