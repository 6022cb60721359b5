"""Half a surrogate pair, from a terminal, a file name or a model, stops no run."""

import os
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.llm.turns import ScriptedCall, Turn
from ouroboros.store import resume
from tests.story.stage import FORMATS, call, stage

DONE = Turn(text="All done.")


async def test_words_with_bytes_that_are_no_text_are_said(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        assert (await s.run("caf\udce9 now")).reason == "completed"
        assert s.body()["messages"][-1]["content"] == "caf\ufffd now"
        name = s.session.id
    kept = await to_thread.run_sync(resume.read, tmp_path / "home", name)
    assert (kept.warnings, len(kept.envelopes)) == ((), s.session.state.seq)


async def test_a_file_name_that_is_no_text_is_listed(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"needle")
    calls = (call("ls", path="."), call("grep", pattern="needle"))
    async with stage(tmp_path, [Turn(tool_calls=calls), DONE]) as s:
        assert (await s.run()).final == "All done."
        assert [result.status for result in s.results.values()] == ["done", "done"]


@pytest.mark.parametrize("format", FORMATS)
async def test_half_a_pair_in_arguments_is_told_to_the_model(tmp_path: Path, format: str) -> None:
    broken = ScriptedCall(name="write", arguments='{"path":"a.txt","content":"x\\ud800y"}')
    async with stage(tmp_path, [Turn(tool_calls=(broken,)), DONE], format=format) as s:
        assert (await s.run()).final == "All done."
        (result,) = s.results.values()
        assert result.status in {"failed", "done"}
