"""A project that brings programs of its own on PATH: no helper of ours is one of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.safety.environment import SYSTEM_PATH, apart
from tests import forked

NAMES = [
    "rg",
    "git",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "brave-browser",
    "perl",
    "bash",
    "sh",
    "env",
    "setsid",
    "sudo",
    "apt-get",
    "xdg-open",
    "x-www-browser",
    "wl-paste",
    "xclip",
    "pngpaste",
    "ssh",
    "gpg",
    "dirname",
    "uname",
    "ls",
    "readlink",
    "basename",
    "grep",
    "sed",
    "cat",
    "ollama",
    "python3",
    "git-remote-file",
    "git-upload-pack",
]

FINDS: list[dict[str, object]] = [
    {
        "tool_calls": [
            {"id": "1", "name": "grep", "arguments": {"pattern": "needle"}},
            {"id": "2", "name": "find", "arguments": {"pattern": "*.txt"}},
            {"id": "3", "name": "list", "arguments": {"path": "."}},
        ]
    },
    {"text": "Found."},
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with an environment that is active, and ways into it from outside."""
    made = tmp_path / "project"
    (made / "sub").mkdir(parents=True)
    (made / "a.txt").write_text("needle\n")
    (made / "sub" / "b.txt").write_text("needle\n")
    for words in (
        ("init", "-q", "-b", "main"),
        ("-c", "user.name=x", "-c", "user.email=x@x", "add", "a.txt"),
        ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "first"),
    ):
        subprocess.run(["git", *words], cwd=made, check=True)
    programs = made / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in NAMES:
        (programs / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {tmp_path}/ran\nexit 1\n')
        (programs / name).chmod(0o755)
    (tmp_path / "linked").symlink_to(programs)
    return made


STARTS = {
    "doctor": ("doctor", "--json"),
    "browser": ("browser", "doctor", "--json"),
    "searches": ("run", "--mode", "full-auto", "--model", "{script}", "Look."),
    "work session": ("paws", "session", "start", "--name", "one"),
    "review": ("review", "--commit", "HEAD", "--model", "echo"),
    "repository": ("repo", "add", "file://{folder}/project"),
    "bundle": ("cats", ".", "-o", "{folder}/out.md"),
}


@pytest.mark.deep
@pytest.mark.proves("sandbox-helper-programs")
@pytest.mark.parametrize("where", ["", "sub"])
def test_no_helper_of_ours_comes_from_the_project(
    tmp_path: Path, project: Path, where: str
) -> None:
    turns = tmp_path / "turns.json"
    turns.write_text("".join(f"{json.dumps(turn)}\n" for turn in FINDS))
    entries = (
        str(project / ".venv/bin"),
        str(tmp_path / "linked"),
        ".venv/bin",
        "",
        os.environ["PATH"],
    )
    environment = {
        "PATH": os.pathsep.join(entries),
        "HOME": str(tmp_path / "person"),
        "OUROBOROS_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
        "DISPLAY": ":99",
    }
    (tmp_path / "person").mkdir()
    told: dict[str, str] = {}
    for name, words in STARTS.items():
        given = [each.format(script=f"script:{turns}", folder=tmp_path) for each in words]
        done = forked.run(
            [sys.executable, "-m", "ouroboros", *given],
            cwd=project / where,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        ran = tmp_path / "ran"
        told[name] = ran.read_text() if ran.exists() else ""
        ran.unlink(missing_ok=True)
        assert (name, done.returncode) in {(name, 0), ("doctor", 1)}, done.stderr
    assert {name: said for name, said in told.items() if said} == {}


@pytest.mark.proves("sandbox-helper-programs")
def test_what_is_left_of_path_is_never_nothing_and_never_the_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, project = tmp_path / "person", tmp_path / "person" / "project"
    (project / ".git").mkdir(parents=True)
    (home / ".git").mkdir()
    (home / "plain").mkdir()
    system = "/usr/bin:/bin"
    own = f"{home}/.local/bin"

    def left(path: str, cwd: Path, here: Path = Path("/usr/lib")) -> str:
        monkeypatch.chdir(here)
        return apart({"PATH": path, "HOME": str(home)}, cwd)["PATH"]

    assert left(system, Path("/")) == left(system, project, Path("/")) == system
    assert left(f"{own}:{system}", project) == f"{own}:{system}"
    # A home that is a repository of settings makes no project of all that is in it.
    assert left(f"{own}:{system}", home / "plain") == f"{own}:{system}"
    assert left(f"{own}:{system}", home) == system
    for path in ("", ":", ".", f"{project}/bin", f"{project}/.venv/bin:.:", "relative/bin"):
        assert left(path, project) == SYSTEM_PATH, path
    assert left(f"{project}/bin:{system}", project / "sub") == system
    assert left(f"{project}/bin:{system}", tmp_path, project) == system
