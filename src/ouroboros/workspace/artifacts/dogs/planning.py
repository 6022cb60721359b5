"""Fits a bundle to the files: every one in full, or why not. Nothing is written."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec.structs import replace

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.workspace.artifacts.dogs.change import (
    Bundle,
    Change,
    Command,
    Delete,
    Edit,
    Exact,
    Numbered,
    Refusal,
    Rename,
    Whole,
)
from ouroboros.workspace.artifacts.dogs.drafting import Draft, Touched, Unfit
from ouroboros.workspace.artifacts.dogs.lines.elisions import elision
from ouroboros.workspace.artifacts.dogs.lines.excerpts import missed
from ouroboros.workspace.artifacts.dogs.lines.matching import Unplaced, changed
from ouroboros.workspace.artifacts.dogs.lines.merging import merged
from ouroboros.workspace.artifacts.dogs.lines.numbering import numbered
from ouroboros.workspace.artifacts.dogs.lines.texts import Text, refitted, split, text_of
from ouroboros.workspace.artifacts.dogs.places import place_fault, plain
from ouroboros.workspace.artifacts.dogs.plan import Plan, Snapshot
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken
from ouroboros.workspace.artifacts.dogs.tree import Tree

_MOST_FAULTS = 20
"""So many are told of one file."""

_ROUNDS = 100
"""So often blocks are left out because others were."""

type References = Mapping[str, bytes]
"""The files as the model saw them, by path."""


def plan(bundle: Bundle, tree: Tree, *, references: References | None = None) -> Plan:
    """What every file will be; a file with a block that is refused stays as it is, whole.

    Args:
        bundle: As it was read.
        tree: The files as they are.
        references: With them a file that has changed since is merged, or its block refused.
    """
    refusals = list(bundle.refusals)
    changes = list(bundle.changes)
    for _ in range(_ROUNDS):
        attempt = _Attempt(tree, references)
        for change in changes:
            attempt.take(change)
        refusals += attempt.refusals
        bad = {plain(refusal.path) for refusal in refusals}
        left = _without(changes, bad)
        if len(left) == len(changes):
            return Plan(files=attempt.draft.files(), refusals=_in_order(refusals))
        changes = left
    refusals.append(Refusal(reason="too many blocks need others that are refused"))
    return Plan(files=(), refusals=_in_order(refusals))


def _without(changes: Sequence[Change], bad: set[str]) -> list[Change]:
    """The changes of other files than these, and of those that trade names with them."""
    left = list(changes)
    while True:
        for change in left:
            if isinstance(change, Rename) and {plain(change.path), plain(change.to)} & bad:
                bad |= {plain(change.path), plain(change.to)}
        kept = [change for change in left if plain(change.path) not in bad]
        if len(kept) == len(left):
            return kept
        left = kept


def _in_order(refusals: Sequence[Refusal]) -> tuple[Refusal, ...]:
    unique = dict.fromkeys(refusals)
    return tuple(sorted(unique, key=lambda refusal: (refusal.line, refusal.block)))


class _Attempt:
    """One way through a bundle."""

    def __init__(self, tree: Tree, references: References | None) -> None:
        self.draft = Draft(tree)
        self.refusals: list[Refusal] = []
        self._references = references
        self._faults = Counter[str]()
        self._commands: dict[str, tuple[Command, ...]] = {}

    def take(self, change: Change) -> None:
        """Does one change, or notes why not; a file with many faults is not looked at any more."""
        if self._faults[change.path] >= _MOST_FAULTS:
            return
        try:
            self._check(change.path)
            self._do(change, plain(change.path))
        except Unplaced as unplaced:
            self._refuse(change, unplaced.reason, unplaced.line, unplaced.nearest)
        except BlockBroken as broken:
            self._refuse(change, broken.reason, broken.line)
        except Unfit as unfit:
            self._refuse(change, unfit.reason)
        except ToolFailed as failed:
            self._refuse(change, failed.message)
        except OSError as failed:
            self._refuse(change, f"it cannot be looked at: {failed.strerror or failed}")

    def _refuse(
        self, change: Change, reason: str, line: int = 0, nearest: tuple[str, ...] = ()
    ) -> None:
        self._faults[change.path] += 1
        self.refusals.append(
            Refusal(
                reason=reason,
                block=change.block,
                line=line or change.line,
                path=change.path,
                nearest=nearest,
            )
        )

    def _check(self, path: str) -> None:
        if fault := place_fault(path):
            raise Unfit(f"it may not be named: {fault}")

    def _do(self, change: Change, path: str) -> None:
        match change:
            case Whole() | Exact():
                self._whole(change, path)
            case Edit():
                self._edit(change, path)
            case Numbered():
                self._numbered(change, path)
            case Delete():
                self._delete(change, path)
            case Rename():
                self._rename(change, path)
            case _:
                assert_never(change)

    def _whole(self, change: Whole | Exact, path: str) -> None:
        if isinstance(change, Whole) and change.is_aside and self.draft.is_there(path):
            return
        there = self.draft.touch(path, change.block)
        if there.whole or (there.now is not None and there.now != there.before):
            first = there.whole or there.blocks[0]
            raise Unfit(f"block {first} says what is in it already")
        now = there.now
        wanted, is_merged = self._wanted(change, path, now)
        mode = change.mode if change.mode is not None else (now.mode if now else 0o644)
        made = Snapshot(content=_bounded(wanted), mode=mode)
        if change.is_new and now is not None and now.content and now != made:
            raise Unfit("it is said to be new, and is there already")
        there.whole, there.now = change.block, made
        there.is_merged |= is_merged

    def _wanted(self, change: Whole | Exact, path: str, now: Snapshot | None) -> tuple[bytes, bool]:
        """The bytes that a file shall have, and whether they were joined with what others did."""
        seen = self._seen(path)
        if now is None and seen is not None and not change.is_new:
            raise Unfit("it was there when the model saw it, and is gone")
        is_drifted = seen is not None and now is not None and not _is_same(seen, now.content)
        if isinstance(change, Exact):
            if (
                is_drifted
                and seen is not None
                and now is not None
                and now.content != change.content
            ):
                raise Unfit("it has changed since the model saw it")
            return change.content, False
        text = _form_of(now)
        if text is None:
            if change.is_guess:
                _check_elision(Text(lines=(), ends=()), change.text.split("\n"))
            return _fresh(change), False
        lines, is_open = _lines_of(change, text)
        _check_elision(text, lines)
        if change.is_guess:
            _check_guess(text, lines)
        if is_drifted and seen is not None and now is not None:
            merge = _merge(seen, text, lines)
            is_same = merge == list(text.lines)
            return refitted(text, merge, is_open=text.is_open).encode(), not is_same
        if lines == list(text.lines) and is_open == text.is_open and now is not None:
            return now.content, False
        return refitted(text, lines, is_open=is_open).encode(), False

    def _edit(self, change: Edit, path: str) -> None:
        there, now = self._there(change, path)
        mode = now.mode if change.mode is None else change.mode
        if not change.hunks:
            there.now = replace(now, mode=mode)
            return
        text = _text(now)
        seen = self._seen(path)
        is_first = there.now == there.before
        try:
            made = changed(text, change.hunks)
        except Unplaced:
            base = text_of(seen) if seen is not None else None
            if base is None or not is_first or _is_same(seen or b"", now.content):
                raise
            wanted = changed(base, change.hunks)
            joined = _merge(seen or b"", text, wanted.lines)
            made = refitted(text, joined, is_open=text.is_open)
            there.is_merged = True
        _check_elision(text, made.lines)
        there.now = Snapshot(content=_bounded(made.encode()), mode=mode)

    def _numbered(self, change: Numbered, path: str) -> None:
        earlier = self._commands.get(path, ())
        there, now = self._there(change, path)
        if not earlier and now != there.before:
            raise Unfit(
                "an earlier block changed it, so its line numbers are not those that were seen"
            )
        commands = (*earlier, *change.commands)
        before = there.before or now
        text = _text(before)
        seen = self._seen(path)
        if self._references is not None and seen is None:
            raise Unfit("it is not in the reference bundle, so its line numbers mean nothing")
        if seen is None or _is_same(seen, before.content):
            lines, is_merged = numbered(text.lines, commands), False
        else:
            base = text_of(seen)
            if base is None:
                raise Unfit("it was binary when the model saw it")
            lines, is_merged = _merge(seen, text, numbered(base.lines, commands)), True
        _check_elision(text, lines)
        made = refitted(text, lines, is_open=text.is_open)
        there.now = replace(now, content=_bounded(made.encode()))
        there.is_merged |= is_merged
        self._commands[path] = commands

    def _delete(self, change: Delete, path: str) -> None:
        there, now = self._there(change, path)
        if now != there.before or there.origin:
            raise Unfit(f"block {there.blocks[0]} changes it")
        seen = self._seen(path)
        if seen is not None and not _is_same(seen, now.content):
            raise Unfit("it has changed since the model saw it, so it is not deleted")
        if change.lines is not None and _text(now).lines != change.lines:
            raise Unfit("it is not the text that the diff takes away, so it is not deleted")
        there.now = None

    def _rename(self, change: Rename, path: str) -> None:
        self._check(change.to)
        to = plain(change.to)
        there, now = self._there(change, path)
        if to == path:
            raise Unfit("both names are the same")
        there.now = None
        try:
            target = self.draft.touch(to, change.block)
        except Unfit as unfit:
            there.now = now
            raise Unfit(f"{change.to!r}: {unfit.reason}") from unfit
        if target.now is not None:
            there.now = now
            raise Unfit(f"{change.to!r} is there already")
        mode = now.mode if change.mode is None else change.mode
        target.now = replace(now, mode=mode)
        target.origin = there.origin or path
        target.whole, target.is_merged = there.whole, there.is_merged
        target.blocks = sorted({*there.blocks, *target.blocks})
        there.origin = ""

    def _there(self, change: Change, path: str) -> tuple[Touched, Snapshot]:
        there = self.draft.touch(path, change.block)
        if there.now is None:
            gone = there.before is not None
            raise Unfit("an earlier block takes it away" if gone else "it does not exist")
        return there, there.now

    def _seen(self, path: str) -> bytes | None:
        return None if self._references is None else self._references.get(path)


def _bounded(content: bytes) -> bytes:
    if len(content) > WRITE_BYTES:
        raise Unfit(f"it would have {len(content)} bytes; the limit is {WRITE_BYTES}")
    return content


def _check_elision(text: Text, lines: Sequence[str]) -> None:
    if left_out := elision(text.lines, lines):
        raise Unfit(f"{left_out!r} stands for text that was left out, which would be lost")


def _check_guess(text: Text, lines: Sequence[str]) -> None:
    if count := missed(text.lines, lines):
        raise Unfit(
            f"{count} of its {len(text.lines)} lines would go, and nothing says that this is all of it; "
            "'--- File: PATH ---' above it, or --format whole, would say so"
        )


def _text(file: Snapshot) -> Text:
    text = text_of(file.content)
    if text is None:
        raise Unfit("it is a binary file, so it has no lines to change")
    return text


def _form_of(file: Snapshot | None) -> Text | None:
    """The text whose form a new one takes over; None where there is none."""
    if file is None or not file.content:
        return None
    return text_of(file.content)


def _fresh(change: Whole) -> bytes:
    text = change.text
    if change.is_open:
        text = text.removesuffix("\n").removesuffix("\r")
    return text.encode()


def _lines_of(change: Whole, text: Text) -> tuple[list[str], bool]:
    lines, _ = split(change.text)
    is_open = text.is_open if change.is_open is None else change.is_open
    return list(lines), is_open


def _is_same(seen: bytes, present: bytes) -> bool:
    """Whether they are, but for encoding, line ends and the end of the last line."""
    if seen == present:
        return True
    one, other = text_of(seen), text_of(present)
    return one is not None and other is not None and one.lines == other.lines


def _merge(seen: bytes, present: Text, wanted: Sequence[str]) -> list[str]:
    base = text_of(seen)
    if base is None:
        raise Unfit("it was binary when the model saw it")
    found = merged(base.lines, present.lines, wanted)
    if found.conflicts:
        first = found.conflicts[0]
        raise Unfit(
            "it has changed since the model saw it, and both changed the same lines, "
            f"from line {first.line} on"
        )
    return found.lines
