"""Which files a person may mean who has typed the beginning of an ``@`` name: for every face's completion."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.safety.commands.git import HARDENED
from ouroboros.safety.environment import apart
from ouroboros.safety.spawn import run

MOST_FILES = 200_000
GIT_SECONDS = 5.0
_BYTES = 32 * 1_048_576

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")


class Names(Struct, frozen=True, kw_only=True):
    """Files from a folder on, and the folders that hold them, which end with a slash."""

    names: tuple[str, ...]

    def like(self, typed: str, limit: int = 20) -> list[str]:
        """The names that fit what was typed, the best first."""
        return ranked(typed, self.names, limit)


async def named(cwd: Path, environment: Mapping[str, str]) -> Names:
    """What is there, without what git ignores; where git does not know, without what searches skip."""
    listed = await _of_git(cwd, environment)

    def names() -> tuple[str, ...]:
        files = _walked(cwd) if listed is None else _read(listed)
        return tuple(_with_folders(files))

    return Names(names=await to_thread.run_sync(names))


async def _of_git(cwd: Path, environment: Mapping[str, str]) -> bytes | None:
    command = (*HARDENED.split(), *_LIST)
    try:
        own = await to_thread.run_sync(apart, environment, cwd)
        ended = await run(
            command, cwd=cwd, environment=own, timeout_seconds=GIT_SECONDS, limit=_BYTES
        )
    except OSError:
        return None
    if ended.exit_code != 0:
        return None
    return ended.stdout


def _read(listed: bytes) -> Sequence[str]:
    found = listed.decode("utf-8", "surrogateescape").split("\0")
    return [name for name in found[:MOST_FILES] if name]


def _walked(cwd: Path) -> Sequence[str]:
    from ouroboros.tools.builtin.walker import walk

    try:
        return [str(Path(name).relative_to(cwd)) for name in islice(walk(str(cwd)), MOST_FILES)]
    except OSError:
        return []


def _with_folders(files: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in files:
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            found["/".join(parts[:depth]) + "/"] = None
        found[name] = None
    return list(found)


def ranked(typed: str, names: Iterable[str], limit: int) -> list[str]:
    """The names in which the typed letters stand in this order, the best first.

    A name that begins so comes before one that only holds it, whole before scattered letters, the
    last part of a path before the rest of it, and short before long.
    """
    wanted = typed.lower()
    scored = ((_score(wanted, name), name) for name in names)
    best = sorted((score, len(name), name) for score, name in scored if score is not None)
    return [name for _, _, name in best[:limit]]


def _score(wanted: str, name: str) -> int | None:
    """Lower is better; None where the letters are not in it."""
    whole = name.lower()
    last = whole.rstrip("/").rpartition("/")[2]
    for score, fits in enumerate((
        whole.startswith(wanted),
        last.startswith(wanted),
        wanted in last,
        wanted in whole,
    )):
        if fits:
            return score
    place = -1
    for letter in wanted:
        place = whole.find(letter, place + 1)
        if place < 0:
            return None
    return 4
