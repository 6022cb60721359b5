"""The commands of the chat by name, and what each of them is given."""

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.wording.face import Face, Notice

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.ouroboros import Session


class Seat(Struct, kw_only=True):
    """What a command may use.

    Attributes:
        next: The session to go on with after this one, if the command leaves.
        memory: What commands of this chat note for later ones.
    """

    session: "Session"
    face: Face
    loaded: "Loaded"
    cwd: Path
    next: str = ""
    memory: dict[str, str] = {}
    environment: Mapping[str, str] = {}

    def say(self, *lines: str) -> None:
        """Shows lines that are no event."""
        self.face.tell(Notice(text="\n".join(lines)))


class Slash(NamedTuple):
    """A command: how it is written, what it does, and the function ``module:name`` that does it.

    One that ``waits`` is refused while a turn runs.
    """

    usage: str
    meaning: str
    function: str
    waits: bool = False


_DIGITS = 15
_HERE = "ouroboros.faces.slashes"

SLASHES = {
    "tree": Slash(
        "/tree", "every message, and where the conversation stands", f"{_HERE}.branches:tree"
    ),
    "branch": Slash(
        "/branch MESSAGE",
        "go on after that message; /tree numbers them",
        f"{_HERE}.branches:branch",
        waits=True,
    ),
    "rollback": Slash(
        "/rollback [TURNS]",
        "leave the latest turns; files stay as they are",
        f"{_HERE}.branches:rollback",
        waits=True,
    ),
    "fork": Slash(
        "/fork [MESSAGE]",
        "go on in another session that begins like this one",
        f"{_HERE}.branches:fork",
        waits=True,
    ),
    "rename": Slash("/rename TITLE", "call this session so", f"{_HERE}.branches:rename"),
    "context": Slash("/context [--json]", "what fills the context", f"{_HERE}.context:context"),
    "init": Slash(
        "/init [improve]",
        "let the model write AGENTS.md for this project",
        f"{_HERE}.context:init",
        waits=True,
    ),
    "security-review": Slash(
        "/security-review [FOCUS]",
        "have the model look at the changes for ways in",
        f"{_HERE}.prompted:security_review",
        waits=True,
    ),
    "review": Slash(
        "/review [WHAT]",
        "have a change reviewed: uncommitted, base REF, commit SHA, or in words",
        f"{_HERE}.asides:review",
        waits=True,
    ),
    "plan": Slash(
        "/plan [yes [MODE]|no [WHY]|edit CHANGES]",
        "plan only; or answer the plan that waits",
        f"{_HERE}.asides:plan",
    ),
    "queue": Slash(
        "/queue [TEXT|drop N|edit N TEXT]",
        "say something after the run; or see what waits for that",
        f"{_HERE}.asides:queue",
    ),
    "personality": Slash(
        "/personality [NAME]",
        "the manner of speaking: none, friendly, pragmatic",
        f"{_HERE}.asides:personality",
    ),
    "#": Slash("# TEXT", "add a line to your notes", f"{_HERE}.context:note_line"),
    "note": Slash(
        "/note PLACE [TEXT]",
        "the same for project, local or user, and from now on",
        f"{_HERE}.context:note",
    ),
    "repo": Slash(
        "/repo [add SOURCE [REF]|map [TOKENS]]",
        "those that are here; bring one in; tell the model the main symbols",
        f"{_HERE}.repos:repo",
        waits=True,
    ),
    "export": Slash(
        "/export [jsonl|md|html] [FILE]", "write the session out", f"{_HERE}.export:export"
    ),
    "rewind": Slash(
        "/rewind [TURN [files|conversation|both|diff]]",
        "list the turns, or go back to before one; 1 is the latest",
        f"{_HERE}.files:rewind",
        waits=True,
    ),
    "undo": Slash(
        "/undo [TURNS]",
        "take the latest turns back, with what they did to files",
        f"{_HERE}.files:undo",
        waits=True,
    ),
    "redo": Slash(
        "/redo", "have again what was taken back last", f"{_HERE}.files:redo", waits=True
    ),
    "goal": Slash(
        "/goal [TEXT|pause|resume|edit TEXT|budget N|clear]",
        "what to work towards over many turns; alone it shows how that stands",
        f"{_HERE}.goal:goal",
    ),
    "checkpoints": Slash(
        "/checkpoints [restore NAME]",
        "the kept states of the files, or the files of one",
        f"{_HERE}.files:checkpoints",
        waits=True,
    ),
}


async def carry_out(seat: Seat, name: str, rest: str, *, running: bool) -> Control:
    """Does what the line says.

    Raises:
        Misuse: There is no such command, or it does not fit the moment.
    """
    slash = SLASHES.get(name)
    if slash is None:
        raise Misuse(f"there is no command /{name[:40]}", hint="/help lists them")
    if slash.waits and running:
        raise Misuse(f"/{name} has to wait until the turn ends", hint="Ctrl-C stops it")
    module, _, function = slash.function.partition(":")
    known: object = getattr(import_module(module), function)
    return await cast("Callable[[Seat, str], Awaitable[Control]]", known)(seat, rest)


def number(text: str) -> int | None:
    """A whole number as a person types it; None where it is none, or longer than anyone means."""
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= _DIGITS else None
