"""A unified diff by file and hunk: what may be pointed at, what steers later runs, how much fits into one reading."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.safety.steering import steering

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # a form feed ends no line of a diff
_CUT = "\n[{count} lines of this change are left out here because it is too large: read the file]\n"


class Hunk(Struct, frozen=True, kw_only=True):
    """Lines of a file that changed, with those around them; ``first`` to ``last`` in the new file.

    In ``text`` each line that the new file has begins with its number there.
    """

    text: str
    first: int
    last: int


class FileChange(Struct, frozen=True, kw_only=True):
    """What became of one file; ``before`` is where it was, ``path`` where it is now."""

    path: str
    head: str
    hunks: tuple[Hunk, ...] = ()
    before: str = ""
    deleted: bool = False
    binary: bool = False

    @property
    def text(self) -> str:
        """As git says it, with numbers."""
        return self.head + "".join(hunk.text for hunk in self.hunks)

    @property
    def tokens(self) -> int:
        """By estimate."""
        return _tokens(self.text)


class Part(Struct, frozen=True, kw_only=True):
    """So much of a change as is read at once; ``is_cut`` where lines of it were left out."""

    paths: tuple[str, ...]
    text: str
    is_cut: bool = False


def parse(diff: str) -> tuple[FileChange, ...]:
    """The files of a diff of git's, in its order."""
    return tuple(_file(lines) for lines in _sections(diff))


def steering_of(*paths: str) -> dict[str, str]:
    """Of those that steer later runs what they steer, by path below the workspace; pure."""
    return {found.path: found.what for found in steering(paths)}


def steering_in_diff(diff: str) -> dict[str, str]:
    """The same of the files of a diff of git's; pure."""
    return steering_of(*(name for file in parse(diff) for name in (file.before, file.path) if name))


def parts(files: Sequence[FileChange], tokens: int) -> tuple[Part, ...]:
    """The change in pieces of about so many tokens, file by file; a larger file by its hunks."""
    found: list[Part] = []
    held: list[Part] = []
    size = 0
    for piece in _pieces(files, tokens):
        weight = _tokens(piece.text)
        if held and size + weight > tokens:
            found.append(_joined(held))
            held, size = [], 0
        held.append(piece)
        size += weight
    if held:
        found.append(_joined(held))
    return tuple(found)


def added(path: str, text: str) -> str:
    """A new file as git would say it."""
    lines = text.removesuffix("\n").split("\n") if text else []
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n"
    if not lines:
        return head
    body = "".join(f"+{line}\n" for line in lines)
    return f"{head}--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}"


def added_binary(path: str) -> str:
    """The same for a file that is no text."""
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\n"
        f"Binary files /dev/null and b/{path} differ\n"
    )


def _tokens(text: str) -> int:
    return len(text) // CHARS_PER_TOKEN + 1


def _pieces(files: Sequence[FileChange], tokens: int) -> Iterator[Part]:
    most = tokens * CHARS_PER_TOKEN
    for file in files:
        if file.tokens <= tokens:
            yield Part(paths=(file.path,), text=file.text)
            continue
        for hunk in file.hunks:
            text = file.head + _clipped(hunk.text, most)
            yield Part(paths=(file.path,), text=text, is_cut=len(hunk.text) > most)


def _joined(pieces: Sequence[Part]) -> Part:
    return Part(
        paths=tuple(dict.fromkeys(path for piece in pieces for path in piece.paths)),
        text="".join(piece.text for piece in pieces),
        is_cut=any(piece.is_cut for piece in pieces),
    )


def _clipped(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    head, tail = text[:half].rpartition("\n")[0], text[-half:].partition("\n")[2]
    count = text.count("\n") - head.count("\n") - tail.count("\n") - 1
    return f"{head}{_CUT.format(count=count)}{tail}"


def _sections(diff: str) -> Iterator[list[str]]:
    """The lines of each file."""
    found: list[str] = []
    left = 0
    for line in _LINE.findall(diff):
        if line.startswith("diff --git "):  # a line of a hunk begins with its sign
            if found:
                yield found
            found, left = [], 0
        if left <= 0 and (match := _HUNK.match(line)):
            left = _count(match[2]) + _count(match[4])
        elif left > 0:
            left -= {" ": 2, "+": 1, "-": 1, "\n": 2}.get(line[:1], 0)
        found.append(line)
    if found and found[0].startswith("diff --git "):
        yield found


def _file(lines: list[str]) -> FileChange:
    starts = list(_starts(lines))
    head = lines[: starts[0]] if starts else lines
    ends = (*starts[1:], len(lines))
    hunks = [_hunk(lines[at:end]) for at, end in zip(starts, ends, strict=False)]
    before, after = _names(head)
    return FileChange(
        path=after or before,
        head="".join(head),
        hunks=tuple(hunks),
        before=before if before != after else "",
        deleted=any(line.startswith("deleted file mode") for line in head),
        binary=any(line.startswith(("Binary files ", "GIT binary patch")) for line in head),
    )


def _starts(lines: list[str]) -> Iterator[int]:
    """Where hunks begin; a changed line begins with a sign, so none reads like the head of one."""
    for at, line in enumerate(lines):
        if _HUNK.match(line):
            yield at


def _hunk(lines: list[str]) -> Hunk:
    match = _HUNK.match(lines[0])
    first, count = (int(match[3]), _count(match[4])) if match else (0, 0)
    text = lines[0] + "".join(_numbered(lines[1:], first))
    return Hunk(text=text, first=first, last=first + max(count, 1) - 1)


def _numbered(lines: list[str], number: int) -> Iterator[str]:
    for line in lines:
        is_there = line[:1] in {"+", " "} or not line.strip("\r\n")
        yield f"{number if is_there else '':>5} {line}"
        number += is_there


def _names(head: list[str]) -> tuple[str, str]:
    """Where a file was and where it is; empty where it was or is not."""
    before = after = ""
    for line in head:
        for start, side in (
            ("--- ", 0),
            ("+++ ", 1),
            ("rename from ", 0),
            ("rename to ", 1),
            ("copy from ", 0),
            ("copy to ", 1),
        ):
            if line.startswith(start):
                name = _name(line.removeprefix(start).rstrip("\n"), bare=" " in start.rstrip())
                before, after = (name, after) if side == 0 else (before, name)
    if before or after:
        return before, after
    # Only a mode, an empty or a binary file: both names are the same, so the line is twice as long.
    both = head[0].removeprefix("diff --git ").rstrip("\n")
    half = both[: len(both) // 2].strip()
    name = _name(half, bare=False)
    return name, name


def _name(written: str, *, bare: bool) -> str:
    written = written.rstrip("\t")
    if written.startswith('"') and written.endswith('"'):
        written = _unquoted(written[1:-1])
    if written == "/dev/null":
        return ""
    return written if bare else written.partition("/")[2]


def _unquoted(text: str) -> str:
    """A name as git quotes it: bytes in octal, and the escapes of C."""
    plain = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "r": "\r", "a": "\a", "b": "\b"}
    raw = bytearray()
    at = 0
    while at < len(text):
        if text[at] != "\\" or at + 1 == len(text):
            raw += text[at].encode()
            at += 1
        elif text[at + 1 : at + 4].isdigit():
            raw.append(int(text[at + 1 : at + 4], 8) & 0xFF)
            at += 4
        else:
            raw += plain.get(text[at + 1], text[at + 1]).encode()
            at += 2
    return raw.decode("utf-8", "replace")


def _count(written: str | None) -> int:
    return 1 if written is None else int(written)
