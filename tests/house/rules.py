"""The rules of the house as functions: each names what breaks it, one line a violation."""

import ast
import io
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.purity import MARK, TIERS

ROOT = Path(__file__).parents[2]

MODULE_LINES = 700
LOOP_LINES = 150
TEST_LINES = 900
AGENTS_LINES = 100
ENTRY_WORDS = 25
PROTOCOL_METHODS = 5
LINES_PER_SUPPRESSION = 1000

FORBIDDEN_WORDS = frozenset({
    "utils",
    "helpers",
    "common",
    "misc",
    "manager",
    "service",
    "base",
    "data",
    "info",
})
CHANGELOG_SECTIONS = frozenset({"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"})
SUBPROCESS = re.compile(r"(?m)^\s*((import|from) subprocess\b|from tests import .*\bforked\b)")
SUPPRESSION = re.compile(r"#\s*(noqa|pyright:|type:\s*ignore|ruff:)")
SUPPRESSION_WITH_REASON = re.compile(
    r"#\s*(noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*|pyright: ignore\[\w+(, ?\w+)*\])\s+- \S+"
)
# Spelled with a class each, so that this file does not hold what it forbids.
FOREIGN = re.compile(
    r"[/]work/(?=\w+/)|[/]root/|[/]home/(?!person\b|me\b)\w+/"
    r"|https?:[/]/[^\s\"']+[.](whl|tar[.]gz|tgz|zip)\b|(?<!emit-)index[-]url"
)
FOREIGN_SIGNS = (b"/work", b"/root", b"/home", b".whl", b".gz", b".tgz", b".zip", b"index")
"""One of them is in all that is foreign; to look for them is quick."""


def sources(root: Path, *folders: str) -> Iterator[Path]:
    """The Python files below the given folders."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            if "scenarios" not in path.parts:
                yield path


def long_files(root: Path) -> list[str]:
    """Files that are longer than their kind may be."""
    found: list[str] = []
    for path in sources(root, "src", "tests", "bench"):
        name = path.relative_to(root).as_posix()
        limit = TEST_LINES if name.startswith("tests/") else MODULE_LINES
        if name.endswith("agent/loop.py"):
            limit = LOOP_LINES
        if (lines := len(path.read_text("utf-8").splitlines())) > limit:
            found.append(f"{name}: {lines} lines, at most {limit}")
    return found


def forbidden_names(root: Path) -> list[str]:
    """Modules and packages whose name says nothing."""
    found: list[str] = []
    for path in sources(root, "src", "tests", "bench"):
        name = path.parent.name if path.name == "__init__.py" else path.stem
        if bad := FORBIDDEN_WORDS.intersection(name.strip("_").split("_")):
            found.append(f"{path.relative_to(root)}: the name holds {', '.join(sorted(bad))!r}")
    return found


def busy_inits(root: Path) -> list[str]:
    """Doors that hold more than a docstring, imports and ``__all__``.

    Below the rooms a package may define something at its door, but nothing may run there. The door of
    all finds the public names only when they are asked for.
    """
    found: list[str] = []
    for path in sources(root, "src"):
        if path.name != "__init__.py":
            continue
        name = path.relative_to(root)
        tree = ast.parse(path.read_text("utf-8"))
        if not ast.get_docstring(tree):
            found.append(f"{name}: no docstring")
        found += [
            f"{name}:{node.lineno}: only imports and __all__ belong here"
            for node in tree.body[1:]
            if not _may_stand_in_init(
                node, is_room=_is_room(name), is_package=name.parent == Path("src/ouroboros")
            )
        ]
    return found


def _is_room(door: Path) -> bool:
    package = door.parent.parts[1:]
    return len(package) <= (3 if "faces" in package else 2)


def _may_stand_in_init(node: ast.stmt, *, is_room: bool, is_package: bool) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__version__")]):
            return True
        case ast.FunctionDef(name="__getattr__") if is_package:
            return True
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.TypeAlias():
            return not is_room
        case _:
            return False


def rooms(root: Path) -> tuple[str, ...]:
    """The rooms that the import contract names."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    floors = next(each for each in contracts["contracts"] if each["id"] == "floors")["layers"]
    names = [name.strip() for floor in floors for name in floor.split("|")]
    return tuple(name for name in names if not name.startswith("__"))


def wrong_rooms(root: Path) -> list[str]:
    """Rooms that are missing, unknown, without a word on what they refuse, or out of sight."""
    package = root / "src" / "ouroboros"
    named = set(rooms(root))
    there = {path.name for path in package.iterdir() if path.is_dir() and path.name[0].isalpha()}
    found = [f"{name}: in the contract, not in the house" for name in sorted(named - there)]
    found += [f"{name}: in the house, not in the contract" for name in sorted(there - named)]
    for name in sorted(named & there):
        door = package / name / "__init__.py"
        text = ast.get_docstring(ast.parse(door.read_text("utf-8"))) if door.exists() else None
        if "Refuses:" not in (text or ""):
            found.append(f"{name}: its docstring does not say what it refuses")
    folders = {path.parent for path in sources(root, "src")}
    found += [
        f"{folder.relative_to(root)}: no __init__.py, so the import contract cannot see it"
        for folder in sorted(folders)
        if not (folder / "__init__.py").exists()
    ]
    return found


def wide_protocols(root: Path) -> list[str]:
    """Protocols with more methods than a reader can hold."""
    found: list[str] = []
    for path in sources(root, "src"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "Protocol" in text else ():
            if isinstance(node, ast.ClassDef) and _is_protocol(node):
                count = sum(
                    isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body
                )
                if count > PROTOCOL_METHODS:
                    found.append(f"{path.relative_to(root)}: {node.name} has {count} methods")
    return found


def _is_protocol(node: ast.ClassDef) -> bool:
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    return any(ast.unparse(base).rpartition(".")[2] == "Protocol" for base in bases)


def mocks(root: Path) -> list[str]:
    """Uses of mocks: imports of them, and pytest's fixture of that name."""
    found: list[str] = []
    for path in sources(root, "src", "tests", "bench"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "mock" in text else ():
            match node:
                case ast.Import(names=names):
                    modules = [name.name for name in names]
                case ast.ImportFrom(module=module, names=names):
                    modules = [f"{module}.{name.name}" for name in names]
                case ast.arg(arg="mocker"):
                    modules = ["mock"]
                case _:
                    continue
            if any("mock" in module.split(".") for module in modules):
                found.append(f"{path.relative_to(root)}: uses a mock; write a fake")
    return found


def unmarked_processes(root: Path) -> list[str]:
    """Tests of the inner loop's tiers that start processes and do not say so."""
    return [
        f"{path.relative_to(root)}: starts processes; say `pytestmark = {MARK}`"
        for path in sources(root, *(f"tests/{tier}" for tier in sorted(TIERS)))
        if path.name.startswith("test_")
        and SUBPROCESS.search(text := path.read_text("utf-8"))
        and MARK not in text
    ]


def called_workers(root: Path) -> list[str]:
    """Workers of a screen that are given a coroutine: one that never starts is never awaited."""
    found: list[str] = []
    for path in sources(root, "src"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if ".run_worker(" in text else ():
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="run_worker"),
                    args=[ast.Call(func=ast.Attribute()), *_],
                ):
                    place = f"{path.relative_to(root)}:{node.lineno}"
                    found.append(f"{place}: give run_worker a function, as partial(...)")
                case _:
                    continue
    return found


def suppressions(root: Path) -> list[str]:
    """Silenced checks without code and reason, and how far the budget is passed."""
    lines = 0
    places: list[str] = []
    found: list[str] = []
    for path in sources(root, "src", "tests", "bench"):
        text = path.read_text("utf-8")
        lines += text.count("\n") + 1
        if not SUPPRESSION.search(text):
            continue
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and SUPPRESSION.search(token.string):
                places.append(f"{path.relative_to(root)}:{token.start[0]}")
                if not SUPPRESSION_WITH_REASON.search(token.string):
                    found.append(f"{places[-1]}: a suppression needs its code and `- reason`")
    budget = lines // LINES_PER_SUPPRESSION
    if len(places) > budget:
        found.append(f"{len(places)} suppressions, {budget} allowed: {', '.join(places)}")
    return found


def tracked(root: Path) -> list[Path]:
    """Every file git knows, and every one it would take."""
    listed = subprocess.run(
        [
            "git",
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
        cwd=root,
        capture_output=True,
        check=True,
    )
    paths = [root / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def foreign_places(root: Path) -> list[str]:
    """Download addresses and paths of one machine, anywhere in the tree."""
    found: list[str] = []
    for path in tracked(root):
        content = path.read_bytes()
        if not any(sign in content for sign in FOREIGN_SIGNS):
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if hit := FOREIGN.search(line):
                found.append(f"{path.relative_to(root)}:{number}: {hit[0]!r}")
    return found


def loose_locks(root: Path) -> list[str]:
    """Locked packages without a hash, an address in a lock, or a dependency no lock holds."""
    found: list[str] = []
    folder = root / "requirements"
    pins = {path.name: _pins(path, found) for path in sorted(folder.glob("*.txt"))}
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    wanted = {"run.txt": project["project"]["dependencies"]}
    extras: dict[str, list[str]] = project["project"]["optional-dependencies"]
    wanted |= {f"extra-{name}.txt": wishes for name, wishes in extras.items()}
    groups = project["dependency-groups"]
    wanted |= {f"{name}.txt": wishes for name, wishes in groups.items()}
    for lock, wishes in wanted.items():
        for wish in wishes:
            name = re.split(r"[\[<>=~! ;]", wish)[0].lower()
            if name not in pins.get(lock, {}):
                found.append(f"{lock}: {name} is not locked; run `just lock`")
    for lock in ("run.txt", *(f"extra-{name}.txt" for name in extras)):
        for name, version in pins.get(lock, {}).items():
            if pins.get("dev.txt", {}).get(name) != version:
                found.append(f"dev.txt: {name} is not {version} as in {lock}; run `just lock`")
    return found


def _pins(lock: Path, found: list[str]) -> dict[str, str]:
    text = re.sub(r"(?m)^\s*#.*$", "", lock.read_text("utf-8")).replace("\\\n", " ")
    pins: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, rest = line.partition("==")
        pins[name] = rest.split(" ")[0] if rest else ""
        if "--hash=sha256:" not in line:
            found.append(f"{lock.name}: {name.split()[0]} has no hash")
        if "://" in line or line.startswith("-"):
            found.append(f"{lock.name}: {line.split()[0]} names a place to download from")
    return pins
