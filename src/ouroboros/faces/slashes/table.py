"""The commands of a conversation by name, and what each of them is given."""

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from msgspec import Struct

from ouroboros.core.commands import Effort, Mode
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.faces.slashes.control import Control, Web
from ouroboros.faces.wording.face import Face, Notice
from ouroboros.faces.wording.words import one_line

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.ouroboros import Session


class Seat(Struct, kw_only=True):
    """What a command may use.

    Attributes:
        next: The session to go on with after this one, if the command leaves; ``NEW`` for one that
            begins.
        memory: What commands of this chat note for later ones.
        stop_key: What stops a run here.
        web: The page that this face can serve beside itself.
    """

    session: "Session"
    face: Face
    loaded: "Loaded"
    cwd: Path
    next: str = ""
    memory: dict[str, str] = {}
    environment: Mapping[str, str] = {}
    stop_key: str = "Ctrl-C"
    web: Web | None = None

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


NEW = "new"
"""Goes on with a session that there was not before."""

MODES = ", ".join(get_args(Mode.__value__))
EFFORTS = ", ".join(get_args(Effort.__value__))
_DIGITS = 15
_HERE = "ouroboros.faces.slashes"

SLASHES = {
    "help": Slash(
        "/help [COMMAND]", "this list, or more of one of them", f"{_HERE}.session:show_help"
    ),
    "mode": Slash(
        "/mode [NAME]",
        f"how much is asked: {MODES}; Shift-Tab: the next of the first three",
        f"{_HERE}.asking:mode",
    ),
    "model": Slash(
        "/model [PROVIDER/NAME]", "the model for what comes next", f"{_HERE}.asking:model"
    ),
    "effort": Slash("/effort [LEVEL]", f"how much it reasons: {EFFORTS}", f"{_HERE}.asking:effort"),
    "tier": Slash(
        "/tier [NAME]",
        "the provider's service tier, such as flex; 'default' leaves it out",
        f"{_HERE}.asking:tier",
    ),
    "permissions": Slash(
        "/permissions", "what is done unasked, asked, or never done", f"{_HERE}.asking:permissions"
    ),
    "compact": Slash(
        "/compact [FOCUS]", "summarise the conversation now", f"{_HERE}.session:compact", waits=True
    ),
    "diff": Slash("/diff", "what the latest turn changed", f"{_HERE}.session:diff"),
    "cost": Slash("/cost", "what this session has used", f"{_HERE}.session:cost"),
    "sessions": Slash(
        "/sessions", "the latest sessions of this folder", f"{_HERE}.session:list_sessions"
    ),
    "resume": Slash(
        "/resume [SESSION]", "go on with another session", f"{_HERE}.session:resume", waits=True
    ),
    "clear": Slash(
        "/clear",
        "begin anew in this folder; this session is kept",
        f"{_HERE}.session:clear",
        waits=True,
    ),
    "quit": Slash("/quit", "leave; the session is kept", f"{_HERE}.session:leave"),
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
    "!": Slash(
        "! COMMAND", "run it yourself, and tell the model what came out", f"{_HERE}.own:shell"
    ),
    "agent": Slash(
        "/agent [NAME GOAL]",
        "those that are there; have one do it in a work session of its own, which asks here",
        f"{_HERE}.agents:agent",
        waits=True,
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


ON_SCREEN = {
    "web": Slash(
        "/web [open|stop]",
        "these sessions in a page of your browser too; stop closes it",
        f"{_HERE}.web:web",
    ),
}
"""Those of the full screen alone."""

_ALSO = {"?": "help", "exit": "quit", "new": "clear", "title": "rename"}


def slash_named(name: str) -> Slash | None:
    """The command of this name, or of another name that it also has; one of the full screen too."""
    name = _ALSO.get(name, name)
    return SLASHES.get(name) or ON_SCREEN.get(name)


def canonical(line: str) -> str:
    """The name of the command that a line begins with; empty where it is none."""
    name = line[1:].split(None, 1)[0] if line.startswith("/") and line[1:].strip() else ""
    name = _ALSO.get(name, name)
    return name if name in SLASHES or name in ON_SCREEN else ""


def split(line: str) -> tuple[str, str]:
    """The name of the command in a line that begins with a slash, ``!`` or ``# ``, and the rest."""
    if line.startswith("!"):
        line = f"! {line[1:]}"
    name, _, rest = line.removeprefix("/").strip().partition(" ")
    return one_line(name), rest.strip()


async def heard(seat: Seat, line: str, *, running: bool) -> Control:
    """Does what a line says that begins with a slash, ``!`` or ``# ``; a mistake is shown, no more."""
    name, rest = split(line)
    try:
        return await carry_out(seat, name, rest, running=running)
    except OuroborosError as problem:
        text = f"error: {problem.message}"
        seat.face.tell(Notice(text=text, level="error", hint=problem.hint))
        return "stay"


async def carry_out(seat: Seat, name: str, rest: str, *, running: bool) -> Control:
    """Does what the line says.

    Raises:
        Misuse: There is no such command, or it does not fit the moment.
    """
    slash = slash_named(name)
    if slash is None:
        raise Misuse(f"there is no command /{name[:40]}", hint="/help lists them")
    if slash.waits and running:
        raise Misuse(f"/{name} has to wait until the turn ends", hint=f"{seat.stop_key} stops it")
    module, _, function = slash.function.partition(":")
    known: object = getattr(import_module(module), function)
    return await cast("Callable[[Seat, str], Awaitable[Control]]", known)(seat, rest)


def number(text: str) -> int | None:
    """A whole number as a person types it; None where it is none, or longer than anyone means."""
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= _DIGITS else None
