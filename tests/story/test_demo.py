"""The demo as a person runs it: a process of its own, real tools, real files, a real log."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from dirty_equals import IsFloat, IsStr

from ouroboros.store import resume
from ouroboros.store.sessions import list_sessions
from tests import forked
from tests.cases import every


def demo(tmp_path: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return ouro(tmp_path, "demo", *words, **extra)


def ouro(tmp_path: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        **extra,
    }
    return forked.run(
        [sys.executable, "-I", "-m", "ouroboros", *words],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )


@pytest.mark.proves("spine-commands")
def test_the_demo_mends_a_failing_test_and_leaves_nothing(tmp_path: Path) -> None:
    ended = demo(tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.splitlines()[0].startswith("Demo: the model's words come from a script")
    assert ended.stdout.startswith("The tests pass.")
    assert "Checked apart from the agent: the tests pass." in ended.stderr
    assert "Continue with" not in ended.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.deep
@pytest.mark.proves("spine-commands", "D28")
def test_a_kept_demo_has_its_change_and_every_event_on_disk_and_its_calls_can_be_asked_for(
    tmp_path: Path,
) -> None:
    ended = demo(tmp_path, "--keep")
    assert ended.returncode == 0, ended.stderr
    (folder,) = tmp_path.glob("ouro-demo-*")
    diff = forked.run(
        ["git", "diff", "-U0"], cwd=folder / "parcel", capture_output=True, text=True, check=True
    ).stdout
    assert "+        if grams <= limit:" in diff
    (session,) = list_sessions(folder / "home")
    events = resume.read(folder / "home", session.id).envelopes
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[-1].type == "task.completed"
    assert f"{len(events)} events are in the log" in ended.stderr
    asked = ouro(tmp_path, "sessions", "calls", "last", "--json", OUROBOROS_HOME=f"{folder}/home")
    made = msgspec.json.decode(asked.stdout)
    assert [(each["tool"], each["status"]) for each in made] == [
        ("update_plan", "done"),
        ("ls", "done"),
        ("read", "done"),
        ("shell", "failed"),
        ("grep", "done"),
        ("read", "done"),
        ("edit", "done"),
        ("shell", "done"),
        ("update_plan", "done"),
    ]
    assert made[6] == {
        "id": IsStr(),
        "session": IsStr(regex="ses_.*"),
        "started": IsFloat(),
        "tool": "edit",
        "arguments": IsStr(regex=r'\{"path":"parcel.py".*'),
        "status": "done",
        "result": IsStr(regex="Edited parcel.py.*"),
        "seconds": IsFloat(),
        "blob": "",
    }


@pytest.mark.deep
@every("terminal", ["dumb", "xterm-256color"])
def test_the_demo_without_git_says_what_to_do(tmp_path: Path, terminal: str) -> None:
    programs = tmp_path.with_name(
        f"{tmp_path.name}-programs"
    )  # what the folder itself holds counts for nothing
    programs.mkdir()
    ended = demo(tmp_path, PATH=str(programs), TERM=terminal)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the demo needs git, and there is none on PATH" in ended.stderr
    assert "hint: install git" in ended.stderr
