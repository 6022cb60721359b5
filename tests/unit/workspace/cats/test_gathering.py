"""Which files a bundle is made of: names, globs, ignore files, and what is never taken."""

import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ouroboros.core.errors import Misuse
from ouroboros.workspace.artifacts.cats.contents import Left, content
from ouroboros.workspace.artifacts.cats.gather import Gathered, Wish, gather
from tests.cases import every

pytestmark = pytest.mark.real

TREE = (
    *("README.md", "src/app.py", "src/deep/util.py", "src/deep/data.json", "tests/test_app.py"),
    *("node_modules/x/index.js", "src/__pycache__/app.pyc", ".git/config", ".env", "logs/run.log"),
    *("cats.md", ".hidden/note.md", "build/out.txt"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name in TREE:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n")
    return folder


def found(root: Path, *paths: str, at: str = "", **changed: Any) -> Gathered:
    wish = Wish(root=root, cwd=root / at, paths=paths or (".",))
    return gather(replace(wish, **changed))


def names(root: Path, *paths: str, at: str = "", **changed: Any) -> list[str]:
    return [file.path for file in found(root, *paths, at=at, **changed).files]


@pytest.mark.proves("L03")
def test_a_folder_is_taken_without_caches_and_own_outputs(root: Path) -> None:
    assert names(root) == sorted((
        *("README.md", "src/app.py", "src/deep/util.py", "src/deep/data.json"),
        *("tests/test_app.py", ".env", "logs/run.log", ".hidden/note.md", "build/out.txt"),
    ))
    every = names(root, has_defaults=False)
    assert "node_modules/x/index.js" in every
    assert "cats.md" in every
    assert ".git/config" not in every


@pytest.mark.proves("L01")
@every(
    ("paths", "at", "expected"),
    [
        (("src/app.py",), "", ["src/app.py"]),
        (("app.py",), "src", ["src/app.py"]),
        (("../README.md", "deep"), "src", ["README.md", "src/deep/data.json", "src/deep/util.py"]),
        (("*.py",), "src", ["src/app.py"]),
        (("**/*.py",), "", ["src/app.py", "src/deep/util.py", "tests/test_app.py"]),
        (("src/**/*.{py,json}",), "", ["src/app.py", "src/deep/data.json", "src/deep/util.py"]),
        (("../t*",), "src", ["tests/test_app.py"]),
        (
            ("src", "src/app.py", "./src//deep/.."),
            "",
            ["src/app.py", "src/deep/data.json", "src/deep/util.py"],
        ),
        (("node_modules/x/index.js",), "", ["node_modules/x/index.js"]),
        (("node_modules/x",), "", ["node_modules/x/index.js"]),
    ],
)
def test_files_folders_and_globs_are_paths_below_the_root(
    root: Path, paths: tuple[str, ...], at: str, expected: list[str]
) -> None:
    assert names(root, *paths, at=at) == expected


@pytest.mark.proves("L06", "divergences-names-in-bundles")
@every(
    ("paths", "why"),
    [
        (("nope.py",), "there is no 'nope.py'"),
        (("src/ap.py",), "did you mean app.py?"),
        (("**/*.rs",), "nothing fits '**/*.rs'"),
        (("../..",), "lies outside of the project"),
        (("/etc/passwd",), "lies outside of the project"),
        (("/etc/*",), "leads out of the project"),
        (("../../*.py",), "leads out of the project"),
        (("",), "names no file"),
        (("a\0b",), "names no file"),
    ],
)
def test_a_path_that_cannot_be_meant_is_told(root: Path, paths: tuple[str, ...], why: str) -> None:
    with pytest.raises(Misuse) as told:
        found(root, *paths)
    assert why in told.value.message


@pytest.mark.proves("L02")
@every(
    ("patterns", "gone"),
    [
        (("*.py",), {"src/app.py", "src/deep/util.py", "tests/test_app.py"}),
        (("src/deep",), {"src/deep/util.py", "src/deep/data.json"}),
        (("deep/",), {"src/deep/util.py", "src/deep/data.json"}),
        (("/src",), {"src/app.py", "src/deep/util.py", "src/deep/data.json"}),
        (("**/data.*",), {"src/deep/data.json"}),
        (("*.md", "logs"), {"README.md", ".hidden/note.md", "logs/run.log"}),
    ],
)
def test_what_is_excluded_is_out_whoever_names_it(
    root: Path, patterns: tuple[str, ...], gone: set[str]
) -> None:
    every = set(names(root))
    assert every - set(names(root, exclude=patterns)) == gone
    assert not gone & set(names(root, *every, exclude=patterns))


@pytest.mark.proves("L02")
def test_a_pattern_counts_from_the_folder_it_was_written_in_too(root: Path) -> None:
    assert "src/deep/util.py" not in names(root, at="src", exclude=("deep/util.py",))


@pytest.mark.proves("L03", "divergences-files-of-a-project")
def test_ignore_files_are_read_as_git_reads_them(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\nbuild/\n!src/deep/\n/tests\n")
    (root / "src/.gitignore").write_text("*.json\n!data.json\nutil.*\n")
    (root / "src/deep/.gitignore").write_text("!util.py\n")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"],
        cwd=_repository(root),
        capture_output=True,
        check=True,
    )
    known = {name.decode() for name in listed.stdout.split(b"\0") if name}
    theirs = {name for name in known if "node_modules" not in name and "pycache" not in name}
    assert set(names(root)) == theirs - {"cats.md"}
    assert "build/out.txt" not in theirs
    assert "src/deep/util.py" in theirs


def _repository(root: Path) -> Path:
    (root / ".git/config").unlink()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@pytest.mark.proves("L03")
def test_our_own_ignore_file_goes_before_the_others_and_can_be_turned_off(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n")
    (root / ".pawsignore").write_text("!run.log\n/src/deep/\n.pawsignore\n.gitignore\n")
    (root / "src/.pawsignore").write_text("app.py\n")
    assert "logs/run.log" in names(root)
    assert "src/deep/util.py" not in names(root)
    assert "src/app.py" in names(root)
    (root / ".pawsignore").unlink()
    assert "logs/run.log" not in names(root)
    assert "logs/run.log" in names(root, is_ignoring=False)


@pytest.mark.proves("L03")
def test_our_own_output_is_never_part_of_it(root: Path) -> None:
    (root / "context.txt").write_text("old\n")
    (root / ".context.txt.0123.cats-part").write_text("half\n")
    os.link(root / "context.txt", root / "same.txt")
    listed = names(root, has_defaults=False, own=(root / "context.txt",))
    assert not {"context.txt", "same.txt", ".context.txt.0123.cats-part"} & set(listed)


@pytest.mark.proves("paws-bad-bundles-in")
def test_what_is_no_file_is_left_out_and_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("outside\n")
    (root / "out").symlink_to(tmp_path)
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "loop").symlink_to(".")
    os.mkfifo(root / "pipe")
    (root / "bad\nname").write_text("x")
    (root / os.fsdecode(b"\xff.txt")).write_text("x")
    (root / "back\\slash").write_text("x")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(root / "socket"))
        listed = found(root)
    assert not {file.path for file in listed.files} & set(listed.left)
    assert listed.left["link.txt"] == "it is a link"
    assert listed.left["pipe"] == "it is no regular file"
    assert "socket" in listed.left
    assert "control characters" in listed.left["bad\nname"]
    assert "no valid Unicode" in listed.left["\udcff.txt"]
    assert "backslash" in listed.left["back\\slash"]
    assert not any(name.startswith(("out/", "loop/")) for name in (*listed.left, *names(root)))


@pytest.mark.proves("L06")
def test_a_link_that_is_named_stands_for_its_target_inside_and_is_refused_outside(
    root: Path, tmp_path: Path
) -> None:
    (root / "inside").symlink_to("src/app.py")
    (root / "outside").symlink_to(tmp_path)
    (root / "dangling").symlink_to("nowhere")
    assert names(root, "inside") == ["src/app.py"]
    with pytest.raises(Misuse, match="lies outside of the project"):
        found(root, "outside")
    with pytest.raises(Misuse, match="neither a file nor a folder"):
        found(root, "dangling")


@pytest.mark.proves("paws-bad-bundles-in")
def test_a_link_that_is_put_in_the_way_later_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/util.py").write_text("outside\n")
    (root / "src/deep").rename(root / "src/moved")
    (root / "src/deep").symlink_to(tmp_path / "deep")
    with pytest.raises(Left, match="link"):
        content(root, "src/deep/util.py")
    (root / "big").write_bytes(bytes(100))
    os.mkfifo(root / "pipe")
    for path, why in {"big": "100 bytes", "pipe": "regular", "gone": "went away"}.items():
        with pytest.raises(Left, match=why):
            content(root, path, most=99)


@pytest.mark.proves("paws-bad-bundles-in")
def test_a_file_that_is_written_to_while_it_is_read_is_told() -> None:
    found = content(Path("/proc"), "uptime")  # it has no size, and always something in it
    assert found.is_torn
    assert found.data
