import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import ToolFailed
from ouroboros.workspace.patch import (
    AddFile,
    Chunk,
    DeleteFile,
    Disk,
    PatchBroken,
    PatchFailed,
    UpdateFile,
    apply_patch,
    parse,
    standalone,
    verify,
)
from ouroboros.workspace.patch.locate import changed
from tests.cases import every

SCENARIOS = sorted(
    path for path in (Path(__file__).parent / "scenarios").iterdir() if path.is_dir()
)
REJECTED = {"005", "006", "007", "008", "009", "012", "013", "015"}


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if path.is_file()
    }


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


@pytest.mark.proves("spine-shown-by", "codex-1.1")
def test_all_scenarios_are_here():
    assert len(SCENARIOS) == 23


@pytest.mark.proves("spine-shown-by", "D14", "codex-1.1")
@every("scenario", SCENARIOS)
def test_scenario(scenario: Path, tmp_path: Path):
    work = tmp_path / "work"
    if (scenario / "input").exists():
        shutil.copytree(scenario / "input", work)
    work.mkdir(exist_ok=True)
    text = (scenario / "patch.txt").read_text(encoding="utf-8")
    outcome = standalone([text], lambda: b"", work)
    expected = tree(scenario / "expected") if (scenario / "expected").exists() else {}
    assert tree(work) == expected
    assert outcome.exit_code == (1 if scenario.name[:3] in REJECTED else 0)
    assert bool(outcome.stderr) == (outcome.exit_code == 1)


@pytest.mark.proves("codex-1.2")
@every("word", ["<<EOF", "<<'EOF'", '<<"EOF"'])
def test_a_patch_in_a_here_document_is_understood(word: str):
    text = f"{word}\n{patch('*** Add File: a', '+x')}\nEOF"
    assert parse(text) == (AddFile(path="a", content="x\n"),)


@pytest.mark.proves("codex-1.2")
def test_another_here_document_word_is_refused_with_the_first_fault():
    with pytest.raises(PatchBroken) as broken:
        parse(f"<<PATCH\n{patch('*** Add File: a', '+x')}\nPATCH")
    assert "The first line of the patch must be '*** Begin Patch'" in broken.value.message


def test_every_kind_of_hunk_is_read():
    text = patch(
        "*** Add File: a",
        "+one",
        "+",
        "*** Delete File: b ",
        "*** Update File: c",
        "*** Move to: d",
        "@@ def f():",
        " keep",
        "-old",
        "+new",
        "",
        "@@",
        "-last",
        "*** End of File",
    )
    assert parse(text) == (
        AddFile(path="a", content="one\n\n"),
        DeleteFile(path="b"),
        UpdateFile(
            path="c",
            move_to="d",
            chunks=(
                Chunk(old=("keep", "old", ""), new=("keep", "new", ""), context="def f():"),
                Chunk(old=("last",), new=(), at_end=True),
            ),
        ),
    )


@every(
    ("text", "line", "words"),
    [
        ("", 0, "first line"),
        ("*** Begin Patch", 0, "last line"),
        (patch("*** Frobnicate: a"), 2, "not a valid hunk header"),
        (patch("*** Update File: a"), 2, "is empty"),
        (patch("*** Add File: x", "+y", "*** Update File: a"), 4, "is empty"),
        (patch("*** Update File: a", "@@"), 4, "does not contain any lines"),
        (patch("*** Update File: a", "@@", "*** End of File"), 4, "does not contain any lines"),
        (patch("*** Update File: a", "@@", "bad"), 4, "Unexpected line found"),
        (patch("*** Update File: a", "@@", " ok", "bad"), 5, "start with a @@ context"),
        (patch("*** Add File: a", "+\ud800"), 0, "surrogate"),
    ],
)
def test_a_fault_names_its_line(text: str, line: int, words: str):
    with pytest.raises(PatchBroken) as broken:
        parse(text)
    assert broken.value.line == line
    assert words in broken.value.message


@pytest.mark.proves("codex-1.3")
@every(
    ("stands", "written"),
    [
        ("a – b", "a - b"),
        ("say “hi” it’s", 'say "hi" it\'s'),
        ("x\u00a0=\u20031", "x = 1"),
        ("   indented   ", "indented"),
        ("trailing \t", "trailing"),
    ],
)
def test_likeness_forgives_white_space_and_typography(stands: str, written: str):
    assert changed(f"{stands}\n", [Chunk(old=(written,), new=("new",))], "f").text == "new\n"


@pytest.mark.proves("codex-1.4")
def test_an_exact_line_further_down_wins_over_a_similar_one_above():
    text = "  x = 1\nother\nx = 1\n"
    assert changed(text, [Chunk(old=("x = 1",), new=("y",))], "f").text == "  x = 1\nother\ny\n"


@pytest.mark.proves("codex-1.5")
def test_chunks_must_be_in_the_order_of_the_file():
    chunks = [Chunk(old=("b",), new=("B",)), Chunk(old=("a",), new=("A",))]
    with pytest.raises(ToolFailed, match="Failed to find expected lines in f:\na"):
        changed("a\nb\n", chunks, "f")


def test_a_missing_context_line_is_named():
    with pytest.raises(ToolFailed, match="Failed to find context 'def g' in f"):
        changed("def f\n", [Chunk(context="def g", old=("x",), new=())], "f")


LINES = st.lists(st.sampled_from(["a", "b", " c", "d ", "é"]), min_size=1, max_size=12)
FILE = "import os\n\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"


@every("header", ["class A", "def g", "g(self)"])
def test_a_context_line_may_be_named_by_a_part_that_only_it_has(header: str):
    chunk = Chunk(context=header, old=("        return 2",), new=("        return 3",))
    assert changed(FILE, [chunk], "f") == (FILE.replace("return 2", "return 3"), ((9, 9),))


@every(
    ("chunk", "hint"),
    [
        (
            Chunk(context="def", old=("x",)),
            "Chunk 2 of 2: the text after @@ must be a whole line of the file; "
            "it is part of lines 5, 8",
        ),
        (
            Chunk(context="class A(Base):", old=("x",)),
            "Chunk 2 of 2: the text after @@ must be a whole line of the file; "
            "nearest: line 4 `class A:`",
        ),
        (
            Chunk(context="import os", old=("x",)),
            "Chunk 2 of 2: that line is line 1, above the place where the chunk before ends; "
            "chunks go top to bottom",
        ),
        (
            Chunk(context="zzz", old=("x",)),
            "Chunk 2 of 2: the text after @@ must be a whole line of the file, above the chunk; "
            "no line is like it",
        ),
        (
            Chunk(old=("    def g(self):", "        return 3")),
            "Chunk 2 of 2: nearest: lines 8-9; first difference at line 2 of its old lines. "
            "The file has:\n8\t    def g(self):\n9\t        return 2",
        ),
        (
            Chunk(old=("    def f(self, x):",)),
            "Chunk 2 of 2: nearest: line 5; first difference at line 1 of its old lines. "
            "The file has:\n5\t    def f(self):",
        ),
        (
            Chunk(old=("        return 2", "", "x = 1")),
            "Chunk 2 of 2: nearest: line 9; first difference at line 2 of its old lines. "
            "The file has:\n9\t        return 2",
        ),
        (
            Chunk(old=("import os",)),
            "Chunk 2 of 2: they stand at line 1, above the place where the chunk before ends; "
            "chunks go top to bottom",
        ),
        (
            Chunk(old=("    def f(self):",), at_end=True),
            "Chunk 2 of 2: they stand at line 5, which is not the end",
        ),
        (
            Chunk(old=("漢字漢字漢字漢字",)),
            "Chunk 2 of 2: nothing in the file is like these lines; read it again",
        ),
    ],
)
def test_a_chunk_without_a_place_is_told_the_nearest(chunk: Chunk, hint: str):
    first = Chunk(old=("class A:",), new=("class B:",))
    with pytest.raises(ToolFailed) as failed:
        changed(FILE, [first, chunk], "f")
    assert failed.value.hint == hint


@given(st.lists(st.sampled_from(["", "a", " a", "b", "é" * 300])), LINES)
def test_no_file_breaks_the_search_for_the_nearest_place(lines: list[str], old: list[str]):
    with suppress(ToolFailed):
        found = changed("\n".join(lines), [Chunk(old=tuple(old), new=("n",))], "f")
        assert found.text.count("n\n") == 1


def test_ranges_leave_out_context_and_count_in_the_new_file():
    chunks = [
        Chunk(old=("import os", ""), new=("import io", "import os", "")),
        Chunk(old=("    def f(self):", "        return 1", ""), new=("",)),
        Chunk(old=("        return 2",), new=("        x = 2", "        return x")),
    ]
    assert changed(FILE, chunks, "f") == (
        "import io\nimport os\n\n\nclass A:\n\n    def g(self):\n        x = 2\n        return x\n",
        ((1, 1), (6, 6), (8, 9)),
    )


def test_the_end_of_file_mark_looks_only_at_the_end():
    chunk = Chunk(old=("x",), new=("y",), at_end=True)
    assert changed("x\nx\n", [chunk], "f").text == "x\ny\n"
    with pytest.raises(ToolFailed):
        changed("x\nz\n", [chunk], "f")


def test_lines_without_a_place_go_to_the_end():
    assert changed("a\n", [Chunk(new=("b",))], "f").text == "a\nb\n"


@pytest.mark.proves("codex-1.6")
def test_a_final_line_end_is_added():
    assert changed("a\nb", [Chunk(old=("a",), new=("c",))], "f").text == "c\nb\n"


@pytest.mark.proves("divergences-patch-of-a-file-with")
def test_a_file_with_windows_line_ends_keeps_them():
    chunk = Chunk(old=("b",), new=("x", "y"))
    assert changed("a\r\nb\r\nc\r\n", [chunk], "f").text == "a\r\nx\r\ny\r\nc\r\n"


@pytest.mark.proves("codex-1.7")
def test_the_summary_lists_added_modified_deleted_and_the_target_of_a_move(tmp_path: Path):
    (tmp_path / "gone").write_text("x\n")
    (tmp_path / "old").write_text("x\n")
    text = patch(
        "*** Delete File: gone",
        "*** Update File: old",
        "*** Move to: sub/new",
        "@@",
        "-x",
        "+y",
        "*** Add File: made",
        "+z",
    )
    outcome = standalone([], text.encode, tmp_path)
    assert outcome.stdout == ("Success. Updated the following files:\nA made\nM sub/new\nD gone\n")
    assert tree(tmp_path) == {"made": b"z\n", "sub/new": b"y\n"}


@pytest.mark.proves("divergences-patch-that-moves-a-file")
def test_a_move_onto_itself_keeps_the_file(tmp_path: Path):
    (tmp_path / "a").write_text("x\n")
    text = patch("*** Update File: a", "*** Move to: ./a", "@@", "-x", "+y")
    assert standalone([text], lambda: b"", tmp_path).exit_code == 0
    assert tree(tmp_path) == {"a": b"y\n"}


@pytest.mark.proves("spine-tools")
@every(
    ("arguments", "stdin", "exit_code", "words"),
    [
        ([], b"", 2, "no patch given"),
        (["a", "b"], b"", 2, "one argument at most"),
        ([], b"\xff", 1, "not UTF-8"),
        (["nonsense"], b"", 1, "Invalid patch: "),
        ([patch("*** Update File: a")], b"", 1, "Invalid patch hunk on line 2: "),
        ([patch()], b"", 1, "No files were modified."),
        ([patch("*** Add File: a\0b", "+x")], b"", 1, "not a path"),
    ],
)
def test_the_program_says_how_it_failed(
    tmp_path: Path, arguments: list[str], stdin: bytes, exit_code: int, words: str
):
    outcome = standalone(arguments, lambda: stdin, tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (exit_code, "")
    assert words in outcome.stderr


def test_verifying_finds_a_late_fault_and_writes_nothing(tmp_path: Path):
    hunks = parse(
        patch("*** Add File: a", "+x", "*** Update File: a", "@@", "-x", "+y", "*** Delete File: b")
    )
    with pytest.raises(PatchFailed, match="b does not exist"):
        verify(hunks, tmp_path, Disk())
    assert tree(tmp_path) == {}
    assert [change.kind for change in verify(hunks[:2], tmp_path, Disk())] == ["A", "M"]


def test_the_delta_tells_what_was_committed(tmp_path: Path):
    hunks = parse(patch("*** Add File: a", "+x", "*** Delete File: b"))
    applied = apply_patch(hunks, tmp_path, Disk())
    assert [(change.name, change.after) for change in applied.changes] == [("a", "x\n")]
    assert (bool(applied.failure), applied.is_exact) == (True, True)


def test_a_symbolic_link_stays_and_makes_the_delta_inexact(tmp_path: Path):
    (tmp_path / "real").write_text("x\n")
    (tmp_path / "link").symlink_to("real")
    hunks = parse(patch("*** Update File: link", "@@", "-x", "+y"))
    applied = apply_patch(hunks, tmp_path, Disk())
    assert applied.is_exact is False
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "y\n"


@given(before=LINES, after=LINES)
def test_a_whole_replacement_gives_the_new_text(before: list[str], after: list[str]):
    text = "".join(f"{line}\n" for line in before)
    result = changed(text, [Chunk(old=tuple(before), new=tuple(after))], "f")
    assert result.text == "".join(f"{line}\n" for line in after)


@pytest.mark.deep
@given(st.text(max_size=300))
def test_no_text_breaks_the_parser_in_another_way(text: str):
    for candidate in (text, f"*** Begin Patch\n{text}\n*** End Patch"):
        with suppress(PatchBroken):
            assert all(hunk.path for hunk in parse(candidate))
