"""An edit that cannot be made is told to the model, and nobody is asked about it."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.events import PermissionRequested, ToolAttempted
from ouroboros.llm.turns import ScriptedCall, Turn
from tests.cases import every
from tests.story.stage import Stage, call, stage

TEXT = "".join(f"line {number}\n" for number in range(1, 31))
DONE = Turn(text="done")


def patch(*lines: str) -> ScriptedCall:
    return call("apply_patch", input="\n".join(["*** Begin Patch", *lines, "*** End Patch\n"]))


def edit(old: str, new: str, path: str = "a.txt", **more: Any) -> ScriptedCall:
    return call("edit", path=path, old_text=old, new_text=new, **more)


def edits(*pairs: tuple[str, str]) -> ScriptedCall:
    wanted = [{"old_text": old, "new_text": new} for old, new in pairs]
    return call("multi_edit", path="a.txt", edits=wanted)


def bundle(text: str) -> ScriptedCall:
    return call("dogs", bundle=text)


def folder(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text(TEXT)
    (work / "b.bin").write_bytes(b"\0\xff\xfe\0" * 8)
    (work / "sub").mkdir()
    return work


async def asked(tmp_path: Path, *calls: ScriptedCall, **settings: Any) -> tuple[Stage, str]:
    """Carries the calls out where nobody is there; the stage after it, and what the last one came to."""
    turns = [*(Turn(tool_calls=(one,)) for one in calls), DONE]
    async with stage(tmp_path, turns, mode="ask", **settings) as s:
        await s.run()
        last = list(s.results.values())[-1]
        return s, f"{last.status}: {''.join(getattr(part, 'text', '') for part in last.parts)}"


@pytest.mark.deep
@pytest.mark.proves("E13", "D07")
@every(
    "wanted, told",
    [
        (edit("line 99", "x"), "was not found"),
        (edit("line 1", "x"), "was found"),
        (edit("", "x"), "old_text is empty"),
        (edit("line 15\n", "line 15\n"), "identical"),
        (edit("x", "y", path="no.txt"), "does not exist"),
        (edit("x", "y", path="b.bin"), "b.bin"),
        (edit("x", "y", path="sub"), "is a folder"),
        (edits(("line 15\n", "x\n"), ("line 99", "y")), "edit 2 of 2"),
        (edits(("line 15\n", "line 15\n"), ("line 16\n", "line 16\n")), "identical"),
        (edits(("line 15\n", "x\n"), ("line 15\n", "y\n")), "edit 2 of 2"),
        (
            patch("*** Update File: a.txt", "@@", " line 98", "-line 99", "+x"),
            "verification failed",
        ),
        (patch("*** Delete File: no.txt"), "verification failed"),
        (patch("*** Add File: a.txt/b", "+x"), "verification failed"),
        (
            patch("*** Add File: n.txt", "+x", "*** Update File: a.txt", "@@", "-line 99", "+x"),
            "verification failed",
        ),
        (
            bundle("a.txt\n```\n<<<<<<< SEARCH\nline 99\n=======\nx\n>>>>>>> REPLACE\n```\n"),
            "a.txt",
        ),
        (call("write", path="sub", content="x"), "regular file"),
        (call("write", path="a.txt/b", content="x"), "is a file"),
        (call("write", path="n.txt", content="x" * 2_000), "the limit is 1000"),
    ],
)
async def test_what_cannot_be_made_is_refused_unasked(
    wanted: ScriptedCall, told: str, tmp_path: Path
) -> None:
    work = folder(tmp_path)
    s, said = await asked(tmp_path, wanted, tools={"write_max": 1_000})
    assert said.startswith("failed: "), said
    assert told in said, said
    assert s.events(PermissionRequested) == []
    assert s.events(ToolAttempted) == []
    assert (work / "a.txt").read_text() == TEXT
    assert not (work / "n.txt").exists()


@pytest.mark.deep
@pytest.mark.proves("E13", "D07")
@every(
    "wanted, shown",
    [
        (edit("line 15\n", "line fifteen\n"), ["-line 15\n+line fifteen\n"]),
        (edit("line 1\n", "line one\n"), ["-line 1\n+line one\n"]),
        (edits(("line 3\n", "x\n"), ("line 9\n", "")), ["-line 3\n+x\n", "-line 9\n"]),
        (
            patch("*** Update File: a.txt", "@@", "-line 5", "+x"),
            ["@@ -2,7 +2,7 @@", "-line 5\n+x"],
        ),
        (patch("*** Add File: n.txt", "+x"), ["+++ b/n.txt\n@@ -0,0 +1 @@\n+x\n"]),
        (patch("*** Delete File: a.txt"), ["-line 1\n-line 2\n"]),
        (call("write", path="n.txt", content="x\ny\n"), ["+++ b/n.txt\n", "+x\n+y\n"]),
        (call("write", path="a.txt", content="x\n"), ["-line 1\n", "+x\n"]),
        (
            bundle("a.txt\n```\n<<<<<<< SEARCH\nline 7\n=======\nx\n>>>>>>> REPLACE\n```\n"),
            ["-line 7\n+x\n"],
        ),
    ],
)
async def test_what_can_be_made_is_asked_about_with_its_change(
    wanted: ScriptedCall, shown: list[str], tmp_path: Path
) -> None:
    work = folder(tmp_path)
    s, _ = await asked(tmp_path, wanted)
    (question,) = s.events(PermissionRequested)
    assert question.detail.startswith("--- a/"), question.detail
    for each in shown:
        assert each in question.detail, question.detail
    assert (work / "a.txt").read_text() == TEXT


@pytest.mark.proves("E13")
async def test_a_file_that_somebody_changed_since_it_was_read_is_not_asked_about(
    tmp_path: Path,
) -> None:
    work = folder(tmp_path)
    turns = [Turn(tool_calls=(call("read", path="a.txt"),)), DONE]
    late = [Turn(tool_calls=(edit("line 15\n", "x\n"),)), DONE]
    async with stage(tmp_path, [*turns, *late], mode="ask") as s:
        await s.run()
        (work / "a.txt").write_text(TEXT + "theirs\n")
        await s.run("Go on")
        assert s.events(PermissionRequested) == []
        (_, failed) = s.results.values()
        assert failed.status == "failed"


@pytest.mark.deep
@pytest.mark.proves("E13", "E22")
@every(
    "place, old",
    [
        ("OUT/outside.txt", "guess"),
        ("OUT/outside.txt", "secret"),
        ("OUT/nothing.txt", "guess"),
        (".env", "guess"),
        (".env", "KEY"),
    ],
)
async def test_whether_a_file_holds_a_word_is_not_told_of_files_that_may_not_be_read(
    place: str, old: str, tmp_path: Path
) -> None:
    """Else a model could try words out until one fits, and nobody would have been asked."""
    work = folder(tmp_path)
    (tmp_path / "outside.txt").write_text("secret")
    (work / ".env").write_text("KEY=1")
    s, said = await asked(tmp_path, edit(old, "x", path=place.replace("OUT", str(tmp_path))))
    assert len(s.events(PermissionRequested)) == 1
    assert "Nobody is here to approve" in said
