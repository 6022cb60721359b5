"""Starting is cheap and harmless: what is imported, what is written, how it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ouroboros

pytestmark = pytest.mark.real

HEAVY = (
    "botocore",
    "httpx2",
    "jsonschema",
    "keyring",
    "mcp",
    "numpy",
    "py_mini_racer",
    "rich",
    "sqlite3",
    "starlette",
    "textual",
    "tomlkit",
    "yaml",
)
PROGRAM = [sys.executable, "-I", "-m", "ouroboros"]
LIST_MODULES = """
import sys
from ouroboros.__main__ import main
sys.argv = ["ouro", *sys.argv[1:]]
code = main()
sys.stderr.write("\\n".join(sys.modules))
sys.exit(code)
"""


@pytest.mark.proves("V21")
@pytest.mark.parametrize("option", ["--version", "--help"])
def test_an_answer_from_the_first_look_imports_nothing_heavy(option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", LIST_MODULES, option],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stderr.splitlines()}
    assert "ouroboros" in loaded
    assert sorted(loaded.intersection(HEAVY)) == []
    assert done.stdout


def test_the_version_is_answered_without_the_command_tree() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", LIST_MODULES, "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"ouro {ouroboros.__version__}\n"
    assert "click" not in done.stderr.splitlines()


def test_a_file_of_our_name_in_the_folder_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "ouroboros.py").write_text("raise SystemExit('taken over')\n", encoding="utf-8")
    done = subprocess.run(
        [*PROGRAM, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"ouro {ouroboros.__version__}\n"


def test_looking_leaves_no_trace(fresh_home: Path, tmp_path: Path) -> None:
    for option in ("--version", "--help"):
        subprocess.run([*PROGRAM, option], cwd=tmp_path, capture_output=True, check=True)
    assert not fresh_home.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_left_ends_the_program_without_a_word() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*PROGRAM, "--version"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_interrupt_while_it_starts_ends_the_program_without_a_traceback(tmp_path: Path) -> None:
    # A command tree that interrupts its own import stands in for a Ctrl-C at that moment.
    package = tmp_path / "ouroboros"
    entry = package / "faces" / "cli" / "entry.py"
    entry.parent.mkdir(parents=True)
    for folder in (package, package / "faces", package / "faces" / "cli"):
        (folder / "__init__.py").touch()
    entry.write_text(f"import os; os.kill(os.getpid(), {signal.SIGINT:d})\n", encoding="utf-8")
    source = Path(ouroboros.__file__).with_name("__main__.py")
    (package / "__main__.py").write_bytes(source.read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "ouroboros", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
