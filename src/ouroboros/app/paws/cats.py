"""Bundles of a project's files: gathered, checked, written in one step."""

import errno
import fcntl
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec
from anyio import to_thread
from msgspec import Struct

from ouroboros.agent.context.instructions import project_root
from ouroboros.app.paws.named import bytes_of
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.workspace.artifacts.cats.bundle import Dialect, Head, Metadata
from ouroboros.workspace.artifacts.cats.gather import (
    DEFAULT_OUTPUT,
    PART,
    Gathered,
    Listed,
    Wish,
    gather,
)
from ouroboros.workspace.artifacts.cats.making import Entry, Made, Order, make

if TYPE_CHECKING:
    from ouroboros.app.paws.sessions import Kept

__all__ = [
    "DEFAULT_OUTPUT",
    "Asked",
    "BudgetExceeded",
    "Entry",
    "Ground",
    "Listed",
    "Made",
    "NothingLeft",
    "Written",
    "find",
    "ground_of",
    "ground_of_session",
    "write",
]

_SHOWN = 5
_WORDS_BYTES = 10_000_000


class NothingLeft(OuroborosError):
    """No file is left for a bundle, so none was written."""


class BudgetExceeded(OuroborosError):
    """The files take more tokens than they may, so nothing was written."""

    exit_code = 3


class Asked(Struct, frozen=True, kw_only=True):
    """What the person wants in a bundle, and how.

    Attributes:
        paths: As they were written.
        listed: As a program listed them.
        output: A file; ``-`` is standard output.
        persona: A file with words for the model that come first.
        system: The same, after those.
        tells_answer: Say behind them how changes are to be answered.
        max_tokens: None for any number.
        secrets: Patterns of files that go in though they hold secrets.
    """

    paths: tuple[str, ...] = (".",)
    listed: tuple[str, ...] = ()
    output: str = DEFAULT_OUTPUT
    exclude: tuple[str, ...] = ()
    is_ignoring: bool = True
    has_defaults: bool = True
    dialect: Dialect = "v1"
    task: str = ""
    persona: str = ""
    system: str = ""
    tells_answer: bool = False
    outline: tuple[str, ...] = ()
    is_delta_ready: bool = False
    max_tokens: int | None = None
    most_bytes: int = 33_554_432
    secrets: tuple[str, ...] = ()
    has_binary: bool = True


class Ground(Struct, frozen=True, kw_only=True):
    """Where a bundle's files are.

    Attributes:
        root: The project's folder, a real path; paths in the bundle are relative to it.
        cwd: Where the person's names count from, at or below the root.
        start: Where the output's name counts from.
        session: The work session whose files they are; None for none.
    """

    root: Path
    cwd: Path
    start: Path
    session: str | None = None


class Written(Struct, frozen=True, kw_only=True):
    """A bundle that is in place.

    Attributes:
        output: Its file; None for standard output.
        dropped: Left out for the budget's sake, the least weighty first.
        left: Left out for another reason.
    """

    output: Path | None
    made: Made
    left: dict[str, str]
    dropped: tuple[str, ...] = ()


def ground_of(cwd: Path, root: str = "") -> Ground:
    """The project that a folder is in, or the one that is named; raises ``Misuse``."""
    start = Path(os.path.realpath(cwd))
    if not root:
        return Ground(root=project_root(start), cwd=start, start=start)
    top = Path(os.path.realpath(start / root))
    if not top.is_dir():
        raise Misuse(f"{root!r} is not a folder", hint="name an existing folder")
    return Ground(root=top, cwd=start if start.is_relative_to(top) else top, start=start)


async def ground_of_session(cwd: Path, environment: Mapping[str, str], session: str) -> Ground:
    """The work tree of a session.

    Raises:
        OuroborosError: There is none, or it is not active.
    """
    from ouroboros.app.paws.sessions import Sessions

    sessions = await Sessions.at(cwd, environment)
    kept = await sessions.active(session)
    return await to_thread.run_sync(_of_session, kept, cwd)


def _of_session(kept: "Kept", cwd: Path) -> Ground:
    root, start = Path(os.path.realpath(kept.tree)), Path(os.path.realpath(cwd))
    inside = start if start.is_relative_to(root) else root
    return Ground(root=root, cwd=inside, start=start, session=kept.id)


def find(asked: Asked, ground: Ground) -> Gathered:
    """The files that are meant; raises ``Misuse``."""
    own = [ground.start / name for name in (asked.output, asked.persona, asked.system) if name]
    return gather(
        Wish(
            root=ground.root,
            cwd=ground.cwd,
            paths=asked.paths,
            listed=asked.listed,
            exclude=asked.exclude,
            own=tuple(own),
            is_ignoring=asked.is_ignoring,
            has_defaults=asked.has_defaults,
        )
    )


def write(
    asked: Asked,
    ground: Ground,
    gathered: Gathered,
    *,
    metadata: Metadata | None = None,
    ranks: dict[str, float] | None = None,
    stdout: BinaryIO | None = None,
    may_include: Callable[[dict[str, str]], bool] = lambda _: False,
    tell: Callable[[int], None] = lambda _: None,
) -> Written:
    """Writes the bundle: all of it, or nothing.

    Args:
        asked: What the person wants.
        ground: Where the files are.
        gathered: The files.
        metadata: How they were chosen; by hand when None.
        ranks: How weighty each file is; with them a budget leaves out the least weighty.
        stdout: Takes the bundle where ``-`` is the output.
        may_include: Whether these files go in, though they hold these secrets.
        tell: Hears how many files were looked at.

    Raises:
        NothingLeft: No file is left.
        BudgetExceeded: They take more tokens than they may.
        OuroborosError: It cannot be written.
    """
    order = Order(
        root=ground.root,
        head=_head(asked, ground, metadata),
        dialect=asked.dialect,
        outline=asked.outline,
        secrets=asked.secrets,
        has_binary=asked.has_binary,
        most_bytes=asked.most_bytes,
    )
    files, dropped = list(gathered.files), list[str]()
    with _opened(asked.output, ground, stdout) as (sink, target):
        while True:
            made = make(order, files, sink, tell)
            if made.withheld and may_include(made.withheld):
                order = msgspec.structs.replace(order, secrets=("*",))
                _again(sink)
                continue
            if not made.entries:
                raise _nothing(made, gathered)
            if asked.max_tokens is None or made.tokens <= asked.max_tokens:
                break
            gone = _least(made, ranks or {}, asked.max_tokens)
            if not ranks or len(gone) == len(made.entries):
                raise _exceeded(made, asked.max_tokens)
            dropped += gone
            files = [file for file in files if file.path not in set(gone)]
            _again(sink)
    return Written(
        output=target,
        made=made,
        left={**gathered.left, **made.left},
        dropped=tuple(dropped),
    )


def _again(sink: BinaryIO) -> None:
    sink.seek(0)
    sink.truncate()


def _head(asked: Asked, ground: Ground, metadata: Metadata | None) -> Head:
    found = metadata or Metadata()
    return Head(
        task_description=asked.task,
        metadata=msgspec.structs.replace(found, source_session=ground.session),
        is_delta_ready=asked.is_delta_ready,
        persona=_words(ground.start, asked.persona),
        system=_system(asked, ground.start),
    )


def _system(asked: Asked, start: Path) -> bytes:
    """The words after the persona: the person's own, and how to answer."""
    own = _words(start, asked.system)
    if not asked.tells_answer:
        return own
    from ouroboros.agent.prompts import load

    pieces = load(Path(__file__).parent / "prompts")
    told = [pieces["answer"].text, *([pieces["numbered"].text] if asked.is_delta_ready else [])]
    return b"\n\n".join([*filter(None, [own.rstrip()]), *(each.encode() for each in told)]) + b"\n"


def _words(start: Path, name: str) -> bytes:
    """The words for the model in a file; they must be UTF-8."""
    if not name:
        return b""
    data = bytes_of(name, most=_WORDS_BYTES, start=start)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise Misuse(f"{name!r} is no UTF-8 text") from None
    return data


def _least(made: Made, ranks: dict[str, float], most: int) -> list[str]:
    """The files that go, the least weighty first, of two alike the larger one."""
    over = made.tokens - most
    gone: list[str] = []
    for entry in sorted(made.entries, key=lambda each: (ranks.get(each.path, 0), -each.tokens)):
        if over <= 0:
            break
        over -= entry.tokens
        gone.append(entry.path)
    return gone


def _exceeded(made: Made, most: int) -> BudgetExceeded:
    largest = sorted(made.entries, key=lambda each: -each.tokens)[:_SHOWN]
    told = ", ".join(f"{each.path} ({each.tokens:,})" for each in largest)
    return BudgetExceeded(
        f"the bundle would take about {made.tokens:,} tokens, more than {most:,}; nothing was written",
        hint=f"leave some out by -x, or show their signatures alone by --outline; the largest: {told}",
    )


def _nothing(made: Made, gathered: Gathered) -> NothingLeft:
    left = {**gathered.left, **made.left, **made.withheld}
    if not left:
        return NothingLeft("no file is left for a bundle, so none was written")
    path, why = next(iter(left.items()))
    more = f", and {len(left) - 1} more" if len(left) > 1 else ""
    hint = "--include-secrets takes files with secrets, too" if made.withheld else ""
    return NothingLeft(
        f"every file was left out, so no bundle was written: {path} ({why}){more}", hint=hint
    )


@contextmanager
def _opened(
    output: str, ground: Ground, stdout: BinaryIO | None
) -> Generator[tuple[BinaryIO, Path | None]]:
    """Where the bundle is written; it appears in its place when all went well, else not at all."""
    if output == "-":
        yield from _spooled(stdout)
        return
    place = ground.start / output
    if place.is_dir():
        raise Misuse(f"{output!r} is a folder", hint="name a file for the bundle")
    if place.exists() and not place.is_file():
        with place.open("wb", buffering=0) as special:
            yield from _spooled(special)
        return
    target = Path(os.path.realpath(place))
    if not target.parent.is_dir():
        raise Misuse(f"there is no folder {str(target.parent)!r} for the bundle")
    _sweep(target)
    beside = target.parent / f".{target.name[:100]}.{os.urandom(6).hex()}{PART}"
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        with os.fdopen(os.open(beside, flags, 0o666), "w+b") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            yield file, target
            file.flush()
            if target.exists():
                os.fchmod(file.fileno(), target.stat().st_mode & 0o777)
            os.fsync(file.fileno())
        beside.replace(target)
    except OSError as failed:
        raise _unwritten(output, failed) from failed
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _sweep(target: Path) -> None:
    """Takes away what a killed call left; a call that is still at it holds a lock."""
    start = f".{target.name[:100]}."
    for left in target.parent.glob(f".*{PART}"):
        if not left.name.startswith(start) or left.is_symlink():
            continue
        with suppress(OSError), left.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink(missing_ok=True)


def _spooled(stdout: BinaryIO | None) -> Generator[tuple[BinaryIO, None]]:
    """Kept aside until it is whole, so that a reader never has half of it."""
    import tempfile

    try:
        with tempfile.TemporaryFile() as spool:
            yield spool, None
            if stdout is not None:
                spool.seek(0)
                while piece := spool.read(1_048_576):
                    _put(stdout, piece)
                stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as failed:
        raise _unwritten("-", failed) from failed


def _put(out: BinaryIO, piece: bytes) -> None:
    """Writes all of it, also where the other side takes less at a time."""
    rest = memoryview(piece)
    while rest:
        rest = rest[out.write(rest) :]


def _unwritten(output: str, failed: OSError) -> OuroborosError:
    why = failed.strerror or str(failed)
    name = "standard output" if output == "-" else repr(output)
    hint = "free some space, or write elsewhere" if failed.errno == errno.ENOSPC else ""
    return OuroborosError(
        f"{name} cannot be written: {why}; what was there is as it was", hint=hint
    )
