"""Whether a value may be a secret, or only stands where one would."""

import re
from itertools import pairwise
from math import log2

from ouroboros.safety.secrets.expression import Expression

_FILLER = Expression(
    r"example|sample|placeholder|your|x{5,}|\*{3,}|redacted|change.?me|dummy|0{10}|1{10}|a{10}"
    r"|1234567890abc|abcdefghijkl|fake.?key|replace|insert|goes.?here|not.?a.?real"
)
"""Of small letters; without a flag for case it is several times as fast."""

_STAND_IN = Expression(
    r"\A(?:test(?:ing)?|demo|foo\w*|bar|baz|none|null|nil|true|false|undefined|default|string|str|int|"
    r"passw(?:or)?d\d{0,3}|secret\d{0,3}|token\d{0,3}|admin\d{0,3}|root|user(?:name)?|hidden|todo|"
    r"required|optional|unknown|redacted|qwerty\w*|letmein|p[a@]ssw[o0]rd\d{0,4}!?)\Z"
    r"|secret_here|my[_-]?(?:secret|token|key|pass\w*|api\w*)|(?:key|token|secret|password)_?here"
    r"|\A(?:enter|insert|put|add|use|set|get|my|some|any|the|a)[_-]\w"
    r"|deadbeef|cafebabe|123456|abcdef(?:gh)?\Z|fake|mock|dummy|todo|fixme|lorem|xxx|\.\.\.|…"
)
_NAMES = Expression(
    r"\A(?:os\.|process\.|env\.|import\.|self\.|this\.|config\.|settings\.|secrets\.|vault:|ssm:|arn:|"
    r"data\.|var\.|local\.|module\.|op://|keychain:|file:|https?:|env:|base64:\$|\$|[%@#!](?:[\w.:/-]*%?\Z|[({\[<@])|~/|\./|\.\./)",
    re.IGNORECASE,
)
_DOTTED = Expression(r"\A[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*){1,12}\Z")
_PATH = Expression(r"\A/?(?:[\w.@-]+/){1,24}[\w.@-]*\Z")
_HASHED = Expression(r"\Asha(?:1|256|384|512)[-:]")
"""Hashes of ``crypt`` begin with a dollar, as variables do."""

_UUID = Expression(r"\A[A-Fa-f0-9]{8}(?:-[A-Fa-f0-9]{4}){3}-[A-Fa-f0-9]{12}\Z")
_HEX = Expression(r"\A(?:0x)?(?:[a-f0-9]+|[A-F0-9]+)\Z")
_PIECE = Expression(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_VOWELS = str.maketrans("", "", "aeiouyAEIOUY")


def is_filler(body: str) -> bool:
    """Whether what follows a vendor's letters is a stand-in of somebody's documentation."""
    return len(set(body)) < 2 or _FILLER.search(body.lower()) is not None


def entropy(value: str) -> float:
    """Bits a character, of the characters that are there."""
    size = len(value)
    return log2(size) - sum(n * log2(n) for n in map(value.count, set(value)) if n > 1) / size


def is_password(value: str, *, least: int = 6) -> bool:
    """Whether it may be what a person or a program chose as a password."""
    if len(value) < least or _is_elsewhere(value) or is_filler(value) or _is_wordy(value):
        return False
    return len(set(value)) >= 5 and not value.isdigit()


def is_key(value: str, *, strict: bool) -> bool:
    """Whether it may be a key that a program made; ``strict`` where the name says little."""
    least = 20 if strict else 10
    if len(value) < least or _is_elsewhere(value) or is_filler(value):
        return False
    if _UUID.match(value) or _HEX.match(value):
        return not strict and len(value) >= 16 and len(set(value)) >= 8
    if _is_wordy(value) or _of_words(value):
        return False
    return entropy(value) >= (3.5 if strict else 2.9)


def _is_elsewhere(value: str) -> bool:
    """Whether it names a place where the secret is, is code, or is a hash of it."""
    if _STAND_IN.built.search(value.lower()):
        return True
    if value.isalnum():
        return False
    return bool(
        _NAMES.match(value)
        or _DOTTED.match(value)
        or _HASHED.match(value)
        or "${" in value
        or "{{" in value
        or "$(" in value
        or ("/" in value and _PATH.match(value) and _of_words(value))
    )


def _is_wordy(value: str) -> bool:
    """Whether it is letters, as words are: no digit, no sign, and vowels where they belong."""
    letters = value.replace("-", "").replace("_", "").replace(".", "").replace(" ", "")
    if not letters.isalpha():
        return not letters
    if not letters.isascii():
        return True
    vowels = _share_of_vowels(letters)
    turns = sum(a.islower() != b.islower() for a, b in pairwise(letters))
    random = len(letters) >= 16 and (vowels < 0.22 or turns > len(letters) * 0.3)
    return not random


def _of_words(value: str) -> bool:
    """Whether most of it is words and numbers, like the name of a thing."""
    pieces = _PIECE.built.findall(value)
    words = [each for each in pieces if len(each) >= 4 and each.isalpha() and _is_word(each)]
    return sum(map(len, words)) >= 0.5 * max(1, len(value))


def _is_word(piece: str) -> bool:
    vowels = _share_of_vowels(piece)
    return 0.2 <= vowels <= 0.7 and (piece.islower() or piece.istitle() or len(piece) >= 4)


def _share_of_vowels(letters: str) -> float:
    return (len(letters) - len(letters.translate(_VOWELS))) / len(letters)
