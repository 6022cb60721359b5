import os
import shutil
import sys
from pathlib import Path

import anyio
import pytest

from ouroboros.tools.builtin.search import FindTool, GrepTool
from ouroboros.tools.builtin.walker import glob_expression, walk
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real

RIPGREP = shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))
PROGRAMS = [
    pytest.param("", id="walker"),
    pytest.param(
        RIPGREP,
        id="ripgrep",
        marks=pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not on PATH"),
    ),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "a.py": "import os\nprint('Needle')\n",
        "sub/b.js": "needle();\r\n// other\n",
        "sub/deep/c.test.js": "x\nNEEDLE\n",
        "node_modules/d.js": "needle\n",
        ".git/config": "needle\n",
        ".github/e.yml": "needle: 1\n",
        "binary.bin": "needle\0\1\2",
        "long.txt": "needle " + "x" * 5000 + "\n",
        "ünï cödé.md": "näedle\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return tmp_path


def spine(folder: Path, program: str, *rules: tuple[str, str]) -> Spine:
    tools = (GrepTool(program=program), FindTool(program=program))
    return Spine(folder, mode="ask", tools=tools, rules=rules)


@pytest.mark.proves("D09")
@pytest.mark.parametrize("program", PROGRAMS)
async def test_hits_come_with_path_and_line_in_order(folder: Path, program: str):
    result = await spine(folder, program).call("grep", pattern="needle", ignoreCase=True)
    lines = text_of(result).split("\n")
    assert [line[:24] for line in lines] == [
        ".github/e.yml:1:needle: ",
        "a.py:2:print('Needle')",
        "long.txt:1:needle xxxxxx",
        "sub/b.js:1:needle();",
        "sub/deep/c.test.js:2:NEE",
    ]
    assert len(lines[2]) < 400


@pytest.mark.proves("D09")
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({"pattern": "needle"}, [".github/e.yml", "long.txt", "sub/b.js"]),
        ({"pattern": "needle", "glob": "*.js"}, ["sub/b.js"]),
        ({"pattern": "needle", "ignore_case": True, "glob": "sub/**"}, ["sub/b.js", "sub/deep/c.test.js"]),
        ({"pattern": "needle", "type": "js"}, ["sub/b.js"]),
        ({"pattern": "needle", "path": "sub"}, ["sub/b.js"]),
        ({"pattern": "needle", "path": "sub/b.js"}, ["sub/b.js"]),
        ({"pattern": "ä"}, ["ünï cödé.md"]),
        ({"pattern": r"^needle\(\);$"}, ["sub/b.js"]),
        ({"pattern": "nowhere"}, ["No files found."]),
    ],
)  # fmt: skip
async def test_only_files(
    folder: Path, program: str, question: dict[str, object], expected: list[str]
):
    result = await spine(folder, program).call("grep", files_only=True, **question)
    assert text_of(result).split("\n") == expected


@pytest.mark.proves("D09")
@pytest.mark.parametrize("program", PROGRAMS)
async def test_a_bad_pattern_is_a_failed_result(folder: Path, program: str):
    result = await spine(folder, program).call("grep", pattern="(unclosed")
    assert result.status == "failed"
    assert "regex parse error" in text_of(result)


@pytest.mark.deep
@pytest.mark.parametrize("program", PROGRAMS)
@every(
    ("pattern", "advice"),
    [
        ("foo(", r"\( for a literal parenthesis"),
        ("foo)", r"\( for a literal parenthesis"),
        ("foo[", r"\[ for a literal bracket"),
        (r"foo\p{Nonsense}", ""),
        ("*foo", ""),
        ("(?P<a>b)(?P<a>c)", ""),
    ],
)
async def test_a_literal_bracket_is_explained(
    tmp_path: Path, program: str, pattern: str, advice: str
):
    text = text_of(await spine(tmp_path, program).call("grep", pattern=pattern))
    assert "regex parse error" in text
    assert text.partition("; write ")[2] == advice


@pytest.mark.parametrize("program", PROGRAMS)
async def test_lines_around_hits(tmp_path: Path, program: str):
    numbered = [str(number) for number in range(1, 31)]
    for place in (4, 7, 20):
        numbered[place - 1] = "hit"
    (tmp_path / "a").write_text("\n".join(numbered))
    (tmp_path / "b").write_text("2-hit:\r\n--\r\n" + "x" * 400 + "\r\n")
    (tmp_path / "c").write_text("hit\n")
    made = spine(tmp_path, program, ("deny", "Read(/c)"))
    result = await made.call("grep", pattern="hit", context=1)
    long = await made.call("grep", pattern="--", context=1, include="b")
    wide = await made.call("grep", pattern="hit", context=2, include="[ac]")
    lines = text_of(result).split("\n")
    assert lines == [
        "a-3-3", "a:4:hit", "a-5-5", "a-6-6", "a:7:hit", "a-8-8", "--",
        "a-19-19", "a:20:hit", "a-21-21", "--", "b:1:2-hit:", "b-2---",
        "[1 file is left out: it may not be read]",
    ]  # fmt: skip
    assert text_of(long).split("\n") == [
        "b-1-2-hit:", "b:2:--", "b-3-" + "x" * 300 + " [... omitted end of long line]",
    ]  # fmt: skip
    assert text_of(wide).split("\n") == [
        "a-2-2", "a-3-3", "a:4:hit", "a-5-5", "a-6-6", "a:7:hit", "a-8-8", "a-9-9", "--",
        "a-18-18", "a-19-19", "a:20:hit", "a-21-21", "a-22-22",
        "[1 file is left out: it may not be read]",
    ]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
async def test_many_hits_with_lines_around_them_are_counted_without_these(
    tmp_path: Path, program: str
):
    (tmp_path / "many").write_text("hit\n-\n" * 300)
    result = await spine(tmp_path, program).call("grep", pattern="hit", context=1)
    lines = text_of(result).split("\n")
    assert lines[-1] == "[200 of 300 hits; narrow the search]"
    assert sum(":" in line for line in lines) == 200
    assert (await spine(tmp_path, program).call("grep", pattern="x", context=21)).status == "failed"


@pytest.mark.parametrize("program", PROGRAMS)
async def test_many_hits_are_counted_and_cut(tmp_path: Path, program: str):
    (tmp_path / "many").write_text("hit\n" * 500)
    result = await spine(tmp_path, program).call("grep", pattern="hit")
    lines = text_of(result).split("\n")
    assert (len(lines), lines[-1]) == (201, "[200 of 500 hits; narrow the search]")


@pytest.mark.proves("D10")
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({"pattern": "**/*.test.js"}, ["sub/deep/c.test.js"]),
        ({"pattern": "*.js"}, ["sub/b.js", "sub/deep/c.test.js"]),
        ({"pattern": "sub/*.js"}, ["sub/b.js"]),
        ({"pattern": "*.{py,md}"}, ["a.py", "ünï cödé.md"]),
        ({"pattern": "[ab].??"}, ["a.py", "sub/b.js"]),
        ({"pattern": "*.js", "path": "sub/deep"}, ["sub/deep/c.test.js"]),
        ({"pattern": "zzz"}, ["No files found."]),
    ],
)
async def test_find(folder: Path, program: str, question: dict[str, object], expected: list[str]):
    result = await spine(folder, program).call("find", **question)
    assert text_of(result).split("\n") == expected


@pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not on PATH")
async def test_ignored_files_are_left_out(folder: Path):
    (folder / ".git").mkdir(exist_ok=True)
    (folder / ".gitignore").write_text("sub/\n")
    result = await spine(folder, RIPGREP or "").call("find", pattern="*.js")
    assert text_of(result) == "No files found."


@every("name", ["grep", "find", "ls"])
async def test_a_missing_folder_is_a_failed_result(tmp_path: Path, name: str):
    result = await spine(tmp_path, "").call(name, path="gone", **({} if name == "ls" else {"pattern": "x"}))  # fmt: skip
    assert (result.status, "gone does not exist" in text_of(result)) == ("failed", True)


@pytest.mark.deep
@pytest.mark.proves("A29")
async def test_a_catastrophic_pattern_does_not_hold_the_loop(tmp_path: Path):
    (tmp_path / "a").write_text("a" * 40 + "!")
    tool = spine(tmp_path, "")
    with anyio.move_on_after(0.3) as scope:
        await tool.call("grep", pattern="(a+)+$")
    assert scope.cancelled_caught


@pytest.mark.proves("D08")
async def test_a_folder_is_listed_by_name(folder: Path):
    (folder / "link").symlink_to("a.py")
    result = await Spine(folder, mode="ask").call("LS")
    assert text_of(result).split("\n") == [
        ".git/", ".github/", "a.py", "binary.bin", "link -> a.py", "long.txt", "node_modules/",
        "sub/", "ünï cödé.md",
    ]  # fmt: skip


@pytest.mark.proves("D08")
async def test_a_detailed_listing_has_size_and_time(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"12345")
    os.utime(tmp_path / "a", (86400, 86400))
    result = await Spine(tmp_path, mode="ask").call("ls", detailed=True)
    assert text_of(result) == "         5 1970-01-02 00:00 a"


async def test_listing_a_file_says_so(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"")
    result = await Spine(tmp_path, mode="ask").call("ls", path="a")
    assert (result.status, "use read" in text_of(result)) == ("failed", True)


@pytest.mark.proves("D10")
def test_glob_pieces_are_escaped():
    assert glob_expression("a+b.c") == r"(?:[^/]+/)*a\+b\.c"


@every("name", ["grep", "find"])
async def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, name: str):
    os.mkfifo(tmp_path / "pipe")
    result = await Spine(tmp_path, mode="ask").call(name, pattern="x", path="pipe")
    assert (result.status, "is not a regular file" in text_of(result)) == ("failed", True)


@pytest.mark.parametrize("program", PROGRAMS)
async def test_a_search_leaves_out_what_may_not_be_read(folder: Path, program: str):
    made = spine(folder, program, ("deny", "Read(/sub/**)"), ("deny", "Read(*.yml)"))
    lines = await made.call("grep", pattern="needle", ignore_case=True)
    files = await made.call("grep", pattern="needle", files_only=True)
    found = await made.call("find", pattern="*.js")
    said = [line.partition(":")[0] for line in text_of(lines).split("\n")]
    assert said == ["a.py", "long.txt", "[3 files are left out"]
    assert text_of(files) == "long.txt\n[2 files are left out: they may not be read]"
    assert text_of(found) == "No files found.\n[2 files are left out: they may not be read]"


@pytest.mark.deep
def test_the_walker_goes_into_folders_of_any_depth(tmp_path: Path):
    deepest = tmp_path
    for _ in range(1100):
        deepest /= "d"
        deepest.mkdir()
    (deepest / "f").write_text("x")
    try:
        assert list(walk(str(tmp_path))) == [str(deepest / "f")]
    finally:
        (deepest / "f").unlink()
        while deepest != tmp_path:
            deepest.rmdir()
            deepest = deepest.parent
