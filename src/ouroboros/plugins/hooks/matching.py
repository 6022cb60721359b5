"""Which hooks a thing is for: by a list of exact names, or by a pattern that is searched for."""

import re
from collections.abc import Sequence
from functools import cache

_NAMES = re.compile(r"[A-Za-z0-9_|]+")


def matches(matcher: str, names: Sequence[str]) -> bool:
    """Whether a matcher fits one of the names that a thing has.

    Nothing and ``*`` fit all; letters, digits, ``_`` and ``|`` are alternatives that must be the whole
    name; all else is a regular expression that is searched for, and one that is broken fits nothing.
    """
    if matcher in {"", "*"}:
        return True
    if _NAMES.fullmatch(matcher):
        return not set(matcher.split("|")).isdisjoint(names)
    pattern = _compiled(matcher)
    return pattern is not None and any(pattern.search(name) for name in names)


def problem(matcher: str) -> str:
    """Why a matcher is no pattern; empty for one that is."""
    if matcher in {"", "*"} or _NAMES.fullmatch(matcher):
        return ""
    try:
        re.compile(matcher)
    except (re.error, RecursionError, OverflowError) as broken:
        return str(broken)
    return ""


@cache
def _compiled(matcher: str) -> re.Pattern[str] | None:
    return None if problem(matcher) else re.compile(matcher)
