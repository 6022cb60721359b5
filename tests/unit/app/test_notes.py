"""Notes of a person: into which file they go, and that nothing else in it changes."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.agent.context.instructions import NOTES, gather
from ouroboros.app import notes
from ouroboros.core.errors import ConfigBroken, Misuse, StoreFailed

pytestmark = pytest.mark.real


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "sub").mkdir()
    return root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def add(text: str, place: notes.Place, cwd: Path, home: Path) -> notes.Added:
    return notes.add(text, place, cwd, home, limit=32_768)


@pytest.mark.proves("J13")
def test_each_place_has_its_file_and_all_are_read(project: Path, home: Path) -> None:
    sub = project / "sub"
    assert add("for all", "project", sub, home).file == project / "AGENTS.md"
    assert add("for me", "user", sub, home).file == home / "AGENTS.md"
    local = add("for me here", "local", sub, home).file
    assert local.parent == home / "notes"
    assert add("more", "local", sub, home).file == local
    found = gather(sub, home, 32_768)
    assert found.text.startswith("- for me\n\n--- project-doc ---\n\n- for all")
    assert found.text.endswith(f"{NOTES}\n\n- for me here\n- more")
    assert found.files == (home / "AGENTS.md", project / "AGENTS.md", local)
    assert found.project == str(project / "AGENTS.md")
    assert local.stat().st_mode & 0o777 == 0o600


def test_notes_of_one_project_are_not_told_in_another(project: Path, home: Path) -> None:
    add("here only", "local", project, home)
    other = project.parent / "deep" / "project"
    (other / ".git").mkdir(parents=True)
    assert gather(other, home, 32_768).text == ""


@pytest.mark.proves("J13")
@pytest.mark.parametrize("name", ["AGENTS.override.md", "CLAUDE.md"])
def test_a_note_goes_to_the_file_that_counts(project: Path, home: Path, name: str) -> None:
    (project / name).write_text("\n\n\nold words\n")
    if name != "CLAUDE.md":
        (project / "AGENTS.md").write_text("hidden\n")
    assert add("new", "project", project, home).file.name == name
    assert (project / name).read_text() == "\n\n\nold words\n\n- new\n"
    assert gather(project, home, 32_768).text.endswith("old words\n\n- new")


@pytest.mark.proves("J13")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "- x y\n"),
        ("text", "text\n\n- x y\n"),
        ("- a\n", "- a\n- x y\n"),
        ("* a", "* a\n- x y\n"),
        ("- a\n\n", "- a\n\n\n- x y\n"),
        ("a\r\nb\r\n", "a\r\nb\r\n\r\n- x y\r\n"),
        ("\ufeffa\n", "\ufeffa\n\n- x y\n"),
    ],
)
def test_what_is_there_stays_to_the_byte(
    project: Path, home: Path, before: str, after: str
) -> None:
    file = project / "AGENTS.md"
    file.write_bytes(before.encode())
    file.chmod(0o664)
    add("  x\n  y ", "project", project, home)
    assert file.read_bytes() == after.encode()
    assert file.stat().st_mode & 0o777 == 0o664


@pytest.mark.proves("J13")
def test_a_link_out_of_the_project_is_not_written_through(project: Path, home: Path) -> None:
    outside = project.parent / ".bashrc"
    outside.write_text("alias ls=ls\n")
    (project / "AGENTS.md").symlink_to(outside)
    with pytest.raises(Misuse, match="link out of the project"):
        add("rm -rf ~", "project", project, home)
    assert outside.read_text() == "alias ls=ls\n"


def test_what_cannot_be_noted_is_said(project: Path, home: Path) -> None:
    with pytest.raises(Misuse, match="nothing to note"):
        add("   ", "local", project, home)
    (project / "AGENTS.md").write_bytes(b"\xff\xfea\x00")
    with pytest.raises(ConfigBroken, match="not UTF-8"):
        add("x", "project", project, home)
    home.write_text("no folder", encoding="utf-8")
    with pytest.raises(StoreFailed, match="cannot be written"):
        add("x", "local", project, home)


def test_a_file_that_is_longer_than_what_is_read_is_named(project: Path, home: Path) -> None:
    (project / "AGENTS.md").write_text("x" * 50)
    assert notes.add("y", "project", project, home, limit=100).warning == ""
    assert "only 40 are read" in notes.add("z", "project", project, home, limit=40).warning


def test_the_first_instructions_are_asked_for_once(project: Path) -> None:
    task = notes.first_instructions(project / "sub", improve=False)
    assert task.startswith(f"Write the file AGENTS.md at the root of this project, {project}:")
    assert "{" not in task
    (project / "CLAUDE.md").write_text("x")
    with pytest.raises(Misuse, match=r"CLAUDE\.md is there already"):
        notes.first_instructions(project, improve=False)
    better = notes.first_instructions(project, improve=True)
    assert "edits of CLAUDE.md; do not write it anew" in better


@pytest.mark.deep
@pytest.mark.proves("J13")
def test_notes_of_several_chats_at_once_are_all_there(project: Path, home: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ouroboros.app import notes\n"
        "for n in range(20):\n"
        "    notes.add(f'{sys.argv[3]}-{n}', 'local', Path(sys.argv[1]), Path(sys.argv[2]), limit=9**9)"
    )
    chats = [
        subprocess.Popen([sys.executable, "-c", code, str(project), str(home), name])
        for name in "abc"
    ]
    assert [chat.wait(60) for chat in chats] == [0, 0, 0]
    lines = notes.file_of("local", project, home).read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(f"- {name}-{n}" for name in "abc" for n in range(20))


@pytest.mark.proves("J13")
def test_a_note_on_a_full_disk_leaves_the_old_ones(home: Path, project: Path) -> None:
    add("old", "local", project, home)
    kept = notes.file_of("local", project, home)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(StoreFailed, match="cannot be written"):
            add("x" * 4_000, "local", project, home)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert kept.read_text(encoding="utf-8") == "- old\n"
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
