"""Learns what signs weigh together in ``safety/pipeline/frames.py``, and writes it.

Usage: python -m bench.frame_training TEXTS.jsonl

TEXTS are as for ``bench.injection_training``. The shipped weights were learned from our own sets of orders
(``tests/unit/safety/corpus``, but for ``orders_unseen``) and from harmless manuals, changelogs, package pages,
docstrings and pages for agents of a machine, one half of its files; the other half was held out.
The bar is set by hand, by harmless texts of the training alone.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from math import exp, sqrt
from pathlib import Path
from random import Random

from msgspec import Struct

from ouroboros.safety.pipeline import frames

TARGET = Path(frames.__file__).with_name("frame_weights.py")
ROUNDS, RATE, LEAST, KEPT = 8, 0.3, 6, 0.3
IMPORTANCE = {
    "orders": 5.0,
    "plain orders": 12.0,
    "mails": 14.0,
    "ours": 9.0,
    "pages": 3.0,
    "agents": 3.0,
}
"""Sources that count for more than others: orders are few, and so are harmless texts that mislead."""


class Example(Struct, frozen=True, kw_only=True):
    """A text as the names of its windows."""

    is_order: bool
    importance: float
    windows: list[list[str]]


def examples(path: Path) -> list[Example]:
    """The texts of the training that have any window."""
    from ouroboros.safety.pipeline.injection import folded

    found: list[Example] = []
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if line["split"] == "train":
            windows = [frames.named(each) for each in frames.windows(folded(line["text"]))]
            importance = IMPORTANCE.get(line["source"], 1.5)
            found += [
                Example(is_order=bool(line["label"]), importance=importance, windows=windows)
            ] * bool(windows)
    return found


def learn(texts: list[Example]) -> dict[str, float]:
    """Logistic regression over the heaviest window of an order and the three of a harmless text (AdaGrad)."""
    seen = Counter(
        name
        for text in texts
        if text.is_order
        for name in {name for each in text.windows for name in each}
    )
    every = {name for text in texts for each in text.windows for name in each}
    weights = dict.fromkeys(
        sorted(name for name in every if "&" not in name or seen[name] >= LEAST), 0.0
    )
    steps, bias, bias_steps = dict.fromkeys(weights, 1e-2), -2.0, 1e-2
    chance = Random(1)
    for _ in range(ROUNDS):
        chance.shuffle(texts)
        for text in texts:
            by_weight = sorted(text.windows, key=lambda names: total(names, weights))
            for names in by_weight[-1 if text.is_order else -3 :]:
                odds = max(-30.0, min(30.0, total(names, weights) + bias))
                slope = (1 / (1 + exp(-odds)) - text.is_order) * text.importance
                if abs(slope) < 1e-3:
                    continue
                for name in names:
                    if name in weights:
                        held = 4e-3 * (3 if "&" in name else 1)
                        own = weights[name]
                        step = slope + 1e-3 * own + held * ((own > 0) - (own < 0))
                        steps[name] += step * step
                        weights[name] -= RATE * step / sqrt(steps[name])
                bias_steps += slope * slope
                bias -= RATE * slope / sqrt(bias_steps)
    return weights | {"-": -bias}


def total(names: Sequence[str], weights: dict[str, float]) -> float:
    """What names weigh."""
    return sum(weights.get(name, 0.0) for name in names)


def written(weights: dict[str, float]) -> str:
    """The module of the weights that matter."""
    rows = [""]
    for name in sorted(weights):
        if abs(weights[name]) >= KEPT:
            if len(rows[-1]) > 360:
                rows.append("")
            rows[-1] += f"{name}={round(20 * weights[name])}|"
    title = "What signs weigh in ``frames``, in twentieths: written by ``bench.frame_training``, not by hand."
    return f'"""{title}"""\n\nWEIGHTS = """\\\n' + "\\\n".join(rows) + '"""\n'


def main() -> None:
    """Writes the weights."""
    weights = learn(examples(Path(sys.argv[1])))
    TARGET.write_text(written(weights), encoding="utf-8")
    sys.stdout.write(f"{sum(abs(each) >= KEPT for each in weights.values())} weights\n")


if __name__ == "__main__":
    main()
