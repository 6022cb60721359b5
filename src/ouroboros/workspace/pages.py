"""One page of a text file with line numbers, without reading more of the file than needed."""

from collections.abc import Iterator
from io import BufferedReader, BytesIO
from pathlib import Path

from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import TOOL_OUTPUT_BYTES
from ouroboros.workspace.files import (
    SAMPLE_BYTES,
    encoding_of,
    older_encoding,
    opened,
    regular_size,
)

LINE_LIMIT = 2000
"""Lines of a page when the model names no number."""

LINE_BYTES = 2000
"""Shown of one line."""

COUNT_BYTES = 64 * 1_048_576
"""Larger files are not read to their end only to count their lines."""

SCAN_BYTES = 256 * 1_048_576
"""No line behind this is looked for."""

PAGE_BYTES = TOOL_OUTPUT_BYTES * 88 // 100
"""Of one page, with line numbers."""

_LAST_PAGE_BYTES = PAGE_BYTES * 110 // 100
_SLICE_BYTES = 65_536


class _Page(Struct, kw_only=True):
    lines: list[bytes]
    first: int
    is_full: bool = False
    is_ended: bool = True
    is_cut: bool = False
    total: int | None = None

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1


def page(
    path: Path,
    offset: int,
    limit: int | None,
    *,
    scan_bytes: int = SCAN_BYTES,
    data: bytes | None = None,
) -> str:
    """Lines ``offset`` to ``offset + limit - 1`` as ``number<TAB>line``, and what was left out.

    ``data`` is what the file holds, where that is known better than the disk does.

    Raises:
        ToolFailed: The path is missing, no regular file, binary, or has no such line.
    """
    size = regular_size(path) if data is None else len(data)
    with opened(path) if data is None else BytesIO(data) as file:
        sample = file.read(SAMPLE_BYTES) or b""
        encoding, mark = encoding_of(sample)
        if encoding == "binary":
            raise ToolFailed(f"{path} is a binary file of {size} bytes; its text cannot be shown")
        file.seek(len(mark))
        source: BufferedReader | BytesIO = file
        if encoding.startswith(("utf-16", "utf-32")):
            if size > COUNT_BYTES:
                raise ToolFailed(f"{path} is {encoding} of {size} bytes; use shell with iconv")
            source = BytesIO(file.read(COUNT_BYTES).decode(encoding, "replace").encode())
        lines = _Lines(source, scan_bytes)
        found = _collect(lines, offset, limit or LINE_LIMIT, is_counted=size <= COUNT_BYTES)
    if not found.lines and found.is_cut:
        raise ToolFailed(f"line {offset} of {path} is beyond {scan_bytes} bytes; use shell (tail)")
    if not found.lines and found.total:
        raise ToolFailed(f"{path} has {found.total} lines; line {offset} is beyond its end")
    text, shown_as = _decoded(found.lines)
    notes = _notes(found, size, shown_as or encoding, mark)
    numbered = "".join(f"{found.first + i}\t{line}\n" for i, line in enumerate(text))
    return numbered + notes if found.lines else f"(empty file)\n{notes}"


def _collect(lines: "_Lines", offset: int, limit: int, *, is_counted: bool) -> _Page:
    found = _Page(lines=[], first=offset)
    spare: list[bytes] = []
    used = number = 0
    for number, line in enumerate(lines, start=1):
        if number < offset:
            continue
        if len(found.lines) + len(spare) >= limit or used > _LAST_PAGE_BYTES:
            if is_counted:
                continue
            break
        shown = _shortened(line)
        used += _cost(shown)
        (found.lines if used <= PAGE_BYTES or not found.lines else spare).append(shown)
    else:
        found.is_cut = lines.is_cut
        found.total = None if lines.is_cut else number
    # A little more than a page is cheaper than another call for it.
    found.is_full = used > _LAST_PAGE_BYTES and bool(spare)
    found.lines += () if found.is_full else spare
    found.is_ended = lines.is_ended
    return found


def _cost(line: bytes) -> int:
    """The bytes of a line as it will be shown; Latin-1 needs two for each beyond ASCII."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return len(line.decode("latin-1").encode()) + 8
    return len(line) + 8


class _Lines:
    """Lines without their ends; of a huge line only the beginning is held, with its whole length."""

    def __init__(self, source: BufferedReader | BytesIO, scan_bytes: int) -> None:
        self.is_ended = True
        self.is_cut = False
        self._source = source
        self._scanned = 0
        self._limit = scan_bytes

    def __iter__(self) -> Iterator[bytes]:
        while line := self._source.readline(_SLICE_BYTES):
            kept, length = line, len(line)
            while not line.endswith(b"\n") and (more := self._source.readline(_SLICE_BYTES)):
                line = more
                length += len(line)
                if self._scanned + length > self._limit:
                    self.is_cut = True
                    return
            self._scanned += length
            self.is_cut = self._scanned > self._limit
            if self.is_cut:
                return
            self.is_ended = line.endswith(b"\n")
            if length > len(kept):
                kept = kept[: LINE_BYTES + 4] + b"\0" + str(length).encode()
            yield kept.removesuffix(b"\n").removesuffix(b"\r")


def _shortened(line: bytes) -> bytes:
    if len(line) <= LINE_BYTES:
        return line
    head, _, length = line.partition(b"\0")
    total = int(length) if length.isdigit() else len(line)
    cut = head[:LINE_BYTES].decode("utf-8", "ignore").encode() or head[:LINE_BYTES]
    return cut + f"… [line cut, {total} bytes]".encode()


def _decoded(lines: list[bytes]) -> tuple[list[str], str]:
    """The text, and the encoding that it was taken for where it is not UTF-8."""
    try:
        return [line.decode() for line in lines], ""
    except UnicodeDecodeError:
        encoding = older_encoding(b"\n".join(lines))
        return [line.decode(encoding, "replace") for line in lines], encoding


def _notes(found: _Page, size: int, encoding: str, mark: bytes) -> str:
    notes: list[str] = []
    if encoding != "utf-8":
        why = "not valid UTF-8, " if not encoding.startswith("utf-") else ""
        notes.append(f"[{why}shown as {encoding}]")
    elif mark:
        notes.append("[starts with a byte order mark]")
    return "".join(f"{note}\n" for note in [*notes, *_ending(found, size)])


def _ending(found: _Page, size: int) -> Iterator[str]:
    if found.total is None or found.last < found.total:
        whole = f"a file of {size} bytes" if found.total is None else str(found.total)
        cut = f"cut at {PAGE_BYTES / 1000:.0f} kB; go on with offset {found.last + 1}"
        why = f"; {cut}" if found.is_full else ", as asked"
        yield f"[lines {found.first}-{found.last} of {whole}{why}]"
        return
    if found.first > 1:
        yield f"[end of file, {found.total} lines]"
    if not found.is_ended:
        yield "[no newline at end of file]"
