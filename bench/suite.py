"""Where the time of the tests goes: seconds and starts by folder, and the slowest tests, as Markdown.

python -m bench.suite                 the default tier
python -m bench.suite --deep          the default and the deep tier
python -m bench.suite --busy 4        beside so many processes that never rest
python -m bench.suite --calls         counts processes, browsers, servers and commits to disk under strace,
                                      folder by folder; what needs strace itself falls then
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
FOLDERS = ("acp", "browser", "context", "faults", "house", "sandbox", "story", "tui", "web", "wire")
TRACED = "trace=execve,fsync,fdatasync,listen"


@dataclass
class Times:
    """Seconds and numbers of tests by folder, and each test with its seconds."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    tests: Counter[str] = field(default_factory=Counter[str])
    each: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    def read(self, report: Path) -> None:
        """Takes in a report of pytest's."""
        for case in ElementTree.parse(report).iter("testcase"):  # made by our own run
            name, seconds = f"{case.get('file')}::{case.get('name')}", float(case.get("time", 0))
            folder = folder_of(case.get("file", ""))
            self.seconds[folder] = self.seconds.get(folder, 0) + seconds
            self.tests[folder] += 1
            self.each.append((seconds, name))


def folder_of(file: str) -> str:
    """``unit/llm`` of a file below it, ``story`` of one in that folder."""
    parts = file.split("/")[1:-1]
    return "/".join(parts[:2] if parts[:1] == ["unit"] else parts[:1])


@contextmanager
def beside(number: int) -> Generator[None]:
    """So many processes that never rest, meanwhile."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


def timed(arguments: list[str], scratch: Path) -> tuple[Times, float, str]:
    """A run of ``./test --quick``: its times, its seconds in all, and what pytest said last."""
    report = scratch / "report.xml"
    began = time.monotonic()
    done = subprocess.run(
        [ROOT / "test", "--quick", *arguments, f"--junitxml={report}", "-o", "junit_family=xunit1"],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - began
    times = Times()
    times.read(report)
    closing = [line for line in done.stdout.splitlines() if re.match(r"=+ .* in [\d.]+s", line)]
    return times, seconds, closing[-1].strip("= ") if closing else "pytest did not come to its end"


def counted(arguments: list[str], folder: str, scratch: Path) -> Counter[str]:
    """What the tests of a folder start, and how often they wait for the disk."""
    trace = scratch / "trace"
    strace = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-e",
        TRACED,
        "-e",
        "signal=none",
        "-o",
        trace,
    ]
    test = [ROOT / "test", "--quick", *arguments, f"tests/{folder}"]
    subprocess.run([*strace, *test], capture_output=True, check=False)
    found: Counter[str] = Counter()
    with trace.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if "execve(" in line and "= -1" not in line:
                found["processes"] += 1
                found["browsers"] += "user-data-dir" in line and "--type=" not in line
            found["servers"] += "listen(" in line
            found["commits"] += "sync(" in line and "= -1" not in line
    trace.unlink()
    return found


def folders() -> Iterator[str]:
    """Every folder that a row stands for."""
    yield from FOLDERS
    for path in sorted((ROOT / "tests" / "unit").iterdir()):
        if path.is_dir() and path.name != "__pycache__":
            yield f"unit/{path.name}"


def print_times(times: Times, slowest: int) -> None:
    """The folders, then the slowest tests."""
    sys.stdout.write("| folder | tests | seconds of workers |\n|---|---|---|\n")
    for folder, seconds in sorted(times.seconds.items(), key=lambda each: -each[1]):
        sys.stdout.write(f"| {folder} | {times.tests[folder]} | {seconds:.1f} |\n")
    whole = sum(seconds for seconds, _ in times.each)
    sys.stdout.write(
        f"| all | {len(times.each)} | {whole:.1f} |\n\n| test | seconds |\n|---|---|\n"
    )
    for seconds, name in sorted(times.each, reverse=True)[:slowest]:
        sys.stdout.write(f"| {name.removeprefix('tests/')} | {seconds:.1f} |\n")


def main() -> int:
    """Runs the tests as asked and prints what was measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.suite", description=__doc__)
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--slowest", type=int, default=50)
    parser.add_argument("--calls", action="store_true")
    asked = parser.parse_args()
    arguments = ["--deep"] if asked.deep else []
    with tempfile.TemporaryDirectory() as folder, beside(asked.busy):
        scratch = Path(folder)
        if not asked.calls:
            times, seconds, closing = timed(arguments, scratch)
            print_times(times, asked.slowest)
            sys.stdout.write(f"\n{closing}; {seconds:.0f} s with collection\n")
            return 0
        if shutil.which("strace") is None:
            sys.stderr.write("strace was not found\nhint: apt-get install strace\n")
            return 2
        kinds = ("processes", "browsers", "servers", "commits")
        sys.stdout.write(f"| folder | {' | '.join(kinds)} |\n|---|{'---|' * len(kinds)}\n")
        for name in folders():
            found = counted(arguments, name, scratch)
            sys.stdout.write(f"| {name} | {' | '.join(str(found[kind]) for kind in kinds)} |\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
