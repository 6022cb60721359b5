"""The tool calls and kept files of a session as records, for asking after a run what was done."""

from collections.abc import Iterable

from msgspec import Struct

from ouroboros.core.events import CallStatus, Envelope, ToolResulted, ToolStarted
from ouroboros.core.events.browser import ArtifactKept
from ouroboros.core.parts import Text


class Execution(Struct, frozen=True, kw_only=True):
    """One tool call; ``status`` is None while, or because, there is no result.

    Attributes:
        arguments: JSON text as the model wrote it.
        result: The text the model read.
        blob: Name of the blob with the whole output when the text was cut.
    """

    id: str
    session: str
    started: float
    tool: str
    arguments: str
    status: CallStatus | None = None
    result: str = ""
    seconds: float = 0.0
    blob: str = ""


def executions(envelopes: Iterable[Envelope]) -> tuple[Execution, ...]:
    """Every call among these events of one session, in the order they were started."""
    found: dict[str, Execution] = {}
    for envelope in envelopes:
        match envelope.data:
            case ToolStarted(call_id=call, name=name, arguments=arguments):
                found[call] = Execution(
                    id=call,
                    session=envelope.session,
                    started=envelope.ts,
                    tool=name,
                    arguments=arguments,
                )
            case ToolResulted(call_id=call) as event:
                found[call] = _ended(found.get(call), envelope, event)
            case _:
                pass
    return tuple(found.values())


def artifacts(envelopes: Iterable[Envelope]) -> tuple[ArtifactKept, ...]:
    """Every file that was kept with the session these events are of, oldest first."""
    found = (envelope.data for envelope in envelopes)
    return tuple(event for event in found if isinstance(event, ArtifactKept))


def _ended(begun: Execution | None, envelope: Envelope, event: ToolResulted) -> Execution:
    """A call refused before it was taken up has a result and no start."""
    return Execution(
        id=event.call_id,
        session=envelope.session,
        started=begun.started if begun else envelope.ts,
        tool=event.name,
        arguments=begun.arguments if begun else "",
        status=event.status,
        result="".join(part.text for part in event.parts if isinstance(part, Text)),
        seconds=event.seconds,
        blob=event.blob,
    )
