"""Instruction files: which ones count, in which order, and how much of them."""

from pathlib import Path

import pytest

from ouroboros.agent.context.instructions import SEPARATOR, gather, project_root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "sub" / "deep").mkdir(parents=True)
    return root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.mark.proves("J13", "codex-15.2")
def test_the_root_comes_before_the_nearest(project: Path, home: Path) -> None:
    (project / "AGENTS.md").write_text("root\n")
    (project / "sub" / "AGENTS.md").write_text("sub\n")
    found = gather(project / "sub" / "deep", home, 32_768)
    assert found.text == "root\n\nsub"
    assert found.files == (project / "AGENTS.md", project / "sub" / "AGENTS.md")


@pytest.mark.proves("J13", "codex-15.1", "divergences-names-of-instruction-files")
@pytest.mark.parametrize(
    ("present", "chosen"),
    [
        (("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"), "AGENTS.override.md"),
        (("AGENTS.md", "CLAUDE.md"), "AGENTS.md"),
        (("CLAUDE.md", "GEMINI.md"), "CLAUDE.md"),
        (("GEMINI.md",), "GEMINI.md"),
    ],
)
def test_a_folder_has_one_file(
    project: Path, home: Path, present: tuple[str, ...], chosen: str
) -> None:
    for name in present:
        (project / name).write_text(name)
    assert gather(project, home, 32_768).text == chosen


@pytest.mark.proves("codex-15.4")
def test_a_file_above_the_project_is_not_read(project: Path, home: Path) -> None:
    (project.parent / "AGENTS.md").write_text("above")
    assert gather(project / "sub", home, 32_768).text == ""


def test_without_a_project_only_the_folder_counts(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "plain" / "sub"
    folder.mkdir(parents=True)
    (folder.parent / "AGENTS.md").write_text("parent")
    (folder / "AGENTS.md").write_text("here")
    assert project_root(folder) == folder
    assert gather(folder, home, 32_768).text == "here"


@pytest.mark.proves("J13", "codex-15.3")
def test_the_budget_cuts_one_file_and_leaves_out_the_rest(project: Path, home: Path) -> None:
    (project / "AGENTS.md").write_text("r" * 40_960)
    (project / "sub" / "AGENTS.md").write_text("sub")
    found = gather(project / "sub", home, 32_768)
    assert found.text == "r" * 32_768
    assert len(found.warnings) == 1
    assert gather(project / "sub", home, 0).text == ""


@pytest.mark.proves("codex-15.5")
def test_folders_blank_files_and_bad_bytes_are_passed_over(project: Path, home: Path) -> None:
    (project / "AGENTS.override.md").mkdir()
    (project / "AGENTS.md").write_text("  \n")
    (project / "CLAUDE.md").write_bytes(b"caf\xe9")
    found = gather(project, home, 32_768)
    assert found.text == "caf\ufffd"
    assert "not valid UTF-8" in found.warnings[0]


def test_the_persons_own_file_comes_first_and_is_not_counted(project: Path, home: Path) -> None:
    (home / "AGENTS.md").write_text("mine")
    (project / "AGENTS.md").write_text("ours")
    assert gather(project, home, 4).text == f"mine{SEPARATOR}ours"
