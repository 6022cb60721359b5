"""Who holds a profile is told by process and start, so that no stranger of the same number is meant."""

import os
from pathlib import Path

import anyio.to_thread

from ouroboros.browser import profiles


async def test_a_process_that_only_has_the_number_of_an_owner_is_none(tmp_path: Path) -> None:
    def owner() -> int:
        (found,) = profiles.listed(tmp_path)
        return found.owner

    def forge() -> None:
        lock = profiles.folder(tmp_path, "work") / profiles.LOCK
        lock.write_bytes(b'{"pid":%d,"started":1}' % os.getpid())

    async with profiles.held(tmp_path, "work"):
        assert await anyio.to_thread.run_sync(owner) == os.getpid()
        await anyio.to_thread.run_sync(forge)
        assert await anyio.to_thread.run_sync(owner) == 0
