"""The house keeps its rules, and each rule notices when it is broken."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import every
from tests.house import coverage, papers, rules

pytestmark = pytest.mark.real

type Rule = Callable[[Path], list[str]]

RULES: tuple[Rule, ...] = (
    rules.long_files,
    rules.forbidden_names,
    rules.busy_inits,
    rules.wrong_rooms,
    rules.wide_protocols,
    rules.mocks,
    rules.unmarked_processes,
    rules.called_workers,
    rules.suppressions,
    rules.foreign_places,
    rules.loose_locks,
    papers.test_names,
    coverage.coverage_faults,
    papers.changelog_faults,
    papers.page_faults,
    papers.unknown_links,
)

PROJECT = """
[project]
dependencies = ["anyio>=4"]
[project.optional-dependencies]
clouds = ["botocore>=1"]
[dependency-groups]
dev = ["pytest>=9"]
[[tool.importlinter.contracts]]
id = "floors"
layers = ["__main__", "faces | agent"]
"""
ROOM = '"""A room.\n\nRefuses: nothing.\n"""\n'
LOCK = f"anyio==4.1 \\\n    --hash=sha256:{'0' * 64}\n"
PROVEN = '@pytest.mark.proves("A01")\ndef test_a() -> None: ...\n'
FEATURES = """
[groups]
A = "Agent loop"
[[rows]]
id = "A01"
feature = "One engine"
[[rows]]
id = "A02"
feature = "A turn"
missing = "turns"
"""
COVERAGE = f"""{coverage.HEAD}
2 rows: 1 are proven, 1 are not.

## Not proven

| row | feature | missing |
|---|---|---|
| A02 | A turn | turns |

## Partly built

| row | feature | missing |
|---|---|---|

## Agent loop

| row | what holds | tests |
|---|---|---|
| A01 | One engine | tests/unit/test_a.py: test_a |
"""
HOUSE = {
    "pyproject.toml": PROJECT,
    "requirements/run.txt": LOCK,
    "requirements/extra-clouds.txt": LOCK.replace("anyio", "botocore"),
    "requirements/dev.txt": "".join(
        LOCK.replace("anyio", n) for n in ("anyio", "botocore", "pytest")
    ),
    "src/ouroboros/__init__.py": '"""A package."""\n',
    "src/ouroboros/agent/__init__.py": ROOM,
    "src/ouroboros/faces/__init__.py": ROOM,
    "tests/unit/test_a.py": PROVEN,
    coverage.FEATURES: FEATURES,
    coverage.PAGE: COVERAGE,
    "docs/decisions/0001-rooms.md": "\n".join(papers.DECISION_PARTS),
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One thing.\n",
    "AGENTS.md": "# Short\n",
    "ARCHITECTURE.md": "`faces` and `agent`\n",
}
DOOR = "src/ouroboros/agent/__init__.py"
LOOP = "src/ouroboros/agent/loop.py"
SIX = "".join(f"    def m{number}(self) -> None: ...\n" for number in range(6))
SILENCED = "# no" + "qa"

BREACHES: tuple[tuple[Rule, str, str], ...] = (
    (rules.long_files, "src/ouroboros/agent/long.py", "\n" * 701),
    (rules.long_files, LOOP, "\n" * 151),
    (rules.long_files, "tests/unit/test_long.py", "\n" * 901),
    (rules.forbidden_names, "src/ouroboros/agent/utils.py", ""),
    (rules.forbidden_names, "src/ouroboros/agent/text_helpers.py", ""),
    (rules.forbidden_names, "src/ouroboros/agent/common/__init__.py", ""),
    (rules.busy_inits, DOOR, ROOM + "print(1)\n"),
    (rules.busy_inits, DOOR, ROOM + "class Thing: ...\n"),
    (rules.busy_inits, DOOR, ROOM + "def __getattr__(name): ...\n"),
    (rules.busy_inits, DOOR, "import os\n"),
    (rules.busy_inits, "src/ouroboros/agent/deep/__init__.py", ROOM + "table = {}\n"),
    (rules.wrong_rooms, "src/ouroboros/attic/__init__.py", ROOM),
    (rules.wrong_rooms, DOOR, '"""A room."""\n'),
    (rules.wrong_rooms, "src/ouroboros/agent/hidden/thing.py", ""),
    (rules.wide_protocols, LOOP, "class Wide(Protocol):\n" + SIX),
    (rules.wide_protocols, LOOP, "class Wide(typing.Protocol[T]):\n" + SIX),
    (rules.mocks, "tests/unit/test_b.py", "from unittest import mock\n"),
    (rules.mocks, "tests/unit/test_b.py", "from unittest.mock import patch\n"),
    (rules.mocks, "tests/unit/test_b.py", "import unittest.mock as fake\n"),
    (rules.mocks, "tests/unit/test_b.py", "def test_b(mocker): ...\n"),
    (rules.unmarked_processes, "tests/unit/test_b.py", "import subprocess\n"),
    (rules.called_workers, LOOP, "self.run_worker(self._ask(), group='x')\n"),
    (rules.suppressions, LOOP, f"x = 1  {SILENCED}\n"),
    (rules.suppressions, LOOP, f"x = 1  {SILENCED}: E501 - a reason, but no budget\n"),
    (rules.suppressions, LOOP, "x = 1\n" * 1000 + f"x = 1  {SILENCED}: E501\n"),
    (rules.foreign_places, "notes.md", "see /" + "root/notes\n"),
    (rules.foreign_places, "notes.md", "see https://there.example/x-1.0" + ".whl\n"),
    (rules.loose_locks, "requirements/run.txt", "anyio==4.1\n"),
    (rules.loose_locks, "requirements/run.txt", LOCK.replace("anyio", "h11")),
    (rules.loose_locks, "requirements/run.txt", LOCK.replace("4.1", "4.2")),
    (rules.loose_locks, "requirements/run.txt", "--extra-index" + "-url there\n" + LOCK),
    (rules.loose_locks, "requirements/dev.txt", LOCK),
    (rules.loose_locks, "requirements/extra-clouds.txt", LOCK.replace("anyio", "jmespath")),
    (
        rules.loose_locks,
        "requirements/extra-clouds.txt",
        LOCK.replace("anyio", "botocore").replace("4.1", "4.2"),
    ),
    (papers.test_names, "docs/why.md", "| row | tests/unit/test_a.py::test_a |\n"),
    (coverage.coverage_faults, "tests/unit/test_a.py", PROVEN.replace("A01", "A03")),
    (coverage.coverage_faults, "tests/unit/test_a.py", PROVEN.replace("test_a", "test_b")),
    (coverage.coverage_faults, coverage.FEATURES, FEATURES + FEATURES[FEATURES.index("[[") :]),
    (coverage.coverage_faults, coverage.FEATURES, FEATURES.replace("A02", "B02")),
    (coverage.coverage_faults, coverage.PAGE, COVERAGE.replace("A02", "A04")),
    (papers.changelog_faults, "CHANGELOG.md", "# Changelog\n"),
    (papers.changelog_faults, "CHANGELOG.md", "## [Unreleased]\n\n### Improved\n\n- It.\n"),
    (papers.changelog_faults, "CHANGELOG.md", "\n## [Unreleased]\n\n- " + "word " * 26),
    (papers.page_faults, "AGENTS.md", "line\n" * 100),
    (papers.page_faults, "ARCHITECTURE.md", "`agent`\n"),
    (papers.page_faults, "docs/decisions/rooms.md", "\n".join(papers.DECISION_PARTS)),
    (papers.page_faults, "docs/decisions/0002-x.md", "# Nothing\n"),
    (papers.unknown_links, "AGENTS.md", "[there](docs/gone.md)\n"),
)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small house that keeps every rule."""
    return built(tmp_path)


def built(root: Path) -> Path:
    for name, text in HOUSE.items():
        put(root / name, text)
    return root


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def known_to_git(root: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--template="], cwd=root, check=True)


@pytest.mark.proves("spine-house")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_this_house_keeps_the_rule(rule: Rule) -> None:
    assert rule(rules.ROOT) == []


@pytest.mark.proves("spine-house")
def test_a_small_house_may_pass(house: Path) -> None:
    known_to_git(house)
    assert {rule.__name__: found for rule in RULES if (found := rule(house))} == {}


@pytest.mark.proves("spine-house")
@every(("rule", "name", "text"), BREACHES)
def test_a_breach_is_noticed(tmp_path: Path, rule: Rule, name: str, text: str) -> None:
    put(built(tmp_path) / name, text)
    if rule is rules.foreign_places:
        known_to_git(tmp_path)
    assert rule(tmp_path) != []


@pytest.mark.proves("spine-house")
def test_every_rule_has_a_breach_that_shows_it_works() -> None:
    assert {rule for rule, _, _ in BREACHES} == set(RULES)


@pytest.mark.proves("spine-house")
def test_a_missing_room_is_noticed(house: Path) -> None:
    (house / DOOR).unlink()
    (house / DOOR).parent.rmdir()
    assert rules.wrong_rooms(house) == ["agent: in the contract, not in the house"]


def test_a_reason_and_a_budget_let_a_suppression_stand(house: Path) -> None:
    put(house / LOOP, "x = 1\n" * 1000 + f"x = 1  {SILENCED}: E501 - the table reads better\n")
    assert rules.suppressions(house) == []
