"""A run for programs: one JSON object at its end, or one event a line."""

import msgspec
from msgspec import Struct

from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope, ErrorRaised, ModelDelta, ToolProgress
from ouroboros.core.state import Spent
from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.faces.wording.face import Ending, Notice
from ouroboros.faces.wording.words import is_unapproved

_encoder = msgspec.json.Encoder()


class Trouble(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong, for a program."""

    kind: str
    message: str
    hint: str = ""
    status: int | None = None


class Report(Struct, frozen=True, kw_only=True):
    """The object of ``--output json``; ``cost`` is null when a price is unknown.

    ``cache_hit_rate`` is null when no vendor said how much came from its cache; ``unapproved`` calls
    were refused because nobody was there to approve them.
    """

    session: str
    reason: str
    final: str
    turns: int
    usage: dict[str, int]
    cost: float | None
    cache_hit_rate: float | None
    exit_code: int
    unapproved: int = 0
    error: Trouble | msgspec.UnsetType = msgspec.UNSET


class ReportFace:
    """Collects the last error and writes one object."""

    def __init__(self, out: Outlet, err: Outlet) -> None:
        """Writes nothing before the end."""
        self._out = out
        self._err = err
        self._error: ErrorRaised | None = None
        self._unapproved = 0

    def begin(self) -> None:
        """A run starts."""
        self._error, self._unapproved = None, 0

    def rest(self) -> None:
        """Nothing runs any more."""

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        if isinstance(envelope.data, ErrorRaised):
            self._error = envelope.data
        self._unapproved += is_unapproved(envelope.data)

    def tell(self, told: Notice) -> None:
        """Says it beside the data."""
        self._err.write(told.text + "\n")

    def finish(self, ending: Ending, session: str) -> None:
        """Writes the object; an error is part of it when the run did not complete."""
        error = self._error
        trouble = (
            Trouble(kind=error.kind, message=error.message, hint=error.hint, status=error.status)
            if error is not None and ending.reason != "completed"
            else msgspec.UNSET
        )
        self._write(
            Report(
                session=session,
                reason=ending.reason,
                final=ending.final,
                turns=ending.turns,
                usage=usage(ending.spent),
                cost=ending.spent.cost,
                cache_hit_rate=_rounded(ending.spent.cache_hit_rate),
                exit_code=ending.exit_code,
                unapproved=self._unapproved,
                error=trouble,
            )
        )

    def _write(self, report: Report) -> None:
        self._out.write(_encoder.encode(report) + b"\n")


class StreamFace:
    """Writes each event as a line; a reader far behind loses deltas, never facts."""

    def __init__(self, out: Outlet, err: Outlet) -> None:
        """Writes nothing yet."""
        self._out = out
        self._err = err
        self._line = bytearray()

    def begin(self) -> None:
        """A run starts; its first event says so."""

    def tell(self, told: Notice) -> None:
        """Says it beside the data."""
        self._err.write(told.text + "\n")

    def finish(self, ending: Ending, session: str) -> None:
        """A run ended; its last event said so."""

    def rest(self) -> None:
        """Nothing runs any more."""

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        if self._out.is_behind and _may_be_lost(envelope):
            return
        _encoder.encode_into(envelope, self._line)
        self._line += b"\n"
        self._out.write(bytes(self._line))


def refusal(problem: OuroborosError) -> bytes:
    """The object of a run that could not start."""
    error = Trouble(kind=type(problem).__name__, message=problem.message, hint=problem.hint)
    report = Report(
        session="",
        reason="failed",
        final="",
        turns=0,
        usage=usage(Spent()),
        cost=0.0,
        cache_hit_rate=None,
        exit_code=problem.exit_code,
        error=error,
    )
    return _encoder.encode(report) + b"\n"


def usage(spent: Spent) -> dict[str, int]:
    """Token counts under the names of the JSON output."""
    return {
        "input_tokens": spent.input_tokens,
        "cached_tokens": spent.cached_tokens,
        "output_tokens": spent.output_tokens,
        "requests": spent.requests,
    }


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)


def _may_be_lost(envelope: Envelope) -> bool:
    event = envelope.data
    return isinstance(event, ToolProgress) or (
        isinstance(event, ModelDelta) and event.phase == "delta"
    )
