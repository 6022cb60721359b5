"""Running Python in a worker that keeps its variables between calls."""

import sys
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

from msgspec import Meta, Struct
from msgspec.structs import replace

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import SHELL_TIMEOUT_CAP_SECONDS
from ouroboros.core.parts import Media, Text
from ouroboros.safety.guard import Guard
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

if TYPE_CHECKING:
    from ouroboros.code.python.session import Outcome, PythonSession

PYTHON_SECONDS = 30.0
"""Life of a block that asks for none."""

_STREAM_CHARS = 6_000
_ARTIFACTS = 20
_NAMES = 40
_CODE_BYTES = 1_048_576


class PythonArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A block."""

    code: str
    timeout: Annotated[float, Meta(gt=0, description="seconds")] | None = None


class Meanwhile(Protocol):
    """What happens in the tabs of a browser while something else runs."""

    def begin(self) -> None:
        """From now on."""
        ...

    async def lines(self) -> Sequence[str]:
        """What has changed since ``begin``, a line each."""
        ...


class Nothing:
    """There is no browser."""

    def begin(self) -> None:
        """Nothing to look at."""

    async def lines(self) -> Sequence[str]:
        """Nothing."""
        return ()


class PythonTool:
    """Runs blocks of Python one after the other in one worker; ``aclose`` ends it."""

    name = "python"
    description = (
        "Run Python in a worker that keeps its variables between calls. You get what it prints, the "
        "value of the last expression, figures and pictures (also by display(x)), and the files that "
        "it writes into the folder `artifacts` (a pathlib.Path). No input; the network may be off."
    )
    arguments = PythonArguments
    exposure: Exposure = "deferred"
    parallel_safe = False

    def __init__(
        self,
        *,
        artifacts: Path,
        interpreter: str = "",
        timeout_cap_seconds: float = SHELL_TIMEOUT_CAP_SECONDS,
        meanwhile: Meanwhile | None = None,
    ) -> None:
        """Starts nothing.

        Args:
            artifacts: A folder for the files that blocks hand over.
            interpreter: A Python of the person's choice; empty means the one that runs us.
            timeout_cap_seconds: The longest life a model may ask for.
            meanwhile: Tells what a browser's tabs did.
        """
        self._artifacts, self._cap = artifacts, timeout_cap_seconds
        self._interpreter = interpreter or sys.executable
        self._meanwhile = meanwhile or Nothing()
        self._guard = Guard()
        self._session: PythonSession | None = None

    def effect(self, arguments: PythonArguments, cwd: Path) -> Effect:
        """A command that may do anything its cage lets through."""
        del cwd
        code = arguments.code
        if not code.strip() or len(code.encode("utf-8", "replace")) > _CODE_BYTES:
            raise ToolFailed(f"code is empty, or longer than {_CODE_BYTES:,} bytes")
        lines = code.count("\n") + 1
        word = "EOF"
        while word in code:
            word += "F"
        return Effect(
            kind="execute",
            action=f"Run {lines} line{'s' if lines > 1 else ''} of Python",
            command=f"python3 - <<'{word}'\n{code}\n{word}",
        )

    async def run(
        self, arguments: PythonArguments, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        """What it printed, then all that came of it."""
        from ouroboros.code.python.session import Said

        session = await self._present(context)
        seconds = min(arguments.timeout or PYTHON_SECONDS, self._cap)
        self._meanwhile.begin()
        running = session.run(
            arguments.code, cwd=context.cwd, sandbox=context.sandbox, seconds=seconds
        )
        try:
            async for said in running:
                if isinstance(said, Said):
                    yield Progress(text=said.text, stream=said.stream)
                else:
                    done = result(said, seconds, self._artifacts, await self._meanwhile.lines())
                    yield _caged(done, said)
        finally:
            await running.aclose()

    async def aclose(self) -> None:
        """Ends the worker."""
        if self._session is not None:
            await self._session.close()

    async def _present(self, context: ToolContext) -> "PythonSession":
        if self._session is None:
            from ouroboros.code.python.session import PythonSession

            await self._guard.on_duty()
            self._session = PythonSession(
                interpreter=(self._interpreter, "-I"),
                environment=context.environment,
                artifacts=self._artifacts,
                guard=self._guard,
            )
        return self._session


def result(outcome: "Outcome", seconds: float, folder: Path, tabs: Sequence[str] = ()) -> Result:
    """An outcome as a model reads it; pictures keep their order."""
    said = [_cut(outcome.stdout)] if outcome.stdout else []
    said += [f"stderr:\n{_cut(outcome.stderr)}"] if outcome.stderr else []
    said += [f"[{outcome.dropped:,} more bytes of output were not kept]"] if outcome.dropped else []
    said += [f"{outcome.value}  [{outcome.shape}]"] if outcome.value else []
    said += [outcome.error] if outcome.error else []
    said += _stop(outcome, seconds)
    said += [
        f"artifact {folder / one.name} ({one.bytes:,} bytes, sha256 {one.sha256 or 'not taken'})"
        for one in outcome.artifacts[:_ARTIFACTS]
    ]
    if len(outcome.artifacts) > _ARTIFACTS:
        said.append(f"and {len(outcome.artifacts) - _ARTIFACTS} more files in {folder}")
    said += [f"browser: {line}" for line in tabs]
    if not said and not outcome.images:
        names = ", ".join(outcome.names[-_NAMES:])
        said.append(f"done; variables: {names}" if names else "done")
    text = "\n".join(piece.rstrip("\n") for piece in said)
    images = [
        Media(media_type=kind, data=b64encode(data).decode()) for kind, data in outcome.images
    ]
    if images and not text:
        text = f"{len(images)} picture{'s' if len(images) > 1 else ''}"
    return Result(parts=(Text(text=text), *images), ok=outcome.ok)


def _caged(done: Result, outcome: "Outcome") -> Result:
    """The result, with a line for what the cage refused; a block is not run a second time."""
    if not outcome.refused:
        return done
    note = (
        f"\n[the sandbox refused {outcome.refused}; exec_command can ask the person to run outside "
        "of it]"
    )
    return replace(done, parts=(*done.parts, Text(text=note)))


def _stop(outcome: "Outcome", seconds: float) -> list[str]:
    words: dict[str, Callable[[], str]] = {
        "time": lambda: f"stopped after {seconds:g} s; raise timeout for longer work",
        "crash": lambda: "the worker ended while it ran this; the next call has a fresh one",
        "cancel": lambda: "stopped",
        "": lambda: "",
    }
    said = [words[outcome.stopped]()]
    if outcome.lost:
        more = len(outcome.lost) - _NAMES
        names = ", ".join(outcome.lost[:_NAMES]) + (f" and {more} more" if more > 0 else "")
        said.append(f"these variables are lost: {names}")
    elif outcome.stopped == "time":
        said.append("the variables are kept")
    return [line for line in said if line]


def _cut(text: str) -> str:
    if len(text) <= _STREAM_CHARS:
        return text
    half = _STREAM_CHARS // 2
    return f"{text[:half]}\n[{len(text) - _STREAM_CHARS:,} characters left out]\n{text[-half:]}"
