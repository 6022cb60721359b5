"""Which files are offered for a name that was begun."""

import os
import subprocess
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.naming import named, ranked
from tests.cases import every

pytestmark = pytest.mark.real

NAMES = ("src/", "src/main.py", "src/app/", "src/app/mail.py", "tests/test_main.py", "README.md")


@every(
    ("typed", "first"),
    [
        ("", "src/"),
        ("src/m", "src/main.py"),
        ("main", "src/main.py"),
        ("MAI", "src/main.py"),
        ("mail", "src/app/mail.py"),
        ("test_m", "tests/test_main.py"),
        ("sapm", "src/app/mail.py"),
        ("readme", "README.md"),
    ],
)
def test_the_likeliest_comes_first(typed: str, first: str) -> None:
    assert ranked(typed, NAMES, 10)[0] == first


def test_letters_that_are_not_there_fit_nothing() -> None:
    assert ranked("xyz", NAMES, 10) == []
    assert len(ranked("", NAMES, 2)) == 2


def repository(folder: Path) -> Path:
    for name in ("src/a.py", "src/new.py", "build/out.o", "keep.txt", "blank name.md"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    (folder / ".gitignore").write_text("build/\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "src/a.py", ".gitignore"], cwd=folder, check=True)
    return folder


async def test_what_git_ignores_is_not_offered(tmp_path: Path) -> None:
    await to_thread.run_sync(repository, tmp_path)
    found = await named(tmp_path, dict(os.environ))
    assert set(found.names) == {
        *(".gitignore", "blank name.md", "keep.txt", "src/", "src/a.py", "src/new.py")
    }
    assert found.like("new") == ["src/new.py"]
    below = await named(tmp_path / "src", dict(os.environ))
    assert set(below.names) == {"a.py", "new.py"}


async def test_a_clone_runs_nothing_when_its_files_are_listed(tmp_path: Path) -> None:
    def trap() -> None:
        repository(tmp_path)
        program = tmp_path / ".git" / "trap"
        program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\n", encoding="utf-8")
        program.chmod(0o755)
        subprocess.run(["git", "config", "core.fsmonitor", str(program)], cwd=tmp_path, check=True)
        subprocess.run(["git", "status"], cwd=tmp_path, check=True, capture_output=True)

    await to_thread.run_sync(trap)
    sprung = tmp_path / "sprung"
    assert await to_thread.run_sync(sprung.exists)  # the trap works
    await to_thread.run_sync(sprung.unlink)
    assert "keep.txt" in (await named(tmp_path, dict(os.environ))).names
    assert not await to_thread.run_sync(sprung.exists)


async def test_without_git_what_searches_skip_is_not_offered(tmp_path: Path) -> None:
    def make() -> None:
        for name in ("a.py", "node_modules/b.js", "deep/c.py"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).touch()

    await to_thread.run_sync(make)
    assert set((await named(tmp_path, dict(os.environ))).names) == {"a.py", "deep/", "deep/c.py"}
    assert set((await named(tmp_path, {"PATH": ""})).names) == {"a.py", "deep/", "deep/c.py"}
