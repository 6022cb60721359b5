"""A run of the REPL mind for people: iterations, tabs, actions and what came out, a line each.

It stands before another face and turns what only programs need to see into short lines; questions,
notices and endings go on to that face as they are.
"""

import re

import msgspec
from msgspec import Struct

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ModelDelta,
    PermissionAnswered,
    PermissionRequested,
    TaskCancelled,
    TaskCompleted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.browser import TabActivated, TabClosed, TabUpdated
from ouroboros.core.events.code import CodeGenerated, CodeResulted, IterationStarted, Logged
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.parts import Text
from ouroboros.core.state import State
from ouroboros.faces.wording.face import Ending, Face, Level, Notice
from ouroboros.faces.wording.words import count, money, one_line

_ACTIONS = 8
_WORDS = 120
_ADDRESS = 60
_BLOCK = re.compile(
    r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_SIZED = frozenset({"array", "object", "string"})


class Bounds(Struct, frozen=True, kw_only=True):
    """How many iterations the run and each of its children may take."""

    iterations: int
    child: int


class Steps:
    """Shows the steps of a run through ``face``."""

    def __init__(self, face: Face, state: State, bounds: Bounds) -> None:
        """``state`` is the session's and only read."""
        self._face = face
        self._state = state
        self._bounds = bounds
        self._tab = ""
        self._addresses: dict[str, str] = {}
        self._children: dict[str, str] = {}
        self._actions = 0
        self._asks_for_place = False

    def begin(self) -> None:
        """A run starts."""
        self._face.begin()

    def rest(self) -> None:
        """Nothing runs any more."""
        self._face.rest()

    def tell(self, told: Notice) -> None:
        """Says something that is no event."""
        self._face.tell(told)

    def take(self, envelope: Envelope) -> None:
        """Takes in one event: as a line of its own, not at all, or as the face below shows it."""
        event = envelope.data
        match event:
            case ModelDelta(kind="reasoning"):
                self._face.take(envelope)
            case ModelDelta() | AgentMessage() | ToolProgress():
                pass
            case ToolStarted() | ToolResulted():
                self._call(event)
            case TabUpdated() | TabActivated() | TabClosed():
                self._move(event)
            case PermissionRequested():
                self._asks_for_place = event.grant.startswith("browser(")
                self._face.take(envelope)
            case PermissionAnswered(decider="nobody"):
                self._face.tell(self._unanswered())
            case TaskCompleted() | TaskCancelled():
                self._close()
                self._face.take(envelope)
            case _:
                if not self._step(event):
                    self._face.take(envelope)

    def finish(self, ending: Ending, session: str) -> None:
        """Shows how the run ended."""
        self._close()
        self._face.finish(ending, session)

    def _step(self, event: Event) -> bool:
        match event:
            case IterationStarted():
                self._iteration(event)
            case CodeGenerated():
                pass
            case Logged(level="info", text=text):
                self._line(text, depth=1)
            case CodeResulted():
                self._result(event)
            case SubagentStarted():
                self._child(event)
            case SubagentCompleted(child=child, reason=reason):
                if child in self._children and reason not in {"completed", ""}:
                    self._line(f"{self._children[child]} ended: {reason}", depth=1, level="warning")
            case _:
                return False
        return True

    def _iteration(self, event: IterationStarted) -> None:
        self._close()
        if event.child:
            name = self._children.get(event.child, "child")
            text = f"{name}: iteration {event.iteration}/{self._bounds.child}"
            self._line(text, depth=1)
            return
        bound = self._bounds.iterations
        number = event.iteration - self._state.iterated
        facts = ["Best answer" if number > bound else f"Iteration {number}/{bound}"]
        if self._tab in self._addresses:
            facts.append(f"{self._tab} {self._addresses[self._tab]}")
        spent = self._state.spent
        if spent.tokens:
            facts.append(count(spent.tokens, "token"))
            facts += [money(spent.cost)] if spent.cost else []
        self._line(", ".join(facts))

    def _call(self, event: ToolStarted | ToolResulted) -> None:
        """Calls that code makes; those of the model are its blocks, told by their results."""
        if not event.within:
            return
        match event:
            case ToolStarted(title=title, name=name):
                self._action(title or name)
            case ToolResulted(status="done", title=title):
                self._action(title)
            case ToolResulted():
                said = "".join(part.text for part in event.parts if isinstance(part, Text))
                why = f": {said}" if said not in {"", event.status} else ""
                words = f"{event.title or event.name} {event.status}{why}"
                self._line(words, depth=1, level="warning")

    def _action(self, words: str) -> None:
        if not words:
            return
        self._actions += 1
        if self._actions <= _ACTIONS:
            self._line(words, depth=1)

    def _result(self, event: CodeResulted) -> None:
        self._close()
        depth = 2 if event.child else 1
        level: Level = "info" if event.ok else "warning"
        self._line(
            f"{'=' if event.ok else '!'} {summary(event.metadata)}", depth=depth, level=level
        )

    def _child(self, event: SubagentStarted) -> None:
        task = one_line(event.task, _WORDS)
        if event.kind != "run":
            self._action(f"asks about {count(event.tokens, 'token')}: {task}")
            return
        self._children[event.child] = f"child {len(self._children) + 1}"
        self._line(f"{self._children[event.child]}: {task}", depth=1)

    def _move(self, event: TabUpdated | TabActivated | TabClosed) -> None:
        match event:
            case TabUpdated(tab=tab, url=url):
                self._addresses[tab] = one_line(url, _ADDRESS)
                self._tab = self._tab or tab
            case TabActivated(tab=tab):
                self._tab = tab
            case TabClosed(tab=tab):
                self._addresses.pop(tab, None)

    def _unanswered(self) -> Notice:
        """Nobody was there to ask; what would have helped differs with what was asked."""
        place, rest = "name the place with --allow-domain", "choose --mode full-auto"
        return Notice(
            text="Denied: nobody is here to answer",
            level="warning",
            hint=f"run it on a terminal, or {place if self._asks_for_place else rest}",
        )

    def _close(self) -> None:
        """Says how many actions had no line of their own."""
        if self._actions > _ACTIONS:
            self._line(f"… {self._actions - _ACTIONS:,} more", depth=1)
        self._actions = 0

    def _line(self, text: str, *, depth: int = 0, level: Level = "info") -> None:
        self._face.tell(Notice(text="  " * depth + one_line(text, _WORDS), level=level))


def beside_code(reply: str) -> str:
    """The first words of a reply outside its blocks of code, on one line."""
    return one_line(_BLOCK.sub("\n", reply), _WORDS).strip()


def summary(metadata: str) -> str:
    """The first words of what came of a block, which is JSON text or plain."""
    try:
        read: object = msgspec.json.decode(metadata)
    except msgspec.DecodeError:
        read = None
    if not isinstance(read, dict):
        first = next((line for line in metadata.splitlines() if line.strip()), "done")
        return one_line(first, _WORDS)
    known = msgspec.convert(read, dict[str, object])
    if known.get("error"):
        return one_line(str(known["error"]), _WORDS)
    if known.get("stopped"):
        return one_line(f"stopped: {known['stopped']}", _WORDS)
    if "final" in known:
        return "the final value is set"
    facts = [str(known.get("type", ""))]
    size = known.get("size")
    facts += [f"of {size:,}"] if isinstance(size, int) and known.get("type") in _SIZED else []
    facts += [str(known["schema"])] if known.get("schema") else []
    return one_line(" ".join(filter(None, facts)) or metadata, _WORDS)
