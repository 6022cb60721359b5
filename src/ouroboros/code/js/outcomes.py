"""Reads what a worker says of a block, and bounds it again: the worker may be anybody's by now."""

import re
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from ouroboros.code.js.limits import LOGS, NOTES, SCHEMA_CHARS, VARIABLES
from ouroboros.code.js.values import Outcome, Shape, Thrown, Variable
from ouroboros.core.limits import LOG_CHARS, PREVIEW_CHARS, VARIABLE_PREVIEW_CHARS

NAME_CHARS = 200
"""Of a variable's name."""

WORDS_CHARS = 4_000
"""Of an error's message and of its stack."""

type Stopped = Literal["", "time", "memory", "cancel", "crash"]


class _Said(Struct, frozen=True):
    """An outcome as it comes over the wire."""

    shape: Shape | None = None
    thrown: Thrown | None = None
    stopped: Stopped = ""
    final: Raw = Raw(b"")
    final_text: bool = False
    notes: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    seconds: float = 0.0


_outcomes = msgspec.json.Decoder(_Said)


def outcome_of(
    payload: bytes = b"{}", number: int = 0, *, stopped: Stopped = "", lost: tuple[str, ...] = ()
) -> Outcome:
    """The outcome of block ``number``; ``stopped`` and ``lost`` are what we know ourselves.

    Raises:
        msgspec.MsgspecError: The worker does not speak as it should.
    """
    outcome = _outcomes.decode(payload)
    return Outcome(
        shape=_shape(outcome.shape, PREVIEW_CHARS) if outcome.shape is not None else None,
        thrown=_thrown(outcome.thrown, number) if outcome.thrown is not None else None,
        stopped=stopped or outcome.stopped or _full(outcome.thrown),
        final=outcome.final.copy() if bytes(outcome.final) else None,
        final_text=outcome.final_text,
        notes=tuple(line[:NAME_CHARS] for line in outcome.notes[:NOTES]),
        logs=tuple(line[: LOG_CHARS + 1] for line in outcome.logs[: LOGS + 1]),
        variables=tuple(
            Variable(
                name=variable.name[:NAME_CHARS],
                shape=_shape(variable.shape, VARIABLE_PREVIEW_CHARS),
            )
            for variable in outcome.variables[:VARIABLES]
        ),
        lost=lost,
        seconds=outcome.seconds,
    )


def _shape(shape: Shape, cap: int) -> Shape:
    return msgspec.structs.replace(
        shape,
        schema=shape.schema[:SCHEMA_CHARS],
        preview=shape.preview[:cap],
        note=shape.note[:NAME_CHARS],
    )


def _thrown(thrown: Thrown, number: int) -> Thrown:
    """The line is that of the block itself, wherever deeper the error was made."""
    stack = thrown.stack[:WORDS_CHARS]
    found = re.search(rf"\bblock{number}\.js:(\d{{1,9}})", stack)
    kept = [line for line in stack.splitlines() if "<anonymous>:" not in line]
    return Thrown(
        name=thrown.name[:NAME_CHARS],
        message=thrown.message[:WORDS_CHARS],
        stack="\n".join(kept),
        line=int(found[1]) if found else thrown.line,
    )


def _full(thrown: Thrown | None) -> Stopped:
    """Buffers lie outside of the heap; their bound shows as an error of the language."""
    said = thrown.message if thrown is not None else ""
    return "memory" if said.startswith("Array buffer allocation failed") else ""
