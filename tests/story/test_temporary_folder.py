"""Commands in the sandbox have a folder for temporary files of their own, which goes with the session."""

import os
import signal
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.events import ToolResulted
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

DONE = Turn(text="done")


def words_of(s: Stage) -> list[str]:
    results = [e.data for e in s.shown if isinstance(e.data, ToolResulted)]
    return ["".join(p.text for p in each.parts if isinstance(p, Text)) for each in results]


def runs(command: str) -> Turn:
    return Turn(tool_calls=(call("shell", command=command),))


@pytest.mark.proves("F11")
async def test_it_is_private_kept_over_calls_and_gone_with_the_session(tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    turns = [
        runs('mktemp; echo kept > "$TMPDIR/a"; stat -c "mode %a of %u" "$TMPDIR"; echo "$TMPDIR"'),
        runs('cat "$TMPDIR/a"; python3 -c "import tempfile; print(tempfile.mkdtemp())"'),
        DONE,
    ]
    wanted = {"exclude_tmp": True}
    async with stage(tmp_path, turns, sandbox=wanted, environment={"TMPDIR": str(place)}) as s:
        await s.run()
        first, second = words_of(s)
    made = Path(first.strip().splitlines()[-1])
    assert made.parent == place
    assert f"mode 700 of {os.geteuid()}" in first
    assert f"{made}/tmp." in first
    assert "kept" in second
    assert f"{made}/tmp" in second
    assert list(place.iterdir()) == []


@pytest.mark.deep
@pytest.mark.proves("F11")
async def test_file_tools_write_in_it_unasked_and_not_beside_it(tmp_path: Path) -> None:
    turns = [
        runs('python3 -c \'import os; os.symlink(os.environ["TMPDIR"], "way")\''),
        *(
            Turn(tool_calls=(call("write", path=path, content="written\n"),))
            for path in ("way/n.txt", f"{tmp_path}/n.txt")
        ),
        runs('cat "$TMPDIR/n.txt"'),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        _, written, refused, read = words_of(s)
    assert "Created way/n.txt" in written
    assert "is outside the workspace" in refused
    assert "written" in read


@pytest.mark.deep
@pytest.mark.proves("F11")
async def test_what_a_kill_left_goes_with_the_next_start(tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    for folder in (place, tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
    environment = {"TMPDIR": str(place)}
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            from ouroboros.safety.scratch import make

            made = make(place, "ouro-tmp-")
            (made.path / "left").touch()
            os.write(writing, b"x")
            signal.pause()
        finally:
            os._exit(1)
    os.close(writing)
    assert os.read(reading, 1) == b"x"
    os.close(reading)
    turns = [runs("true"), DONE]
    try:
        async with stage(tmp_path / "a", turns, environment=environment) as s:
            await s.run()
            assert len([*place.glob("*/left")]) == 1, "its owner lives"
    finally:
        os.kill(child, signal.SIGKILL)
        await to_thread.run_sync(os.waitpid, child, 0)
    async with stage(tmp_path / "b", turns, environment=environment) as s:
        await s.run()
        assert [*place.glob("*/left")] == []
    assert list(place.iterdir()) == []
