"""Bundles: time, memory and size on the same tree, beside repomix where it is there.

    python -m bench.paws_cats [--files 10000] [--rounds 3] [--repomix node_modules/.bin/repomix] [--tree FOLDER]

The two take turns, so that what else the machine does meets both. The tree is made of this project's own
sources, each file cut or joined from them and made different, unless one is named.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from ouroboros.workspace.artifacts.tokens import tokens_of

HERE = Path(__file__).parents[1]
KINDS = ("src/**/*.py", "tests/unit/**/*.py", "docs/**/*.md", "src/**/*.js", "src/**/*.css")


class Run(NamedTuple):
    """One call of a program."""

    seconds: float
    cpu: float
    peak_mb: float
    bytes: int
    tokens: int


def make_tree(root: Path, count: int, total: int) -> None:
    """So many files, so many bytes."""
    chance = random.Random(7)
    sources = [path for kind in KINDS for path in sorted(HERE.glob(kind))]
    texts = [(path.suffix, path.read_text("utf-8")) for path in sources]
    each = total // count
    for number in range(count):
        suffix, text = chance.choice(texts)
        text = f"# {number} {chance.random()}\n{text}"
        while len(text) < each * 0.7:
            text += chance.choice(texts)[1]
        path = root / f"part{number % 97}/area{number % 11}/file{number}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text[: int(each * chance.uniform(0.8, 1.4))], "utf-8")


def run(words: list[str], root: Path, output: Path) -> Run:
    """Starts a program and looks at what it took."""
    output.unlink(missing_ok=True)
    environment = {**os.environ, "OUROBOROS_HOME": str(output.parent / "home")}
    begun = time.perf_counter()
    process = os.fork()
    if process == 0:
        os.chdir(root)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        os.execve(words[0], words, environment)
    _, status, used = os.wait4(process, 0)
    seconds = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{words[0]} ended with {os.waitstatus_to_exitcode(status)}")
    data = output.read_bytes()
    cpu = used.ru_utime + used.ru_stime
    return Run(seconds, cpu, used.ru_maxrss / 1024, len(data), tokens_of(data))


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repomix", default="")
    parser.add_argument("--tree", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(options.tree).resolve() if options.tree else Path(scratch) / "tree"
        if not options.tree:
            make_tree(root, options.files, options.megabytes * 1_000_000)
        output = Path(scratch) / "out.md"
        ours = [sys.executable, "-m", "ouroboros", "cats", "-q", "--root", ".", "-o", str(output)]
        programs = {
            "ouro cats": ours,
            "ouro cats, secrets not left out": [*ours, "--include-secrets"],
        }
        if options.repomix:
            peer = [str(Path(options.repomix).absolute()), "--quiet", "--style", "markdown"]
            peer += ["-o", str(output)]
            programs["repomix"] = peer
            programs["repomix --no-security-check"] = [*peer, "--no-security-check"]
        found: dict[str, list[Run]] = {name: [] for name in programs}
        for _ in range(options.rounds):
            for name, words in programs.items():
                found[name].append(run(words, root, output))
        files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
        size = sum(path.stat().st_size for path in files)
        sys.stdout.write(f"{len(files):,} files, {size:,} bytes\n")
        sys.stdout.write("| | time | CPU | memory | bundle | tokens |\n|---|---|---|---|---|---|\n")
        for name, runs in found.items():
            middle = [statistics.median(values) for values in zip(*runs, strict=True)]
            sys.stdout.write(
                f"| {name} | {middle[0]:.2f} s | {middle[1]:.2f} s | {middle[2]:,.0f} MB"
                f" | {middle[3]:,.0f} bytes | {middle[4]:,.0f} |\n"
            )


if __name__ == "__main__":
    main()
