"""The lines of a bundle, and what a reader finds in them. Pure."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.core.errors import OuroborosError
from ouroboros.workspace.artifacts.dogs.change import Change, Refusal, Refused, Request

MOST_BYTES = 64 * 1_048_576
"""Of a bundle."""

_ATTRIBUTE = re.compile(
    r"\((Content\s?:\s?Base64|Mode\s?:\s?0?[0-7]{3}|No newline)\)", re.IGNORECASE
)
_DECORATION = re.compile(r"^(\*\*|`)(.+)\1$")
_DECORATIONS = 2
_DASHES = 3


class Wish(NamedTuple):
    """How a bundle is to be read."""

    rsi_link: bool = False
    allow_truncated: bool = False


class BlockBroken(OuroborosError):
    """A block that cannot be read; ``line`` counts from 1 in the bundle."""

    def __init__(self, reason: str, *, line: int, path: str = "") -> None:
        """``path`` where it is known."""
        super().__init__(reason)
        self.reason, self.line, self.path = reason, line, path


class Found:
    """What a reader has found so far; ``spans`` are the lines that it took, from 0, the end excluded."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.changes: list[Change] = []
        self.requests: list[Request] = []
        self.refusals: list[Refusal] = []
        self.notes: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.blocks = 0

    def begin(self) -> int:
        """The number of the next block."""
        self.blocks += 1
        return self.blocks

    def refuse(self, broken: BlockBroken) -> None:
        """Notes that the latest block cannot be taken."""
        self.refusals.append(
            Refusal(reason=broken.reason, block=self.blocks, line=broken.line, path=broken.path)
        )


class Named(NamedTuple):
    """A path in a header with what stands in brackets behind it."""

    path: str
    is_base64: bool = False
    mode: int | None = None
    is_open: bool = False


def page_of(content: bytes) -> list[str]:
    r"""The lines of a bundle; where all of them end with ``\r\n`` that is taken off.

    Raises:
        Refused: It is too large, or no text.
    """
    if len(content) > MOST_BYTES:
        raise Refused(
            Refusal(reason=f"the bundle has {len(content)} bytes; the limit is {MOST_BYTES}")
        )
    try:
        text = _decoded(content)
    except UnicodeDecodeError as broken:
        line = content.count(b"\n", 0, broken.start) + 1
        raise Refused(Refusal(reason="the bundle is not UTF-8 text", line=line)) from broken
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Refused(Refusal(reason="the bundle holds a NUL, so it is no text", line=line))
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if lines and sum(line.endswith("\r") for line in lines) >= max(1, len(lines) - 1):
        lines = [line.removesuffix("\r") for line in lines]
    return lines


def _decoded(content: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if content.startswith(mark):
            return content[2:].decode(encoding)
    return content.removeprefix(b"\xef\xbb\xbf").decode()


def before_dashes(line: str, *, around: str = "") -> str | None:
    """What stands before at least three dashes at the end of a line; None where none are there.

    Args:
        line: All of it, or its end.
        around: Other characters that may follow the dashes; empty for any that are neither letters,
            digits, blanks nor dashes.
    """
    end = line.rstrip()
    if around:
        end = end.removesuffix(around).rstrip()
    else:
        while end and not (end[-1].isalnum() or end[-1] in "_-" or end[-1].isspace()):
            end = end[:-1]
        end = end.rstrip()
    bare = end.rstrip("-")
    return bare.strip() if len(end) - len(bare) >= _DASHES else None


def named(words: str) -> Named:
    """A path as a header spells it: plain, in backquotes or bold, or as a JSON string."""
    is_base64, mode, is_open = False, None, False
    rest = words.strip()
    while found := _ATTRIBUTE.fullmatch(rest, max(0, rest.rfind("("))):
        rest = rest[: found.start()].rstrip()
        word = found[1].lower()
        if word.startswith("content"):
            is_base64 = True
        elif word.startswith("mode"):
            mode = int(word.partition(":")[2], 8)
        else:
            is_open = True
    for _ in range(_DECORATIONS):
        bare = _DECORATION.match(rest)
        rest = bare[2] if bare else rest
    return Named(unquoted(rest), is_base64, mode, is_open)


def unquoted(words: str) -> str:
    """What a JSON string says; anything else as it is."""
    if len(words) > 1 and words.startswith('"') and words.endswith('"'):
        try:
            return str(json.loads(words))
        except ValueError:
            return words
    return words


def quoted(path: str) -> str:
    """A path as ``named`` reads it back."""
    is_plain = named(path) == Named(path) and path == path.strip() and "---" not in path
    return path if is_plain and " -> " not in path else json.dumps(path, ensure_ascii=False)


def without_returns(lines: Sequence[str]) -> list[str]:
    """Lines of a bundle whose ends are mixed."""
    return [line.removesuffix("\r") for line in lines]


def next_shown(lines: Sequence[str], number: int) -> int:
    """The first line from a number on with anything to be seen; the number of lines where none has."""
    while number < len(lines) and not lines[number].strip():
        number += 1
    return number


def is_blank(line: str) -> bool:
    """Whether nothing can be seen."""
    return not line.strip()
