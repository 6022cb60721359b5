"""The wheel is real: built here, installed with locked packages somewhere else, it runs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import ouroboros
from tests.house.rules import ROOT, rooms

pytestmark = pytest.mark.real

PERSON = dict(os.environ)
"""The environment from before the tests' own home: uv's cache of packages is kept there."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without an index by the locked back end of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``ouro`` of an environment that holds the wheel, its locked packages and nothing else."""
    place = tmp_path_factory.mktemp("elsewhere") / "environment"
    python = place / "bin" / "python"
    uv = [sys.executable, "-m", "uv"]
    lock = str(ROOT / "requirements" / "run.txt")
    install = [*uv, "pip", "install", "--python", str(python)]
    for command in (
        [*uv, "venv", "--python", sys.executable, str(place)],
        [*install, "--require-hashes", "--only-binary", ":all:", "-r", lock],
        [*install, "--no-deps", "--offline", str(wheel)],
    ):
        done = subprocess.run(
            command, cwd=place.parent, env=PERSON, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    return place / "bin" / "ouro"


def test_the_wheel_holds_every_room_and_every_file_that_is_read_and_nothing_else(
    wheel: Path,
) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    package = {name for name in names if not name.startswith("ouroboros-")}
    assert {name.split("/")[0] for name in package} == {"ouroboros"}
    assert [room for room in rooms(ROOT) if f"ouroboros/{room}/__init__.py" not in package] == []
    assert "ouroboros/py.typed" in package
    assert [name for name in names if name.endswith("licenses/LICENSE")] != []
    source = ROOT / "src"
    found = (source / "ouroboros").rglob("*")
    # Who is killed while Python writes its cache leaves files there under names of the moment.
    files = [each for each in found if each.is_file() and "__pycache__" not in each.parts]
    read = {each.relative_to(source).as_posix() for each in files if each.suffix[:3] != ".py"}
    assert "ouroboros/llm/providers/table.json" in read
    assert read - set(names) == set()


@pytest.mark.proves("spine-commands")
@pytest.mark.deep
def test_the_wheel_runs_outside_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    ran: dict[str, subprocess.CompletedProcess[str]] = {
        word: subprocess.run(
            [str(installed), word], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        for word in ("--version", "--help", "demo")
    }
    assert {word: done.returncode for word, done in ran.items()} == dict.fromkeys(ran, 0)
    version, shown, demo = ran.values()
    assert (version.stdout, version.stderr) == (f"ouro {ouroboros.__version__}\n", "")
    assert ("ouro" in shown.stdout, shown.stderr) == (True, "")
    assert "tests pass" in demo.stdout, demo.stderr
    assert list(tmp_path.iterdir()) == []
