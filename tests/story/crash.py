"""Kills a real `ouro run` with SIGKILL at a chosen moment, resumes it, and compares with a twin.

The driver stands outside: it reads what the process acknowledged on its standard output, counts
side effects in a file, and reads the log as it lies on the disk after the kill.
"""

import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from ouroboros.core.events import Envelope, ToolAttempted, ToolResulted
from ouroboros.core.events.schema import decode
from ouroboros.llm.turns import Turn
from ouroboros.store import resume
from ouroboros.store.sessions import list_sessions
from ouroboros.testing.server import ScriptedServer
from tests import forked
from tests.faults import oracle
from tests.story.stage import call

type Aim = Literal["call", "commit", "anywhere"]

CALLS = 4


class Moment(Struct, frozen=True, kw_only=True):
    """When to kill: what to wait for, the how-manieth of it, and how long after that."""

    aim: Aim
    count: int
    delay_seconds: float


class Report(Struct, frozen=True, kw_only=True):
    """What was found after one kill and its resumption."""

    moment: Moment
    in_call: bool
    in_commit: bool
    complaints: tuple[str, ...]


def turns() -> list[Turn]:
    """Two turns of several calls each, every call leaving one line in a file, then the end."""
    calls = [
        call("shell", command=f"echo {number} >> effects; sleep 0.04") for number in range(CALLS)
    ]
    half = CALLS // 2
    return [
        Turn(text="First half.", tool_calls=tuple(calls[:half])),
        Turn(text="Second half.", tool_calls=(*calls[half:], call("ls", path="."))),
        Turn(text="All done."),
    ]


def moments(seed: int, count: int) -> list[Moment]:
    """Two of five aim into a call, two of five into a commit, the rest anywhere."""
    chance = random.Random(seed)
    aims: list[Aim] = ["call", "commit", "call", "commit", "anywhere"]
    found: list[Moment] = []
    for number in range(count):
        aim = aims[number % len(aims)]
        found.append(
            Moment(
                aim=aim,
                count=chance.randint(1, CALLS if aim == "call" else 16),
                delay_seconds=chance.uniform(0, 0.04 if aim == "call" else 0.002),
            )
        )
    return found


def command(url: str, *words: str) -> list[str]:
    return [
        *(sys.executable, "-I", "-m", "ouroboros", "run", "--output", "stream-json"),
        *("--mode", "full-auto", "--model", "openai-chat/scripted", "--base-url", url, *words),
    ]


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "SHELL": "/bin/sh",
        "OUROBOROS_HOME": str(home / ".ouroboros"),
    }


def start(url: str, cwd: Path, home: Path, *words: str) -> subprocess.Popen[bytes]:
    home.mkdir(parents=True, exist_ok=True)
    with (home / "stderr").open("ab") as errors:
        return forked.Popen(
            command(url, *words),
            cwd=cwd,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )


def whole_run(url: str, cwd: Path, home: Path, *words: str) -> list[Envelope]:
    """Runs to the end and gives what was acknowledged."""
    process = start(url, cwd, home, *words)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, ((home / "stderr").read_text(), output[-2_000:])
    return acknowledged(output)


def killed_run(url: str, cwd: Path, home: Path, moment: Moment) -> list[Envelope]:
    """Runs until the moment, kills, and gives what had been acknowledged by then."""
    process = start(url, cwd, home, "Do it.")
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    output = bytearray()
    wait_for(moment, process, output, home / ".ouroboros" / "ouroboros.db-wal")
    time.sleep(moment.delay_seconds if moment.aim != "commit" else 0)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    os.set_blocking(process.stdout.fileno(), True)
    output += process.stdout.read()
    process.stdout.close()
    return acknowledged(bytes(output))


def wait_for(
    moment: Moment, process: subprocess.Popen[bytes], output: bytearray, journal: Path
) -> None:
    """Returns at the moment, or when the process has ended before it came."""
    assert process.stdout is not None
    growths, size = 0, -1
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        # Without a rest the process that is to be killed would have half of the machine.
        select.select([process.stdout], [], [], 0.0005 if moment.aim == "commit" else 0.01)
        output += process.stdout.read() or b""
        if moment.aim == "call" and output.count(b'"tool.attempted"') >= moment.count:
            return
        if moment.aim == "anywhere" and output.count(b"\n") >= moment.count:
            return
        with contextlib.suppress(FileNotFoundError):
            now = journal.stat().st_size
            growths += now > size >= 0
            size = now
        if moment.aim == "commit" and growths >= moment.count:
            return


def acknowledged(output: bytes) -> list[Envelope]:
    """The numbered events of complete lines; a torn last line was acknowledged to nobody."""
    lines = output.split(b"\n")[:-1]
    return [e for e in map(decode, lines) if e.data.durable]


def requests(server: ScriptedServer, after: int = 0) -> list[list[dict[str, Any]]]:
    """The message lists the model was sent."""
    return [
        cast("list[dict[str, Any]]", msgspec.json.decode(exchange.body)["messages"])
        for exchange in server.exchanges[after:]
        if exchange.method == "POST"
    ]


def examine(
    server: ScriptedServer, cwd: Path, home: Path, moment: Moment, twin: list[list[dict[str, Any]]]
) -> Report:
    """One kill, one resumption, and everything that must hold."""
    seen = killed_run(server.url, cwd, home, moment)
    after = len(server.exchanges)
    complaints: list[str] = []
    sessions = list_sessions(home / ".ouroboros") if (home / ".ouroboros").exists() else ()
    if not sessions:
        if seen:
            complaints.append(f"{len(seen)} acknowledged events and no session on the disk")
        return Report(moment=moment, in_call=False, in_commit=False, complaints=tuple(complaints))
    kept = resume.read(home / ".ouroboros", sessions[0].id).envelopes
    complaints += oracle.of_log(seen, kept) + oracle.of_calls(kept, is_over=False)
    attempted = {e.data.call_id for e in kept if isinstance(e.data, ToolAttempted)}
    resulted = {e.data.call_id for e in kept if isinstance(e.data, ToolResulted)}
    if kept[-1].type != "task.completed":
        goes_on = any(e.type == "turn.started" for e in kept)
        words = ("--continue",) if goes_on else ("--continue", "Do it.")
        later = whole_run(server.url, cwd, home, *words)
        complaints += compare_numbers(kept, later)
        if goes_on:
            asked = requests(server, after)
            complaints += oracle.of_request(asked[0], twin) if asked else []
    sound, wrong = oracle.on_disk(home / ".ouroboros")
    complaints += wrong + oracle.of_effects(cwd / "effects", sound[sessions[0].id])
    return Report(
        moment=moment,
        in_call=bool(attempted - resulted),
        in_commit=moment.aim == "commit" and len(kept) > len(seen),
        complaints=tuple(complaints),
    )


def compare_numbers(kept: list[Envelope], later: list[Envelope]) -> list[str]:
    if later and later[0].seq != kept[-1].seq + 1:
        return [f"the resumed log goes on with {later[0].seq} after {kept[-1].seq}"]
    return []
