"""A place for objects that a question makes, so that none of them stays in the person's repository."""

import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import anyio
from anyio import to_thread

from ouroboros.workspace.worktrees.git import Git


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
