"""Private keys that stand in a text as blocks, whole or cut off."""

from collections.abc import Iterator

from ouroboros.safety.secrets.expression import Expression
from ouroboros.safety.secrets.values import Finding

LONGEST = 16_384
"""A block is no longer; what claims to be is not looked at beyond."""

_BEGIN = Expression(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"|PuTTY-User-Key-File-[23]: [^\n]{1,40}"
)
_END = Expression(
    r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]{40,64}"
)
_BODY = Expression(r"(?:(?:\\[nrt]|[\s\"'+>#,|-]){0,24}[A-Za-z0-9+/=]{16,400}){1,200}")


def in_blocks(text: str) -> Iterator[Finding]:
    """Each block from its first line to its last, or as much as is there of one that was cut."""
    at = 0
    if "PRIVATE KEY" not in text and "PuTTY-User" not in text:
        return
    last = max(text.rfind("-----END "), text.rfind("Private-MAC:"))
    while begin := _BEGIN.search(text, at):
        at = begin.end()
        end = _END.search(text, at, at + LONGEST) if at <= last else None
        if end and end.start() > at:
            yield Finding(kind=_kind(begin.group()), start=begin.start(), end=end.end())
            at = end.end()
        elif (body := _BODY.match(text, at, at + LONGEST)) and body.end() - at >= 40:
            yield Finding(kind=_kind(begin.group()), start=begin.start(), end=body.end())
            at = body.end()


def open_block(text: str) -> int:
    """Where a block begins that is not over at the end of the text; -1 for none."""
    begin = text.rfind("-----BEGIN ")
    if begin < 0 and "PuTTY-User" in text:
        begin = text.rfind("PuTTY-User")
    if begin >= 0 and len(text) - begin <= LONGEST:
        found = _BEGIN.match(text, begin)
        if (found and not _END.search(text, found.end())) or (
            not found and len(text) - begin < 70 and "\n" not in text[begin:]
        ):
            return begin
    return -1


def _kind(begin: str) -> str:
    words = begin.strip("-").removeprefix("BEGIN ").lower().split()
    return (
        f"{words[0]}-private-key"
        if words[0] in ("rsa", "ec", "dsa", "openssh", "pgp", "encrypted")
        else "private-key"
    )
