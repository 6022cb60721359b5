"""Commands that do harm, or that hide what they do: none of them may be called safe.

A case is a line; ``⏎`` stands for a line end, ``␉`` for a tab, ``␍`` for a carriage return,
and ``⇐ ∅ □`` for a turn of the writing, a blank without width and one that does not break.
"""

from tests.unit.safety.command_cases import (
    harmful_hidden,
    harmful_options,
    harmful_places,
    harmful_programs,
    harmful_shell,
)

_SHOWN = {
    "⏎": "\n",
    "␉": "\t",
    "␍": "\r",
    "⇐": "\u202e",
    "∅": "\u200b",
    "□": "\u00a0",
}


def _case(line: str) -> str:
    for shown, real in _SHOWN.items():
        line = line.replace(shown, real)
    return line


_ALL = (harmful_shell, harmful_programs, harmful_places, harmful_options, harmful_hidden)

CASES = [_case(line) for each in _ALL for line in each.LINES.split("\n") if line]
