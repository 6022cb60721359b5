"""The folder of a run is renamed or deleted while it works: it is told, nothing is lost, and it can go on."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.events import Envelope, ToolResulted
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.faults import faulted, oracle
from tests.faults.faulted import Ended
from tests.story.stage import call


def turns() -> list[Turn]:
    """The folder goes while the first command waits; then all that works with files is tried."""
    goes = "[ -e went ] || ! [ -e effects ]"
    waits = f"echo 0 >> effects; until {goes}; do sleep 0.05; done"
    after = (
        call("shell", command="echo 1 >> effects"),
        call("write", path="new", content="n"),
        call("ls", path="."),
    )
    return [
        Turn(text="I begin.", tool_calls=(call("shell", command=waits),)),
        Turn(text="I go on.", tool_calls=after),
        Turn(text="All done."),
        Turn(text="It is gone."),
        Turn(text="It is back.", tool_calls=(call("write", path="back", content="b"),)),
        Turn(text="Written."),
    ]


def renamed(folder: Path) -> Path:
    left = folder.rename(folder.with_name("elsewhere"))
    (left / "went").touch()
    return left


def deleted(folder: Path) -> Path:
    shutil.rmtree(folder)
    return folder


def begun(
    server: ScriptedServer, cwd: Path, home: Path, *, go: Callable[[Path], Path]
) -> tuple[Ended, Path]:
    faulted.fresh(cwd)
    process = faulted.begun(faulted.command(server.url, "Do it."), cwd, home)
    deadline = time.monotonic() + faulted.SECONDS
    while not (cwd / "effects").exists():
        assert process.poll() is None, (home / "err").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    left = go(cwd)
    return faulted.ended(process, home), left


@pytest.mark.proves("sessions-faults-folder")
@pytest.mark.deep
@pytest.mark.parametrize("go", [renamed, deleted])
async def test_a_folder_that_goes_during_a_run_is_told_and_nothing_is_lost(
    tmp_path: Path, go: Callable[[Path], Path]
) -> None:
    cwd, home = tmp_path / "work", tmp_path / "home"
    async with serving(turns(), order="history") as server:
        first, left = await to_thread.run_sync(lambda: begun(server, cwd, home, go=go))
        assert (first.code, first.told) == (0, "")
        name, kept = the_one(home)
        assert oracle.of_log(first.seen, kept) + oracle.of_calls(kept, is_over=True) == []
        ends = [e.data.status for e in kept if isinstance(e.data, ToolResulted)]
        assert ends == ["done", "failed", "failed", "failed"]
        (told,) = [
            e.data.text for e in kept if isinstance(e.data, Logged) and str(cwd) in e.data.text
        ]
        assert "renamed or deleted while the session was open" in told
        assert not cwd.exists()
        if go is renamed:
            assert oracle.of_effects(left / "effects", kept) == []
        words = faulted.command(server.url, "--resume", name, "And now?")
        again = await to_thread.run_sync(faulted.ran, words, tmp_path, home)
        assert again.code == 0
        assert again.told.count(str(cwd)) == 1
        _, after = the_one(home)
        assert after[: len(kept)] == kept
        assert oracle.of_log(again.seen, after) == []
        left.rename(cwd) if go is renamed else cwd.mkdir()
        whole = await to_thread.run_sync(
            faulted.ran, faulted.command(server.url, "--resume", name, "On."), cwd, home
        )
        assert (whole.code, whole.told) == (0, "")
        assert (tmp_path / "back").read_text() == "b"  # it stays where it went on
        assert oracle.of_processes(home) == []


def the_one(home: Path) -> tuple[str, list[Envelope]]:
    sessions, wrong = oracle.on_disk(home / "store")
    assert wrong == []
    (found,) = sessions.items()
    return found
