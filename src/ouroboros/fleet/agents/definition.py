"""What a file ``*.agent.md`` says: a head, and the words of the agent under it; pure."""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ouroboros.workspace.artifacts.faults import Malformed
from ouroboros.workspace.artifacts.frontmatter import Head, Reader, supported

SUFFIX = ".agent.md"
MOST_BYTES = 1_000_000
NAME = r"[a-z0-9][a-z0-9_-]{0,63}"

type Word = Annotated[str, Meta(min_length=1, max_length=200)]
type Line = Annotated[str, Meta(max_length=2_000)]

_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_UNKNOWN = re.compile(r"unknown field `(.*)`$")


class Engine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How it thinks; what is left out is as the person's settings have it."""

    model: Line = ""
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    max_turns: Annotated[int, Meta(ge=1, le=100_000)] | None = None


class Tool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool it has; of commands, regular expressions say which are done unasked and which never."""

    name: Word
    allowed_commands: tuple[Word, ...] = ()
    denied_commands: tuple[Word, ...] = ()


class Definition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One agent.

    Attributes:
        version: The author's own number of it.
        schema_version: The form of this file.
        tools: None for all that the settings leave.
        packages: Python packages that its work needs; nothing is installed without a yes.
        system_prompt: Its words, from below the head.
    """

    name: Annotated[str, Meta(pattern=f"^{NAME}$")]
    description: Line = ""
    version: Word = "1.0"
    author: Line = ""
    schema_version: str = "1.0"
    engine: Engine = Engine()
    tools: tuple[Tool, ...] | None = None
    packages: tuple[Word, ...] = ()
    system_prompt: str = ""


def read(data: bytes, source: str = "") -> Definition:
    """The agent that a file defines.

    Raises:
        Malformed: It defines none; the words say what is wrong and in which line.
    """
    try:
        return _read(data)
    except Malformed as refused:
        raise refused.of(source) from None


def _read(data: bytes) -> Definition:
    if len(data) > MOST_BYTES:
        raise Malformed(f"it has more than {MOST_BYTES:,} bytes")
    try:
        lines = data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as odd:
        line = data.count(b"\n", 0, odd.start) + 1
        raise Malformed("it is no UTF-8 text", line=line) from None
    if lines[0].rstrip() != "---":
        raise Malformed("it begins with no head between lines of '---'", line=1, hint=_EXAMPLE)
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        raise Malformed("its head is not closed by a line of '---'", line=1)
    reader = Reader(lines[1:end], 2)
    head = reader.read()
    supported(head.get("schema_version", "1.0"), line=reader.line("schema_version"))
    words = "\n".join(lines[end + 1 :]).strip()
    if not words:
        raise Malformed("it says nothing below its head", line=end + 1, hint=_WORDS)
    return _converted(head, reader, words)


def _converted(head: Head, reader: Reader, words: str) -> Definition:
    numbers = {key: str(head[key]) for key in ("version", "schema_version") if key in head}
    try:
        defined = msgspec.convert({**head, **numbers, "system_prompt": words}, Definition)
    except msgspec.ValidationError as wrong:
        said = str(wrong)
        found = _PLACE.search(said)
        place, why = (found[1] if found else ""), _PLACE.sub("", said)
        odd = _UNKNOWN.search(why)
        inner = f"{place}.{odd[1]}".lstrip(".") if odd else place
        where = f"{place}: " if place else ""
        raise Malformed(f"{where}{_lower(why)}", line=reader.line(inner)) from None
    if "system_prompt" in head:
        raise Malformed(
            "the words of an agent stand below its head", line=reader.line("system_prompt")
        )
    for at, tool in enumerate(defined.tools or ()):
        for kind in ("allowed_commands", "denied_commands"):
            for number, written in enumerate(getattr(tool, kind)):
                _check(written, reader.line(f"tools[{at}].{kind}[{number}]"))
    return defined


def _check(expression: str, line: int) -> None:
    try:
        re.compile(expression)
    except re.error as odd:
        raise Malformed(f"{expression!r} is no regular expression: {odd}", line=line) from None


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


_EXAMPLE = "begin it with the lines ---, name: fixer, --- and then its instructions"
_WORDS = "write what the agent is to know and to do; it is its system prompt"
