"""Becomes a user without rights, in a process of its own, and tells whether others of that user see into it.

    python -m tests.sandbox.plain_user FOLDER

The superuser is refused nothing, so what he is kept from proves little about anybody else. Prints JSON.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

from ouroboros.safety.sandbox import Unconfined, begin

NOBODY = 100_000 + os.getpid()
"""A user of whom there is no other process, so that limits and numbers are this one's."""
_SET_DUMPABLE = 4
SYSTEM_PYTHON = "/usr/bin/python3"
"""What a plain user can start where the tests' own Python lies in the superuser's home."""


def become_nobody(folder: Path) -> None:
    """Gives the folder away, and everything else up; who is nobody special already stays that."""
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    # A change of user closes a process to others; one that began as this user is open.
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 1, 0, 0, 0)
    os.environ["HOME"] = str(folder)


def look(folder: Path) -> str:
    """What a command without any cage sees of us, the first time that one is started."""
    own = f"/proc/{os.getpid()}"
    text = (
        f"cat {own}/environ; head -c 1 {own}/mem; ls {own}/fd; readlink {own}/cwd {own}/exe; id -u"
    )
    process = begin(
        Unconfined().confine(("/bin/sh", "-c", text), cwd=folder),
        cwd=folder,
        environment={"PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return process.communicate(timeout=120)[0].decode("utf-8", "replace")


if __name__ == "__main__":
    become_nobody(Path(sys.argv[1]))
    sys.stdout.write(json.dumps({"user": os.getuid(), "told": look(Path(sys.argv[1]))}))
