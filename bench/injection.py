"""How many hidden orders are flagged, and how many harmless texts, in each of our sets.

Usage: python -m bench.injection [--show] [TEXTS.jsonl]

With TEXTS, in the form of ``bench.injection_training``, a row is printed for each of its sources instead.

Each set was counted once before anything was mended by it: the halves of the second came to 27 of 82 and 20 of 80
orders with 22 of 170 and 40 of 168 false alarms, the third, written after that mending, to 40 of 148 and 16 of 216.
What is printed is the state after mending, so it flatters: expect the first counts of texts from elsewhere.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from ouroboros.safety.pipeline.injection import flags
from tests.unit.safety.corpus.orders import ABOUT, PLAIN, attacks, lines
from tests.unit.safety.corpus.orders_apart import attacks_apart, half, harmless_apart
from tests.unit.safety.corpus.orders_fresh import attacks_fresh, harmless_fresh


def told(
    name: str, orders: Sequence[tuple[str, str]], harmless: Sequence[str], *, is_shown: bool
) -> str:
    """One row: found of all orders, and false alarms of all harmless texts."""
    missed = [text for _, text in orders if not flags(text)]
    alarms = [text for text in harmless if flags(text)]
    found = len(orders) - len(missed)
    if is_shown:
        sys.stdout.write("".join(f"missed: {text!r}\n" for text in missed))
        sys.stdout.write("".join(f"alarm: {text!r}\n" for text in alarms))
    shares = f"{found / len(orders):.1%} | {len(alarms)} of {len(harmless)}"
    return f"| {name} | {found} of {len(orders)} | {shares} | {len(alarms) / len(harmless):.1%} |\n"


def by_source(path: Path) -> None:
    """How many texts of each source are flagged; of orders many should be, of the others none."""
    counts: defaultdict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        kind = "orders" if line["label"] else "harmless"
        counts[line["split"], kind, line["source"]].append(bool(flags(line["text"])))
    sys.stdout.write("| split | kind | source | flagged | |\n|---|---|---|---|---|\n")
    for key, told_of in sorted(counts.items()):
        found = sum(told_of)
        share = found / len(told_of)
        sys.stdout.write(f"| {' | '.join(key)} | {found} of {len(told_of)} | {share:.1%} |\n")


def main() -> None:
    """Prints the table; with ``--show`` what was missed and what was wrong, too."""
    is_shown = "--show" in sys.argv[1:]
    for path in (each for each in sys.argv[1:] if each.endswith(".jsonl")):
        return by_source(Path(path))
    rows = [told("first", attacks(), [*lines(ABOUT), *lines(PLAIN)], is_shown=is_shown)]
    for is_unseen, name in ((False, "second, first half"), (True, "second, other half")):
        orders = half(attacks_apart(), is_unseen=is_unseen)
        harmless = half(harmless_apart(), is_unseen=is_unseen)
        rows.append(told(name, orders, harmless, is_shown=is_shown))
    rows.append(told("third", attacks_fresh(), harmless_fresh(), is_shown=is_shown))
    sys.stdout.write("| set | found | | false alarms | |\n|---|---|---|---|---|\n" + "".join(rows))


if __name__ == "__main__":
    main()
