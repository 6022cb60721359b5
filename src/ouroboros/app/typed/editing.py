"""A person's own editor for long words: it has their terminal until it ends.

It runs on a terminal of its own, between which and the person's bytes go to and fro, so that it has
Ctrl-C and job control to itself, and ends with us whatever happens.
"""

import os
import shlex
import signal
import tempfile
import termios
import tty
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from shutil import which

import anyio
from anyio import to_thread

from ouroboros.core.errors import Misuse
from ouroboros.safety.terminal import Terminal, start_terminal

MOST_BYTES = 4 * 1_048_576
_CHUNK = 65_536
_TYPE_SECONDS = 10.0


async def edited(
    text: str, *, cwd: Path, environment: Mapping[str, str], editor: str = "", keyboard: int = 0
) -> str:
    """What becomes of a text in the editor; the terminal is the person's to the end of it.

    Args:
        text: What is in the file to begin with.
        cwd: Where the editor runs.
        environment: Names it by ``VISUAL`` or ``EDITOR``, else it is ``vi``.
        editor: The command, in the place of those.
        keyboard: The descriptor of the terminal.

    Raises:
        Misuse: There is no such editor, it failed, or what it wrote is no text.
    """
    words = editor or environment.get("VISUAL") or environment.get("EDITOR") or "vi"
    try:
        command = shlex.split(words)
    except ValueError:
        command = []
    search = environment.get("PATH", "")
    if not command or not await to_thread.run_sync(which, command[0], os.X_OK, search):
        raise Misuse(f"there is no editor {words[:80]!r}", hint="set tui.editor or EDITOR")
    file = await to_thread.run_sync(_begun, text)
    try:
        code = await _run([*command, str(file)], cwd, environment, keyboard)
        if code:
            raise Misuse(
                f"the editor {command[0]!r} ended with {code}, so nothing is changed",
                hint="set tui.editor or EDITOR to another one",
            )
        return await to_thread.run_sync(_read, file)
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(_remove, file)


async def _run(command: list[str], cwd: Path, environment: Mapping[str, str], keyboard: int) -> int:
    try:
        columns, rows = os.get_terminal_size(keyboard)
    except OSError:
        raise Misuse("an editor needs a terminal", hint="write the words here") from None
    try:
        terminal = await start_terminal(
            command, cwd=cwd, environment=environment, columns=columns, rows=rows
        )
    except OSError as failed:
        raise Misuse(
            f"the editor {command[0]!r} cannot be started: {failed.strerror}",
            hint="set tui.editor or EDITOR",
        ) from failed
    try:
        async with _raw(keyboard), anyio.create_task_group() as tasks:
            tasks.start_soon(_typed, terminal, keyboard)
            tasks.start_soon(_sized, terminal, keyboard)
            while (piece := await terminal.process.read()) is not None:
                with suppress(OSError):  # who closed the window sees nothing any more
                    await to_thread.run_sync(_say, keyboard, piece.data)
            tasks.cancel_scope.cancel()
    finally:
        await terminal.process.close()
    return terminal.process.exit_code or 0


async def _typed(terminal: Terminal, keyboard: int) -> None:
    while True:
        await anyio.wait_readable(keyboard)
        try:
            data = os.read(keyboard, _CHUNK)
        except OSError:
            data = b""
        if not data:  # the window was closed: so is the editor
            return await terminal.process.stop()
        with suppress(BrokenPipeError), anyio.move_on_after(_TYPE_SECONDS):
            await terminal.type(data)


async def _sized(terminal: Terminal, keyboard: int) -> None:
    with anyio.open_signal_receiver(signal.SIGWINCH) as received:
        async for _ in received:
            with suppress(OSError):
                terminal.resize(*os.get_terminal_size(keyboard))


@asynccontextmanager
async def _raw(keyboard: int) -> AsyncGenerator[None]:
    """Keys go to the editor as they are pressed; afterwards the terminal is as before."""
    before = termios.tcgetattr(keyboard)
    try:
        tty.setraw(keyboard)
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _say(keyboard: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(keyboard, rest) :]


def _begun(text: str) -> Path:
    """A file that nobody else reads, with the text."""
    file: Path | None = None
    try:
        file = Path(tempfile.mkdtemp(prefix="ouro-")) / "prompt.md"
        file.touch(mode=0o600)
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as failed:
        if file is not None:
            _remove(file)
        raise Misuse(
            f"no file can be made for the editor: {failed.strerror}",
            hint="make room, or write here",
        ) from failed
    return file


def _read(file: Path) -> str:
    try:
        with file.open("rb") as written:
            data = written.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise Misuse(f"the editor wrote more than {MOST_BYTES:,} bytes", hint="write less")
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as failed:
        raise Misuse("what the editor wrote cannot be read", hint="save it as UTF-8") from failed
    # Editors end the last line of a file, which was not typed.
    return text.removesuffix("\n")


def _remove(file: Path) -> None:
    with suppress(OSError):
        for each in file.parent.iterdir():
            each.unlink()
        file.parent.rmdir()
