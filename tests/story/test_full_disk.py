"""A disk that fills up in mid-run: the run ends at once with a clear error, and can go on later."""

from collections.abc import Iterator
from itertools import batched
from pathlib import Path

import anyio
import pytest

from ouroboros.core.errors import StoreFull
from ouroboros.llm.turns import ScriptedCall, Turn
from tests.small_disk import mounted
from tests.story.stage import Stage, call, stage

WIDE = {"window": 10_000_000}  # nothing is summarised, however late the disk fills up
DONE = Turn(text="All done.")


def asks(tool: str, number: int) -> ScriptedCall:
    """A call that brings 10 kB; no two are the same, since repeated ones end a run."""
    if tool == "read":
        return call("read", path="big.txt", limit=600 + number)
    return call("shell", command=f"cat big.txt; : {number}")


@pytest.fixture
def small_home(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "home", mebibytes=2) as disk:
        yield disk


async def fails(s: Stage) -> None:
    with anyio.fail_after(60), pytest.raises(StoreFull, match="No room on the disk") as full:
        await s.run("Read on and on")
    assert "Free some space" in full.value.hint


@pytest.mark.deep
@pytest.mark.proves("spine-bad-input")
@pytest.mark.parametrize("tool", ["read", "shell"])
async def test_a_full_disk_ends_the_run_with_a_clear_error(
    tmp_path: Path, small_home: Path, tool: str
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "big.txt").write_text("a line of words\n" * 600)
    calls = [asks(tool, number) for number in range(800)]
    turns = [Turn(tool_calls=tuple(four)) for four in batched(calls, 4)]
    async with stage(tmp_path, [*turns, DONE], context=WIDE) as s:
        await fails(s)
        shown = [envelope.seq for envelope in s.shown if envelope.data.durable]
        assert shown == list(range(1, len(shown) + 1))
        with pytest.raises(StoreFull):
            await s.run("Once more")
    # What was kept is whole; with room again the session goes on.
    remount = ["mount", "-o", "remount,size=16m", str(small_home)]
    await anyio.run_process(remount)
    async with stage(tmp_path, [DONE], context=WIDE, latest=True) as s:
        assert s.session.state.seq >= len(shown)
        assert (await s.run("")).final == "All done."
