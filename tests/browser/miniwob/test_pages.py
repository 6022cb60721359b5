"""The pages of MiniWoB++ load, begin anew by seed, and are judged from where no policy reaches."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium
from tests.browser.miniwob.episodes import Arena, arena
from tests.browser.miniwob.pages import tasks
from tests.browser.stage import read

PARTS = 8
SAMPLE = (
    "book-flight",
    "choose-list",
    "click-checkboxes",
    "drag-items",
    "email-inbox",
    "enter-text",
    "login-user",
    "navigate-tree",
    "search-engine",
    "use-slider",
)


@pytest.fixture
async def ring(chromium: Chromium, tmp_path: Path) -> AsyncIterator[Arena]:
    folder = tmp_path / "work"
    folder.mkdir()
    async with arena(chromium, folder) as ring:
        yield ring


async def begin(ring: Arena, task: str) -> tuple[str, str]:
    """Resets thrice; what the page says for one seed and for another."""
    looks: list[str] = []
    async with ring.seated(task) as (tab, judge):
        for seed in (7, 8, 7):
            goal = await judge.reset(seed)
            verdict = await judge.verdict()
            assert goal
            assert verdict.ready
            assert not verdict.done, task
            looks.append(goal + await read(tab, "document.querySelector('#area').innerText"))
        assert looks[0] == looks[2] or _moves_by_itself(task), task
        assert not await read(tab, "!!document.querySelector('#reward-display, #click-canvas')")
    return looks[0], looks[1]


def _moves_by_itself(task: str) -> bool:
    """Some number their elements through, or draw with time; the goals are the same."""
    return task not in SAMPLE


@pytest.mark.proves("browser-miniwob")
@pytest.mark.deep
async def test_a_seed_makes_a_problem_and_another_seed_another(ring: Arena) -> None:
    for task in SAMPLE[::4]:
        one, other = await begin(ring, task)
        assert one != other, task


@pytest.mark.proves("browser-miniwob")
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, marks=pytest.mark.soak if part else pytest.mark.deep)
        for part in range(PARTS)
    ],
)
async def test_every_page_loads_and_resets(ring: Arena, part: int) -> None:
    """The first part in the deep run, the others in the long one."""
    for task in tasks()[part::PARTS]:
        await begin(ring, task)


@pytest.mark.proves("browser-miniwob")
def test_all_pages_are_there() -> None:
    assert len(tasks()) == 130


@pytest.mark.proves("browser-miniwob")
@pytest.mark.deep
async def test_the_wrong_button_is_a_loss_and_doing_nothing_is_no_win(ring: Arena) -> None:
    wrong = 'await pressText("button", goal.includes("ONE") ? "TWO" : "ONE")'
    ended = await ring.play("click-test-2", 3, wrong)
    assert (ended.done, ended.raw, ended.foul) == (True, -1, "")
    assert not ended.solved
    ended = await ring.play("click-test", 3, "await getText(tab)", settles=0.1)
    assert not ended.done
    assert not ended.solved


CHEATS = {
    "by name": "await execInTab(tab, 'core.endEpisode(1)', { world: 'main' })",
    "in pieces": "await execInTab(tab, \"window['co' + 're']['endEpisode'](1)\", { world: 'main' })",
    "later": "await execInTab(tab, \"setTimeout(window['co' + 're']['endEpisode'], 0, 1)\", "
    "{ world: 'main' })",
    "as a string": "await execInTab(tab, \"setTimeout('co' + 're.endEpisode(1)')\", { world: 'main' })",
    "by a click of its own": "await execInTab(tab, \"document.querySelector('#subbtn').click()\")",
    "through an attribute": (
        "await execInTab(tab, \"document.querySelector('#query').setAttribute('onclick',"
        "'co' + 're.endEpisode(1)')\", { world: 'main' }); await click(tab, '#query')"
    ),
}


@pytest.mark.proves("browser-miniwob")
@pytest.mark.deep
async def test_an_episode_that_is_not_ended_by_playing_is_foul(ring: Arena) -> None:
    for how, code in CHEATS.items():
        ended = await ring.play("click-test", 3, code)
        assert ended.foul or not ended.done, how
        assert not ended.solved, how


@pytest.mark.proves("browser-miniwob")
@pytest.mark.deep
async def test_code_of_the_isolated_world_does_not_see_the_judge(ring: Arena) -> None:
    seen = "env.seen = await execInTab(tab, \"typeof window['co' + 're']\")"
    await ring.play("click-test", 3, seen, settles=0)
    assert await ring.desk.run("setFinal(env.seen)") == "undefined"
