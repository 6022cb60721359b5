"""Small languages inside of words: sed, awk and jq, as far as they only print."""

import re

from ouroboros.safety.commands.verdict import Doubt


def _regex(mark: str) -> str:
    """A regular expression up to its mark, which no brackets hold: there some read on."""
    inside = rf"\[:[a-z]+:\]|[^\]\[\\\n{mark}]|\\[a-zA-Z]"
    return rf"(?:[^{mark}\\\[\n]|\\[^\n]|\[\^?+(?:{inside})++\])"


_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|/{_regex('/')}+/I?)"
_SUBSTITUTE = "|".join(
    rf"s{mark}{_regex(mark)}*{mark}(?:[^{mark}\\\n]|\\[^\n])*{mark}[gpiI0-9]*"
    for mark in ("/", r"\|", "#", ",", ":", "@", "%", "!", "_")
)
_SED_STEP = rf"(?:{_ADDRESS}(?:,(?:{_ADDRESS}|\+\d+))?)? ?!?(?:[pd=]|q\d*|{_SUBSTITUTE})"
_SED = re.compile(rf" *{_SED_STEP}(?: *[;\n] *{_SED_STEP})* *;? *")

_AWK_WORDS = frozenset([
    "print",
    "printf",
    "NR",
    "NF",
    "FNR",
    "FS",
    "OFS",
    "RS",
    "ORS",
    "BEGIN",
    "END",
    "length",
    "substr",
    "tolower",
    "toupper",
    "split",
    "sprintf",
    "index",
    "match",
    "gsub",
    "sub",
    "int",
    "if",
    "else",
    "for",
    "in",
    "while",
    "next",
    "exit",
    "FILENAME",
    "RSTART",
    "RLENGTH",
    "n",
    "i",
    "j",
    "k",
    "c",
    "s",
    "t",
    "x",
    "a",
    "b",
    "m",
    "total",
    "sum",
    "count",
    "max",
    "min",
    "seen",
    "line",
    "key",
    "arr",
])
_AWK_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_AWK_REGEX = re.compile(r'/(?:[^/"\\\n\[\]]|\\[^"\n]|\[\^?(?:\[:[a-z]+:\]|[^/"\\\n\[\]])+\])+/')
_AWK_MARK = " 0 "
_AWK_LOOK = 40
"""Longer than every word that is known."""

_AWK_BEFORE_REGEX = "~(,;{}!&|\n"
_AWK_VALUE = re.compile(r"(?:(?P<word>\w+)|\])$", re.ASCII)
_AWK_NO_VALUES = re.compile(
    r"(?!N[RF]|FNR|O?[FR]S|R[A-Z]+|FILENAME)[A-Z]+|print|printf|length|sub|gsub|split|sprintf|index|match|int|to(?:low|upp)er|substr|if|else|for|in|while|next|exit"
)
_AWK_SIGNS = re.compile(r"[A-Za-z0-9_\s{}()\[\];,.$=!<>+*%?:~&|-]*", re.ASCII)

_JQ_WORDS = re.compile(
    r"\b(env|ENV|import|include|input_filename|getpath_env|halt_error|debug|stderr|modulemeta|get_search_list)\b|\$__"
)


def check_sed(script: str) -> None:
    """Holds a sed script to be one that prints, deletes from the output and replaces in it.

    Raises:
        Doubt: It may write or run something.
    """
    if not _SED.fullmatch(script):
        raise Doubt("ask.script", "the sed script may write or run something")


def check_awk(script: str) -> None:
    """Holds an awk program to be one that only prints.

    Raises:
        Doubt: It may write, run or read something else.
    """
    bare = _awk_code(script)
    unknown = sorted(set(re.findall(r"[A-Za-z_]\w*", bare)) - _AWK_WORDS)
    is_odd = re.search(r"[|&]", re.sub(r"&&|\|\|", " ", bare)) is not None
    if '"' not in script:
        # Without texts nothing can hide between two signs of division.
        bare = bare.replace("/", " ")
    if unknown or is_odd or _redirects(bare) or not _AWK_SIGNS.fullmatch(bare):
        what = unknown[0] if unknown else "its operators"
        raise Doubt("ask.script", f"the awk program may write or run something ({what})")


def _redirects(code: str) -> bool:
    """Whether a ``>`` stands in an action outside of parentheses, where it writes."""
    code = code.replace(">=", "  ")
    actions = parentheses = 0
    for character in code:
        actions += (character == "{") - (character == "}")
        parentheses += (character == "(") - (character == ")")
        if character == ">" and actions > 0 and parentheses <= 0:
            return True
    return ">>" in code


def _awk_code(script: str) -> str:
    """An awk program without its texts and patterns; what is doubtful stays."""
    kept, at, before = list[str](), 0, ""
    # Behind the parentheses of a condition a pattern may stand.
    is_plain = re.search(r"\b(if|while|for)\b", script) is None
    while at < len(script):
        found = _AWK_STRING.match(script, at)
        if (
            found is None
            and script[at] == "/"
            and not _divides("".join(kept[-_AWK_LOOK:]), is_plain=is_plain)
        ):
            found = _AWK_REGEX.match(script, at)
            if found is None or not (before == "" or before in _AWK_BEFORE_REGEX):
                raise Doubt("ask.script", "an awk pattern may end elsewhere than it seems")
        # A text or pattern leaves a mark that is no operator and no beginning.
        kept.append(_AWK_MARK if found else script[at])
        before = kept[-1].strip(" \t")[-1:] or before
        at = found.end() if found else at + 1
    return "".join(kept)


def _divides(before: str, *, is_plain: bool) -> bool:
    """Whether a slash after this is certainly a division, and begins no pattern."""
    if before.rstrip(" \t").endswith(_AWK_MARK.rstrip()) and before[-1:] in {" ", "\t"}:
        return False  # nobody divides a text, and not all read what follows a pattern alike
    before = before.rstrip(" \t")
    if before.endswith(")"):
        return is_plain
    value = _AWK_VALUE.search(before)
    return value is not None and not _AWK_NO_VALUES.fullmatch(value["word"] or "")


def check_jq(script: str) -> None:
    """Holds a jq filter to be one that reads nothing but its input.

    Raises:
        Doubt: It may read the environment or other files.
    """
    found = _JQ_WORDS.search(script)
    if found:
        raise Doubt("ask.script", f"the jq filter uses {found.group()}")
