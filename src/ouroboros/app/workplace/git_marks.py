"""What git says of the files of a folder: changed, new, gone, in conflict."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.app.review import git
from ouroboros.core.errors import Misuse

type Mark = Literal["added", "changed", "removed", "moved", "new", "conflict"]

_WORDS: dict[str, Mark] = {"A": "added", "D": "removed", "R": "moved", "C": "added"}
_STATUS = (
    *("status", "--porcelain=v1", "-z", "--untracked-files=all"),
    *("--ignore-submodules=all", "--no-renames", "--", "."),
)


class Marks(Struct, frozen=True, kw_only=True):
    """The marks of files by their path below the folder; ``branch`` is empty outside of a repository."""

    branch: str = ""
    files: dict[str, Mark] = {}
    is_cut: bool = False


async def marks(root: Path, environment: Mapping[str, str], *, most: int) -> Marks:
    """How files differ from what git has last; nothing where there is no repository."""
    try:
        repository = await git.at(root, environment)
        said = await repository.ask("-C", str(root), *_STATUS)
        named = ("symbolic-ref", "--short", "--quiet", "HEAD")
        branch = (await repository.ask(*named, may_fail=True)).strip()
    except Misuse:
        return Marks()
    found = _read(said, _below(repository.root, root))
    files = dict(list(found.items())[:most])
    return Marks(branch=branch or "(detached)", files=files, is_cut=len(found) > most)


def _below(top: Path, root: Path) -> str:
    top = top.resolve()
    inside = root.resolve()
    if not inside.is_relative_to(top) or inside == top:
        return ""
    return f"{inside.relative_to(top).as_posix()}/"


def _read(said: str, prefix: str) -> dict[str, Mark]:
    found: dict[str, Mark] = {}
    for line in said.split("\0"):
        if len(line) > 3 and line[3:].startswith(prefix):
            found[line[3 + len(prefix) :]] = _mark(line[:2])
    return found


def _mark(code: str) -> Mark:
    if code == "??":
        return "new"
    if "U" in code or code in {"AA", "DD"}:
        return "conflict"
    letter = code[0] if code[0] != " " else code[1]
    return "removed" if code[1] == "D" else _WORDS.get(letter, "changed")
