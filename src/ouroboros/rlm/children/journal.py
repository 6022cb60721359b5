"""A child's record: folded into a state of its own, and kept in the log of the run that started it."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from ouroboros.agent.journal import Journal
from ouroboros.core.clock import Clock
from ouroboros.core.events import (
    AgentMessage,
    CacheHit,
    ContextCompacted,
    Envelope,
    ErrorRaised,
    Event,
    ModelSwitched,
    SettingsChanged,
    TaskCancelled,
    TaskCompleted,
    ToolAttempted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.browser import BrowserChanged
from ouroboros.core.events.code import (
    CodeGenerated,
    CodeResulted,
    EnvironmentUpdated,
    IterationStarted,
    Logged,
)
from ouroboros.core.events.fleet import SubagentReplied
from ouroboros.core.ids import Ids
from ouroboros.core.state import State
from ouroboros.rlm.stream import TOOL

_OWN = (
    TurnStarted,
    UserMessage,
    TaskCompleted,
    TaskCancelled,
    ContextCompacted,
    SettingsChanged,
    CacheHit,
    BrowserChanged,
)


class ChildLog:
    """Takes a child's events and hands on those that concern the run above."""

    def __init__(
        self,
        child: str,
        *,
        record: Callable[[Event], None],
        settle: Callable[[], Awaitable[None]],
    ) -> None:
        """``record`` and ``settle`` are those of the run above."""
        self._child, self._record, self._settle = child, record, settle
        self._show: Callable[[Envelope], None] = lambda _: None
        self._blocks: set[str] = set()
        self.failed: ErrorRaised | None = None

    def append(self, envelope: Envelope) -> None:
        """Puts one event on the record above, if it belongs there."""
        event = envelope.data
        match event:
            case ErrorRaised():
                self.failed = event
            case ToolStarted(call_id=call_id, within=""):
                self._blocks.add(call_id)
            case _:
                pass
        is_block = isinstance(event, ToolAttempted | ToolProgress) and event.call_id in self._blocks
        told = None if is_block else nested(event, self._child)
        if told is not None:
            self._record(told)
        self._show(envelope)

    async def settled(self, seq: int) -> None:
        """Returns when what was handed on is on disk."""
        del seq
        await self._settle()

    def journal(
        self,
        state: State,
        *,
        ids: Ids,
        clock: Clock,
        redact: Callable[[bytes], bytes | None] | None,
    ) -> Journal:
        """A journal that keeps its events here."""
        journal = Journal(state=state, log=self, ids=ids, clock=clock, redact=redact)
        self._show = journal.show
        return journal


def nested(event: Event, child: str) -> Event | None:
    """A child's event as the run above has it; None for what is the child's own."""
    match event:
        case IterationStarted(child="") | CodeGenerated(child="") | CodeResulted(child=""):
            return replace(event, child=child)
        case EnvironmentUpdated(child=""):
            return replace(event, child=child)
        case AgentMessage(usage=usage, cost=cost, message=message, partial=partial):
            if partial and usage is None:
                return None
            model = message.origin.model if message.origin else ""
            return SubagentReplied(child=child, model=model, usage=usage, cost=cost)
        case ErrorRaised(message=text):
            return Logged(level="warning", text=f"{child}: {text}")
        case ModelSwitched(old=old, new=new, reason=reason):
            text = f"{child}: asks {new} in the place of {old}: {reason}"
            return Logged(level="info", text=text)
        case ToolStarted(name=name, within="") | ToolResulted(name=name, within="") if name == TOOL:
            return None
        case _:
            return None if isinstance(event, _OWN) else event
