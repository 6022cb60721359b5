"""What an event costs from the socket to the typed value, beside other clients in the same run.

Usage: python -m bench.llm [--peers-python PATH] [--runs N] [--only batched,paced,import,decoders]

The other clients live in an environment of their own:
    python3.12 -m venv PEERS
    PEERS/bin/pip install openai anthropic 'pydantic-ai-slim[openai,anthropic]' litellm
    python -m bench.llm --peers-python PEERS/bin/python
"""

import json
import subprocess
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Generator
from contextlib import contextmanager

from bench.llm import imports
from bench.llm.imports import ENVIRONMENT, ROOT
from bench.llm.server import EVENTS_A_SECOND, PATHS, stream_of
from bench.llm.sheet import ROWS, decoder_lines, growth_lines, missed
from bench.sheet import OURS, Sheet

PEERS = {"openai": ("chat", "responses"), "anthropic": ("messages",)}
"""Which wire formats a peer speaks; the others speak all."""

NAMES = (OURS, "openai", "anthropic", "pydantic-ai", "litellm")
PARTS = ("batched", "paced", "import", "decoders")
REPLIES = 5
"""Long replies that a batched measurement hears."""


def _arguments(words: list[str]) -> Namespace:
    parser = ArgumentParser(
        prog="python -m bench.llm",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--peers-python", default="", help="the Python that has the other clients")
    parser.add_argument("--runs", type=int, default=5, help="interleaved rounds")
    parser.add_argument("--only", default=",".join(PARTS), help=f"of {','.join(PARTS)}")
    return parser.parse_args(words)


@contextmanager
def _server() -> Generator[str]:
    process = subprocess.Popen(
        (sys.executable, "-m", "bench.llm.server"),
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _drive(python: str, *words: str) -> dict[str, float] | None:
    """What one contestant says of itself; None where it cannot do it."""
    found = subprocess.run(
        (python, str(ROOT / "bench" / "llm" / "drive.py"), *words),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=ENVIRONMENT,
    )
    if found.returncode:
        last = (found.stderr.strip() or found.stdout.strip()).rpartition("\n")[2]
        sys.stderr.write(f"{' '.join(words[:3])} failed: {last}\n")
        return None
    return json.loads(found.stdout.rpartition("{")[1] + found.stdout.rpartition("{")[2])


def _round(mode: str, pythons: dict[str, str], port: str, sheet: Sheet) -> None:
    plan = "long" if mode == "batched" else "paced"
    for wire in PATHS.values():
        stream = stream_of(wire, plan)
        for name, python in pythons.items():
            if wire not in PEERS.get(name, (wire,)):
                continue
            found = _drive(python, name, wire, mode, port, str(REPLIES))
            if found is None:
                continue
            if found["least"] != stream.characters or found["most"] != stream.characters:
                heard = f"{found['least']:.0f} to {found['most']:.0f}"
                sys.stderr.write(f"{name}, {wire}: {heard} of {stream.characters} characters\n")
                continue
            if mode == "batched":
                value = found["cpu"] / (found["replies"] * stream.events)
            else:
                # Of the planned time: who cannot keep up needs more than a core.
                value = found["cpu"] / (stream.events / EVENTS_A_SECOND)
            sheet.add(f"{mode} {wire}", name, value)


def _versions(python: str) -> str:
    program = (
        "from importlib.metadata import version as v; "
        "print(', '.join(f'{n} {v(n)}' for n in "
        "('openai', 'anthropic', 'pydantic-ai-slim', 'litellm')))"
    )
    return subprocess.run(
        (python, "-c", program), capture_output=True, text=True, check=True
    ).stdout.strip()


def main(words: list[str]) -> None:
    """Measures and prints."""
    arguments = _arguments(words)
    parts: list[str] = arguments.only.split(",")
    pythons: dict[str, str] = {OURS: sys.executable}
    if peers := str(arguments.peers_python):
        pythons |= dict.fromkeys(NAMES[1:], peers)
        print(f"{_versions(peers)}.\n")
    sheet = Sheet(list(pythons), ROWS)
    with _server() as port:
        for number in range(arguments.runs):
            for mode in ("batched", "paced"):
                if mode in parts:
                    _round(mode, pythons, port, sheet)
                    sys.stderr.write(f"round {number + 1}: {mode}\n")
    floors: list[str] = []
    if "import" in parts:
        found = imports.over_bare({n: p for n, p in pythons.items() if n != OURS}, sys.executable)
        for name, values in found.items():
            for value in values:
                sheet.add("import", name, value)
        floors = [f"{name} {sheet.middle('import', name) * 1e3:.0f} ms" for name in imports.FLOORS]
    print("\n".join(sheet.lines()))
    if floors:
        print(f"\nOf the import, or beside it: {', '.join(floors)}.")
    if "decoders" in parts:
        _print_decoders()
    short = list(missed(sheet))
    print("\n".join(("", "Aims not reached:", *short)) if short else "\nEvery aim is reached.")


def _print_decoders() -> None:
    found = subprocess.run(
        (sys.executable, "-m", "bench.llm.decoders"),
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env=ENVIRONMENT,
    )
    measured = json.loads(found.stdout)
    print("", *decoder_lines(measured["costs"]), sep="\n")
    print("", *growth_lines(measured["growth"]), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
