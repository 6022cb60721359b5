"""A map of a folder, made in a process of its own, so that nothing waits and nothing freezes."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import anyio
import msgspec

from ouroboros.core.errors import OuroborosError
from ouroboros.safety.spawn import run
from ouroboros.workspace.repomap.worker import Map, Wish

MAP_SECONDS = 60.0
"""How long a map may take; what was read until then is kept for the next one."""

MOST_BYTES = 16_777_216
_TRIES = 3


class MapFailed(OuroborosError):
    """No map could be made."""


async def mapped(wish: Wish, environment: Mapping[str, str]) -> Map:
    """The map of a folder.

    Raises:
        MapFailed: It took too long, or files brought the process down again and again.
    """
    said = ""
    with anyio.move_on_after(MAP_SECONDS):
        for _ in range(_TRIES):
            ended = await run(
                (sys.executable, "-I", "-m", "ouroboros.workspace.repomap.worker"),
                cwd=Path(os.sep),
                environment=environment,
                timeout_seconds=MAP_SECONDS,
                stdin=msgspec.json.encode(wish),
                limit=MOST_BYTES,
            )
            if ended.exit_code == 0:
                return msgspec.json.decode(ended.stdout, type=Map)
            said = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise MapFailed(f"no map could be made: {said[:200] or 'its process came down'}")
    raise MapFailed(
        f"the map took longer than {MAP_SECONDS:g} s",
        hint="ask for it again: what was read is kept",
    )
