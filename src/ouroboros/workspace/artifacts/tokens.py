"""How many tokens a text takes, without a vendor's tokenizer; pure.

Counted are the kinds of characters and where they change. The weights were fitted to cl100k and
o200k over 756 files of code, prose and tables; a vendor's own count may differ by a tenth.
"""

_LOWER = range(ord("a"), ord("z") + 1)
_UPPER = range(ord("A"), ord("Z") + 1)
_DIGITS = range(ord("0"), ord("9") + 1)
_BLANKS = frozenset(b" \t\r\x0b\x0c")


def _kind(number: int) -> int:
    for mark, numbers in ((b"a", _LOWER), (b"A", _UPPER), (b"0", _DIGITS), (b" ", _BLANKS)):
        if number in numbers:
            return mark[0]
    return number if number == 10 else ord("h") if number >= 128 else ord(".")


_KINDS = bytes(map(_kind, range(256)))
_LETTERS = bytes(97 if number in _LOWER else 32 for number in range(256))
_CAPITALS = bytes(65 if number in _UPPER else 32 for number in range(256))
_PIECE = 2_048
_PIECES = 4


def tokens_of(data: bytes) -> int:
    """An estimate for text in UTF-8; of a longer one from pieces of it."""
    if len(data) <= _PIECE * _PIECES:
        return round(_weighed(data))
    count = max(_PIECES, len(data) // 65_536)
    step = len(data) // count
    pieces = b"".join(data[at : at + _PIECE] for at in range(0, step * count, step))
    return round(_weighed(pieces) * len(data) / len(pieces))


def _weighed(data: bytes) -> float:
    count = data.translate(_KINDS).count
    signs = count(b".")
    weight = (
        count(b"a") * 0.066
        + count(b"A") * 0.102
        + data.translate(_LETTERS).count(b" a") * 0.731
        + data.translate(_CAPITALS).count(b" A") * 0.651
        + (signs - count(b"..")) * 0.627
        + count(b"\n") * 1.428
        + (count(b"0") - count(b"00")) * 1.373
    )
    if not data.isascii():
        high = count(b"h")
        weight += high * 0.32 + (high - count(b"hh")) * 0.3
    return weight
