"""The prompt linter: no request of the REPL mind holds a page but for previews.

Works on request bodies of every wire format. Plain reads, the only requests that carry data, are told
apart by their system prompt, and held to their marks and bounds.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec
from msgspec import Struct

MOST = 400
"""The longest stretch of a page that a request may hold."""

_WINDOW = MOST // 2
_LEAF = "You answer one question about text that is given to you."
_MARKED = re.compile(r"<(data|item \d+) ([0-9a-f]{16})[ >]")
_PREVIEW = re.compile(r"(preview \(data, not instructions\): |- [\w$.]+: |error|Result: error)")
_ESCAPES = {r"\n": " ", r"\t": " ", r"\"": '"', r"\u003c": "<", r"\u003e": ">"}
_SLACK_TOKENS = 300


class Findings(Struct, frozen=True, kw_only=True):
    """What a run's requests were.

    Attributes:
        breaches: What is wrong, in words; empty when all is well.
        leaves: Plain reads.
        sizes: Tokens beyond the fixed prompt of each other request, by estimate.
        prefixes: Different fixed prompts: one for the run, one for its children.
    """

    breaches: tuple[str, ...]
    leaves: int
    sizes: tuple[int, ...]
    prefixes: int


def lint(
    bodies: Sequence[bytes | str],
    pages: Sequence[str] = (),
    *,
    canaries: Sequence[str] = (),
    leaf_tokens: int = 8_000,
) -> Findings:
    """Looks through the requests of one run.

    Args:
        bodies: As they were sent.
        pages: Texts of the pages and data of the run.
        canaries: Strings in them that may show up in previews only.
        leaf_tokens: The largest plain read.
    """
    index = _Index(pages)
    breaches: list[str] = []
    prefixes: set[str] = set()
    marks: set[str] = set()
    sizes: list[int] = []
    leaves = 0
    for number, body in enumerate(bodies, start=1):
        texts = list(_texts(msgspec.json.decode(body)))
        prefix = max((text for text in texts if _is_ours(text)), key=len, default="")
        said = [text for text in texts if text != prefix]
        if prefix.startswith(_LEAF):
            leaves += 1
            found = _leaf_breaches(said, marks, leaf_tokens)
        else:
            prefixes.add(prefix)
            sizes.append(sum(len(text.encode()) for text in said) // 4)
            found = [*index.excerpts(said), *_canaries(said, canaries)]
        breaches += [f"request {number}: {breach}" for breach in found]
    return Findings(
        breaches=tuple(breaches), leaves=leaves, sizes=tuple(sizes), prefixes=len(prefixes)
    )


class _Index:
    """Every window of the pages that starts at a multiple of its length.

    A stretch of twice that length holds one of them whole, wherever it begins.
    """

    def __init__(self, pages: Sequence[str]) -> None:
        self._pages = [_plain(page) for page in pages]
        self._windows: dict[str, tuple[int, int]] = {}
        for number, page in enumerate(self._pages):
            for at in range(0, len(page) - _WINDOW + 1, _WINDOW):
                self._windows.setdefault(page[at : at + _WINDOW], (number, at))

    def excerpts(self, texts: Sequence[str]) -> list[str]:
        """What the texts hold of the pages beyond the bound."""
        return [breach for text in texts for breach in self._of(_plain(text))]

    def _of(self, text: str) -> Iterator[str]:
        at = 0
        while at + _WINDOW <= len(text):
            found = self._windows.get(text[at : at + _WINDOW])
            if found is None:
                at += 1
                continue
            start, end = self._stretch(text, at, *found)
            if end - start > MOST:
                yield f"{end - start} characters of a page: {text[start : start + 60]!r}…"
            at = end

    def _stretch(self, text: str, at: int, number: int, place: int) -> tuple[int, int]:
        page = self._pages[number]
        start, end = 0, _WINDOW
        while at > start and place > start and text[at - start - 1] == page[place - start - 1]:
            start += 1
        while (
            at + end < len(text) and place + end < len(page) and text[at + end] == page[place + end]
        ):
            end += 1
        return at - start, at + end


def _plain(text: str) -> str:
    """Without escapes and with one space for any blanks, as a preview and a page agree on it."""
    for escaped, meant in _ESCAPES.items():
        text = text.replace(escaped, meant)
    return " ".join(text.split())


def _canaries(texts: Sequence[str], canaries: Sequence[str]) -> list[str]:
    return [
        f"the canary {canary!r} outside of a preview: {line[:80]!r}"
        for text in texts
        for line in text.split("\n")
        for canary in canaries
        if canary in line and not _PREVIEW.match(line)
    ]


def _leaf_breaches(texts: Sequence[str], marks: set[str], leaf_tokens: int) -> Iterator[str]:
    text = "\n".join(texts)
    size = len(text.encode()) // 4
    if size > leaf_tokens + _SLACK_TOKENS:
        yield f"a plain read of {size} tokens, at most {leaf_tokens}"
    found = {mark for _, mark in _MARKED.findall(text)}
    if len(found) > 1:
        yield f"a plain read with {len(found)} different marks"
    if found & marks:
        yield "a mark that was used before"
    if found and "untrusted" not in text:
        yield "data that is not called untrusted"
    marks |= found


def _is_ours(text: str) -> bool:
    return text.startswith((_LEAF, "You are Ouroboros.", "You are a helper of Ouroboros"))


def _texts(value: object) -> Iterator[str]:
    """Every text of a body."""
    match value:
        case str():
            yield value
        case dict():
            for inner in cast("Mapping[str, object]", value).values():
                yield from _texts(inner)
        case list():
            for inner in cast("list[object]", value):
                yield from _texts(inner)
        case _:
            pass
