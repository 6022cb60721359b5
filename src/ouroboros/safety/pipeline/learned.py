"""Orders told by a linear model of words, pairs of words and the kinds of words that stand together.

Words and pairs of a sentence count over the root of its length; two sentences that follow each other are
one, too. ``weights`` holds what ``bench.injection_training`` learned from others' collections.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from math import sqrt

ENOUGH = 2.15
"""So much is an order; set by harmless texts of the training alone."""

MANY = 3
"""Kinds of words that stand together in an order."""

TOGETHER = 0.35
"""What kinds of words count, beside the words."""

_TOKEN = re.compile(
    r"https?://|@[\w-]{1,64}\.|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[.!?。！？]+(?=\s|$)|\n\s*\n|#{2,}|<!--|[<\[:]"
)
_ENDS = frozenset(".!?。！？\n")
_LONGEST = 40
_LEAST = 8

KINDS = {
    "ai": "ai llm llms assistant assistants agent agents chatbot chatbots gpt chatgpt claude copilot gemini bot bots model models crawler summarizer",
    "user": "user users user's human humans operator customer person owner",
    "ignore": "ignore ignoring disregard disregarding forget override overrides overriding bypass neglect overlook discard skip abandon suspend suspended void supersede supersedes superseded cancel drop",
    "orders": "instruction instructions rule rules guideline guidelines prompt prompts directive directives orders constraints restrictions policy policies safeguards guardrails task tasks request",
    "old": "previous prior above earlier preceding original initial existing former past before all",
    "send": "send sends sending email forward upload post transmit exfiltrate leak transfer submit share export copy",
    "reveal": "reveal print repeat show output display disclose dump recite write reply respond say tell answer include append output",
    "secret": "password passwords secret secrets credentials credential token tokens key keys cookie cookies env ssn conversation history system inbox contacts files file database record confidential",
    "alert": "important urgent attention notice alert warning note immediately mandatory required critical priority update",
    "must": "must shall should need have will always never please now strictly",
    "hide": "silently quietly secretly without hidden don't not never confirmation asking mention telling approval",
    "harm": "delete remove erase wipe disable install download execute run curl bash rm transfer pay purchase grant push merge approve",
    "you": "you your yourself you're",
    "new": "new instead now henceforth act pretend role mode free updated",
}
"""Kinds of words by name; a word may be of several."""

_NAMES = tuple(KINDS)


def is_learned_order(text: str) -> bool:
    """Whether small letters read like the orders that the weights were learned from."""
    before: list[str] = []
    known = 0
    for piece in pieces(text):
        found = kinds(piece)
        if (found | known).bit_count() >= MANY and (
            _weight(piece, found) > ENOUGH or _weight([*before, *piece], found | known) > ENOUGH
        ):
            return True
        before, known = piece, found
    return False


def pieces(text: str) -> Iterator[list[str]]:
    """The words of each sentence, or of so many words as count as one; numbers are all alike."""
    piece = ["^"]
    for token in _TOKEN.findall(text):
        if token[0] in _ENDS:
            if token[0] == "!":
                piece.append("!")
            if len(piece) >= 4:
                yield piece
                piece = ["^"]
            continue
        piece.append("0" if token[0].isdigit() else token)
        if len(piece) > _LONGEST:
            yield piece
            piece = ["^"]
    if len(piece) > 1:
        yield piece


def kinds(words: list[str]) -> int:
    """Which kinds stand among words: a bit for each, in order of ``KINDS``."""
    found = 0
    of = _bits()
    for word in words:
        found |= of.get(word, 0)
    return found


@lru_cache(4096)
def together(found: int) -> tuple[str, ...]:
    """The names of kinds, and of any two of them, as they are called among the weights."""
    here = [name for place, name in enumerate(_NAMES) if found >> place & 1]
    pairs = [f"&{one}&{two}" for at, one in enumerate(here) for two in here[at + 1 :]]
    return (*(f"&{name}" for name in here), *pairs)


def scale(words: int) -> float:
    """What one word counts among so many."""
    return 1 / sqrt(max(words, _LEAST))


def named(words: list[str]) -> set[str]:
    """The words and the pairs of words, each once."""
    return {*words, *map(" ".join, pairwise(words))}


def _weight(words: list[str], found: int) -> float:
    if found.bit_count() < MANY:
        return 0.0
    known = _weights()
    return sum(known.get(name, 0.0) for name in named(words)) * scale(len(words)) + _of_kinds(found)


@lru_cache(4096)
def _of_kinds(found: int) -> float:
    known = _weights()
    return TOGETHER * sum(known.get(name, 0.0) for name in together(found))


@cache
def _bits() -> dict[str, int]:
    bits: dict[str, int] = {}
    for place, words in enumerate(KINDS.values()):
        for word in words.split():
            bits[word] = bits.get(word, 0) | 1 << place
    return bits


@cache
def _weights() -> dict[str, float]:
    from ouroboros.safety.pipeline.weights import WEIGHTS  # big; most runs need none

    entries = (entry.split("=") for entry in WEIGHTS.split("|") if entry)
    return {name: int(weight) / 20 for name, weight in entries}
