"""Agents from outside: two programs, their questions, their ends of every kind, and the bundle they leave."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.small_disk import mounted
from tests.story.cli_terminal import Program
from tests.story.test_cli_run import ouro
from tests.unit.workspace.worktrees.repository import Repository

DEFINITION = """---
name: fixer
description: Mends what is broken
tools:
  - name: Read
  - name: Write
  - name: edit
  - name: Bash
    allowed_commands: ['cat .*']
    denied_commands: ['git push.*']
---
You mend.
"""
WRITES = {"tool_calls": [{"name": "write", "arguments": {"path": "new.txt", "content": "new\n"}}]}
CHANGES = {
    "tool_calls": [
        {"name": "edit", "arguments": {"path": "kept", "old_text": "one", "new_text": "two"}}
    ]
}
ENDS = {"text": "It is mended."}
NEVER = {"text": "Too late.", "delay_seconds": 300}


def runs(command: str) -> dict[str, object]:
    return {"tool_calls": [{"name": "shell", "arguments": {"command": command}}]}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "work")
    (tmp_path / "fixer.agent.md").write_text(DEFINITION)
    made = paws(repository, "agent", "create", "--from", "../fixer.agent.md")
    assert made.returncode == 0, made.stderr
    return repository


def paws(repo: Repository, *words: str) -> subprocess.CompletedProcess[str]:
    return ouro("paws", *words, cwd=repo.folder)


def script(repo: Repository, *turns: Mapping[str, object]) -> str:
    path = repo.folder.parent / "turns.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return f"script:{path}"


def order(repo: Repository, *turns: Mapping[str, object], mode: str = "full-auto") -> list[str]:
    words = ["agent", "run", "fixer", "--goal", "Mend it.", "--model", script(repo, *turns)]
    return [*words, "--mode", mode]


@contextmanager
def at_work(repo: Repository, *turns: Mapping[str, object]) -> Generator[subprocess.Popen[str]]:
    """An agent whose model is thinking for long, and that has written its file."""
    words = ["paws", *order(repo, *turns, NEVER), "--json"]
    program = [sys.executable, "-m", "ouroboros", *words]
    with forked.Popen(
        program, cwd=repo.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        until = time.monotonic() + 60
        while not list(repo.folder.glob(".paws/sessions/*/worktree/new.txt")):
            assert time.monotonic() < until
            assert running.poll() is None, running.stderr
            time.sleep(0.05)
        try:
            yield running
        finally:
            running.kill()


def state(repo: Repository) -> dict[str, Any]:
    path = repo.folder / ".paws/agents/instances/fixer/run.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.proves("O04", "O07", "O17", "M26", "divergences-an-agents-changes")
def test_it_works_in_its_session_and_leaves_a_bundle_of_all_its_changes(repo: Repository) -> None:
    (repo.folder / "mine").write_text("not in git\n")
    words = order(repo, CHANGES, WRITES, runs("cat kept > copied"), ENDS)
    done = ouro("paws", *words, "-C", str(repo.folder), cwd=repo.folder.parent)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("It is mended.") == 1
    assert "\nsuccess\n" in done.stderr
    bundle = Path(done.stdout.strip())
    assert bundle.parent == repo.folder / ".paws/agents/instances/fixer/artifacts"
    (tree,) = repo.folder.glob(".paws/sessions/*/worktree")
    assert sorted(each.name for each in tree.iterdir()) == [".git", "kept"]
    assert (tree / "kept").read_text() == (repo.folder / "kept").read_text() == "one\n"
    applied = ouro("dogs", str(bundle), "-y", "--json", cwd=repo.folder)
    assert applied.returncode == 0, applied.stderr
    told = json.loads(applied.stdout)
    assert sorted(each["path"] for each in told["files"]) == ["copied", "kept", "new.txt"]
    for name, content in (("copied", "two\n"), ("kept", "two\n"), ("new.txt", "new\n")):
        assert (repo.folder / name).read_text() == content
    assert (repo.folder / "mine").read_text() == "not in git\n"
    record = json.loads((tree.parent / "session.json").read_text())
    said = [(entry["type"], entry["content"]) for entry in record["agentLog"]]
    assert [kind for kind, _ in said] == [
        "human_prompt",
        *(["tool_call", "tool_result"] * 3),
        *("agent_thought", "tool_result"),
    ]
    assert said[1][1] == "Edit kept"
    assert said[-2][1] == "It is mended."


@pytest.mark.proves("O17", "M26")
@pytest.mark.deep
def test_its_changes_stay_in_the_work_tree_where_that_is_wanted_or_no_bundle_can_say_them(
    repo: Repository,
) -> None:
    kept = paws(repo, *order(repo, CHANGES, ENDS), "--keep", "--json")
    assert json.loads(kept.stdout)["putBack"] is False
    assert Path(json.loads(kept.stdout)["worktree"], "kept").read_text("utf-8") == "two\n"
    linked = paws(repo, *order(repo, CHANGES, runs("ln -s kept link"), ENDS))
    assert "not put back: link" in linked.stderr
    assert linked.returncode == 0


@pytest.mark.deep
@pytest.mark.proves("O04", "O07")
def test_what_rules_and_hooks_deny_is_not_asked_and_where_nobody_is_the_answer_is_no(
    repo: Repository,
) -> None:
    home = Path(os.environ["OUROBOROS_HOME"])
    hook = {"type": "command", "command": "echo not here >&2; exit 2"}
    hooks = {"hooks": {"PreToolUse": [{"matcher": "write", "hooks": [hook]}]}}
    home.mkdir(parents=True, exist_ok=True)
    (home / "hooks.json").write_text(json.dumps(hooks))
    turns = (runs("git push origin"), runs("cat kept"), runs("touch made"), WRITES, ENDS)
    done = paws(repo, *order(repo, *turns, mode="ask"))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.endswith("success\nno file was changed\n")
    assert "did not take a message" not in done.stderr
    assert "Tool call blocked by PreToolUse hook: not here" in done.stderr
    (record,) = repo.folder.glob(".paws/sessions/*/session.json")
    assert not (record.parent / "worktree" / "made").exists()
    said = record.read_text()
    assert said.count("Nobody is here to approve this (Run touch made)") == 1
    assert "the person says" not in said


@pytest.mark.proves("O11")
@pytest.mark.deep
def test_its_questions_are_asked_at_the_terminal_of_its_supervisor(repo: Repository) -> None:
    turns = (runs("touch first"), runs("touch second"), ENDS)
    words = order(repo, *turns, mode="ask")
    with Program(["paws", *words], cwd=repo.folder) as program:
        program.sees("fixer asks:")
        program.type("what\n")
        program.sees("[n]o WHY:", times=2)
        program.type("y\n")
        program.sees("fixer asks:", times=2)
        program.type("n leave that\n")
        program.sees("success")
        assert program.ends() == 0
    (bundle,) = repo.folder.glob(".paws/agents/instances/fixer/artifacts/*")
    assert "--- New File: first ---" in bundle.read_text()
    assert "second" not in bundle.read_text()


@pytest.mark.proves("O10", "O12", "O15", "O17", "M26")
@pytest.mark.deep
def test_an_agent_that_is_killed_has_failed_and_its_changes_are_handed_over(
    repo: Repository,
) -> None:
    with at_work(repo, WRITES) as running:
        run = state(repo)
        assert run["pid"] == running.pid != run["child"]
        listed = json.loads(paws(repo, "agent", "list", "--json").stdout)
        assert [(each["name"], each["run"]["child"]) for each in listed] == [
            ("fixer", run["child"])
        ]
        os.kill(run["child"], signal.SIGKILL)
        out, said = running.communicate(timeout=60)
    told = json.loads(out)
    assert (running.returncode, told["status"]) == (1, "failure"), said
    assert "killed by signal 9" in told["summary"]
    assert "--- New File: new.txt ---" in Path(told["bundle"]).read_text("utf-8")
    assert "at rest" in paws(repo, "agent", "list").stdout


@pytest.mark.proves("O05", "O06", "O12")
@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_and_it_leaves_what_it_has_done(
    repo: Repository, number: signal.Signals
) -> None:
    with at_work(repo, WRITES) as running:
        child = state(repo)["child"]
        running.send_signal(number)
        stopped(running, child)


@pytest.mark.proves("O06", "O12")
@pytest.mark.deep
def test_a_second_signal_ends_one_that_does_not_answer_and_its_changes_are_handed_over(
    repo: Repository,
) -> None:
    with at_work(repo, WRITES) as running:
        assert running.stderr is not None
        os.kill(state(repo)["child"], signal.SIGSTOP)
        running.send_signal(signal.SIGTERM)
        assert any("is told to stop" in line for line in running.stderr)
        running.send_signal(signal.SIGTERM)
        out, _ = running.communicate(timeout=60)
    told = json.loads(out)
    assert (running.returncode, told["status"], told["putBack"]) == (130, "failure", True)
    assert "new.txt" in Path(told["bundle"]).read_text("utf-8")


@pytest.mark.proves("O06", "O12")
@pytest.mark.deep
def test_an_agent_that_is_asked_to_end_by_the_system_says_how_it_ended(repo: Repository) -> None:
    with at_work(repo, WRITES) as running:
        os.kill(state(repo)["child"], signal.SIGTERM)
        out, said = running.communicate(timeout=60)
    told = json.loads(out)
    assert (running.returncode, told["status"]) == (1, "failure"), said
    assert told["summary"].startswith("the agent was stopped")
    assert told["putBack"]


@pytest.mark.proves("O06", "O12")
@pytest.mark.deep
def test_one_that_is_stopped_before_it_begins_does_nothing(repo: Repository) -> None:
    folder = repo.folder / ".paws/agents/instances/fixer"
    task = {
        "agentConfigPath": str(folder / "config.json"),
        "systemPromptPath": str(folder / "system_prompt.md"),
        "outputArtifactPath": str(folder / "artifacts/out.dogs.md"),
        "goal": "Mend it.",
    }
    lines = "".join(
        json.dumps({"protocolVersion": "1.0", "messageId": "m", "type": type, "payload": payload})
        + "\n"
        for type, payload in (("task:initialize", task), ("task:terminate", {}))
    )
    words = ("agent", "serve", "--model", script(repo, WRITES, ENDS), "--mode", "full-auto")
    program = [sys.executable, "-m", "ouroboros", "paws", *words]
    with forked.Popen(
        program, cwd=repo.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(lines)
        running.stdin.flush()  # and it stays open: a supervisor is there
        last = json.loads(running.stdout.readlines()[-1])
        assert running.wait(60) == 0
    assert last["type"] == "task:result"
    assert last["payload"]["summary"] == "the agent was stopped"
    assert not (repo.folder / "new.txt").exists()


@pytest.mark.proves("O04")
@pytest.mark.deep
def test_one_without_a_name_works_in_its_session_whatever_folder_is_named(
    repo: Repository,
) -> None:
    words = ["--goal", "Mend it.", "--model", script(repo, WRITES, ENDS), "--mode", "full-auto"]
    done = ouro("paws", "run", *words, "-C", str(repo.folder), cwd=repo.folder.parent)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(repo.folder / ".paws")
    assert not (repo.folder / "new.txt").exists()


@pytest.mark.proves("O15")
@pytest.mark.deep
def test_where_no_bundle_can_be_written_it_is_said_and_the_changes_stay(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", mebibytes=3) as disk:
        repo = Repository(disk / "work")
        (disk / "fixer.agent.md").write_text("---\nname: fixer\n---\nYou mend.\n")
        assert paws(repo, "agent", "create", "--from", "../fixer.agent.md").returncode == 0
        fills = runs("dd if=/dev/zero of=big bs=1M count=10")
        done = paws(repo, *order(repo, WRITES, fills, ENDS))
        assert (done.returncode, done.stdout) == (1, ""), done.stderr
        assert "No space left on device" in done.stderr
        assert "what it changed is in the work tree of session" in done.stderr
        assert "Traceback" not in done.stderr
        (tree,) = repo.folder.glob(".paws/sessions/*/worktree")
        assert (tree / "new.txt").exists()
        assert list(repo.folder.glob(".paws/agents/instances/fixer/artifacts/*")) == []


@pytest.mark.proves("O10", "O12", "O15")
@pytest.mark.deep
def test_an_agent_does_not_outlive_its_supervisor(repo: Repository) -> None:
    with at_work(repo, WRITES) as running:
        child = state(repo)["child"]
        running.kill()
        running.wait(60)
        until = time.monotonic() + 60
        while is_there(child) and time.monotonic() < until:
            time.sleep(0.05)
    assert not is_there(child)


@pytest.mark.proves("N15", "O04", "O05", "O06", "O12")
@pytest.mark.deep
def test_while_it_works_no_other_does_in_its_session_until_it_is_stopped(
    repo: Repository,
) -> None:
    definition = repo.folder.parent / "other.agent.md"
    definition.write_text(DEFINITION.replace("fixer", "other"))
    assert paws(repo, "agent", "create", "--from", str(definition)).returncode == 0
    bundle = repo.folder.parent / "b.dogs.md"
    bundle.write_text("--- New File: mine ---\n```\nmine\n```\n")
    with at_work(repo, WRITES) as running:
        run = state(repo)
        session = run["session"]
        listed = paws(repo, "agent", "list").stdout
        where = f"at work in session {session[:8]}, process {running.pid}"
        assert [line.split("\t")[:2] for line in listed.splitlines()] == [
            ["fixer", where],
            ["other", "at rest"],
        ]
        applies = ("dogs", str(bundle), "-y", "--session", session)
        other = ("other", "--goal", "x", "--session", session, "--model", script(repo, ENDS))
        for words, said in (
            (("paws", *order(repo, ENDS)), "'fixer' runs already"),
            (("paws", "agent", "run", *other), f"an agent is at work in session {session[:8]}"),
            (("paws", "session", "archive", session, "--keep"), "at work"),
            (applies, "an agent is at work"),
        ):
            refused = ouro(*words, cwd=repo.folder)
            assert (refused.returncode, refused.stdout, said in refused.stderr) == (1, "", True), (
                words,
                refused.stderr,
            )
        assert len(list(repo.folder.glob(".paws/sessions/*/session.json"))) == 1
        assert "fixer has ended" in paws(repo, "agent", "stop", "fixer").stderr
        stopped(running, run["child"])
    assert "was at rest" in paws(repo, "agent", "stop", "fixer").stderr
    applied = ouro(*applies, cwd=repo.folder)
    assert applied.returncode == 0, applied.stderr
    (tree,) = repo.folder.glob(".paws/sessions/*/worktree")
    assert (tree / "mine").read_text("utf-8") == "mine\n"


def stopped(running: subprocess.Popen[str], child: int) -> None:
    """It ends as one that was stopped does, with its changes in a bundle."""
    told = json.loads(running.communicate(timeout=60)[0])
    assert (running.returncode, told["status"]) == (130, "failure")
    assert "stopped" in told["summary"]
    assert "new.txt" in Path(told["bundle"]).read_text("utf-8")
    assert told["putBack"]
    assert not Path(told["worktree"], "new.txt").exists()
    assert not is_there(child)


@pytest.mark.deep
@pytest.mark.proves("O05")
def test_agents_and_definitions_without_one_are_listed_also_in_a_conversation(
    repo: Repository,
) -> None:
    (repo.folder / "agents").mkdir()
    (repo.folder / "agents/spare.agent.md").write_text(DEFINITION)
    listed = json.loads(paws(repo, "agent", "list", "--json").stdout)
    assert [(each["name"], bool(each["folder"]), each["run"]) for each in listed] == [
        ("fixer", True, None),
        ("spare", False, None),
    ]
    assert listed[1]["definition"] == str(repo.folder / "agents/spare.agent.md")
    with Program(["chat", "--model", "echo"], cwd=repo.folder) as program:
        program.sees("ask> ")
        program.type("/agent\r")
        program.sees("fixer  at rest  Mends what is broken")
        program.sees("only defined")
        program.type("/quit\r")
        program.ends()


@pytest.mark.deep
@pytest.mark.proves("O01", "O04", "O07")
def test_wrong_words_are_refused_before_anything_begins(repo: Repository) -> None:
    typo = repo.folder.parent / "typo.agent.md"
    tools = "tools:\n  - name: Bash\n  - name: serach\n"
    typo.write_text(f"---\nname: typo\n{tools}---\nYou look.\n")
    wrong: list[object] = []
    for words, code, said in (
        (["run", "nobody", "--goal", "x"], 2, "there is no agent 'nobody'"),
        (["run", "fixer"], 2, "say what is to be done"),
        (["run", "fixer", "--context", "gone.md"], 2, "there is no file 'gone.md'"),
        (["run", "fixer", "--goal", "x", "--session", "zz"], 2, "no work session"),
        (["create", "--from", "../fixer.agent.md"], 2, "already"),
        (["create", "--from", "gone.agent.md"], 2, "cannot be read"),
        (["create", "--from", str(typo)], 0, "warning: there is no tool 'serach'; see: ouro tools"),
        (["stop", "nobody"], 2, "there is no agent"),
    ):
        done = paws(repo, "agent", *words)
        if (done.returncode, said in done.stderr) != (code, True):
            wrong.append((words, done.returncode, done.stderr))
    assert wrong == []
    assert list(repo.folder.glob(".paws/agents/instances/fixer/artifacts/*")) == []
