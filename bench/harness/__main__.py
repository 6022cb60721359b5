"""How much Ouroboros costs beside what the model costs, against peers in the same run.

Usage: python -m bench.harness [--quick] [--runs N] [--formats chat,responses,messages]
"""

import subprocess
import sys
import tempfile
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from statistics import median

import anyio

from bench.harness import scenarios
from bench.harness.contestants import CAGES, FORMATS, Contestant, bare_loop, codex, ouroboros
from bench.harness.process import bare_spawn
from bench.harness.table import Sheet

STARTS_A_ROUND = 3
SHELLS = ("/bin/sh", "/bin/bash")
PLAN = {
    "start": (scenarios.start, STARTS_A_ROUND),
    "turns": (scenarios.turns, 1),
    "memory": (scenarios.memory, 1),
    "deltas": (scenarios.deltas, 1),
    "paced": (scenarios.paced, 1),
}


def _arguments(words: list[str]) -> Namespace:
    parser = ArgumentParser(prog="python -m bench.harness", description=__doc__)
    parser.add_argument("--runs", type=_rounds, default=5, help="interleaved rounds")
    parser.add_argument("--quick", action="store_true", help="one round, one wire format")
    parser.add_argument("--formats", type=_some(FORMATS), help=f"of {','.join(FORMATS)}")
    parser.add_argument("--only", type=_some(PLAN), default=list(PLAN), help=f"of {','.join(PLAN)}")
    parser.add_argument(
        "--cages", type=_some(CAGES), default=["none"], help=f"of {','.join(CAGES)}"
    )
    parser.add_argument("--ouro", type=Path, help="program to measure instead of this Python's")
    parser.add_argument("--codex", type=Path, help="an installed codex to compare with")
    parser.add_argument(
        "--peer", choices=("codex",), help="install @openai/codex with npm for this run"
    )
    return parser.parse_args(words)


def _rounds(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _some(known: Collection[str]) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
        return names

    return read


def _contestants(arguments: Namespace, folder: Path) -> list[Contestant]:
    program = (sys.executable, "-I", "-m", "ouroboros")
    if arguments.ouro is not None:
        program = (str(arguments.ouro.resolve()),)
    wires: list[str] = arguments.formats or (["responses"] if arguments.quick else list(FORMATS))
    found = [ouroboros(program, wire, cage) for wire in wires for cage in arguments.cages]
    if arguments.codex is not None:
        found.append(codex(arguments.codex))
    elif arguments.peer == "codex":
        found.append(codex(_installed(folder)))
    return [*found, bare_loop()]


def _installed(folder: Path) -> Path:
    subprocess.run(
        ("npm", "install", "--silent", "--prefix", str(folder), "@openai/codex"), check=True
    )
    return folder / "node_modules" / ".bin" / "codex"


async def measure(
    arguments: Namespace,
    contestants: list[Contestant],
    sheet: Sheet,
    spawns: dict[str, list[float]],
) -> None:
    """Every contestant goes through every scenario once a round, in turn."""
    for number in range(1 if arguments.quick else arguments.runs):
        for name in arguments.only:
            scenario, times = PLAN[name]
            for _ in range(times):
                for contestant in contestants:
                    await scenario(contestant, partial(sheet.add, contestant.name))
            sys.stderr.write(f"round {number + 1}: {name}\n")
        for shell, seconds in spawns.items():
            seconds += await bare_spawn(shell, 30)


def main(words: list[str]) -> None:
    """Measures and prints."""
    arguments = _arguments(words)
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        contestants = _contestants(arguments, Path(folder))
        names = [contestant.name for contestant in contestants]
        sheet = Sheet(names, "codex" if "codex" in names else "")
        spawns: dict[str, list[float]] = {one: [] for one in SHELLS if Path(one).exists()}
        anyio.run(measure, arguments, contestants, sheet, spawns)
    print("\n".join(sheet.lines()))
    bare = (f"`{shell} -c true` {median(each) * 1e3:.2f} ms" for shell, each in spawns.items())
    print(f"\nBy itself, {' and '.join(bare)}.")
    missed = [line for one in contestants if one.is_ours for line in sheet.missed(one.name)]
    print("\n".join(("", "Budgets not kept:", *missed)) if missed else "\nEvery budget is kept.")


if __name__ == "__main__":
    main(sys.argv[1:])
