"""A tool of its own code: each call is a process in the cage."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from sys import executable

import anyio
import msgspec
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.parts import Text
from ouroboros.safety.capture import Capture
from ouroboros.safety.sandbox import Sandbox, stopped
from ouroboros.safety.spawn import start
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.own.manifest import CODE, MANIFEST, Manifest, arguments, parse
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

type Reading = Callable[[], Awaitable[Sandbox]]

_RUNNER = Path(__file__).with_name("runner.py")
_LARGEST = 1_048_576


class Written(Struct, frozen=True, kw_only=True):
    """A tool's folder as read once: what was approved is what runs."""

    folder: Path
    manifest: Manifest
    code: str
    hash: str


class _Said(Struct, frozen=True):
    success: bool
    output: str = ""
    error: str = ""


_said = msgspec.json.Decoder(_Said)


class OwnTool:
    """Runs the code that somebody wrote for it."""

    exposure: Exposure = "deferred"
    source = "own tools"
    parallel_safe = False

    def __init__(self, written: Written, reading: Reading | None) -> None:
        """``reading`` gives the cage in which nothing can be written, where this machine has one."""
        self.written = written
        self.name, self.description = written.manifest.name, written.manifest.description
        self.arguments = arguments(written.manifest)
        self._reading = reading

    def effect(self, arguments: Struct, cwd: Path) -> Effect:
        """Reading below the working folder, when a cage holds it to that; else it is to be asked about."""
        del arguments
        action = f"Use the tool {self.name} of {self.written.folder}"
        if self._is_held():
            return Effect(kind="read", paths=(cwd,), action=action)
        return Effect(kind="run", action=action)

    async def run(
        self, arguments: Struct, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        """What it prints, then what it gives."""
        held = await self._reading() if self._is_held() and self._reading is not None else None
        command = (executable, "-I", str(_RUNNER))
        confined = (held or context.sandbox).confine(command, cwd=context.cwd)
        given: dict[str, object] = msgspec.to_builtins(arguments)
        told = {
            "code": self.written.code,
            "path": str(self.written.folder / CODE),
            "arguments": {name: value for name, value in given.items() if value is not None},
        }
        capture = Capture()
        seconds = self.written.manifest.timeout
        is_late = True
        process = await start(
            command,
            cwd=context.cwd,
            environment=context.environment,
            stdin=msgspec.json.encode(told),
            confined=confined,
        )
        try:
            deadline = anyio.current_time() + seconds
            while anyio.current_time() < deadline:
                piece = None
                with anyio.CancelScope(deadline=deadline) as scope:
                    piece = await process.read()
                if piece is None:
                    is_late = scope.cancelled_caught
                    break
                capture.add(piece.data, piece.stream)
                if piece.stream == "stderr":
                    yield Progress(text=piece.data.decode("utf-8", "replace"), stream="stderr")
            code = process.exit_code
        finally:
            await process.close()
        printed = capture.bytes_of("stderr").decode("utf-8", "replace")
        if is_late:
            raise ToolFailed(f"{self.name} took more than {seconds:g} s and was ended\n{printed}")
        said = _result(self.name, capture.bytes_of("stdout"), code, printed)
        yield msgspec.structs.replace(said, stopped=stopped(confined, 0 if said.ok else 1, printed))

    def _is_held(self) -> bool:
        return self.written.manifest.read_only and self._reading is not None


def read(folder: Path) -> Written:
    """Reads a tool's folder; blocks.

    Raises:
        ToolFailed: It holds no tool; the message names the file, and the line where there is one.
    """
    texts: list[str] = []
    for name in (MANIFEST, CODE):
        path = folder / name
        try:
            with path.open("rb") as file:
                data = file.read(_LARGEST + 1)
            texts.append(data.decode())
        except OSError as failed:
            raise ToolFailed(f"{path}: {failed.strerror}") from failed
        except UnicodeDecodeError as broken:
            raise ToolFailed(f"{path}: not UTF-8 at byte {broken.start}") from broken
        if len(data) > _LARGEST:
            raise ToolFailed(f"{path}: larger than {_LARGEST:,} bytes")
    text, code = texts
    manifest = parse(text, str(folder / MANIFEST))
    if manifest.name != folder.name:
        raise ToolFailed(
            f"{folder / MANIFEST}: the name {manifest.name!r} is not that of its folder"
        )
    check(code, str(folder / CODE))
    return Written(folder=folder, manifest=manifest, code=code, hash=hash_of(text, code))


def check(code: str, where: str) -> None:
    """Raises ``ToolFailed`` for code that is no Python, or does not define ``call``."""
    import ast

    try:
        tree = ast.parse(code, where)
    except (SyntaxError, ValueError, RecursionError) as broken:
        line = getattr(broken, "lineno", None) or 1
        raise ToolFailed(f"{where}:{line}: {getattr(broken, 'msg', broken)}") from broken
    made = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    if "call" not in made:
        raise ToolFailed(f"{where}:1: it defines no function `call(...)`")


def hash_of(manifest: str, code: str) -> str:
    """What an approval is for."""
    from hashlib import sha256  # most runs have no tool of their own

    return sha256(f"{len(manifest)}\n{manifest}{code}".encode()).hexdigest()


def _result(name: str, output: bytes, code: int | None, printed: str) -> Result:
    try:
        said = _said.decode(output)
    except msgspec.DecodeError:
        ended = f"exit code {code}" if code else "no result"
        raise ToolFailed(f"{name} ended by itself with {ended}\n{printed}") from None
    if said.success:
        return Result(parts=(Text(text=said.output or "(no output)"),))
    words = f"{said.error or said.output or 'it failed'}\n{printed}".rstrip()
    return Result(parts=(Text(text=f"{name} failed: {words}"),), ok=False)
