"""A process that is killed while a call runs: the call is marked, told to the model, and left alone."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.events import ToolResulted
from ouroboros.llm.turns import Turn
from ouroboros.store.resume import read
from tests import forked
from tests.story.stage import stage
from tests.story.test_killed_with_a_command import appears

COMMAND = "echo once >> count; exec sleep 60"
TURN = {
    "text": "I run it.",
    "tool_calls": [{"name": "shell", "arguments": {"command": COMMAND, "timeout": 90}}],
}


async def killed_in_mid_call(tmp_path: Path) -> None:
    """Runs the program until its command has taken effect, then kills it."""
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "turns.jsonl").write_text(json.dumps(TURN) + "\n")
    model = f"script:{tmp_path / 'turns.jsonl'}"
    process = await to_thread.run_sync(
        partial(
            forked.Popen,
            [sys.executable, "-m", "ouroboros", "run", "--mode=full-auto", "--model", model, "go"],
            cwd=work,
            env={**os.environ, "OUROBOROS_HOME": str(tmp_path / "home")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    )
    await to_thread.run_sync(appears, work / "count")
    process.kill()
    await to_thread.run_sync(process.wait)


@pytest.mark.proves("spine-store")
@pytest.mark.parametrize("words", ["", pytest.param("Look what happened.", marks=pytest.mark.deep)])
async def test_a_call_that_was_cut_off_is_unknown_and_not_run_again(
    tmp_path: Path, words: str
) -> None:
    await killed_in_mid_call(tmp_path)
    async with stage(tmp_path, [Turn(text="I looked."), Turn(text="")], latest=True) as s:
        assert any("whether it took effect is unknown" in said for said in s.session.warnings)
        assert (await s.run(words)).final == "I looked."
        (answer,) = [m for m in s.body()["messages"] if m["role"] == "tool"]
        assert "Whether it took effect is unknown" in answer["content"]
        session = s.session.id
    results = [
        envelope.data
        for envelope in (await to_thread.run_sync(read, tmp_path / "home", session)).envelopes
        if isinstance(envelope.data, ToolResulted)
    ]
    assert [result.status for result in results] == ["unknown-after-crash"]
    assert (tmp_path / "work" / "count").read_text() == "once\n"
