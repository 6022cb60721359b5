"""The model asks the person: at a terminal of any size, where nobody is, and over a kill."""

import json
import signal
from pathlib import Path

import pytest

from tests.story.cli_terminal import Program
from tests.story.test_cli_run import ouro, script

QUESTION = {
    "id": "data_base",
    "header": "Database",
    "question": "Which database shall it be?",
    "options": [
        {"label": "SQLite", "description": "one file, no server"},
        {"label": "PostgreSQL", "description": "for more than one machine"},
    ],
}
ASKS = {
    "text": "",
    "tool_calls": [{
        "name": "call_tool",
        "arguments": {
            "name": "request_user_input",
            "arguments": {"questions": [QUESTION, QUESTION | {"id": "why", "header": "Why"}]},
        },
    }],
}  # fmt: skip
DONE = {"text": "Then so be it."}


def answers(folder: Path) -> dict[str, object]:
    """What the model was told, from the log."""
    session = json.loads(ouro("sessions", "list", "--json", cwd=folder).stdout)[0]["id"]
    lines = ouro("export", session, "--format", "jsonl", cwd=folder).stdout.splitlines()
    (said,) = [
        event["data"]["parts"][0]["text"]
        for event in map(json.loads, lines)
        if event["type"] == "tool.result"
    ]
    return json.loads(said)["answers"] if said.startswith("{") else {"said": said}


@pytest.mark.proves("A25")
@pytest.mark.parametrize(
    ("columns", "lines"), [pytest.param(40, 10, marks=pytest.mark.deep), (80, 24)]
)
def test_the_person_answers_in_numbers_and_words(tmp_path: Path, columns: int, lines: int) -> None:
    model = script(tmp_path, ASKS, DONE)
    with Program(["chat", "--model", model], cwd=tmp_path, columns=columns, lines=lines) as program:
        program.sees("ask> ")
        program.type("set it up\r")
        program.sees("Database (1-2, or your own words):")
        assert "2 PostgreSQL" in program.picture.text
        program.type("\r2\r")
        program.sees("Why (1-2, or your own words):")
        program.type("because\r")
        program.sees("Then so be it.")
        program.sees("Done after")
        program.type("\x04")
        assert program.ends() == 0
    told = {"data_base": {"answers": ["PostgreSQL"]}, "why": {"answers": ["because"]}}
    assert answers(tmp_path) == told


@pytest.mark.deep
@pytest.mark.proves("A25")
def test_the_person_may_leave_it_unanswered(tmp_path: Path) -> None:
    model = script(tmp_path, ASKS, DONE)
    with Program(["chat", "--model", model], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.type("set it up\r")
        program.sees("or your own words")
        program.type("\x04")
        program.sees("Then so be it.")
        program.sees("Done after")
        program.type("\x04")
        assert program.ends() == 0
    assert "did not answer" in str(answers(tmp_path)["said"])


@pytest.mark.deep
@pytest.mark.proves("A25")
def test_without_a_person_the_model_is_told_so(tmp_path: Path) -> None:
    ended = ouro("run", "--model", script(tmp_path, ASKS, DONE), "set it up", cwd=tmp_path)
    assert ended.stdout == "Then so be it.\n"
    assert "nobody is here to answer" in str(answers(tmp_path)["said"])


@pytest.mark.deep
@pytest.mark.proves("A25")
def test_a_kill_while_it_is_asked_is_no_unknown_effect(tmp_path: Path) -> None:
    model = script(tmp_path, ASKS, DONE)
    with Program(["chat", "--model", model], cwd=tmp_path) as program:
        program.sees("ask> ")
        program.type("set it up\r")
        program.sees("or your own words")
        program.signal(signal.SIGKILL)
        program.ends()
    ended = ouro("run", "--continue", "--model", model, "go on", cwd=tmp_path)
    assert ended.stdout == "Then so be it.\n"
    assert "took effect" not in ended.stderr
    assert "took effect" not in ended.stderr
    assert "it did not run" in str(answers(tmp_path)["said"])
