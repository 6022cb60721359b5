"""Goals on the command line and in a chat."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.story.cli_terminal import Program
from tests.story.test_cli_run import ouro, script


def turn(text: str, *calls: dict[str, Any], tokens: int = 10) -> dict[str, Any]:
    usage = {"input_uncached": tokens, "cache_read": 500, "output_text": 1}
    return {"text": text, "tool_calls": list(calls), "usage": usage}


def goal(**arguments: object) -> dict[str, Any]:
    inner = {"name": "update_goal", "arguments": arguments}
    return {"name": "call_tool", "arguments": inner}


LOOK = {"name": "ls", "arguments": {"path": "."}}
REACHED = turn("", goal(status="complete"))


def shown(cwd: Path) -> dict[str, Any]:
    return json.loads(ouro("goal", "show", "--json", cwd=cwd).stdout)["goal"]


@pytest.mark.proves("Z02", "codex-18.3", "codex-18.5", "divergences-a-task-with-a-goal")
def test_a_run_goes_on_until_its_goal_is_reached(tmp_path: Path) -> None:
    model = script(tmp_path, turn("Begun."), turn("", LOOK), turn("More."), REACHED, turn("Done."))
    done = ouro("run", "--model", model, "--goal", "All <tests> pass", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
    assert "Goal: All <tests> pass" in done.stderr
    assert "turn 2 begins by itself" in done.stderr
    assert "Goal reached" in done.stderr
    found = shown(tmp_path)
    assert (found["status"], found["tokens_used"]) == ("complete", 44)
    (listed,) = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)
    assert "All <tests> pass" in listed["title"]
    text = ouro("goal", "show", cwd=tmp_path).stdout
    assert "used: 44 tokens" in text
    assert "\tcomplete\tAll" in ouro("goal", "list", cwd=tmp_path).stdout


@pytest.mark.deep
@pytest.mark.proves("codex-18.4")
def test_a_goal_that_is_not_reached_is_no_success(tmp_path: Path) -> None:
    spent = script(tmp_path, turn("One.", tokens=90), turn("Two.", tokens=90), turn("Left."))
    budget = ouro("run", "--model", spent, "--goal", "Much", "--budget", "100", cwd=tmp_path)
    assert (budget.returncode, budget.stdout) == (3, "Left.\n")
    assert "Goal stopped: its budget is used up (182 tokens" in budget.stderr
    asks = turn("", goal(status="blocked", reason="needs a key"))
    model = script(tmp_path, asks, turn("Sorry."), turn("Four."))
    stuck = ouro("run", "--model", model, "--goal", "X", cwd=tmp_path)
    assert stuck.returncode == 1
    assert "Goal blocked: needs a key" in stuck.stderr
    later = ouro("run", "--continue", "--model", model, "What is 2 + 2?", cwd=tmp_path)
    assert (later.returncode, later.stdout) == (0, "Four.\n"), later.stderr


@pytest.mark.deep
@pytest.mark.proves("codex-18.4")
def test_a_goal_that_cannot_be_is_refused_before_anything_runs(tmp_path: Path) -> None:
    model = script(tmp_path, turn("Never."))
    empty = ouro("run", "--model", model, "--goal", "  ", cwd=tmp_path)
    assert (empty.returncode, empty.stdout) == (2, "")
    long = ouro("run", "--model", model, "--goal", "x" * 4001, "--output", "json", cwd=tmp_path)
    assert long.returncode == 2
    assert "4,001 characters" in json.loads(long.stdout)["error"]["message"]
    alone = ouro("run", "--model", model, "--budget", "5", "hello", cwd=tmp_path)
    assert alone.returncode == 2
    assert "no goal" in alone.stderr


@pytest.mark.deep
@pytest.mark.proves("Z01")
def test_a_killed_run_counts_each_reply_once_and_goes_on_with_its_goal(tmp_path: Path) -> None:
    waits = {"name": "shell", "arguments": {"command": "sleep 60", "timeout": 90}}
    model = script(tmp_path, turn("Begun."), turn("", waits, tokens=20), REACHED, turn("Done."))
    command = [sys.executable, "-m", "ouroboros", "run", "--output", "stream-json"]
    command += ["--mode", "full-auto", "--model", model, "--goal", "Survive"]
    with forked.Popen(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if json.loads(line)["type"] == "tool.attempted":
                break
        os.kill(run.pid, signal.SIGKILL)
    assert (shown(tmp_path)["status"], shown(tmp_path)["tokens_used"]) == ("active", 32)
    done = ouro("run", "--continue", "--model", model, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
    assert (shown(tmp_path)["status"], shown(tmp_path)["tokens_used"]) == ("complete", 43)


@pytest.mark.deep
@pytest.mark.proves("codex-18.4")
def test_a_chat_sets_shows_changes_and_works_towards_a_goal(tmp_path: Path) -> None:
    model = script(
        tmp_path, turn("Begun."), turn("", goal(status="blocked", reason="why")), turn("No.")
    )
    with Program(["chat", "--model", model], cwd=tmp_path, columns=80, lines=24) as program:
        program.sees("ask> ")
        program.type("/goal\r")
        program.sees("there is no goal")
        program.type("/goal --budget 5000 Reach it\r")
        program.sees("takes no options")
        program.type("/goal Reach it\r")
        program.sees("Goal: Reach it")
        program.sees("Goal blocked: why")
        program.sees("Done after")
        program.type("/goal budget 5000\r")
        program.sees("Budget of the goal: 5,000 tokens")
        program.type("/goal\r")
        program.sees("used: 22 of 5,000 tokens")
        program.sees("ask, goal blocked> ")
        program.type("/goal clear\r")
        program.sees("The goal is forgotten")
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.deep
@pytest.mark.proves("K08", "Z01")
def test_what_a_goal_did_by_itself_is_taken_back_turn_by_turn(tmp_path: Path) -> None:
    first = turn("", {"name": "write", "arguments": {"path": "a.txt", "content": "1\n"}})
    second = turn("", {"name": "write", "arguments": {"path": "b.txt", "content": "2\n"}})
    model = script(tmp_path, first, turn("One."), second, REACHED, turn("Two."), turn("Words."))
    with Program(["chat", "--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.sees("full-auto> ")
        program.type("/goal Reach it\r")
        program.sees("Two.")
        program.sees("Done after")
        program.sees("goal complete> ")
        program.type("/rewind\r")
        program.sees("the goal was gone on with")
        program.type("/undo\r")
        program.sees("Took back the latest turn")
        assert [(tmp_path / name).exists() for name in ("a.txt", "b.txt")] == [True, False]
        program.type("/undo\r")
        program.sees("Took back the latest turn", times=2)
        assert not (tmp_path / "a.txt").exists()
        program.type("/redo\r")
        program.sees("Have again the latest turn")
        assert (tmp_path / "a.txt").exists()
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.deep
@pytest.mark.proves("Z01", "Z02")
def test_a_chat_with_the_mind_that_writes_code_works_towards_a_goal(tmp_path: Path) -> None:
    begun = turn("```repl\nlet n = 1; setFinal(n)\n```")
    ouro("rlm", "--repl", "Begin.", "--model", script(tmp_path, begun), cwd=tmp_path)
    reached = turn("```repl\nawait update_goal('complete'); setFinal('n is ' + n)\n```")
    model = script(tmp_path, begun, reached)
    words = ["chat", "--continue", "--model", model]
    with Program(words, cwd=tmp_path, columns=80, lines=24) as program:
        program.sees("ask> ")
        program.type("/goal Reach it\r")
        program.sees("n is 1")
        program.sees("goal complete> ")
        program.type("/quit\r")
        assert program.ends() == 0
    assert shown(tmp_path)["status"] == "complete"
