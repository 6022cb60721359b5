"""Where a session can go back to: the person's words, and the files as they were before them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.core.state import State
from ouroboros.core.state.files import Kept
from ouroboros.workspace.checkpoints.compare import Change
from ouroboros.workspace.checkpoints.faults import CheckpointLost
from ouroboros.workspace.checkpoints.rewind import between
from ouroboros.workspace.checkpoints.shadow import Shadow

_WORDS = 200
_GOING_ON = "(the goal was gone on with)"
_SHORTEST = 4


class Point(Struct, frozen=True, kw_only=True):
    """What began a turn: the person's words, or a goal that was gone on with.

    Attributes:
        number: 1 for the latest.
        at: When they were said, in seconds since the epoch; None where that is not known.
        checkpoint: The files as they were then; empty where nothing was written since.
        added: Files that the turn made; with ``changed`` and ``removed`` it is what was changed until
            the next words, by whomever. -1 where the checkpoints are gone.
    """

    number: int
    message_id: str
    text: str
    at: float | None = None
    checkpoint: str = ""
    added: int = 0
    changed: int = 0
    removed: int = 0


def before(state: State, message_id: str) -> Kept | None:
    """The first checkpoint after these words, which is what the files were then; None for none.

    Raises:
        Misuse: There are no such words.
    """
    node = state.tree.nodes.get(message_id)
    if node is None or not node.is_beginning:
        raise Misuse(f"{message_id!r} is not something you said", hint="/rewind lists your words")
    return next((kept for kept in state.files.kept if kept.seq > node.seq), None)


def named(state: State, checkpoint: str) -> Kept:
    """The latest checkpoint whose name begins so.

    Raises:
        Misuse: There is none, or there are several.
    """
    found = {
        kept.checkpoint: kept
        for kept in state.files.kept
        if len(checkpoint) >= _SHORTEST and kept.checkpoint.startswith(checkpoint)
    }
    if len(found) != 1:
        several = f"could be any of {len(found)} checkpoints" if found else "names no checkpoint"
        raise Misuse(f"{checkpoint!r} {several}", hint="`ouro checkpoints list` names them")
    return next(iter(found.values()))


def points(
    state: State,
    shadow: Shadow | None = None,
    times: Mapping[int, float] | None = None,
    now: str = "",
) -> list[Point]:
    """Every turn on the way to where the conversation stands, the latest first; blocks with ``shadow``.

    ``now`` is the checkpoint that the latest turn is counted up to, instead of the latest on record.
    """
    turns = state.tree.turns()
    starts = [before(state, id) for id in turns]
    latest = state.files.kept[-1] if state.files.kept else None
    if now:
        latest = Kept(seq=state.seq, checkpoint=now, tree="", kind="now")
    found: list[Point] = []
    for number, (id, start) in enumerate(zip(turns, starts, strict=True), start=1):
        node = state.tree.nodes[id]
        after = starts[number - 2] if number > 1 else None
        counts = (0, 0, 0)
        if start is not None and shadow is not None:
            counts = counted(shadow, start, after or latest)
        found.append(
            Point(
                number=number,
                message_id=id,
                text=_GOING_ON if node.by_itself else " ".join(node.message.text[:_WORDS].split()),
                at=(times or {}).get(node.seq),
                checkpoint=start.checkpoint if start else "",
                added=counts[0],
                changed=counts[1],
                removed=counts[2],
            )
        )
    return found


def counted(shadow: Shadow, start: Kept, after: Kept | None) -> tuple[int, int, int]:
    """How many files were added, changed and removed from one to the other; -1 where one is gone."""
    if after is None or start.checkpoint == after.checkpoint:
        return 0, 0, 0
    try:
        changes = [
            change
            for change in between(shadow, start.checkpoint, after.checkpoint)
            if not change.is_folder
        ]
    except CheckpointLost:
        return -1, -1, -1
    return (
        sum(change.before is None for change in changes),
        sum(change.before is not None and change.after is not None for change in changes),
        sum(change.after is None for change in changes),
    )


class Others(Struct, frozen=True, kw_only=True):
    """Paths that somebody else changed, and those that a command or somebody meanwhile did.

    ``apart`` are those of ``theirs`` that nobody of ours has touched, which is sure.
    """

    theirs: frozenset[str]
    unsure: frozenset[str]
    apart: frozenset[str] = frozenset()

    def __contains__(self, path: str) -> bool:
        """Whether it may be somebody else's work."""
        return path in self.theirs or path in self.unsure


def others(
    shadow: Shadow, kept: Sequence[Kept], target: Kept, now: str, *, ask_after: float
) -> Others:
    """What somebody else changed between a checkpoint and ``now``, as far as that can be told.

    While nobody of ours was at work every change is theirs; while a tool wrote files it named, every
    other one. What changed during a command counts as its work if that took no longer than
    ``ask_after`` seconds. Where it was cut off, or a checkpoint in between is gone, nobody can tell.
    No run may be going on.
    """
    since = [each for each in kept if each.seq >= target.seq]
    present = Kept(seq=1 << 62, checkpoint=now, tree="", kind="now")
    numbered = enumerate((*since, present))
    chain = [(number, each) for number, each in numbered if shadow.has(each.checkpoint)]
    theirs: set[str] = set()
    unsure: set[str] = set()
    touched: set[str] = set()
    for (number, earlier), (following, later) in pairwise(chain):
        if earlier.checkpoint == later.checkpoint:
            continue
        was_cut = earlier.kind == "before" and (earlier.was_cut or later is present)
        # One that was cut off is ended by a later process, which keeps no checkpoint of it.
        was_cut = was_cut or (earlier.kind == "rewind" and later.kind != "restored")
        is_unsure = was_cut or following > number + 1
        ours = {*earlier.paths, *later.written}
        is_open = earlier.kind == "before" and (not ours or later.open_seconds > 0)
        is_back = earlier.kind == "rewind" and later.kind == "restored"
        is_long = is_open and later.open_seconds > ask_after
        changed = _paths(between(shadow, earlier.checkpoint, later.checkpoint))
        if not is_unsure and (is_back or (is_open and not is_long)):
            touched |= changed
            continue
        touched |= changed if is_unsure else changed & ours
        if is_long and not is_unsure:
            unsure |= changed - ours
        else:
            theirs |= changed if is_unsure else changed - ours
    return Others(
        theirs=frozenset(theirs),
        unsure=frozenset(unsure - theirs),
        apart=frozenset(theirs - unsure - touched),
    )


def _paths(changes: Iterable[Change]) -> set[str]:
    return {change.path for change in changes if not change.is_folder}
