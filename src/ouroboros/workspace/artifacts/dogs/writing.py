"""Turns what became of files into a bundle of version 1 that makes the same of them again. Pure."""

import base64
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ouroboros.workspace.artifacts.dogs.change import Header, Refusal, Refused
from ouroboros.workspace.artifacts.dogs.lines.aligned import blocks
from ouroboros.workspace.artifacts.dogs.lines.texts import Text, text_of
from ouroboros.workspace.artifacts.dogs.places import place_fault
from ouroboros.workspace.artifacts.dogs.plan import Snapshot
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.readers.bodies import NO_END
from ouroboros.workspace.artifacts.dogs.readers.page import quoted
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Sketch
from ouroboros.workspace.artifacts.fenced import fence_for

VERSION = "1.0"
_CONTEXT = 3
_WIDTH = 76
_USUAL_MODE = 0o644

type Files = Mapping[str, Snapshot]


def write(before: Files, after: Files, *, header: Header | None = None) -> bytes:
    """A bundle that leads from one tree to the other, byte for byte.

    Each file is written as a person reads it best, and as base64 where that would not come back exactly.

    Args:
        before: The files as they were, by path.
        after: As they are.
        header: What its head says besides the version.

    Raises:
        Refused: A path cannot be named in a bundle.
    """
    wanted = {
        path: after.get(path)
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    }
    faults = [Refusal(reason=fault, path=path) for path in wanted if (fault := place_fault(path))]
    if faults:
        raise Refused(*faults)
    exact: set[str] = set()
    while True:
        content = _written(before, wanted, header or Header(), exact)
        wrong = _wrong(content, before, wanted) - exact
        if not wrong:
            return content
        exact |= wrong


def _wrong(content: bytes, before: Files, wanted: Mapping[str, Snapshot | None]) -> set[str]:
    """The files that the bundle would not make as they should be."""
    tree = Sketch({path: file for path, file in before.items() if path in wanted})
    found = plan(read(content, dialect="v1"), tree)
    made: dict[str, Snapshot | None] = {}
    for file in found.files:
        made[file.path] = file.after
        if file.was:
            made[file.was] = None
    refused = {refusal.path for refusal in found.refusals}
    return {
        path
        for path, file in wanted.items()
        if path in refused or path not in made or made[path] != file
    }


def _written(
    before: Files, wanted: Mapping[str, Snapshot | None], header: Header, exact: Collection[str]
) -> bytes:
    parts = [_head(header)]
    moved = _moved(before, wanted, exact)
    gone = [path for path, file in wanted.items() if file is None and path not in moved]
    parts += [f"--- Delete File: {quoted(path)} ---\n" for path in gone]
    for path, to in moved.items():
        mode = wanted[to]
        asked = _mode(before[path], mode) if mode is not None else ""
        parts.append(f"--- Rename File: {quoted(path)} -> {quoted(to)}{asked} ---\n")
    names = set(moved.values())
    for path, file in wanted.items():
        if file is not None and path not in names:
            parts.append(_block(path, before.get(path), file, is_exact=path in exact))
    return "\n".join(parts).encode()


def _head(header: Header) -> str:
    lines = [f'version: "{VERSION}"']
    if header.source_turn:
        lines.append(f"source_turn: {json.dumps(header.source_turn)}")
    inner = [f"  agent_name: {json.dumps(header.agent_name)}"] if header.agent_name else []
    if header.confidence_score is not None:
        inner.append(f"  confidence_score: {header.confidence_score}")
    if inner:
        lines += ["metadata:", *inner]
    return "\n".join(["---", *lines, "---", ""])


def _moved(
    before: Files, wanted: Mapping[str, Snapshot | None], exact: Collection[str]
) -> dict[str, str]:
    """Files that are only called otherwise now: the old name of each, and the new one."""
    gone: dict[bytes, list[str]] = {}
    for path, file in wanted.items():
        if file is None and path in before and path not in exact:
            gone.setdefault(before[path].content, []).append(path)
    found: dict[str, str] = {}
    for path, file in wanted.items():
        if file is None or path in before or path in exact or not file.content:
            continue
        if names := gone.get(file.content):
            found[names.pop(0)] = path
    return found


def _mode(old: Snapshot | None, new: Snapshot) -> str:
    was = _USUAL_MODE if old is None else old.mode
    return "" if new.mode == was else f" (Mode:{new.mode:03o})"


def _block(path: str, old: Snapshot | None, new: Snapshot, *, is_exact: bool) -> str:
    kind = "New File" if old is None else "File"
    head = f"--- {kind}: {quoted(path)}{_mode(old, new)} ---\n"
    if old is not None and old.content == new.content:
        return head
    text = text_of(new.content)
    was = text_of(old.content) if old is not None else None
    if is_exact or text is None:
        encoded = base64.b64encode(new.content).decode()
        lines = [encoded[at : at + _WIDTH] for at in range(0, len(encoded), _WIDTH)]
        return head + _fenced("base64", lines)
    if was is None:
        return head + _whole(path, text)
    diff = list(_diff(was, text))
    if sum(map(len, diff)) > len(new.content) * 2:
        return head + _whole(path, text)
    return head + _fenced("diff", diff)


def _whole(path: str, text: Text) -> str:
    ends = zip(text.lines, text.ends, strict=True)
    lines = [line + end.removesuffix("\n") for line, end in ends]
    tail = f"{NO_END}\n" if text.is_open else ""
    suffix = PurePosixPath(path).suffix.removeprefix(".")
    is_word = suffix.isascii() and suffix.isalnum() and suffix not in {"diff", "patch", "base64"}
    return _fenced(suffix if is_word else "text", lines) + tail


def _fenced(words: str, lines: Sequence[str]) -> str:
    fence = fence_for("\n".join(lines))
    return "\n".join([f"{fence}{words}", *lines, f"{fence}\n"])


class _Change(NamedTuple):
    """Lines ``old`` to ``old_end`` became ``new`` to ``new_end``."""

    old: int
    old_end: int
    new: int
    new_end: int


def _diff(old: Text, new: Text) -> Iterator[str]:
    """Hunks with some lines around each change."""
    before, after = _marked(old), _marked(new)
    for group in _groups(_changes(before, after)):
        first, last = group[0], group[-1]
        head = min(_CONTEXT, first.old)
        tail = min(_CONTEXT, len(before) - last.old_end)
        from_old, to_old = first.old - head, last.old_end + tail
        from_new, to_new = first.new - head, last.new_end + tail
        yield f"@@ -{_span(from_old, to_old)} +{_span(from_new, to_new)} @@"
        at = from_old
        for change in group:
            yield from _signed(" ", before[at : change.old])
            yield from _signed("-", before[change.old : change.old_end])
            yield from _signed("+", after[change.new : change.new_end])
            at = change.old_end
        yield from _signed(" ", before[at:to_old])


def _marked(text: Text) -> list[str]:
    """The lines with a line feed each, but for the last one that has none."""
    ends = zip(text.lines, text.ends, strict=True)
    return [f"{line}\n" if end else line for line, end in ends]


def _signed(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line.removesuffix('\n')}"
        if not line.endswith("\n"):
            yield NO_END


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[_Change]:
    old = new = 0
    for same in blocks(before, after):
        if (old, new) != (same.old, same.new):
            yield _Change(old, same.old, new, same.new)
        old, new = same.old + same.size, same.new + same.size
    if (old, new) != (len(before), len(after)):
        yield _Change(old, len(before), new, len(after))


def _groups(changes: Iterator[_Change]) -> Iterator[list[_Change]]:
    """Changes that stand so close together that their surroundings meet."""
    group: list[_Change] = []
    for change in changes:
        if group and change.old - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _span(start: int, stop: int) -> str:
    first = start + 1 if stop > start else start
    return str(first) if stop - start == 1 else f"{first},{stop - start}"
