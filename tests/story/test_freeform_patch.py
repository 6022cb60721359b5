"""A patch that a model writes as plain text, not as JSON, from its tool's grammar to the file."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.llm.turns import Fault, ScriptedCall, Turn
from tests.cases import every
from tests.story.stage import Stage, stage

PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwölf "\\n" {}\n*** End Patch\n'
BROKEN = PATCH.replace("-two", "-three")


def patching(text: str, **more: Any) -> Turn:
    return Turn(tool_calls=(ScriptedCall(name="apply_patch", arguments=text),), **more)


def items(s: Stage, kind: str) -> list[dict[str, Any]]:
    """The items of a type in the last request."""
    return [item for item in s.body()["input"] if item.get("type") == kind]


def prepare(s: Stage) -> Path:
    (s.cwd / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    return s.cwd / "a.txt"


@pytest.mark.deep
@pytest.mark.proves("D29")
@every("chunk", [0, 3])
async def test_a_patch_is_called_as_text_and_answered_in_kind(tmp_path: Path, chunk: int) -> None:
    turns = [patching(PATCH, chunk=chunk), Turn(text="Done.")]
    async with stage(tmp_path, turns, format="openai") as s:
        file = prepare(s)
        assert (await s.run()).final == "Done."
        assert file.read_text("utf-8") == 'one\nzwölf "\\n" {}\n'
        offered = [tool for tool in s.body(0)["tools"] if tool["name"] == "apply_patch"]
        assert [tool["type"] for tool in offered] == ["custom"]
        (asked,) = items(s, "custom_tool_call")
        (told,) = items(s, "custom_tool_call_output")
        assert asked["input"] == PATCH
        assert asked["call_id"] == told["call_id"]
        assert "a.txt" in str(told["output"])
        assert items(s, "function_call") == items(s, "function_call_output") == []


async def test_a_patch_that_does_not_fit_says_so_in_kind_and_may_be_written_again(
    tmp_path: Path,
) -> None:
    turns = [patching(BROKEN), patching(PATCH), Turn(text="Done.")]
    async with stage(tmp_path, turns, format="openai") as s:
        file = prepare(s)
        assert (await s.run()).final == "Done."
        assert "zwölf" in file.read_text("utf-8")
        first, second = items(s, "custom_tool_call_output")
        assert "three" in str(first["output"])
        assert first["output"] != second["output"]


@pytest.mark.proves("D29")
async def test_half_a_patch_is_never_applied(tmp_path: Path) -> None:
    cut = Fault(kind="cut", after=len(PATCH) // 2)
    turns = [patching(PATCH, chunk=4, fault=cut), patching(PATCH), Turn(text="Done.")]
    network = {"stream_retries": 0, "request_retries": 0}
    async with stage(tmp_path, turns, format="openai", network=network) as s:
        file = prepare(s)
        assert (await s.run()).reason == "failed"
        assert file.read_text("utf-8") == "one\ntwo\n"
        assert (await s.run("Again.")).final == "Done."
        assert "zwölf" in file.read_text("utf-8")


@pytest.mark.proves("D29")
async def test_a_session_taken_up_again_tells_the_patch_as_text(tmp_path: Path) -> None:
    async with stage(tmp_path, [patching(PATCH), Turn(text="Done.")], format="openai") as s:
        prepare(s)
        await s.run()
    async with stage(tmp_path, [Turn(text="Yes.")], format="openai", latest=True) as later:
        await later.run("Is it done?")
        assert [item["input"] for item in items(later, "custom_tool_call")] == [PATCH]
        assert len(items(later, "custom_tool_call_output")) == 1
