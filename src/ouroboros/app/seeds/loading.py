"""From ``--data`` to variables: files, folders and standard input become JSON.

What is read is untrusted: it is bounded, decoded and handed on, and never run or followed. A PDF is
taken apart by a process of its own, which is ended when it takes too long.
"""

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

import anyio
import anyio.to_thread
import msgspec
from msgspec import Struct

from ouroboros.app.seeds import names
from ouroboros.app.seeds.texts import Broken, decoded, is_binary, lines, records, separator, table
from ouroboros.core.errors import Misuse
from ouroboros.repl.seeds import Seed, Seeds

PDF_SECONDS = 120.0
"""How long the text of one PDF may take to be found."""

_TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_LINES = (".jsonl", ".ndjson")


class Source(Struct, frozen=True, kw_only=True):
    """What ``load`` reads from and how much at most.

    Attributes:
        cwd: Where relative names begin.
        stdin: What ``-`` means; None when nothing can be read there.
        limit: Bytes of all that is read together.
        environment: For the process that reads a PDF.
    """

    cwd: Path
    stdin: BinaryIO | None
    limit: int
    environment: Mapping[str, str]


class _Found(Struct, frozen=True, kw_only=True):
    """What one name stood for."""

    value: bytes
    kind: str
    characters: int
    read: int
    note: str = ""


async def load(named: Sequence[str], source: Source) -> Seeds:
    """Reads everything that ``--data`` named; a single thing becomes ``data``, several go by file.

    ``NAME=FILE`` chooses the name.

    Raises:
        Misuse: Something is not there, cannot be read, is binary, or is too much.
    """
    wanted = [names.split(word, source.cwd) for word in named]
    seeds: list[Seed] = []
    taken: set[str] = set()
    left = source.limit
    for (name, word), written in zip(wanted, named, strict=True):
        found = await _read(word, source, left)
        left -= found.read
        own = name or ("data" if len(wanted) == 1 else names.of_file(word))
        own = names.fresh(own, taken)
        taken.add(own)
        seeds.append(
            Seed(
                name=own,
                value=found.value,
                source=written,
                kind=found.kind,
                characters=found.characters,
                note=found.note,
            )
        )
    return Seeds(seeds=tuple(seeds))


async def _read(word: str, source: Source, left: int) -> _Found:
    if word == "-":
        if source.stdin is None:
            raise Misuse(
                "standard input has nothing to read", hint="pipe the data in, or name a file"
            )
        data = await anyio.to_thread.run_sync(
            _bounded, source.stdin, word, left, abandon_on_cancel=True
        )
        if data.startswith(b"%PDF-"):
            raise Misuse("a PDF cannot be read from standard input", hint="name the file")
        return await anyio.to_thread.run_sync(_guessed, data, word)
    found = await anyio.to_thread.run_sync(_named, source.cwd, word, left, abandon_on_cancel=True)
    return await _pages(found, word, source, left) if isinstance(found, Path) else found


def _named(cwd: Path, word: str, left: int) -> _Found | Path:
    """What a file or folder holds; a PDF is given back by its path."""
    try:
        path = cwd / Path(word).expanduser()
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _folder(path, word, left)
        if path.suffix.lower() != ".pdf":
            return _file(path, word, left)
        size = path.stat().st_size
    except OSError as error:
        hint = names.trouble(word, cwd) or "name another one"
        raise Misuse(f"{word!r} cannot be read: {error.strerror}", hint=hint) from None
    except (ValueError, RuntimeError):
        raise Misuse(f"not a path: {word!r}", hint="name a file or a folder") from None
    if size > left:
        raise _too_much(word, size, left)
    return path


def _file(path: Path, word: str, left: int) -> _Found:
    with path.open("rb") as opened:
        found = os.fstat(opened.fileno())
        # A pipe is fine (``<(command)``); a device never ends.
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISFIFO(found.st_mode)):
            raise Misuse(f"{word!r} is neither a file nor a folder", hint="name one of those")
        if found.st_size > left:
            raise _too_much(word, found.st_size, left)
        data = _bounded(opened, word, left)
    if data.startswith(b"%PDF-"):
        raise Misuse(f"{word!r} is a PDF by another name", hint="let its name end in .pdf")
    suffix = path.suffix.lower()
    if suffix == ".json" or suffix in _LINES or suffix in _TABLES:
        return _structured(suffix, data, word)
    return _plain(data, word) if suffix else _guessed(data, word)


def _bounded(opened: BinaryIO, word: str, left: int) -> bytes:
    data = opened.read(left + 1)
    if len(data) > left:
        raise _too_much(word, len(data), left)
    return data


def _too_much(word: str, size: int, left: int) -> Misuse:
    return Misuse(
        f"{word!r} has {size:,} bytes or more, and {left:,} are left of what may be read",
        hint="raise rlm.data_max, or name less",
    )


def _structured(suffix: str, data: bytes, word: str) -> _Found:
    text, note = _text(data, word)
    try:
        if suffix == ".json":
            value, kind = records(text), "json"
        elif suffix in _LINES:
            value, kind = lines(text), "json"
        else:
            value, kind = table(text, _TABLES[suffix]), "table"
    except Broken as broken:
        said = f"{word} is read as text, for {broken}"
        return _of_text(text, len(data), note=f"{note}; {said}" if note else said)
    return _Found(value=value, kind=kind, characters=len(text), read=len(data), note=note)


def _guessed(data: bytes, word: str) -> _Found:
    """For what has no name that says what it is: JSON or a table where it clearly is, else text."""
    start = data.lstrip()[:1]
    if start in {b"{", b"["}:
        for suffix in (".json", ".jsonl"):
            found = _structured(suffix, data, word)
            if found.kind == "json":
                return found
    is_table = not is_binary(data) and separator(decoded(data)[0]) != ""
    return _structured(".csv", data, word) if is_table else _plain(data, word)


def _plain(data: bytes, word: str) -> _Found:
    text, note = _text(data, word)
    return _of_text(text, len(data), note=note)


def _of_text(text: str, read: int, *, note: str = "") -> _Found:
    return _Found(
        value=msgspec.json.encode(text), kind="text", characters=len(text), read=read, note=note
    )


def _text(data: bytes, word: str) -> tuple[str, str]:
    if is_binary(data):
        raise Misuse(
            f"{word!r} is neither text nor a PDF",
            hint="name text, JSON, CSV, HTML, XML, a PDF or a folder",
        )
    text, encoding = decoded(data)
    return text, f"{word} is read as {encoding}" if encoding else ""


def _folder(path: Path, word: str, left: int) -> _Found:
    """The texts below a folder by their paths; what searches skip is skipped here too."""
    from ouroboros.tools.builtin.walker import walk

    texts: dict[str, str] = {}
    read = skipped = 0
    for name in walk(str(path)):
        size = Path(name).stat(follow_symlinks=False).st_size
        if size > left - read:
            raise _too_much(word, read + size, left)
        try:
            data = Path(name).read_bytes()
        except OSError:
            skipped += 1
            continue
        if is_binary(data):
            skipped += 1
            continue
        read += len(data)
        shown = os.path.relpath(name, path).encode("utf-8", "replace").decode()
        texts[shown] = decoded(data)[0]
    if not texts:
        raise Misuse(f"there is no text in the folder {word!r}", hint="name another one")
    note = f"{skipped:,} files of {word} that hold no text were left out" if skipped else ""
    size = sum(map(len, texts.values()))
    value = msgspec.json.encode(texts)
    return _Found(value=value, kind="folder", characters=size, read=read, note=note)


async def _pages(path: Path, word: str, source: Source, left: int) -> _Found:
    """The text of each page of a PDF."""
    folder = await anyio.to_thread.run_sync(partial(tempfile.mkdtemp, prefix="ouro-pdf-"))
    try:
        value = await _apart(path, Path(folder, "pages.json"), word, source, left)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))
    pages = msgspec.json.decode(value, type=list[str])
    characters = sum(map(len, pages))
    note = "" if characters else f"{word} has {len(pages)} pages without text: pictures, perhaps"
    return _Found(value=value, kind="pages", characters=characters, read=len(value), note=note)


async def _apart(path: Path, written: Path, word: str, source: Source, left: int) -> bytes:
    """Lets a process of its own take a PDF apart; the JSON that it wrote."""
    from ouroboros.safety.spawn import run

    program = (sys.executable, "-I", "-m", "ouroboros.app.seeds.pdf")
    ended = await run(
        [*program, str(path), str(written), str(left)],
        cwd=source.cwd,
        environment=source.environment,
        timeout_seconds=PDF_SECONDS,
    )
    if not ended.exit_code:
        return await anyio.to_thread.run_sync(written.read_bytes)
    said = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    raise Misuse(
        f"the text of {word!r} cannot be found: {'it took too long' if ended.timed_out else said}",
        hint="make it a text file by another program",
    )
