"""The page of what is tested where, made from ``docs/features.toml`` and the ``proves`` marks of the tests."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, convert

PAGE = "docs/coverage.md"
FEATURES = "docs/features.toml"
MARK = re.compile(r"@pytest\.mark\.proves\(([^)]*)\)")
FUNCTION = re.compile(r"def (\w+)")
HEAD = """# What is tested where

<!-- Made by `just docs` from features.toml and the tests' `proves` marks; change those instead. -->

A row is a feature. The tests named in it are marked `@pytest.mark.proves("ROW")`: at least one of them
fails when the feature breaks. Long tests run with `./test --deep` or `./test --soak` alone.
"""


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A feature: what is asked for, what the tests show of it, and what is missing."""

    id: str
    feature: str = ""
    holds: tuple[str, ...] = ()
    missing: str = ""


class Features(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All rows; ``groups`` maps the beginning of an id to a title, in the order of the page."""

    groups: dict[str, str]
    rows: tuple[Row, ...]


def features(root: Path) -> Features:
    """The rows of ``docs/features.toml``."""
    return convert(tomllib.loads((root / FEATURES).read_text("utf-8")), Features)


def marks(root: Path) -> Iterator[tuple[str, str, str]]:
    """Row, file and test of every ``proves`` mark, in the order of files and lines."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        if "mark.proves" not in text:
            continue
        for mark in MARK.finditer(text):
            if function := FUNCTION.search(text, mark.end()):
                for row in re.findall(r'"([^"]+)"', mark[1]):
                    yield row, path.relative_to(root).as_posix(), function[1]


def page(root: Path) -> str:
    """What ``docs/coverage.md`` has to say."""
    known = features(root)
    proofs: dict[str, dict[str, list[str]]] = {}
    for row, file, name in marks(root):
        proofs.setdefault(row, {}).setdefault(file, []).append(name)
    silent = [row for row in known.rows if row.id not in proofs]
    proven = len(known.rows) - len(silent)
    parts = [HEAD, f"{len(known.rows)} rows: {proven} are proven, {len(silent)} are not.\n"]
    parts += ["## Not proven\n", "| row | feature | missing |", "|---|---|---|"]
    parts += [f"| {row.id} | {_cell(row.feature)} | {_cell(row.missing)} |" for row in silent]
    parts += ["", "## Partly built\n", "| row | feature | missing |", "|---|---|---|"]
    parts += [
        f"| {row.id} | {_cell(row.feature)} | {_cell(row.missing)} |"
        for row in known.rows
        if row.missing and row.id in proofs
    ]
    for group, title in known.groups.items():
        rows = [r for r in known.rows if _group(r.id) == group and r.id in proofs]
        if rows:
            parts += [f"\n## {title}\n", "| row | what holds | tests |", "|---|---|---|"]
        parts += [
            f"| {row.id} | {_cell('; '.join(row.holds) or row.feature)} | {_named(proofs[row.id])} |"
            for row in rows
        ]
    return "\n".join(parts) + "\n"


def coverage_faults(root: Path) -> list[str]:
    """Marks of rows that there are not, rows of no group or named twice, and a page that is out of date."""
    known = features(root)
    ids = [row.id for row in known.rows]
    found = [
        f"{file}: {name} proves {row!r}, which is no row of {FEATURES}"
        for row, file, name in marks(root)
        if row not in ids
    ]
    found += [f"{FEATURES}: {row!r} is there twice" for row in sorted({*ids}) if ids.count(row) > 1]
    found += [
        f"{FEATURES}: {row!r} is in no group" for row in ids if _group(row) not in known.groups
    ]
    if (root / PAGE).read_text("utf-8") != page(root):
        found.append(f"{PAGE} is out of date: run `just docs`")
    return found


def _group(row: str) -> str:
    matched = re.match(r"CF(?=\d)|[A-Z](?=\d)|[a-z]+(?=-)", row)
    return matched[0] if matched else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _named(tests: dict[str, list[str]]) -> str:
    return "; ".join(f"{file}: {', '.join(names)}" for file, names in tests.items())
