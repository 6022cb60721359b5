"""The panels of what was changed: turns, hunks, branches; asked over HTTP."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.web.panel_stage import panels

DONE = Turn(text="All done.")
BEFORE = "".join(f"line {number}\n" for number in range(1, 31))
AFTER = BEFORE.replace("line 3\n", "line three\n").replace("line 25\n", "")


def write(path: str, content: str) -> Turn:
    return Turn(tool_calls=(call("write", path=path, content=content),))


def files(changes: dict[str, Any]) -> dict[str, tuple[str, int, int]]:
    return {f["path"]: (f["status"], f["added"], f["removed"]) for f in changes["files"]}


@pytest.mark.deep
async def test_turns_are_listed_with_what_each_changed(tmp_path: Path):
    turns = [write("a.txt", BEFORE), DONE, write("a.txt", AFTER), DONE]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.run(session, "First")
        await p.run(session, "Second")
        found = await p.get(f"/sessions/{session}/points")
        assert [
            (each["number"], each["text"], each["changed"], each["added"])
            for each in found["points"]
        ] == [
            (1, "Second", 1, 0),
            (2, "First", 0, 1),
        ]
        assert found["running"] is False
        latest = found["points"][0]["message_id"]
        turn = await p.get(f"/sessions/{session}/points/{latest}/diff")
        assert files(turn["made"]) == {"a.txt": ("changed", 1, 2)}
        assert files(turn["back"]["changes"]) == {"a.txt": ("changed", 2, 1)}
        assert turn["back"]["foreign"] == []
        assert files(await p.get(f"/sessions/{session}/changes")) == {"a.txt": ("added", 29, 0)}


@pytest.mark.proves("V16")
@pytest.mark.deep
async def test_a_hunk_that_is_shown_can_be_taken_back(tmp_path: Path):
    turns = [write("a.txt", BEFORE), DONE, write("a.txt", AFTER), DONE]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.run(session, "First")
        await p.run(session, "Second")
        latest = (await p.get(f"/sessions/{session}/points"))["points"][0]["message_id"]
        changes = await p.get(f"/sessions/{session}/changes", turn=latest)
        first, second = changes["files"][0]["hunks"]
        pieces = [_piece(first)]
        answer = await p.send(session, type="take_back", path="a.txt", pieces=pieces)
        assert answer.status_code == 202, answer.text
        assert (p.cwd / "a.txt").read_text() == BEFORE.replace("line 25\n", "")
        again = await p.send(session, type="take_back", path="a.txt", pieces=pieces)
        assert again.status_code == 409
        assert "has changed at line" in again.json()["error"]
        answer = await p.send(session, type="take_back", path="a.txt", pieces=[_piece(second)])
        assert (p.cwd / "a.txt").read_text() == BEFORE
        now = await p.get(f"/sessions/{session}/changes", turn=latest)
        assert now["files"] == []


@pytest.mark.deep
@pytest.mark.proves("permissions-steering")
async def test_what_steers_later_runs_is_named(tmp_path: Path):
    turns = [write("a.txt", BEFORE), write("deep/AGENTS.md", "x\n"), write(".env", "A=1\n"), DONE]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.run(session, "First")
        found = await p.get(f"/sessions/{session}/changes")
        assert found["steering"] == {
            ".env": "variables of programs",
            "deep/AGENTS.md": "what agents are told and may do",
        }
        assert (await p.get(f"/sessions/{session}/changes", path="a.txt"))["steering"] == {}


def _piece(hunk: dict[str, Any]) -> dict[str, Any]:
    """What the page makes of a hunk."""
    lines: list[str] = hunk["lines"]
    return {
        "start": hunk["new_start"],
        "new": "".join(line[1:] for line in lines if line[0] != "-"),
        "old": "".join(line[1:] for line in lines if line[0] != "+"),
    }


@pytest.mark.deep
@pytest.mark.proves("interfaces-rewind-on-the-page")
async def test_looking_often_keeps_no_checkpoint_from_its_place(tmp_path: Path):
    async with panels(tmp_path, [write("a", "one"), DONE]) as p:
        session = await p.open()
        await p.run(session)
        (repository,) = (p.home / "checkpoints").glob("*.git")
        refs = sorted(repository.glob("refs/checkpoints/*/*"))
        message = (await p.get(f"/sessions/{session}/points"))["points"][0]["message_id"]
        for number in range(3):
            (p.cwd / "a").write_text(f"by hand {number}")
            assert files(await p.get(f"/sessions/{session}/changes"))["a"][0] == "added"
            await p.get(f"/sessions/{session}/points/{message}/diff")
        assert sorted(repository.glob("refs/checkpoints/*/*")) == refs


@pytest.mark.deep
@pytest.mark.proves("interfaces-rewind-on-the-page")
async def test_somebody_elses_changes_are_named_before_files_go_back(tmp_path: Path):
    async with panels(tmp_path, [write("a", "one"), DONE]) as p:
        session = await p.open()
        await p.run(session)
        (p.cwd / "mine").write_text("by hand")
        message = (await p.get(f"/sessions/{session}/points"))["points"][0]["message_id"]
        back = (await p.get(f"/sessions/{session}/points/{message}/diff"))["back"]
        assert (back["foreign"], back["removed"]) == (["mine"], 2)
        refused = await p.send(session, type="restore", message_id=message)
        assert refused.status_code == 409
        assert "mine" in refused.json()["error"]
        kept = await p.send(session, type="restore", message_id=message, foreign="keep")
        assert kept.status_code == 202
        assert [path.name for path in p.cwd.iterdir()] == ["mine"]


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_an_undo_is_shown_as_it_will_be_and_leaves_what_no_turn_touched(tmp_path: Path):
    turns = [write("a", "one"), DONE, write("a", "two"), DONE]
    async with panels(tmp_path, turns, checkpoints__undo_depth=1) as p:
        session = await p.open()
        await p.run(session, "First")
        await p.run(session, "Second")
        (p.cwd / "mine").write_text("by hand")
        found = await p.get(f"/sessions/{session}/points")
        assert found["undoable"] == 1
        message = found["points"][0]["message_id"]
        shown = await p.get(f"/sessions/{session}/points/{message}/diff")
        assert files(shown["made"]) == {"a": ("changed", 1, 1)}
        assert files(shown["back"]["changes"]) == {
            "a": ("changed", 1, 1),
            "mine": ("removed", 0, 1),
        }
        undo = shown["undo"]
        assert files(undo["changes"]) == {"a": ("changed", 1, 1)}
        assert (undo["foreign"], undo["changed"], undo["removed"]) == ([], 1, 0)
        assert undo["left"] == {"mine": "it was changed by somebody else"}
        done = await p.send(session, type="undo")
        assert done.status_code == 202, done.text
        assert {path.name: path.read_text() for path in p.cwd.iterdir()} == {
            "a": "one",
            "mine": "by hand",
        }
        assert (await p.get(f"/sessions/{session}/points"))["undoable"] == 0


@pytest.mark.proves("interfaces-rewind-on-the-page")
async def test_nothing_is_taken_back_while_a_turn_runs(tmp_path: Path):
    turns = [write("a", "one"), Turn(tool_calls=(call("shell", command="sleep 30"),))]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.send(session, type="submit", text="Go")
        while not (p.cwd / "a").exists():
            await p.get(f"/sessions/{session}/points")
        found = await p.get(f"/sessions/{session}/points")
        assert found["running"] is True
        for wish in (
            {"type": "undo"},
            {"type": "take_back", "path": "a", "pieces": [{"start": 1, "new": "one", "old": ""}]},
            {"type": "restore", "message_id": found["points"][0]["message_id"]},
        ):
            refused = await p.send(session, **wish)
            assert refused.status_code == 409, refused.text
        assert (p.cwd / "a").read_text() == "one"
        await p.send(session, type="interrupt")


@pytest.mark.proves("V15")
async def test_two_branches_are_compared_by_words_and_files(tmp_path: Path):
    turns = [write("a", "one\n"), DONE, write("a", "two\n"), DONE, write("a", "three\n"), DONE]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.run(session, "First")
        fork = (await p.get(f"/sessions/{session}/tree"))["twigs"][-1]["id"]
        await p.run(session, "Left")
        left = (await p.get(f"/sessions/{session}/tree"))["twigs"][-1]["id"]
        await p.send(session, type="branch", message_id=fork)
        await p.run(session, "Right")
        tree = await p.get(f"/sessions/{session}/tree")
        right = tree["twigs"][-1]["id"]
        found = await p.get(f"/sessions/{session}/compare", left=left, right=right)
        words = found["messages"]
        assert words["parted"] == fork
        assert [each["text"] for each in words["left"]["messages"]] == ["Left", "", "All done."]
        assert [each["text"] for each in words["right"]["messages"]] == ["Right", "", "All done."]
        (change,) = found["files"]["files"]
        assert change["hunks"][0]["lines"] == ["-two\n", "+three\n"]
        assert found["trouble"] == ""
        assert [twig["id"] for twig in tree["twigs"] if twig["is_head"]] == [right]
        assert "two messages" in await p.refused(
            400, "GET", f"/sessions/{session}/compare", left=left
        )
        await p.refused(400, "GET", f"/sessions/{session}/compare", left=left, right="nowhere")


@pytest.mark.deep
async def test_strange_names_and_contents_are_shown_as_they_are(tmp_path: Path):
    names = ['a "quoted" name', "line\nbreak", "\u202eevil", "-rf", "é/ü", "a b&c=d#e?.txt"]
    shell = Turn(
        tool_calls=(
            call(
                "shell",
                command="mkdir -p é; touch run.sh; chmod +x run.sh; head -c 9000 /dev/zero > z; ln -s z l",
            ),
            *(call("write", path=f"./{name}", content=f"in {name!r}\n") for name in names),
        )
    )
    async with panels(tmp_path, [shell, DONE], sandbox__mode="danger-full-access") as p:
        session = await p.open()
        await p.run(session)
        found = {f["path"]: f for f in (await p.get(f"/sessions/{session}/changes"))["files"]}
        assert set(names) <= found.keys()
        assert found["z"]["content"] == "binary"
        assert found["run.sh"]["hunks"] == []
        assert found["l"]["hunks"][0]["lines"] == ["+z"]
        for name in names:
            (one,) = (await p.get(f"/sessions/{session}/changes", path=[name]))["files"]
            assert one["path"] == name
            shown = await p.get(f"/sessions/{session}/file", path=name)
            assert shown["text"] == f"in {name!r}\n"


@pytest.mark.proves("interfaces-secrets")
async def test_a_secret_is_shown_nowhere_and_its_file_can_still_go_back(tmp_path: Path):
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    shell = Turn(tool_calls=(call("shell", command='printf "KEY=%s\\n" "$(cat ../k)" > .env'),))
    (tmp_path / "k").write_text(key)
    async with panels(
        tmp_path,
        [shell, DONE],
        environment={"OPENAI_API_KEY": key},
        sandbox__mode="danger-full-access",
    ) as p:
        session = await p.open()
        await p.run(session)
        assert key in (p.cwd / ".env").read_text()
        start = (await p.get(f"/sessions/{session}/changes"))["start"]
        asked = [
            await p.ask("GET", f"/sessions/{session}/changes"),
            await p.ask("GET", f"/sessions/{session}/file", path=".env"),
            await p.ask("GET", f"/sessions/{session}/export"),
            await p.ask("GET", "/settings"),
            await p.ask("GET", "/providers"),
        ]
        assert [answer.status_code for answer in asked] == [200] * 5
        assert [key in answer.text for answer in asked] == [False] * 5
        assert asked[0].json()["hidden"] == [".env"]
        assert asked[1].json()["is_clean"] is False
        await p.send(session, type="restore", checkpoint=start, paths=[".env"])
        assert not (p.cwd / ".env").exists()


@pytest.mark.deep
async def test_a_change_that_is_too_long_comes_file_by_file(tmp_path: Path):
    long = "".join(f"{'x' * 90} {number}\n" for number in range(3_000))
    turns = [Turn(tool_calls=tuple(call("write", path=name, content=long) for name in "abc")), DONE]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.run(session)
        found = (await p.get(f"/sessions/{session}/changes"))["files"]
        assert [(each["path"], each["is_cut"], each["added"]) for each in found] == [
            ("a", False, 3_000),
            ("b", True, 3_000),
            ("c", True, 3_000),
        ]
        (one,) = (await p.get(f"/sessions/{session}/changes", path=["c"]))["files"]
        assert len(one["hunks"][0]["lines"]) == 3_000


@pytest.mark.deep
@pytest.mark.proves("V19")
async def test_marks_tell_what_the_session_and_git_say(tmp_path: Path):
    cwd = tmp_path / "work"
    cwd.mkdir()
    git(cwd, "init", "-q", "-b", "main")
    for name in ("kept", "gone", "touched"):
        (cwd / name).write_text("old\n")
    git(cwd, "add", ".")
    git(cwd, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "First")
    (cwd / "touched").write_text("by hand\n")
    turns = [write("new", "one"), Turn(tool_calls=(call("shell", command="rm gone"),)), DONE]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.run(session)
        marks = await p.get(f"/sessions/{session}/files/marks")
        assert marks["session"] == {"new": "added", "gone": "removed"}
        assert marks["git"] == {"new": "new", "gone": "removed", "touched": "changed"}
        assert marks["branch"] == "main"
        index = (cwd / ".git" / "index").stat().st_mtime_ns
        await p.get(f"/sessions/{session}/files/marks")
        assert (cwd / ".git" / "index").stat().st_mtime_ns == index


def git(cwd: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True)


@pytest.mark.deep
async def test_a_session_without_changes_and_one_whose_folder_is_gone(tmp_path: Path):
    async with panels(tmp_path, [DONE]) as p:
        session = await p.open()
        await p.run(session)
        assert (await p.get(f"/sessions/{session}/changes"))["files"] == []
        (point,) = (await p.get(f"/sessions/{session}/points"))["points"]
        turn = await p.get(f"/sessions/{session}/points/{point['message_id']}/diff")
        assert (turn["made"]["files"], turn["back"]["changes"]["files"]) == ([], [])
        p.cwd.rename(tmp_path / "elsewhere")
        said = await p.refused(409, "GET", f"/sessions/{session}/changes")
        assert "is gone" in said
        assert len((await p.get(f"/sessions/{session}/tree"))["twigs"]) == 2


@pytest.mark.deep
async def test_wrong_names_are_refused_with_words(tmp_path: Path):
    async with panels(tmp_path, [write("a", "one"), DONE]) as p:
        session = await p.open()
        await p.run(session)
        for path in (
            "tree",
            "points",
            "changes",
            "files",
            "files/marks",
            "file",
            "artifacts",
            "meter",
            "export",
        ):
            assert "no session" in await p.refused(404, "GET", f"/sessions/ses_nowhere/{path}")
        await p.refused(404, "GET", "/sessions/last/changes")
        await p.refused(400, "GET", f"/sessions/{session}/points/msg_nowhere/diff")
        await p.refused(400, "GET", f"/sessions/{session}/changes", start="0000000")
        await p.refused(400, "GET", f"/sessions/{session}/changes", path=["nowhere"])
        await p.refused(400, "GET", f"/sessions/{session}/tree", limit="x")
