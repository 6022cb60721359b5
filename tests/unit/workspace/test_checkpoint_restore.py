"""Any tree of files becomes any other one again, to the byte, the bit and the target of a link."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from tests.unit.workspace.kept_folder import Kept, Seen, seen

pytestmark = pytest.mark.real

NAMES = [
    *("a", "A", "b.txt", "with space", "new\nline", os.fsdecode(b"\xff\xfe"), "schön", "aux"),
    *("-rf", "a\\b", ".GIT", "git~1", ".gitattributes", ".gitmodules", "*", "#c", "!d"),
    *("x" * 200, ".git", "index.lock", "tab\there", '"quoted"', "\u200b"),
]
CONTENTS = [b"", b"\0\1\2" * 50, b"line\r\nline\r\n", b"$Id$\n", b"\xef\xbb\xbfmark", b"y" * 9_000]
TARGETS = ["a", "missing", "/etc/passwd", "..", os.fsdecode(b"\xff"), "b.txt/", "."]


class Item(Struct, frozen=True):
    """A file, link or folder that is to be made."""

    mode: int = 0o755
    content: bytes | None = None
    target: str | None = None
    inside: "dict[str, Item]" = {}


FILE = st.builds(
    Item,
    mode=st.sampled_from([0o644, 0o755, 0o600, 0o444, 0o400, 0o640, 0o777, 0o4755]),
    content=st.one_of(st.sampled_from(CONTENTS), st.binary(max_size=40)),
)
LINK = st.builds(Item, target=st.sampled_from(TARGETS))
ITEM: st.SearchStrategy[Item] = st.recursive(
    st.one_of(FILE, LINK),
    lambda below: st.builds(
        Item,
        mode=st.sampled_from([0o755, 0o700, 0o555, 0o2775]),
        inside=st.dictionaries(st.sampled_from(NAMES), below, max_size=5),
    ),
    max_leaves=14,
)
TREE = st.dictionaries(st.sampled_from(NAMES), ITEM, max_size=6)


def make(folder: Path, tree: dict[str, Item]) -> None:
    """Puts a tree on the disk; what is called ``.git`` is a repository of the person's."""
    for name, item in tree.items():
        path = folder / name
        if name == ".git":
            path.mkdir(exist_ok=True)
            (path / "HEAD").write_text("ref: refs/heads/main\n")
        elif item.target is not None:
            path.symlink_to(item.target)
        elif item.content is not None:
            path.write_bytes(item.content)
            path.chmod(item.mode)
        else:
            path.mkdir()
            make(path, item.inside)
            path.chmod(item.mode)


def remove(path: Path) -> None:
    """Also folders that may not be written, which root alone may empty."""
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    for folder, _, _ in os.walk(path):
        Path(folder).chmod(0o700)
    shutil.rmtree(path)


def without_git(found: Seen) -> Seen:
    return {path: what for path, what in found.items() if ".git" not in path.split("/")}


@pytest.mark.proves("K03")
@settings(max_examples=12)
@given(first=TREE, second=TREE)
def test_some_trees_become_others_and_come_back(
    tmp_path_factory: pytest.TempPathFactory, first: dict[str, Item], second: dict[str, Item]
) -> None:
    there_and_back(tmp_path_factory.mktemp("kept"), first, second)


@pytest.mark.proves("K03")
@pytest.mark.deep
@settings(max_examples=100)
@given(first=TREE, second=TREE)
def test_any_tree_becomes_any_other_and_comes_back(
    tmp_path_factory: pytest.TempPathFactory, first: dict[str, Item], second: dict[str, Item]
) -> None:
    there_and_back(tmp_path_factory.mktemp("kept"), first, second)


def there_and_back(folder: Path, first: dict[str, Item], second: dict[str, Item]) -> None:
    kept = Kept(folder)
    root = kept.root
    make(root, first)
    was, before = seen(root), kept.take()
    for path in root.iterdir():
        if path.name != ".git":
            remove(path)
    make(root, second)
    then, after = seen(root), kept.take()
    kept.back(before.checkpoint)
    if any(".git" in path.split("/")[1:] for path in then):
        return  # a folder with somebody's repository in it is not removed: another test
    assert without_git(seen(root)) == without_git(was)
    kept.back(after.checkpoint)
    assert without_git(seen(root)) == without_git(then)
    assert kept.take().tree == after.tree
    kept.git("rev-list", "--objects", "--all")
