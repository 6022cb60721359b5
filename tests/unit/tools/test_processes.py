"""The table of commands that outlive their call."""

import os
from pathlib import Path

import pytest

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.sandbox import Confined
from ouroboros.safety.spawn import start
from ouroboros.tools.exec.processes import MOST, Processes
from ouroboros.tools.exec.running import Running

pytestmark = pytest.mark.real


async def begun(table: Processes, folder: Path, *, ends: bool = False) -> tuple[int, Running]:
    command = ("sh", "-c", "exit 3") if ends else ("sleep", "600")
    process = await start(command, cwd=folder, environment={"PATH": os.environ["PATH"]})
    running = Running(process, Confined(command=command), command=" ".join(command))
    table.adopt(running)
    if ends:
        async for _ in running.follow(20, is_paused=lambda: False):
            pass
    return table.keep(running), running


@pytest.mark.proves("D13", "codex-2.5")
async def test_the_65th_pushes_out_one_that_has_ended_before_one_that_runs(tmp_path: Path):
    table = Processes()
    async with table.opened():
        first, _ = await begun(table, tmp_path)
        ended, _ = await begun(table, tmp_path, ends=True)
        rest = [await begun(table, tmp_path) for _ in range(MOST - 3)]
        late, _ = await begun(table, tmp_path, ends=True)
        numbers = {first, ended, late, *(number for number, _ in rest)}
        assert len(numbers) == MOST
        assert all(1000 <= number <= 99_999 for number in numbers)

        await begun(table, tmp_path)
        with pytest.raises(ToolFailed, match="Unknown process id"):
            table.used(ended)
        table.used(first)
        oldest = rest[0][1]
        await begun(table, tmp_path)
        # The other that has ended is one of the last eight, and stays.
        assert table.used(late).exit_code is not None
        assert table.used(first).exit_code is None
        with pytest.raises(ToolFailed, match="Unknown process id"):
            table.used(rest[0][0])
        await oldest.end()
        assert oldest.exit_code is not None


async def test_a_number_that_is_not_there_is_told_and_why_if_that_is_known():
    table = Processes(lost={1234: "npm start"})
    with pytest.raises(ToolFailed, match=r"write_stdin failed: Unknown process id 5$"):
        table.used(5)
    with pytest.raises(ToolFailed, match=r"id 1234 \('npm start' ended with the program"):
        table.used(1234)


async def test_what_fails_in_the_block_comes_out_as_it_is(tmp_path: Path):
    table, left = Processes(), list[Running]()

    async def fail() -> None:
        async with table.opened():
            left.append((await begun(table, tmp_path))[1])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert [running.exit_code for running in left] == [143]
