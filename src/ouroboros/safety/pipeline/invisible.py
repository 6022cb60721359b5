"""Takes out of inbound text what no reader sees, and leaves what scripts and emoji need.

A zero-width joiner stays between emoji and in scripts that join letters by it; a non-joiner stays
beside letters that would join; a space of no width stays between letters of scripts that write none;
variation selectors stay after what they vary; tags stay in flags.
"""

import re
from bisect import bisect_right

_SUSPECT = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
_JOINING = (
    (0x0600, 0x08FF), (0x0900, 0x0DFF), (0x0E80, 0x109F), (0x1780, 0x18AF), (0x1A00, 0x1CFF),
    (0xA800, 0xABFF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE), (0x10A00, 0x11FFF),
)  # fmt: skip
"""Arabic, the scripts of India and their neighbours, Khmer and Mongolian: first and last letter."""
_STARTS = [first for first, _ in _JOINING]
_FLAG = "\U0001f3f4"
_TAGS = range(0xE0020, 0xE0080)
_DIRECTIONS = frozenset("\u200e\u200f\u061c")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def visible(text: str) -> tuple[str, int]:
    """The text without invisible characters that do nothing for a reader, and how many those were."""
    if text.isascii() or not _SUSPECT.search(text):
        return text, 0
    taken = 0

    def kept(found: re.Match[str]) -> str:
        nonlocal taken
        run = _kept(text, found.start(), found.end())
        taken += len(found.group()) - len(run)
        return run

    return _SUSPECT.sub(kept, text), taken


def _kept(text: str, start: int, end: int) -> str:
    run = text[start:end]
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    if before == _FLAG and all(ord(each) in _TAGS for each in run) and run[-1] == "\U000e007f":
        return run if len(run) <= 8 else ""
    if len(run) > 3:
        return ""
    return "".join(each for each in run if _is_of_use(each, before, after, text, start))


def _is_of_use(each: str, before: str, after: str, text: str, at: int) -> bool:
    code = ord(each)
    if each == "\u200d":
        return (_joins(before) and (not after or _joins(after) or after.isspace())) or (
            _is_pictured(before) and _is_pictured(after)
        )
    if each == "\u200c":
        return _joins(before) and (not after or _joins(after))
    if each == "\u200b":
        return _is_unspaced(before) and _is_unspaced(after)
    if 0xFE00 <= code <= 0xFE0F:
        return bool(before) and not (before.isascii() and before not in "0123456789#*©®")
    if 0x180B <= code <= 0x180F or 0xE0100 <= code <= 0xE01EF:
        return 0x1820 <= ord(before or "a") <= 0x18AF or 0x3400 <= ord(before or "a") <= 0x323AF
    if each in _DIRECTIONS:
        return _RIGHT_TO_LEFT.search(text, max(0, at - 40), at + 40) is not None
    if each == "\u00ad":
        return before.isalpha() and after.isalpha() and not before.isascii()
    return each == "\ufeff" and at == 0


def _joins(letter: str) -> bool:
    if not letter:
        return False
    place = bisect_right(_STARTS, ord(letter)) - 1
    return place >= 0 and ord(letter) <= _JOINING[place][1]


def _is_unspaced(letter: str) -> bool:
    """Whether a script parts its words by nothing, or by a space of no width: Thai to Khmer."""
    code = ord(letter or "a")
    return 0x0E00 <= code <= 0x0EFF or 0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x17FF


def _is_pictured(letter: str) -> bool:
    code = ord(letter or "a")
    return (
        0x1F000 <= code <= 0x1FAFF
        or 0x2190 <= code <= 0x2BFF
        or 0xFE00 <= code <= 0xFE0F
        or code == 0x200D
    )
