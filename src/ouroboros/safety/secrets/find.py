"""The search itself: every way of knowing a secret, and one answer for each place."""

from collections.abc import Callable, Iterable, Iterator

from ouroboros.safety.secrets.addresses import in_addresses, on_command_lines
from ouroboros.safety.secrets.assignments import in_assignments
from ouroboros.safety.secrets.blocks import in_blocks
from ouroboros.safety.secrets.files import in_files
from ouroboros.safety.secrets.values import Finding, mark
from ouroboros.safety.secrets.words import in_words


def find(text: str) -> list[Finding]:
    """Every secret in the text, in order; of two that overlap the one that is surer."""
    if len(text) < _SHORTEST:
        return []
    return _apart(_every(text))


def shaped(text: str) -> list[Finding]:
    """Only what a vendor's form or a private key's frame gives away, whatever it is called."""
    if len(text) < _SHORTEST:
        return []
    data = text.encode("latin-1", "replace")
    return _apart((*in_blocks(text), *in_words(text, data)))


def redacted(text: str, findings: Iterable[Finding], *, say: Callable[[str], str] = mark) -> str:
    """The text with a mark in place of each finding."""
    told: list[str] = []
    at = 0
    for found in findings:
        told += [text[at : found.start], say(found.kind)]
        at = found.end
    return "".join([*told, text[at:]]) if told else text


_SHORTEST = 8


def _every(text: str) -> Iterator[Finding]:
    """The surest first."""
    data = text.encode("latin-1", "replace")
    yield from in_blocks(text)
    words = tuple(in_words(text, data))
    yield from words
    yield from in_addresses(text, data)
    yield from in_files(text)
    yield from in_assignments(text, data, {each.start for each in words})
    yield from on_command_lines(text, data)


def _apart(findings: Iterable[Finding]) -> list[Finding]:
    kept: list[Finding] = []
    # Sorting keeps the order of those that begin at the same place: the surest stays first.
    for each in sorted(findings, key=lambda found: found.start):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept
