"""The files of a folder as a tree that can only be read; no link is followed, and none leads out."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Literal

from msgspec import Struct

from ouroboros.core.errors import OuroborosError, ToolFailed
from ouroboros.safety.paths.beneath import open_plain
from ouroboros.workspace.checkpoints.ignored import Ignored
from ouroboros.workspace.checkpoints.scan import outer_rules
from ouroboros.workspace.files import decoded

PAGE = 300
"""Names of a folder in one answer."""

MOST_NAMES = 100_000
"""A folder with more names shows the first of them only."""

PREVIEW_BYTES = 262_144
"""So much of a file is shown."""

_IGNORE_BYTES = 1_048_576
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_NONBLOCK

type Kind = Literal["folder", "file", "link", "other"]
type Content = Literal["text", "binary", "image", "empty"]


class FileAbsent(OuroborosError):
    """There is nothing of this name that may be shown."""


class Entry(Struct, frozen=True, kw_only=True):
    """One name in a folder.

    Attributes:
        path: Relative to the root.
        leads: Of a link, where it leads, in its own words.
        is_ignored: A ``.gitignore`` leaves it out.
        is_odd: Its name is no UTF-8; it is shown, and cannot be opened.
    """

    name: str
    path: str
    kind: Kind
    size: int = 0
    changed: float = 0.0
    leads: str = ""
    is_ignored: bool = False
    is_odd: bool = False


class Folder(Struct, frozen=True, kw_only=True):
    """A page of a folder: folders first, then by name; ``total`` counts all of it."""

    path: str
    entries: tuple[Entry, ...]
    total: int
    start: int = 0


class Preview(Struct, frozen=True, kw_only=True):
    """The beginning of a file; without text where it is binary.

    Attributes:
        mime: Of a picture, what it is.
        is_cut: There is more of it.
        is_clean: Nothing secret was taken out.
    """

    path: str
    size: int
    changed: float
    content: Content
    text: str = ""
    encoding: str = ""
    mime: str = ""
    is_cut: bool = False
    is_clean: bool = True


def folder(root: Path, name: str, *, start: int = 0, limit: int = PAGE) -> Folder:
    """A page of a folder below ``root``; blocking.

    Raises:
        FileAbsent: There is none, or a link is on the way.
    """
    parts = _parts(name)
    descriptor = _opened(root, parts, _FOLDER)
    try:
        found = _entries(descriptor, parts, _rules(root, parts))
    finally:
        os.close(descriptor)
    found.sort(key=lambda entry: (entry.kind != "folder", entry.name.lower(), entry.name))
    start = max(0, start)
    return Folder(
        path="/".join(parts),
        entries=tuple(found[start : start + max(1, limit)]),
        total=len(found),
        start=start,
    )


def preview(root: Path, name: str, clean: Callable[[str], str]) -> Preview:
    """The beginning of a file below ``root``, without secrets; blocking.

    Raises:
        FileAbsent: There is none, or a link is on the way.
    """
    parts = _parts(name)
    data, seen = _read(root, parts, PREVIEW_BYTES)
    shown = Preview(path="/".join(parts), size=seen.st_size, changed=seen.st_mtime, content="empty")
    if not data:
        return shown
    from msgspec.structs import replace

    if mime := picture_of(data):
        return replace(shown, content="image", mime=mime)
    is_cut = seen.st_size > len(data)
    try:
        read = decoded(_whole_lines(data) if is_cut else data, Path(name))
    except ToolFailed:
        return replace(shown, content="binary")
    text = clean(read.text)
    return replace(
        shown,
        content="text",
        text=text,
        encoding=read.encoding,
        is_cut=is_cut,
        is_clean=text == read.text,
    )


def picture(root: Path, name: str, most: int) -> tuple[bytes, str]:
    """A picture below ``root`` and what it is; raises ``FileAbsent`` for anything else; blocking."""
    data, seen = _read(root, _parts(name), most)
    mime = picture_of(data)
    if not mime or seen.st_size > most:
        raise FileAbsent(f"{name!r} is no picture that can be shown")
    return data, mime


def picture_of(data: bytes) -> str:
    """The media type of a picture that a page may show as it is; empty for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:6] in {b"GIF87a", b"GIF89a"}:
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def opened_file(root: Path, name: str) -> int:
    """A descriptor of a regular file below ``root``, links not followed; raises ``FileAbsent``."""
    descriptor = _opened(root, _parts(name), _FILE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileAbsent(f"{name!r} is no file")
    return descriptor


def _read(root: Path, parts: tuple[str, ...], most: int) -> tuple[bytes, os.stat_result]:
    descriptor = opened_file(root, "/".join(parts))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most), os.fstat(descriptor)


def _parts(name: str) -> tuple[str, ...]:
    """The names on the way; ``..`` and what belongs to git are none."""
    parts = PurePosixPath(name).parts
    if "\0" in name or name.startswith("/") or ".." in parts:
        raise FileAbsent(f"{name[:200]!r} does not lie in this folder")
    if any(part.lower() == ".git" for part in parts):
        raise FileAbsent(f"{name[:200]!r} belongs to git, and is not shown")
    return parts


def _opened(root: Path, parts: tuple[str, ...], flags: int) -> int:
    path = root.joinpath(*parts)
    try:
        return open_plain(path, flags)
    except (OSError, ValueError) as failed:
        number = failed.errno if isinstance(failed, OSError) else None
        shown = "/".join(parts) or "."
        if number == errno.ELOOP:
            raise FileAbsent(f"{shown!r} is a link, and links are not followed here") from failed
        why = failed.strerror if isinstance(failed, OSError) else str(failed)
        raise FileAbsent(f"{shown!r} cannot be opened: {why}") from failed


def _entries(descriptor: int, parts: tuple[str, ...], rules: "_Rules") -> list[Entry]:
    found: list[Entry] = []
    with os.scandir(descriptor) as names:
        for each in names:
            if len(found) >= MOST_NAMES:
                break
            if each.name != ".git":
                found.append(_entry(descriptor, each, parts, rules))
    return found


def _entry(
    descriptor: int, each: "os.DirEntry[str]", parts: tuple[str, ...], rules: "_Rules"
) -> Entry:
    try:
        seen = each.stat(follow_symlinks=False)
    except OSError:  # it went meanwhile
        seen = os.stat_result((0,) * 10)
    name = os.fsencode(each.name).decode("utf-8", "replace")
    kind = _kind(seen.st_mode)
    return Entry(
        name=name,
        path="/".join((*parts, name)),
        kind=kind,
        size=seen.st_size if kind == "file" else 0,
        changed=seen.st_mtime,
        leads=_leads(descriptor, each.name) if kind == "link" else "",
        is_ignored=rules.leaves_out("/".join((*parts, each.name)), is_folder=kind == "folder"),
        is_odd=name != each.name,
    )


def _kind(mode: int) -> Kind:
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "other"


def _leads(descriptor: int, name: str) -> str:
    try:
        found = os.readlink(name, dir_fd=descriptor)
    except OSError:
        return ""
    return os.fsencode(found).decode("utf-8", "replace")


class _Rules(Struct, frozen=True, kw_only=True):
    """What is ignored in one folder; all of it where the folder itself is."""

    rules: Ignored
    is_out: bool

    def leaves_out(self, path: str, *, is_folder: bool) -> bool:
        return self.is_out or bool(self.rules.verdict(path, is_folder=is_folder))


def _rules(root: Path, parts: tuple[str, ...]) -> _Rules:
    rules, is_out = outer_rules(root, ()), False
    for depth in range(len(parts) + 1):
        above = parts[:depth]
        if above:
            is_out = is_out or bool(rules.verdict("/".join(above), is_folder=True))
        base = "".join(f"{part}/" for part in above)
        rules = Ignored(rules, base, _ignore_file(root, above))
    return _Rules(rules=rules, is_out=is_out)


def _ignore_file(root: Path, parts: tuple[str, ...]) -> bytes:
    try:
        return _read(root, (*parts, ".gitignore"), _IGNORE_BYTES)[0]
    except (FileAbsent, OSError):
        return b""


def _whole_lines(data: bytes) -> bytes:
    """What was read without the line, or the character, that is cut in two."""
    end = data.rfind(b"\n")
    if end > 0:
        return data[: end + 1]
    for cut in range(4):
        if (data[len(data) - cut - 1] & 0xC0) != 0x80:
            return data[: len(data) - cut - 1]
    return data
