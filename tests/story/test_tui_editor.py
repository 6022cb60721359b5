"""The person's own editor for what is typed, on a real terminal."""

import re
from pathlib import Path
from typing import override

import pytest

from tests.story.cli_terminal import Picture, Program

_SEQUENCES = re.compile(
    r"\x1b(?:\[[0-9;?<>=u]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|[=>78c])"
)

EDITOR = """#!/bin/sh
if grep -q fail "$1"; then exit 3; fi
trap 'printf " interrupted" >> "$1"; exit 0' INT
printf 'EDITOR HAS %s\\n' "$(cat "$1")"
read line < /dev/tty
printf ' %s' "$line" >> "$1"
stty size < /dev/tty >> "$1"
"""


class Loose(Picture):
    """All words that were written to a whole screen, wherever they were put and lines were broken."""

    @override
    def feed(self, text: str) -> None:
        self.rows.append(list(_SEQUENCES.sub("", text)))

    @property
    @override
    def text(self) -> str:
        return " ".join("".join("".join(row) for row in self.rows).split())


def face(tmp_path: Path, editor: str) -> Program:
    program = Program(
        ["--model", "echo"],
        cwd=tmp_path,
        columns=200,
        environment={"VISUAL": editor, "NO_COLOR": "1"},
    )
    program.picture = Loose(80, 24)
    return program


@pytest.mark.proves("interfaces-ones-own-editor")
@pytest.mark.deep
def test_the_editor_has_the_terminal_and_its_text_comes_back(tmp_path: Path) -> None:
    script = tmp_path / "edit"
    script.write_text(EDITOR)
    script.chmod(0o700)
    with face(tmp_path, f"{script}") as program:
        program.sees("Ask, or /")
        program.type("hello\x07")
        program.sees("EDITOR HAS hello")
        program.type("from outside\r")
        program.sees("> hello from outside24 200")
        program.type("\x15again\x07")
        program.sees("EDITOR HAS again")
        program.type("\x03")
        program.sees("> again interrupted")
        program.type("\x15fail\x07")
        program.sees("ended with 3")
        program.type("\x15/quit\r")
        assert program.ends() == 0


@pytest.mark.proves("interfaces-ones-own-editor")
@pytest.mark.deep
@pytest.mark.parametrize("editor", ["/nowhere/at-all", "'unclosed"])
def test_an_editor_that_is_none_is_said(tmp_path: Path, editor: str) -> None:
    with face(tmp_path, editor) as program:
        program.sees("Ask, or /")
        program.type("kept words\x07")
        program.sees("there is no editor")
        program.type("\x15/quit\r")
        assert program.ends() == 0
