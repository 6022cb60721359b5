"""Words of a text that begin, or look, like a key of a vendor."""

import re
from collections.abc import Iterator
from functools import cache

from ouroboros.safety.secrets import services, vendors
from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.plausible import is_filler
from ouroboros.safety.secrets.values import Finding

_TOKEN_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_TABLE = bytes(number if number in _TOKEN_BYTES else 32 for number in range(256))
_LONG = re.compile(rb" [^ ]{15,}")
_DIGIT = Expression(r"[0-9]")
_RUN = Expression(r"[A-Za-z0-9_.$~+/:-]{1,48}\Z")
_ESCAPE = Expression(r"%[0-9A-Fa-f]{2}|(?<=\\)(?:[nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_JOINERS = frozenset(".$~+/:")
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
)


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
    for long in _LONG.finditer(b" " + data.translate(_TABLE)):
        begin, end = long.span()
        end -= 1
        if begin < done:
            continue
        start = begin + _skipped(text, begin, end)
        if text[start : start + 2] in starts and (found := _known(text, start)):
            yield found
            done = found.end
            continue
        joined = begin > 0 and text[begin - 1] in _JOINERS
        if (
            joined or end - begin >= 35 or (end < len(text) and text[end] in ".~")
        ) and _DIGIT.search(text, begin, end):
            found = _joined(text, begin, end, joined=joined, from_=max(done, 0))
            if found:
                yield found
                done = found.end


def _skipped(text: str, begin: int, end: int) -> int:
    """How many characters at a word's start belong to an escape, a diff or a switch before it."""
    skip = 0
    if begin > 0 and text[begin - 1] in "%\\":
        escape = _ESCAPE.match(text, begin - (text[begin - 1] == "%"))
        skip = escape.end() - begin if escape else 0
    while begin + skip < end and text[begin + skip] in "-_":
        skip += 1
    return skip


def _known(text: str, start: int) -> Finding | None:
    for name, begin, expression in _compiled(text[start : start + 2]):
        if text.startswith(begin, start):
            found = expression.match(text, start)
            if found and not is_filler(found.group()[len(begin) :]):
                return Finding(kind=name, start=start, end=found.end())
    return None


def _joined(text: str, begin: int, end: int, *, joined: bool, from_: int) -> Finding | None:
    """A key of several words, of which this one is the first that is long."""
    start = begin
    if joined:
        run = _RUN.search(text, max(from_, begin - 48), begin)
        start = run.start() if run else begin
    tried = {start, begin}
    if joined:
        tried |= {
            text.rfind(sign, start, begin) + 1 for sign in "/:+=" if sign in text[start:begin]
        }
    for at in sorted(tried):
        at += _skipped(text, at, end)
        if found := _known(text, at):
            return found
        if (
            not joined
            and not any(sign in text[begin : end + 12] for sign in _SIGNS)
            and text[at] not in "MNO"
        ):
            continue
        shaped = _SHAPED.match(text, at)
        if shaped and not text[shaped.end() : shaped.end() + 1].isalnum():
            name = SHAPES[int((shaped.lastgroup or "k0")[1:])][0]
            return Finding(kind=name, start=at, end=shaped.end())
    return None
