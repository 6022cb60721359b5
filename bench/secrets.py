"""Finds of secrets side by side: ours, gitleaks' expressions, and detect-secrets, on our own corpus.

``python -m bench.secrets [--gitleaks gitleaks.toml] [--detect-secrets PYTHON]``. Neither is part of the
project: gitleaks' expressions (MIT, Copyright (c) 2019 Zachary Rice) are read from a file of that
project and translated for Python's ``re``; detect-secrets runs in an environment of its own.
"""

import argparse
import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import cast

from ouroboros.safety.secrets.detector import Detector
from ouroboros.safety.secrets.plausible import entropy
from tests.unit.safety.corpus.harmless import negatives
from tests.unit.safety.corpus.secret_texts import positives

type Spans = list[tuple[int, int]]
type Finder = Callable[[list[str]], list[Spans]]

_FOREIGN = """
import json, os, sys, tempfile
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
with default_settings(), tempfile.TemporaryDirectory() as folder:
    for number, line in enumerate(sys.stdin):
        text = json.loads(line)
        path = os.path.join(folder, f"{number}.txt")
        with open(path, "w") as file:
            file.write(text)
        held = SecretsCollection()
        held.scan_file(path)
        found = [each.secret_value for _, each in held if each.secret_value]
        print(json.dumps([[text.find(v), text.find(v) + len(v)] for v in found if v in text]))
"""


def ours(texts: list[str]) -> list[Spans]:
    """The detector of the product."""
    detector = Detector()
    return [[(each.start, each.end) for each in detector.find(text)] for text in texts]


def gitleaks(path: Path) -> Finder:
    """The expressions, words and entropies of gitleaks' own configuration."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rules = [rule for rule in table["rules"] if "regex" in rule]
    built = [
        (_translated(rule["regex"]), rule.get("keywords", []), rule.get("entropy", 0.0), rule)
        for rule in rules
    ]

    def find(texts: list[str]) -> list[Spans]:
        found: list[Spans] = []
        for text in texts:
            low = text.lower()
            spans: Spans = []
            for expression, words, least, rule in built:
                if words and not any(word.lower() in low for word in words):
                    continue
                for match in expression.finditer(text):
                    group = rule.get("secretGroup", 1 if match.re.groups else 0)
                    value = match.group(group) or match.group()
                    if entropy(value) >= least and not _is_allowed(rule, value, match.group()):
                        spans.append(match.span(group if match.group(group) else 0))
            found.append(spans)
        return found

    return find


def _is_allowed(rule: dict[str, object], value: str, whole: str) -> bool:
    for each in cast("list[dict[str, list[str]]]", rule.get("allowlists", [])):
        about = whole if str(each.get("regexTarget", "")) in ("match", "line") else value
        if any(_translated(source).search(about) for source in each.get("regexes", [])):
            return True
        if any(word in value.lower() for word in each.get("stopwords", [])):
            return True
    return False


def _translated(source: str) -> re.Pattern[str]:
    """An expression of Go as one of Python: flags within are spread over what follows them."""
    source = source.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    source = re.sub(r"\(\?-i:", "(?-i:", source)
    while (at := source.find("(?i)")) >= 0:
        end = _end_of_group(source, at + 4)
        source = f"{source[:at]}(?i:{source[at + 4 : end]}){source[end:]}"
    return re.compile(source)


def _end_of_group(source: str, at: int) -> int:
    """Where the group ends in which a flag stands."""
    depth, in_class = 0, False
    while at < len(source):
        sign = source[at]
        if sign == "\\":
            at += 1
        elif in_class or sign == "[":
            in_class = sign != "]"
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth < 0:
                return at
        at += 1
    return at


def detect_secrets(python: Path) -> Finder:
    """detect-secrets with its default plugins, in another interpreter."""

    def find(texts: list[str]) -> list[Spans]:
        said = subprocess.run(
            [str(python), "-c", _FOREIGN],
            input="\n".join(json.dumps(text) for text in texts),
            capture_output=True,
            text=True,
            check=True,
        )
        return [[(a, b) for a, b in json.loads(line)] for line in said.stdout.splitlines()]

    return find


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gitleaks", type=Path)
    parser.add_argument("--detect-secrets", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    finders: dict[str, Finder] = {"ouroboros": ours}
    if chosen.gitleaks:
        finders["gitleaks' expressions"] = gitleaks(chosen.gitleaks)
    if chosen.detect_secrets:
        finders["detect-secrets"] = detect_secrets(chosen.detect_secrets)
    good, bad = positives(chosen.seed), negatives(chosen.seed + 1)
    print(f"{len(good)} texts with a secret, {len(bad)} without, seed {chosen.seed}\n")
    print("| | found | found in part | false alarms | ms |\n|---|---|---|---|---|")
    for name, finder in finders.items():
        began = perf_counter()
        spans = finder([text for _, text, _ in good])
        alarms = sum(bool(each) for each in finder([text for _, text in bad]))
        took = (perf_counter() - began) * 1000
        whole = part = 0
        for (_, text, secret), found in zip(good, spans, strict=True):
            start = text.index(secret)
            end = start + len(secret)
            whole += any(a <= start + 3 and b >= end - 3 for a, b in found)
            part += any(a < end and b > start for a, b in found)
        shares = (whole / len(good), part / len(good), alarms / len(bad))
        print(f"| {name} | " + " | ".join(f"{share:.1%}" for share in shares) + f" | {took:.0f} |")


if __name__ == "__main__":
    main()
