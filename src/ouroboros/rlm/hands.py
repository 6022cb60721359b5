"""The tool behind a block of code: runs it in the REPL and gives the model what kind of thing came out."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from ouroboros.core.events import Event
from ouroboros.core.events.code import CodeGenerated, CodeResulted, EnvironmentUpdated, Logged
from ouroboros.core.parts import Text
from ouroboros.core.state import State
from ouroboros.repl.metadata import Entry, as_json, variable_line
from ouroboros.rlm.stream import TOOL
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

_NAMES = 200
REFUSED = (
    "setFinal was refused, and the run goes on: children were still at work when the block ended, and "
    "ended with it. Await each llm_query before setFinal, or call setFinal again without them:\n{}"
)
LEFT = "children that nobody awaited ended with the block:\n{}"
NOT_RUN = "not run: an earlier block of this reply has called setFinal, so the run is over"


class Code(Struct, frozen=True, kw_only=True):
    """JavaScript for the REPL."""

    code: str


class Runner(Protocol):
    """Runs blocks, one after the other; a block's failure is its entry."""

    async def run_block(self, code: str, *, call_id: str) -> Entry: ...


class ReplTool:
    """Runs the blocks of a reply in order, up to the one that sets the final value."""

    name = TOOL
    description = "Run JavaScript in the REPL."
    arguments = Code
    parallel_safe = False

    def __init__(
        self,
        runner: Callable[[], Runner],
        state: State,
        left: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """``runner`` is asked for when the first block runs; ``state`` knows the iteration.

        ``left`` names the children that ended because their block did.
        """
        self._runner, self._state, self._left = runner, state, left
        self._refused_in = (-1, -1)
        self._iteration, self._block = 0, 0
        self._variables = state.variables
        self._prepared_at = -1

    def effect(self, arguments: Code, cwd: Path) -> Effect:
        """Nothing by itself: what the code calls goes its own way past the rules."""
        del cwd
        lines = arguments.code.count("\n") + 1
        return Effect(
            kind="none", action=f"Run {lines} line{'s' if lines > 1 else ''} of JavaScript"
        )

    async def run(self, arguments: Code, context: ToolContext) -> AsyncIterator[Progress | Result]:
        """Runs one block."""
        if self._state.finished_by_tool:
            yield Result.of(NOT_RUN, ok=False)
            return
        iteration = self._state.iteration
        self._block = self._block + 1 if iteration == self._iteration else 0
        self._iteration = iteration
        place = self._block
        context.publish(CodeGenerated(block=place, code=arguments.code, iteration=iteration))
        self._left()  # those of a run that was stopped
        entry = await self._runner().run_block(arguments.code, call_id=context.call_id)
        left = self._left()
        is_final = entry.is_final and not self._refuses(left)
        context.publish(
            CodeResulted(
                block=place,
                ok=entry.ok and is_final == entry.is_final,
                metadata=as_json(entry.outcome),
                seconds=entry.outcome.seconds,
                iteration=iteration,
            )
        )
        self._note_variables(entry, context.publish)
        if entry.is_final and not is_final:
            yield Result.of(REFUSED.format(_listed(left)), ok=False)
            return
        text = "\n".join([entry.text, *([LEFT.format(_listed(left))] if left else [])])
        if is_final and left:
            context.publish(Logged(level="warning", text=LEFT.format(_listed(left))))
        yield Result(
            parts=(Text(text=text),),
            ok=entry.ok or is_final,
            final=is_final,
            answer=entry.answer,
        )

    def _refuses(self, left: tuple[str, ...]) -> bool:
        """Whether a final value is too early: children were at work, and that was not told in this run."""
        run = (self._state.began, self._state.iterated)
        if not left or self._refused_in == run:
            return False
        self._refused_in = run
        return True

    async def prepare(self, record: Callable[[Event], None]) -> str:
        """Opens the REPL before the first block and says what is in it; again from another place."""
        if self._prepared_at == self._state.moves:
            return ""
        self._prepared_at, self._variables = self._state.moves, self._state.variables
        entry = await self._runner().run_block("", call_id="opening")
        self._note_variables(entry, record)
        return entry.text.removeprefix("value: void").strip()

    def _note_variables(self, entry: Entry, record: Callable[[Event], None]) -> None:
        updated = environment(entry)
        if updated.metadata != self._variables:
            self._variables = updated.metadata
            record(updated)


def _listed(left: tuple[str, ...]) -> str:
    return "\n".join(f"- {child}" for child in left)


def environment(entry: Entry) -> EnvironmentUpdated:
    """What kind of thing each variable is now."""
    variables = entry.outcome.variables[-_NAMES:]
    return EnvironmentUpdated(
        names=tuple(variable.name for variable in variables),
        metadata="\n".join(f"- {variable_line(variable)}" for variable in variables),
    )
