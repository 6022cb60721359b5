"""The dialect of the original PAWS: cat markers around each file; pure.

Between a file's markers stand its bytes and one line feed. What is no UTF-8, or holds a line that
is a marker, is written as base64 and says so. Read are old forms too: without the cat, with more
dashes, in small letters, with an end that names no file, and bundles that are base64 as a whole.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ouroboros.workspace.artifacts.cats.bundle import Bundle, File, Head
from ouroboros.workspace.artifacts.faults import Malformed
from ouroboros.workspace.artifacts.fences import closing
from ouroboros.workspace.artifacts.paths import fault_of

_BASE64 = "(Content:Base64)"
_TITLE = b"# Cats Bundle"
_END_OF_PERSONA = b"\n--- END PERSONA ---\n"
_END_OF_WORDS = b"\n--- END PREPENDED INSTRUCTIONS ---\nThe following content is the Cats Bundle.\n"
_LINE = re.compile(
    "^(?:\U0001f408[ \t]*)?-{3,}[ \t]*CATS_(START|END)_FILE([^\n]*)$".encode(),
    re.MULTILINE | re.IGNORECASE,
)
_HINT = re.compile(r"\(\s?content\s?:\s?base64\s?\)$", re.IGNORECASE)
_ALL_BASE64 = re.compile(rb"^# Format: Base64[ \t]*\r?$", re.MULTILINE)
_OPENING = re.compile(rb"\s*^(`{3,}|~{3,})[^`\n]*\n", re.MULTILINE)
_DELTA = re.compile(rb"^# Delta Reference:", re.MULTILINE)


class _Mark(NamedTuple):
    """A marker, and where its line begins and ends."""

    start: int
    end: int
    is_opening: bool
    name: str


def _marks(data: bytes, start: int = 0) -> Iterator[_Mark]:
    for found in _LINE.finditer(data, start):
        rest = found[2].strip()
        name = rest.rstrip(b"-")
        if len(rest) - len(name) < 3 or (name and not name.startswith(b":")):
            continue
        text = name.removeprefix(b":").strip().decode("utf-8", "replace")
        yield _Mark(found.start(), found.end(), found[1].upper() == b"START", text)


def is_begun(data: bytes) -> bool:
    """Whether a bundle has a marker in it."""
    return next(_marks(data), None) is not None


def outside(data: bytes) -> bytes | None:
    """The text of a bundle that stands in no file, without the words for a model; None where it has no head."""
    start = _start(data)
    if (
        not data[start:]
        .removeprefix(_END_OF_WORDS)
        .removeprefix(_END_OF_PERSONA)
        .lstrip()
        .startswith(_TITLE)
    ):
        return None
    parts: list[bytes] = []
    for found in _marks(data, start):
        if found.is_opening:
            parts.append(data[start : found.start])
        start = found.end
    return b"".join([*parts, data[start:]])


def opening(head: Head) -> bytes:
    """What stands before the files, in the words of the original."""
    text = b""
    if head.persona:
        text += b"\n--- START PERSONA ---\n%b%b" % (head.persona, _END_OF_PERSONA)
    if head.system:
        text += head.system + _END_OF_WORDS
    delta = b"# Delta Reference: Yes\n" if head.is_delta_ready else b""
    return text + b"%b\n# Format: Raw UTF-8; binaries as Base64\n" % _TITLE + delta


def block(file: File) -> bytes:
    """One file, with an empty line before it."""
    body = file.data
    hint = ""
    if not _is_text(body) or is_begun(body) or unfenced(body) is not None:
        body, hint = b64encode(body), f" {_BASE64}"
    start, end = (
        f"\U0001f408 --- CATS_{side}_FILE: {file.path}{hint} ---".encode()
        for side in ("START", "END")
    )
    return b"\n%b\n%b\n%b\n" % (start, body, end)


def unfenced(body: bytes) -> bytes | None:
    """What stands in the fence around all of a text, blank lines apart; None where none is around it."""
    found = _OPENING.match(body)
    end = closing(found[1]).search(body, found.end()) if found else None
    if found is None or end is None or body[end.end() :].strip():
        return None
    return body[found.end() : end.start()]


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def read(data: bytes) -> Bundle:
    """A bundle of this dialect.

    Raises:
        Malformed: A file is cut off, its markers do not belong together, or its path may not be named.
    """
    start = _start(data)
    first = next(_marks(data, start), None)
    before = data[start : first.start] if first else data
    is_base64 = _ALL_BASE64.search(before) is not None
    files: list[File] = []
    texts: list[int] = []
    seen: set[str] = set()
    line, opened = data.count(b"\n", 0, start) + 1, None
    path, is_coded = "", False
    for found in _marks(data, start):
        line += data.count(b"\n", start, found.start)
        start, name = found.start, found.name
        if found.is_opening:
            at = File(path=_named(name), data=b"", block=len(files) + 1, line=line)
            if opened is not None:
                raise _broken(at, "a file begins before the one before it has ended")
            if fault := fault_of(at.path):
                raise _broken(at, f"this path is not taken: {fault}")
            if at.path in seen:
                raise _broken(at, "another block is of the same file")
            opened, path, is_coded = found, at.path, is_base64 or bool(_HINT.search(name))
            seen.add(path)
            continue
        at = File(path=path, data=b"", block=len(files) + 1, line=line)
        if opened is None or (_named(name) and _named(name) != path):
            raise _broken(at, f"the end of {_named(name)!r} stands where no such file began")
        body = data[opened.end + 1 : max(found.start - 1, opened.end + 1)]
        texts += [] if is_coded else [len(files)]
        files.append(
            File(
                path=path, data=_content(body, at, is_coded=is_coded), block=at.block, line=at.line
            )
        )
        opened = None
    if opened is not None:
        raise Malformed(
            "the bundle is cut off: this file has no end",
            block=len(files) + 1,
            path=path,
            line=line,
        )
    head = Head(is_delta_ready=_DELTA.search(before) is not None)
    return Bundle(head=head, files=_bare(files, texts), dialect="paws")


def _bare(files: Sequence[File], texts: Collection[int]) -> tuple[File, ...]:
    """Without the fences that later versions of the original put around every text, and around none else."""
    inner = {number: unfenced(files[number].data) for number in texts if files[number].data}
    if None in inner.values():
        return tuple(files)
    return tuple(
        replace(file, data=inner.get(number) or b"" if number in inner else file.data)
        for number, file in enumerate(files)
    )


def _start(data: bytes) -> int:
    """Where the bundle begins after words for the model, which may show markers themselves."""
    if data.startswith(_TITLE):
        return 0
    return max(0, data.find(_END_OF_WORDS)) or max(0, data.find(_END_OF_PERSONA))


def _named(name: str) -> str:
    return _HINT.sub("", name).strip()


def _content(body: bytes, at: File, *, is_coded: bool) -> bytes:
    if not is_coded:
        return body
    try:
        return b64decode(b"".join(body.split()), validate=True)
    except ValueError:
        raise _broken(at, "it is no base64") from None


def _broken(at: File, why: str) -> Malformed:
    return Malformed(why, block=at.block, path=at.path, line=at.line)
