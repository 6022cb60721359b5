"""Words of a text that begin, or look, like a key of a vendor."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from ouroboros.safety.secrets import services, vendors
from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.plausible import is_filler
from ouroboros.safety.secrets.values import Finding

_TOKEN_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_TABLE = bytes(number if number in _TOKEN_BYTES else 32 for number in range(256))
_LONG = re.compile(rb" [^ ]{15,}")
_DIGIT = Expression(r"[0-9]")
_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$~+/:-"
_FURTHEST = 48
"""So far before a word may begin what it is joined to."""

_ESCAPE = Expression(r"%[0-9A-Fa-f]{2}|(?<=\\)(?:[nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_JOINERS = frozenset(".$~+/:")
_ESCAPING = frozenset("%\\")
_LEADING = frozenset("-_")
_DISCORD = frozenset("MNO")
_PARTING = "/:+="
_EDGE = r"(?![A-Za-z0-9])"

_JWT = (
    ("grafana-key", "eyJrIjoi", r"[A-Za-z0-9]{60,400}={0,3}(?!\.)"),
    (
        "jwt",
        "eyJ",
        r"[A-Za-z0-9_-]{7,8000}\.[A-Za-z0-9_-]{10,8000}(?:\.[A-Za-z0-9_-]{10,4000}){1,3}",
    ),
)
# Formats without a beginning of their own: what is inside a word, or at its end.
SHAPES = (
    ("discord-bot-token", r"[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ("telegram-bot-token", r"[0-9]{7,11}:A[A-Za-z0-9_-]{34}"),
    ("mailchimp-key", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    ("azure-client-secret", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("azure-devops-pat", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    ("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}"),
    ("maxmind-key", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    ("google-refresh-token", r"1//0[A-Za-z0-9_-]{35,200}"),
    ("asana-token", r"[12]/[0-9]{10,20}(?:/[0-9]{10,20})?:[a-f0-9]{32}"),
    (
        "azure-signed-key",
        r"[A-Za-z0-9]{60,90}(?:ACDb|AzCa|AzFu|AIoT|APIM|ACRv|AzSe|ARm)[A-Za-z0-9+/]{4,12}={0,2}",
    ),
)
_SHAPED = Expression("|".join(f"(?P<k{n}>{shape})" for n, (_, shape) in enumerate(SHAPES)) + "")
_SIGNS = (
    "Q~",
    "AZDO",
    "-us",
    "_mmk",
    "ACDb",
    "AzCa",
    "AzFu",
    "AIoT",
    "APIM",
    "ACRv",
    "AzSe",
    ".atlasv1.",
    ":A",
)
"""One of these is in every form of ``SHAPES``, but for those that begin like ``M``, ``N``, ``O`` or ``1/``."""

_WIDEST = 120
"""So far from the beginning of such a form stands its sign."""


@cache
def formats() -> dict[str, tuple[vendors.Format, ...]]:
    """Every format by the first two letters of its beginning, the longest beginning first."""
    every = (
        *vendors.MODELS, *vendors.CODE, *vendors.CLOUDS, *services.CHAT, *services.PAYMENT,
        *services.OPERATIONS, *services.SOFTWARE, *_JWT,
    )  # fmt: skip
    found: dict[str, list[vendors.Format]] = {}
    for each in sorted(every, key=lambda each: len(each[1]), reverse=True):
        found.setdefault(each[1][:2], []).append(each)
    return {start: tuple(known) for start, known in found.items()}


@cache
def _compiled(start: str) -> tuple[tuple[str, str, Expression], ...]:
    return tuple(
        (name, begin, Expression(re.escape(begin) + rest + _EDGE))
        for name, begin, rest in formats().get(start, ())
    )


def kinds() -> frozenset[str]:
    """The name of every format that a word can have."""
    every = {name for known in formats().values() for name, _, _ in known}
    return frozenset(every | {name for name, _ in SHAPES})


def in_words(text: str, data: bytes) -> Iterator[Finding]:
    """Keys with a vendor's form; ``data`` is the text, a byte for each character."""
    done = -1
    starts = formats()
    signs = tuple(sign for sign in _SIGNS if sign in text)
    size = len(text)
    for long in _LONG.finditer(b" " + data.translate(_TABLE)):
        begin, end = long.span()
        end -= 1
        if begin < done:
            continue
        before = text[begin - 1] if begin else ""
        start = begin
        if before in _ESCAPING or text[begin] in _LEADING:
            start += _skipped(text, begin, end)
        if text[start : start + 2] in starts and (found := _known(text, start)):
            yield found
            done = found.end
            continue
        if before in _JOINERS:
            if found := _joined(text, begin, end, max(done, 0), signs):
                yield found
                done = found.end
        elif (
            (signs or text[start : start + 1] in _DISCORD)
            and (end - begin >= 35 or (end < size and text[end] in ".~"))
            and (found := _alone(text, start, end, signs))
        ):
            yield found
            done = found.end


def _skipped(text: str, begin: int, end: int) -> int:
    """How many characters at a word's start belong to an escape, a diff or a switch before it."""
    skip = 0
    if begin > 0 and text[begin - 1] in "%\\":
        escape = _ESCAPE.match(text, begin - (text[begin - 1] == "%"))
        skip = escape.end() - begin if escape else 0
    while begin + skip < end and text[begin + skip] in _LEADING:
        skip += 1
    return skip


def _known(text: str, start: int) -> Finding | None:
    for name, begin, expression in _compiled(text[start : start + 2]):
        if text.startswith(begin, start):
            found = expression.built.match(text, start)
            if found and not is_filler(found.group()[len(begin) :]):
                return Finding(kind=name, start=start, end=found.end())
    return None


def _alone(text: str, at: int, end: int, signs: tuple[str, ...]) -> Finding | None:
    """A key whose form has no beginning of its own; ``signs`` are those that are in the text."""
    if text[at : at + 1] not in _DISCORD and not any(
        text.find(sign, at, end + 12) >= 0 for sign in signs
    ):
        return None
    return _with_shape(text, at) if _DIGIT.search(text, at, end) else None


def _joined(text: str, begin: int, end: int, from_: int, signs: tuple[str, ...]) -> Finding | None:
    """A key of several words, of which this one is the first that is long."""
    if not _DIGIT.built.search(text, begin, end):
        return None
    lead = text[max(from_, begin - _FURTHEST) : begin]
    start = begin - len(lead) + len(lead.rstrip(_RUN))
    starts = formats()
    for at in _tried(text, start, begin):
        if text[at] in _LEADING or text[at - 1 : at] in _ESCAPING:
            at += _skipped(text, at, end)
        if text[at : at + 2] in starts and (found := _known(text, at)):
            return found
        may_be = text[at] in _DISCORD or text[at + 1 : at + 2] == "/"
        if may_be or any(text.find(sign, at, at + _WIDEST) >= 0 for sign in signs):
            found = _with_shape(text, at)
            if found:
                return found
    return None


def _tried(text: str, start: int, begin: int) -> Iterable[int]:
    """Where a key may begin that goes on with the word at ``begin``."""
    found = {text.rfind(sign, start, begin) + 1 for sign in _PARTING}
    found -= {0}
    return sorted({start, begin, *found}) if found else (start, begin)


def _with_shape(text: str, at: int) -> Finding | None:
    shaped = _SHAPED.match(text, at)
    if shaped and not text[shaped.end() : shaped.end() + 1].isalnum():
        name = SHAPES[int((shaped.lastgroup or "k0")[1:])][0]
        return Finding(kind=name, start=at, end=shaped.end())
    return None
