"""`@@ PAWS_CMD ... @@` lines: changes by line number, deletions, and what a model asks for. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.workspace.artifacts.dogs.change import Command, Delete, Numbered, Request
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken
from ouroboros.workspace.artifacts.fenced import closing, fence_of, unwrapped

_LINE = re.compile(r"@@\s*PAWS_CMD\b:?", re.IGNORECASE)
_LONGEST = 4_000
_CALL = re.compile(r"^(\w+)\s*\((.*)\)$", re.DOTALL)
_NUMBERS = re.compile(r"^\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?$")
_WORDS = re.compile(
    r'(?:(\w+)\s*[=:]\s*)?(?:"((?:\\.|[^"\\])*)"|\'((?:\\.|[^\'\\])*)\'|([^,"\']+))\s*(?:,|$)'
)
_ORDER = {
    "REQUEST_CONTEXT": ("path", "reason", "suggested_command"),
    "EXECUTE_AND_REINVOKE": ("command_to_run", "reason"),
}

type Commanded = Numbered | Delete | Request


class Call(NamedTuple):
    """One command: its name in capitals, what stands in brackets, and its line in the bundle."""

    name: str
    words: str
    line: int


def call_of(text: str, line: int) -> Call | None:
    """The command that a line is; None for any other line.

    Raises:
        BlockBroken: It begins and ends like one.
    """
    words = command_words(text)
    if words is None:
        return None
    call = _CALL.match(words) if len(words) <= _LONGEST else None
    if call is None:
        raise BlockBroken(f"{words[:80]!r} is no command", line=line)
    return Call(call[1].upper(), call[2], line)


def is_open(lines: Sequence[str]) -> bool:
    """Whether the first line with anything on it begins a command and does not end it."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return _LINE.match(first) is not None and not first.endswith("@@")


def command_words(text: str) -> str | None:
    """What stands between the signs of a command line; None for any other line."""
    bare = text.strip()
    if not (bare.startswith("@@") and bare.endswith("@@")):
        return None
    found = _LINE.match(bare)
    return bare[found.end() : -2].strip() if found else None


def is_first(lines: Sequence[str]) -> bool:
    """Whether the first line with anything on it is a command."""
    return command_words(next((line for line in lines if line.strip()), "")) is not None


def commanded(lines: Sequence[str], first: int, path: str, block: int) -> Commanded:
    """What a block of commands says.

    Args:
        lines: Those of the block.
        first: The number of its first line, from 1.
        path: Of the block.
        block: Its number.

    Raises:
        BlockBroken: A command is unknown, wrong, out of order, or has content that is not its own.
    """
    wrapped = unwrapped(lines)
    if wrapped is not None and is_first(lines[wrapped[1] : wrapped[2]]):
        lines, first = lines[wrapped[1] : wrapped[2]], first + wrapped[1]
    pieces = _pieces(lines, first)
    names = [call.name for call, _ in pieces]
    if len(pieces) > 1 and any(name == "DELETE_FILE" or name in _ORDER for name in names):
        raise BlockBroken("it stands beside other commands in one block", line=pieces[1][0].line)
    call, content = pieces[0]
    if call.name in _ORDER:
        return _request(call, path, block)
    if call.name == "DELETE_FILE":
        if call.words.strip() or content:
            raise BlockBroken("DELETE_FILE() takes nothing", line=call.line)
        return Delete(block=block, line=call.line, path=path)
    commands = tuple(_command(call, content) for call, content in pieces)
    check_order(commands)
    return Numbered(block=block, line=call.line, path=path, commands=commands)


def check_order(commands: Sequence[Command]) -> None:
    """Raises ``BlockBroken`` where one does not stand behind the one before it."""
    last = 0
    for command in commands:
        if command.first - 1 < last:
            raise BlockBroken(
                f"{command.name} is out of order, or overlaps with the command before it",
                line=command.line,
            )
        last = max(command.last, command.first - 1)


def _pieces(lines: Sequence[str], first: int) -> list[tuple[Call, list[str]]]:
    """Each command with the lines below it, without a fence or blank lines around them."""
    found: list[tuple[Call, list[str]]] = []
    fenced_to, is_spent = -1, False
    for at, line in enumerate(lines):
        number = first + at
        fence = fence_of(line.lstrip()) if found and at > fenced_to else None
        if fence is not None and not is_spent:
            end = closing(lines, at + 1, fence)
            is_spent = end is None
            fenced_to = at if end is None else end
            _check_fence(lines[at : fenced_to + 1], found[-1][1], number)
        call = None if at <= fenced_to else call_of(line, number)
        if call is not None:
            found.append((call, []))
        elif found:
            found[-1][1].append(line.removesuffix("\r"))
        elif line.strip():
            raise BlockBroken("text stands before the first command", line=number)
    return [(call, _bare(content)) for call, content in found]


def _check_fence(lines: Sequence[str], content: Sequence[str], number: int) -> None:
    """Raises ``BlockBroken`` where a command stands in a fence that is a part of what a command puts in.

    Such a fence may as well begin with one command's lines and end with those of another.
    """
    if not any(line.strip() for line in content):
        return
    for at, line in enumerate(lines):
        if command_words(line) is not None:
            why = "a command stands in a fence within the text of another; a fence around all of that text would tell"
            raise BlockBroken(why, line=number + at)


def _bare(content: list[str]) -> list[str]:
    """Without blank lines around text; a fence keeps all that is in it."""
    wrapped = unwrapped(content)
    if wrapped is not None:
        return content[wrapped[1] : wrapped[2]]
    shown = [number for number, line in enumerate(content) if line.strip()]
    return content[shown[0] : shown[-1] + 1] if shown else content


def _command(call: Call, content: list[str]) -> Command:
    numbers = _NUMBERS.match(call.words)
    one, two = (int(numbers[1]), numbers[2]) if numbers else (0, None)
    lines = tuple(content)
    if call.name == "INSERT_AFTER_LINE" and numbers and two is None:
        return Command(first=one + 1, last=one, lines=lines, line=call.line, name=_said(call))
    if call.name not in {"REPLACE_LINES", "DELETE_LINES"}:
        known = "REPLACE_LINES, INSERT_AFTER_LINE, DELETE_LINES and DELETE_FILE"
        if call.name != "INSERT_AFTER_LINE":
            raise BlockBroken(f"{call.name[:40]!r} is no command; {known} are", line=call.line)
    if not numbers or two is None:
        raise BlockBroken(f"{_said(call)} does not name its lines by number", line=call.line)
    end = int(two)
    if one < 1 or end < one:
        raise BlockBroken(f"{_said(call)} names no lines: the first is 1", line=call.line)
    if call.name == "DELETE_LINES":
        if any(line.strip() for line in lines):
            raise BlockBroken(f"text follows {_said(call)}, which takes none", line=call.line)
        lines = ()
    return Command(first=one, last=end, lines=lines, line=call.line, name=_said(call))


def _said(call: Call) -> str:
    return f"{call.name}({call.words.strip()[:40]})"


def _request(call: Call, path: str, block: int) -> Request:
    words: dict[str, str] = {}
    order = _ORDER[call.name]
    for number, found in enumerate(_WORDS.finditer(call.words)):
        text = next((each for each in found.groups()[1:] if each is not None), "")
        name = (found[1] or (order[number] if number < len(order) else "")).lower()
        words.setdefault(name, re.sub(r"\\(.)", r"\1", text).strip())
    if call.name == "REQUEST_CONTEXT":
        return Request(
            kind="context",
            block=block,
            line=call.line,
            path=words.get("path", ""),
            reason=words.get("reason", ""),
            command=words.get("suggested_command", ""),
        )
    if not words.get("command_to_run"):
        raise BlockBroken("EXECUTE_AND_REINVOKE names no command_to_run", line=call.line)
    return Request(
        kind="command",
        block=block,
        line=call.line,
        path=path,
        reason=words.get("reason", ""),
        command=words["command_to_run"],
    )
