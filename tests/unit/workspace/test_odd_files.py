"""Files that are huge, special, linked or oddly encoded, through the tools and the patch engine."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from ouroboros.core.errors import ToolFailed
from ouroboros.workspace import files, pages
from ouroboros.workspace.diff import unified
from ouroboros.workspace.files import bytes_of, opened, write_atomic
from ouroboros.workspace.patch import Disk, apply_patch, parse, verify
from ouroboros.workspace.replacement import Replacement
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real


def patched(folder: Path, *hunks: str) -> str:
    body = "\n".join(("*** Begin Patch", *hunks, "*** End Patch"))
    return apply_patch(parse(body), folder, Disk()).failure


def refused(folder: Path, *hunks: str) -> str:
    body = "\n".join(("*** Begin Patch", *hunks, "*** End Patch"))
    with pytest.raises(ToolFailed) as failed:
        verify(parse(body), folder, Disk())
    return failed.value.message


def test_a_file_that_moves_onto_itself_by_another_name_stays(tmp_path: Path):
    (tmp_path / "a").write_text("old\n")
    (tmp_path / "self").symlink_to(".")
    assert not patched(tmp_path, "*** Update File: a", "*** Move to: self/a", "@@", "-old", "+new")
    assert (tmp_path / "a").read_text() == "new\n"


@every(
    ("hunk", "why"),
    [
        ("*** Add File: folder", "is not a regular file"),
        ("*** Add File: file/x", "is a file"),
        ("*** Add File: new/x", "is a file"),
    ],
)
def test_a_patch_that_cannot_be_written_is_refused_before_its_first_write(
    tmp_path: Path, hunk: str, why: str
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x\n")
    assert why in refused(tmp_path, "*** Add File: new", "+x", hunk, "+x")


def test_a_file_may_give_way_to_a_folder_of_its_name(tmp_path: Path):
    (tmp_path / "a").write_text("x\n")
    hunks = ("*** Delete File: a", "*** Add File: a/b", "+y")
    verify(parse("\n".join(("*** Begin Patch", *hunks, "*** End Patch"))), tmp_path, Disk())
    assert not patched(tmp_path, *hunks)
    assert (tmp_path / "a/b").read_text() == "y\n"


@every(
    ("before", "after"),
    [
        (b"a\r\nb", b"X\r\nb\r\n"),
        (b"a\r\nb\r\n", b"X\r\nb\r\n"),
        (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfX\nb\n"),
        (b"a", b"X\n"),
    ],
)
def test_line_ends_and_a_byte_order_mark_survive_a_patch(
    tmp_path: Path, before: bytes, after: bytes
):
    (tmp_path / "a").write_bytes(before)
    assert not patched(tmp_path, "*** Update File: a", "@@", "-a", "+X")
    assert (tmp_path / "a").read_bytes() == after


def test_what_is_too_large_is_not_read(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"a\n")
    os.truncate(tmp_path / "a", 3 << 30)
    with pytest.raises(ToolFailed, match="over 10485760 bytes"):
        bytes_of(tmp_path / "a")
    assert "over 10485760" in patched(tmp_path, "*** Update File: a", "@@", "-a", "+X")


def test_a_page_of_a_sparse_file_is_found_without_reading_all_of_it(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"a\n" * 5000)
    os.truncate(tmp_path / "a", 1 << 40)
    assert pages.page(tmp_path / "a", 4999, None, scan_bytes=10**6).startswith(
        "4999\ta\n5000\ta\n["
    )
    with pytest.raises(ToolFailed, match=r"line 9000 .* is beyond 1000000 bytes; use shell"):
        pages.page(tmp_path / "a", 9000, None, scan_bytes=10**6)


def test_a_huge_file_of_another_encoding_is_refused(tmp_path: Path):
    (tmp_path / "a").write_bytes("a\n".encode("utf-16"))
    os.truncate(tmp_path / "a", 3 << 30)
    with pytest.raises(ToolFailed, match="use shell with iconv"):
        pages.page(tmp_path / "a", 1, None)


def test_a_pipe_that_takes_a_files_place_does_not_block(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ToolFailed, match="is not a regular file"):
        opened(tmp_path / "pipe")


async def test_an_edit_that_would_grow_without_bound_is_refused(tmp_path: Path):
    (tmp_path / "a").write_text("a" * 100_000)
    change = Replacement(old_text="a", new_text="b" * 200, replace_all=True)
    result = await Spine(tmp_path).call(
        "edit", path="a", old_text=change.old_text, new_text=change.new_text, replace_all=True
    )
    assert "would grow to 20000000 characters; the limit is 10485760" in text_of(result)
    assert (tmp_path / "a").stat().st_size == 100_000


def test_a_diff_of_many_equal_lines_is_cheap_and_whole():
    before, after = "a\nb\n" * 700, "b\na\nc\n" * 480
    lines = unified(before, after, "x").splitlines()[3:]
    assert {line[0] for line in lines} == {"+", "-"}
    assert [line[1:] for line in lines if line[0] != "+"] == before.splitlines()
    assert [line[1:] for line in lines if line[0] != "-"] == after.splitlines()


def test_owner_and_mode_are_kept_but_no_special_rights(tmp_path: Path):
    path = tmp_path / "a"
    path.write_text("old")
    if os.geteuid() == 0:
        os.chown(path, 1234, 1234)
    path.chmod(0o4755)
    before = path.stat()
    write_atomic(path, b"new")
    after = path.stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert stat.S_IMODE(after.st_mode) == 0o755


def test_the_longest_name_can_be_written(tmp_path: Path):
    name = "😀" * 63 + "abc"
    write_atomic(tmp_path / name, b"x")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert files.load(tmp_path / name).text == "x"


@pytest.mark.proves("sessions-diffs")
@every("end", ["\f", "\r", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_diff_counts_lines_as_git_does(tmp_path: Path, end: str):
    old, new = f"one{end}two\nthree\nfour{end}", f"one{end}2\nthree\nfour{end}five"
    for name, text in (("old", old), ("new", new)):
        (tmp_path / name).write_bytes(text.encode())
    command = ["git", "diff", "--no-index", "--text", "old", "new"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout.decode()
    hunks = said[said.index("@@") :]
    assert unified(old, new, "a").split("\n", 2)[2] == hunks
