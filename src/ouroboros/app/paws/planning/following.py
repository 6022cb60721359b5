"""Holds a run to a plan: what it does besides is told at once, what it leaves out at the end."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from ouroboros.app.paws.planning.document import Followed
from ouroboros.core.events import Envelope
from ouroboros.core.events.call import ToolResulted, ToolStarted
from ouroboros.safety.commands.classify import classify
from ouroboros.safety.paths import Places
from ouroboros.workspace.artifacts.dogs import Change, Rename
from ouroboros.workspace.artifacts.dogs.reading import read

_WORDS = """{goal}

Follow this plan. It was rehearsed on a copy of the files as they were then: what to change is under
Changes, commands marked "not run" are to be run now, and so is every check that it names. What it only
read you need not read again. Words quoted under Persona hold for you, too. Where something is otherwise
than the plan has it, say so in a line, and do what reaches the goal.

<plan>
{text}
</plan>"""

_WRITING = frozenset({"write", "edit", "multi_edit", "apply_patch", "dogs"})
_COMMANDS = frozenset({"shell", "exec_command"})
_BESIDES = "not in the plan: run "
_COMMAND_CHARACTERS = 200
_NAMED = re.compile(
    r"(?mi)^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ b/"
    r"|-{3,} (?:New |Delete )?File: )(.+?)(?: -{3,})?[ \t]*$"
)


def task_of(plan: Followed, words: str = "") -> str:
    """What a run is told: the goal, or other words, and the plan."""
    return _WORDS.format(goal=words.strip() or plan.goal, text=plan.text)


def departures(plan: Followed, bundle: bytes, commands: Iterable[str] = ()) -> list[str]:
    """Where a bundle of changes departs from a plan, by its files; then what is said of commands.

    Raises:
        Refused: The bundle cannot be read.
    """
    planned = dict.fromkeys(
        path for step in plan.steps if step.status == "planned" for path in step.paths
    )
    changes = read(bundle).changes if bundle else ()
    names = (each for change in changes for each in _names_of(change))
    done = dict.fromkeys(names)
    return (
        [f"not in the plan: change {path}" for path in done if path not in planned]
        + [f"planned, not done: change {path}" for path in planned if path not in done]
        + list(commands)
    )


def _names_of(change: Change) -> tuple[str, ...]:
    return (change.path, change.to) if isinstance(change, Rename) else (change.path,)


class Following:
    """Compares the calls of a session with the steps of a plan, as they happen."""

    def __init__(
        self, plan: Followed, root: Path, places: Places, tell: Callable[[str], None]
    ) -> None:
        """``tell`` hears each departure once; ``places`` are those that commands are judged by."""
        self._root, self._places, self._tell = root, places, tell
        self._files = dict.fromkeys(
            path for step in plan.steps if step.status == "planned" for path in step.paths
        )
        self._commands = dict.fromkeys(
            _plain(step.command) for step in plan.steps if step.command and step.status == "not run"
        )
        self._known = {_plain(step.command) for step in plan.steps if step.command}
        self._started: dict[str, ToolStarted] = {}
        self._done: set[str] = set()
        self._told: dict[str, None] = {}

    def hear(self, envelope: Envelope) -> None:
        """Takes in what happened; blocks for no longer than judging a command takes."""
        match envelope.data:
            case ToolStarted() as started:
                self._started[started.call_id] = started
            case ToolResulted(call_id=call_id, status="done" | "failed"):
                started = self._started.pop(call_id, None)
                if started is not None:
                    self._judge(started)
            case _:
                pass

    def missing(self) -> list[str]:
        """What was planned and not done."""
        left = [path for path in self._files if path not in self._done]
        return [f"planned, not done: change {path}" for path in left] + self._left_out()

    def commands(self) -> tuple[str, ...]:
        """Those that were run and are not in the plan, and those of the plan that were not."""
        besides = (text for text in self._told if text.startswith(_BESIDES))
        return (*besides, *self._left_out())

    def _left_out(self) -> list[str]:
        left = [text for text in self._commands if text not in self._done]
        return [f"planned, not done: run {_short(command)}" for command in left]

    @property
    def departures(self) -> int:
        """How much was done that is not in the plan."""
        return len(self._told)

    def _judge(self, started: ToolStarted) -> None:
        arguments = _decoded(started.arguments)
        if started.name in _COMMANDS:
            self._judge_command(_plain(str(arguments.get("command", arguments.get("cmd", "")))))
        elif started.name in _WRITING:
            for path in _paths(arguments):
                self._judge_path(self._relative(path))

    def _judge_path(self, path: str) -> None:
        self._done.add(path)
        if path not in self._files:
            self._depart(f"not in the plan: change {path}")

    def _judge_command(self, command: str) -> None:
        self._done.add(command)
        if command in self._known:
            return
        verdict = classify(command, cwd=self._root, places=self._places)
        if verdict.kind != "safe":
            self._depart(f"{_BESIDES}{_short(command)}")

    def _depart(self, text: str) -> None:
        if text not in self._told:
            self._told[text] = None
            self._tell(text)

    def _relative(self, name: str) -> str:
        path = Path(name)
        if path.is_absolute() and path.is_relative_to(self._root):
            path = path.relative_to(self._root)
        return path.as_posix()


def _plain(command: str) -> str:
    return " ".join(command.split())


def _paths(arguments: dict[str, object]) -> list[str]:
    if isinstance(path := arguments.get("path"), str):
        return [path]
    texts = (arguments.get(name) for name in ("input", "patch", "bundle"))
    return [name for text in texts if isinstance(text, str) for name in _NAMED.findall(text)]


def _decoded(arguments: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(arguments or "{}", type=dict[str, object])
    except msgspec.DecodeError:
        return {"input": arguments}


def places_of(root: Path, home: Path, environment: Mapping[str, str]) -> Places:
    """The places that commands of a session there are judged by; blocking."""
    person = Path(environment.get("HOME", "/"))
    return Places(roots=(root,), home=home, person=person).resolved()


def _short(command: str) -> str:
    most = _COMMAND_CHARACTERS
    return command if len(command) <= most else f"{command[: most - 1]}…"
