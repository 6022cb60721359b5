"""Files come back exactly as they were, whatever they are and whatever happened to them."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.workspace.checkpoints.faults import CheckpointFailed, CheckpointLost
from ouroboros.workspace.checkpoints.scan import Bounds
from ouroboros.workspace.checkpoints.shadow import Shadow
from tests.unit.workspace.kept_folder import Kept, seen

NAMES = [
    *(b"a", b"A", b"b.txt", b"with space", b"new\nline", b"\xff\xfe", "schön".encode()),
    *(b"-rf", b"a\\b", b".GIT", b"git~1", b".gitattributes", b".gitmodules", b"*", b"#c", b"!d"),
    *(b"aux", b"x" * 200, b".git", b"index.lock", b"tab\there", b'"quoted"', "\u200b".encode()),
]
CONTENTS = [b"", b"\0\1\2" * 50, b"line\r\nline\r\n", b"$Id$\n", b"\xef\xbb\xbfmark", b"y" * 9_000]
LEAF = st.one_of(
    st.tuples(
        st.just("file"),
        st.sampled_from([0o644, 0o755, 0o600, 0o444, 0o400, 0o640, 0o777, 0o4755]),
        st.one_of(st.sampled_from(CONTENTS), st.binary(max_size=40)),
    ),
    st.tuples(
        st.just("link"),
        st.just(0),
        st.sampled_from([b"a", b"missing", b"/etc/passwd", b"..", b"\xff", b"b.txt/", b"."]),
    ),
)
TREE = st.recursive(
    LEAF,
    lambda below: st.tuples(
        st.just("folder"),
        st.sampled_from([0o755, 0o700, 0o555, 0o2775]),
        st.dictionaries(st.sampled_from(NAMES), below, max_size=5),
    ),
    max_leaves=14,
)
ROOT = st.dictionaries(st.sampled_from(NAMES), TREE, max_size=6)


def make(folder: bytes, tree: object) -> None:
    """Puts a tree on the disk; where a name is ``.git`` a whole repository of the person's."""
    assert isinstance(tree, dict)
    for name, (kind, mode, inside) in tree.items():
        path = os.path.join(folder, name)
        if name == b".git":
            os.mkdir(path)
            Path(os.fsdecode(path), "HEAD").write_text("ref: refs/heads/main\n")
        elif kind == "folder":
            os.mkdir(path)
            make(path, inside)
            os.chmod(path, mode)
        elif kind == "link":
            os.symlink(inside, path)
        else:
            with open(path, "wb") as file:
                file.write(inside)
            os.chmod(path, mode)


def without_git(found: dict[bytes, tuple[str, int, bytes]]) -> dict[bytes, tuple[str, int, bytes]]:
    return {path: what for path, what in found.items() if b".git" not in path.split(b"/")}


@given(first=ROOT, second=ROOT)
def test_any_tree_becomes_any_other_and_comes_back(
    tmp_path_factory: pytest.TempPathFactory, first: object, second: object
) -> None:
    kept = Kept(tmp_path_factory.mktemp("kept"))
    root = os.fsencode(kept.root)
    make(root, first)
    was, before = seen(kept.root), kept.take()
    for name in os.listdir(root):
        path = os.path.join(root, name)
        if name == b".git":
            continue
        os.remove(path) if os.path.islink(path) or os.path.isfile(path) else shutil.rmtree(path)
    assert isinstance(second, dict)
    make(root, {name: what for name, what in second.items() if not os.path.lexists(os.path.join(root, name))})
    then = seen(kept.root)
    after = kept.take()
    # A folder that has somebody's repository in it is not removed with it.
    nested = {path.rpartition(b"/.git")[0] for path in {*was, *then} if b"/.git" in path}
    inside = {path for path in {*was, *then} if any(path == top or top.startswith(path + b"/") for top in nested)}
    kept.back(before.checkpoint)
    expected, found = without_git(was), without_git(seen(kept.root))
    if not inside:
        assert found == expected
        kept.back(after.checkpoint)
        assert without_git(seen(kept.root)) == without_git(then)
        assert kept.take().tree == after.tree
    kept.git("rev-list", "--objects", "--all")
