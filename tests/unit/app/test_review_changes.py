"""A diff by file and hunk, its pieces, and whether places that findings name are in it."""

from pathlib import Path

import pytest

from ouroboros.app.review import changes, placing
from ouroboros.app.review.subjects import Subject
from ouroboros.core.events.review import CodeLocation, Finding, LineRange, ReviewOutput
from tests.cases import every

DIFF = """diff --git a/b.bin b/b.bin
index bdc955b..8835708 100644
Binary files a/b.bin and b/b.bin differ
diff --git a/s/empty b/s/empty
old mode 100644
new mode 100755
diff --git a/x y.txt b/z w.txt
similarity index 100%
rename from x y.txt
rename to z w.txt
diff --git "a/\\303\\274.txt" "b/\\303\\274.txt"
new file mode 100644
--- /dev/null
+++ "b/\\303\\274.txt"
@@ -0,0 +1 @@
+q
\\ No newline at end of file
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-diff --git a/x b/x
-@@ -1 +1 @@
diff --git a/two.py b/two.py
--- a/two.py\t
+++ b/two.py\t
@@ -3,3 +3,4 @@ def f():
 three
-four
+vier
+diff --git a/no b/no
 five\x0cfeed
@@ -40 +41 @@
-x
+y
"""


def test_each_file_of_a_diff_is_found_by_its_name_of_now() -> None:
    files = changes.parse(DIFF)
    assert [file.path for file in files] == [
        "b.bin", "s/empty", "z w.txt", "ü.txt", "gone.py", "two.py",
    ]  # fmt: skip
    binary, mode, renamed, new, gone, two = files
    assert binary.binary
    assert not two.binary
    assert mode.hunks == ()
    assert renamed.before == "x y.txt"
    assert new.before == ""
    assert [(one.first, one.last) for one in new.hunks] == [(1, 1)]
    assert gone.deleted
    assert gone.path == "gone.py"
    assert [(one.first, one.last) for one in two.hunks] == [(3, 6), (41, 41)]


def test_lines_carry_their_number_in_the_new_file() -> None:
    two = changes.parse(DIFF)[-1]
    assert two.hunks[0].text == (
        "@@ -3,3 +3,4 @@ def f():\n    3  three\n      -four\n    4 +vier\n"
        "    5 +diff --git a/no b/no\n    6  five\x0cfeed\n"
    )
    assert two.hunks[1].text.endswith("      -x\n   41 +y\n")


def test_nothing_is_lost_by_cutting_a_change_into_parts() -> None:
    diff = "".join(changes.added(f"f{at}.py", f"line {at}\n" * 20) for at in range(10))
    files = changes.parse(diff)
    parts = changes.parts(files, 250)
    assert len(parts) > 2
    assert "".join(part.text for part in parts) == "".join(file.text for file in files)
    assert [path for part in parts for path in part.paths] == [file.path for file in files]
    assert changes.parts(files, 100_000)[0].paths == tuple(file.path for file in files)
    assert changes.parts((), 100) == ()


def test_a_file_too_large_for_one_reading_goes_by_hunks_and_a_hunk_is_cut_in_the_middle() -> None:
    hunk = "@@ -{0} +{0},300 @@\n" + "+word\n" * 300
    diff = f"diff --git a/a b/a\n--- a/a\n+++ b/a\n{hunk.format(1)}{hunk.format(1000)}"
    parts = changes.parts(changes.parse(diff), 400)
    assert len(parts) == 2
    assert all(part.text.startswith("diff --git a/a b/a\n") for part in parts)
    assert all(part.is_cut for part in parts)
    assert all(len(part.text) < 400 * 4 + 300 for part in parts)
    assert " 1299 +word" in parts[1].text


def test_a_change_that_speaks_of_lines_left_out_is_not_cut() -> None:
    words = "[3 lines of this change are left out here because it is too large: read the file]\n"
    speaks = changes.parts(changes.parse(DIFF + changes.added("cut.py", words)), 100_000)
    assert [part.is_cut for part in speaks] == [False]


@every("text", ["", "no diff\n", "@@ -1 +1 @@\n+x\n", "diff --git \n"])
def test_what_is_no_diff_has_no_files_that_could_be_named(text: str) -> None:
    assert [file.path for file in changes.parse(text)] in ([], [""])


@pytest.mark.proves("codex-21.1", "codex-21.2")
@every(
    ("path", "start", "end", "remark"),
    [
        ("two.py", 3, 3, ""),
        ("{root}/two.py", 6, 9, ""),
        ("b/two.py", 41, 41, ""),
        ("two.py", 20, 20, "not part of the change"),
        ("two.py", 51, 60, "the file has no such line"),
        ("two.py", 0, 0, "it names no line"),
        ("other.py", 1, 1, "this file is not part of the change"),
        ("gone.py", 1, 1, "this file is deleted by the change"),
        ("never.py", 1, 1, "there is no such file"),
        ("/etc/passwd", 1, 1, "this file is outside the repository"),
        ("../x.py", 1, 1, "this file is outside the repository"),
        ("", 1, 1, "this file is outside the repository"),
        ("a\0b", 1, 1, "there is no such file"),
    ],
)
def test_a_place_that_is_not_in_the_change_is_said(
    tmp_path: Path, path: str, start: int, end: int, remark: str
) -> None:
    (tmp_path / "two.py").write_text("x\n" * 50)
    (tmp_path / "other.py").write_text("x\n")
    subject = Subject(name="x", task="x", root=tmp_path, files=changes.parse(DIFF))
    finding = Finding(
        title="[P1] x",
        body="y",
        confidence_score=1,
        code_location=CodeLocation(
            absolute_file_path=path.format(root=tmp_path),
            line_range=LineRange(start=start, end=end),
        ),
    )
    (found,) = placing.placed(ReviewOutput(findings=(finding,)), subject).findings
    assert found.remark == remark
    if "outside" not in remark:
        assert found.code_location.absolute_file_path.startswith(f"{tmp_path}/")


@every("path", [f"a/{'x' * 300}", f"b/{'y/' * 3000}z"])
def test_a_name_longer_than_a_disk_takes_is_a_file_that_is_not_there(
    tmp_path: Path, path: str
) -> None:
    (tmp_path / "a").mkdir()
    subject = Subject(name="x", task="x", root=tmp_path, files=changes.parse(DIFF))
    assert _remark(subject, path, 1) == "there is no such file"


def test_of_a_file_too_large_to_count_no_line_is_denied(tmp_path: Path) -> None:
    with (tmp_path / "large.py").open("wb") as file:
        file.truncate(17 * 1_048_576)
    subject = Subject(name="x", task="x", root=tmp_path)
    assert _remark(subject, "large.py", 7) == ""


def _remark(subject: Subject, path: str, line: int) -> str:
    location = CodeLocation(absolute_file_path=path, line_range=LineRange(start=line, end=line))
    finding = Finding(title="x", body="y", confidence_score=1, code_location=location)
    (found,) = placing.placed(ReviewOutput(findings=(finding,)), subject).findings
    return found.remark
