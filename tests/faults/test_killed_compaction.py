"""Killed while a history is summed up: before the summary is there, while it is kept, and right after."""

import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.events import AgentMessage, ContextCompacted, Envelope
from ouroboros.llm.turns import ScriptedUsage, Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.faults import faulted, oracle
from tests.faults.faulted import Ended, Fault
from tests.story.stage import PROMPTS, call

FULL = ScriptedUsage(input_uncached=8_000, output_text=100)
LOW = ScriptedUsage(input_uncached=500, output_text=10)
SETTINGS = "[context]\nwindow = 10000\n"
SUMMARY = "Both commands were run; one is left."
SAID = ["First half.", "Second half.", "All done."]
KILL = "signal=KILL"
AROUND = {"turn.started", "context.compacted"}
"""The last event on the disk where it was cut off between the results and what follows the summary."""

BARRIERS = {
    "in an append": ("pwrite64", faulted.WAL),
    "appended, not synced": ("fdatasync", faulted.WAL),
    "synced, not acknowledged": ("write", "out"),
}
TRACED = (
    "-f",
    "-qq",
    "-y",
    "-s",
    "600",
    "-e",
    "signal=none",
    "-e",
    "trace=pwrite64,fdatasync,write",
)


def turns() -> list[Turn]:
    """Two commands fill the window; after the summary a third one follows."""
    first = (call("shell", command="echo 0 >> effects"), call("shell", command="echo 1 >> effects"))
    asked = PROMPTS["compact"].text[:40]
    return [
        Turn(text="First half.", tool_calls=first, usage=FULL),
        Turn(text="All done.", usage=LOW),
        Turn(when=asked, text=SUMMARY, usage=LOW, delay_seconds=0.3),
        Turn(
            when=SUMMARY,
            text="Second half.",
            tool_calls=(call("shell", command="echo 2 >> effects"),),
            usage=LOW,
        ),
    ]


def settled(home: Path) -> Path:
    (home / "store").mkdir(parents=True)
    (home / "store" / "config.toml").write_text(SETTINGS, encoding="utf-8")
    return home


def whole(
    server: ScriptedServer, cwd: Path, home: Path
) -> tuple[list[oracle.Messages], dict[str, int]]:
    """What an uncrashed run asks, and at which call of each kind its summary is kept and shown."""
    faulted.fresh(cwd)
    trace = settled(home) / "trace"
    words = ["strace", *TRACED, "-o", str(trace), *faulted.command(server.url, "Do it.")]
    ended = faulted.ran(words, cwd, home)
    assert ended.code == 0, ended.told
    counted = dict.fromkeys(BARRIERS, 0)
    for line in trace.read_text("utf-8", "replace").splitlines():
        for name, (calls, file) in BARRIERS.items():
            path = "/out>" if file == "out" else f"/{file}>"
            if re.search(rf"\b{calls}\(\d+<[^>]*{re.escape(path)}", line):
                counted[name] += 1
        if "/out>" in line and "context.compacted" in line:
            return faulted.bodies(server), counted
    raise AssertionError("nothing was summed up")


def examined(
    server: ScriptedServer,
    cwd: Path,
    home: Path,
    program: Sequence[str],
    twin: list[oracle.Messages],
) -> tuple[str, list[str]]:
    """The last event on the disk where it was cut off, and what does not hold."""
    faulted.fresh(cwd)
    first = faulted.ran(program, cwd, home)
    if first.code not in {-9, 0}:
        return "", [f"it ended with {first.code}: {first.told}"]
    cut = log(home)[-1].type
    return cut, gone_on(server, cwd, home, first, twin)


def gone_on(
    server: ScriptedServer, cwd: Path, home: Path, first: Ended, twin: list[oracle.Messages]
) -> list[str]:
    found = faulted.afterwards(server, cwd, home, first, twin)
    kept = log(home)
    sums = [e for e in kept if isinstance(e.data, ContextCompacted)]
    found += [f"it was summed up {len(sums)} times"] if len(sums) != 1 else []
    said = [e.data.message.text for e in kept if isinstance(e.data, AgentMessage)]
    return found if said == SAID else [*found, f"the work went on otherwise: {said}"]


def log(home: Path) -> list[Envelope]:
    ((_, kept),) = oracle.on_disk(home / "store")[0].items()
    return kept


def while_asked(
    server: ScriptedServer, cwd: Path, home: Path, twin: list[oracle.Messages]
) -> list[str]:
    """The summary is on its way; it is asked for again."""
    faulted.fresh(settled(home).parent / cwd.name)
    after = len(server.exchanges)
    process = faulted.begun(faulted.command(server.url, "Do it."), cwd, home)
    deadline = time.monotonic() + faulted.SECONDS
    while sum(each.method == "POST" for each in server.exchanges[after:]) < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.kill()
    first = faulted.ended(process, home)
    return gone_on(server, cwd, home, first, twin)


def places(counted: dict[str, int], *, step: int) -> list[Fault]:
    """As many calls after the one that keeps the summary, or before it; for 0 that one's sync comes first."""
    return [
        Fault(where=name, calls=calls, how=KILL, at=str(counted[name] + step), file=file)
        for name, (calls, file) in sorted(BARRIERS.items(), key=lambda each: each[1][0])
    ]


async def complaints(tmp_path: Path, *, around: int) -> tuple[set[str], dict[str, list[str]]]:
    """The last events where it was cut off, and what does not hold.

    A store that writes behind takes more or fewer calls each time: further ones are tried, three times
    as far, until it was cut off on both sides of the summary.
    """
    faulted.needs_strace()
    cwd, cuts, found = tmp_path / "work", set[str](), dict[str, list[str]]()
    async with serving(turns(), order="history") as server:
        twin, counted = await to_thread.run_sync(whole, server, cwd, tmp_path / "twin")
        wrong = await to_thread.run_sync(while_asked, server, cwd, tmp_path / "asked", twin)
        found |= {"while it was asked for": wrong} if wrong else {}
        steps = sorted(range(-3 * around, 3 * around + 1), key=abs)
        for step in steps:
            if abs(step) > around and cuts >= AROUND:
                break
            for fault in places(counted, step=step)[: None if around else 1]:
                home = settled(tmp_path / f"{fault.calls}{fault.at}")
                program = [*faulted.injected(fault, home), *faulted.command(server.url, "Do it.")]
                cut, wrong = await to_thread.run_sync(examined, server, cwd, home, program, twin)
                cuts.add(cut)
                if wrong:
                    found[f"{fault.where} {fault.at}"] = wrong
    return cuts, found


@pytest.mark.proves("sessions-faults-compaction")
@pytest.mark.deep
async def test_a_summary_is_there_once_or_made_again_wherever_it_is_killed(tmp_path: Path) -> None:
    assert (await complaints(tmp_path, around=0))[1] == {}


@pytest.mark.soak
async def test_the_same_holds_around_every_barrier(tmp_path: Path) -> None:
    cuts, found = await complaints(tmp_path, around=4)
    assert found == {}
    assert cuts >= AROUND
