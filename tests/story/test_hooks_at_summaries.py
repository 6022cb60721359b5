"""Hooks keep what a summary is about to replace: handed over before the cut, whatever the model does."""

from pathlib import Path

import pytest

from ouroboros.agent.context.cut import Cut
from ouroboros.core.commands import Compact
from ouroboros.core.events import ContextCompacted
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage
from tests.story.test_compaction import FULL, LOW, WINDOW
from tests.story.test_hooks import ends, hook, said
from tests.story.test_hooks_in_trouble import kept, seen

TURNS = [
    Turn(text="Fact: 42.", tool_calls=(call("shell", command="echo seen"),), usage=FULL),
    Turn(text="sum", usage=LOW),
    Turn(tool_calls=(call("shell", command="true"),), usage=LOW),
    Turn(text="end", usage=LOW),
]


@pytest.mark.deep
async def test_what_goes_is_handed_to_hooks_before_the_cut_and_what_they_say_is_told(
    tmp_path: Path,
) -> None:
    note = f"[ ! -e {tmp_path}/made ] && {kept(tmp_path)}; echo Kept in notes.md"
    hooks = {"MemoryFlush": hook(note, "auto"), "PostCompact": hook(f"touch {tmp_path}/made")}
    async with stage(tmp_path, TURNS, hooks=hooks, context=WINDOW) as s:
        assert (await s.run("Remember 42.")).final == "end"
        assert "<hook_context>\\nKept in notes.md\\n</hook_context>" in said(s)
        assert len(s.events(ContextCompacted)) == 1
    (told,) = seen(tmp_path)
    assert (told["trigger"], told["focus"], told["hook_event_name"]) == ("auto", "", "MemoryFlush")
    reply = next(each for each in told["messages"] if each["calls"])
    (results,) = [each["results"] for each in told["messages"] if each["results"]]
    assert (reply["role"], reply["text"]) == ("assistant", "Fact: 42.")
    assert [each["name"] for each in reply["calls"]] == ["shell"]
    assert "seen" in results[0]["text"]
    assert (results[0]["name"], results[0]["ok"]) == ("shell", True)


@pytest.mark.deep
async def test_a_hook_at_the_cut_stops_no_summary_and_takes_no_memorys_place(
    tmp_path: Path,
) -> None:
    handed: list[Cut] = []

    async def flush(cut: Cut) -> None:
        handed.append(cut)

    stop = """printf '%s' '{"continue": false, "stopReason": "never"}'"""
    hooks = {
        "MemoryFlush": [*hook(stop), *hook("sleep 60", timeout=1), *hook("echo no >&2; exit 2")]
    }
    turns = [Turn(text="Hello."), Turn(text="sum"), Turn(text="Again.")]
    async with stage(tmp_path, turns, hooks=hooks, flush=flush) as s:
        await s.run("Say hello.")
        await s.session.send(Compact(focus="greetings"))
        assert len(s.events(ContextCompacted)) == 1
        assert sorted(ends(s)) == [
            ("MemoryFlush", "failed"),
            ("MemoryFlush", "failed"),
            ("MemoryFlush", "stopped"),
        ]
        assert [cut.focus for cut in handed] == ["greetings"]
        assert (await s.run()).reason == "completed"


async def test_a_key_that_a_session_hid_is_not_handed_to_hooks(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "k3Y9x" * 18
    turns = [Turn(text=f"The key is {secret}."), Turn(text="sum")]
    async with stage(tmp_path, turns, hooks={"MemoryFlush": hook(kept(tmp_path))}) as s:
        await s.run("Say it.")
        await s.session.send(Compact())
    assert "The key is" in (tmp_path / "seen.jsonl").read_text()
    assert secret not in (tmp_path / "seen.jsonl").read_text()
