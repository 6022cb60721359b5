"""Every kind of file in a checkpoint, and what a checkpoint leaves alone."""

import hashlib
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from ouroboros.workspace.checkpoints.scan import Bounds
from tests.unit.workspace.kept_folder import Kept, seen

pytestmark = pytest.mark.real


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    ran = subprocess.run(
        ["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def whole(folder: Path) -> str:
    """One hash over every name, byte and bit of a folder."""
    return hashlib.sha256(repr(sorted(seen(folder).items())).encode()).hexdigest()


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_an_ordinary_tree_has_the_name_that_git_gives_it(kept: Kept) -> None:
    (kept.root / "a" / "b").mkdir(parents=True)
    for name in ("a.txt", "a/b/c", "a/b.txt", "a-b", "z"):
        (kept.root / name).write_text(f"{name}\n")
        (kept.root / name).chmod(0o644)
    (kept.root / "z").chmod(0o755)
    (kept.root / "link").symlink_to("a/b")
    git(kept.root, "init", "-q")
    git(kept.root, "add", "-A")
    assert kept.take().tree == git(kept.root, "write-tree")


@pytest.mark.proves("K01", "CF07")
def test_a_persons_repository_is_the_same_to_the_byte(kept: Kept) -> None:
    root = kept.root
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("one\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    (root / "a.txt").write_text("stashed\n")
    git(root, "stash")
    (root / "staged.txt").write_text("staged\n")
    git(root, "add", "staged.txt")
    (root / "untracked.txt").write_text("untracked\n")
    hook = root / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {root}/hooked\n")
    hook.chmod(0o755)
    before = whole(root / ".git")
    first = kept.take()
    (root / "a.txt").write_text("two\n")
    (root / "untracked.txt").unlink()
    kept.take()
    kept.back(first.checkpoint)
    with kept.shadow.locked():
        kept.shadow.tidy()
    assert whole(root / ".git") == before
    assert (root / "untracked.txt").read_text() == "untracked\n"
    assert not (root / "hooked").exists()
    assert list(root.glob("*ouro*")) == []


@pytest.mark.proves("K03")
def test_attributes_and_filters_of_a_project_change_no_byte(kept: Kept) -> None:
    root = kept.root
    (root / ".gitattributes").write_text(
        "* text=auto eol=lf\n*.bin filter=lfs\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n"
    )
    odd = {
        "a.txt": b"a\r\nb\r\n",
        "b.bin": b"raw\0\r\n",
        "c.id": b"$Id$ x",
        "d.u16": b"\xff\xfea\0",
    }
    for name, data in odd.items():
        (root / name).write_bytes(data)
    first = kept.take()
    for name in odd:
        (root / name).unlink()
    kept.back(first.checkpoint)
    assert {name: (root / name).read_bytes() for name in odd} == odd


@pytest.mark.proves("K03")
def test_files_of_a_nested_repository_are_kept_and_its_own_git_folder_is_left_alone(
    kept: Kept,
) -> None:
    inner = kept.root / "vendor" / "lib"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    (inner / "code.py").write_text("one\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "first")
    (kept.root / "sub").mkdir()
    (kept.root / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    (kept.root / "sub" / "x").write_text("x\n")
    before, first = whole(inner / ".git"), kept.take()
    (inner / "code.py").write_text("two\n")
    (kept.root / "sub" / "x").unlink()
    kept.back(first.checkpoint)
    assert (inner / "code.py").read_text() == "one\n"
    assert (kept.root / "sub" / "x").read_text() == "x\n"
    assert whole(inner / ".git") == before
    assert (kept.root / "sub" / ".git").is_file()


def test_a_folder_with_a_repository_in_it_is_not_removed_with_its_files(kept: Kept) -> None:
    first = kept.take()
    (kept.root / "cloned").mkdir()
    git(kept.root / "cloned", "init", "-q")
    (kept.root / "cloned" / "a").write_text("a\n")
    kept.back(first.checkpoint)
    assert [path.name for path in (kept.root / "cloned").iterdir()] == [".git"]


@pytest.mark.proves("K03")
def test_a_file_beyond_the_limit_is_said_and_never_touched(tmp_path: Path) -> None:
    kept = Kept(tmp_path, Bounds(file_bytes=100))
    (kept.root / "large").write_bytes(b"x" * 101)
    (kept.root / "small").write_bytes(b"y" * 100)
    first = kept.take()
    assert first.left == {"large": "it has 101 bytes"}
    (kept.root / "large").write_bytes(b"z" * 150)
    (kept.root / "new-large").write_bytes(b"n" * 150)
    (kept.root / "small").write_bytes(b"changed")
    done = kept.back(first.checkpoint)
    assert (kept.root / "small").read_bytes() == b"y" * 100
    assert (kept.root / "large").read_bytes() == b"z" * 150
    assert (kept.root / "new-large").exists()
    assert set(done.left) == {"large", "new-large"}


def test_a_large_file_that_became_small_is_not_removed(tmp_path: Path) -> None:
    kept = Kept(tmp_path, Bounds(file_bytes=100))
    (kept.root / "log").write_bytes(b"x" * 101)
    first = kept.take()
    (kept.root / "log").write_bytes(b"short")
    kept.back(first.checkpoint)
    assert (kept.root / "log").read_bytes() == b"short"


@pytest.mark.proves("K03")
def test_pipes_and_sockets_are_passed_by_without_waiting(kept: Kept) -> None:
    os.mkfifo(kept.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(kept.root, os.O_RDONLY)
        try:
            listener.bind(f"/proc/self/fd/{here}/socket")
        finally:
            os.close(here)
        first = kept.take()
        (kept.root / "a").write_text("a")
        kept.back(first.checkpoint)
        assert sorted(path.name for path in kept.root.iterdir()) == ["pipe", "socket"]


def test_what_stands_where_a_file_was_and_is_not_kept_is_left(kept: Kept) -> None:
    (kept.root / "a").write_text("a")
    first = kept.take()
    (kept.root / "a").unlink()
    os.mkfifo(kept.root / "a")
    done = kept.back(first.checkpoint)
    assert (kept.root / "a").is_fifo()
    assert done.left == {"a": "something is there that is not kept"}


@pytest.mark.proves("K03")
def test_ignored_files_are_left_out_and_left_alone(kept: Kept) -> None:
    root = kept.root
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / "build").mkdir()
    (root / "build" / "out").write_text("old\n")
    (root / "a.log").write_text("old\n")
    first = kept.take()
    (root / "build" / "out").write_text("new\n")
    (root / "a.log").unlink()
    (root / "b.txt").write_text("b\n")
    kept.back(first.checkpoint)
    assert (root / "build" / "out").read_text() == "new\n"
    assert not (root / "a.log").exists()
    assert not (root / "b.txt").exists()


@pytest.mark.proves("K06")
def test_a_file_that_was_ignored_then_is_not_removed_as_new(kept: Kept) -> None:
    root = kept.root
    (root / ".gitignore").write_text("*.log\nout/\n")
    (root / "mine.log").write_text("mine\n")
    (root / "out").mkdir()
    (root / "out" / "x").write_text("mine\n")
    first = kept.take()
    (root / ".gitignore").write_text("")
    kept.take()
    done = kept.back(first.checkpoint)
    assert (root / ".gitignore").read_text() == "*.log\nout/\n"
    assert (root / "mine.log").read_text() == (root / "out" / "x").read_text() == "mine\n"
    assert {"mine.log", "out"} == set(done.left)


def test_a_file_is_not_ignored_for_the_folder_that_was_there(kept: Kept) -> None:
    (kept.root / ".gitignore").write_text("out/\n")
    (kept.root / "out").mkdir()
    kept.take()
    (kept.root / "out").rmdir()
    (kept.root / "out").write_text("one")
    first = kept.take()
    (kept.root / "out").write_text("two")
    kept.back(first.checkpoint)
    assert (kept.root / "out").read_text() == "one"


def test_a_kept_file_that_is_ignored_later_stays_kept(kept: Kept) -> None:
    (kept.root / "a.log").write_text("one\n")
    kept.take()
    (kept.root / ".gitignore").write_text("*.log\n")
    middle = kept.take()
    (kept.root / "a.log").write_text("two\n")
    assert kept.take().is_new
    kept.back(middle.checkpoint)
    assert (kept.root / "a.log").read_text() == "one\n"


def test_the_settings_say_what_is_kept_and_left_out_besides(tmp_path: Path) -> None:
    kept = Kept(tmp_path, Bounds(keep=(".env",), skip=("node_modules/",)))
    (kept.root / ".gitignore").write_text(".env\n.env.local\n")
    (kept.root / "node_modules").mkdir()
    for name in (".env", ".env.local", "node_modules/x"):
        (kept.root / name).write_text("old")
    first = kept.take()
    for name in (".env", ".env.local", "node_modules/x"):
        (kept.root / name).write_text("new!")
    kept.back(first.checkpoint)
    found = [(kept.root / name).read_text() for name in (".env", ".env.local", "node_modules/x")]
    assert found == ["old", "new!", "new!"]


def test_ignore_files_above_the_folder_count_as_for_git(tmp_path: Path) -> None:
    (tmp_path / "work" / "below").mkdir(parents=True)
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("/work/x.txt\n*.tmp\n")
    (tmp_path / ".git" / "info").mkdir(exist_ok=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("private\n")
    kept = Kept(tmp_path)
    for name in ("x.txt", "below/x.txt", "a.tmp", "private", "ok"):
        (kept.root / name).write_text("x")
    first = kept.take()
    names = kept.git("ls-tree", "-r", "--name-only", first.checkpoint).split()
    assert names == ["below/x.txt", "ok"]


@pytest.mark.proves("K03")
def test_a_change_of_case_alone_is_taken_back(kept: Kept) -> None:
    (kept.root / "Readme").write_text("one\n")
    first = kept.take()
    (kept.root / "Readme").rename(kept.root / "README")
    kept.back(first.checkpoint)
    assert [path.name for path in kept.root.iterdir()] == ["Readme"]


def test_files_folders_and_links_change_places(kept: Kept) -> None:
    root = kept.root
    (root / "a").mkdir()
    (root / "a" / "x").write_text("x")
    (root / "b").write_text("b")
    (root / "c").symlink_to("b")
    was, first = seen(root), kept.take()
    shutil.rmtree(root / "a")
    (root / "a").symlink_to("/etc")
    (root / "b").unlink()
    (root / "b").mkdir()
    (root / "b" / "y").write_text("y")
    (root / "c").unlink()
    (root / "c").write_text("c")
    then, second = seen(root), kept.take()
    kept.back(first.checkpoint)
    assert seen(root) == was
    kept.back(second.checkpoint)
    assert seen(root) == then


def test_a_link_in_the_way_leads_nothing_out(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("theirs")
    (kept.root / "a").mkdir()
    (kept.root / "a" / "x").write_text("ours")
    first = kept.take()
    (kept.root / "a" / "x").unlink()
    kept.take()

    def swap(step: str) -> None:
        if step == "put":
            (kept.root / "a").rename(tmp_path / "aside")
            (kept.root / "a").symlink_to(outside)

    done = kept.back(first.checkpoint, step=swap)
    assert (outside / "x").read_text() == "theirs"
    assert set(done.left) == {"a/x"}


@pytest.mark.parametrize("moment", ["put", "put a"])
def test_a_file_that_is_changed_in_the_last_moment_stays(kept: Kept, moment: str) -> None:
    (kept.root / "a").write_text("one")
    first = kept.take()
    (kept.root / "a").write_text("two")

    def meddle(step: str) -> None:
        if step == moment:
            (kept.root / "a").write_text("the person's")

    done = kept.back(first.checkpoint, step=meddle)
    assert {path.name: path.read_text() for path in kept.root.iterdir()} == {"a": "the person's"}
    assert done.left == {"a": "it was changed meanwhile"}


def test_a_new_file_that_is_changed_in_the_last_moment_is_not_removed(kept: Kept) -> None:
    first = kept.take()
    (kept.root / "a").write_text("two")

    def meddle(step: str) -> None:
        if step == "remove a":
            (kept.root / "a").write_text("the person's")

    done = kept.back(first.checkpoint, step=meddle)
    assert (kept.root / "a").read_text() == "the person's"
    assert done.left == {"a": "it was changed meanwhile"}


def test_excluded_paths_stay_as_they_are(kept: Kept) -> None:
    first = kept.take()
    (kept.root / "d").mkdir()
    (kept.root / "d" / "mine").write_text("mine")
    (kept.root / "ours").write_text("ours")
    kept.back(first.checkpoint, excluded=("d/mine",))
    assert set(seen(kept.root)) == {"d", "d/mine"}


@pytest.mark.proves("K13")
def test_nothing_new_makes_no_commit_and_a_change_costs_its_own_size(kept: Kept) -> None:
    for number in range(300):
        (kept.root / f"f{number}").write_bytes(os.urandom(2_000))
    first = kept.take()
    assert not kept.take().is_new
    size = kept.shadow.library.size
    assert kept.take().checkpoint == first.checkpoint
    (kept.root / "f7").write_bytes(os.urandom(100_000))
    kept.take()
    grown = kept.shadow.library.size - size
    # The tree of 300 names is written anew, as Git would.
    assert 100_000 < grown < 100_000 * 1.2


def test_a_change_within_one_tick_of_the_clock_is_seen(kept: Kept) -> None:
    file = kept.root / "a"
    file.write_bytes(b"one")
    first = kept.take()
    times = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert kept.take().tree != first.tree


def test_our_own_home_inside_of_the_folder_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    kept = Kept(tmp_path)
    inner = kept.root / "home"
    inner.mkdir()
    (inner / "keys.toml").write_text("secret")
    kept.bounds = Bounds(apart=(inner,))
    first = kept.take()
    assert kept.git("ls-tree", "-r", "--name-only", first.checkpoint) == ""
