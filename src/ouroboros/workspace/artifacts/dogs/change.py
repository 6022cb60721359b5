"""What a bundle says, whatever dialect it says it in."""

from typing import Literal

from msgspec import Struct

from ouroboros.core.errors import OuroborosError

type Dialect = Literal["v1", "paws", "search", "diff", "v4a", "xml", "whole"]
"""v1 and diff fences; dog and cat markers; SEARCH/REPLACE; unified diff; ``*** Begin Patch``; tags; listings."""

type Sign = Literal[" ", "-", "+"]


class Refusal(Struct, frozen=True, kw_only=True):
    """Why a block cannot be taken.

    Attributes:
        block: Its number in the bundle from 1; 0 where it is about the bundle as a whole.
        line: The line of the bundle, from 1; 0 where there is none.
        path: The file as the bundle spells it; empty where it is not known.
        nearest: Places of the file that come close, each a line for a person.
    """

    reason: str
    block: int = 0
    line: int = 0
    path: str = ""
    nearest: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As a person reads it: where, and what."""
        where = [repr(self.path)] if self.path else []
        where += [f"block {self.block}"] if self.block else []
        where += [f"line {self.line}"] if self.line else []
        head = f"{', '.join(where)}: " if where else ""
        return "\n".join([f"{head}{self.reason}", *(f"  {each}" for each in self.nearest)])


class Refused(OuroborosError):
    """A bundle, or blocks of it, that cannot be taken; nothing was written."""

    def __init__(self, *refusals: Refusal, hint: str = "") -> None:
        """At least one refusal."""
        super().__init__("\n".join(each.text for each in refusals), hint=hint)
        self.refusals = refusals


class _Block(Struct, frozen=True, kw_only=True):
    """What every change has.

    Attributes:
        block: The number of its block in the bundle, from 1.
        line: The line of the bundle on which it begins, from 1.
        path: As the bundle spells it; nobody has looked at it yet.
        mode: Permission bits that it asks for; None leaves them.
    """

    block: int
    line: int
    path: str
    mode: int | None = None


class Hunk(Struct, frozen=True, kw_only=True):
    """Lines that stand together, each kept, taken away or put in, without their ends.

    Attributes:
        start: The first line in the old file as a header says it, from 1; 0 where none does.
        line: Where it begins in the bundle.
        old_open: The old text ends here, without a line end.
        new_open: So does the new one.
        anchor: A line that stands somewhere before; empty where none is named.
        at_end: The old lines are the last of the file.
        is_loose: Lines may be indented otherwise all alike, as models do in SEARCH blocks.
    """

    lines: tuple[tuple[Sign, str], ...]
    start: int = 0
    line: int = 0
    old_open: bool = False
    new_open: bool = False
    anchor: str = ""
    at_end: bool = False
    is_loose: bool = False

    @property
    def old(self) -> list[str]:
        """The lines that must be there."""
        return [text for sign, text in self.lines if sign != "+"]

    @property
    def new(self) -> list[str]:
        """The lines that stand there afterwards."""
        return [text for sign, text in self.lines if sign != "-"]


class Edit(_Block, frozen=True, kw_only=True, tag="edit"):
    """Pieces of a file that is there, in order."""

    hunks: tuple[Hunk, ...]


class Whole(_Block, frozen=True, kw_only=True, tag="whole"):
    """All the text of a file.

    Attributes:
        text: With plain line feeds.
        is_new: Nothing else may be there.
        is_open: Whether the text ends without a line end; None where the dialect cannot say.
        is_guess: Nothing says that it is all of it; it may be a part.
        is_aside: It stands beside changes in another format; only where no such file is there is it one.
    """

    text: str
    is_new: bool = False
    is_open: bool | None = None
    is_guess: bool = False
    is_aside: bool = False


class Exact(_Block, frozen=True, kw_only=True, tag="exact"):
    """All the bytes of a file, as they are."""

    content: bytes
    is_new: bool = False


class Delete(_Block, frozen=True, kw_only=True, tag="delete"):
    """A file that goes; where its ``lines`` are told, only if it holds them."""

    lines: tuple[str, ...] | None = None


class Rename(_Block, frozen=True, kw_only=True, tag="rename"):
    """A file that gets another name, and the mode that is asked for."""

    to: str


class Command(Struct, frozen=True, kw_only=True):
    """A delta command: lines ``first`` to ``last`` become ``lines``; an insertion has ``last < first``.

    ``first`` counts from 1 in the file that the model saw.
    """

    first: int
    last: int
    lines: tuple[str, ...]
    line: int
    name: str


class Numbered(_Block, frozen=True, kw_only=True, tag="numbered"):
    """Lines named by their numbers in the file that the model saw."""

    commands: tuple[Command, ...]


type Change = Edit | Whole | Exact | Delete | Rename | Numbered


class Request(Struct, frozen=True, kw_only=True):
    """What a model asks for instead of, or before, changing anything.

    Attributes:
        kind: More context, or a command that is run before it is asked again.
        command: The command, or the one it suggests for the context.
    """

    kind: Literal["context", "command"]
    block: int
    line: int
    path: str = ""
    reason: str = ""
    command: str = ""


class Header(Struct, frozen=True, kw_only=True):
    """The frontmatter of v1; what is not said is empty."""

    version: str = ""
    source_turn: str = ""
    agent_name: str = ""
    confidence_score: float | None = None


class Bundle(Struct, frozen=True, kw_only=True):
    """A bundle as it was read.

    Attributes:
        dialect: None where nothing was recognised.
        changes: In the order of the bundle.
        refusals: Blocks that could not be read; the others were.
        notes: What a person should know, such as blocks that were left alone.
    """

    dialect: Dialect | None
    changes: tuple[Change, ...] = ()
    requests: tuple[Request, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    header: Header = Header()
    notes: tuple[str, ...] = ()
