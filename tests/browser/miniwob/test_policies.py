"""Policies in JavaScript solve tasks of MiniWoB++ through the functions that a model has."""

from pathlib import Path

import pytest

from tests.browser.chromium import Chromium
from tests.browser.miniwob.episodes import arena
from tests.browser.miniwob.pages import tasks
from tests.browser.miniwob.policies import policies
from tests.cases import soak_but

EVERY_DAY = 4242
"""Seed of the default run; policies were written on 0 to 9."""

FRESH = range(6000, 6010)
PARTS = 8
SHARE = 12
"""A few tasks are enough for each day; the deep run has them all once, the long one with ten seeds."""

LONG = """buy-ticket click-shades count-shape drag-shapes drag-single-shape enter-time generate-number
guess-number multi-orderings odd-or-even order-food phone-book stock-market visual-addition"""


def every_day() -> list[str]:
    """The tasks of the shorter runs; the long ones, and sisters of others, are left to the long run."""
    return [
        name for name in sorted(policies()) if not has_sister(name) and name not in LONG.split()
    ]


def has_sister(task: str) -> bool:
    """Such as ``email-inbox-delete`` of ``email-inbox``."""
    return any(task.rsplit("-", cut)[0] in policies() for cut in range(1, task.count("-") + 1))


async def played(chromium: Chromium, folder: Path, names: list[str], seeds: range) -> list[str]:
    """What was not solved."""
    lost: list[str] = []
    async with arena(chromium, folder) as ring:
        for name in names:
            async with ring.seated(name) as (tab, judge):
                for seed in seeds:
                    ended = await ring.episode(tab, judge, name, seed, policies()[name])
                    if not ended.solved:
                        lost.append(f"{name} {seed}: {ended.raw:g} {ended.foul} {ended.error}")
    return lost


@pytest.mark.proves("browser-miniwob")
def test_there_are_policies_for_many_tasks_and_for_nothing_else() -> None:
    assert len(policies()) >= 80
    assert set(policies()) <= set(tasks())
    assert len(every_day()) >= 45


@pytest.mark.deep
@pytest.mark.proves("browser-miniwob")
async def test_policies_solve_their_tasks(chromium: Chromium, work: Path) -> None:
    lost = await played(chromium, work, every_day()[::SHARE], range(EVERY_DAY, EVERY_DAY + 1))
    assert not lost, "\n".join(lost)


@pytest.mark.proves("browser-miniwob")
@pytest.mark.parametrize("part", soak_but(3, range(PARTS)))
async def test_policies_solve_a_seed_they_have_not_seen(
    chromium: Chromium, work: Path, part: int
) -> None:
    lost = await played(chromium, work, every_day()[part::PARTS], FRESH[:1])
    assert not lost, "\n".join(lost)


@pytest.mark.soak
@pytest.mark.parametrize("task", sorted(policies()))
async def test_policies_solve_ten_seeds_they_have_not_seen(
    chromium: Chromium, work: Path, task: str
) -> None:
    lost = await played(chromium, work, [task], FRESH)
    assert not lost, "\n".join(lost)
