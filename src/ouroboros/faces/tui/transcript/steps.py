"""Iterations of the mind that writes code, what its code does, and the runs that runs start."""

from ouroboros.core.events import Event, ToolResulted, ToolStarted
from ouroboros.core.events.browser import ArtifactKept, TabUpdated
from ouroboros.core.events.code import CodeGenerated, CodeResulted, IterationStarted, Logged
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.parts import Text
from ouroboros.faces.tui.transcript.blocks import (
    Call,
    Child,
    Children,
    Code,
    Iteration,
    Picture,
    Told,
)
from ouroboros.faces.tui.transcript.page import Page
from ouroboros.faces.wording.steps import beside_code
from ouroboros.faces.wording.words import one_line

_DEEDS = 200
_LIVE = 8_000
_REPL = "repl"
_NOWHERE = frozenset({"", "about:blank"})


class Steps:
    """Keeps the cards of iterations and of children."""

    def __init__(self, page: Page, calls: dict[str, Call]) -> None:
        """``calls`` are those that run, by id."""
        self._page, self._calls = page, calls
        self._now: dict[str, Iteration] = {}
        self._children: Children | None = None

    def begin(self) -> None:
        """A run starts."""
        self._now.clear()
        self._children = None

    def end(self, now: float) -> None:
        """The run is over, and with it whatever was under way."""
        for iteration in self._now.values():
            self._close(iteration, now)
        self._now.clear()
        if self._children is not None:
            for child in self._children.runs.values():
                child.reason = child.reason or "cancelled"
            self._page.touch(self._children)
            self._children = None

    def take(self, event: Event, now: float) -> bool:
        """Takes in an event; False where it is none of these."""
        match event:
            case IterationStarted():
                self._iteration(event, now)
            case CodeGenerated() | CodeResulted():
                self._code(event)
            case SubagentStarted() | SubagentCompleted():
                self._child(event, now)
            case Logged(level="info", text=text) if self._now:
                self._deed("", text)
            case TabUpdated(tab=tab, url=url) if self._now and url not in _NOWHERE:
                self._move(tab, url)
            case TabUpdated():
                pass
            case ArtifactKept(mime=mime, name=name, path=path, bytes=size):
                if mime.startswith("image/"):
                    self._page.add(Picture(name=name, path=path, bytes=size))
                else:
                    said = f"Kept {one_line(name, 120)}: {one_line(path, 300)}"
                    self._page.add(Told(text=said))
            case _:
                return False
        return True

    def write(self, text: str) -> None:
        """The model of the run writes code; an empty text begins."""
        iteration = self._now.get("")
        if iteration is not None:
            iteration.live = (iteration.live + text)[-_LIVE:] if text else ""
            self._page.touch(iteration)

    def say(self, text: str) -> None:
        """The whole reply of the run's model: its words stand beside the number."""
        iteration = self._now.get("")
        if iteration is not None:
            iteration.live, iteration.said = "", beside_code(text)
            self._page.touch(iteration)

    def owns(self, name: str, within: str) -> bool:
        """Whether a call is a line of a card rather than a card."""
        return bool(within) or (name == _REPL and bool(self._now))

    def started(self, event: ToolStarted) -> None:
        """Code began a call."""
        if event.within:
            self._deed(event.within, event.title or event.name)

    def resulted(self, event: ToolResulted) -> None:
        """A call of code ended; one that went well was told when it began."""
        if not event.within:
            return
        if event.status != "done":
            said = "".join(part.text for part in event.parts if isinstance(part, Text))
            why = f": {said}" if said not in {"", event.status} else ""
            self._deed(event.within, f"{event.title or event.name} {event.status}{why}")
        elif event.title:
            self._deed(event.within, event.title)

    def _deed(self, call_id: str, words: str) -> None:
        line = one_line(words)
        call = self._calls.get(call_id)
        card = call if call is not None else self._now.get("")
        if line and card is not None:
            if len(card.deeds) < _DEEDS and card.deeds[-1:] != [line]:
                card.deeds.append(line)
            self._page.touch(card)

    def _move(self, tab: str, url: str) -> None:
        card = self._now.get("")
        if card is None or not any(url in deed for deed in card.deeds):
            self._deed("", f"{tab} {url}")

    def _iteration(self, event: IterationStarted, now: float) -> None:
        before = self._now.get(event.child)
        if before is not None:
            self._close(before, now)
        iteration = Iteration(number=event.iteration, child=event.child, since=now)
        self._now[event.child] = iteration
        if self._children is not None and event.child in self._children.runs:
            self._children.runs[event.child].iteration = event.iteration
            self._page.touch(self._children)
        if not event.child:
            self._page.add(iteration)

    def _close(self, iteration: Iteration, now: float) -> None:
        iteration.is_over, iteration.live = True, ""
        iteration.seconds = max(now - iteration.since, 0.0)
        self._page.touch(iteration)

    def _code(self, event: CodeGenerated | CodeResulted) -> None:
        iteration = self._now.get(event.child)
        if iteration is None:
            return
        match event:
            case CodeGenerated(block=block, code=code):
                iteration.live = ""
                iteration.blocks.append(Code(number=block, code=code))
            case CodeResulted():
                for each in iteration.blocks:
                    if each.number == event.block and each.ok is None:
                        each.ok, each.metadata = event.ok, event.metadata
                        each.seconds = event.seconds
        self._page.touch(iteration)

    def _child(self, event: SubagentStarted | SubagentCompleted, now: float) -> None:
        if isinstance(event, SubagentStarted):
            child = Child(
                id=event.child,
                task=one_line(event.task),
                kind=event.kind,
                parent=event.parent,
                since=now,
            )
            if self._children is None:
                self._children = Children(runs={child.id: child})
                self._page.add(self._children)
                return
            self._children.runs[child.id] = child
            self._page.touch(self._children)
            return
        found = self._children.runs.get(event.child) if self._children is not None else None
        if found is not None and self._children is not None:
            found.reason, found.seconds = event.reason, max(now - found.since, 0.0)
            self._page.touch(self._children)
