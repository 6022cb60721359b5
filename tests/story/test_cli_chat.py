"""`ouro chat` on a terminal and from a pipe."""

import json
import os
import signal
import stat
from pathlib import Path

import pytest

from tests.story.cli_terminal import Program
from tests.story.test_cli_run import LOOKS, SLEEPS, ouro, script

FIRST = {"text": "First answer."}
SECOND = {"text": "Second answer."}


def home() -> Path:
    return Path(os.environ["OUROBOROS_HOME"])


@pytest.mark.proves("spine-cli")
@pytest.mark.parametrize(("columns", "lines"), [(40, 10), (80, 24)])
def test_a_chat_goes_turn_by_turn(tmp_path: Path, columns: int, lines: int) -> None:
    model = script(tmp_path, FIRST, SECOND)
    with Program(["chat", "--model", model], cwd=tmp_path, columns=columns, lines=lines) as program:
        program.sees("ask> ")
        program.type("hello\r")
        program.sees("First answer.")
        program.sees("Done after")
        program.type("more\r")
        program.sees("Second answer.")
        program.type("\x04")
        assert program.ends() == 0
        shown = program.picture.text
    assert shown.index("> hello") < shown.index("First answer.") < shown.index("> more")
    assert "ouro chat --resume ses_" in shown.replace("\n", "")
    assert program.picture.modes == set()


@pytest.mark.deep
@pytest.mark.proves("spine-cli")
def test_what_is_typed_while_a_turn_runs_reaches_the_model_next(tmp_path: Path) -> None:
    command = "until [ -e go ]; do sleep 0.02; done"
    wait = {"name": "shell", "arguments": {"command": command}}
    model = script(tmp_path, {"text": "", "tool_calls": [wait]}, FIRST)
    with Program(["chat", "--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.sees("full-auto> ")
        program.type("begin\r")
        program.sees("Working")
        program.type("and use colour\r")
        program.sees("You, while it runs: and use colour")
        (tmp_path / "go").touch()
        program.sees("First answer.")
        program.type("/quit\r")
        assert program.ends() == 0
    session = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)[0]["id"]
    log = ouro("export", session, "--format", "jsonl", cwd=tmp_path).stdout.splitlines()
    steered = [
        event["data"]["message"]["parts"][0]["text"]
        for event in map(json.loads, log)
        if event["type"] == "user.message" and event["data"].get("steered")
    ]
    assert steered == ["and use colour"]


@pytest.mark.deep
@pytest.mark.proves("spine-cli")
def test_ctrl_c_stops_a_turn_and_the_next_one_works(tmp_path: Path) -> None:
    model = script(tmp_path, SLEEPS, SECOND)
    with Program(["chat", "--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.sees("full-auto> ")
        program.type("begin\r")
        program.sees("step 1")
        program.type("\x03")
        program.sees("Interrupted after 1 turn")
        program.type("go on\r")
        program.sees("Second answer.")
        program.sees("Done after 1 turn")  # before that, Ctrl-C would stop the turn
        program.type("\x03")
        program.sees("Ctrl-C again, or Ctrl-D, leaves")
        program.type("\x03")
        assert program.ends() == 130
    assert program.picture.modes == set()


@pytest.mark.deep
def test_ctrl_c_on_a_line_clears_it_and_stays(tmp_path: Path) -> None:
    with Program(["chat", "--model", "echo"], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.type("wrong words")
        program.sees("ask> wrong words")
        program.type("\x03")
        program.type("right words\r")
        program.sees("> right words")
        program.type("\x04")
        assert program.ends() == 0
    assert "wrong words" not in program.picture.text


@pytest.mark.deep
def test_a_second_ctrl_c_leaves_while_the_first_is_still_at_work(tmp_path: Path) -> None:
    model = script(tmp_path, SLEEPS)
    with Program(
        ["chat", "--model", model, "--mode", "full-auto", "begin"], cwd=tmp_path
    ) as program:
        program.sees("step 1")
        program.type("\x03\x03")
        assert program.ends() == 130


@pytest.mark.deep
def test_a_pasted_text_of_several_lines_is_one_message(tmp_path: Path) -> None:
    with Program(["chat", "--model", "echo"], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.type("\x1b[200~line one\rline two\x1b[201~")
        program.sees("line two")
        program.type("\r")
        program.sees("Done after 1 turn")
        program.type("/quit\r")
        assert program.ends() == 0
    assert program.picture.text.count("Done after") == 1


@pytest.mark.deep
def test_commands_change_the_session_and_mistakes_are_said(tmp_path: Path) -> None:
    with Program(["chat", "--model", "echo"], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.type("/mode plan\r")
        program.sees("plan> ")
        program.type("/mode fast\r")
        program.sees("there is no mode 'fast'")
        program.type("/nonsense\r")
        program.sees("there is no command /nonsense")
        program.type("/help\r")
        program.sees("/compact [FOCUS]")
        program.type("/resume\r")
        program.sees("needs a session's name")
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.deep
@pytest.mark.proves("interfaces-shell-line")
def test_the_own_shell_is_told_to_the_model_and_a_new_session_begins_from_within(
    tmp_path: Path,
) -> None:
    with Program(["chat", "--model", "echo"], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.type("!echo from my $((40 + 2)) shells\r")
        program.sees("from my 42 shells")
        program.type("what was that\r")
        program.sees("Done after 1 turn")
        program.type("/cost\r")
        program.sees("for 1 request")
        program.type("/clear\r")
        program.sees("mode ask, in", times=2)
        program.type("/cost\r")
        program.sees("for 0 requests")
        program.type("!sleep 600\r")
        program.sees("! sleep 600")
        program.type("\x03")
        program.sees("cancelled")
        program.type("/quit\r")
        assert program.ends() == 0


@pytest.mark.deep
@pytest.mark.proves("V08")
def test_lines_after_a_command_that_opens_another_session_are_heard_there(tmp_path: Path) -> None:
    many = "".join(f"after it, {n}\n" for n in range(30))
    for opens in ("/fork", "/new"):
        done = ouro("chat", "--model", "echo", cwd=tmp_path, given=f"one\n{opens}\n{many}last")
        assert done.returncode == 0, done.stderr
        told = [
            line for line in done.stdout.splitlines() if line.startswith(("one", "after", "last"))
        ]
        assert told == ["one", *many.splitlines(), "last"]


@pytest.mark.deep
@pytest.mark.proves("spine-cli")
def test_another_session_can_be_resumed_from_within(tmp_path: Path) -> None:
    old = ouro("run", "--model", "echo", "--output", "json", "the old one", cwd=tmp_path)
    session = json.loads(old.stdout)["session"]
    with Program(["chat", "--model", "echo"], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.type("/sessions\r")
        program.sees("the old one")
        program.type(f"/resume {session}\r")
        program.sees("Going on with")
        program.type("go on here\r")
        program.sees("Done after 1 turn")
        program.type("/quit\r")
        assert program.ends() == 0
        assert f"ouro chat --resume {session}" in program.picture.text


@pytest.mark.deep
def test_what_was_typed_is_remembered_for_the_person_alone(tmp_path: Path) -> None:
    for typed in ("words of before\r", "\x1b[A\r"):
        with Program(["chat", "--model", "echo"], cwd=tmp_path) as program:
            program.sees("ask> ")
            program.type(typed)
            program.sees("Done after 1 turn")
            program.type("\x04")
            assert program.ends() == 0
        assert "> words of before" in program.picture.text
    file = home() / "history"
    assert file.read_text() == '"words of before"\n'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.deep
def test_a_dumb_terminal_can_chat(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, FIRST)
    with Program(["chat", "--model", model], cwd=tmp_path, environment={"TERM": "dumb"}) as program:
        program.sees("ask> ")
        program.type("hello\n")
        program.sees("i whole input: ")
        program.type("y\n")
        program.sees("First answer.")
        program.type("/quit\n")
        assert program.ends() == 0
    assert "\x1b" not in program.raw


def test_lines_of_a_pipe_are_tasks_one_after_the_other(tmp_path: Path) -> None:
    model = script(tmp_path, FIRST, SECOND)
    done = ouro("chat", "--model", model, cwd=tmp_path, given="one\n\ntwo\n/quit\nthree\n")
    assert done.stdout == "First answer.\nSecond answer.\n"
    assert done.returncode == 0


@pytest.mark.deep
def test_the_end_of_a_pipe_waits_for_the_last_answer(tmp_path: Path) -> None:
    model = script(tmp_path, {**FIRST, "delay_seconds": 0.3})
    done = ouro("chat", "--model", model, cwd=tmp_path, given="one")
    assert done.stdout == "First answer.\n"


@pytest.mark.deep
@pytest.mark.proves("V23")
def test_a_window_made_narrower_while_it_works_is_drawn_without_remains(tmp_path: Path) -> None:
    model = script(tmp_path, SLEEPS, FIRST)
    with Program(
        ["chat", "--model", model, "--mode", "full-auto", "begin"], cwd=tmp_path, columns=100
    ) as program:
        program.sees("step 1")
        program.resize(40, 10)
        program.type("\x03")
        program.sees("Interrupted after 1 turn")
        program.type("\x04")
        assert program.ends() == 0
    assert "Working" not in program.picture.text


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_an_idle_chat_and_gives_the_terminal_back(
    tmp_path: Path, number: signal.Signals
) -> None:
    with Program(["chat", "--model", "echo"], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.signal(number)
        if number == signal.SIGINT:
            program.sees("Ctrl-C again, or Ctrl-D, leaves")
            program.signal(number)
        assert program.ends() == 130
    assert program.picture.modes == set()


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_a_turn_ends_the_chat_as_interrupted(
    tmp_path: Path, number: signal.Signals
) -> None:
    model = script(tmp_path, SLEEPS, SECOND)
    with Program(["chat", "--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.sees("full-auto> ")
        program.type("begin\r")
        program.sees("step 1")
        program.signal(number)
        assert program.ends() == 130
        assert "Interrupted after 1 turn" in program.picture.text
        assert program.picture.modes == set()


@pytest.mark.deep
@pytest.mark.proves("A27")
def test_what_the_latest_turn_changed_can_be_seen(tmp_path: Path) -> None:
    write = {"name": "write", "arguments": {"path": "a.txt", "content": "one\n"}}
    model = script(tmp_path, {"text": "", "tool_calls": [write]}, FIRST, SECOND)
    with Program(["chat", "--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.sees("full-auto> ")
        program.type("begin\r")
        program.sees("First answer.")
        program.sees("Done after")
        program.type("/diff\r")
        program.sees("+++ b/a.txt")
        program.sees("+one")
        program.type("more\r")
        program.sees("Second answer.")
        program.type("/diff\r")
        program.sees("no tool changed a file in the latest turn")
        program.type("/quit\r")
        assert program.ends() == 0
    session = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)[0]["id"]
    shown = ouro("export", session, "--format", "markdown", cwd=tmp_path).stdout
    assert "### What was changed\n\n```diff\ndiff --git a/a.txt b/a.txt\n" in shown


@pytest.mark.deep
@pytest.mark.proves("A32")
def test_a_key_switches_the_mode_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    wait = {"name": "shell", "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"}}
    write = {"name": "write", "arguments": {"path": "made.txt", "content": "x\n"}}
    model = script(tmp_path, *({"text": "", "tool_calls": [each]} for each in (wait, write)), FIRST)
    with Program(["chat", "--model", model, "--mode", "full-auto"], cwd=tmp_path) as program:
        program.sees("full-auto> ")
        program.type("begin\r")
        program.sees("Working")
        program.type("\x1b[Z")
        program.sees("plan> ")
        (tmp_path / "go").touch()
        program.sees("First answer.")
        assert not (tmp_path / "made.txt").exists()
        for name in ("ask", "auto-edit", "plan", "ask"):
            program.type("\x1b[Z")
            program.sees(f"{name}> ")
        program.type("\x04")
        assert program.ends() == 0
