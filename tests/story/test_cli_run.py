"""`ouro run` as a process: pipes, exit codes, signals, and real terminals."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from tests import forked
from tests.cases import every
from tests.story.cli_terminal import Program

LOOP = "for i in 1 2 3; do echo step $i; sleep 30; done"
LOOKS = {
    "text": "I look **first**.",
    "tool_calls": [{"name": "shell", "arguments": {"command": "touch x; echo seen; echo there"}}],
}
ANSWERS = {"text": "# Found\n\nIt is *there*."}
SLEEPS = {
    "text": "I wait.",
    "tool_calls": [{"name": "shell", "arguments": {"command": LOOP, "timeout": 90}}],
}


def script(folder: Path, *turns: Mapping[str, object]) -> str:
    """A scripted model."""
    path = folder / "turns.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
    return f"script:{path}"


def ouro(
    *arguments: str, cwd: Path, given: str | None = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs the program without a terminal."""
    return forked.run(
        [sys.executable, "-m", "ouroboros", *arguments],
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )


def test_a_pipe_gets_the_answer_on_stdout_and_the_rest_on_stderr(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, ANSWERS)
    done = ouro("run", "--model", model, "--mode", "full-auto", "look", cwd=tmp_path)
    assert done.stdout == "# Found\n\nIt is *there*.\n"
    assert done.returncode == 0
    assert "I look **first**." in done.stderr
    assert "done" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.deep
@pytest.mark.proves("V09")
@every(
    ("arguments", "given", "said"),
    [
        (["one", "task"], "", "one task"),
        (["-p", "one task"], "", "one task"),
        (["--prompt", "first", "second"], "", "first second"),
        ([], "from a pipe\n", "from a pipe"),
        (["-"], "from a pipe\n", "from a pipe"),
        (["words"], "and a pipe\n", "words\n\nand a pipe"),
    ],
)
def test_the_task_comes_from_words_options_and_pipes(
    tmp_path: Path, arguments: list[str], given: str, said: str
) -> None:
    done = ouro("run", "--model", "echo", *arguments, cwd=tmp_path, given=given)
    assert done.stdout == f"{said}\n"


@pytest.mark.deep
@pytest.mark.proves("providers-caching")
def test_the_share_of_the_cache_is_told_at_the_end(tmp_path: Path) -> None:
    usage = {"input_uncached": 100, "cache_read": 300, "output_text": 9}
    model = script(tmp_path, {**ANSWERS, "usage": usage})
    done = ouro("run", "--model", model, "x", cwd=tmp_path)
    assert "409 tokens (75% cached)" in done.stderr
    done = ouro("run", "--model", model, "--output", "json", "x", cwd=tmp_path)
    assert json.loads(done.stdout)["cache_hit_rate"] == 0.75


@pytest.mark.proves("V09")
def test_json_is_one_object(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, ANSWERS)
    done = ouro(
        "run", "--model", model, "--mode", "full-auto", "--output", "json", "x", cwd=tmp_path
    )
    report = msgspec.json.decode(done.stdout, type=dict[str, object])
    assert report["final"] == ANSWERS["text"]
    assert (report["reason"], report["turns"], report["exit_code"]) == ("completed", 2, 0)


@pytest.mark.deep
@pytest.mark.proves("V09")
def test_a_stream_begins_ready_ends_completed_and_is_numbered_without_gap(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, ANSWERS)
    arguments = ("run", "--model", model, "--mode", "full-auto", "--output", "stream-json", "x")
    done = ouro(*arguments, cwd=tmp_path)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    types = [event["type"] for event in events]
    assert (types[0], types[-1]) == ("session.ready", "task.completed")
    durable = [
        event["seq"] for event in events if event["type"] not in {"model.delta", "tool.progress"}
    ]
    assert durable == list(range(1, len(durable) + 1))
    assert types.index("tool.started") < types.index("tool.attempted") < types.index("tool.result")


@pytest.mark.deep
@pytest.mark.proves("A05")
def test_the_words_of_a_stream_come_as_deltas_that_start_and_end(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "ab cd ef", "chunk": 3})
    done = ouro("run", "--model", model, "--output", "stream-json", "x", cwd=tmp_path)
    deltas = [
        event["data"]
        for event in map(json.loads, done.stdout.splitlines())
        if event["type"] == "model.delta"
    ]
    assert deltas[0]["phase"] == "start"
    assert deltas[-1]["phase"] == "end"
    assert [delta.get("text", "") for delta in deltas[1:-1]] == ["ab ", "cd ", "ef"]


@pytest.mark.deep
@pytest.mark.proves("spine-bad-input", "V25")
@pytest.mark.parametrize("output", ["text", pytest.param("json", marks=pytest.mark.deep)])
@every(
    ("arguments", "code", "words"),
    [
        (["--model", "nosuch/x", "hi"], 2, "nosuch/x"),
        (["--model", "echo"], 2, "there is no task"),
        (["--model", "echo", "-C", "nowhere", "hi"], 2, "nowhere"),
        (["--model", "echo", "--resume", "ses_unknown", "hi"], 2, "ses_unknown"),
        (["--model", "echo", "--resume", "x", "--continue", "hi"], 2, "contradict"),
        (["--model", "script:none.jsonl", "hi"], 2, "none.jsonl"),
        (["--model", "openai/x", "--base-url", "http://127.0.0.1:9", "hi"], 1, "refused"),
    ],
)
def test_bad_input_says_what_happened_and_what_to_do(
    tmp_path: Path, output: str, arguments: list[str], code: int, words: str
) -> None:
    done = ouro(
        "run",
        "--output",
        output,
        *arguments,
        cwd=tmp_path,
        OPENAI_API_KEY="k",
        OUROBOROS_NETWORK_REQUEST_RETRIES="0",
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    if output == "json":
        report = msgspec.json.decode(done.stdout, type=dict[str, object])
        assert words in str(report["error"])
        assert report["exit_code"] == code
    else:
        assert words in done.stderr
        assert "hint: " in done.stderr
        assert done.stdout == ""


@pytest.mark.deep
@pytest.mark.proves("A04")
def test_a_limit_ends_with_its_name_and_code_3(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, LOOKS, ANSWERS)
    arguments = ("run", "--model", model, "--mode", "full-auto", "--max-turns", "2", "x")
    done = ouro(*arguments, cwd=tmp_path)
    assert done.returncode == 3
    assert "Stopped at the limit max_turns after 2 turns" in done.stderr


WRITES = {
    "text": "",
    "tool_calls": [{"name": "write", "arguments": {"path": "made.txt", "content": "x"}}],
}
READS: dict[str, object] = {"text": "", "tool_calls": [{"name": "ls", "arguments": {}}]}
REFUSED_TWICE = {
    "text": "",
    "tool_calls": [
        {"name": "exec_command", "arguments": {"cmd": "touch made.txt"}},
        {"name": "exec_command", "arguments": {"cmd": "make install"}},
    ],
}


@pytest.mark.deep
@pytest.mark.proves("E17")
@every(
    "turns, options, code, refused",
    [
        ([WRITES, ANSWERS], (), 0, 1),
        ([WRITES, ANSWERS], ("--strict-approvals",), 4, 1),
        ([READS, WRITES, ANSWERS], (), 0, 1),
        ([REFUSED_TWICE, ANSWERS], (), 0, 2),
        ([REFUSED_TWICE, ANSWERS], ("--strict-approvals",), 4, 2),
        ([READS, ANSWERS], ("--strict-approvals",), 0, 0),
        ([ANSWERS], (), 0, 0),
        ([WRITES, READS, ANSWERS], ("--max-turns", "2"), 3, 1),
        ([WRITES, READS, ANSWERS], ("--max-turns", "2", "--strict-approvals"), 3, 1),
        ([WRITES, ANSWERS], ("--mode", "plan", "--strict-approvals"), 0, 0),
        ([WRITES, ANSWERS], ("--output", "json"), 0, 1),
        ([WRITES, ANSWERS], ("--output", "json", "--strict-approvals"), 4, 1),
        ([WRITES, ANSWERS], ("--output", "stream-json"), 0, 1),
    ],
)
def test_what_needs_approval_is_denied_where_nobody_is(
    turns: list[dict[str, object]],
    options: tuple[str, ...],
    code: int,
    refused: int,
    tmp_path: Path,
) -> None:
    model = script(tmp_path, *turns)
    done = ouro("run", "--model", model, *options, "x", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    calls = "1 call" if refused == 1 else f"{refused} calls"
    told = f"{calls} refused: nobody was here to approve"
    assert (told in done.stderr) == bool(refused), done.stderr
    if "json" in options:
        report = json.loads(done.stdout)
        assert (report["exit_code"], report["unapproved"]) == (code, refused)
    elif "stream-json" not in options:
        assert ("nobody is here to answer" in done.stderr) == bool(refused)
    assert not (tmp_path / "made.txt").exists()


@pytest.mark.deep
def test_a_session_is_continued_by_its_name_and_as_the_latest(tmp_path: Path) -> None:
    first = ouro("run", "--model", "echo", "--output", "json", "one", cwd=tmp_path)
    session = json.loads(first.stdout)["session"]
    for option in (["--continue"], ["--resume", session]):
        again = ouro("run", "--model", "echo", "--output", "json", *option, "two", cwd=tmp_path)
        assert json.loads(again.stdout)["session"] == session


@pytest.mark.deep
def test_resume_without_a_name_lists_the_sessions_where_nobody_can_choose(tmp_path: Path) -> None:
    ouro("run", "--model", "echo", "the first words", cwd=tmp_path)
    done = ouro("run", "--model", "echo", "more", "--resume", cwd=tmp_path)
    assert done.returncode == 2
    assert "the first words" in done.stderr
    assert "--resume ses_" in done.stderr


@pytest.mark.deep
@pytest.mark.proves("spine-bad-input")
def test_a_reader_that_goes_away_ends_the_run_without_a_word(tmp_path: Path) -> None:
    model = script(tmp_path, SLEEPS, ANSWERS)
    program = [sys.executable, "-m", "ouroboros", "run", "--model", model, "--mode", "full-auto"]
    with forked.Popen(
        [*program, "--output", "stream-json", "x"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"session.ready" in process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=120) == 141
        assert process.stderr.read() == b""
    shown = ouro("run", "--model", "echo", "--continue", "--output", "json", "go on", cwd=tmp_path)
    assert json.loads(shown.stdout)["reason"] == "completed"


@pytest.mark.deep
@pytest.mark.proves("spine-bad-input")
def test_a_full_disk_for_the_output_is_named(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = forked.run(
            [sys.executable, "-m", "ouroboros", "run", "--model", "echo", "hi"],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert done.returncode == 1
    assert b"standard output cannot be written: No space left" in done.stderr


@pytest.mark.deep
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(x, marks=pytest.mark.deep) for x in (signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_a_signal_ends_the_run_with_a_valid_history(tmp_path: Path, number: signal.Signals) -> None:
    model = script(tmp_path, SLEEPS, ANSWERS)
    program = [sys.executable, "-m", "ouroboros", "run", "--model", model, "--mode", "full-auto"]
    with forked.Popen(
        [*program, "--output", "stream-json", "x"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        lines: list[bytes] = []
        for line in process.stdout:
            lines.append(line)
            if b"step 1" in line:
                process.send_signal(number)
                break
        lines += process.stdout.readlines()
        assert process.wait(timeout=120) == 130
    events = [json.loads(line) for line in lines]
    results = [event["data"]["status"] for event in events if event["type"] == "tool.result"]
    assert results == ["cancelled"]
    assert events[-1]["type"] == "task.cancelled"
    again = ouro("run", "--model", model, "--continue", "go on", cwd=tmp_path)
    assert again.stdout == "# Found\n\nIt is *there*.\n"


@pytest.mark.deep
@pytest.mark.proves("A09", "E18")
def test_a_terminal_shows_rendered_words_and_asks(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, ANSWERS)
    with Program(["run", "--model", model, "look"], cwd=tmp_path) as program:
        program.sees("y yes")
        program.type("y")
        assert program.ends() == 0
        shown = program.picture.text
    assert "I look first." in shown
    assert "? Allow: Run touch x; echo seen; echo there" in shown
    assert "Allowed by you" in shown
    assert "  seen\n  there\n" in shown
    assert "# Found\n\nIt is there.\n" in shown
    assert "Working" not in shown
    assert "y yes" not in shown


@pytest.mark.deep
@pytest.mark.proves("A08", "E13")
def test_no_may_carry_a_reason_and_the_model_reads_it(tmp_path: Path) -> None:
    call = {"name": "write", "arguments": {"path": "made.txt", "content": "x"}}
    model = script(tmp_path, {"text": "", "tool_calls": [call]}, ANSWERS)
    with Program(["run", "--model", model, "x"], cwd=tmp_path) as program:
        program.sees("y yes")
        program.type("n")
        program.sees("Why not")
        program.type("not here\r")
        assert program.ends() == 0
        assert "not here" in program.picture.text
    assert not (tmp_path / "made.txt").exists()


@pytest.mark.deep
@pytest.mark.proves("E14")
def test_always_is_asked_once_in_a_session(tmp_path: Path) -> None:
    call = {"name": "shell", "arguments": {"command": "touch made"}}
    turn: dict[str, object] = {"text": "", "tool_calls": [call]}
    model = script(tmp_path, turn, turn, ANSWERS)
    with Program(["run", "--model", model, "x"], cwd=tmp_path) as program:
        program.sees("y yes")
        program.type("a")
        assert program.ends() == 0
        assert program.picture.text.count("? Allow") == 1


@pytest.mark.deep
@pytest.mark.proves("E14")
def test_always_covers_the_beginning_of_a_command_and_the_folder_of_an_edit(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text("import sys; print('checked', *sys.argv[1:])")

    def turn(name: str, **arguments: str) -> dict[str, object]:
        return {"text": "", "tool_calls": [{"name": name, "arguments": arguments}]}

    model = script(
        tmp_path,
        turn("shell", command="python3 check.py one"),
        turn("shell", command="python3 check.py two three && ls"),
        turn("write", path="src/a.py", content="a = 1\n"),
        turn("write", path="src/deep/b.py", content="b = 1\n"),
        ANSWERS,
    )
    with Program(["run", "--model", model, "x"], cwd=tmp_path) as program:
        program.sees("always in this session (python3 check.py ...)")
        program.type("a")
        program.sees("src/a.py")
        program.sees("always in this session (edits in ")
        program.type("a")
        assert program.ends() == 0
        assert program.picture.text.count("? Allow") == 2
    assert (tmp_path / "src" / "deep" / "b.py").exists()


@pytest.mark.deep
@pytest.mark.proves("E09")
def test_a_refused_chain_names_the_refused_part_and_the_rest_runs_by_itself(tmp_path: Path) -> None:
    def turn(command: str) -> dict[str, object]:
        call = {"name": "shell", "arguments": {"command": command}}
        return {"text": "", "tool_calls": [call]}

    model = script(
        tmp_path,
        turn("touch made && git push"),
        turn("touch made && rm -rf src"),
        turn("touch made"),
        ANSWERS,
    )
    options = ("--mode", "full-auto", "--output", "stream-json")
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('[permissions]\ndeny = ["Bash(git push)"]\n')
    work = tmp_path / "work"
    work.mkdir()
    done = ouro("run", "--model", model, *options, "x", cwd=work, OUROBOROS_HOME=str(home))
    assert done.returncode == 0, done.stderr
    denied, asked = (
        next(line for line in done.stdout.splitlines() if f"Only `{part}` was refused" in line)
        for part in ("git push", "rm -rf src")
    )
    for told in (denied, asked):
        assert "the rest may be called without it: `touch made`" in told
    assert "denies this (in your settings): `git push`" in denied
    assert (work / "made").exists()


@pytest.mark.deep
@pytest.mark.proves("E17")
def test_non_interactive_asks_nobody_on_a_terminal(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, ANSWERS)
    arguments = ["run", "--model", model, "--non-interactive", "--strict-approvals", "x"]
    with Program(arguments, cwd=tmp_path) as program:
        assert program.ends() == 4


@pytest.mark.proves("A11")
@pytest.mark.parametrize("columns", [40, pytest.param(100, marks=pytest.mark.deep)])
def test_ctrl_c_stops_the_command_and_leaves_the_terminal_clean(
    tmp_path: Path, columns: int
) -> None:
    model = script(tmp_path, SLEEPS, ANSWERS)
    arguments = ["run", "--model", model, "--mode", "full-auto", "x"]
    with Program(arguments, cwd=tmp_path, columns=columns, lines=10) as program:
        program.sees("step 1")
        program.type("\x03")
        assert program.ends() == 130
        shown = program.picture.text
    assert "Interrupted after 1 turn" in shown
    assert "Working" not in shown
    assert program.picture.modes == set()


@pytest.mark.deep
@pytest.mark.proves("V23")
def test_a_dumb_terminal_gets_no_escape_and_can_answer(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, ANSWERS)
    with Program(
        ["run", "--model", model, "x"], cwd=tmp_path, environment={"TERM": "dumb"}
    ) as program:
        program.sees("i whole input:")
        program.type("yes\n")
        assert program.ends() == 0
    assert "\x1b" not in program.raw
    assert "# Found" in program.picture.text


@pytest.mark.deep
@pytest.mark.proves("V20")
def test_no_color_is_respected(tmp_path: Path) -> None:
    model = script(tmp_path, LOOKS, ANSWERS)
    arguments = ["run", "--model", model, "--mode", "full-auto", "x"]
    with Program(arguments, cwd=tmp_path, environment={"NO_COLOR": "1"}) as program:
        assert program.ends() == 0
    assert program.picture.styles == set()
    assert "It is there." in program.picture.text


@pytest.mark.deep
@pytest.mark.proves("I11")
def test_the_session_to_resume_can_be_chosen(tmp_path: Path) -> None:
    ouro("run", "--model", "echo", "the first words", cwd=tmp_path)
    with Program(["run", "--model", "echo", "more", "--resume"], cwd=tmp_path) as program:
        program.sees("Number or name")
        program.type("7\n")
        program.sees("choose 1 to 1")
        program.type("1\n")
        assert program.ends() == 0
    found = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)
    assert len(found) == 1


@pytest.mark.deep
@pytest.mark.parametrize(
    "output", ["text", *(pytest.param(x, marks=pytest.mark.deep) for x in ("json", "stream-json"))]
)
def test_without_a_terminal_nothing_that_draws_is_imported(tmp_path: Path, output: str) -> None:
    program = (
        "import sys; from ouroboros.faces.cli.entry import main;"
        f"main(['run', '--model', 'echo', '--output', {output!r}, 'hi']);"
        "drawn = {'rich', 'pygments', 'markdown_it', 'ouroboros.faces.cli.render.terminal'};"
        "sys.exit(len(drawn & set(sys.modules)))"
    )
    done = forked.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout
    assert done.returncode == 0


@pytest.mark.deep
def test_a_closed_standard_output_is_named(tmp_path: Path) -> None:
    program = f"exec {sys.executable} -m ouroboros run --model echo hi >&- </dev/null"
    done = forked.run(
        ["/bin/sh", "-c", program],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: standard output is closed")
    assert "Traceback" not in done.stderr


@pytest.mark.deep
def test_a_job_in_the_background_is_not_stopped_by_its_terminal(tmp_path: Path) -> None:
    command = f"set -m; {sys.executable} -m ouroboros run --model echo hi & wait $!"
    with Program([], cwd=tmp_path, program=["/bin/sh", "-c", command]) as program:
        program.sees("Done after 1 turn")
        assert program.ends() == 0
