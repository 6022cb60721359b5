"""`ouro trust`, with and without somebody to ask."""

import os
import pty
import select
import sys
from pathlib import Path

import pytest

from tests.unit.cli.commands.calling import Ouro

pytestmark = pytest.mark.real


@pytest.fixture
def clone(project: Path) -> Path:
    (project / ".ouroboros").mkdir()
    (project / ".ouroboros" / "config.toml").write_text('mode = "plan"', encoding="utf-8")
    return project


def test_without_a_terminal_it_shows_and_refuses(ouro: Ouro, clone: Path) -> None:
    ended = ouro("trust")

    assert ended.code == 2
    assert "mode = 'plan'" in ended.err
    assert "error: nobody is there to ask" in ended.err
    assert ouro("config", "get", "mode").out == "ask\n"


def test_yes_trusts_and_revoke_takes_it_back(ouro: Ouro, clone: Path) -> None:
    assert ouro("trust", "--yes").code == 0
    assert ouro("config", "get", "mode") == (0, "plan\n", "")
    assert ouro("trust", "--list").out == f"{clone}\n"
    assert ouro("trust", "--list", "--json").out == f'["{clone}"]\n'

    assert ouro("trust", "--revoke").code == 0
    assert ouro("config", "get", "mode").out == "ask\n"
    assert ouro("trust", "--revoke").code == 1


def test_a_folder_that_is_not_there_is_refused(ouro: Ouro) -> None:
    assert ouro("trust", "nowhere").err.startswith("error: 'nowhere' is not a folder\n")


def test_hostile_content_reaches_the_terminal_defused(ouro: Ouro, clone: Path) -> None:
    (clone / ".ouroboros" / "config.toml").write_text('model = "\\u001b]52;c;x\\u0007"')
    (clone / ".env").write_text("A\x1b[2J=1\n", encoding="utf-8")

    ended = ouro("trust", "--yes")

    assert "\x1b" not in ended.err
    assert "\x07" not in ended.err


@pytest.mark.deep
@pytest.mark.parametrize(("typed", "mode"), [("y\n", "plan"), ("n\n", "ask"), ("\n", "ask")])
def test_on_a_terminal_the_person_is_asked(clone: Path, home: Path, typed: str, mode: str) -> None:
    program = "import sys; from ouroboros.faces.cli.entry import main; sys.exit(main({!r}))"
    environment = {"OUROBOROS_HOME": str(home), "PATH": os.environ["PATH"], "TERM": "dumb"}

    said = talk(program.format(["trust"]), environment, clone, typed)
    assert "Trust them? [y/N]" in said

    assert mode in talk(program.format(["config", "get", "mode"]), environment, clone, "")


def talk(program: str, environment: dict[str, str], cwd: Path, typed: str) -> str:
    """Runs a program on a terminal of its own, types, and gives what the screen showed."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(sys.executable, [sys.executable, "-c", program], environment)
    shown = b""
    os.write(screen, typed.encode())
    while select.select([screen], [], [], 20)[0]:
        try:
            piece = os.read(screen, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(screen)
    os.waitpid(pid, 0)
    return shown.decode()
