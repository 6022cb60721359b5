"""Files that others change, swap or hold in odd encodings while a model writes them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.paths.beneath import open_folder, open_plain, walk_plain
from ouroboros.workspace.files import decoded, write_atomic
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real

CHINESE = "第一行\n第二行 abc\n改这里\n"


async def changed_by_others(path: Path, text: str) -> None:
    await anyio.Path(path).write_text(text)


@pytest.mark.proves("D05")
async def test_a_file_that_others_changed_since_it_was_read_is_not_overwritten(tmp_path: Path):
    path = tmp_path / "a"
    path.write_text("one\n")
    spine = Spine(tmp_path)
    await spine.call("read", path="a")
    await changed_by_others(path, "two\n")
    for refused in (
        await spine.call("write", path="a", content="mine\n"),
        await spine.call("edit", path="a", old_text="two", new_text="mine"),
        await spine.call("multi_edit", path="a", edits=[{"old_text": "two", "new_text": "mine"}]),
    ):
        assert "changed by somebody else since you last read it" in text_of(refused)
        assert path.read_text() == "two\n"
    await spine.call("read", path="a")
    assert (await spine.call("edit", path="a", old_text="two", new_text="mine")).status == "done"
    assert path.read_text() == "mine\n"


@pytest.mark.proves("D05")
async def test_own_changes_one_after_the_other_need_no_reading_between(tmp_path: Path):
    (tmp_path / "a").write_text("one\n")
    spine = Spine(tmp_path)
    await spine.call("read", path="a")
    patch = "*** Begin Patch\n*** Update File: a\n@@\n-two\n+three\n*** End Patch"
    results = [
        await spine.call("edit", path="a", old_text="one", new_text="two"),
        await spine.call("apply_patch", input=patch),
        await spine.call("edit", path="a", old_text="three", new_text="four"),
        await spine.call("write", path="a", content="five\n"),
        await spine.call("edit", path="a", old_text="five", new_text="six"),
    ]
    assert [result.status for result in results] == ["done"] * 5
    assert (tmp_path / "a").read_text() == "six\n"


@pytest.mark.proves("D05")
async def test_a_file_that_was_never_read_may_be_overwritten_and_edited(tmp_path: Path):
    (tmp_path / "a").write_text("one\n")
    assert (await Spine(tmp_path).call("write", path="a", content="two\n")).status == "done"
    edited = await Spine(tmp_path).call("edit", path="a", old_text="two", new_text="three")
    assert (edited.status, (tmp_path / "a").read_text()) == ("done", "three\n")


@pytest.mark.proves("D06")
async def test_an_edit_does_not_make_the_session_know_what_others_put_in(tmp_path: Path):
    path = tmp_path / "a"
    path.write_text("one\n")
    spine = Spine(tmp_path)
    await spine.call("read", path="a")
    await changed_by_others(path, "one\ntheirs\n")
    patch = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch"
    assert (await spine.call("apply_patch", input=patch)).status == "done"
    assert "changed by somebody else" in text_of(await spine.call("write", path="a", content="x"))


@pytest.mark.proves("D06")
@every(
    ("encoding", "before", "after"),
    [
        ("utf-8-sig", "ä\n", "ö\n"),
        ("utf-16", "ä\n", "ö\n"),
        ("utf-32", "ä\n", "ö\n"),
        ("latin-1", "caf\xe9 \xe4\n", "caf\xe9 \xf6\n"),
        ("cp1252", "“ä” – €5\n", "“ö” – €5\n"),
        ("gb18030", CHINESE, CHINESE.replace("改这里", "改好了")),
        ("utf-8", "ä\r\nb\r\n", "ö\r\nb\r\n"),
        ("utf-8", "ä\r\nb\nc", "ö\r\nb\nc"),
        ("utf-16", "ä\r\nb\r\n", "ö\r\nb\r\n"),
    ],
)
async def test_an_edit_keeps_encoding_and_line_ends(
    tmp_path: Path, encoding: str, before: str, after: str
):
    path = tmp_path / "a"
    path.write_bytes(before.encode(encoding))
    path.chmod(0o750)
    old, new = next((a, b) for a, b in zip(before.split(), after.split(), strict=True) if a != b)
    spine = Spine(tmp_path)
    assert old in text_of(await spine.call("read", path="a"))
    result = await spine.call("edit", path="a", old_text=old, new_text=new)
    assert result.status == "done", text_of(result)
    assert path.read_bytes() == after.encode(encoding)
    assert path.stat().st_mode & 0o777 == 0o750


@pytest.mark.proves("D04")
@every("encoding", ["gb18030", "cp1252", "latin-1"])
async def test_the_encoding_that_a_file_was_taken_for_is_told(tmp_path: Path, encoding: str):
    text = {"gb18030": CHINESE, "cp1252": "“ä”\n", "latin-1": "\xe9\n"}[encoding]
    (tmp_path / "a").write_bytes(text.encode(encoding))
    said = text_of(await Spine(tmp_path).call("read", path="a"))
    assert text.splitlines()[0] in said
    assert f"[not valid UTF-8, shown as {encoding}]" in said


@pytest.mark.proves("D05")
async def test_a_whole_file_written_anew_keeps_its_byte_order_mark(tmp_path: Path):
    (tmp_path / "a").write_bytes("old\n".encode("utf-16"))
    result = await Spine(tmp_path).call("write", path="a", content="neu ä\n")
    assert "as utf-16-le with a byte order mark" in text_of(result)
    assert (tmp_path / "a").read_bytes() == "neu ä\n".encode("utf-16")


@pytest.mark.proves("D04")
@every("sample", [bytes(range(128, 256)), b"\xff\xfe\xfd", b"\x81\x8d\x8f", b"a\xb0"])
def test_whatever_the_bytes_are_reading_and_writing_gives_them_back(tmp_path: Path, sample: bytes):
    if sample.startswith(b"\xff\xfe"):
        sample = b"x" + sample
    text = decoded(sample, tmp_path)
    assert text.encode(text.text) == sample


@pytest.mark.proves("D05", "divergences-hard-links")
def test_another_name_of_a_file_keeps_the_old_content(tmp_path: Path):
    (tmp_path / "canary").write_text("kept")
    os.link(tmp_path / "canary", tmp_path / "a")
    write_atomic(tmp_path / "a", b"new")
    assert ((tmp_path / "canary").read_text(), (tmp_path / "a").read_text()) == ("kept", "new")


@pytest.mark.proves("D05")
def test_attributes_are_kept(tmp_path: Path):
    path = tmp_path / "a"
    path.write_text("old")
    os.setxattr(path, "user.origin", b"here")
    write_atomic(path, b"new")
    assert os.getxattr(path, "user.origin") == b"here"


def test_a_path_that_was_not_let_through_is_not_written(tmp_path: Path):
    with pytest.raises(ToolFailed, match="leads elsewhere by now"):
        write_atomic(tmp_path / "b", b"x", admitted=(tmp_path / "a",))
    assert not (tmp_path / "b").exists()


@pytest.mark.proves("D05")
def test_content_that_changed_just_before_the_replacement_stays(tmp_path: Path):
    (tmp_path / "a").write_text("theirs")
    with pytest.raises(ToolFailed, match="was changed just now"):
        write_atomic(tmp_path / "a", b"mine", expected=b"read")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "theirs"


@pytest.mark.proves("F09")
@every("opener", [open_plain, walk_plain])
def test_no_part_of_a_path_may_be_a_link(tmp_path: Path, opener: Callable[[Path, int], int]):
    root = tmp_path.resolve()
    (root / "folder").mkdir()
    (root / "folder/a").write_text("x")
    (root / "link").symlink_to("folder")
    (root / "folder/b").symlink_to("a")
    os.close(opener(root / "folder/a", os.O_RDONLY))
    for path in (root / "link/a", root / "folder/b", Path("/proc/self/root", "etc/hostname")):
        with pytest.raises(OSError, match=r"(?i)link|not a directory"):
            opener(path, os.O_RDONLY)


@pytest.mark.proves("F09")
def test_folders_are_made_where_no_link_stands(tmp_path: Path):
    root = tmp_path.resolve()
    os.close(open_folder(root / "a/b/c", make=True))
    assert (root / "a/b/c").is_dir()
    (root / "out").symlink_to("a")
    with pytest.raises(OSError, match=r"(?i)link|not a directory"):
        open_folder(root / "out/new", make=True)
    assert not (root / "a/new").exists()


SWAPPER = """
import ctypes, os, sys
folder, outside = (os.fsencode(path) for path in sys.argv[1:])
os.symlink(outside, folder + b".link")
rename = ctypes.CDLL(None).renameat2
print("ready", flush=True)
while rename(-100, folder, -100, folder + b".link", 2) == 0:
    pass
"""


@pytest.mark.proves("F09", "CF08")
def test_a_folder_that_is_swapped_for_a_link_is_never_written_through(tmp_path: Path):
    root = tmp_path.resolve()
    (root / "ws/folder").mkdir(parents=True)
    (root / "outside").mkdir()
    (root / "outside/a").write_text("canary")
    command = [sys.executable, "-c", SWAPPER, str(root / "ws/folder"), str(root / "outside")]
    target, written = root / "ws/folder/a", 0
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapper:
        assert swapper.stdout is not None
        swapper.stdout.readline()
        for number in range(400):
            try:
                write_atomic(target, str(number).encode(), admitted=(target,))
                written += 1
            except (ToolFailed, OSError):
                continue
        assert swapper.poll() is None
        swapper.kill()
    assert (root / "outside/a").read_text() == "canary"
    assert [path.name for path in (root / "outside").iterdir()] == ["a"]
    assert 0 < written < 400
