"""What stands in a transcript, as values: they change while a run is on, and draw nothing."""

from collections.abc import Sequence
from typing import Literal, TypeGuard

from msgspec import Struct, field

from ouroboros.core.events import CallStatus, PlanStep
from ouroboros.faces.wording.face import Level

_LONG = 12


class Said(Struct, kw_only=True):
    """Words of the person's; ``pictures`` are names of what came with them."""

    text: str
    steered: bool = False
    pictures: tuple[str, ...] = ()
    unfolded: bool | None = None


class Prose(Struct, kw_only=True):
    """Markdown of a model's: one block of it while it streams, a whole reply when read from the log."""

    text: str
    is_open: bool = False


class Thought(Struct, kw_only=True):
    """What a model thought before it spoke."""

    text: str = ""
    is_open: bool = False
    unfolded: bool | None = None


class Call(Struct, kw_only=True):
    """A tool call, from its start to its result.

    Attributes:
        status: Empty while it runs.
        since: When it was taken up, in seconds of the log's clock.
        live: The end of what it has written so far.
        output: What the model reads of it.
        detail: What a person may see beyond that, such as a diff.
        deeds: What code of this call did, one line each.
        waits: It waits for the person.
    """

    id: str
    name: str
    title: str
    arguments: str = ""
    status: CallStatus | Literal[""] = ""
    since: float = 0.0
    seconds: float = 0.0
    live: str = ""
    output: str = ""
    detail: str = ""
    cut_bytes: int = 0
    pictures: tuple[str, ...] = ()
    deeds: list[str] = field(default_factory=list[str])
    waits: bool = False
    unfolded: bool | None = None


class Plan(Struct, kw_only=True):
    """The checklist; ``is_old`` once there is a newer one."""

    steps: tuple[PlanStep, ...]
    explanation: str = ""
    is_old: bool = False
    unfolded: bool | None = None


class Told(Struct, kw_only=True):
    """A line for the person."""

    text: str
    level: Level = "info"
    hint: str = ""


class Closing(Struct, kw_only=True):
    """How a run ended."""

    text: str
    failed: bool = False


class Code(Struct, kw_only=True):
    """A block of code of an iteration; ``ok`` is None while it runs."""

    number: int
    code: str
    ok: bool | None = None
    metadata: str = ""
    seconds: float = 0.0


class Iteration(Struct, kw_only=True):
    """A pass of the mind that writes code.

    Attributes:
        child: The child run it belongs to; empty for the run itself.
        live: What the model is writing, until its blocks are known.
        said: Its words around the blocks.
        deeds: What the code did, one line each.
    """

    number: int
    child: str = ""
    blocks: list[Code] = field(default_factory=list[Code])
    deeds: list[str] = field(default_factory=list[str])
    live: str = ""
    said: str = ""
    since: float = 0.0
    seconds: float = 0.0
    is_over: bool = False
    unfolded: bool | None = None


class Child(Struct, kw_only=True):
    """A run that a run started; ``reason`` is empty while it is at work."""

    id: str
    task: str
    kind: str = "run"
    parent: str = ""
    iteration: int = 0
    reason: str = ""
    since: float = 0.0
    seconds: float = 0.0


class Children(Struct, kw_only=True):
    """The runs that one run started, as a tree."""

    runs: dict[str, Child] = field(default_factory=dict[str, Child])
    unfolded: bool | None = None


class Picture(Struct, kw_only=True):
    """An image that was kept with the session; with a ``number`` the terminal has it, in so many cells."""

    name: str
    path: str
    bytes: int = 0
    number: int = 0
    columns: int = 0
    rows: int = 0


type Block = Said | Prose | Thought | Call | Plan | Told | Closing | Iteration | Children | Picture

type Foldable = Said | Thought | Call | Plan | Iteration | Children


def is_unfolded(block: Block, usual: bool) -> bool:
    """Whether a block shows all it has; ``usual`` is what the person chose for all."""
    if is_foldable(block):
        return usual if block.unfolded is None else block.unfolded
    return True


def is_foldable(block: Block) -> TypeGuard[Foldable]:
    """Whether it can be folded and unfolded."""
    return isinstance(block, Said | Thought | Call | Plan | Iteration | Children)


def next_card(blocks: Sequence[Block], at: int, step: Literal[-1, 1]) -> int | None:
    """The place of the next block above or below a place in which there is something to unfold."""
    places = range(min(at, len(blocks)) - 1, -1, -1) if step < 0 else range(at + 1, len(blocks))
    return next((place for place in places if _is_card(blocks[place])), None)


def _is_card(block: Block) -> bool:
    is_short = isinstance(block, Said) and block.text.count("\n") < _LONG and len(block.text) < 400
    return is_foldable(block) and not is_short


def is_running(block: Block) -> bool:
    """Whether its look changes as time goes by."""
    match block:
        case Call(status=""):
            return True
        case Iteration(is_over=False):
            return True
        case Children(runs=runs):
            return any(not child.reason for child in runs.values())
        case _:
            return False


def is_apart(block: Block, before: Block | None) -> bool:
    """Whether an empty row is between the two."""
    if before is None:
        return False
    match block, before:
        case (Call(), Call()) | (Told(), Told()) | (Iteration(), Iteration()):
            return False
        case (Closing(), Told()) | (Picture(), Call()):
            return False
        case _:
            return True
