"""An outline of what is where in a folder, by rank, in as many tokens as the model wants."""

import os
import re
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from msgspec import Meta, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.safety.paths import real
from ouroboros.tools.builtin.location import located, shown
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.repomap.mapping import mapped
from ouroboros.workspace.repomap.outline import outline
from ouroboros.workspace.repomap.ranking import Ranked
from ouroboros.workspace.repomap.worker import Wish

MOST_TOKENS = 8_000

_MOST_WORDS = 10
_LEAST_LINE = 12
"""Characters of the shortest line of an outline."""


class RepoMapArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which folder, how much of it, and what the work is about."""

    path: str = "."
    tokens: Annotated[int, Meta(ge=100, le=MOST_TOKENS)] = 1_000
    query: Annotated[
        str, Meta(max_length=500, description="words in names of symbols and files to put first")
    ] = ""
    near: Annotated[
        tuple[str, ...], Meta(max_length=50, description="files whose uses count more")
    ] = ()


class RepoMapTool:
    """Shows the symbols that matter most, each with its file, its line and its signature."""

    name = "repo_map"
    description = (
        "Map of a repository or folder: the classes and functions that matter most, ranked by how "
        "much is built on them, with file, line and signature."
    )
    arguments = RepoMapArguments
    parallel_safe = True
    exposure: Exposure = "deferred"

    def __init__(self, home: Path) -> None:
        """``home`` is where found symbols are kept from one map to the next."""
        self._home = home

    def effect(self, arguments: RepoMapArguments, cwd: Path) -> Effect:
        """Reads the files of the folder."""
        path = located(arguments.path, cwd)
        return Effect(kind="read", action=f"Map {shown(path, cwd)}", paths=(path,))

    async def run(
        self, arguments: RepoMapArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The outline."""
        path = located(arguments.path, context.cwd)
        root = await to_thread.run_sync(_folder, path)
        most = int(arguments.tokens * CHARS_PER_TOKEN)
        words = re.findall(r"\w{3,}", arguments.query.lower())
        found = await mapped(
            Wish(
                root=str(root),
                home=str(self._home),
                most_chars=0,
                near=tuple(_below(root, each, context.cwd) for each in arguments.near),
                words=tuple(dict.fromkeys(words))[:_MOST_WORDS],
                most_ranked=2 * most // _LEAST_LINE,
            ),
            context.environment,
        )

        def draw() -> tuple[str, int]:
            return outline(_open(found.ranked, root, context), most_chars=most)

        text, count = await to_thread.run_sync(draw)
        counted = f"[{count} symbols of {found.files:,} files]"
        yield Result.of(f"{text}\n{counted}" if text else f"no symbols were found {counted}")


def _open(ranked: Sequence[Ranked], root: Path, context: ToolContext) -> list[Ranked]:
    """Without those of files that may not be read."""
    paths = dict.fromkeys(one.path for one in ranked)
    hidden = {path for path in paths if context.hides(root / path)}
    return [one for one in ranked if one.path not in hidden]


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise ToolFailed(f"{path} is {'not a folder' if path.exists() else 'not there'}")
    return real(path)


def _below(root: Path, written: str, cwd: Path) -> str:
    """A file as the map calls it: by its path below the folder, however it was written."""
    for base in (cwd, root):
        path = os.path.normpath(base / written)
        if Path(path).is_relative_to(root) and Path(path) != root and os.path.lexists(path):
            return Path(path).relative_to(root).as_posix()
    return written
