"""The rules for the papers of the house: what each must say, and how long it may be."""

import re
from pathlib import Path

from tests.house import coverage
from tests.house.rules import AGENTS_LINES, CHANGELOG_SECTIONS, ENTRY_WORDS, rooms

TEST_NAME = re.compile(r"tests/[\w/.-]+\.py::\w+|\.py::test_\w+")
DECISION = re.compile(r"\d{4}-[a-z0-9-]+\.md")
DECISION_PARTS = ("## Context", "## Decision", "## Consequences", "## What would change our mind")


def test_names(root: Path) -> list[str]:
    """Tests that a page written by hand names: they move, and `proves` marks say which test shows what."""
    found: list[str] = []
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "bench").glob("*.md")]
    for page in sorted(set(pages) - {root / coverage.PAGE}):
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            if named := TEST_NAME.search(line):
                found.append(
                    f"{page.relative_to(root)}:{number}: name the row instead of {named[0]}"
                )
    return found


def changelog_faults(root: Path) -> list[str]:
    """Entries that are too long and headings that Keep a Changelog does not know."""
    text = (root / "CHANGELOG.md").read_text("utf-8")
    found = [] if "\n## [Unreleased]\n" in text else ["CHANGELOG.md: no [Unreleased] section"]
    kinds = re.findall(r"(?m)^### (.+)$", text)
    entries = re.findall(r"(?ms)^- (.+?)(?=^- |^#|\Z|^$)", text)
    found += [
        f"CHANGELOG.md: no such kind of change: {kind!r}"
        for kind in kinds
        if kind not in CHANGELOG_SECTIONS
    ]
    return found + [
        f"CHANGELOG.md: more than {ENTRY_WORDS} words: {entry[:40]!r}"
        for entry in entries
        if len(entry.split()) > ENTRY_WORDS
    ]


def page_faults(root: Path) -> list[str]:
    """A guide for agents that is too long, and rooms the architecture page forgets."""
    found: list[str] = []
    lines = len((root / "AGENTS.md").read_text("utf-8").splitlines())
    if lines >= AGENTS_LINES:
        found.append(f"AGENTS.md: {lines} lines, fewer than {AGENTS_LINES} allowed")
    page = (root / "ARCHITECTURE.md").read_text("utf-8")
    found += [
        f"ARCHITECTURE.md: no word on {room}" for room in rooms(root) if f"`{room}" not in page
    ]
    for path in sorted((root / "docs" / "decisions").iterdir()):
        if not DECISION.fullmatch(path.name):
            found.append(f"{path.relative_to(root)}: decisions are called NNNN-title.md")
            continue
        text = path.read_text("utf-8")
        found += [
            f"{path.relative_to(root)}: no {part!r}" for part in DECISION_PARTS if part not in text
        ]
    return found


def unknown_links(root: Path) -> list[str]:
    """Links between our own pages that lead nowhere."""
    found: list[str] = []
    for page in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]:
        targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
        found += [
            f"{page.relative_to(root)}: nothing at {target!r}"
            for target in targets
            if "://" not in target and not (page.parent / target).exists()
        ]
    return found
