"""Looks through files and texts for secrets, or for orders that somebody hid in them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.safety.pipeline.injection import flags
from ouroboros.safety.pipeline.invisible import visible
from ouroboros.safety.secrets.detector import Detector
from ouroboros.safety.secrets.find import redacted
from ouroboros.safety.secrets.values import Finding

type What = Literal["secrets", "injection"]

LARGEST = 67_108_864
"""Bytes of a file; a larger one is no text that anybody wrote."""


class Said(Struct, frozen=True, kw_only=True):
    """A line of ``--jsonl``."""

    text: str


class Secrets(Struct, frozen=True, kw_only=True):
    """The answer to a line about secrets."""

    findings: tuple[Finding, ...]
    redacted: str


class Flags(Struct, frozen=True, kw_only=True):
    """The answer to a line about orders; ``stripped`` counts invisible characters without use."""

    flags: tuple[str, ...]
    stripped: int = 0


class Hit(Struct, frozen=True, kw_only=True):
    """Something in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int
    kind: str


_said = msgspec.json.Decoder(Said)
_detector = Detector()


def answers(what: What, lines: Iterable[bytes]) -> Iterator[Secrets | Flags | dict[str, str]]:
    """What is in the text of each line of JSON; ``{"error": ...}`` for a line that is broken."""
    for line in filter(bytes.strip, lines):
        try:
            text = _said.decode(line).text
        except msgspec.DecodeError as broken:
            yield {"error": f"not an object with a text: {broken}"}
            continue
        if what == "injection":
            yield Flags(flags=tuple(flags(text)), stripped=visible(text)[1])
        else:
            found = tuple(_detector.find(text))
            yield Secrets(findings=found, redacted=redacted(text, found))


def hits(what: What, path: Path) -> list[Hit]:
    """Everything in one file; a file of bytes that are no text is read as far as they are.

    Raises:
        OSError: It cannot be read.
        Misuse: It is too large, or no file.
    """
    if not path.is_file():
        raise Misuse(f"{path} is no file" if path.exists() else f"there is no file {path}")
    size = path.stat().st_size
    if size > LARGEST:
        raise Misuse(f"{path} has {size} bytes; at most {LARGEST} are looked at")
    return list(found_in(what, str(path), path.read_bytes().decode("utf-8", "replace")))


def found_in(what: What, name: str, text: str) -> Iterator[Hit]:
    """Everything in one text."""
    if what == "secrets":
        for each in _detector.find(text):
            line = text.count("\n", 0, each.start) + 1
            column = each.start - text.rfind("\n", 0, each.start)
            yield Hit(file=name, line=line, column=column, kind=each.kind)
        return
    # A page of lines at a time; they overlap, so that an order over two lines is still seen.
    lines, told = text.split("\n"), set[tuple[int, str]]()
    for at in range(0, len(lines), 20):
        page = lines[at : at + 22]
        for flag in flags("\n".join(page)):
            if flag == "potential_injection":
                continue
            where = (at + _last(flag, page) + 1, flag)
            if where not in told:
                told.add(where)
                yield Hit(file=name, line=where[0], column=1, kind=flag)


def _last(flag: str, page: list[str]) -> int:
    """The last line from which on the page still has the flag."""
    has, lacks = 0, len(page)
    while lacks - has > 1:
        middle = (has + lacks) // 2
        if flag in flags("\n".join(page[middle:])):
            has = middle
        else:
            lacks = middle
    return has
