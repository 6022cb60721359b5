"""What goes to the isolate and comes back, as values.

The isolate runs in another process; code in it is hostile. Everything that comes back is bounded
there by a prelude that captured what it needs, and bounded again here.
"""

from typing import Literal, Protocol

from msgspec import Raw, Struct

type Kind = Literal[
    "void",
    "null",
    "boolean",
    "number",
    "bigint",
    "string",
    "array",
    "object",
    "function",
    "promise",
    "symbol",
    "error",
    "other",
]


class Shape(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What kind of thing a value is, without the value.

    Attributes:
        size: Characters of a string, items of an array or a set, keys of an object.
        characters: Length of the whole as JSON, escapes not counted; None where it has none (cyclic,
            function) or counting would take long.
        schema: The shape of its items or members as short text, such as ``{id: number, t: string}``.
        preview: The beginning of its JSON, at most 400 characters, of a variable 200.
        note: What is odd about it: cyclic, truncated, a getter that threw.
    """

    kind: Kind
    size: int = 0
    characters: int | None = None
    schema: str = ""
    preview: str = ""
    note: str = ""


class Variable(Struct, frozen=True, kw_only=True):
    """A name of the REPL's top level, or ``env.name``."""

    name: str
    shape: Shape


class Thrown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error that ended a block; ``line`` is the line the model wrote, from 1."""

    name: str
    message: str
    stack: str = ""
    line: int | None = None


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one block.

    Attributes:
        shape: Of the last expression's value; None when it threw or was stopped.
        thrown: The error that ended it.
        stopped: Why it did not come to its end by itself: ``time``, ``memory``, ``cancel``, ``crash``.
        final: The JSON of what ``setFinal`` was given last; None when it was not called.
        final_text: It was a string: deliver the text and not its JSON.
        notes: What was odd about the code: calls nobody awaited, names that do not stay.
        logs: What ``log`` and ``console`` said, each cut at 5,000 characters.
        variables: Every name at the top level now.
        lost: Names that existed before and could not be brought back after a kill.
        seconds: Of running, host calls not counted.
    """

    shape: Shape | None = None
    thrown: Thrown | None = None
    stopped: Literal["", "time", "memory", "cancel", "crash"] = ""
    final: Raw | None = None
    final_text: bool = False
    notes: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    lost: tuple[str, ...] = ()
    seconds: float = 0.0


class Answer(Struct, frozen=True, kw_only=True):
    """The answer to a host call.

    Attributes:
        value: JSON that the call's promise resolves to.
        error: Not empty: the promise rejects with an Error of these words instead.
        globals: JSON of names whose getters read anew from now on, such as ``tabs``.
    """

    value: bytes = b"null"
    error: str = ""
    globals: dict[str, bytes] = {}


class Host(Protocol):
    """Answers what code in the isolate asks of the world.

    Contract: never raises but for cancellation; may run beside other calls; cancelled when the
    block ends, is stopped, or the isolate dies.
    """

    async def answer(self, name: str, arguments: Raw) -> Answer:
        """``arguments`` is a JSON array of what the function was called with."""
        ...
