"""A folder with checkpoints, and what a test asks of it."""

import os
import stat
import subprocess
import time
from pathlib import Path

from ouroboros.workspace.checkpoints.restore import Restored, Step
from ouroboros.workspace.checkpoints.rewind import Plan, begin, planned
from ouroboros.workspace.checkpoints.scan import Bounds
from ouroboros.workspace.checkpoints.shadow import Shadow, Taken

type Seen = dict[str, tuple[str, int, bytes]]


class Kept:
    """Takes checkpoints of ``root`` and goes back to them."""

    def __init__(self, folder: Path, bounds: Bounds | None = None) -> None:
        self.home, self.root = folder / "home", folder / "work"
        self.root.mkdir(exist_ok=True)
        self.bounds = bounds or Bounds()
        self.shadow = Shadow.opened(self.home, self.root)
        self.last = ("", "")

    def take(self, session: str = "ses_1") -> Taken:
        taken = self.shadow.take(
            self.bounds, session=session, message="a test", last=self.last, now=time.time()
        )
        self.last = (taken.checkpoint, taken.tree)
        return taken

    def back(
        self, checkpoint: str, *, excluded: tuple[str, ...] = (), step: Step = lambda _: None
    ) -> Restored:
        start = self.take().checkpoint
        with self.shadow.locked():
            changes, left = planned(self.shadow, start, checkpoint, self.bounds, excluded=excluded)
            plan = Plan(
                session="ses_1",
                checkpoint=checkpoint,
                start=start,
                excluded=tuple(map(os.fsencode, excluded)),
                modes=(),
                mark="test",
            )
            found = begin(self.shadow, plan, changes, step)
        found.left |= left
        return found

    def git(self, *words: str) -> str:
        """What Git itself says of the repository."""
        ran = subprocess.run(
            ["git", f"--git-dir={self.shadow.folder}", *words],
            capture_output=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.decode("utf-8", "surrogateescape")


def seen(root: Path) -> Seen:
    """Everything below a folder: what it is, its bits, its bytes or target."""
    found: Seen = {}
    for path in root.rglob("*"):
        what = path.lstat()
        bits = stat.S_IMODE(what.st_mode)
        shown = path.relative_to(root).as_posix()
        if stat.S_ISLNK(what.st_mode):
            found[shown] = ("link", 0, os.fsencode(path.readlink()))
        elif stat.S_ISDIR(what.st_mode):
            found[shown] = ("folder", bits, b"")
        elif stat.S_ISREG(what.st_mode):
            found[shown] = ("file", bits, path.read_bytes())
        else:
            found[shown] = ("special", bits, b"")
    return found
