"""The process that makes a map: reads a wish on standard input, writes the map, and ends.

A file that brings a parser down, or holds it up, is known to the next process and left out.
"""

import fcntl
import gc
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.workspace.repomap.cache import Kept, file_of, load, mark_of, save
from ouroboros.workspace.repomap.listing import Listed, listed
from ouroboros.workspace.repomap.outline import outline
from ouroboros.workspace.repomap.ranking import Ranked, rank
from ouroboros.workspace.repomap.reading import tags_of
from ouroboros.workspace.repomap.tags import Tags

SAVE_SECONDS = 5.0
"""How much work is lost at most when the process is ended."""

_MOST_PATH = 4096


class Wish(Struct, frozen=True, kw_only=True):
    """Of which folder, how large, and what the conversation is about.

    Attributes:
        near: Paths of files; what they use counts more.
        names: Symbols that count more.
        words: The same of files and symbols whose names hold one of these, in small letters.
        most_ranked: How many symbols are handed out by rank, for whoever draws the outline.
    """

    root: str
    home: str
    most_chars: int
    near: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    most_symbols: int = 50
    most_ranked: int = 0


class Symbol(Struct, frozen=True, kw_only=True):
    """One of those that matter most."""

    name: str
    path: str
    line: int
    score: float


class Map(Struct, frozen=True, kw_only=True):
    """The outline, and the symbols that matter most, whether they fit into it or not.

    Attributes:
        files: How many were looked into.
        read: How many of them anew.
        shown: Symbols in the outline.
        ranked: As many as were wished for, by rank.
    """

    outline: str
    symbols: tuple[Symbol, ...] = ()
    files: int = 0
    read: int = 0
    shown: int = 0
    ranked: tuple[Ranked, ...] = ()


def main() -> int:
    """Answers one wish."""
    gc.disable()  # it looks through all that is known again and again, and finds nothing to free
    wish = msgspec.json.decode(sys.stdin.buffer.read(), type=Wish)
    sys.stdout.buffer.write(msgspec.json.encode(made(wish)))
    return 0


def made(wish: Wish) -> Map:
    """Makes the map; blocks."""
    root = Path(wish.root)
    place = file_of(Path(wish.home), root)
    known = load(place, root)
    files, read = _read(root, place, known)
    tags = {path: kept.tags for path, kept in files.items()}
    near, names = _about(wish, tags)
    ranked = rank(tags, near=near, names=names)
    text, shown = outline(ranked, most_chars=wish.most_chars)
    symbols = tuple(_symbol(one) for one in ranked[: wish.most_symbols] if one.score > 0)
    return Map(
        outline=text,
        symbols=symbols,
        files=len(files),
        read=read,
        shown=shown,
        ranked=tuple(ranked[: wish.most_ranked]),
    )


def _about(wish: Wish, tags: dict[str, Tags]) -> tuple[set[str], set[str]]:
    """The files and the names that the conversation is about."""
    near, names = set(wish.near), set(wish.names)
    for path, found in tags.items() if wish.words else ():
        if any(word in path.lower() for word in wish.words):
            near.add(path)
        for each in found.definitions:
            if any(word in each.name.lower() for word in wish.words):
                names.add(each.name)
    return near, names


def _read(root: Path, place: Path, known: dict[str, Kept]) -> tuple[dict[str, Kept], int]:
    """The tags of all files, and how many were read for that."""
    files: dict[str, Kept] = {}
    read, saved = 0, time.monotonic()
    diary = Diary(place)
    for one in listed(root):
        had = known.get(one.path)
        if had is not None and (had.size, had.changed) == (one.size, one.changed):
            files[one.path] = had
            continue
        diary.write(one.path)
        kept = _tagged(root, one, had, is_bad=one.path == diary.taken)
        if kept is not None:
            files[one.path] = kept
            read += 1
        if time.monotonic() - saved > SAVE_SECONDS:
            save(place, root, {**known, **files})
            saved = time.monotonic()
    diary.end()
    if read or files.keys() != known.keys():
        save(place, root, files)
    return files, read


def _tagged(root: Path, one: Listed, had: Kept | None, *, is_bad: bool) -> Kept | None:
    if is_bad:
        return Kept(one.size, one.changed, b"", Tags())
    try:
        data = (root / one.path).read_bytes()
    except OSError:
        return None
    mark = mark_of(data)
    if had is not None and had.mark == mark:
        return Kept(one.size, one.changed, mark, had.tags)
    try:
        tags = tags_of(one.path, data)
    except (ValueError, RecursionError, MemoryError):
        tags = Tags()
    return Kept(one.size, one.changed, mark, tags)


def _symbol(one: Ranked) -> Symbol:
    return Symbol(
        name=one.definition.name, path=one.path, line=one.definition.line, score=one.score
    )


def _diary_of(place: Path) -> Path:
    return place.with_suffix(".reading")


class Diary:
    """Which file is being read, in a file that outlives us; of several processes one has it.

    Attributes:
        taken: The file at which an earlier process came to an end; empty for none.
    """

    def __init__(self, place: Path) -> None:
        """Reads what an earlier process left, unless another one still writes there."""
        self._path, self._descriptor, self.taken = _diary_of(place), -1, ""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._path, flags, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left = os.pread(descriptor, _MOST_PATH, 0)
            except OSError:
                os.close(descriptor)
                return
            self._descriptor = descriptor
            self.taken = left.partition(b"\0")[0].decode("utf-8", "replace")

    def write(self, path: str) -> None:
        """Notes the file that is read next."""
        if self._descriptor >= 0:
            with suppress(OSError):
                os.pwrite(self._descriptor, os.fsencode(path)[:_MOST_PATH] + b"\0", 0)

    def end(self) -> None:
        """Nothing is read any more."""
        if self._descriptor >= 0:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)  # another process may have it open already
                self._path.unlink(missing_ok=True)
            os.close(self._descriptor)


if __name__ == "__main__":
    sys.exit(main())
