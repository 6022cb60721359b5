"""What tools are called on the wire, and back: some vendors take only some names."""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from ouroboros.core.parts import Message, Part, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.stream import BlockStarted, CallReady, Failed, Finished, StreamEvent

TITLES: dict[str, str] = {
    "edit": "Edit",
    "exec_command": "Bash",
    "find": "Glob",
    "grep": "Grep",
    "ls": "LS",
    "multi_edit": "MultiEdit",
    "read": "Read",
    "shell": "Bash",
    "write": "Write",
}
"""Our name to the name that model families trained on title-case tools expect.

Two of ours run commands, of which a model is told of one; where it is told of both, the first has the name.
"""

_TAKEN_EVERYWHERE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_READABLE = 48


class Names:
    """One name for each tool that every vendor takes; the same each time, whatever else there is.

    A name that vendors refuse becomes one that can be read and ends in a digest of the whole.
    """

    def __init__(self, tools: Iterable[str], *, titles: bool = False) -> None:
        """``titles`` gives our own tools their title-case names."""
        own = tuple(dict.fromkeys(tools))
        self._titles = TITLES if titles else {}
        self._wire: dict[str, str] = {}
        self._own: dict[str, str] = {}
        taken = {name for name in own if self._first(name) == name}
        for name in own:
            wire = self._first(name)
            # A tool that has the name by itself keeps it; nobody may answer for another.
            if wire != name and wire in taken:
                wire = name if _is_taken_everywhere(name) else self._other(name, taken)
            taken.add(wire)
            self._wire[name] = wire
            if wire != name:
                self._own[wire] = name

    @property
    def are_ours(self) -> bool:
        """Every tool goes by its own name."""
        return not self._own

    def wire(self, name: str) -> str:
        """What the vendor reads, also for a tool that is no longer there or never was."""
        return self._wire.get(name) or self._first(name)

    def told(self, tool: ToolSpec) -> ToolSpec:
        """The tool by its wire name; the very same one where that is its own."""
        wire = self.wire(tool.name)
        return tool if wire == tool.name else replace(tool, name=wire)

    def own(self, wire: str) -> str:
        """What a model called, by the name we know; our own names stay."""
        return self._own.get(wire, wire)

    def lowered(self, message: Message) -> Message:
        """The message with wire names; the very same one where nothing changes."""
        if all(_name_of(part) == self.wire(_name_of(part)) for part in message.parts):
            return message
        return replace(message, parts=tuple(_renamed(part, self.wire) for part in message.parts))

    def _first(self, name: str) -> str:
        if name in self._titles:
            return self._titles[name]
        return name if not name or _is_taken_everywhere(name) else _readable(name, name)

    def _other(self, name: str, taken: set[str]) -> str:
        salted = name
        while (found := _readable(name, salted)) in taken:
            salted += "\0"
        return found


class NameLifting:
    """Gives the calls of a reply our names back."""

    def __init__(self, names: Names) -> None:
        """``names`` are those the request was made with."""
        self._names = names

    def lift(self, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
        """The same events with our names."""
        return [self._lifted(event) for event in events]

    def _lifted(self, event: StreamEvent) -> StreamEvent:
        own = self._names.own
        match event:
            case BlockStarted(kind="call", name=name) if name:
                return replace(event, name=own(name))
            case CallReady(call=call, parts=parts):
                renamed = replace(call, name=own(call.name))
                return replace(event, call=renamed, parts=self._parts(parts))
            case Finished(parts=parts) | Failed(parts=parts):
                return replace(event, parts=self._parts(parts))
            case _:
                return event

    def _parts(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(_renamed(part, self._names.own) for part in parts)


def _is_taken_everywhere(name: str) -> bool:
    return _TAKEN_EVERYWHERE.fullmatch(name) is not None


def _readable(name: str, digested: str) -> str:
    import hashlib  # only for names that vendors refuse

    readable = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_READABLE]
    digest = hashlib.sha256(digested.encode("utf-8", "replace")).hexdigest()[:10]
    return f"{readable if readable[:1].isalpha() else '_' + readable}_{digest}"


def _name_of(part: Part) -> str:
    return part.name if isinstance(part, ToolCall | ToolResult) else ""


def _renamed(part: Part, rename: Callable[[str], str]) -> Part:
    if isinstance(part, ToolCall | ToolResult):
        name = rename(part.name)
        return part if name == part.name else replace(part, name=name)
    return part
