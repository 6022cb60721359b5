"""The person's files: kept, brought back, and turns that were taken back with them."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event, Source

type CheckpointKind = Literal["before", "end", "rewind", "restored"]


class CheckpointCreated(Event, frozen=True, kw_only=True):
    """The state of the person's files was kept.

    Attributes:
        checkpoint: The commit in the repository of checkpoints; an earlier one where nothing differs.
        tree: What it holds.
        kind: ``before`` a call that may write, at the ``end`` of a run, right before a ``rewind``, and
            right after it (``restored``).
        call_id: The call that it was made for; empty for none.
        paths: Where that call says that it writes, relative to the folder; empty when it does not say.
        left: Paths that are there but not kept, and why; the first of them.
        left_count: How many there are.
        seconds: How long it took.
        open_seconds: How long a command had been at work since the checkpoint before it.
        written: What code said that it writes in that while; all there is if no command was at work.
    """

    type: ClassVar[str] = "checkpoint.created"
    checkpoint: str
    tree: str = ""
    kind: CheckpointKind = "before"
    call_id: str = ""
    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    left_count: int = 0
    seconds: float = 0.0
    open_seconds: float = 0.0
    written: tuple[str, ...] = ()


class CheckpointRestored(Event, frozen=True, kw_only=True):
    """Files were brought back to what they were at a checkpoint.

    Attributes:
        start: The checkpoint of right before; going back to it undoes this.
        message_id: The words before which the files were so; empty where no words are meant.
        paths: What was changed; the first of it, and ``changed`` says how many there are.
        left: Paths that stay as they are, and why; the first of them.
        finished: An earlier process had begun it.
    """

    type: ClassVar[str] = "checkpoint.restored"
    source: ClassVar[Source] = "user"
    checkpoint: str
    start: str = ""
    message_id: str = ""
    paths: tuple[str, ...] = ()
    changed: int = 0
    left: tuple[str, ...] = ()
    finished: bool = False


class TurnUndone(Event, frozen=True, kw_only=True):
    """The latest turns were taken back.

    Attributes:
        turns: How many.
        head: The message that the conversation stood at.
        start: The checkpoint of the files as they were; empty where none were changed.
        done: Which kinds of things were taken back: ``history``, ``files``, ``goal``, ``memory``.
        failed: Those that could not be, and why.
    """

    type: ClassVar[str] = "turn.undone"
    source: ClassVar[Source] = "user"
    turns: int
    head: str
    start: str = ""
    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class TurnRedone(Event, frozen=True, kw_only=True):
    """What was taken back last is there again; ``done`` and ``failed`` as for ``TurnUndone``."""

    type: ClassVar[str] = "turn.redone"
    source: ClassVar[Source] = "user"
    turns: int
    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
