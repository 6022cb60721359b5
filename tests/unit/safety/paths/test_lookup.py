"""Whether a bare name runs the program of the system, as a shell finds it."""

import os
from pathlib import Path

import pytest

from ouroboros.safety.commands.classify import classify
from ouroboros.safety.paths import Places
from tests.cases import every


def program(place: Path, *, mode: int = 0o755) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("#!/bin/sh\n", encoding="utf-8")
    place.chmod(mode)
    return place


def kind(text: str, work: Path, *search: str, written: tuple[Path, ...] = ()) -> tuple[str, str]:
    places = Places(roots=(work,), search=(*search, *os.defpath.split(":")), written=written)
    found = classify(text, cwd=work, places=places.resolved())
    return found.kind, found.rule


SAFE, ASKED = ("safe", "safe.read"), ("approve", "ask.path")


@pytest.mark.proves("E09")
@every("folder", [".venv/bin", "node_modules/.bin", "bin"])
@every(
    "text", ["ls", "cat a | ls", "ls && git log", "timeout 5 ls", 'bash -c "ls"', "grep x a; ls"]
)
def test_a_program_that_the_workspace_holds_is_not_the_systems(
    tmp_path: Path, folder: str, text: str
) -> None:
    first = tmp_path / folder
    assert kind(text, tmp_path, str(first)) == SAFE
    program(first / "ls")
    assert kind(text, tmp_path, str(first)) == ASKED
    assert kind("cat a", tmp_path, str(first)) == SAFE
    assert kind("echo ls", tmp_path, str(first)) == SAFE


def test_what_comes_after_the_systems_program_is_never_found(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "ls")
    places = Places(roots=(tmp_path,), search=("/usr/bin", "/bin", str(tmp_path / "bin"), "."))
    assert classify("ls", cwd=tmp_path, places=places.resolved()).kind == "safe"


@pytest.mark.proves("E09")
@every("entry", ["", ".", "bin", "./node_modules/.bin"])
def test_a_folder_that_moves_with_the_command_may_hold_anything(tmp_path: Path, entry: str) -> None:
    assert kind("ls", tmp_path, entry) == ASKED
    assert kind("pwd", tmp_path, entry) == SAFE
    assert kind("timeout 5 pwd", tmp_path, entry) == ASKED


def test_links_and_other_folders_that_commands_write_count(tmp_path: Path) -> None:
    work, other, outside = tmp_path / "work", tmp_path / "other", tmp_path / "outside"
    work.mkdir()
    program(work / "mine")
    outside.mkdir()
    (outside / "ls").symlink_to(work / "mine")
    assert kind("ls", work, str(outside)) == ASKED
    program(other / "ls")
    assert kind("ls", work, str(other)) == SAFE
    assert kind("ls", work, str(other), written=(other,)) == ASKED


def test_what_a_shell_would_not_run_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "a" / "ls", mode=0o644)
    (tmp_path / "b" / "ls").mkdir(parents=True)
    (tmp_path / "c").write_text("no folder")
    folders = [str(tmp_path / name) for name in "abcd"]
    assert kind("ls", tmp_path, *folders) == SAFE


def test_one_part_of_several_is_asked_about_even_where_a_rule_allows_the_other(
    tmp_path: Path,
) -> None:
    program(tmp_path / "bin" / "ls")
    places = Places(roots=(tmp_path,), search=(str(tmp_path / "bin"), "/usr/bin", "/bin"))
    found = classify("npm test && ls", cwd=tmp_path, places=places.resolved())
    assert found.kinds == ("approve", "approve")
