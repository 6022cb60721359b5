"""Who holds a profile is told by process and start, so that no stranger of the same number is meant."""

import fcntl
import os
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from ouroboros.browser import profiles
from ouroboros.browser.errors import BrowserFailed, ProfileUsed


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


@pytest.mark.proves("browser-kills")
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


@pytest.mark.deep
async def test_a_lock_that_nobody_signs_is_given_up(tmp_path: Path) -> None:
    async with profiles.held(tmp_path, "work"):
        pass
    unsigned = os.open(profiles.folder(tmp_path, "work") / profiles.LOCK, os.O_RDONLY)
    fcntl.flock(unsigned, fcntl.LOCK_SH)
    with pytest.raises(BrowserFailed, match="is used by process unknown"):
        async with profiles.held(tmp_path, "work"):
            pass
    os.close(unsigned)


@pytest.mark.proves("interfaces-two-browsers-at-once")
async def test_where_a_profile_is_used_the_next_of_its_numbers_stands_in(tmp_path: Path) -> None:
    names = profiles.names("work", "", stands_in=True)
    async with (
        profiles.held(tmp_path, *names) as first,
        profiles.held(tmp_path, *names) as second,
        profiles.held(tmp_path, *names) as third,
    ):
        assert [each.name for each in (first, second, third)] == ["work", "work-2", "work-3"]
        with pytest.raises(ProfileUsed, match="'work' is used"):
            async with profiles.held(tmp_path, *profiles.names("work", "", stands_in=False)):
                pass
    # One that is started again runs where its logins are, though the first is free by now.
    async with profiles.held(tmp_path, *profiles.names("work", "work-2", stands_in=True)) as again:
        assert again.name == "work-2"


async def test_when_all_that_may_stand_in_are_used_too_it_is_said(tmp_path: Path) -> None:
    names = profiles.names("x" * 64, "", stands_in=True)
    async with AsyncExitStack() as stack:
        for _ in names:
            await stack.enter_async_context(profiles.held(tmp_path, *names))
        with pytest.raises(ProfileUsed, match="is used by process"):
            await stack.enter_async_context(profiles.held(tmp_path, *names))


def test_a_profile_that_is_thrown_away_has_nothing_that_stands_in() -> None:
    assert profiles.names("", "", stands_in=True) == ("",)
