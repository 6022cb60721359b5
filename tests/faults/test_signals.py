"""A run that is told to stop, once or twice, at whatever moment: it ends by itself and can go on."""

import random
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest
from anyio import to_thread
from msgspec import Struct

from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.faults import faulted
from tests.faults.faulted import Ended
from tests.story.stage import call
from tests.story.test_cli_run import script
from tests.story.test_killed_with_a_command import appears

SIGNS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOMENTS = ("session.ready", "turn.started", "agent.message", "tool.attempted", "tool.result")
STOPPED = 130


class Stop(Struct, frozen=True, kw_only=True):
    """Which signal, how often, at the how-manieth event of which kind, and how long after it."""

    sign: signal.Signals
    times: int
    moment: str
    count: int
    delay_seconds: float


def turns() -> list[Turn]:
    """The second command does not care for signals and lasts until the run is gone on with."""
    waits = "until [ -e ../on ]; do sleep 0.05; done"
    deaf = f"trap '' INT TERM HUP; echo 1 >> effects; {waits}; echo 2 >> effects"
    calls = (
        call("shell", command="echo 0 >> effects"),
        call("shell", command=deaf),
        call("shell", command="echo 3 >> effects"),
    )
    return [
        Turn(text="I begin.", tool_calls=calls, chunk=4, pace_seconds=0.01),
        Turn(text="All done."),
    ]


def stops(seed: int, count: int) -> list[Stop]:
    """All signals, once and twice, in turn, each at a moment of its own."""
    chance = random.Random(seed)
    kinds = list(product(SIGNS, (1, 2)))
    return [
        Stop(
            sign=kinds[number % len(kinds)][0],
            times=kinds[number % len(kinds)][1],
            moment=chance.choice(MOMENTS),
            count=1,
            delay_seconds=chance.uniform(0, 0.05),
        )
        for number in range(count)
    ]


def begun(server: ScriptedServer, cwd: Path, home: Path) -> subprocess.Popen[bytes]:
    faulted.fresh(cwd)
    (cwd.parent / "on").unlink(missing_ok=True)
    return faulted.begun(faulted.command(server.url, "Do it."), cwd, home)


def afterwards(server: ScriptedServer, cwd: Path, home: Path, first: Ended) -> list[str]:
    (cwd.parent / "on").touch()
    return faulted.afterwards(server, cwd, home, first, ())


def examined(server: ScriptedServer, cwd: Path, home: Path, stop: Stop) -> list[str]:
    process = begun(server, cwd, home)
    wanted = f'"type":"{stop.moment}"'.encode()
    deadline = time.monotonic() + faulted.SECONDS
    while (home / "out").read_bytes().count(wanted) < stop.count:
        assert process.poll() is None, (home / "err").read_text()
        assert time.monotonic() < deadline, stop
        time.sleep(0.005)
    time.sleep(stop.delay_seconds)
    for _ in range(stop.times):
        process.send_signal(stop.sign)
        time.sleep(0.02)
    first = faulted.ended(process, home)
    found = [] if first.code == STOPPED else [f"it ended with {first.code}: {first.told!r}"]
    if "Traceback" in first.told:
        found.append(first.told)
    if first.seen[-1].type != "task.cancelled" and stop.times == 1:
        found.append(f"the last event is {first.seen[-1].type}")
    return found + afterwards(server, cwd, home, first)


def stormed(server: ScriptedServer, cwd: Path, home: Path, sign: signal.Signals) -> list[str]:
    """One signal in the run, and then without end while the program closes what it had open."""
    process = begun(server, cwd, home)
    deadline = time.monotonic() + faulted.SECONDS
    for moment in ("tool.attempted", "task.cancelled"):
        # It may end as soon as it has said so, between two looks.
        has_ended = False
        while f'"type":"{moment}"'.encode() not in (home / "out").read_bytes():
            assert not has_ended, (home / "err").read_text()
            assert time.monotonic() < deadline, moment
            has_ended = process.poll() is not None
            time.sleep(0.001)
        process.send_signal(sign)
    while process.poll() is None and time.monotonic() < deadline:
        process.send_signal(sign)
        time.sleep(0.001)
    first = faulted.ended(process, home)
    found = [] if first.code == STOPPED else [f"it ended with {first.code}: {first.told!r}"]
    return found + afterwards(server, cwd, home, first)


async def complaints(tmp_path: Path, found: list[Stop]) -> list[tuple[Stop, list[str]]]:
    wrong: list[tuple[Stop, list[str]]] = []
    cwd = tmp_path / "work"
    async with serving(turns(), order="history") as server:
        for number, stop in enumerate(found):
            home = tmp_path / f"home{number}"
            said = await to_thread.run_sync(examined, server, cwd, home, stop)
            wrong += [(stop, said)] if said else []
    return wrong


@pytest.mark.proves("sessions-faults", "sessions-faults-signals")
@pytest.mark.parametrize(
    "found",
    [
        stops(seed=3, count=6)[1:2],
        pytest.param(
            stops(seed=3, count=6)[4:5] + stops(seed=4, count=6)[2:3],
            marks=pytest.mark.deep,
        ),
    ],
    ids=["one", "others"],
)
async def test_a_signal_once_or_twice_ends_a_run_that_can_go_on(
    tmp_path: Path, found: list[Stop]
) -> None:
    assert await complaints(tmp_path, found) == []


@pytest.mark.proves("sessions-faults-signals")
@pytest.mark.parametrize(
    "sign",
    [
        pytest.param(signal.SIGTERM, marks=pytest.mark.deep),
        pytest.param(signal.SIGHUP, marks=pytest.mark.soak),
        pytest.param(signal.SIGINT, marks=pytest.mark.soak),
    ],
    ids=lambda sign: sign.name,
)
async def test_signals_while_it_closes_end_it_with_the_same_code(
    tmp_path: Path, sign: signal.Signals
) -> None:
    async with serving(turns(), order="history") as server:
        found = await to_thread.run_sync(
            stormed, server, tmp_path / "work", tmp_path / "home", sign
        )
    assert found == []


@pytest.mark.proves("sessions-faults")
@pytest.mark.deep
async def test_signals_may_come_at_some_moments(tmp_path: Path) -> None:
    found = random.Random(faulted.fresh_seed()).sample(stops(faulted.fresh_seed(), count=12), 2)
    assert await complaints(tmp_path, found) == []


@pytest.mark.soak
async def test_signals_may_come_at_any_moment(tmp_path: Path) -> None:
    assert await complaints(tmp_path, stops(faulted.fresh_seed(), count=60)) == []


@pytest.mark.proves("interfaces-nohup")
def test_a_run_under_nohup_goes_on_when_its_terminal_is_gone(tmp_path: Path) -> None:
    waits = {
        "name": "shell",
        "arguments": {"command": "echo x > begun; until [ -e go ]; do sleep 0.05; done"},
    }
    model = script(tmp_path, {"text": "", "tool_calls": [waits]}, {"text": "Done."})
    run = ("ouroboros", "run", "--model", model, "--mode", "full-auto", "Do it.")
    process = subprocess.Popen(
        ["nohup", sys.executable, "-m", *run],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        appears(tmp_path / "begun")
        process.send_signal(signal.SIGHUP)
        (tmp_path / "go").touch()
        said, told = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, said) == (0, "Done.\n"), told
