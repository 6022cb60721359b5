"""The patch engine against a second one written from the format's description, over made-up files."""

import random
from pathlib import Path

import pytest

from ouroboros.workspace.patch import Disk, apply_patch, parse
from ouroboros.workspace.patch.apply import Overlay
from tests.unit.workspace.plain_patch import Step, applied

WORDS = (
    *("a", "b", "c", "a ", " a", "  b", "\ta", "", " ", "x - y", "x \u2013 y", "it's", "it\u2019s"),
    *(
        '"q"',
        "\u201cq\u201d",
        "no\u00a0break",
        "no break",
        "@@",
        "+plus",
        "-minus",
        "*** star",
        "}",
    ),
)


def made_file(dice: random.Random) -> str:
    lines = [dice.choice(WORDS) for _ in range(dice.randrange(1, 14))]
    return "\n".join(lines) + dice.choice(("\n", "\n", ""))


def blurred(line: str, dice: random.Random) -> str:
    return dice.choice((
        *(line, line, line, line.strip(), f"{line} ", f" {line}"),
        *(line.replace("\u2013", "-"), line.replace("\u2019", "'"), line.replace("\u00a0", " ")),
    ))


def made_step(lines: list[str], dice: random.Random) -> Step:
    start = dice.randrange(len(lines))
    chosen = lines[start : start + dice.randrange(0, 4)]
    marked: list[tuple[str, str]] = []
    for line in chosen:
        mark = dice.choice("  -")
        marked.append((mark, blurred(line, dice)))
        if dice.random() < 0.4:
            marked.append(("+", dice.choice(WORDS)))
    if not marked:
        marked.append(("+", dice.choice(WORDS)))
    header = blurred(dice.choice(lines), dice) if dice.random() < 0.2 else None
    return header if header and header.strip() else None, marked, dice.random() < 0.15


def spelled(steps: list[Step]) -> str:
    body = ["*** Begin Patch", "*** Update File: a"]
    for header, marked, at_end in steps:
        body.append("@@" if header is None else f"@@ {header}")
        body += [f"{mark}{line}" for mark, line in marked]
        body += ["*** End of File"] if at_end else []
    return "\n".join([*body, "*** End Patch"])


@pytest.mark.proves("D14")
@pytest.mark.parametrize("seeds", [6, pytest.param(60, marks=pytest.mark.deep)])
def test_both_engines_come_to_the_same(tmp_path: Path, seeds: int):
    for seed in range(seeds):
        compare(tmp_path, seed)


def compare(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    hits = 0
    for _ in range(100):
        text = made_file(dice)
        lines = text.split("\n")
        steps = [made_step(lines, dice) for _ in range(dice.randrange(1, 4))]
        (tmp_path / "a").write_text(text, newline="")
        expected = applied(text, steps)
        files = Disk() if seed == 0 else Overlay(Disk())  # each write to a disk waits for it
        outcome = apply_patch(parse(spelled(steps)), tmp_path, files)
        found = None if outcome.failure else files.read(tmp_path / "a")
        if expected is None and found is not None:
            # Ours also takes a header that names a line by a part of it.
            assert any(header for header, _, _ in steps), (text, spelled(steps))
            continue
        assert found == expected, (text, spelled(steps))
        hits += found is not None
    assert hits > 20
