"""What a session used, by model; blocks on the disk."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from ouroboros.app.past import sessions
from ouroboros.core.events import AgentMessage, ContextCompacted, Event
from ouroboros.core.events.fleet import SubagentReplied
from ouroboros.core.parts import Usage
from ouroboros.core.state import Spent


class Used(Struct, frozen=True, kw_only=True):
    """What one model was used for, or ``summaries``; empty where nobody knows which."""

    model: str
    spent: Spent


def by_model(home: Path, session: str) -> tuple[Used, ...]:
    """What each model of a session used, the dearest first; raises ``SessionUnknown``."""
    return counted(each.data for each in sessions.events(home, session).envelopes)


def counted(events: Iterable[Event]) -> tuple[Used, ...]:
    """The same of events."""
    found: dict[str, Spent] = {}
    for event in events:
        match event:
            case AgentMessage(partial=True, usage=None):
                pass
            case AgentMessage(message=message, usage=usage, cost=cost):
                model = message.origin.model if message.origin else ""
                _add(found, model, usage, cost)
            case SubagentReplied(model=model, usage=usage, cost=cost):
                _add(found, model, usage, cost)
            case ContextCompacted(usage=usage, cost=cost):
                _add(found, "summaries", usage, cost)
            case _:
                pass
    ordered = sorted(found.items(), key=lambda each: (-each[1].known_cost, -each[1].tokens))
    return tuple(Used(model=model, spent=spent) for model, spent in ordered)


def _add(found: dict[str, Spent], model: str, usage: Usage | None, cost: float | None) -> None:
    found.setdefault(model, Spent()).add(usage, cost)
