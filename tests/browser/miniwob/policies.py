"""Policies written in JavaScript, by task: ``//: task task`` begins one in a file of ``policies/``."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "policies"
SHARED = (FOLDER / "shared.js").read_text(encoding="utf-8")
_HEAD = re.compile(r"^//: (.*)$", re.MULTILINE)


@cache
def policies() -> dict[str, str]:
    """Task to code."""
    found: dict[str, str] = {}
    for file in sorted(FOLDER.glob("*.js")):
        _, *parts = _HEAD.split(file.read_text(encoding="utf-8"))
        for names, code in zip(parts[::2], parts[1::2], strict=True):
            for name in names.split():
                assert name not in found, f"two policies for {name}"
                found[name] = code.strip()
    return found
