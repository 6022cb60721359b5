"""Applies one plan in many folders, each time killed at another thing that it does to the disk.

Run as a program: ``FOLDER STEP [one-name]``; with the last word the disk gives a file one name only. In ``FOLDER/NUMBER`` a folder ``work`` and its journal are left by the
process that was killed at that thing. Prints how many things there were.
"""

import errno
import os
import signal
import sys
from pathlib import Path

from ouroboros.workspace.artifacts.dogs.applying import apply
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Folder

EVENTS = {"open", "os.link", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod"}
BUNDLE = b"""--- File: changed.txt ---
```diff
-as it was
+as it shall be
```
--- Delete File: gone/deep/a.txt ---
--- Delete File: folder/b.txt ---
--- Delete File: file ---
--- New File: folder ---
```
a file where a folder was
```
--- New File: file/below ---
```
below what was a file
```
--- Rename File: old.sh -> new/place.sh ---
--- New File: new/other.txt ---
```
new
```
"""


def lay_out(root: Path) -> None:
    for folder in ("gone/deep", "folder", "kept"):
        (root / folder).mkdir(parents=True)
    for name in ("changed.txt", "gone/deep/a.txt", "folder/b.txt", "file", "kept/k.txt"):
        (root / name).write_text("as it was\n")
    (root / "old.sh").write_text("echo\n")
    (root / "old.sh").chmod(0o750)


def attempt(place: Path, at: int, *, one_name: bool) -> int:
    """Applies in a fresh folder; killed at the ``at``-th thing, or else how many there were."""
    root = place / "work"
    lay_out(root)
    made = plan(read(BUNDLE), Folder(root))
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if one_name and event == "os.link":
            raise OSError(errno.EPERM, "Operation not permitted")
        if event in EVENTS:
            count += 1
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    apply(made, root, journal=place / "journal")
    return count


def main() -> None:
    folder, step = Path(sys.argv[1]), int(sys.argv[2])
    one_name = "one-name" in sys.argv
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, str(attempt(folder / "whole", 0, one_name=one_name)).encode())
        os._exit(0)
    os.close(writing)
    os.wait()
    total = int(os.read(reading, 20))
    for at in range(1, total + 1, step):
        if os.fork() == 0:
            attempt(folder / str(at), at, one_name=one_name)
            os._exit(1)
        os.wait()
    print(total)


if __name__ == "__main__":
    main()
