"""A change of one file cut into hunks, of which a person takes some; functions over values."""

from collections.abc import Collection

from msgspec import Struct, structs

from ouroboros.workspace.artifacts.dogs import FilePlan, Snapshot
from ouroboros.workspace.diff import compared, lines_of, unified

MOST_SHOWN = 2_097_152
"""Larger files, in bytes, are taken or left as a whole, without their lines."""

_CONTEXT = 3


class Offer(Struct, frozen=True, kw_only=True):
    """A file of a plan as it is shown.

    Attributes:
        hunks: Each as the lines of a unified diff, from its ``@@`` on; empty where there are none to choose of.
        why_whole: Why nothing but the whole file can be taken; empty where its hunks can.
    """

    path: str
    action: str
    was: str = ""
    hunks: tuple[str, ...] = ()
    why_whole: str = ""
    is_merged: bool = False

    @property
    def added(self) -> int:
        """Lines that come."""
        return _counted(self.hunks, "+")

    @property
    def removed(self) -> int:
        """Lines that go."""
        return _counted(self.hunks, "-")


def offer_of(file: FilePlan) -> Offer:
    """What a person is shown of a file."""
    old, new = _text(file.before), _text(file.after)
    why = ""
    if old is None or new is None:
        why = "it is no text, or too large to show"
    elif file.action != "change":
        why = "it comes or goes as a whole"
    elif file.before and file.after and file.before.mode != file.after.mode:
        why = "its mode changes"
    hunks = () if old is None or new is None else _hunks(old, new, file.path)
    if not why and len(hunks) < 2:
        why = "it is one change"
    return Offer(
        path=file.path,
        action=file.action,
        was=file.was,
        hunks=hunks,
        why_whole=why,
        is_merged=file.is_merged,
    )


def diff_of(file: FilePlan) -> str:
    """The change as a unified diff; empty where it has no text."""
    offer = offer_of(file)
    return "".join((f"--- a/{file.was or file.path}\n+++ b/{file.path}\n", *offer.hunks))


def with_hunks(file: FilePlan, taken: Collection[int]) -> FilePlan | None:
    """The file with some of its hunks only, by number from 0; None where none is taken.

    Those of a file that comes, goes or is no text are taken all together, or not at all.
    """
    offer = offer_of(file)
    if not taken:
        return None
    if offer.why_whole or len(taken) >= len(offer.hunks):
        return file
    old, new = _text(file.before), _text(file.after)
    assert old is not None
    assert new is not None
    assert file.after is not None
    found = compared(old, new, _CONTEXT)
    lines = lines_of(old)
    for number in sorted(taken, reverse=True):
        for kind, first, last, from_new, to_new in reversed(found.groups[number]):
            if kind != "equal":
                start, stop = found.start + first, found.start + last
                lines[start:stop] = found.after[from_new:to_new]
    content = "".join(lines).encode("utf-8", "surrogateescape")
    return structs.replace(file, after=Snapshot(content=content, mode=file.after.mode))


def _text(snapshot: Snapshot | None) -> str | None:
    """None where it is no text; any other bytes come back as they were."""
    if snapshot is None:
        return ""
    if b"\0" in snapshot.content or len(snapshot.content) > MOST_SHOWN:
        return None
    return snapshot.content.decode("utf-8", "surrogateescape")


def _hunks(old: str, new: str, name: str) -> tuple[str, ...]:
    found: list[list[str]] = []
    for line in unified(old, new, name, context=_CONTEXT).split("\n")[2:]:
        if line.startswith("@@ "):
            found.append([])
        if found:
            found[-1].append(line)
    if found and not found[-1][-1]:
        found[-1].pop()
    return tuple("\n".join((*lines, "")) for lines in found)


def _counted(hunks: Collection[str], sign: str) -> int:
    return sum(line.startswith(sign) for hunk in hunks for line in hunk.split("\n"))
