"""Writes a bundle, file by file: what is left out, what holds secrets, what it costs; blocks."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from ouroboros.safety.paths.secret_names import is_secret_name
from ouroboros.safety.secrets.detector import Detector
from ouroboros.safety.secrets.find import shaped as shaped_like_keys
from ouroboros.workspace.artifacts.cats import markers, v1
from ouroboros.workspace.artifacts.cats.bundle import Dialect, File, Head
from ouroboros.workspace.artifacts.cats.contents import MOST_BYTES, Left, content
from ouroboros.workspace.artifacts.cats.gather import Listed
from ouroboros.workspace.artifacts.cats.outline import outlined
from ouroboros.workspace.artifacts.exact import Shaped, shaped
from ouroboros.workspace.artifacts.tokens import tokens_of
from ouroboros.workspace.checkpoints.ignored import Ignored
from ouroboros.workspace.checkpoints.scan import pattern_lines

_SHOWN_SECRETS = 3
_LOOKED_INTO = 1_048_576
"""Bytes of a binary file in which keys of known forms are looked for."""
_BEGINNINGS = (b'---\nversion: "1.', b"# Cats Bundle\n", b"# Dogs Bundle\n")


class Sink(Protocol):
    """Where a bundle goes."""

    def write(self, data: bytes, /) -> object:
        """Takes the next piece; raises ``OSError`` when there is no room."""
        ...


class Order(Struct, frozen=True, kw_only=True):
    """How a bundle is written.

    Attributes:
        root: A real path.
        outline: Globs of files whose signatures alone are wanted, as lines of an ignore file.
        secrets: Globs of files that go in though they hold secrets, as lines of an ignore file.
        has_binary: What is no text goes in as base64.
        most_bytes: Larger files are left out.
    """

    root: Path
    head: Head
    dialect: Dialect = "v1"
    outline: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    has_binary: bool = True
    most_bytes: int = MOST_BYTES


class Entry(Struct, frozen=True, kw_only=True):
    """One file that is in the bundle.

    Attributes:
        bytes: Of the block.
        is_torn: It was written to while it was read.
        has_secrets: It holds some, and is in all the same.
        lacks_outline: Its signatures were wanted and are not known, so it is in whole.
    """

    path: str
    tokens: int
    bytes: int
    is_outline: bool = False
    is_torn: bool = False
    has_secrets: bool = False
    lacks_outline: bool = False


class Made(Struct, frozen=True, kw_only=True):
    """A bundle that was written.

    Attributes:
        left: Files that are not in it, and why.
        secrets: Those that hold secrets, and which, with lines; they are in it only if the order says so.
        withheld: Such of them as are not in it.
        tokens: An estimate for all of it.
    """

    entries: tuple[Entry, ...]
    left: dict[str, str]
    secrets: dict[str, str]
    withheld: dict[str, str]
    tokens: int
    bytes: int


def make(
    order: Order, files: Iterable[Listed], sink: Sink, tell: Callable[[int], None] = lambda _: None
) -> Made:
    """Writes the bundle; a file at a time is in memory.

    Args:
        order: What it looks like.
        files: What goes in, in this order.
        sink: Takes the bytes.
        tell: Hears how many files were looked at.
    """
    job = _Job(order, sink)
    dialect = v1 if order.dialect == "v1" else markers
    job.put(dialect.opening(order.head))
    for count, file in enumerate(files, 1):
        job.take(file)
        tell(count)
    return Made(
        entries=tuple(job.entries),
        left=job.left,
        secrets=job.secrets,
        withheld=job.withheld,
        tokens=job.tokens,
        bytes=job.bytes,
    )


class _Job:
    def __init__(self, order: Order, sink: Sink) -> None:
        self._order, self._sink = order, sink
        self._outline = Ignored(None, "", pattern_lines(order.outline))
        self._admitted = Ignored(None, "", pattern_lines(order.secrets))
        self._detector = Detector()
        self.entries: list[Entry] = []
        self.left: dict[str, str] = {}
        self.secrets: dict[str, str] = {}
        self.withheld: dict[str, str] = {}
        self.tokens = self.bytes = 0

    def put(self, data: bytes) -> int:
        """Writes a piece; the tokens of it."""
        tokens = tokens_of(data)
        self.tokens += tokens
        self.bytes += len(data)
        self._sink.write(data)
        return tokens

    def take(self, listed: Listed) -> None:
        order = self._order
        try:
            found = content(order.root, listed.path, most=order.most_bytes)
        except Left as why:
            self.left[listed.path] = str(why)
            return
        if not listed.is_named and found.data.startswith(_BEGINNINGS):
            self.left[listed.path] = "it is a bundle itself"
            return
        text = shaped(found.data)
        if text is None and not order.has_binary:
            self.left[listed.path] = "it is no text"
            return
        secret = self._secret(listed.path, found.data, text)
        if secret:
            self.secrets[listed.path] = secret
            if not self._admitted.covers(listed.path):
                self.withheld[listed.path] = secret
                return
        outline = None
        is_wanted = bool(self._outline.verdict(listed.path, is_folder=False))
        if is_wanted:
            outline = outlined(listed.path, found.data)
            text = text if outline is None else shaped(outline)
        file = File(
            path=listed.path,
            data=found.data if outline is None else outline,
            is_executable=found.is_executable,
            is_outline=outline is not None,
        )
        data = (
            v1.block_of(file, text, is_numbered=order.head.is_delta_ready)
            if order.dialect == "v1"
            else markers.block(file)
        )
        self.entries.append(
            Entry(
                path=listed.path,
                tokens=self.put(data),
                bytes=len(data),
                is_outline=outline is not None,
                is_torn=found.is_torn,
                has_secrets=bool(secret),
                lacks_outline=is_wanted and outline is None,
            )
        )

    def _secret(self, path: str, data: bytes, text: Shaped | None) -> str:
        """What secrets a file holds, or is likely to by its name; empty for none."""
        found: list[str] = []
        if text is not None:
            words = text.text.decode("utf-8")
            for each in self._detector.find(words)[:_SHOWN_SECRETS]:
                line = words.count("\n", 0, each.start) + 1
                found.append(f"{each.kind} in line {line}")
        elif len(data) <= _LOOKED_INTO:  # it may be text in UTF-16 without a mark
            words = data.replace(b"\0", b"").decode("latin-1")
            found += [each.kind for each in shaped_like_keys(words)[:_SHOWN_SECRETS]]
        if not found and data and is_secret_name(path):
            found.append("its name is that of a file with secrets")
        return ", ".join(found)
