"""Commands that were written without a look at the tables: no trick is a read, and most reads are."""

import subprocess
from pathlib import Path

import pytest

from ouroboros.safety.commands.classify import classify
from ouroboros.safety.paths import Places
from tests.unit.safety.command_cases import flow
from tests.unit.safety.command_cases.apart import READS, TRICKS

pytestmark = pytest.mark.real

FILES = "README.md Makefile package.json pyproject.toml data.csv data.json log.txt x.yml .env src/a.py src/b.py tests/test_a.py web/app.ts"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path.resolve()
    for name in FILES.split():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x\n")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@pytest.fixture
def with_links(workspace: Path) -> Path:
    """The same with a folder ``docs`` and links out of it."""
    (workspace / "docs").mkdir()
    (workspace / "evil").symlink_to("/etc/shadow")
    (workspace / "docs" / "keys").symlink_to(Path.home())
    return workspace


def safe(table: str, folder: Path) -> tuple[list[str], list[str]]:
    """The lines that are classed safe, and all."""
    places = Places(roots=(folder,))
    every = [line for line in table.split("\n") if line]
    return [t for t in every if classify(t, cwd=folder, places=places).kind == "safe"], every


@pytest.mark.proves("E11", "E12")
def test_no_trick_is_taken_for_a_read(workspace: Path) -> None:
    through, every = safe(TRICKS, workspace)
    assert len(every) >= 200
    assert through == []


@pytest.mark.proves("E11", "E12")
def test_of_a_days_reads_92_percent_run_unasked(workspace: Path) -> None:
    free, every = safe(READS, workspace)
    assert len(every) >= 200
    assert len(free) >= 0.92 * len(every), sorted(set(every) - set(free))


@pytest.mark.proves("E09", "E10")
def test_nothing_hides_behind_loops_conditions_variables_and_substitutions(
    with_links: Path,
) -> None:
    through, every = safe(flow.TRICKS, with_links)
    assert len(every) >= 150
    assert through == []
