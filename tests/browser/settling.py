"""Waits for what a browser does in its own time."""

import itertools
from collections.abc import Callable

import anyio


async def until(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Returns when ``holds`` is true; fails when it is not in time."""
    with anyio.fail_after(seconds):
        for pause in itertools.repeat(0.02):
            if holds():
                return
            await anyio.sleep(pause)
