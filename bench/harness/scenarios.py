"""What every contestant goes through, and the numbers that come out."""

import gc
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from bench.harness.contestants import Contestant
from bench.harness.memory import Memory
from bench.harness.process import Output, Ran, Running
from ouroboros.llm.turns import ScriptedCall, ScriptedUsage, Turn
from ouroboros.testing.server import serving
from ouroboros.testing.wire import Exchange

SHORT, LONG = 20, 200
DELTAS = 5_000
PACED = 1_000
PACE_SECONDS = 0.001
WORD = "word "
LAST_WORD = "word\n"
WORDS_A_LINE = 12

_SPENT = ScriptedUsage(input_uncached=100, output_text=10)

type Note = Callable[[str, float], None]


class Failed(Exception):
    """A contestant did not do what the script asks for, so its numbers mean nothing."""


class Played(Struct, frozen=True, kw_only=True):
    """One run and what the server saw of it."""

    ran: Ran
    asked: list[Exchange]
    connections: int

    @property
    def start(self) -> float:
        """Seconds from the spawn to the first request for a reply."""
        return self.asked[0].arrived_at - self.ran.spawned_at

    def gap(self, first: int, last: int) -> float:
        """Median seconds from the end of these replies to the next request."""
        found: list[float] = []
        for earlier, later in zip(self.asked[first - 1 : last], self.asked[first:], strict=False):
            assert earlier.ended_at is not None
            found.append(later.arrived_at - earlier.ended_at)
        return median(found)


async def play(
    contestant: Contestant, turns: list[Turn], output: Output = "text", *, sampled: bool = False
) -> tuple[Played, Memory]:
    """One run through a script, in a folder of its own."""
    gc.collect()
    gc.disable()  # a collection of ours would look like a gap of theirs
    try:
        with tempfile.TemporaryDirectory(prefix="bench") as name:
            async with serving(turns) as server:
                launch = contestant.launch(Path(name), server.url, output)
                running = Running(launch, Path(name), output)
                memory = Memory(running.pid, lambda: len(server.exchanges))
                async with memory.watched() if sampled else nullcontext():
                    ran = await running.finish()
                asked = [one for one in server.exchanges if one.method == "POST"]
                played = Played(ran=ran, asked=asked, connections=server.connections)
    finally:
        gc.enable()
    if ran.exit_code or len(played.asked) != len(turns):
        raise Failed(
            f"{contestant.name} ended with {ran.exit_code} after {len(played.asked)} of "
            f"{len(turns)} requests: {ran.complaint or ran.output[-2000:].decode(errors='replace')}"
        )
    return played, memory


def calls(contestant: Contestant, number: int) -> list[Turn]:
    """So many turns with a call that does nothing and is never quite the last one, then the end."""
    turns = [
        Turn(tool_calls=(_numbered(contestant.call, place),), usage=_SPENT)
        for place in range(number)
    ]
    return [*turns, Turn(text="done", usage=_SPENT)]


def _numbered(call: ScriptedCall, place: int) -> ScriptedCall:
    """The same command with its number behind it: a call that is made again and again is stopped."""
    assert isinstance(call.arguments, dict)
    arguments = {
        name: f"{value} {place}" if name in {"command", "cmd"} else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=arguments)


def speech(deltas: int, *, pace_seconds: float = 0.0) -> list[Turn]:
    """One reply in so many deltas of five characters."""
    words = [LAST_WORD if index % WORDS_A_LINE == 0 else WORD for index in range(1, deltas + 1)]
    text = "".join(words)
    return [Turn(text=text, chunk=len(WORD), pace_seconds=pace_seconds, usage=_SPENT)]


async def start(contestant: Contestant, note: Note) -> None:
    """From nothing to the first request."""
    played, _ = await play(contestant, [Turn(text="done", usage=_SPENT)])
    note("start", played.start)
    note("whole", played.ran.ended_at - played.ran.spawned_at)
    note("whole_cpu", played.ran.seconds)
    note("first_request", len(played.asked[0].body.encode()))


async def turns(contestant: Contestant, note: Note) -> None:
    """Gaps at two depths, and what a turn costs: a long run less a short one."""
    short, _ = await play(contestant, calls(contestant, SHORT))
    long, _ = await play(contestant, calls(contestant, LONG))
    note("gap_early", long.gap(SHORT - 5, SHORT + 5))
    note("gap_late", long.gap(LONG - 10, LONG))
    between = LONG - SHORT
    note("turn_cpu", (long.ran.seconds - short.ran.seconds) / between)
    note("turn_cpu_own", (long.ran.own_seconds - short.ran.own_seconds) / between)
    note("connections", long.connections)


async def memory(contestant: Contestant, note: Note) -> None:
    """The same long run, watched closely and therefore not timed."""
    _, sizes = await play(contestant, calls(contestant, LONG), sampled=True)
    note("pss", sizes.peak)
    note("pss_own", sizes.own_peak)
    note("growth", sizes.growth(LONG // 4, LONG))


async def deltas(contestant: Contestant, note: Note) -> None:
    """What a delta costs for each output: a long reply less a short one."""
    for output in contestant.outputs:
        short, _ = await play(contestant, speech(1), output)
        long, _ = await play(contestant, speech(DELTAS), output)
        note(f"delta_{output}", (long.ran.seconds - short.ran.seconds) / (DELTAS - 1))
        if output != "pty" and len(long.ran.output) < DELTAS * len(WORD):
            raise Failed(f"{contestant.name} wrote {len(long.ran.output)} bytes of the reply")
        if output == "stream-json":
            longer, _ = await play(contestant, speech(2 * DELTAS), output)
            note("linear", len(longer.ran.output) / len(long.ran.output))


async def paced(contestant: Contestant, note: Note) -> None:
    """What a delta costs when each comes alone, as from a real model."""
    if not contestant.outputs:
        return
    for output in contestant.outputs:
        short, _ = await play(contestant, speech(1), output)
        long, _ = await play(contestant, speech(PACED, pace_seconds=PACE_SECONDS), output)
        note(f"paced_{output}", (long.ran.seconds - short.ran.seconds) / (PACED - 1))
