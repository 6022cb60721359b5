"""Plays the engine that many attacks are made on, as the superuser or a plain user; prints what came of them as JSON.

    python -m tests.sandbox.attack_engine FOLDER root|plain bare|SANDBOX

A process of its own, for the attacks send signals to whoever started the sandbox.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import anyio

from ouroboros.safety.sandbox import Unconfined
from ouroboros.safety.sandbox.starting import end_launcher
from tests.sandbox.cages import SEPARATED, cage_of
from tests.sandbox.plain_user import SYSTEM_PYTHON, become_nobody
from tests.sandbox.test_command_escapes import SECRET, Ground, ran

PARTS = ("attack_calls.py", "file_attacks.py", "many_attacks.py")
SYSTEM = (Path("/etc"), Path("/usr/local/bin"))


def program(folder: Path) -> Path:
    """The attacks, where a plain user may read them."""
    package = folder / "program" / "tests" / "sandbox"
    package.mkdir(parents=True)
    for name in PARTS:
        shutil.copyfile(Path(__file__).with_name(name), package / name)
    return folder / "program"


def attacked_by_many(folder: Path, sandbox: str) -> dict[str, object]:
    """What the program said, what is changed outside, and who was reached."""
    path = program(folder)
    ground = Ground(folder / "ground")
    try:
        where = {
            **{name: str(getattr(ground, name)) for name in ("work", "outside", "person", "home")},
            **{name: str(ground.base / name) for name in ("other", "socket", "datagrams")},
            "port": ground.port,
            "abstract": ground.abstract,
            "engine": os.getpid(),
            "victim": ground.victim.pid,
            "marks": sandbox in SEPARATED,
            "control": sandbox == "bare",
        }
        (folder / "where.json").write_text(json.dumps(where), "utf-8")
        words = (
            *("/usr/bin/env", f"PYTHONPATH={path}", sys.executable, "-sSB"),
            *("-m", "tests.sandbox.many_attacks", str(folder / "where.json")),
        )
        chosen = Unconfined() if sandbox == "bare" else cage_of(sandbox, ground.policy())
        with _listened(ground):
            said = ran(chosen.confine(words, cwd=ground.work), ground.work)
        now = ground.state()
        names = {**now, **ground.before}
        return {
            "said": said,
            "is_read": SECRET in said,
            "changed": [name for name in names if now.get(name) != ground.before.get(name)],
            "made": [str(made) for place in SYSTEM for made in place.glob("made*")],
            "is_reached": ground.received(),
            "reached": ground.reached,
        }
    finally:
        ground.close()


@contextlib.contextmanager
def _listened(ground: Ground) -> Generator[None]:
    """Takes in datagrams meanwhile, for a full queue lets a sender wait."""
    is_over = threading.Event()

    def listen() -> None:
        while not is_over.wait(0.01):
            ground.received()

    listening = threading.Thread(target=listen)
    listening.start()
    yield
    is_over.set()
    listening.join()


def main(folder: Path, who: str, sandbox: str) -> None:
    """Becomes the user first; what a plain user may not read is loaded before."""
    anyio.run(anyio.sleep, 0)
    end_launcher()  # it is the superuser's
    if who == "plain":
        become_nobody(folder)
        if not os.access(sys.executable, os.X_OK):
            sys.executable = SYSTEM_PYTHON
    signal.alarm(300)
    told = attacked_by_many(folder, sandbox)
    sys.stdout.write(json.dumps({"user": os.getuid(), "told": told}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
