"""Changes out of answers: the same cases applied by us and, where it is installed, by aider.

The cases are those of the tests, in the three dialects that both know. A case holds files, an answer,
and what must become of the files; where the answer does not fit, nothing may.

    python -m bench.paws_dogs [--aider PYTHON]

PYTHON is the interpreter of an environment that has aider-chat.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from ouroboros.workspace.artifacts.dogs import Refused
from ouroboros.workspace.artifacts.dogs.applying import apply
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Folder
from tests.unit.workspace.dogs.case_file import Case, case_of

CASES = Path(__file__).parents[1] / "tests/unit/workspace/dogs/cases"
DIALECTS = {"search": "diff", "diff": "udiff", "v4a": "patch", "whole": "whole"}
"""Our names for the dialects, and aider's."""

type Files = dict[str, bytes]
type Act = Callable[[Path, str, bytes], float]
"""Applies a text of a dialect in a folder, and gives the seconds that took."""

LOCAL = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "AIDER_ANALYTICS": "false"}
OURS = [sys.executable, "-m", "ouroboros", "dogs", "{answer}", "{root}", "-y"]
THEIRS = [
    *("-m", "aider", "--apply", "{answer}", "--no-git", "--yes-always", "--no-check-update"),
    *("--no-show-release-notes", "--model", "gpt-4o", "--edit-format", "diff", "a.py"),
]

PEER = """
import contextlib, io, json, os, sys, time
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
from aider.coders import Coder
from aider.io import InputOutput
from aider.models import Model
model = Model("gpt-4o")
print("ready", flush=True)
for line in sys.stdin:
    job = json.loads(line)
    os.chdir(job["folder"])
    names = [os.path.join(at, name) for at, _, found in os.walk(".") for name in found]
    with contextlib.redirect_stdout(io.StringIO()):
        console = InputOutput(yes=True, pretty=False, fancy_input=False)
        coder = Coder.create(
            main_model=model, edit_format=job["format"], io=console, fnames=names, use_git=False,
            map_tokens=0, auto_commits=False, stream=False, detect_urls=False)
        coder.partial_response_content = job["text"]
        begun = time.perf_counter()
        with contextlib.suppress(Exception):
            coder.apply_updates()
        took = time.perf_counter() - begun
    os.chdir("/")
    print(json.dumps(took), flush=True)
"""


def ours(root: Path, dialect: str, text: bytes) -> float:
    """As the command does it, without its checkpoint."""
    del dialect
    begun = time.perf_counter()
    try:
        made = plan(read(text), Folder(root))
        if not made.refusals:
            apply(made, root, journal=root.parent / "journal")
    except Refused:
        pass
    return time.perf_counter() - begun


def spelled_for_aider(diff: str) -> str:
    """A diff as it asks models for one: in a fence, and without the letters before names."""
    lines = [re.sub(r"^(---|\+\+\+) [ab]/", r"\1 ", line) for line in diff.split("\n")]
    bare = "\n".join(lines)
    return bare if "```" in bare else f"```diff\n{bare}```\n"


def aider(process: "subprocess.Popen[str]") -> Act:
    """Its coder of the dialect, told the answer as if a model had given it."""
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin, process.stdout

    def act(root: Path, dialect: str, text: bytes) -> float:
        words = text.decode()
        if dialect == "diff":
            words = spelled_for_aider(words)
        job = {"folder": str(root), "format": DIALECTS[dialect], "text": words}
        into.write(json.dumps(job) + "\n")
        into.flush()
        return float(out.readline())

    return act


def laid_out(root: Path, case: Case) -> None:
    """The files of a case."""
    for name, file in case.before.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


def found(root: Path) -> Files:
    """The files of a folder that hold something, as an empty one stands for a deleted one with some."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def verdict(case: Case, before: Files, after: Files) -> str:
    """What became of a case, in a word."""
    wanted = {name: file.content for name, file in case.after.items()}
    if after == wanted:
        return "right"
    if after == before:
        return "nothing"
    return "in part" if case.outcome == "refused" else "wrong"


def measured(act: Act, rounds: int) -> tuple[dict[str, Counter[str]], float]:
    """How every case of each dialect came out, and the median of seconds for one."""
    outcomes: dict[str, Counter[str]] = {}
    seconds: list[float] = []
    for dialect in DIALECTS:
        counted = outcomes.setdefault(dialect, Counter())
        for path in sorted((CASES / dialect).glob("*.txt")):
            case = case_of(path)
            if case.outcome not in {"applied", "refused"} or case.options:
                continue
            took: list[float] = []
            for number in range(rounds):
                with tempfile.TemporaryDirectory() as place:
                    root = Path(place) / "work"
                    root.mkdir()
                    laid_out(root, case)
                    before = found(root)
                    took.append(act(root, dialect, case.bundle))
                    if not number:
                        became = verdict(case, before, found(root))
                        counted[f"{case.outcome}: {became}"] += 1
                        if became != "right":
                            counted[f"  {path.stem}: {became}"] += 1
            seconds.append(min(took))
    return outcomes, median(seconds)


def table(results: Mapping[str, tuple[dict[str, Counter[str]], float]]) -> None:
    """A row for each dialect and kind of case, a column for each contestant."""
    print("| what | " + " | ".join(results) + " |")
    print("|---|" + "---|" * len(results))
    for dialect in DIALECTS:
        for kind, title in (
            ("applied", "applied as meant"),
            ("refused", "left alone, as it must be"),
        ):
            cells: list[str] = []
            for outcomes, _ in results.values():
                counted = outcomes[dialect]
                total = sum(n for word, n in counted.items() if word.startswith(kind))
                cells.append(f"{counted[f'{kind}: right']} of {total}")
            print(f"| {dialect}: {title} | " + " | ".join(cells) + " |")
    parts = [
        str(sum(counted["refused: in part"] for counted in outcomes.values()))
        for outcomes, _ in results.values()
    ]
    print("| written though it does not fit, or in part | " + " | ".join(parts) + " |")
    times = [f"{seconds * 1000:.2f} ms" for _, seconds in results.values()]
    print("| one answer, median of the best of each case | " + " | ".join(times) + " |")


def command(words: list[str], rounds: int) -> float:
    """Seconds from the start of a command to its end, for one answer that changes one file."""
    case = case_of(next((CASES / "search").glob("01-*.txt")))
    took: list[float] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as place:
            root = Path(place) / "work"
            root.mkdir()
            laid_out(root, case)
            answer = Path(place) / "answer.md"
            answer.write_bytes(case.bundle)
            home = {"OUROBOROS_HOME": str(Path(place) / "home"), "HOME": place}
            filled = [word.format(answer=answer, root=root) for word in words]
            begun = time.perf_counter()
            subprocess.run(
                filled,
                cwd=root,
                check=False,
                capture_output=True,
                env={**os.environ, **home, **LOCAL},
            )
            took.append(time.perf_counter() - begun)
            assert verdict(case, {}, {"a.py": (root / "a.py").read_bytes()}) == "right"
    return median(took)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--aider", default="", help="a Python that has aider-chat")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="name each case that is not right")
    chosen = parser.parse_args()
    results = {"ouroboros": measured(ours, chosen.rounds)}
    if chosen.aider:
        with subprocess.Popen(
            [chosen.aider, "-c", PEER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "TERM": "dumb"},
        ) as process:
            assert process.stdout is not None
            while process.stdout.readline().strip() != "ready":
                pass
            results["aider"] = measured(aider(process), chosen.rounds)
            assert process.stdin is not None
            process.stdin.close()
    table(results)
    cells = [f"{command(OURS, chosen.rounds):.2f} s"]
    if chosen.aider:
        cells.append(f"{command([chosen.aider, *THEIRS], chosen.rounds):.2f} s")
    print("| the command, from start to end | " + " | ".join(cells) + " |")
    if chosen.show:
        for name, (outcomes, _) in results.items():
            for dialect, counted in outcomes.items():
                for word in counted:
                    if word.startswith("  "):
                        print(f"{name} {dialect}{word}")


if __name__ == "__main__":
    main()
