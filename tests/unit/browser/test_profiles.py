"""Who holds a profile is told by process and start, so that no stranger of the same number is meant."""

import fcntl
import os
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from ouroboros.browser import profiles
from ouroboros.browser.errors import BrowserFailed


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


async def test_one_who_only_looks_is_no_owner(tmp_path: Path) -> None:
    """Listing locks for a moment; the last owner lives and has let go."""
    async with profiles.held(tmp_path, "work"):
        pass
    looking = os.open(profiles.folder(tmp_path, "work") / profiles.LOCK, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)

    async def look_away() -> None:
        await anyio.sleep(0.1)
        os.close(looking)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(look_away)
        async with profiles.held(tmp_path, "work") as path:
            assert path == profiles.folder(tmp_path, "work")


async def test_an_owner_is_told_at_once_and_by_number(tmp_path: Path) -> None:
    async with profiles.held(tmp_path, "work"):
        with pytest.raises(BrowserFailed, match=f"is used by process {os.getpid()}$"):
            async with profiles.held(tmp_path, "work"):
                pass


async def test_a_lock_that_nobody_signs_is_given_up(tmp_path: Path) -> None:
    async with profiles.held(tmp_path, "work"):
        pass
    unsigned = os.open(profiles.folder(tmp_path, "work") / profiles.LOCK, os.O_RDONLY)
    fcntl.flock(unsigned, fcntl.LOCK_SH)
    with pytest.raises(BrowserFailed, match="is used by process unknown"):
        async with profiles.held(tmp_path, "work"):
            pass
    os.close(unsigned)
