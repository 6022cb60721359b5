import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.tools.builtin.files import WriteTool
from ouroboros.workspace.replacement import Draft, Replacement
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of


async def shown(folder: Path, **arguments: object) -> str:
    result = await Spine(folder, mode="ask").call("read", **arguments)
    assert result.status == "done", text_of(result)
    return text_of(result)


async def refused(folder: Path, name: str, **arguments: object) -> str:
    result = await Spine(folder).call(name, **arguments)
    assert result.status == "failed"
    return text_of(result)


@pytest.mark.proves("D03")
async def test_a_page_starts_at_its_offset_and_says_what_is_left(tmp_path: Path):
    (tmp_path / "a").write_text("one\ntwo\nthree\nfour\nfive")
    assert await shown(tmp_path, path="a", offset=3, limit=2) == (
        "3\tthree\n4\tfour\n[lines 3-4 of 5, as asked]\n"
    )
    assert await shown(tmp_path, path="a", offset=5) == (
        "5\tfive\n[end of file, 5 lines]\n[no newline at end of file]\n"
    )
    assert (await shown(tmp_path, path="a")).endswith("\n5\tfive\n[no newline at end of file]\n")


async def test_a_page_says_when_its_size_cut_it(tmp_path: Path):
    (tmp_path / "a").write_text("x" * 98 + "\n")
    (tmp_path / "b").write_text(("x" * 98 + "\n") * 200)
    text = await shown(tmp_path, path="b")
    assert text.endswith("\n[lines 1-83 of 200; cut at 9 kB; go on with offset 84]\n")
    assert await shown(tmp_path, path="a") == "1\t" + "x" * 98 + "\n"


@every(
    ("offset", "limit", "last", "note"),
    [
        (109, None, 200, "[end of file, 200 lines]"),
        (108, None, 190, "[lines 108-190 of 200; cut at 9 kB; go on with offset 191]"),
        (20, 92, 111, "[lines 20-111 of 200, as asked]"),
        (20, 93, 102, "[lines 20-102 of 200; cut at 9 kB; go on with offset 103]"),
    ],
)
async def test_a_last_page_may_be_a_little_longer(
    tmp_path: Path, offset: int, limit: int | None, last: int, note: str
):
    (tmp_path / "b").write_text(("x" * 97 + "\n") * 200)
    text = await shown(tmp_path, path="b", offset=offset, **({"limit": limit} if limit else {}))
    *lines, end, rest = text.split("\n")
    numbers = [int(line.partition("\t")[0]) for line in lines]
    assert (numbers, end, rest) == (list(range(offset, last + 1)), note, "")
    assert len(text.encode()) <= 10_000


@pytest.mark.proves("D03")
async def test_a_page_beyond_the_end_is_refused(tmp_path: Path):
    (tmp_path / "a").write_text("one\n")
    assert "has 1 lines; line 9 is beyond" in await refused(tmp_path, "read", path="a", offset=9)


async def test_an_empty_file_says_so(tmp_path: Path):
    (tmp_path / "a").write_text("")
    assert await shown(tmp_path, path="a") == "(empty file)\n"


@pytest.mark.deep
@pytest.mark.proves("D04")
@every("encoding", ["utf-8", "latin-1", "utf-16"])
async def test_pages_of_a_big_file_fit_and_join_without_a_gap(tmp_path: Path, encoding: str):
    lines = [f"line {number} {'é' * (number % 90)}" for number in range(1, 1500)]
    (tmp_path / "big").write_text("\n".join(lines) + "\n", encoding=encoding)
    seen: list[str] = []
    offset = 1
    while offset:
        text = await shown(tmp_path, path="big", offset=offset)
        assert len(text.encode()) <= 10_000
        rows = text.split("\n")
        seen += [row.partition("\t")[2] for row in rows if row and not row.startswith("[")]
        offset = int(text.rpartition("offset ")[2].split("]")[0]) if "go on with" in text else 0
    assert seen == lines


async def test_a_huge_line_is_cut(tmp_path: Path):
    (tmp_path / "a").write_text("x" * 3_000_000 + "\nshort\n")
    text = await shown(tmp_path, path="a")
    assert text.startswith("1\t" + "x" * 2000 + "… [line cut, 3000001 bytes]\n2\tshort\n")
    assert len(text) < 2100


@pytest.mark.proves("D04")
async def test_a_binary_file_is_named_as_such(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"\x7fELF\0\0\1")
    assert "is a binary file of 7 bytes" in await refused(tmp_path, "read", path="a")


@pytest.mark.proves("D04")
async def test_bytes_that_are_not_utf8_are_shown_as_latin1(tmp_path: Path):
    (tmp_path / "a").write_bytes("café\n".encode("latin-1"))
    assert await shown(tmp_path, path="a") == "1\tcafé\n[not valid UTF-8, shown as latin-1]\n"


@every(
    ("encoding", "note"),
    [("utf-8-sig", "starts with a byte order mark"), ("utf-16", "shown as utf-16-le")],
)
async def test_byte_order_marks_are_understood(tmp_path: Path, encoding: str, note: str):
    (tmp_path / "a").write_bytes("héllo\r\nyou\r\n".encode(encoding))
    assert await shown(tmp_path, path="a") == f"1\thélllo\n2\tyou\n[{note}]\n".replace("lll", "ll")


@pytest.mark.proves("D04")
async def test_a_missing_file_gives_near_names(tmp_path: Path):
    (tmp_path / "config.py").write_text("")
    assert "did you mean config.py?" in await refused(tmp_path, "read", path="confg.py")
    assert "does not exist either" in await refused(tmp_path, "read", path="gone/a.py")


async def test_a_missing_file_is_looked_for_elsewhere(tmp_path: Path):
    for folder in ("h11/tests", "node_modules/h11", "hidden", "e/f", "g"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "io.py").write_text("")
    (tmp_path / "many").mkdir()
    for number in range(4):
        (tmp_path / "many" / str(number)).mkdir()
        (tmp_path / "many" / str(number) / "init.py").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path)
    spine = Spine(tmp_path, rules=[("deny", "Read(/hidden/**)")])
    for name, more in (("read", {}), ("edit", {"old_text": "a", "new_text": "b"})):
        result = await spine.call(name, path="src/io.py", **more)
        assert (result.status, text_of(result)) == (
            "failed",
            f"{tmp_path}/src/io.py does not exist; "
            "files of that name are at e/f/io.py, g/io.py, h11/tests/io.py",
        )
    one = text_of(await spine.call("read", path="many/0/io.py", limit=1))
    assert "files of that name" in one
    (tmp_path / "e/f/io.py").unlink()
    (tmp_path / "g/io.py").unlink()
    one = text_of(await spine.call("read", path="io.py"))
    assert one == f"{tmp_path}/io.py does not exist; a file of that name is at h11/tests/io.py"
    assert "of that name" not in text_of(await spine.call("read", path="init.py"))
    text = "*** Begin Patch\n*** Update File: src/io.py\n@@\n-a\n+b\n*** End Patch"
    assert text_of(await spine.call("apply_patch", input=text)) == (
        "apply_patch verification failed: nothing was changed: "
        f"{tmp_path}/src/io.py does not exist; a file of that name is at h11/tests/io.py"
    )


async def test_folders_and_devices_are_refused(tmp_path: Path):
    assert "is a folder; use ls" in await refused(tmp_path, "read", path=".")
    assert "is not a regular file" in await refused(tmp_path, "read", path="/dev/zero")


@pytest.mark.proves("E20", "F09")
async def test_reading_outside_asks_also_through_a_link(tmp_path: Path):
    folder = tmp_path / "ws"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to("../secret")
    for path in ("link", "../secret", str(tmp_path / "secret"), "/etc/passwd"):
        spine = Spine(folder, mode="ask")
        result = await spine.call("read", path=path)
        assert (result.status, len(spine.asker.questions)) == ("denied", 1), path


@pytest.mark.proves("D05")
async def test_writing_makes_folders_and_shows_a_diff(tmp_path: Path):
    result = await Spine(tmp_path).call("write", path="a/b/c.txt", content="one\n")
    again = await Spine(tmp_path).call("write", path="a/b/c.txt", content="two\n")
    assert text_of(result) == "Created a/b/c.txt (4 bytes)"
    assert text_of(again) == "Wrote a/b/c.txt (4 bytes)"
    assert again.detail == "--- a/a/b/c.txt\n+++ b/a/b/c.txt\n@@ -1 +1 @@\n-one\n+two\n"
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["c.txt"]


async def test_writing_keeps_mode_bits_and_links(tmp_path: Path):
    (tmp_path / "run.sh").write_text("old")
    (tmp_path / "run.sh").chmod(0o750)
    (tmp_path / "link").symlink_to("run.sh")
    await Spine(tmp_path).call("write", path="link", content="new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "run.sh").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "run.sh").stat().st_mode) == 0o750


@pytest.mark.deep
@pytest.mark.proves("D05")
async def test_a_file_over_the_limit_is_refused(tmp_path: Path):
    big = await refused(tmp_path, "write", path="a", content="x" * (11 * 1_048_576))
    assert "the limit is 10485760" in big
    small = Spine(tmp_path, tools=[WriteTool(limit=3)])
    assert (await small.call("write", path="a", content="éé")).status == "failed"
    assert not (tmp_path / "a").exists()


@every("content", ["\ud800", "a\udfffb"])
async def test_a_lone_surrogate_is_refused(tmp_path: Path, content: str):
    result = await Spine(tmp_path).raw("write", '{"path":"a","content":' + ascii(content).replace("'", '"') + "}")  # fmt: skip
    assert (result.status, (tmp_path / "a").exists()) == ("failed", False)


@pytest.mark.proves("F08")
async def test_protected_places_are_asked_even_in_full_auto(tmp_path: Path):
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "sneaky").symlink_to(".git/hooks")
    for path in (".git/hooks/x", "sneaky/x", "a/../.git/hooks/x"):
        spine = Spine(tmp_path)
        result = await spine.call("write", path=path, content="#!/bin/sh\n")
        assert (result.status, len(spine.asker.questions)) == ("denied", 1), path
    assert list((tmp_path / ".git/hooks").iterdir()) == []


@pytest.mark.proves("D06")
@every(
    ("text", "arguments", "after", "words"),
    [
        ("a b", {"old_text": "b", "new_text": "c"}, "a c", "Edited f"),
        ("a", {"old_text": "b", "new_text": "c"}, None, "was not found"),
        ("a\na", {"old_text": "a", "new_text": "c"}, None, "found 2 times (lines 1, 2)"),
        ("a\na", {"old_text": "a", "new_text": "c", "replace_all": True}, "c\nc", "Edited f"),
        ("a", {"old_text": "a", "new_text": "a"}, None, "identical"),
        ("a", {"old_text": "", "new_text": "x"}, None, "old_text is empty"),
        ("  a\n b\n", {"old_text": "a\n b", "new_text": "x"}, "  x\n", "Edited f"),
        ("\ta = 1\n", {"old_text": "    a = 1", "new_text": "x"}, None, "line 1, apart from white"),
        ("a\r\nb\r\n", {"old_text": "a\nb", "new_text": "c\nd"}, "c\r\nd\r\n", "Edited f"),
        ("a\r\nb\r\n", {"old_text": "a", "new_text": "c\nd"}, "c\r\nd\r\nb\r\n", "Edited f"),
        ("a\r\nb\nc\n", {"old_text": "b\nc", "new_text": "x\ny"}, "a\r\nx\ny\n", "Edited f"),
        ("\ufeffa\n", {"old_text": "a", "new_text": "b"}, "\ufeffb\n", "Edited f"),
        ("a (b)", {"old_text": "(b)", "new_text": r"\1"}, r"a \1", "Edited f"),
    ],
)
async def test_edit(
    tmp_path: Path, text: str, arguments: dict[str, object], after: str | None, words: str
):
    (tmp_path / "f").write_bytes(text.encode())
    result = await Spine(tmp_path).call("edit", path="f", **arguments)
    assert words in text_of(result)
    assert result.status == ("failed" if after is None else "done")
    assert (tmp_path / "f").read_bytes().decode() == (text if after is None else after)


async def test_an_edit_keeps_the_encoding(tmp_path: Path):
    (tmp_path / "f").write_bytes("café au lait".encode("latin-1"))
    result = await Spine(tmp_path).call("edit", path="f", old_text="lait", new_text="crème")
    wrong = await refused(tmp_path, "edit", path="f", old_text="au", new_text="→")
    assert result.status == "done"
    assert (tmp_path / "f").read_bytes() == "café au crème".encode("latin-1")
    assert "latin-1, which has no '→'" in wrong


@pytest.mark.proves("D07")
async def test_one_edit_that_does_not_fit_leaves_the_file_as_it_was(tmp_path: Path):
    (tmp_path / "f").write_text("a b c")
    edits = [
        {"old_text": "a", "new_text": "x"},
        {"old_text": "x b", "new_text": "y"},
        {"old_text": "b", "new_text": "z"},
    ]
    failed = await refused(tmp_path, "multi_edit", path="f", edits=edits)
    assert "f is unchanged: edit 3 of 3: old_text was not found" in failed
    assert (tmp_path / "f").read_text() == "a b c"
    result = await Spine(tmp_path).call("multi_edit", path="f", edits=edits[:2])
    assert (text_of(result), (tmp_path / "f").read_text()) == ("Edited f: 2 edits, line 1", "y c")


@every(
    ("edits", "words"),
    [
        ([("b", "B\nB")], "lines 2-3"),
        ([("b\n", "")], "line 2"),
        ([("c\nd\n", "")], "line 2"),
        ([("d", "D"), ("a", "1\n2\n3")], "2 edits, lines 6, 1-3"),
        ([("c", "x\ny"), ("y\nd", "z"), ("b\n", "")], "3 edits, lines 2-3, 3, 2"),
        ([("b", "x"), ("a\nx\nc", "y")], "2 edits, line 1"),
        ([("b", "b"), ("c", "C")], "line 3; skipped edit 1: old_text and new_text are identical"),
    ],
)
async def test_edits_are_reported_by_their_lines_in_the_new_file(
    tmp_path: Path, edits: list[tuple[str, str]], words: str
):
    (tmp_path / "f").write_text("a\nb\nc\nd\n")
    wanted = [{"old_text": old, "new_text": new} for old, new in edits]
    result = await Spine(tmp_path).call("multi_edit", path="f", edits=wanted)
    assert text_of(result) == f"Edited f: {words}"


async def test_many_replacements_are_counted_and_the_first_places_named(tmp_path: Path):
    (tmp_path / "f").write_text("a a\n\n" * 10)
    result = await Spine(tmp_path).call(
        "edit", path="f", old_text="a", new_text="b\nb", replace_all=True
    )
    assert text_of(result) == (
        "Edited f: 20 replacements, lines 1-2, 2-3, 5-6, 6-7, 9-10, 10-11, 13-14, 14-15, ..."
    )


async def test_edits_that_all_change_nothing_are_refused(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"a\r\nb\r\n")
    edits = [{"old_text": "a", "new_text": "a"}, {"old_text": "a\nb", "new_text": "a\r\nb"}]
    failed = await refused(tmp_path, "multi_edit", path="f", edits=edits)
    assert failed == "f is unchanged: in every edit old_text and new_text are identical"


@pytest.mark.deep
@given(
    text=st.text(alphabet="ab\n", min_size=1, max_size=30),
    changes=st.lists(
        st.tuples(st.text(alphabet="ab\n", min_size=1, max_size=2), st.integers(0, 3)), max_size=4
    ),
)
def test_the_lines_of_a_replacement_hold_its_text(text: str, changes: list[tuple[str, int]]):
    draft = Draft(text)
    marks: list[str] = []
    for number, (old, height) in enumerate(changes):
        if old.strip("\n") and old in draft.text:
            mark = f"{number}" + f"\n{number}" * height
            count = draft.text.count(old)
            draft.replace(Replacement(old_text=old, new_text=mark, replace_all=True))
            marks += [mark] * count
    lines = draft.text.split("\n")
    assert ["\n".join(lines[first - 1 : last]).count("\n") for first, last in draft.ranges] == [
        mark.count("\n") for mark in marks
    ]
    for (first, last), mark in zip(draft.ranges, marks, strict=True):
        assert mark in "\n".join(lines[first - 1 : last])


@pytest.mark.proves("D14")
async def test_a_patch_that_does_not_fit_writes_nothing(tmp_path: Path):
    (tmp_path / "b").write_text("one\ntwo\nthree\n")
    text = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n two\n-tree\n+y\n*** End Patch"
    assert await refused(tmp_path, "apply_patch", input=text) == (
        "apply_patch verification failed: nothing was changed: "
        "Failed to find expected lines in b:\ntwo\ntree\n"
        "Chunk 1 of 1: nearest: lines 2-3; first difference at line 2 of its old lines. "
        "The file has:\n2\ttwo\n3\tthree"
    )
    assert not (tmp_path / "a").exists()


async def test_a_patch_is_applied_with_a_diff(tmp_path: Path):
    (tmp_path / "b").write_text("x\n")
    text = "*** Begin Patch\n*** Update File: b\n@@\n-x\n+y\n*** Add File: a\n+x\n*** End Patch"
    result = await Spine(tmp_path).call("apply_patch", input=text)
    assert text_of(result) == "Success. Updated the following files:\nA a\nM b (line 1)\n"
    assert "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n" in result.detail


async def test_a_patch_tells_the_lines_of_the_last_change_of_each_file(tmp_path: Path):
    (tmp_path / "a").write_text("".join(f"{number}\n" for number in range(1, 31)))
    (tmp_path / "b").write_text("x\n")
    chunks = "".join(f"@@\n-{number}\n+{number}a\n+{number}b\n" for number in range(2, 30, 3))
    more = "*** Update File: b\n-x\n+y\n*** Update File: b\n-y\n+z\n+z\n"
    text = f"*** Begin Patch\n*** Update File: a\n*** Move to: c\n{chunks}{more}*** End Patch"
    result = await Spine(tmp_path).call("apply_patch", input=text)
    assert text_of(result) == (
        "Success. Updated the following files:\n"
        "M c (lines 2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31, ...)\n"
        "M b\nM b (lines 1-2)\n"
    )


@pytest.mark.proves("D14", "CF08")
@every("line", ["*** Update File: ../out", "*** Delete File: /etc/hosts"])
async def test_a_patch_that_leaves_the_workspace_is_asked(tmp_path: Path, line: str):
    (tmp_path.parent / "out").write_text("x\n")
    spine = Spine(tmp_path)
    result = await spine.call("apply_patch", input=f"*** Begin Patch\n{line}\n@@\n-x\n+y\n*** End Patch".replace("@@\n-x\n+y\n", "" if "Delete" in line else "@@\n-x\n+y\n"))  # fmt: skip
    assert (result.status, len(spine.asker.questions)) == ("denied", 1)


async def test_a_broken_patch_names_its_line(tmp_path: Path):
    failed = await refused(tmp_path, "apply_patch", input="*** Begin Patch\nnope\n*** End Patch")
    assert failed.startswith(
        "apply_patch verification failed: nothing was changed: invalid hunk at line 2, 'nope'"
    )
    empty = await refused(tmp_path, "apply_patch", input="*** Begin Patch\n*** End Patch")
    assert "No files were modified." in empty
