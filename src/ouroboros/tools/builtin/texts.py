"""Where text files are read and written: on the disk, and in an editor that has them open."""

import os
from pathlib import Path
from typing import Protocol

from anyio import from_thread
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.safety.paths import real
from ouroboros.safety.paths.beneath import open_folder
from ouroboros.workspace.files import (
    Decoded,
    FileMissing,
    bytes_of,
    decoded,
    writable,
    write_atomic,
)

UNSAVED = "[as it stands in the editor, not saved; commands and grep see the file on the disk]"


class Editor(Protocol):
    """A program in which a person has files open, with changes that may not be saved.

    Contract: bounds its own time, and may be cancelled. Paths are absolute, with links followed.
    """

    async def text_of(self, path: Path) -> str | None:
        """What it holds of a file; None where it does not say."""
        ...

    async def write(self, path: Path, text: str) -> bool:
        """Puts a text into a file and saves it; false where it refuses, and nothing was written.

        Raises:
            ToolFailed: Nobody knows whether it was written.
        """
        ...


class Held(Struct, frozen=True, kw_only=True):
    """What a file holds: ``data`` for the person, ``disk`` without what is not saved."""

    data: bytes
    disk: bytes | None

    @property
    def is_unsaved(self) -> bool:
        """The editor has it otherwise than the disk."""
        return self.data != self.disk


class Texts:
    """Reads and writes for the tools of a session; all of it blocks, in a thread of the event loop's."""

    def __init__(self, editor: Editor | None = None) -> None:
        """Without an ``editor`` there is the disk alone."""
        self._editor = editor

    @property
    def is_disk(self) -> bool:
        """There is no editor."""
        return self._editor is None

    def held(self, path: Path, *, limit: int = WRITE_BYTES) -> Held:
        """What a regular file holds, of at most ``limit`` bytes; what is not saved goes before.

        Raises:
            FileMissing: There is none, and the editor has none of that name.
            ToolFailed: It is no regular file, or too large.
        """
        try:
            disk = bytes_of(path, limit=limit)
        except FileMissing:
            if (data := self._unsaved(path, Decoded(text=""), limit)) is None:
                raise
            return Held(data=data, disk=None)
        try:
            saved = decoded(disk, path)
        except ToolFailed:
            return Held(data=disk, disk=disk)  # no editor of text has it
        data = self._unsaved(path, saved, limit)
        return Held(data=disk if data is None else data, disk=disk)

    def unsaved(self, path: Path) -> bytes | None:
        """What the editor has and the disk has not; None for a file that is as it is on the disk."""
        if self._editor is None:
            return None
        try:
            held = self.held(path)
        except (ToolFailed, OSError):
            return None
        return held.data if held.is_unsaved else None

    def is_unsaved(self, path: Path) -> bool:
        """Whether the editor has what the disk has not.

        Raises:
            ToolFailed: It is too large to tell.
        """
        if self._editor is None:
            return False
        try:
            return self.held(path).is_unsaved
        except (FileMissing, OSError):
            return False

    def _unsaved(self, path: Path, saved: Decoded, limit: int) -> bytes | None:
        if self._editor is None:
            return None
        text = from_thread.run(self._editor.text_of, real(path))
        if text is None or _plain(text) == _plain(saved.text):
            return None
        if "\r\n" in saved.text and "\r" not in text:
            text = text.replace("\n", "\r\n")
        try:
            data = saved.encode(text)
        except ToolFailed:
            data = text.encode("utf-8", "replace")
        if len(data) > limit:
            raise ToolFailed(f"{path} has over {limit} bytes in the editor, not saved")
        return data

    def put(self, path: Path, data: bytes, *, admitted: tuple[Path, ...], held: Held | None) -> str:
        """Writes a file, through the editor where that takes it; what a model is to know of it.

        Args:
            path: Absolute.
            data: The whole new content.
            admitted: Real paths that may be written; any when empty.
            held: What was read of it before, and must still be there; None where nothing was.

        Raises:
            ToolFailed: It cannot be written, leads elsewhere by now, or has been changed.
        """
        expected = None if held is None else held.disk
        if self._editor is None or not self._taken(self._editor, path, data, admitted, expected):
            if held is not None and held.is_unsaved:
                raise ToolFailed(
                    f"{path} has changes in the editor that are not saved, and the editor did not "
                    "take this one, so nothing was written; ask the user to save it"
                )
            write_atomic(path, data, admitted=admitted, expected=expected)
            return ""
        return _told(path, data)

    def _taken(
        self,
        editor: Editor,
        path: Path,
        data: bytes,
        admitted: tuple[Path, ...],
        expected: bytes | None,
    ) -> bool:
        try:
            text = decoded(data, path).text
        except ToolFailed:
            return False
        target = Path(os.path.realpath(path))
        if admitted and target not in admitted:
            raise ToolFailed(f"{path} leads elsewhere by now, so nothing was written")
        writable(path)
        if expected is not None and bytes_of(target) != expected:
            raise ToolFailed(f"{path} was changed just now, so nothing was written; read it again")
        os.close(open_folder(target.parent, make=True))
        return from_thread.run(editor.write, target, text)


def _told(path: Path, data: bytes) -> str:
    try:
        is_there = _plain(decoded(bytes_of(path), path).text) == _plain(decoded(data, path).text)
    except (ToolFailed, OSError):
        is_there = False
    if is_there:
        return ""
    return "the editor has it; the file on the disk differs: not saved yet, or formatted on saving"


def _plain(text: str) -> str:
    """The text as every editor has it: each keeps the ends of lines in its own way."""
    return text.replace("\r\n", "\n").removesuffix("\n")
