"""What is found in files of each language, whatever state they are in."""

import ast
import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.workspace.repomap.lexical import stripped
from ouroboros.workspace.repomap.python_tags import python_definitions
from ouroboros.workspace.repomap.reading import tags_of
from ouroboros.workspace.repomap.tags import Tags, is_read
from tests.cases import every

PYTHON = '''"""A module; class Fake: not here."""
from knots import tie, untie as loosen
import ropes

LENGTH = 12

class Rope(ropes.Base):
    """def fake(self): ..."""

    def cut(
        self, at: int, *more: str
    ) -> list[int]:
        # def other(): ...
        return tie(self.at)

async def main(args): ...
'''
JAVASCRIPT = """// class Fake {}
export class Rope extends Base { cut(at) { return tie(at) } }
export const knot = (a) => tie(a)
function main() { let inner = 1 }
"""
BASH = """# fake() { :; }
tie() { echo knot; }
function untie { tie; }
"""
OTHERS = {
    "a.ts": (
        "export interface Rope { n: number }\nexport const tie = (a: string) => a\n",
        ["Rope", "tie"],
    ),
    "a.go": ("type Rope struct {\n}\nfunc (r *Rope) Cut(at int) error {\n", ["Rope", "Cut"]),
    "a.rs": (
        "pub struct Rope { n: u8 }\nimpl Rope {\n  pub fn cut(&self) {}\n}\n",
        ["Rope", "cut"],
    ),
    "A.java": ("public class Rope {\n  public int cut(int at) {\n  }\n}\n", ["Rope", "cut"]),
    "a.c": (
        "struct rope {\n  int n;\n};\nstatic int tie_knot(int a) {\n  return cut(a);\n}\n",
        ["rope", "tie_knot"],
    ),
    "a.cpp": ("class Rope {\n};\nvoid Rope::cut(int a) {\n}\n", ["Rope", "cut"]),
    "a.rb": ("class Rope\n  def cut(at)\n  end\nend\n", ["Rope", "cut"]),
    "a.php": ("<?php\nclass Rope {\n  public function cut($a) {}\n}\n", ["Rope", "cut"]),
    "a.kt": ("class Rope {\n  fun cut(at: Int) {}\n}\n", ["Rope", "cut"]),
}


def symbols(path: str, source: str) -> list[tuple[str, str]]:
    return [(each.parent, each.name) for each in tags_of(path, source.encode()).definitions]


def test_python() -> None:
    found = tags_of("a.py", PYTHON.encode())
    assert symbols("a.py", PYTHON) == [("", "LENGTH"), ("", "Rope"), ("Rope", "cut"), ("", "main")]
    cut = found.definitions[2]
    assert (cut.line, cut.text) == (10, "def cut(self, at: int, *more: str) -> list[int]")
    assert (found.names["tie"], found.members["Base"], found.imported) == (2, 1, ("tie", "untie"))
    assert "fake" not in found.names


@pytest.mark.proves("Y05")
def test_python_that_is_broken_is_read_by_its_look() -> None:
    broken = PYTHON + "\nthis is no python (\n"
    assert symbols("a.py", broken) == symbols("a.py", PYTHON)


LIBRARY = Path(asyncio.__file__).parent.parent
SOURCES = [
    *(LIBRARY / "asyncio").glob("*.py"),
    *(LIBRARY / "email").glob("*.py"),
    *(LIBRARY / name for name in ("selectors.py", "nntplib.py", "lib2to3/pytree.py", "typing.py")),
]


@pytest.mark.deep
@pytest.mark.proves("Y05")
def test_the_look_of_python_tells_what_its_tree_tells() -> None:
    """Python's own parser is the judge, on files with classes within ``if`` and the like."""
    judged = 0
    for path in filter(Path.exists, SOURCES):
        source = path.read_text("utf-8")
        wanted = sorted(_tree(ast.parse(source).body, ""))
        found = python_definitions(source, stripped(source, "python"))
        assert [
            (each.line, each.parent, each.name) for each in found if not each.is_value
        ] == wanted
        judged += len(wanted)
    assert judged > 2_000


def _tree(body: Sequence[ast.AST], parent: str) -> Iterator[tuple[int, str, str]]:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield node.lineno, parent, name
                yield from _tree(node.body, f"{parent}.{name}".lstrip("."))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, parent, name
            case ast.If() | ast.Try() | ast.ExceptHandler() | ast.With() | ast.For() | ast.While():
                yield from _tree(list(ast.iter_child_nodes(node)), parent)
            case _:
                pass


def test_scripts() -> None:
    assert symbols("a.js", JAVASCRIPT) == [
        ("", "Rope"),
        ("Rope", "cut"),
        ("", "knot"),
        ("", "main"),
    ]
    assert symbols("a.sh", BASH) == [("", "tie"), ("", "untie")]


SIGNATURES = {
    "a.py": (
        "async def cut(\n    rope: str = 'a: b',  # which\n    *,\n    at: dict[str, int],\n) -> None:\n  ...\n",
        "async def cut(rope: str = 'a: b', *, at: dict[str, int]) -> None",
    ),
    "a.js": (
        "export function cut(\n  rope,\n  at = 1,\n) {\n  return { rope }\n}\n",
        "function cut(rope, at = 1)",
    ),
    "a.ts": (
        "class A {\n  cut<T>(\n    rope: T, // which\n    at: { n: number },\n  ): Promise<T> {\n    if (at) {\n    }\n"
        "    tie(rope);\n  }\n}\n",
        "cut<T>(rope: T, at: { n: number }): Promise<T>",
    ),
    "a.go": (
        "func (r *Rope) Cut(\n\tat int,\n\tends []string,\n) (string, error) {\n",
        "func (r *Rope) Cut(at int, ends []string) (string, error)",
    ),
    "a.rs": (
        "pub fn cut(\n    rope: &str,\n    at: [u8; 2],\n) -> Result<(), Error> {\n}\n",
        "pub fn cut(rope: &str, at: [u8; 2]) -> Result<(), Error>",
    ),
    "A.java": (
        "class A {\n  Rope cut(\n      String rope,\n      int at)\n      throws Torn {\n    tie(rope);\n    return new Rope(at);\n  }\n}\n",
        "Rope cut(String rope, int at)",
    ),
    "a.cpp": (
        "template <class T>\nstd::vector<T> Rope::cut(\n    const T& rope,\n    int at) const {\n}\n",
        "std::vector<T> Rope::cut(const T& rope, int at) const",
    ),
    "a.c": ("static int\ncut(char *rope,\n    int at)\n{\n}\n", "cut(char *rope, int at)"),
}


@pytest.mark.proves("Y05")
@every("path", SIGNATURES)
def test_signatures_are_told_over_all_their_lines(path: str) -> None:
    source, wanted = SIGNATURES[path]
    found = tags_of(path, source.encode()).definitions
    assert [each.text for each in found if each.name.lower().endswith("cut")] == [wanted]
    assert {each.name.lower() for each in found} <= {"a", "cut", "rope::cut"}


@every("path", OTHERS)
def test_languages_without_a_grammar_here(path: str) -> None:
    source, names = OTHERS[path]
    assert [name for _, name in symbols(path, source)] == names


@every("data", [b"", b"\0" * 100, b"x = 1;" * 1_000, b"def f(): ...\n" * 100_000, b"\xff\xfe" * 50])
def test_what_is_not_written_by_people_has_nothing(data: bytes) -> None:
    assert tags_of("a.py", data).definitions == ()


def test_only_known_languages_are_read() -> None:
    assert is_read("src/a.py")
    assert not any(map(is_read, ("a.png", "a.min.js", "a.md", "a_pb2.py", "a.d.ts", "Makefile")))


@pytest.mark.deep
@pytest.mark.proves("Y05")
@every("path", ["a.py", "a.js", "a.sh", "a.ts", "a.c", "a.java"])
def test_deep_nesting_brings_nothing_down(path: str) -> None:
    for source in (
        "(" * 5_000 + "\n",
        "x = " + "[\n" * 3_000,
        "/*\n" * 100_000,
        "if a:\n" + "".join(" " * n + "if a:\n" for n in range(1, 150)),
    ):
        assert isinstance(tags_of(path, source.encode()), Tags)


@pytest.mark.proves("Y05")
@given(st.binary(max_size=400), st.sampled_from(["a.py", "a.js", "a.sh", "a.ts", "a.c", "a.rb"]))
def test_whatever_is_in_a_file_it_is_quiet(data: bytes, path: str) -> None:
    assert isinstance(tags_of(path, data), Tags)
