"""A real `ouro run` under a fault that strace injects, then gone on with as a person would.

The program knows nothing of it: strace stands between it and the kernel, and makes the n-th call of a
thread fail, or kills the process on entering it.
"""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import msgspec
import pytest
from anyio import to_thread
from msgspec import Struct

from ouroboros.core.events import Envelope
from ouroboros.core.events.schema import decode
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests import forked
from tests.faults import oracle
from tests.story.stage import call

SECONDS = 60
OLD, NEW = b"as it was\n", "n" * 100_000
WAL, DATABASE = "ouroboros.db-wal", "ouroboros.db"


class Fault(Struct, frozen=True, kw_only=True):
    """What goes wrong.

    Attributes:
        where: In words, for who reads a report.
        calls: Names of system calls.
        how: As strace writes it: ``signal=KILL``, ``error=EIO``, ``retval=0``.
        at: At which of these calls of one thread; ``3+`` from then on.
        file: Only those on this file: of the home folder, or ``out`` for what the run shows.
    """

    where: str
    calls: str
    how: str
    at: str
    file: str = ""


class Ended(Struct, frozen=True, kw_only=True):
    """How a run ended; minus nine is killed."""

    code: int
    seen: list[Envelope]
    told: str


def needs_strace() -> None:
    """Faults of the kernel's answers need it; Linux alone has it."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace: apt-get install strace")


def turns() -> list[Turn]:
    """Commands that leave one line each, an edit whose event is large, then the end."""
    first = (
        call("shell", command="echo 0 >> effects"),
        call("write", path="edited", content=NEW),
        call("shell", command="echo 1 >> effects"),
    )
    second = (call("shell", command="echo 2 >> effects"), call("ls", path="."))
    return [
        Turn(text="First half.", tool_calls=first),
        Turn(text="Second half.", tool_calls=second),
        Turn(text="All done."),
    ]


def fresh(cwd: Path) -> None:
    shutil.rmtree(cwd, ignore_errors=True)
    cwd.mkdir()
    (cwd / "edited").write_bytes(OLD)


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "SHELL": "/bin/sh",
        "OUROBOROS_HOME": str(home / "store"),
    }


def command(url: str, *words: str) -> list[str]:
    return [
        *(sys.executable, "-I", "-m", "ouroboros", "run", "--output", "stream-json"),
        *("--mode", "full-auto", "--model", "openai-chat/scripted", "--base-url", url, *words),
    ]


def injected(fault: Fault, home: Path) -> list[str]:
    """The words in front of a program that make it suffer."""
    words = ["strace", "-f", "-qq", "-e", "signal=none", "-o", str(home / "trace")]
    words += [
        "-e",
        f"trace={fault.calls}",
        "-e",
        f"inject={fault.calls}:{fault.how}:when={fault.at}",
    ]
    if fault.file:
        words += ["-P", str(home / "out" if fault.file == "out" else home / "store" / fault.file)]
    return words


def begun(program: Sequence[str], cwd: Path, home: Path) -> subprocess.Popen[bytes]:
    """Starts it; what it shows goes to files, so that ``ended`` sees how far it came."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "out").open("wb") as out, (home / "err").open("wb") as err:
        return forked.Popen(
            program,
            cwd=cwd,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )


def ended(process: subprocess.Popen[bytes], home: Path) -> Ended:
    """Waits for whatever end; fails when there is none."""
    try:
        code = process.wait(SECONDS)
    finally:
        process.kill()
    # A line that was cut in half was acknowledged to nobody.
    lines = (home / "out").read_bytes().split(b"\n")[:-1]
    seen = [e for e in map(decode, lines) if e.data.durable]
    return Ended(code=code, seen=seen, told=(home / "err").read_text("utf-8", "replace"))


def ran(program: Sequence[str], cwd: Path, home: Path) -> Ended:
    """Runs to whatever end."""
    return ended(begun(program, cwd, home), home)


def bodies(server: ScriptedServer, after: int = 0) -> list[oracle.Messages]:
    """The message lists that the model was sent."""
    return [
        cast("oracle.Messages", exchange.json["messages"])
        for exchange in server.exchanges[after:]
        if exchange.method == "POST"
    ]


def twin(server: ScriptedServer, cwd: Path, home: Path) -> list[oracle.Messages]:
    """What an uncrashed run asks the model."""
    fresh(cwd)
    whole = ran(command(server.url, "Do it."), cwd, home)
    assert whole.code == 0, whole.told
    return bodies(server)


def examined(
    server: ScriptedServer,
    cwd: Path,
    home: Path,
    fault: Fault,
    expected: Sequence[oracle.Messages],
) -> tuple[bool, list[str]]:
    """One fault, everything that must hold after it, and the same once the run was gone on with.

    Also whether the run came to that place at all.
    """
    fresh(cwd)
    first = ran([*injected(fault, home), *command(server.url, "Do it.")], cwd, home)
    is_met = first.code == -9 or "(INJECTED)" in (home / "trace").read_text("utf-8", "replace")
    found = oracle.of_telling(first.code, first.told)
    return is_met, found + afterwards(server, cwd, home, first, expected)


def afterwards(
    server: ScriptedServer,
    cwd: Path,
    home: Path,
    first: Ended,
    expected: Sequence[oracle.Messages],
) -> list[str]:
    """What does not hold once a run has ended somehow, and once it was gone on with.

    Without ``expected`` the request that it goes on with is its own matter.
    """
    kept, wrong = _events(home)
    found = oracle.of_processes(home) + wrong + _of_both(cwd, first.seen, kept)
    found += oracle.of_calls(kept, is_over=False)
    if kept and kept[-1].type == "task.completed":
        return found
    goes_on = any(envelope.type == "turn.started" for envelope in kept)
    after = len(server.exchanges)
    words = ("Do it.",) if not kept else ("--continue",) if goes_on else ("--continue", "Do it.")
    again = ran(command(server.url, *words), cwd, home)
    if again.code:
        return [*found, f"it did not go on: {again.code}, {again.told!r}"]
    whole, wrong = _events(home)
    found += oracle.of_telling(0, again.told) + oracle.of_processes(home) + wrong
    found += _of_both(cwd, [*kept, *again.seen], whole) + oracle.of_calls(whole, is_over=True)
    asked = bodies(server, after)
    if goes_on and asked and expected:
        found += oracle.of_request(asked[0], expected)
    return found


def _of_both(cwd: Path, seen: list[Envelope], kept: list[Envelope]) -> list[str]:
    found = oracle.of_log(seen, kept) + oracle.of_approvals(kept)
    return found + oracle.of_effects(cwd / "effects", kept) + _files(cwd)


async def complaints(tmp_path: Path, faults: Sequence[Fault]) -> dict[str, list[str]]:
    """What does not hold, by fault; that most runs came to none of them, too."""
    needs_strace()
    cwd, found = tmp_path / "work", dict[str, list[str]]()
    met = 0
    async with serving(turns(), order="history") as server:
        expected = await to_thread.run_sync(twin, server, cwd, tmp_path / "twin")
        for number, fault in enumerate(faults):
            home = tmp_path / f"home{number}"
            is_met, wrong = await to_thread.run_sync(examined, server, cwd, home, fault, expected)
            met += is_met
            if wrong:
                found[f"{fault.where}: {fault.calls} {fault.how} {fault.at}"] = wrong
    if met * 2 < len(faults):
        found["all"] = [f"only {met} of {len(faults)} runs came to their place"]
    return found


def fresh_seed() -> int:
    """The same for every run but those of ``./test --soak``, whose seed ``OURO_TEST_SEED`` brings back."""
    seed = int(os.environ.get("OURO_TEST_SEED", "2026"))
    print("seed", seed)
    return seed


def sampled(faults: Sequence[Fault], count: int) -> list[Fault]:
    """Some of them, each at a place of its own, other ones each time."""
    seed = fresh_seed()
    return seeded(random.Random(seed).sample(faults, count), seed, 1)


def seeded(faults: Sequence[Fault], seed: int, each: int) -> list[Fault]:
    """Each of these ``each`` times, at a place of its own; ``at`` is the last one to choose from."""
    chance = random.Random(seed)
    found: list[Fault] = []
    for fault in faults:
        most, plus = int(fault.at.rstrip("+")), "+" * fault.at.endswith("+")
        places = chance.sample(range(1, most + 1), min(each, most))
        found += [msgspec.structs.replace(fault, at=f"{place}{plus}") for place in places]
    return found


def _events(home: Path) -> tuple[list[Envelope], list[str]]:
    """The events of the one session that there may be."""
    sessions, wrong = oracle.on_disk(home / "store")
    if len(sessions) > 1:
        wrong.append(f"there are {len(sessions)} sessions")
    return [envelope for kept in sessions.values() for envelope in kept], wrong


def _files(cwd: Path) -> list[str]:
    effects = cwd / "effects"
    there = effects.read_bytes() if effects.exists() else None
    return oracle.of_files(cwd, {"edited": (OLD, NEW.encode()), "effects": (there,)})
