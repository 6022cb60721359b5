"""A change of one file cut into hunks, of which a person takes some; functions over values."""

from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

from msgspec import Struct, structs

from ouroboros.workspace.artifacts.dogs import FilePlan, Snapshot
from ouroboros.workspace.artifacts.dogs.lines.texts import text_of
from ouroboros.workspace.diff import compared, lines_of, unified

MOST_SHOWN = 2_097_152
"""Larger files, in bytes, are taken or left as a whole, without their lines."""

_CONTEXT = 3


class Offer(Struct, frozen=True, kw_only=True):
    """A file of a plan as it is shown.

    Attributes:
        hunks: Each as the lines of a unified diff, from its ``@@`` on; empty where there are none to choose of.
        why_whole: Why nothing but the whole file can be taken; empty where its hunks can.
        steers: What it steers in later runs; empty for an ordinary file.
    """

    path: str
    action: str
    was: str = ""
    hunks: tuple[str, ...] = ()
    why_whole: str = ""
    is_merged: bool = False
    steers: str = ""

    @property
    def added(self) -> int:
        """Lines that come."""
        return _counted(self.hunks, "+")

    @property
    def removed(self) -> int:
        """Lines that go."""
        return _counted(self.hunks, "-")


def offer_of(file: FilePlan, steers: str = "") -> Offer:
    """What a person is shown of a file."""
    codec = _codec_of(file)
    old, new = codec.text(file.before), codec.text(file.after)
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
        steers=steers,
    )


def diff_of(file: FilePlan) -> str:
    """The change as a unified diff, in git's words where names or modes change."""
    hunks = offer_of(file).hunks
    return "".join((*_heads(file, has_hunks=bool(hunks)), *hunks))


def _heads(file: FilePlan, *, has_hunks: bool) -> list[str]:
    before, after = file.before, file.after
    was = file.was or file.path
    found = [f"diff --git a/{was} b/{file.path}\n"]
    if after is not None and (before is None or file.action == "add"):
        found.append(f"new file mode 100{after.mode:o}\n")
    elif after is None and before is not None:
        found.append(f"deleted file mode 100{before.mode:o}\n")
    elif before is not None and after is not None and before.mode != after.mode:
        found += [f"old mode 100{before.mode:o}\n", f"new mode 100{after.mode:o}\n"]
    if file.was:
        found += [f"rename from {file.was}\n", f"rename to {file.path}\n"]
    old = "/dev/null" if before is None else f"a/{was}"
    new = "/dev/null" if after is None else f"b/{file.path}"
    names = [f"--- {old}\n", f"+++ {new}\n"] if has_hunks else []
    is_plain = len(found) == 1 and has_hunks
    if not has_hunks and before and after and before.content != after.content:
        names = [f"Binary files {old} and {new} differ\n"]
    return names if is_plain else [*found, *names]


def with_hunks(file: FilePlan, taken: Collection[int]) -> FilePlan | None:
    """The file with some of its hunks only, by number from 0; None where none is taken.

    Those of a file that comes, goes or is no text are taken all together, or not at all.
    """
    offer = offer_of(file)
    if not taken:
        return None
    if offer.why_whole or len(taken) >= len(offer.hunks):
        return file
    codec = _codec_of(file)
    old, new = codec.text(file.before), codec.text(file.after)
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
    content = codec.content("".join(lines))
    return structs.replace(file, after=Snapshot(content=content, mode=file.after.mode))


class _Codec(NamedTuple):
    """How both sides of a change are read and written, byte for byte."""

    encoding: str = "utf-8"
    mark: bytes = b""
    errors: str = "surrogateescape"

    def text(self, snapshot: Snapshot | None) -> str | None:
        """None where it is no text; any other bytes come back as they were."""
        if snapshot is None:
            return ""
        if len(snapshot.content) > MOST_SHOWN:
            return None
        body = snapshot.content.removeprefix(self.mark)
        text = body.decode(self.encoding, self.errors)
        return None if "\0" in text else text

    def content(self, text: str) -> bytes:
        """The bytes of a text."""
        return self.mark + text.encode(self.encoding, self.errors)


_BYTES = _Codec()


def _codec_of(file: FilePlan) -> _Codec:
    """That of an older or wider encoding, where both sides have it; else bytes go through as they are."""
    sides = [side for side in (file.before, file.after) if side is not None and side.content]
    found = {_encoding_of(side.content) for side in sides}
    return found.pop() if len(found) == 1 else _BYTES


def _encoding_of(content: bytes) -> _Codec:
    if len(content) > MOST_SHOWN:
        return _BYTES
    with suppress(UnicodeDecodeError):
        if "\0" not in content.decode():
            return _BYTES
    text = text_of(content)
    if text is None or text.encoding == "utf-8" or text.encode() != content:
        return _BYTES
    return _Codec(text.encoding, text.mark, "strict")


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
