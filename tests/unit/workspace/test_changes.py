"""The net change of files, held to git's own words where git is there to ask."""

import os
import subprocess
from pathlib import Path

import pytest

from ouroboros.app.review.changes import parse
from ouroboros.workspace.changes import DIFF_CHARS, LARGEST_BYTES, Changes

pytestmark = pytest.mark.real


@pytest.fixture
def changes(tmp_path: Path) -> Changes:
    return Changes(tmp_path)


@pytest.mark.proves("A27")
def test_two_edits_are_one_change_and_none_is_nothing(tmp_path: Path, changes: Changes) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\n")
    for text in ("one\n2\nthree\n", "one\n2\n3\n"):
        changes.touch([file])
        file.write_text(text)
    assert changes.diff() == (
        "diff --git a/a.txt b/a.txt\n"
        f"index {named(b'one\ntwo\nthree\n')}..{named(b'one\n2\n3\n')} 100644\n"
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n"
    )
    file.write_text("one\ntwo\nthree\n")
    assert changes.diff() == ""


@pytest.mark.proves("codex-22.1", "codex-22.2", "codex-22.3")
def test_added_and_deleted_again_is_nothing(tmp_path: Path, changes: Changes) -> None:
    changes.touch([tmp_path / "new"])
    (tmp_path / "new").write_text("x")
    (tmp_path / "new").unlink()
    assert changes.diff() == ""


@pytest.mark.proves("codex-22.1", "codex-22.2", "codex-22.3")
def test_changed_and_moved_is_one_rename_from_the_first_text(
    tmp_path: Path, changes: Changes
) -> None:
    old, new = tmp_path / "old.py", tmp_path / "deep" / "new.py"
    old.write_text("a\nb\nc\nd\n")
    changes.touch([old])
    old.write_text("a\nb\nc\nD\n")
    changes.touch([old, new])
    new.parent.mkdir()
    old.rename(new)
    lines = changes.diff().splitlines()
    assert lines[:3] == [
        "diff --git a/old.py b/deep/new.py",
        "rename from old.py",
        "rename to deep/new.py",
    ]
    assert lines[4:6] == ["--- a/old.py", "+++ b/deep/new.py"]
    assert lines[-2:] == ["-d", "+D"]


@pytest.mark.proves("A27")
def test_modes_links_binaries_and_large_files(tmp_path: Path, changes: Changes) -> None:
    script, link = tmp_path / "run", tmp_path / "link"
    binary, large = tmp_path / "x.bin", tmp_path / "large"
    script.write_text("x\n")
    link.symlink_to("run")
    binary.write_bytes(b"\0\1")
    large.write_bytes(b"a" * (LARGEST_BYTES + 1))
    changes.touch([script, link, binary, large])
    script.chmod(0o755)
    link.unlink()
    link.symlink_to("other")
    binary.write_bytes(b"\0\2")
    large.write_bytes(b"b" * (LARGEST_BYTES + 1))
    os.utime(large, (1, 1))
    text = changes.diff()
    assert "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n" in text
    assert "-run\n\\ No newline at end of file\n+other\n" in text
    assert "Binary files a/x.bin and b/x.bin differ\n" in text
    assert "Binary files a/large and b/large differ\n" in text


@pytest.mark.proves("A27", "divergences-diff-of-a-turn")
def test_git_takes_the_diff_back_and_forth(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "same").write_text("kept\n")
    (tree / "gone").write_text("bye\n")
    (tree / "edited").write_text("".join(f"{n}\n" for n in range(50)))
    (tree / "moved").write_text("".join(f"m{n}\n" for n in range(9)))
    odd = ("new\nline", 'a "b" \\ \x1b', "a tab\t", "a b", "é", "x\ndiff --git a b")
    (tree / odd[0]).write_text("gone\n")
    changes = Changes(tree)
    changes.touch(
        tree / name for name in ("same", "gone", "edited", "moved", "made", "to", "empty", *odd)
    )
    before = {path.name: path.read_bytes() for path in tree.iterdir()}
    (tree / "gone").unlink()
    (tree / "edited").write_text("".join(f"{n}\n" for n in range(1, 51)) + "no end")
    (tree / "moved").rename(tree / "to")
    (tree / "made").write_text("here\n")
    (tree / "empty").write_text("")
    (tree / odd[0]).rename(tree / odd[1])
    for name in odd[2:]:
        (tree / name).write_text("odd\n")
    patch = tmp_path / "patch"
    patch.write_text(changes.diff())
    assert {file.path for file in parse(changes.diff())} == {
        *("gone", "edited", "to", "made", "empty", *odd[1:]),
    }
    subprocess.run(["git", "apply", "-R", str(patch)], cwd=tree, check=True)
    assert {path.name: path.read_bytes() for path in tree.iterdir()} == before


@pytest.mark.proves("A27", "K04")
def test_paths_outside_folders_and_much_are_told(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    changes = Changes(root)
    names = [tmp_path / "out", *(root / f"f{n}" for n in range(4)), root / "folder"]
    changes.touch(names)
    (root / "folder").mkdir()
    for path in names[:-1]:
        path.write_text("x" * (DIFF_CHARS // 3) + "\n")
    (root / "f3").write_text("short\n")
    text = changes.diff()
    assert len(text) < DIFF_CHARS + 200
    last = text.splitlines()[-1]
    assert last.startswith("[the changes of 2 more files are too large to show: f2, ")
    assert last.endswith("/out]")
    assert "+short\n" in text
    assert "b/folder" not in text


def named(data: bytes) -> str:
    """As git names a file of this content."""
    command = ["git", "hash-object", "--stdin"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode()[:40]
