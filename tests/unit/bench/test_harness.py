"""The benchmark's own arithmetic, and how it looks at a process; never its speed."""

import sys
from pathlib import Path

import pytest

from bench.harness.contestants import bare_loop, ouroboros
from bench.harness.process import Launch, Output, Ran, Running
from bench.harness.scenarios import Failed, calls, play
from bench.harness.table import Sheet

pytestmark = pytest.mark.real


def test_a_cell_shows_the_median_the_spread_and_the_ratio_of_pairs() -> None:
    sheet = Sheet(["ouro", "codex"], "codex")
    for ours, theirs in ((0.010, 0.020), (0.030, 0.040), (0.020, 0.100)):
        sheet.add("ouro", "start", ours)
        sheet.add("codex", "start", theirs)
    assert list(sheet.lines()) == [
        "| what | budget | ouro | codex |",
        "|---|---|---|---|",
        "| start to first request, ms |  | 20.0 (10.0 to 30.0), x0.50 | 40.0 (20.0 to 100.0) |",
    ]


def test_a_budget_that_is_not_kept_is_named() -> None:
    sheet = Sheet(["ouro", "codex"], "codex")
    for key, value in (("turn_cpu", 0.012), ("linear", 1.0), ("connections", 1), ("start", 0.3)):
        sheet.add("ouro", key, value)
    sheet.add("codex", "start", 0.2)
    sheet.add("ouro", "gap_early", 0.002)
    sheet.add("ouro", "gap_late", 0.004)
    assert list(sheet.missed("ouro")) == [
        "ouro: CPU per turn, ms is 12.00, not <= 10",
        "ouro: output, 10,000 to 5,000 deltas is 1.00, not 1.8 to 2.2",
        "ouro: start is 1.50 of codex's",
        "ouro: the gap at turn 200 is 2.00 of that at turn 20",
    ]


async def run(folder: Path, script: str, output: Output) -> Ran:
    launch = Launch(command=(sys.executable, "-I", "-c", script), environment={})
    return await Running(launch, folder, output).finish()


async def test_a_process_is_seen_with_all_it_wrote_and_used(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "while time.process_time() < 0.2: pass\n"
        "sys.stderr.write('oh')\n"
        "sys.stdout.write('x' * 200_000)\n"
        "sys.exit(3)"
    )
    ran = await run(tmp_path, script, "text")
    assert (ran.exit_code, ran.output, ran.complaint) == (3, b"x" * 200_000, "oh")
    assert ran.own_seconds >= 0.15
    assert ran.ended_at > ran.spawned_at


async def test_on_a_terminal_a_process_finds_one(tmp_path: Path) -> None:
    ran = await run(tmp_path, "import sys; print(sys.stdin.isatty(), sys.stdout.isatty())", "pty")
    assert ran.output.split() == [b"True", b"True"]


@pytest.mark.deep
async def test_every_contestant_carries_out_its_own_call() -> None:
    for contestant in (bare_loop(), ouroboros((sys.executable, "-I", "-m", "ouroboros"), "chat")):
        played, _ = await play(contestant, calls(contestant, 2))
        assert len(played.asked) == 3
        assert '"role":"tool"' in played.asked[-1].body.replace('": "', '":"')
        assert played.connections == 1
        assert 0 < played.start < played.ran.ended_at - played.ran.spawned_at


@pytest.mark.deep
async def test_a_contestant_that_breaks_off_gives_no_numbers() -> None:
    broken = ouroboros((sys.executable, "-I", "-m", "ouroboros", "--no-such-option"), "chat")
    with pytest.raises(Failed, match="after 0 of 2 requests"):
        await play(broken, calls(broken, 1))
