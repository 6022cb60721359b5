"""Opens the latest session of a folder, takes its latest turn back if told so, and dies where it is told to.

Usage: undo_driver HOME WORK SCRIPT WHAT [WHERE], with WHAT ``undo``, ``redo`` or ``look``. WHERE is a
type of event, on whose being shown it dies, or a slash and the name of a file, before whose being renamed
or removed it dies.
"""

import os
import signal
import sys
from pathlib import Path

import anyio

from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings
from ouroboros.core.commands import Redo, Undo
from ouroboros.core.events import Envelope


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def watch(wanted: str) -> None:
    """A name that ends with a point or a dash is a beginning."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        old = arguments[0] if event in {"os.rename", "os.remove"} else None
        if not isinstance(old, str | bytes | Path):
            return
        name = Path(os.fsdecode(old)).name
        if name == wanted or (wanted[-1] in ".-" and name.startswith(wanted)):
            die()

    sys.addaudithook(hook)


async def main(home: Path, work: Path, script: str, what: str, where: str) -> None:
    settings = Settings(model=f"script:{script}", mode="full-auto")
    engine = Ouroboros(
        settings, home=home, environment={"PATH": os.environ["PATH"], "HOME": str(home)}
    )
    async with engine.open(cwd=work, latest=True) as session:
        is_ready = anyio.Event()

        def hear(envelope: Envelope) -> None:
            if envelope.type == where:
                die()
            is_ready.set()

        session.listen(hear)
        await is_ready.wait()
        for warning in session.warnings:
            print(warning, flush=True)
        match what:
            case "undo":
                await session.send(Undo(foreign="overwrite"))
            case "redo":
                await session.send(Redo(foreign="overwrite"))
            case _:
                pass


if __name__ == "__main__":
    place = sys.argv[5] if len(sys.argv) > 5 else ""
    if place.startswith("/"):
        watch(place[1:])
    anyio.run(main, Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4], place)
