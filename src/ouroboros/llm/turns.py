"""A script of model turns as JSON lines: what to say, what to call, and how to go wrong."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from ouroboros.core.errors import Failure, FailureKind, Misuse, ModelFailed
from ouroboros.llm.stream import StopReason

type FaultKind = FailureKind | Literal["cut", "end", "garbage", "reset", "silent", "stall"]


class ScriptedCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call to make; ``arguments`` as a text is sent as it is, valid JSON or not."""

    name: str
    arguments: dict[str, object] | str = {}
    id: str = ""

    @property
    def json(self) -> str:
        """The arguments as the text a model would write."""
        if isinstance(self.arguments, str):
            return self.arguments
        return msgspec.json.encode(self.arguments).decode()


class ScriptedUsage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Disjoint token counts to report."""

    input_uncached: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output_text: int = 0
    reasoning: int = 0


class Fault(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a turn goes wrong instead of being an answer.

    Failure kinds answer with that kind of error. ``cut`` breaks the connection and ``end`` closes
    the stream politely before its terminal event, ``garbage`` sends what is no valid event,
    ``reset`` closes without an answer, ``silent`` never answers, ``stall`` begins and falls silent.

    Attributes:
        after: Characters of the turn that still arrive before the fault.
        in_stream: The error comes as an event of a stream that began well.
        times: Requests that meet this fault before the script goes on.
        seconds: How long silence lasts before the connection is closed.
    """

    kind: FaultKind
    message: str = ""
    status: int | None = None
    headers: dict[str, str] = {}
    body: str | None = None
    retry_after_seconds: float | None = None
    after: int = 0
    in_stream: bool = False
    times: int = 1
    seconds: float = 3600.0


class Turn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply.

    Attributes:
        delay_seconds: Wait before the first byte.
        chunk: Characters per delta; 0 sends each block as one delta.
        pace_seconds: Wait between deltas.
        write_bytes: The test server cuts its writes into pieces of this size; 0 sends at once.
        when: The turn answers every request whose last message holds this text, and is not
            counted among the turns that are played in order.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    delay_seconds: float = 0.0
    chunk: int = 0
    pace_seconds: float = 0.0
    write_bytes: int = 0
    fault: Fault | None = None
    usage: ScriptedUsage | None = None
    stop: StopReason | None = None
    when: str = ""

    @property
    def stop_reason(self) -> StopReason:
        """Why the reply ends."""
        return self.stop or ("tool_calls" if self.tool_calls else "end")


class Played(NamedTuple):
    """A turn picked for a request; ``number`` makes the ids of its calls unique."""

    turn: Turn
    number: str

    def call_id(self, index: int) -> str:
        """The id of the turn's call with this index."""
        return self.turn.tool_calls[index].id or f"call_{self.number}_{index + 1}"


_decoder = msgspec.json.Decoder(Turn)


def parse(text: str, name: str) -> tuple[Turn, ...]:
    """Reads JSON lines; ``name`` is the file to blame in a ``Misuse``."""
    turns: list[Turn] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            turns.append(_decoder.decode(line))
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise Misuse(
                f"Line {number} of the model script {name!r} is not a turn: {error}.",
                hint='A turn is one JSON object per line, such as {"text": "Hello"}.',
            ) from error
    if not turns:
        raise Misuse(
            f"The model script {name!r} holds no turns.",
            hint='Write one JSON object per line, such as {"text": "Hello"}.',
        )
    return tuple(turns)


def load(path: Path) -> tuple[Turn, ...]:
    """Reads a script from a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise Misuse(
            f"The model script {str(path)!r} cannot be read: {reason}.",
            hint="Give the path of a JSON lines file, as in --model script:demo.jsonl.",
        ) from error
    return parse(text, str(path))


class Player:
    """Picks the turn for a request by how many replies the history already holds.

    So a resumed session goes on where it stopped; only the faults met are kept in memory.
    """

    def __init__(
        self, turns: Sequence[Turn], *, name: str = "script", repeat: bool = False
    ) -> None:
        """``repeat`` starts over after the last turn."""
        self._name = name
        self._repeat = repeat
        self._conditional = [turn for turn in turns if turn.when]
        self._answers: list[Turn] = []
        self._faults: list[list[Turn]] = [[]]
        self._met: dict[tuple[int, int], int] = {}
        for turn in turns:
            if turn.when:
                continue
            if turn.fault is not None:
                self._faults[-1].append(turn)
            else:
                self._answers.append(turn)
                self._faults.append([])

    def play(self, answered: int, latest: str) -> Played:
        """The turn after ``answered`` replies, when ``latest`` is the last message's text."""
        for place, turn in enumerate(self._conditional, start=1):
            if turn.when in latest and self._is_due(turn, lap=-1):
                return Played(turn, f"w{place}_{answered + 1}")
        lap, index = 0, answered
        if self._repeat and self._answers:
            lap, index = divmod(answered, len(self._answers))
        for turn in self._faults[index] if index < len(self._faults) else ():
            if self._is_due(turn, lap=lap):
                return Played(turn, str(answered + 1))
        if index < len(self._answers):
            return Played(self._answers[index], str(answered + 1))
        raise ModelFailed(
            Failure(
                kind="invalid_request",
                message=f"The model script {self._name!r} holds {len(self._answers)} replies "
                f"and was asked for reply {answered + 1}.",
            ),
            hint="Add a turn to the end of the script.",
        )

    def _is_due(self, turn: Turn, *, lap: int) -> bool:
        if turn.fault is None:
            return True
        met = self._met.get((lap, id(turn)), 0)
        self._met[lap, id(turn)] = met + 1
        return met < turn.fault.times


def pieces(text: str, size: int) -> list[str]:
    """The text cut into deltas of ``size`` characters; 0 leaves it whole."""
    if size <= 0:
        return [text] if text else []
    return [text[start : start + size] for start in range(0, len(text), size)]
