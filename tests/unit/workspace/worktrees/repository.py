"""A repository of a person's, with sessions in it."""

import functools
import os
import subprocess
import tempfile
from pathlib import Path

from ouroboros.app.paws.sessions import Kept, Sessions
from ouroboros.core.clock import Clock


class Ticking:
    """A clock that goes on a second each time it is asked."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def now(self) -> float:
        self.seconds += 1
        return self.seconds

    def monotonic(self) -> float:
        return self.now()


class Repository:
    """Made with one commit that holds the file ``kept``."""

    def __init__(self, folder: Path, *, empty: bool = False) -> None:
        self.folder = folder
        self.clock: Clock = Ticking()
        folder.mkdir(parents=True)
        for name, content in _first(empty=empty).items():
            path = folder / name
            if content is None:
                path.mkdir()
            else:
                path.write_bytes(content)

    def git(self, *words: str, at: Path | None = None, check: bool = True) -> str:
        return _git(at or self.folder, *words, check=check)

    def write(self, at: Path | None = None, /, **files: str) -> None:
        for name, content in files.items():
            ((at or self.folder) / name).write_text(content, "utf-8")

    def commit(self, message: str, at: Path | None = None, /, **files: str) -> str:
        self.write(at, **files)
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", message, at=at)
        return self.git("rev-parse", "HEAD", at=at)

    async def sessions(self, at: Path | None = None) -> Sessions:
        return await Sessions.at(at or self.folder, os.environ, self.clock)

    async def started(self, name: str = "", *, base: str = "", detach: bool = False) -> Kept:
        return await (await self.sessions()).start(name=name, base=base, detach=detach)

    def standing(self) -> tuple[str, str, str, dict[str, str]]:
        """What is the person's: commit, state of files and index, stash, and the files themselves."""
        files = {
            path.relative_to(self.folder).as_posix(): path.read_text("utf-8")
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not {".git", ".paws"} & set(path.parts)
        }
        status = self.git("status", "--porcelain=v2", "--branch", "--untracked-files=all")
        return self.git("rev-parse", "HEAD"), status, self.git("stash", "list"), files

    def lost(self) -> list[str]:
        """Commits that no ref leads to, also not by way of a log."""
        found = self.git("fsck", "--unreachable", "--no-reflogs", "--no-progress")
        return [line for line in found.splitlines() if " commit " in line]


@functools.cache
def _first(*, empty: bool) -> dict[str, bytes | None]:
    """What lies in a new repository, a folder before what it holds; git makes it once for all tests."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _git(folder, "init", "-q", "-b", "main")
        _git(folder, "config", "user.name", "Person")
        _git(folder, "config", "user.email", "person@example.com")
        if not empty:
            (folder / "kept").write_text("one\n", "utf-8")
            _git(folder, "add", "-A")
            _git(folder, "commit", "-q", "-m", "begin")
        return {
            path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.suffix != ".sample"
        }


def _git(folder: Path, *words: str, check: bool = True) -> str:
    ran = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, check=False, env=os.environ
    )
    assert not check or ran.returncode == 0, ran.stderr
    return ran.stdout.decode(errors="surrogateescape").rstrip("\n")
