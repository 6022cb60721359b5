"""One contestant in one process, on one scenario; prints one JSON object of seconds and sizes.

Usage: python drive.py CONTESTANT SCENARIO PROGRAM ADDRESS, under the Python that has the contestant.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

EVALUATIONS = 300
CLICKS = 12
TABS = 20
LOOKS = 5
SLOW_SECONDS = 5.0


def contestant(name: str) -> Any:
    """Each is imported alone: no Python has the packages of all."""
    match name:
        case "ouroboros":
            from bench.browser.contestants.ours import Ours

            return Ours()
        case "raw pipe":
            from bench.browser.contestants.raw_pipe import RawPipe

            return RawPipe()
        case "playwright":
            from bench.browser.contestants.playwright_peer import Playwright

            return Playwright()
        case "browser-use":
            from bench.browser.contestants.browser_use_peer import BrowserUse

            return BrowserUse()
        case _:
            raise SystemExit(f"There is no contestant {name!r}.")


def helpers_bytes() -> int:
    """Memory of this process and of the children that are no browser, by their resident pages."""
    page, total = os.sysconf("SC_PAGE_SIZE"), 0
    parents: dict[int, tuple[int, str, int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
            parents[int(entry.name)] = (int(rest.split()[1]), name, int(rest.split()[21]))
        except OSError:
            continue
    mine = {os.getpid()}
    while True:
        more = {pid for pid, (parent, _, _) in parents.items() if parent in mine} - mine
        if not more:
            break
        mine |= more
    for pid in mine:
        if not parents[pid][1].startswith(("chrom", "cat", "sh", "bash")):
            total += parents[pid][2] * page
    return total


async def drive(one: Any, program: str, address: str) -> dict[str, float]:
    """Cold start, evaluations, clicks and typing, twenty tabs."""
    found: dict[str, float] = {}
    began = time.monotonic()
    await one.start(program)
    page = await one.open(f"{address}/small")
    assert await one.evaluate(page, "document.title") == "Small"
    found["cold start"] = time.monotonic() - began
    ways = {"evaluate": one.evaluate}
    ways["evaluate as ours"] = getattr(one, "evaluate_as_ours", one.evaluate)
    for name, way in ways.items():
        took: list[float] = []
        for _ in range(EVALUATIONS):
            began = time.monotonic()
            assert await way(page, "1 + 1") == 2
            took.append(time.monotonic() - began)
        found[name] = median(took)
    took = []
    for _ in range(CLICKS):
        fresh = await one.open(f"{address}/small")
        began = time.monotonic()
        await one.click_and_type(fresh)
        took.append(time.monotonic() - began)
        assert await one.evaluate(fresh, "document.querySelector('#words').value") == "hello world"
        await one.close(fresh)
    found["click and type"] = median(took)
    found["memory"] = helpers_bytes()

    async def tab() -> None:
        fresh = await one.open(f"{address}/tab")
        assert await one.evaluate(fresh, "document.querySelector('#text').textContent") == "Words"
        await one.close(fresh)

    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for _ in range(TABS):
            group.create_task(tab())
    found["tabs"] = time.monotonic() - began
    return found


async def observe(one: Any, program: str, address: str, paths: list[str]) -> dict[str, float]:
    """What looking at each page takes, and how many characters come of it."""
    found: dict[str, float] = {}
    await one.start(program)
    for path in paths:
        page = await one.open(f"{address}/{path}")
        took: list[float] = []
        for _ in range(LOOKS):
            began = time.monotonic()
            found[f"{path} characters"] = await one.observe(page)
            took.append(time.monotonic() - began)
            if took[-1] > SLOW_SECONDS:
                break
        found[path] = median(took)
    return found


async def main(name: str, scenario: str, program: str, address: str, *paths: str) -> None:
    """Runs the scenario and prints what it found."""
    one = contestant(name)
    try:
        if scenario == "drive":
            found = await drive(one, program, address)
        else:
            found = await observe(one, program, address, list(paths))
    finally:
        await one.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
