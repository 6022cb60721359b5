"""Reading a patch; lenient where models are sloppy, exact about where it went wrong."""

from msgspec import Struct

from ouroboros.core.errors import ToolFailed

BEGIN = "*** Begin Patch"
END = "*** End Patch"
ADD = "*** Add File: "
DELETE = "*** Delete File: "
UPDATE = "*** Update File: "
MOVE = "*** Move to: "
END_OF_FILE = "*** End of File"
CONTEXT = "@@ "
EMPTY_CONTEXT = "@@"

_HEREDOCS = frozenset({"<<EOF", "<<'EOF'", '<<"EOF"'})


class PatchBroken(ToolFailed):
    """The text is not a patch; ``line`` is 0 when its boundaries are wrong."""

    def __init__(self, reason: str, *, line: int = 0) -> None:
        """``line`` counts from 1 within the patch."""
        where = f"invalid hunk at line {line}, {reason}" if line else f"invalid patch: {reason}"
        super().__init__(where)
        self.reason = reason
        self.line = line


class Chunk(Struct, frozen=True, kw_only=True):
    """Lines to find and what replaces them; ``context`` is a line to look for first."""

    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    context: str | None = None
    at_end: bool = False


class AddFile(Struct, frozen=True, kw_only=True, tag="add"):
    """A new file with this content."""

    path: str
    content: str


class DeleteFile(Struct, frozen=True, kw_only=True, tag="delete"):
    """A file that goes away."""

    path: str


class UpdateFile(Struct, frozen=True, kw_only=True, tag="update"):
    """A file that changes, and may move."""

    path: str
    chunks: tuple[Chunk, ...]
    move_to: str | None = None


type Hunk = AddFile | DeleteFile | UpdateFile


def parse(text: str) -> tuple[Hunk, ...]:
    """The hunks of a patch.

    Raises:
        PatchBroken: It is not a patch.
    """
    try:
        text.encode()
    except UnicodeEncodeError as broken:
        raise PatchBroken(f"lone surrogate at position {broken.start}") from broken
    lines = _inside(text.strip().split("\n"))
    hunks: list[Hunk] = []
    position = 0
    while position < len(lines):
        reader = _Reader(lines, position)
        hunks.append(reader.hunk())
        position = reader.position
    return tuple(hunks)


def _inside(lines: list[str]) -> list[str]:
    """The lines between the markers, also when a here-document was sent along."""
    broken = _boundary_fault(lines)
    if broken is None:
        return lines[1:-1]
    is_heredoc = len(lines) >= 4 and lines[0] in _HEREDOCS and lines[-1].endswith("EOF")
    if is_heredoc and _boundary_fault(lines[1:-1]) is None:
        return lines[2:-2]
    raise broken


def _boundary_fault(lines: list[str]) -> PatchBroken | None:
    if lines[0].strip() != BEGIN:
        return PatchBroken(f"The first line of the patch must be '{BEGIN}'")
    if len(lines) < 2 or lines[-1].strip() != END:
        return PatchBroken(f"The last line of the patch must be '{END}'")
    return None


class _Reader:
    """Reads one hunk, from the line it starts on."""

    def __init__(self, lines: list[str], position: int) -> None:
        self.position = position
        self._lines = lines

    @property
    def _number(self) -> int:
        """The line as a person counts: the begin marker is line 1."""
        return self.position + 2

    def _line(self) -> str | None:
        return self._lines[self.position] if self.position < len(self._lines) else None

    def hunk(self) -> Hunk:
        number = self._number
        header = self._lines[self.position].strip()
        self.position += 1
        if header.startswith(ADD):
            return AddFile(path=header.removeprefix(ADD), content=self._added())
        if header.startswith(DELETE):
            return DeleteFile(path=header.removeprefix(DELETE))
        if header.startswith(UPDATE):
            return self._update(header.removeprefix(UPDATE), number)
        raise PatchBroken(
            f"'{header}' is not a valid hunk header. Valid hunk headers: "
            f"'{ADD}{{path}}', '{DELETE}{{path}}', '{UPDATE}{{path}}'",
            line=number,
        )

    def _added(self) -> str:
        content: list[str] = []
        while (line := self._line()) is not None and line.startswith("+"):
            content.append(f"{line[1:]}\n")
            self.position += 1
        return "".join(content)

    def _update(self, path: str, number: int) -> UpdateFile:
        move_to = None
        line = self._line()
        if line is not None and line.startswith(MOVE):
            move_to = line.removeprefix(MOVE)
            self.position += 1
        chunks: list[Chunk] = []
        while (line := self._line()) is not None and not line.startswith("*"):
            if line.strip():
                chunks.append(self._chunk(path, is_first=not chunks))
            else:
                self.position += 1
        if not chunks:
            raise PatchBroken(f"Update file hunk for path '{path}' is empty", line=number)
        return UpdateFile(path=path, chunks=tuple(chunks), move_to=move_to)

    def _chunk(self, path: str, *, is_first: bool) -> Chunk:
        context: str | None = None
        header = self._lines[self.position]
        if header.rstrip() == EMPTY_CONTEXT:
            self.position += 1
        elif header.startswith(CONTEXT):
            context = header.removeprefix(CONTEXT)
            self.position += 1
        elif not is_first:
            raise PatchBroken(
                f"Expected update hunk to start with a @@ context marker, got: '{header}'",
                line=self._number,
            )
        return self._body(path, context)

    def _body(self, path: str, context: str | None) -> Chunk:
        if self._line() is None:
            raise PatchBroken("Update hunk does not contain any lines", line=self._number)
        old: list[str] = []
        new: list[str] = []
        count = 0
        at_end = False
        while (line := self._line()) is not None:
            if line.rstrip() == END_OF_FILE:
                if not count:
                    raise PatchBroken("Update hunk does not contain any lines", line=self._number)
                self.position += 1
                at_end = True
                break
            if line and line[0] not in " +-":
                if not count:
                    raise PatchBroken(
                        f"Unexpected line found in update hunk: '{line}'. Every line should start "
                        "with ' ' (context line), '+' (added line), or '-' (removed line)",
                        line=self._number,
                    )
                break
            if not line or line[0] in " -":
                old.append(line[1:])
            if not line or line[0] in " +":
                new.append(line[1:])
            count += 1
            self.position += 1
        return Chunk(old=tuple(old), new=tuple(new), context=context, at_end=at_end)
