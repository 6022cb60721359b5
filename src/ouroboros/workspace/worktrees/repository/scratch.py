"""Places for what a question writes, so that none of it stays in the person's repository."""

import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.workspace.worktrees.repository.git import Git


@asynccontextmanager
async def objects(git: Git) -> AsyncGenerator[dict[str, str]]:
    """Variables with which git reads the repository's objects and writes new ones elsewhere."""
    real = await git.ask("rev-parse", "--path-format=absolute", "--git-path", "objects")
    folder = await to_thread.run_sync(partial(tempfile.mkdtemp, prefix="ouro-objects-"))
    try:
        # A path with a colon or a quote is read as several, unless it is quoted as in C.
        quoted = '"' + real.replace("\\", "\\\\").replace('"', '\\"') + '"'
        yield {"GIT_OBJECT_DIRECTORY": folder, "GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted}
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))


@asynccontextmanager
async def index(tree: Git) -> AsyncGenerator[dict[str, str]]:
    """Variables with which git stages in a copy of a work tree's index."""
    own = Path(await tree.ask("rev-parse", "--path-format=absolute", "--git-path", "index"))
    folder = Path(await to_thread.run_sync(partial(tempfile.mkdtemp, prefix="ouro-index-")))
    try:
        with suppress(FileNotFoundError):
            await to_thread.run_sync(shutil.copy2, own, folder / "index")
        yield {"GIT_INDEX_FILE": str(folder / "index")}
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))
