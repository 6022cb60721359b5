"""The search as a session uses it: with what the person said becomes of each kind, and in pieces."""

from collections.abc import Mapping

from msgspec.structs import replace

from ouroboros.safety.secrets.assignments import NEEDLES
from ouroboros.safety.secrets.blocks import LONGEST, open_block
from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.find import find, redacted
from ouroboros.safety.secrets.values import Action, Finding, mark
from ouroboros.safety.secrets.words import formats

_LINE = 8_192
"""So much of a line tells what a later word of it is."""

_LINES = 5
"""A login of ``.netrc`` may stand on so many lines, the one before it counted."""

_HELD = LONGEST + 4_096
"""More is never held back."""

_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.$~+/:=%\\"
"""Characters of which a vendor's key, and what joins its parts, is made."""

_SURE = 3
"""A shorter beginning of a vendor's keys begins words, too."""

_BEGUN = 4
"""So many characters of a secret are told from those of any word."""

_GIVEN = Expression(
    r"(?i)(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization)"
    r"[\"']?\s{0,2}[:=]\s{0,2}(?:bearer |basic )?[\"']?(?P<value>[^\s\"'\[\](){}$<>]{4,2048})\Z"
)
_CALLED = Expression(
    r"[ \t+-]{0,40}[\"']?[a-z]{5,7}[\"']?[ \t]{0,16}[:=]|[ \t]{1,40}\S{0,8192}\Z|\s{0,40}<"
)
"""A line whose value may belong to a name in the line above."""

_NAMES = (
    *(needle.decode() for needle in NEEDLES),
    "-u ",
    "--user ",
    "mysql",
    "redis-cli",
    "://",
    ":{s",
)


class Detector:
    """Finds secrets that nobody told us of."""

    def __init__(self, actions: Mapping[str, Action] | None = None) -> None:
        """``actions`` is what becomes of a kind; one that is not named is redacted."""
        self._actions = dict(actions or {})

    def find(self, text: str) -> list[Finding]:
        """Every secret in the text, in order."""
        found = find(text)
        if not self._actions or not found:
            return found
        return [replace(each, action=self._actions.get(each.kind, "redact")) for each in found]

    def redacted(self, text: str) -> str:
        """The text with a mark in place of each secret but those that only warn."""
        return redacted(text, [each for each in self.find(text) if each.action != "warn"])

    def cut(self, text: str) -> str:
        """A text that ends in the middle of something, without the beginning of a secret at its end.

        What stood before the end was redacted before.
        """
        if text.endswith("]"):
            return text
        given = _GIVEN.search(text, max(0, len(text) - _LINE))
        block = open_block(text)
        start = len(text.rstrip(_RUN))
        start += len(text) - start - len(text[start:].lstrip("-_=\\"))
        if given:
            return text[: given.start("value")] + mark("cut")
        if block >= 0 or _is_begun(text[start:]):
            return text[: block if block >= 0 else start] + mark("cut")
        return text

    def flow(self) -> "Flow":
        """Redacts one text that comes in pieces."""
        return Flow(self)


class Flow:
    """A text in pieces: any pieces of it give what the whole gives.

    What may go on to be a secret waits for the piece after it.
    """

    def __init__(self, detector: Detector) -> None:
        """Made by ``Detector.flow``."""
        self._detector = detector
        self._before = ""
        self._held = ""

    def next(self, piece: str) -> str:
        """What can be shown now."""
        self._held += piece
        text = self._before + self._held
        cut = open_at(text)
        if len(text) - cut > _HELD:
            cut = len(text) - _LINE
        return self._released(text, cut) if cut > len(self._before) else ""

    def rest(self) -> str:
        """What was held back, once nothing follows."""
        text = self._before + self._held
        return self._released(text, len(text)) if self._held else ""

    def _released(self, text: str, cut: int) -> str:
        begin = len(self._before)
        told: list[Finding] = []
        for each in self._detector.find(text):
            if each.end <= begin or each.action == "warn":
                continue
            if each.start < cut < each.end:
                cut = max(begin, each.start)
            if each.end <= cut:
                told.append(replace(each, start=max(0, each.start - begin), end=each.end - begin))
        shown = redacted(text[begin:cut], told)
        line = cut
        for _ in range(_LINES):
            line = text.rfind("\n", 0, max(0, line - 1)) + 1
        self._before = text[max(line, cut - _LINE) : cut]
        self._held = text[cut:]
        return shown


def _is_begun(tail: str) -> bool:
    """Whether a key may begin so, with more of its vendor's letters than words share."""
    begins = [begin for _, begin, _ in formats().get(tail[:2], ()) if len(begin) >= _SURE]
    if any(tail.startswith(begin) and len(tail) >= _BEGUN for begin in begins):
        return True
    return not tail.isalpha() and len(tail) >= _BEGUN and any(b.startswith(tail) for b in begins)


def open_at(text: str) -> int:
    """From where on the text may still turn out to be a secret, once more of it is there."""
    block = open_block(text)
    if block >= 0:
        return block
    run = len(text.rstrip(_RUN))
    line = text[max(text.rfind("\n") + 1, len(text) - _LINE) :].lower()
    above = text.rfind("\n", 0, max(0, len(text) - len(line) - 1)) + 1
    if _CALLED.match(line):
        line = text[max(above, len(text) - _LINE) :].lower()
    if line.count(":") >= 4 or any(name in line for name in _NAMES):
        word = (
            len(text) - len(text[-_HELD:].split()[-1]) if text and not text[-1].isspace() else run
        )
        return min(run, word)
    return run
