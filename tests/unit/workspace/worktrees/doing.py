"""Does one thing with a session, as a process that can be killed: FOLDER, VERB, ID, then words."""

import os
import sys
from pathlib import Path

import anyio

from ouroboros.app.paws.sessions import Sessions


async def do(folder: Path, verb: str, session_id: str, words: list[str]) -> None:
    sessions = await Sessions.at(folder, os.environ)
    match verb:
        case "start":
            await sessions.start(name="second")
        case "checkpoint":
            await sessions.checkpoint(session_id, *words)
        case "rewind":
            await sessions.rewind(session_id, *words)
        case "merge":
            await sessions.merge(session_id, squash="--squash" in words)
        case "archive":
            await sessions.archive(session_id)
        case "delete":
            await sessions.delete(session_id, force="--force" in words)
        case "resume":
            await sessions.resume(session_id)
        case _:
            raise ValueError(verb)


if __name__ == "__main__":
    Path(os.environ["VICTIM"]).write_text(str(os.getpid()), "utf-8")
    anyio.run(do, Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
