"""Files that a task may be about, found without a model: by the words that it shares with them; pure."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.workspace.artifacts.tokens import tokens_of

MOST_WORDS = 40
_LEAST = 3
_SHOWN_WORDS = 8
_SHOWN_NAMES = 10
_LONGEST = 60
"""Letters of a name that are shown."""

_FEW = 10
"""Of so many files each word tells something."""

_COMMON = math.log(1.5)
"""The rarity of a word that is in half of the files: of those that are in more nobody needs to know."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*|[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STOPS = re.compile(
    r"about|add|after|all|also|and|any|are|because|been|before|being|but|can|cause|causes|change|com|could|"
    r"create|does|done|each|file|files|find|fix|fixes|for|from|get|has|have|how|http|https|into|its|"
    r"like|make|may|more|most|must|need|new|not|now|off|one|only|our|out|over|please|"
    r"project|remove|see|should|show|some|such|test|tests|than|that|the|their|them|then|"
    r"there|these|they|this|through|too|under|update|use|used|uses|using|very|want|was|way|"
    r"were|what|when|where|which|while|who|why|will|with|without|work|works|would|write|www|"
    r"you|your|code|und|der|die|das|ein|eine|mit|für|von|nicht"
)


class Text(Struct, frozen=True, kw_only=True):
    """A file as the search for words sees it; ``text`` is the beginning, in small letters."""

    path: str
    text: bytes
    tokens: int


class Candidate(Struct, frozen=True, kw_only=True):
    """A file that the model may rank.

    Attributes:
        score: How well it fits the task's words; only to be compared.
        words: Those of the task that are in its path or text, the rarest first.
        names: What it defines; those that hold words of the task first.
    """

    path: str
    tokens: int
    score: float = 0.0
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """As the model reads it."""
        cells = (
            self.path,
            f"about {self.tokens:,} tokens",
            ", ".join(self.words[:_SHOWN_WORDS]) or "-",
            ", ".join(map(_plain, self.names[:_SHOWN_NAMES])) or "-",
        )
        more = len(self.names) - _SHOWN_NAMES
        return " | ".join(cells) + (f", and {more:,} more" if more > 0 else "")


def words_of(task: str) -> tuple[str, ...]:
    """The words of a task that tell something, in small letters; parts of joined names, too."""
    found: dict[str, None] = {}
    for word in _WORD.findall(task.replace("_", " ")):
        for part in (word, *_HUMP.split(word)):
            low = part.lower()
            if _STOPS.fullmatch(low) or (len(low) < _LEAST and low.isascii()):
                continue
            found[_stem(low)] = None
    return tuple(found)[:MOST_WORDS]


def _stem(word: str) -> str:
    for end in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= 4 and not word.endswith("ss"):
            return word.removesuffix(end)
    return word


def candidates(
    task: str,
    texts: Iterable[Text],
    most: int,
    names: Callable[[str], Sequence[str] | None] = lambda _: None,
) -> list[Candidate]:
    """The files that fit best, at most so many, in order of their scores; all when they are few.

    Args:
        task: In the person's words.
        texts: Each is let go of before the next one.
        most: So many are kept.
        names: What a file that is kept defines, by its path.
    """
    words = words_of(task)
    counted = {each.path: (each.tokens, _counts(each, words)) for each in texts}
    spread = {word: sum(word in counts for _, counts in counted.values()) for word in words}
    rare = {word: _rarity(count, len(counted)) for word, count in spread.items() if count}
    found = [_candidate(path, *how, rare) for path, how in counted.items()]
    found.sort(key=lambda each: (-each.score, each.path))
    return [_named(each, names(each.path) or (), rare) for each in found[:most]]


def fitting(found: Sequence[Candidate], most_tokens: int) -> tuple[Candidate, ...]:
    """The first ones whose lines take no more tokens than these; one at least."""
    left = most_tokens
    for count, each in enumerate(found):
        left -= tokens_of(each.line.encode("utf-8", "replace")) + 1
        if left < 0:
            return tuple(found[: max(1, count)])
    return tuple(found)


def _rarity(count: int, total: int) -> float:
    """What a word tells that is in so many of all files; nothing where it is in each of them."""
    return math.log((total + count) / (2 * count)) if total > _FEW else math.log(1 + total / count)


def _counts(one: Text, words: Sequence[str]) -> dict[str, float]:
    """How much each word weighs in a file: in its path more than in its text."""
    path = one.path.lower()
    name = path.rpartition("/")[2]
    found: dict[str, float] = {}
    for word in words:
        count = one.text.count(word.encode())
        weight = math.log1p(min(count, 50))
        weight += 3.0 if word in name else 1.5 if word in path else 0.0
        if weight:
            found[word] = weight
    return found


def _candidate(
    path: str, tokens: int, counts: Mapping[str, float], rare: Mapping[str, float]
) -> Candidate:
    length = 1 + tokens / 20_000
    score = sum(weight * rare[word] for word, weight in counts.items()) / length
    told = (word for word in counts if rare[word] >= _COMMON)
    words = sorted(told, key=lambda word: (-rare[word], word))
    return Candidate(path=path, tokens=tokens, score=round(score, 3), words=tuple(words))


def _named(one: Candidate, names: Sequence[str], rare: Mapping[str, float]) -> Candidate:
    """Names stay in the file's order but for those that tell the most of the task."""
    known = {word: rare[word] for word in one.words}
    return replace(one, names=tuple(sorted(names, key=lambda name: -_rarest(name.lower(), known))))


def _rarest(name: str, rare: Mapping[str, float]) -> float:
    """What the word of the task in a name weighs that is in the fewest files."""
    return max((weight for word, weight in rare.items() if word in name), default=0.0)


def _plain(name: str) -> str:
    """A name as it may stand in a line; nothing that a file holds ends the line or the list."""
    return "".join(char if char.isprintable() and char not in "<>" else "?" for char in name)[
        :_LONGEST
    ]
