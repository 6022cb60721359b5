"""A person's own editor for long words: it has their terminal until it ends."""

import os
import shlex
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shutil import which

import anyio
from anyio import to_thread

from ouroboros.app.lending import lend
from ouroboros.core.errors import Misuse

MOST_BYTES = 4 * 1_048_576


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
    if not os.isatty(keyboard):
        raise Misuse("an editor needs a terminal", hint="write the words here")
    try:
        return await lend(command, cwd=cwd, environment=environment, keyboard=keyboard)
    except OSError as failed:
        raise Misuse(
            f"the editor {command[0]!r} cannot be started: {failed.strerror}",
            hint="set tui.editor or EDITOR",
        ) from failed


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
