"""What a checkpoint and a way back cost, beside a plain ``git add -A && git commit`` in the same tree.

Usage: python bench/checkpoints.py [files] [rounds]

In each round three files change; both keep them, in turn the one and the other first. What is stored
is what their folders grew by. Then the way back to the checkpoint of before is taken.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from ouroboros.workspace.checkpoints.restore import Restored
from ouroboros.workspace.checkpoints.rewind import Plan, begin, planned
from ouroboros.workspace.checkpoints.scan import Bounds
from ouroboros.workspace.checkpoints.shadow import Shadow, Taken

SETTLE_SECONDS = 2.2
"""Files that changed less long ago are read again, so a first look is let grow old."""


def grow(root: Path, files: int, random: Random) -> list[Path]:
    """A tree of text files, twenty in a folder."""
    words = [
        "".join(random.choices("abcdefghijklmnop", k=random.randint(3, 9))) for _ in range(3000)
    ]
    made: list[Path] = []
    for folder in range(files // 20):
        at = root / f"p{folder % 20}" / f"m{folder // 20 % 10}" / f"s{folder}"
        at.mkdir(parents=True)
        for number in range(20):
            file = at / f"f{number}.py"
            file.write_text(" ".join(random.choices(words, k=random.randint(50, 800))))
            made.append(file)
    return made


def git(root: Path, *words: str) -> None:
    """Plain Git, as a person has it but for housekeeping in the background."""
    identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "gc.auto=0"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def size(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def timed[T](job: Callable[[], T]) -> tuple[float, T]:
    """Milliseconds, and what came of it."""
    began = time.perf_counter()
    found = job()
    return (time.perf_counter() - began) * 1000, found


class Keeper:
    """Checkpoints of one tree."""

    def __init__(self, home: Path, root: Path) -> None:
        self.shadow = Shadow.opened(home, root)
        self.last = ("", "")

    def take(self) -> Taken:
        """One checkpoint."""
        taken = self.shadow.take(
            Bounds(), session="bench", message="bench", last=self.last, now=time.time()
        )
        self.last = (taken.checkpoint, taken.tree)
        return taken

    def back(self, checkpoint: str) -> Restored:
        """The whole way back, with the checkpoint of right before."""
        start = self.take().checkpoint
        with self.shadow.locked():
            changes, _ = planned(self.shadow, start, checkpoint, Bounds())
            plan = Plan(
                session="bench", checkpoint=checkpoint, start=start, excluded=(), modes=(), mark="b"
            )
            return begin(self.shadow, plan, changes)


def main(files: int, rounds: int) -> None:
    """Measures, and prints a table."""
    random = Random(1)
    with TemporaryDirectory() as folder:
        root, home = Path(folder) / "work", Path(folder) / "home"
        made = grow(root, files, random)
        git(root, "init", "-q")
        first_git, _ = timed(lambda: (git(root, "add", "-A"), git(root, "commit", "-qm", "first")))
        keeper = Keeper(home, root)
        first_ours, _ = timed(keeper.take)
        time.sleep(SETTLE_SECONDS)
        keeper.take()
        found: dict[str, list[float]] = {}

        def note(what: str, value: float) -> None:
            found.setdefault(what, []).append(value)

        def by_git() -> None:
            before = size(root / ".git" / "objects")
            note(
                "git, ms",
                timed(lambda: (git(root, "add", "-A"), git(root, "commit", "-qm", "x")))[0],
            )
            note("git, bytes", size(root / ".git" / "objects") - before)

        def by_us() -> None:
            before = keeper.shadow.library.size
            note("ours, ms", timed(keeper.take)[0])
            note("ours, bytes", keeper.shadow.library.size - before)

        for number in range(rounds):
            start = keeper.take().checkpoint
            note("nothing new, ms", timed(keeper.take)[0])
            for file in random.sample(made, 3):
                file.write_text(file.read_text() + os.urandom(4_000).hex())
            for job in (by_git, by_us) if number % 2 else (by_us, by_git):
                job()
            note("rewind, ms", timed(partial(keeper.back, start))[0])
    say(files, found, first_git, first_ours)


def say(files: int, found: dict[str, list[float]], first_git: float, first_ours: float) -> None:
    """The table."""
    middle = {what: median(values) for what, values in found.items()}
    share = middle["ours, bytes"] / middle["git, bytes"]
    rows = [
        (
            "three files changed",
            f"{middle['ours, ms']:.0f} ms",
            f"{middle['git, ms']:.0f} ms",
            "300 ms",
        ),
        ("nothing changed", f"{middle['nothing new, ms']:.0f} ms", "", ""),
        (
            "stored for it",
            f"{middle['ours, bytes']:,.0f} bytes ({share:.2f})",
            f"{middle['git, bytes']:,.0f} bytes",
            "1.20",
        ),
        ("rewind of it", f"{middle['rewind, ms']:.0f} ms", "", "500 ms"),
        ("the first of all", f"{first_ours:.0f} ms", f"{first_git:.0f} ms", ""),
    ]
    sys.stdout.write(
        f"| {files} files | checkpoint | git add and commit | aim |\n|---|---|---|---|\n"
    )
    for row in rows:
        sys.stdout.write(f"| {' | '.join(row)} |\n")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 20_000,
        int(sys.argv[2]) if len(sys.argv) > 2 else 15,
    )
