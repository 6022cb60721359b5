"""Driving and looking at real Chromium, beside other drivers in the same run.

Usage: python -m bench.browser [--peers-python PATH] [--runs N] [--only drive,observe] [--largest]

The others live in an environment of their own:
    python3.12 -m venv PEERS
    PEERS/bin/pip install browser-use playwright
    python -m bench.browser --peers-python PEERS/bin/python
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from bench.browser.pages import served
from bench.sheet import OURS, Row, Sheet

ROOT = Path(__file__).parents[2]
DRIVERS = (OURS, "raw pipe", "playwright")
WATCHERS = (OURS, "browser-use")
PATHS = (
    ("elements/50", "50 elements", 5),
    ("elements/500", "500 elements", 10),
    ("elements/5000", "5,000 elements", 40),
    ("elements/20000", "20,000 elements", 100),
    ("article/1000000", "1 MB article", 25),
    ("article/10000000", "10 MB article", 150),
)
SLOW = frozenset({"elements/20000"})
"""browser-use takes more than a minute for it; only with ``--largest``."""

BESIDE = (("raw pipe", 1.2), ("playwright", 1.0))
"""How many times theirs ours may be."""

DRIVING = (
    Row("cold start", "cold start to the first page, ms", 1e3, 0, beside=BESIDE),
    Row("evaluate", "evaluate, round trip, ms", 1e3, 2, beside=BESIDE),
    Row("evaluate as ours", "the same, raw with gesture and deadline, ms", 1e3, 2, beside=BESIDE),
    Row("click and type", "click and type 11 keys, ms", 1e3, 1, beside=BESIDE),
    Row("tabs", "20 tabs opened, loaded, read, closed, ms", 1e3, 0, beside=BESIDE),
    Row("memory", "memory of the driver, MB", 1e-6, 0, 30),
)
LOOKING = (
    *(Row(path, f"{title}, ms", 1e3, 1, most) for path, title, most in PATHS),
    *(
        Row(f"{path} characters", f"{title}, characters", 1, 0, 800, is_compared=False)
        for path, title, _ in PATHS
    ),
)


def _arguments(words: list[str]) -> Namespace:
    parser = ArgumentParser(
        prog="python -m bench.browser",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--peers-python", default="", help="the Python that has the others")
    parser.add_argument("--program", default=shutil.which("chromium") or "/usr/bin/chromium")
    parser.add_argument("--runs", type=int, default=5, help="interleaved rounds")
    parser.add_argument("--only", default="drive,observe", help="of drive,observe")
    parser.add_argument("--largest", action="store_true", help="20,000 elements for browser-use")
    return parser.parse_args(words)


def _environment(home: str) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "HOME": home,
        "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ANONYMIZED_TELEMETRY": "false",
        "BROWSER_USE_LOGGING_LEVEL": "result",
    }


def _drive(python: str, *words: str) -> dict[str, float]:
    """What one contestant says of itself; nothing where it failed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        found = subprocess.run(
            (python, "-m", "bench.browser.drive", *words),
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
            cwd=ROOT,
            env=_environment(home),
        )
    if found.returncode:
        last = (found.stderr.strip() or found.stdout.strip()).rpartition("\n")[2]
        sys.stderr.write(f"{' '.join(words[:2])} failed: {last}\n")
        return {}
    return json.loads(found.stdout.strip().rpartition("\n")[2])


def _round(sheet: Sheet, scenario: str, pythons: dict[str, str], *words: str) -> None:
    for name in sheet.names:
        paths = [path for path, _, _ in PATHS] if scenario == "observe" else []
        if name == "browser-use" and "largest" not in words:
            paths = [path for path in paths if path not in SLOW]
        for key, value in _drive(pythons[name], name, scenario, *words[:2], *paths).items():
            sheet.add(key, name, value)


def main(words: list[str]) -> None:
    """Measures and prints."""
    arguments = _arguments(words)
    pythons = {OURS: sys.executable, "raw pipe": sys.executable}
    if peers := str(arguments.peers_python):
        pythons |= dict.fromkeys(("playwright", "browser-use"), peers)
    sheets = {
        scenario: Sheet([name for name in names if name in pythons], rows)
        for scenario, names, rows in (("drive", DRIVERS, DRIVING), ("observe", WATCHERS, LOOKING))
        if scenario in str(arguments.only).split(",")
    }
    more = ("largest",) if arguments.largest else ()
    with served() as address:
        for number in range(arguments.runs):
            for scenario, sheet in sheets.items():
                _round(sheet, scenario, pythons, arguments.program, address, *more)
                sys.stderr.write(f"round {number + 1}: {scenario}\n")
    for sheet in sheets.values():
        print("\n".join((*sheet.lines(), "")))
    short = [line for sheet in sheets.values() for line in sheet.missed()]
    print("\n".join(("Aims not reached:", *short)) if short else "Every aim is reached.")


if __name__ == "__main__":
    main(sys.argv[1:])
