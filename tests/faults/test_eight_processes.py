"""Eight processes want one session at the same time: one writes at a time, and nobody writes over another."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.events import TurnStarted, UserMessage
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests import forked
from tests.faults import faulted, oracle, turns_driver
from tests.story.stage import call
from tests.unit.store.samples import SESSION, keep, numbered, ready

PROCESSES, KILLED = 8, 2
ROUNDS, FOR_EVER = 4, 1_000_000
ROOT = Path(__file__).parents[2]


def started(home: Path, name: str, rounds: int) -> subprocess.Popen[bytes]:
    return forked.Popen(
        [sys.executable, "-m", turns_driver.__name__, str(home), name, str(rounds)],
        stdout=subprocess.PIPE,
        bufsize=0,  # what is read of a line leaves the rest to be read
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
    )


@pytest.mark.proves("I15")
def test_eight_writers_take_turns_though_two_are_killed(tmp_path: Path) -> None:
    home = tmp_path / "store"
    keep(home, numbered([ready()]))
    rounds = [FOR_EVER] * KILLED + [ROUNDS] * (PROCESSES - KILLED)
    running = [started(home, f"p{number}", count) for number, count in enumerate(rounds)]
    for victim in running[:KILLED]:
        assert victim.stdout is not None
        while (byte := victim.stdout.read(1)) != b"\n":
            assert byte, "it ended before it wrote anything"
        victim.kill()
    said: dict[int, str] = {}
    for process in running:
        output, _ = process.communicate(timeout=60)
        for line in output.decode().splitlines():
            seq, _, text = line.partition(" ")
            assert seq not in said
            said[int(seq)] = text
    assert [process.returncode for process in running] == [-9] * KILLED + [0] * (PROCESSES - KILLED)
    sessions, wrong = oracle.on_disk(home)
    kept = sessions[SESSION]
    assert wrong + oracle.of_log([], kept) == []
    words = {e.seq: e.data.message.text for e in kept if isinstance(e.data, UserMessage)}
    assert {seq: words[seq] for seq in said} == said
    whole = ROUNDS * turns_driver.EVENTS
    assert len(set(words.values())) == len(words) >= (PROCESSES - KILLED) * whole


def together(url: str, cwd: Path, home: Path) -> list[tuple[int, str]]:
    """How each of eight runs of one session ended, and what it said; one waits until another is refused."""
    first = faulted.ran(faulted.command(url, "Begin."), cwd, home)
    assert first.code == 0, first.told
    running = [
        forked.Popen(
            faulted.command(url, "--continue", f"Words {number}"),
            cwd=cwd,
            env=faulted.environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for number in range(PROCESSES)
    ]
    deadline = time.monotonic() + faulted.SECONDS
    while not any(process.poll() for process in running):
        assert time.monotonic() < deadline, "none was refused"
        time.sleep(0.01)
    (cwd / "refused").touch()
    ends = [process.communicate(timeout=60)[1].decode() for process in running]
    return [(process.wait(), told) for process, told in zip(running, ends, strict=True)]


@pytest.mark.proves("I15")
@pytest.mark.soak
async def test_eight_runs_of_one_session_are_one_after_another_or_refused(tmp_path: Path) -> None:
    cwd, home = tmp_path / "work", tmp_path / "home"
    cwd.mkdir()
    until = call("shell", command="until [ -e refused ]; do sleep 0.05; done")
    turns = [Turn(text="I begin.")]
    turns += [Turn(text="I wait.", tool_calls=(until,)), Turn(text="Done.")] * PROCESSES
    async with serving(turns, order="history") as server:
        ends = await to_thread.run_sync(together, server.url, cwd, home)
    went = [told for code, told in ends if code == 0]
    refused = [told for code, told in ends if code != 0]
    assert went
    assert refused
    for told in refused:
        assert oracle.of_telling(1, told) == []
        assert "in use by process" in told
    sessions, wrong = oracle.on_disk(home / "store")
    ((name, kept),) = sessions.items()
    assert wrong + oracle.of_log([], kept) + oracle.of_calls(kept, is_over=True) == []
    heard = [e.data.message.text for e in kept if isinstance(e.data, UserMessage)]
    plain = [text for text in heard if text.startswith("Words")]
    assert len(plain) == len(set(plain)) == len(went), name
    assert sum(isinstance(e.data, TurnStarted) for e in kept) == 1 + 2 * len(went)
