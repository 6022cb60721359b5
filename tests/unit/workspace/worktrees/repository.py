"""A repository of a person's, with sessions in it."""

import os
import subprocess
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
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Person")
        self.git("config", "user.email", "person@example.com")
        if not empty:
            self.commit("begin", kept="one\n")

    def git(self, *words: str, at: Path | None = None, check: bool = True) -> str:
        ran = subprocess.run(
            ["git", *words], cwd=at or self.folder, capture_output=True, check=False, env=os.environ
        )
        assert not check or ran.returncode == 0, ran.stderr
        return ran.stdout.decode(errors="surrogateescape").rstrip("\n")

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
