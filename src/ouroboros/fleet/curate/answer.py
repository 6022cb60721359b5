"""What a model answers when it ranks files: read strictly, believed in nothing but the order; pure."""

import json
import re
from collections import deque
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ouroboros.workspace.artifacts.paths import fault_of

MOST_WORDS = 15
_MOST_SAID = 300
_MOST_TRIES = 300
_KEYS = frozenset({"ranked_files", "files"})
_NAMED = re.compile(r'\{\s*"(?:ranked_files|files)"')


class Unreadable(Exception):
    """An answer that is no ranking; the text says why, for the model."""


class Ranked(Struct, frozen=True, kw_only=True):
    """One file of the answer."""

    file_path: Annotated[str, Meta(min_length=1, max_length=4_096)]
    relevance: Annotated[float, Meta(ge=0, le=1)]
    justification: str = ""


class _Ranking(Struct, frozen=True, kw_only=True):
    ranked_files: tuple[Ranked, ...]


class _Plain(Struct, frozen=True, kw_only=True):
    files: tuple[Annotated[str, Meta(min_length=1, max_length=4_096)], ...]


class Judged(Struct, frozen=True, kw_only=True):
    """A ranking of which only what can be true is left.

    Attributes:
        files: Each once, the most relevant first.
        dropped: Paths that the model named and that are not taken, and why.
    """

    files: tuple[Ranked, ...]
    dropped: dict[str, str]


def read(text: str) -> tuple[Ranked, ...]:
    """The ranking in an answer: ``{"ranked_files": [...]}`` or ``{"files": [...]}``; prose around it is let pass.

    Raises:
        Unreadable: There is none, or it is of another form.
    """
    found = _object_in(text)
    try:
        if "ranked_files" in found:
            return msgspec.convert(found, _Ranking).ranked_files
        if "files" in found:
            plain = msgspec.convert(found, _Plain)
            return tuple(Ranked(file_path=path, relevance=1.0) for path in plain.files)
    except msgspec.ValidationError as wrong:
        raise Unreadable(str(wrong)[:_MOST_SAID]) from None
    raise Unreadable('the object has neither "ranked_files" nor "files"')


def _object_in(text: str) -> dict[str, object]:
    """The last ranking in a text, as models think aloud before it; else the first object of any kind."""
    decoder = json.JSONDecoder()
    first: dict[str, object] | None = None
    last: dict[str, object] | None = None
    done = 0
    for start in _starts(text):
        if start < done:
            continue
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if not isinstance(found, dict):
            continue
        first = first or msgspec.convert(found, dict[str, object])
        if _KEYS & found.keys():
            last, done = msgspec.convert(found, dict[str, object]), end
    chosen = last or first
    if chosen is None:
        raise Unreadable("there is no JSON object in it")
    return chosen


def _starts(text: str) -> list[int]:
    """Where an object may begin: so few places that no text takes long."""
    braces = islice(re.finditer(r"\{", text), _MOST_TRIES)
    named = deque(_NAMED.finditer(text), maxlen=_MOST_TRIES)
    return sorted({each.start() for each in (*braces, *named)})


def judged(
    ranked: Collection[Ranked], candidates: Collection[str], known: Mapping[str, str]
) -> Judged:
    """What of a ranking can be believed.

    Args:
        ranked: What the model said.
        candidates: The paths it was shown.
        known: Files that are there and were not shown, and why.
    """
    files: dict[str, Ranked] = {}
    dropped: dict[str, str] = {}
    shown = set(candidates)
    for each in ranked:
        path = each.file_path.strip().removeprefix("./")
        if path not in shown:
            dropped[path] = _why(path, known)
            continue
        had = files.get(path)
        if had is None or had.relevance < each.relevance:
            words = " ".join(each.justification.split()[:MOST_WORDS])[:_MOST_SAID]
            files[path] = Ranked(file_path=path, relevance=each.relevance, justification=words)
    order = sorted(files.values(), key=lambda each: (-each.relevance, each.file_path))
    return Judged(files=tuple(order), dropped=dropped)


def _why(path: str, known: Mapping[str, str]) -> str:
    if path in known:
        return known[path]
    if fault := fault_of(path):
        return f"it cannot be taken: {fault}"
    return "there is no such file, or it is ignored"
