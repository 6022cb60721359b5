"""Everyday commands ask once at most, also those that the sandbox would stop afterwards."""

import subprocess
from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Approve
from ouroboros.core.events import PermissionRequested, ToolAttempted
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

EVERYDAY = """
ls -la
cat README.md
head -3 README.md
wc -l README.md
grep -rn hello .
find . -name '*.py'
git status
git diff
git log --oneline
git show HEAD
git branch
mkdir -p src/new
touch src/new/a.py
cp README.md copy.md
mv copy.md moved.md
rm moved.md
echo hi > notes.txt
sed -i s/hi/ho/ notes.txt
chmod +x run.sh
./run.sh
python3 main.py
python3 -m compileall -q main.py
make
tar -cf all.tar README.md
git add -A
git commit -m first
git checkout -b feature
git switch -
git merge feature
git stash
git tag v1
git fetch origin
git pull origin main
git push origin HEAD:refs/heads/other
git remote -v
git reset --soft HEAD~1
git commit -q -m again && git log -1
git rm -q --cached notes.txt
git clone -q remote clone
curl -sS http://127.0.0.1:9/
""".strip().splitlines()


def made(tmp_path: Path) -> Path:
    """A small repository with something to pull from."""
    folder = tmp_path / "work"
    folder.mkdir()
    for name, text in {
        "README.md": "hello\n",
        "main.py": "print(1)\n",
        "run.sh": "#!/bin/sh\necho ran\n",
        "Makefile": "all:\n\t@echo made\n",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for words in (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", "A"],
        ["config", "user.email", "a@example.com"],
        ["add", "README.md"],
        [*identity, "commit", "-q", "-m", "zero"],
        ["clone", "-q", "--bare", ".", "remote"],
        ["remote", "add", "origin", str(folder / "remote")],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


async def answered(s: Stage) -> None:
    """Says yes to everything."""
    number = 0
    while True:
        number += 1
        await s.until(PermissionRequested, number)
        await s.session.send(Approve(request_id=s.events(PermissionRequested)[-1].request_id))


MODES = [
    pytest.param(mode, marks=pytest.mark.deep if mode == "ask" else pytest.mark.soak)
    for mode in ("ask", "plan", "auto-edit", "full-auto")
]


@pytest.mark.proves("permissions-asked-once")
@pytest.mark.parametrize("mode", MODES)
async def test_no_everyday_command_asks_twice(tmp_path: Path, mode: str) -> None:
    made(tmp_path)
    assert len(EVERYDAY) == 40
    turns = [Turn(tool_calls=(call("shell", command=each),)) for each in EVERYDAY]
    async with stage(tmp_path, [*turns, Turn(text="done")], mode=mode, interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answered, s)
            await s.run("Go")
            tasks.cancel_scope.cancel()
        asked = [event.input for event in s.events(PermissionRequested)]
        twice = [command for command in EVERYDAY if asked.count(command) > 1]
        assert twice == []
        if mode in {"ask", "auto-edit"}:
            failed = [call_id for call_id, each in s.results.items() if each.status != "done"]
            assert len(failed) <= 1  # nobody listens where curl looks
            assert len(s.events(ToolAttempted)) == len(EVERYDAY)


@pytest.mark.proves("permissions-asked-once")
async def test_the_question_says_that_a_yes_runs_it_outside(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "new").write_text("x", encoding="utf-8")
    turns = [Turn(tool_calls=(call("shell", command="git add new"),)), Turn(text="done")]
    closed = {"git": "closed"}
    async with stage(tmp_path, turns, mode="ask", interactive=True, sandbox=closed) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answered, s)
            await s.run("Go")
            tasks.cancel_scope.cancel()
        (asked,) = s.events(PermissionRequested)
        assert "the sandbox keeps .git as it is, so a yes runs it outside" in asked.reason
        assert (asked.rules, asked.amendment) == ((), ("git", "add", "new"))
        assert [event.sandbox for event in s.events(ToolAttempted)] == ["none"]
        assert [result.status for result in s.results.values()] == ["done"]


@pytest.mark.deep
@pytest.mark.proves("permissions-asked-once")
async def test_a_yes_for_the_session_holds_for_the_same_command_outside(tmp_path: Path) -> None:
    made(tmp_path)
    turn = Turn(tool_calls=(call("shell", command="git tag -f v1"),))
    async with stage(tmp_path, [turn, turn, Turn(text="done")], mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as tasks:

            async def always() -> None:
                await s.until(PermissionRequested)
                request = s.events(PermissionRequested)[0].request_id
                await s.session.send(Approve(request_id=request, scope="session"))

            tasks.start_soon(always)
            await s.run("Go")
        assert len(s.events(PermissionRequested)) == 1
        assert [result.status for result in s.results.values()] == ["done", "done"]


@pytest.mark.deep
async def test_without_a_sandbox_nothing_is_said_of_one(tmp_path: Path) -> None:
    made(tmp_path)
    turns = [Turn(tool_calls=(call("shell", command="git tag v2"),)), Turn(text="done")]
    bare = {"mode": "danger-full-access"}
    async with stage(tmp_path, turns, mode="ask", interactive=True, sandbox=bare) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answered, s)
            await s.run("Go")
            tasks.cancel_scope.cancel()
        (asked,) = s.events(PermissionRequested)
        assert "sandbox" not in asked.reason
        assert asked.rules == ("shell(git tag v2)",)
