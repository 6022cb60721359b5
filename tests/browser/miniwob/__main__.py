"""Lets a real model play: ``python -m tests.browser.miniwob --model PROVIDER/MODEL --tasks a,b --seeds 0-4``."""

import argparse
import sys
import tempfile
from pathlib import Path

import anyio

from ouroboros.app.config import layers as config
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.browser.channel.socket import socket
from ouroboros.browser.tabs import opened
from tests.browser.chromium import Chromium
from tests.browser.miniwob.models import Played, play
from tests.browser.miniwob.pages import folder, tasks
from tests.browser.miniwob.policies import policies
from tests.browser.site import serving


def wanted(words: list[str]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.miniwob", description=__doc__)
    parser.add_argument("--model", required=True, help="PROVIDER/MODEL; its key as for ouro")
    parser.add_argument("--tasks", default=",".join(sorted(policies())), help="names, by commas")
    parser.add_argument("--seeds", default="0-4", help="first-last")
    return parser.parse_args(words)


async def main(words: argparse.Namespace, scratch: Path) -> int:
    """Plays every task with every seed; each line is one episode."""
    environment = config.environment()
    first, last = map(int, words.seeds.split("-"))
    names = [name for name in words.tasks.split(",") if name in tasks()]
    chromium = Chromium()
    solved: list[bool] = []
    try:
        flags = {
            "model": words.model,
            "mode": "full-auto",
            "browser.mode": "remote",
            "browser.url": chromium.url,
            "browser.confirm": (),
        }
        loaded = config.load(scratch, environment, flags)
        engine = Ouroboros(loaded.settings, home=loaded.home, environment=environment)
        with serving(folder()) as site:
            async with socket(chromium.url) as channel, opened(channel) as tabs:
                for name in names:
                    for seed in range(first, last + 1):
                        async with engine.open(cwd=scratch, mind="rlm", browser=True) as session:
                            played = await play(session, chromium, tabs, site, name, seed)
                        solved.append(played.ended.solved)
                        print(line(played), flush=True)
    finally:
        chromium.close()
    print(f"solved {sum(solved)} of {len(solved)}")
    return 0 if all(solved) else 1


def line(played: Played) -> str:
    """One episode in words."""
    ended = played.ended
    how = "solved" if ended.solved else f"lost ({ended.raw:g}) {ended.foul} {ended.error}".strip()
    return (
        f"{ended.task} {ended.seed}: {how}; {played.requests} calls, "
        f"{played.input_tokens} + {played.output_tokens} tokens"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder_of_run:
        sys.exit(anyio.run(main, wanted(sys.argv[1:]), Path(folder_of_run)))
