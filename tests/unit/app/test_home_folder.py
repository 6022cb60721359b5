"""The one folder in which everything is kept for a person, and the variable that moves it."""

import os
import sys
from pathlib import Path

import pytest

from ouroboros.app.config.layers import home_folder
from tests import forked
from tests.cases import every

pytestmark = pytest.mark.real


@pytest.mark.proves("W03")
@every(
    ("environment", "expected"),
    [
        ({"HOME": "/home/me"}, "/home/me/.ouroboros"),
        ({"HOME": "/home/me", "OUROBOROS_HOME": ""}, "/home/me/.ouroboros"),
        ({"HOME": "/home/me", "OUROBOROS_HOME": "/elsewhere"}, "/elsewhere"),
        ({"OUROBOROS_HOME": "/elsewhere"}, "/elsewhere"),
    ],
)
def test_the_variable_beats_the_persons_home(environment: dict[str, str], expected: str) -> None:
    assert home_folder(environment) == Path(expected)


@pytest.mark.deep
@pytest.mark.proves("W03")
def test_a_run_keeps_everything_in_the_named_folder(tmp_path: Path) -> None:
    person, chosen, work = tmp_path / "person", tmp_path / "chosen", tmp_path / "work"
    person.mkdir()
    work.mkdir()
    done = forked.run(
        [sys.executable, "-m", "ouroboros", "run", "--model", "echo", "hello"],
        cwd=work,
        env={**os.environ, "HOME": str(person), "OUROBOROS_HOME": str(chosen)},
        input="",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert (chosen / "ouroboros.db").is_file()
    assert list(person.iterdir()) == []
    assert list(work.iterdir()) == []
