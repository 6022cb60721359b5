"""A review: a session apart that only reads, what it found, and what the conversation knows of it."""

import os
import subprocess
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.past import sessions
from ouroboros.core.commands import Interrupt, Review, Steer
from ouroboros.core.events import PermissionRequested
from ouroboros.core.events.fleet import SubagentReplied, SubagentStarted
from ouroboros.core.events.review import ReviewExited
from ouroboros.core.findings import rendered
from ouroboros.llm.turns import Turn
from tests.passing import hurrying
from tests.story.stage import call, stage

WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
DONE = Turn(text="Mended.")


def git(folder: Path, *words: str) -> str:
    environment = (
        os.environ | WHO | {"GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": "/dev/null"}
    )
    done = subprocess.run(
        ("git", "-c", "init.defaultBranch=main", *words),
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.py").write_text("".join(f"line{at}\n" for at in range(1, 41)))
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "begin")
    return folder


def finding(path: str, start: int, title: str = "[P1] Mend it", **more: Any) -> dict[str, Any]:
    return {
        "title": title,
        "body": "It breaks.",
        "confidence_score": 0.9,
        "priority": 1,
        "code_location": {
            "absolute_file_path": path,
            "line_range": {"start": start, "end": start},
        },
        **more,
    }


def reply(*findings: dict[str, Any], verdict: str = "patch is incorrect") -> Turn:
    review = {
        "findings": findings,
        "overall_correctness": verdict,
        "overall_explanation": "One thing is wrong.",
        "overall_confidence_score": 0.8,
    }
    return Turn(text=msgspec.json.encode(review).decode())


@pytest.mark.proves("codex-21.3", "codex-21.4")
async def test_a_review_is_made_apart_and_the_next_turn_knows_of_it(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / "a.py").write_text((folder / "a.py").read_text().replace("line20", "changed"))
    (folder / "new.py").write_text("x = 1\n")
    turns = [
        Turn(text="Hello."),
        Turn(tool_calls=(call("read", path="a.py"),)),
        reply(finding(str(folder / "a.py"), 20)),
        DONE,
    ]
    async with stage(tmp_path, turns, check=False) as s:
        await s.run("A secret word: xyzzy")
        await s.session.send(Review(focus="names"))
        (exited,) = s.events(ReviewExited)
        assert exited.outcome == "completed"
        assert [one.remark for one in exited.review.findings] == [""]
        asked = s.body(1)
        told = str(asked["messages"])
        assert "xyzzy" not in told
        assert "+changed" in told
        assert "new.py" in told
        assert "look at this in particular: names" in told
        assert "You review a change" in str(asked["messages"][0])
        assert "Mode: plan" not in told
        await s.run("Mend the first finding")
        last = s.body()["messages"]
        (action,) = [m["content"] for m in last if "<user_action>" in str(m["content"])]
        assert "<action>review</action>" in action
        assert f"[P1] Mend it — {folder}/a.py:20-20" in action
        assert [m["role"] for m in last[-3:]] == ["user", "assistant", "user"]
        assert "Full review" not in str(last[-2])
        assert "It breaks." in str(last[-2])
    home = tmp_path / "home"
    listed = await to_thread.run_sync(sessions.list_sessions, home)
    assert [each.id for each in listed] == [s.session.id]


@pytest.mark.proves("codex-21.3", "codex-21.4")
@pytest.mark.proves("permissions-steering")
async def test_a_review_says_what_steers_later_runs(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / ".vscode").mkdir()
    (folder / ".vscode/tasks.json").write_text("{}\n")
    (folder / "b.py").write_text("b\n")
    async with stage(tmp_path, [reply(verdict="patch is correct")], check=False) as s:
        await s.session.send(Review())
        (exited,) = s.events(ReviewExited)
    said = "also changes what steers later runs: .vscode/tasks.json (what editors run)"
    assert exited.review.notes == (said,)
    assert f"Note: {said}" in rendered(exited.review)


@pytest.mark.deep
async def test_the_reviewer_can_only_read(tmp_path: Path) -> None:
    """Neither the web nor helpers nor writing; a rule that allows everything changes nothing."""
    folder = repository(tmp_path)
    (folder / "a.py").write_text("all new\n")
    tried = (
        call("exec_command", cmd="git log --oneline"),
        call("shell", command="touch b.txt"),
        call("spawn_agent", task="x"),
        call("fetch", url="http://127.0.0.1:1/"),
        call("write", path="b.txt", content="x"),
    )
    turns = [Turn(tool_calls=tried), reply(verdict="patch is correct")]
    settings: dict[str, Any] = {
        "permissions": {"allow": ["*", "shell", "write", "fetch"]},
        "tools": {"web_search": "live", "scripts": True},
        "browser": {"tools": True},
    }
    async with stage(tmp_path, turns, interactive=True, check=False, **settings) as s:
        await s.session.send(Review())
        offered = {tool["function"]["name"] for tool in s.body(0)["tools"]}
        assert offered == {"read", "grep", "find", "ls", "exec_command", "write_stdin"}
        answers = [m["content"] for m in s.body(1)["messages"] if m["role"] == "tool"]
        assert len(answers) == len(tried)
        assert "begin" in answers[0]
        assert not (folder / "b.txt").exists()
        assert s.events(PermissionRequested) == []
        assert "web_search" not in str(s.body(0))
        assert s.session.state.spent.requests == len(s.events(SubagentReplied)) == 2


@pytest.mark.proves("codex-21.3", "codex-21.4")
async def test_an_interrupted_review_leaves_a_history_that_says_so(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / "a.py").write_text("all new\n")
    turns = [Turn(text="never", delay_seconds=60), DONE]
    async with stage(tmp_path, turns, check=False) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Review())
            await s.until(SubagentStarted)
            await s.session.send(Interrupt())
        assert [event.outcome for event in s.events(ReviewExited)] == ["interrupted"]
        async with hurrying(5):
            await s.run("And now?")
        assert "stopped before it was done" in str(s.body()["messages"])


async def test_a_review_can_be_stopped_while_it_is_found_out_what_to_look_at(
    tmp_path: Path,
) -> None:
    """Words that come as early are answered when it has ended."""
    folder = repository(tmp_path)
    (folder / "a.py").write_text("all new\n")
    turns = [reply(verdict="patch is correct"), Turn(text="Heard.")]
    async with stage(tmp_path, turns, check=False) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Review())
            await anyio.lowlevel.checkpoint()
            await s.session.send(Interrupt())
        assert s.server.exchanges == []
        assert not s.session.running
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Review())
            await anyio.lowlevel.checkpoint()
            await s.session.send(Steer(text="And now?"))
        assert [event.outcome for event in s.events(ReviewExited)] == ["completed"]
        assert s.session.state.final == "Heard."
