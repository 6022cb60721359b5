"""What whole browser jobs cost in tokens, and in time besides the model's.

Usage: python -m bench.browser.jobs

A server on loopback plays the model in the OpenAI chat format; Chromium and the pages are real. Tokens
are the characters of every request's messages, sub-queries too, over four, as in the figures of
browser-use beside them. The linter of the tests looks through every request.
"""

import os
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

import anyio
import msgspec
from msgspec import Struct

from bench.browser.pages import SENTENCE, elements, served
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings
from ouroboros.core.events.code import CodeGenerated, IterationStarted
from ouroboros.llm.turns import Turn
from ouroboros.testing.linter import lint
from ouroboros.testing.server import serving

STEPS = 30
"""Steps of the long job: a look, a scroll and a note of what is new, as browser-use was given it."""

STEPS_A_BLOCK = 3


class Job(Struct, frozen=True, kw_only=True):
    """A task, what the model says to it, and what it must come to."""

    title: str
    task: str
    turns: tuple[Turn, ...]
    pages: tuple[str, ...]
    final: str


def _block(code: str) -> Turn:
    return Turn(text=f"```repl\n{code}\n```")


def long_job(address: str) -> Job:
    """Thirty steps down a page of 500 elements, three a block."""
    step = (
        'const look = await observe(tab); await scroll(tab, "down", 400);\n'
        "seen.push(...(await getLinks(tab)).slice(seen.length, seen.length + 6)); looks.push(look);"
    )
    first = f'const tab = await openTab("{address}/elements/500"); await waitForLoad(tab);'
    blocks = STEPS // STEPS_A_BLOCK
    turns = [_block(f"{first}\nconst seen = [], looks = [];")]
    turns += [
        _block(f"for (let n = 0; n < {STEPS_A_BLOCK}; n++) {{\n{step}\n}}\nseen.length")
    ] * blocks
    turns.append(_block("setFinal(`${looks.length} looks, ${seen.length} links`)"))
    links = min((500 + 2) // 3, STEPS * 6)
    return Job(
        title="30 steps on 500 elements",
        task=f"Go through {address}/elements/500 from top to bottom and collect its links.",
        turns=tuple(turns),
        pages=(elements(500),),
        final=f"{STEPS} looks, {links} links",
    )


def looking_job(address: str) -> Job:
    """Ten iterations with nothing in them but a look: what the harness itself takes."""
    first = f'const tab = await openTab("{address}/elements/500"); await waitForLoad(tab);'
    turns = [_block(first), *[_block("const look = await observe(tab);\nlook")] * 10]
    return Job(
        title="10 looks, one an iteration",
        task=f"Look at {address}/elements/500 ten times.",
        turns=(*turns, _block("setFinal('looked')")),
        pages=(elements(500),),
        final="looked",
    )


def fact_job(address: str, size: int, words: str) -> Job:
    """One fact out of an article: found by code, read by a plain question about its surroundings."""
    turns = (
        _block(
            f'const tab = await openTab("{address}/article/{size}"); await waitForLoad(tab);\n'
            "const text = await getText(tab);"
        ),
        _block(
            'const at = text.lastIndexOf("nobody is looking");\n'
            "const answer = await llm_query('Who does ' + 'not look?', text.slice(at - 300, at + 300));"
        ),
        Turn(text="nobody", when="Who does not look?"),
        _block("setFinal(answer)"),
    )
    return Job(
        title=f"one fact in {words}",
        task=f"Who is not looking in {address}/article/{size}?",
        turns=turns,
        pages=(SENTENCE * 50,),
        final="nobody",
    )


class Cost(Struct, frozen=True, kw_only=True):
    """What a job took: tokens of each request, and seconds from a reply to the next request."""

    requests: tuple[int, ...]
    leaves: int
    largest: int
    gaps: tuple[float, ...]


async def run(job: Job, folder: Path) -> Cost:
    """Does the job and counts.

    Raises:
        SystemExit: It did not come to its end, or a request held what it must not.
    """
    settings: dict[str, object] = {"mode": "full-auto", "model": "openai-chat/scripted"}
    settings["browser"] = {"profile": ""}
    environment = {"PATH": os.defpath, "HOME": str(folder), "SHELL": "/bin/sh"}
    moments: list[tuple[str, float]] = []
    async with serving(job.turns) as server:
        chosen = msgspec.convert({**settings, "base_url": server.url}, Settings)
        engine = Ouroboros(chosen, home=folder / "home", environment=environment)
        async with engine.open(cwd=folder, mind="rlm", browser=True) as session:
            session.listen(lambda envelope: moments.append((envelope.type, envelope.ts)))
            outcome = await session.run(job.task)
        bodies = [exchange.body for exchange in server.exchanges if exchange.method == "POST"]
    if outcome.final != job.final:
        raise SystemExit(f"{job.title}: {outcome.reason}, {outcome.final!r}, not {job.final!r}")
    found = lint(bodies, job.pages)
    if found.breaches:
        raise SystemExit(f"{job.title}: {found.breaches}")
    kinds = {CodeGenerated.type, IterationStarted.type}
    kept = [(kind, at) for kind, at in moments if kind in kinds]
    gaps = [
        after - before
        for (kind, before), (next_kind, after) in pairwise(kept)
        if kind == CodeGenerated.type and next_kind == IterationStarted.type
    ]
    return Cost(
        requests=tuple(_tokens(body) for body in bodies),
        leaves=found.leaves,
        largest=max(found.sizes),
        gaps=tuple(gaps),
    )


def _tokens(body: str) -> int:
    messages = msgspec.json.decode(body)["messages"]
    return sum(len(message["content"]) for message in messages) // 4


def _lines(costs: Sequence[tuple[Job, Cost]]) -> list[str]:
    rows = [
        "| job | model calls | of them plain reads | input tokens | largest beyond the fixed prompt |"
        " block and what follows, ms |",
        "|---|---|---|---|---|---|",
    ]
    for job, cost in costs:
        rows.append(
            f"| {job.title} | {len(cost.requests)} | {cost.leaves} | {sum(cost.requests):,} |"
            f" {cost.largest:,} | {median(cost.gaps) * 1e3:.0f} |"
        )
    return rows


async def main() -> None:
    """Runs every job and prints a row for each."""
    sizes = ((10_000, "10 kB"), (1_000_000, "1 MB"), (10_000_000, "10 MB"))
    costs: list[tuple[Job, Cost]] = []
    with served() as address:
        jobs = [long_job(address), looking_job(address)]
        jobs += [fact_job(address, size, words) for size, words in sizes]
        for job in jobs:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                costs.append((job, await run(job, Path(folder))))
    print("\n".join(_lines(costs)))


if __name__ == "__main__":
    anyio.run(main)
