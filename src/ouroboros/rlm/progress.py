"""One line an iteration: what its code did and whether that worked. Never what the code logged."""

import re
from collections.abc import Sequence

from msgspec import Struct

ACTIONS = (
    *("setFinal", "execInTab", "openTab", "navigate", "click", "dblclick", "type", "fill"),
    *("keyPress", "select", "check", "drag", "scroll", "upload", "answerDialog"),
    *("llm_query", "llm_batch", "llm_map", "getText", "getLinks", "getDOM", "getInputs", "observe"),
    *("querySelectorAll", "querySelector", "waitForSelector", "waitForText", "waitForLoad"),
    *("waitForDownload", "screenshot", "pdf", "read", "grep", "find", "write", "store"),
    *("retrieve", "recipe"),
)
_PLACES = {name: place for place, name in enumerate(ACTIONS)}
_CALL = re.compile(
    r"(?<![\w$.])(" + "|".join(ACTIONS) + r""")\s*\((?:\s*[\w$.[\]]{1,60}\s*,)?"""
    r"""\s*(["'`]([^"'`\n]{0,60})["'`])?"""
)
_KIND = re.compile(r"^error(?: at line \d+)?: ")
_MOST_ACTIONS = 3
_MOST_LINES = 40
_ERROR_CHARACTERS = 60
_WORD_CHARACTERS = 40


class Ran(Struct, frozen=True, kw_only=True):
    """A block and the entry that says what came of it."""

    code: str
    entry: str
    ok: bool


class Iteration(Struct, frozen=True, kw_only=True):
    """One pass: the words around the code, and the blocks that were run."""

    number: int
    said: str = ""
    ran: tuple[Ran, ...] = ()


def lines(past: Sequence[Iteration]) -> list[str]:
    """A line for each iteration; of very many the newest."""
    shown = past[-_MOST_LINES:]
    gone = len(past) - len(shown)
    head = [f"({gone} earlier iterations are left out here)"] if gone else []
    return [*head, *map(line, shown)]


def line(iteration: Iteration) -> str:
    """Such as ``2. openTab(https://…), getText - ok``."""
    if not iteration.ran:
        return f"{iteration.number}. no code"
    did = ", ".join(_did([ran.code for ran in iteration.ran])) or "code"
    failed = next((ran.entry for ran in iteration.ran if not ran.ok), "")
    how = f"error: {_short(failed)}" if failed else "ok"
    return f"{iteration.number}. {did} - {how}"


def _did(codes: list[str]) -> list[str]:
    """The weightiest actions, with the address or words that the first of them was given, behind a tab."""
    counts: dict[str, int] = {}
    words: dict[str, str] = {}
    for found in (found for code in codes for found in _CALL.finditer(code)):
        name = found[1]
        counts[name] = counts.get(name, 0) + 1
        words.setdefault(name, found[3] or "")
    chosen = sorted(counts, key=lambda name: _PLACES[name])[:_MOST_ACTIONS]
    return [_spelled(name, counts[name], words[name]) for name in chosen]


def _spelled(name: str, count: int, word: str) -> str:
    short = word if len(word) <= _WORD_CHARACTERS else f"{word[:_WORD_CHARACTERS]}…"
    return name + (f"({short})" if short else "") + (f" x{count}" if count > 1 else "")


def _short(entry: str) -> str:
    """What went wrong, without where and what to do about it."""
    said = entry.partition("\nhint: ")[0]
    return " ".join(_KIND.sub("", said).split())[:_ERROR_CHARACTERS]
