"""What is ignored, held to what Git itself says of the same names."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.workspace.checkpoints.ignored import Ignored
from tests.cases import every

pytestmark = pytest.mark.real

PIECES = [
    "a",
    "b",
    "ab",
    "*",
    "?",
    "**",
    "/",
    "[ab]",
    "[!a]",
    "[a-c]",
    ".",
    "\\*",
    "\\#",
    " ",
    "x.y",
]
LINES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
FILE = st.lists(
    st.tuples(st.sampled_from(["", "", "!"]), LINES, st.sampled_from(["", "", "/", "  "])).map(
        "".join
    ),
    min_size=1,
    max_size=5,
)
NAMES = st.lists(
    st.lists(
        st.sampled_from(["a", "b", "ab", "x.y", "*", "#", "c", "ba"]), min_size=1, max_size=4
    ).map("/".join),
    min_size=1,
    max_size=8,
    unique=True,
)


def by_git(root: Path, names: list[str]) -> dict[str, bool]:
    ran = subprocess.run(
        [
            "git",
            "-c",
            "core.quotePath=false",
            "check-ignore",
            "--no-index",
            "-v",
            "-n",
            "-z",
            "--stdin",
        ],
        cwd=root,
        input="\0".join(names) + "\0",
        capture_output=True,
        text=True,
        check=False,
    )
    fields = ran.stdout.split("\0")
    quads = zip(fields[0::4], fields[2::4], fields[3::4], strict=False)
    return {name: bool(source) and not pattern.startswith("!") for source, pattern, name in quads}


def by_us(rules: Ignored, name: str) -> bool:
    parts = name.split("/")
    for number in range(1, len(parts)):
        if rules.verdict("/".join(parts[:number]), is_folder=True):
            return True
    return bool(rules.verdict(name, is_folder=False))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


@pytest.mark.deep
@pytest.mark.proves("K03")
@settings(max_examples=80)
@given(lines=FILE, names=NAMES)
def test_patterns_mean_what_they_mean_to_git(
    repository: Path, lines: list[str], names: list[str]
) -> None:
    text = "\n".join(lines) + "\n"
    (repository / ".gitignore").write_text(text)
    rules = Ignored(None, "", text.encode())
    expected = by_git(repository, names)
    assert {name: by_us(rules, name) for name in expected} == expected


@every(
    ("text", "ignored", "kept"),
    [
        ("*.o\n!keep.o\n", ["x.o", "d/x.o"], ["keep.o", "x.c"]),
        ("/only\n", ["only"], ["d/only"]),
        ("a/**/z\n", ["a/z", "a/b/c/z"], ["z", "b/z"]),
        ("**/foo\n", ["foo", "a/b/foo"], ["foo2"]),
        ("foo/**\n", ["foo/a", "foo/b/c"], ["foo"]),
        ("# no\n\\#yes\n", ["#yes"], ["# no"]),
        ("trailing   \n", ["trailing"], ["trailing   "]),
        ("kept\\ \n", ["kept "], ["kept"]),
        ("[[:digit:]]*.txt\n", ["1.txt"], ["a.txt"]),
        ("doc/*.txt\n", ["doc/a.txt"], ["doc/b/a.txt", "a.txt"]),
        ("x\r\n", ["x"], ["xy"]),
        ("[\n\\\n", [], ["[", "\\"]),
    ],
)
def test_what_the_manual_says(text: str, ignored: list[str], kept: list[str]) -> None:
    rules = Ignored(None, "", text.encode())
    assert [name for name in [*ignored, *kept] if by_us(rules, name)] == ignored


def test_the_nearest_file_decides() -> None:
    outer = Ignored(None, "", b"*.log\n")
    inner = Ignored(outer, "d/", b"!a.log\n/b\n")
    assert inner.verdict("d/a.log", is_folder=False) is False
    assert inner.verdict("d/c.log", is_folder=False) is True
    assert inner.verdict("d/b", is_folder=False) is True
    assert inner.verdict("d/e/b", is_folder=False) is None
    assert outer.mark != inner.mark


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("*a" * 30 + "*b", "a" * 200), ("**/" + "a/**/" * 30 + "b", "a/" * 200 + "c")],
)
def test_no_pattern_of_a_stranger_holds_everything_up(pattern: str, name: str) -> None:
    code = (
        "import sys\n"
        "from ouroboros.workspace.checkpoints.ignored import Ignored\n"
        "rules = Ignored(None, '', sys.argv[1].encode())\n"
        "sys.exit(rules.verdict(sys.argv[2], is_folder=False) is not None)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, pattern, name], check=False, timeout=60)
    assert ran.returncode == 0
