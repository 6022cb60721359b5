"""A model that applies a bundle is held to the rules of every tool that writes."""

from pathlib import Path

import pytest

from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.stage import call, stage

BUNDLE = "--- File: a.txt ---\n```diff\n one\n-two\n+TWO\n```\n\n--- New File: sub/b.txt ---\n```\nnew\n```\n"


def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


def dogs(bundle: str = BUNDLE) -> Turn:
    return Turn(tool_calls=(call("call_tool", name="dogs", arguments={"bundle": bundle}),))


DONE = Turn(text="Done.")


async def test_it_is_found_and_applies_all_of_a_bundle(tmp_path: Path) -> None:
    folder = work(tmp_path)
    search = Turn(tool_calls=(call("tool_search", query="apply a bundle of changes"),))
    async with stage(tmp_path, [search, dogs(), DONE], mode="auto-edit") as s:
        await s.run()
        found, applied = [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]
        assert '"name":"dogs"' in found
        assert applied == "Applied the bundle:\nM a.txt\nA sub/b.txt"
    assert (folder / "a.txt").read_text() == "one\nTWO\n"
    assert (folder / "sub" / "b.txt").read_text() == "new\n"


@pytest.mark.proves("M24")
@every("rule", ["write(sub/**)", "dogs"])
async def test_a_deny_rule_stops_all_of_it(tmp_path: Path, rule: str) -> None:
    folder = work(tmp_path)
    rules = {"deny": (rule,)}
    async with stage(tmp_path, [dogs(), DONE], mode="full-auto", permissions=rules) as s:
        await s.run()
        (result,) = s.results.values()
        assert result.status == "denied"
    assert (folder / "a.txt").read_text() == "one\ntwo\n"
    assert not (folder / "sub").exists()


@pytest.mark.proves("M24")
async def test_a_person_is_asked_and_told_every_path(tmp_path: Path) -> None:
    folder = work(tmp_path)
    async with stage(tmp_path, [dogs(), DONE], mode="ask") as s:
        await s.run()
        (asked,) = s.events(PermissionRequested)
        assert "a.txt" in str(asked)
        assert "b.txt" in str(asked)
    assert (folder / "a.txt").read_text() == "one\ntwo\n"


async def test_what_does_not_fit_or_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    folder = work(tmp_path)
    climbing = BUNDLE.replace("sub/b.txt", "../b.txt")
    turns = [dogs(BUNDLE.replace("-two", "-three")), dogs(climbing), dogs("words"), DONE]
    async with stage(tmp_path, turns, mode="full-auto") as s:
        await s.run()
        told = [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]
        assert "nothing was written: 'a.txt', block 1" in told[0]
        assert "b.txt" in told[1]
        assert "holds no change" in told[2]
    assert (folder / "a.txt").read_text() == "one\ntwo\n"
    assert not (tmp_path / "b.txt").exists()


@pytest.mark.proves("M24")
async def test_a_model_reads_what_was_passed_over(tmp_path: Path) -> None:
    folder = work(tmp_path)
    beside = f"{BUNDLE}\n**c.py**\n```python\nx = 1\n```\n"
    loose = "In `c.py` write this:\n```python\nx = 1\n```\n"
    async with stage(tmp_path, [dogs(beside), dogs(loose), DONE], mode="full-auto") as s:
        await s.run()
        told = [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]
        assert "A sub/b.txt\nline 13: a fence that names a file was passed over" in told[0]
        assert "holds no change" in told[1]
        assert "a fence below words about 'c.py' was passed over" in told[1]
    assert not (folder / "c.py").exists()
