"""A model plays an episode through a whole run of the mind that writes code."""

from pathlib import Path

import pytest

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.tabs import opened
from tests.browser.chromium import Chromium
from tests.browser.miniwob.models import play
from tests.browser.miniwob.pages import folder
from tests.browser.site import serving
from tests.story.rlm_stage import block, rlm_stage

FINDS = (
    "await openTab(); let one;"
    "while (!(one = tabs.find((tab) => tab.url.includes('miniwob')))) await sleep(50);"
    "const t = one.id;"
)


def remote(chromium: Chromium) -> dict[str, object]:
    """Settings of a browser that is there already, whose person is asked about nothing."""
    return {"mode": "remote", "url": chromium.url, "confirm": ()}


@pytest.mark.proves("browser-miniwob")
@pytest.mark.deep
async def test_a_run_that_writes_code_wins_an_episode(chromium: Chromium, tmp_path: Path) -> None:
    turns = [
        block(f"{FINDS} log(await getText(t, '#query'))"),
        block("await click(t, '#subbtn'); setFinal('done')"),
    ]
    with serving(folder()) as site:
        async with (
            rlm_stage(tmp_path, turns, with_browser=True, browser=remote(chromium)) as s,
            socket(chromium.url) as channel,
            opened(channel) as tabs,
        ):
            played = await play(s.session, chromium, tabs, site, "click-test", 5)
    assert played.ended.solved, played
    assert played.requests == 2
    assert played.input_tokens > 0


@pytest.mark.proves("browser-miniwob")
@pytest.mark.deep
async def test_a_run_that_calls_the_judge_itself_is_foul(
    chromium: Chromium, tmp_path: Path
) -> None:
    cheat = "await execInTab(t, 'core.endEpisode(1)', { world: 'main' }); setFinal('done')"
    with serving(folder()) as site:
        async with (
            rlm_stage(
                tmp_path, [block(f"{FINDS} {cheat}")], with_browser=True, browser=remote(chromium)
            ) as s,
            socket(chromium.url) as channel,
            opened(channel) as tabs,
        ):
            played = await play(s.session, chromium, tabs, site, "click-test", 5)
    assert played.ended.foul
    assert not played.ended.solved
