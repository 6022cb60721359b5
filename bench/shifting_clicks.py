"""Clicks on pages whose layout shifts at random while they are pressed: what each press reached, and what a click takes.

Usage: python -m bench.shifting_clicks [--trials N] [--seed N]
"""

import statistics
import time
from argparse import ArgumentParser

import anyio

from ouroboros.browser.page.act import click
from tests.browser.chromium import Chromium
from tests.browser.shifting import Tally, drawn_lots, tried
from tests.browser.site import serving
from tests.browser.stage import Stage, staged

CLICKS = 50


async def _milliseconds(stage: Stage) -> list[float]:
    """How long ordinary clicks take."""
    tab = await stage.show("<button id=b>x</button>")
    took: list[float] = []
    for _ in range(CLICKS):
        begun = time.perf_counter()
        await click(tab, "#b")
        took.append((time.perf_counter() - begun) * 1000)
    return took


async def _run(trials: int, seed: int) -> None:
    chromium = Chromium()
    try:
        with serving() as site:
            async with staged(chromium, site) as stage:
                took = await _milliseconds(stage)
                print(f"an ordinary click: median {statistics.median(took):.1f} ms of {CLICKS}")
                tab, tally = await stage.open(), Tally()
                for number, shift in enumerate(drawn_lots(seed, trials), 1):
                    await tried(stage, shift, tab, tally)
                    if number % 100 == 0 or number == trials:
                        print(
                            f"seed {seed}, {number} trials: {tally.right} right, {tally.refused} given up,"
                            f" {len(tally.wrong)} wrong presses, {len(tally.lies)} false reports",
                            flush=True,
                        )
                for shift, told in (*tally.wrong, *tally.lies):
                    print(shift, told)
    finally:
        chromium.close()


def main() -> None:
    """Prints both; the exit code is 0 whatever came out."""
    parser = ArgumentParser(prog="python -m bench.shifting_clicks", description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=7)
    words = parser.parse_args()
    anyio.run(_run, words.trials, words.seed)


if __name__ == "__main__":
    main()
