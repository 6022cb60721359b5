"""The clock jumps, the folder is renamed or gone, the disk of the settings is full: told, and lived with."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import anyio
import pytest
import time_machine

from ouroboros.llm.turns import Turn
from ouroboros.store import resume
from ouroboros.store.sessions import list_sessions
from tests import forked
from tests.faults import faulted, oracle
from tests.faults.faulted import Fault
from tests.small_disk import fill, mounted
from tests.story.stage import call, stage

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 29, 1, 59, 58, tzinfo=BERLIN)
"""Two seconds before the hour that does not exist."""

JUMPS = {
    "back a day": timedelta(days=-1),
    "back ten years": timedelta(days=-3650),
    "forward ten years": timedelta(days=3650),
    "into summer time": timedelta(seconds=3),
    "out of summer time": timedelta(days=210, hours=1),
}


async def acts(tmp_path: Path, number: int, *, latest: bool) -> None:
    shell = call("shell", command=f"echo {number} >> ../effects")
    turns = [Turn(tool_calls=(shell, call("ls"))), Turn(text=f"Done {number}.")]
    async with stage(tmp_path, turns, latest=latest, check=False) as s:
        with anyio.fail_after(60):
            assert (await s.run(f"Do {number}.")).final == f"Done {number}."


@pytest.mark.deep
@pytest.mark.proves("sessions-faults")
@pytest.mark.parametrize(
    "jump",
    [pytest.param(each, marks=() if each == "back a day" else pytest.mark.deep) for each in JUMPS],
)
async def test_a_clock_that_jumps_between_and_within_runs_is_lived_with(
    tmp_path: Path, jump: str
) -> None:
    with time_machine.travel(NOW, tick=True) as traveller:
        await acts(tmp_path, 0, latest=False)
        traveller.move_to(NOW + JUMPS[jump])
        await acts(tmp_path, 1, latest=True)
        traveller.move_to(NOW)
        await acts(tmp_path, 2, latest=True)
    home = tmp_path / "home"
    sessions, wrong = await anyio.to_thread.run_sync(oracle.on_disk, home)
    ((name, kept),) = sessions.items()
    assert wrong + oracle.of_log([], kept) + oracle.of_calls(kept, is_over=True) == []
    assert oracle.of_effects(tmp_path / "effects", kept) == []
    assert len({envelope.id for envelope in kept}) == len(kept)
    (listed,) = await anyio.to_thread.run_sync(list_sessions, home)
    assert (listed.id, listed.status, listed.turns) == (name, "idle", 6)
    assert (await anyio.to_thread.run_sync(resume.read, home, name)).warnings == ()


def ouro(cwd: Path, home: Path, *words: str, before: tuple[str, ...] = ()) -> tuple[int, str]:
    done = forked.run(
        [*before, sys.executable, "-I", "-m", "ouroboros", *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), "OUROBOROS_HOME": str(home)},
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.deep
@pytest.mark.proves("sessions-faults")
@pytest.mark.parametrize("change", ["deleted", pytest.param("renamed", marks=pytest.mark.deep)])
def test_a_session_whose_folder_is_gone_says_so_in_one_line(tmp_path: Path, change: str) -> None:
    folder, home = tmp_path / "work", tmp_path / "store"
    folder.mkdir()
    assert ouro(folder, home, "run", "--model", "echo", "hi")[0] == 0
    if change == "renamed":
        folder.rename(tmp_path / "elsewhere")
    else:
        folder.rmdir()
    (session,) = list_sessions(home)
    before = resume.read(home, session.id).envelopes
    code, told = ouro(tmp_path, home, "run", "--resume", session.id, "--model", "echo", "on")
    assert oracle.of_telling(code, told) == []
    assert str(folder) in told
    assert resume.read(home, session.id).envelopes[: len(before)] == before
    folder.mkdir()
    code, told = ouro(tmp_path, home, "run", "--resume", session.id, "--model", "echo", "on")
    assert (code, str(folder) in told) == (0, False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", mebibytes=1) as disk:
        yield disk


SET = ("config", "set", "limits.max_turns")


@pytest.mark.deep
@pytest.mark.proves("sessions-faults")
def test_settings_are_as_before_when_the_disk_is_full(tmp_path: Path, small_disk: Path) -> None:
    assert ouro(tmp_path, small_disk, *SET, "7")[0] == 0
    settings = small_disk / "config.toml"
    settings.write_bytes(settings.read_bytes() + b"# my own words\n" * 400)
    before, there = settings.read_bytes(), sorted(small_disk.iterdir())
    fill(small_disk / "ballast")
    code, told = ouro(tmp_path, small_disk, *SET, "8")
    assert code == 1
    assert oracle.of_telling(code, told) == []
    assert "No space left" in told
    assert settings.read_bytes() == before
    (small_disk / "ballast").unlink()
    assert sorted(small_disk.iterdir()) == there
    assert ouro(tmp_path, small_disk, *SET, "8")[0] == 0
    assert settings.read_bytes() == before.replace(b"7", b"8")


@pytest.mark.proves("sessions-faults")
@pytest.mark.parametrize(
    "calls",
    [
        "rename",
        pytest.param("write", marks=pytest.mark.deep),
        pytest.param("fsync", marks=pytest.mark.deep),
    ],
)
def test_settings_are_old_or_new_when_saving_them_is_killed(tmp_path: Path, calls: str) -> None:
    faulted.needs_strace()
    home = tmp_path / "home" / "store"
    assert ouro(tmp_path, home, *SET, "7")[0] == 0
    settings = home / "config.toml"
    before = settings.read_bytes()
    fault = Fault(where="saving", calls=calls, how="signal=KILL", at="1")
    words = tuple(faulted.injected(fault, home.parent))
    assert ouro(tmp_path, home, *SET, "8", before=words)[0] == -9
    assert settings.read_bytes() in (before, before.replace(b"7", b"8"))
    assert ouro(tmp_path, home, *SET, "9")[0] == 0
    assert settings.read_bytes() == before.replace(b"7", b"9")
