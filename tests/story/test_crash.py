"""kill -9 at seeded moments: nothing acknowledged is lost, no call runs twice."""

import shutil
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.testing.server import serving
from tests.story import crash


async def reports(tmp_path: Path, seed: int, count: int) -> list[crash.Report]:
    cwd = tmp_path / "work"
    found: list[crash.Report] = []
    async with serving(crash.turns(), order="history") as server:
        cwd.mkdir()
        await to_thread.run_sync(crash.whole_run, server.url, cwd, tmp_path / "twin", "Do it.")
        twin = crash.requests(server)
        for number, moment in enumerate(crash.moments(seed, count)):
            shutil.rmtree(cwd)
            cwd.mkdir()
            home = tmp_path / f"home{number}"
            found.append(await to_thread.run_sync(crash.examine, server, cwd, home, moment, twin))
            shutil.rmtree(home)
    return found


def complaints(found: list[crash.Report]) -> list[tuple[crash.Moment, tuple[str, ...]]]:
    return [(report.moment, report.complaints) for report in found if report.complaints]


@pytest.mark.proves("spine-shown-by", "I06", "codex-16.1", "codex-16.5")
async def test_a_killed_run_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    found = await reports(tmp_path, seed=7, count=1)
    assert complaints(found) == []
    assert any(report.in_call for report in found)


@pytest.mark.soak
@pytest.mark.proves("spine-shown-by", "I06", "codex-16.1", "codex-16.5")
async def test_three_kills_lose_nothing_and_repeat_nothing(tmp_path: Path) -> None:
    found = await reports(tmp_path, seed=11, count=3)
    assert complaints(found) == []
    assert sum(report.in_call or report.in_commit for report in found) >= 1


@pytest.mark.soak
@pytest.mark.proves("spine-shown-by")
async def test_a_hundred_kills_lose_nothing_and_repeat_nothing(tmp_path: Path) -> None:
    found = await reports(tmp_path, seed=2026, count=100)
    assert complaints(found) == []
    hurting = sum(report.in_call or report.in_commit for report in found)
    assert hurting >= 60, f"only {hurting} of {len(found)} kills hit a call or a commit"
