"""`ouro` in this process: its exit code, what it wrote, and where."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from ouroboros.faces.cli.entry import main
from tests.unit.cli.commands.calling import Ended, Ouro


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("OUROBOROS_HOME", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def ouro(home: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Ouro]:
    """Runs a command line in this process; the loggers are left as they were."""
    logger = logging.getLogger("ouroboros")
    before = list(logger.handlers), logger.level, logger.propagate

    def run(*arguments: str) -> Ended:
        capsys.readouterr()
        code = main(list(arguments))
        for handler in logger.handlers:
            handler.flush()
        written = capsys.readouterr()
        return Ended(code, written.out, written.err)

    yield run
    for handler in logger.handlers:
        if handler not in before[0]:
            handler.close()
    logger.handlers, logger.level, logger.propagate = before
