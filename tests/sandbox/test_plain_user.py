"""The cages of a user without rights: the superuser is refused nothing, and proves too little."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import pytest

from ouroboros.safety.spawn import Finished, run
from tests.sandbox.cages import CAGES as ALL_CAGES
from tests.sandbox.cages import OFFERED
from tests.sandbox.plain_user import SYSTEM_PYTHON
from tests.sandbox.test_command_escapes import CAGED, GROUPS

REPOSITORY = Path(__file__).parents[2]
IS_OPEN = os.geteuid() != 0 or not Path(sys.executable).resolve().is_relative_to("/root")
CAGES = [
    each
    for each in ALL_CAGES
    if each != "namespaces" or IS_OPEN or Path(SYSTEM_PYTHON).exists()  # its launcher is a Python
]
pytestmark = pytest.mark.skipif(OFFERED.landlock < 6, reason="the kernel has no such Landlock")


@pytest.fixture
def folder() -> Generator[Path]:
    """Where a plain user may go: the folders of pytest are for one user alone."""
    made = Path(tempfile.mkdtemp(prefix="ouro-plain-"))
    yield made.resolve()
    shutil.rmtree(made)


async def told(module: str, folder: Path, *words: str, is_anybody: bool = False) -> object:
    ended: Finished = await run(
        [sys.executable, "-m", f"tests.sandbox.{module}", str(folder), *words],
        cwd=REPOSITORY,
        environment={"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        timeout_seconds=320,
    )
    assert ended.exit_code == 0, ended.stderr.decode()
    found = json.loads(ended.stdout)
    assert is_anybody or found["user"] != 0
    return found["told"]


@pytest.mark.deep
@pytest.mark.proves("F03", "F06")
@pytest.mark.parametrize("cage", CAGES)
async def test_a_plain_user_gets_out_of_no_cage(folder: Path, cage: str) -> None:
    assert await told("plain_attacks", folder, "attack", cage, "12", "reads", "kernel") == []


@pytest.mark.parametrize("cage", CAGES)
@pytest.mark.parametrize(
    "one_of", [pytest.param("8", marks=pytest.mark.deep), pytest.param("1", marks=pytest.mark.soak)]
)
async def test_a_plain_user_gets_out_of_no_cage_in_any_way(
    folder: Path, cage: str, one_of: str
) -> None:
    # Of modes and times Landlock says nothing.
    groups = sorted(CAGED if cage == "landlock" else GROUPS)
    assert await told("plain_attacks", folder, "attack", cage, one_of, *groups) == []


@pytest.mark.proves("F03", "F06")
async def test_no_program_of_the_same_user_looks_into_us(folder: Path) -> None:
    """Not even one without a cage: neither memory nor environment nor what is open."""
    said = str(await told("plain_user", folder)).split()
    assert len(said) == 1


@pytest.mark.proves("D13", "F06")
@pytest.mark.parametrize("cage", CAGES)
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("plain", marks=pytest.mark.deep),
        pytest.param("leaving", marks=pytest.mark.soak),
    ],
)
async def test_a_fork_bomb_meets_the_limit_and_is_gone_at_its_end(
    folder: Path, cage: str, kind: str
) -> None:
    """It spread, never beyond the limit, and was refused more; nothing is left, and the next command runs."""
    seen = await told("plain_attacks", folder, "bomb", cage, kind)
    assert seen == [True, True, True, 0, "well\n"]


@pytest.mark.deep
@pytest.mark.proves("F11")
@pytest.mark.parametrize("who", ["root", "plain"])
async def test_a_repository_is_worked_in_where_nobody_may_make_namespaces(
    folder: Path, who: str
) -> None:
    """Under a filter as Docker's: Landlock alone, the workspace writable, what steers git put back."""
    found = await told("without_namespaces", folder, who, is_anybody=who == "root")
    assert isinstance(found, dict)
    said = cast("dict[str, Any]", found)
    assert said["sandbox"] == "landlock"
    (line,) = said["said"]
    assert "Landlock alone" in line
    codes = [code for code, _, _ in said["results"]]
    assert codes[:6] == [0] * 6, said
    assert codes[6] == 1
    assert codes[7] == 1
    notes = "".join(note for _, _, note in said["results"])
    for name in ("hooks", "config", ".ouroboros"):
        assert name in notes
    work = folder / "work"
    assert not (work / ".git/hooks/pre-commit").exists()
    assert "fsmonitor" not in (work / ".git/config").read_text()
    assert not (work / ".ouroboros").exists()
    assert not list((folder / "outside").iterdir())
    assert not list((folder / "tmp").iterdir())
