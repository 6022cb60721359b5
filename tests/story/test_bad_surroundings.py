"""The program in places that are full, odd or broken: words and an exit code, never a trace."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import forked
from tests.cases import every
from tests.small_disk import mounted


def ouro(cwd: Path, *arguments: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    return forked.run(
        [sys.executable, "-m", "ouroboros", *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OUROBOROS_HOME": str(home or cwd / "home")},
        check=False,
    )


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", mebibytes=1) as disk:
        yield disk


@pytest.mark.proves("spine-bad-input")
def test_a_full_home_is_blamed_and_not_the_output(tmp_path: Path, small_disk: Path) -> None:
    home = small_disk / "home"
    first = ouro(tmp_path, "run", "--model", "echo", "hi", home=home)
    assert first.returncode == 0
    with pytest.raises(OSError, match="No space"):
        (small_disk / "ballast").write_bytes(b"0" * 2_000_000)
    again = ouro(tmp_path, "run", "--model", "echo", "hi", home=home)
    assert (again.returncode, again.stdout) == (1, "")
    assert f"{home}/" in again.stderr
    assert "hint: " in again.stderr


@pytest.mark.deep
@every("kind", ["folder", "loop", "pipe", "device"])
def test_settings_that_are_no_file_are_not_passed_over(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    settings = home / "config.toml"
    match kind:
        case "folder":
            settings.mkdir()
        case "loop":
            settings.symlink_to("config.toml")
        case "pipe":
            os.mkfifo(settings)
        case _:
            settings.symlink_to("/dev/zero")
    done = ouro(tmp_path, "run", "--model", "echo", "hi")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{settings} cannot be read: " in done.stderr
    assert "hint: " in done.stderr


@pytest.mark.deep
@every("kind", ["absent", "dangling", "empty"])
def test_settings_that_are_not_there_are_none(tmp_path: Path, kind: str) -> None:
    (tmp_path / "home").mkdir()
    if kind == "dangling":
        (tmp_path / "home" / "config.toml").symlink_to("nowhere.toml")
    if kind == "empty":
        (tmp_path / "home" / "config.toml").write_bytes(b"")
    assert ouro(tmp_path, "run", "--model", "echo", "hi").stdout == "hi\n"


@pytest.mark.deep
def test_a_clone_whose_settings_are_no_file_does_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / ".ouroboros" / "config.toml").mkdir(parents=True)
    os.mkfifo(tmp_path / ".env")
    done = ouro(tmp_path, "run", "--model", "echo", "hi")
    assert (done.returncode, done.stdout) == (0, "hi\n")


@pytest.mark.deep
def test_a_folder_whose_name_is_no_text_is_continued(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9\n")
    folder.mkdir()
    home = tmp_path / "home"
    assert ouro(folder, "run", "--model", "echo", "hi", home=home).stdout == "hi\n"
    again = ouro(folder, "run", "--model", "echo", "--continue", "more", home=home)
    assert (again.returncode, again.stdout) == (0, "more\n")
    assert len(ouro(folder, "sessions", "list", home=home).stdout.splitlines()) == 1


@pytest.mark.deep
def test_tools_work_in_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    calls = [
        {"name": "shell", "arguments": {"command": "echo x > by-shell"}},
        {"name": "write", "arguments": {"path": "by-write", "content": "x"}},
        {"name": "grep", "arguments": {"pattern": "x"}},
    ]
    script = tmp_path / "turns.jsonl"
    script.write_text(json.dumps({"text": "", "tool_calls": calls}) + '\n{"text": "end"}\n')
    arguments = ("run", "--model", f"script:{script}", "--mode", "full-auto", "go")
    done = ouro(folder, *arguments, home=tmp_path / "home")
    assert (done.returncode, done.stdout) == (0, "end\n")
    assert {path.name for path in folder.iterdir()} == {"by-shell", "by-write"}
    assert "by-shell:1:x" in done.stderr


@pytest.mark.deep
@pytest.mark.proves("spine-bad-input")
def test_a_folder_that_vanishes_in_a_run_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    remove = {"name": "shell", "arguments": {"command": f"rmdir '{folder}'"}}
    script = tmp_path / "turns.jsonl"
    script.write_text(
        "".join(json.dumps({"text": "", "tool_calls": [remove]}) + "\n" for _ in range(2))
        + '{"text": "end"}\n'
    )
    # In a cage with namespaces the workspace is mounted, and cannot be removed.
    bare = ("--mode", "full-auto", "--sandbox", "danger-full-access")
    arguments = ("run", "--model", f"script:{script}", *bare, "go")
    done = ouro(folder, *arguments, home=tmp_path / "home")
    assert (done.returncode, done.stdout) == (0, "end\n")
    assert done.stderr.count(f"the folder '{folder}' was renamed or deleted") == 1


@pytest.mark.deep
@every("command", [["run", "--model", "echo", "hi", "--resume"], ["export"]])
def test_a_session_name_that_is_no_text_is_unknown(tmp_path: Path, command: list[str]) -> None:
    ouro(tmp_path, "run", "--model", "echo", "hi")
    done = ouro(tmp_path, *command, os.fsdecode(b"ses_\xff"))
    assert done.returncode == 2
    assert "there is no session" in done.stderr


@pytest.mark.deep
@every("output", [">/dev/full", ">&-"])
@every("words", ["--version", "--help", "run --model echo hi", "sessions list"])
def test_an_output_that_takes_nothing_is_named(tmp_path: Path, output: str, words: str) -> None:
    if words == "sessions list":
        ouro(tmp_path, "run", "--model", "echo", "hi")
    done = forked.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -m ouroboros {words} {output}"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        env={**os.environ, "OUROBOROS_HOME": str(tmp_path / "home")},
        check=False,
    )
    if output == ">&-" and words in {"--help", "sessions list"}:
        assert "Traceback" not in done.stderr
        return
    assert done.returncode == 1
    assert "output" in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr
