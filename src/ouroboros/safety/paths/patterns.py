"""Patterns for file names: what they may stand for. Pure."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice

_MOST = 64
_MARKS = re.compile(r"[*?\[]")


def alternatives(pattern: str) -> list[str]:
    """A pattern without braces, once for each thing they stand for; at most 64."""
    return list(islice(_opened(pattern, 0), _MOST))


def _opened(pattern: str, depth: int) -> Iterator[str]:
    end = pattern.find("}")
    start = pattern.rfind("{", 0, end) if end > 0 else -1
    if start < 0 or depth > 8:
        yield pattern
        return
    for choice in pattern[start + 1 : end].split(","):
        yield from _opened(f"{pattern[:start]}{choice}{pattern[end + 1 :]}", depth + 1)


def may_climb(pattern: str) -> bool:
    """Whether a part that spells ``..`` by marks may lead above the start, or follows one."""
    parts = pattern.split("/")
    seen = False
    for part in parts:
        plain = part.replace("\\", "")
        if part != ".." and (plain == ".." or _stands_for_dots(part)):
            return True
        if plain == ".." and seen:
            return True
        seen = seen or _MARKS.search(part) is not None
    return False


def _stands_for_dots(part: str) -> bool:
    begins = part.startswith((".", "[", "@(", "+(", "?(", "!(", "?")) and part not in {".", "?"}
    if not begins or not _MARKS.search(part) or (part.strip("*") == "." and part.endswith("*")):
        return False
    return fnmatchcase("..", part) and not part.startswith("?")


def fixed_part(pattern: str) -> str:
    """The folder that everything the pattern stands for lies in."""
    kept: list[str] = []
    for part in pattern.split("/"):
        if _MARKS.search(part):
            break
        kept.append(part)
    else:
        return pattern
    return "/".join(kept) or ("/" if pattern.startswith("/") else ".")
