r"""What a person's words name by ``@``: files, parts of them, folders, pages; pure.

``@name`` stands at the beginning of a word. Mail addresses, decorators, revisions of git, packages
with a scope and whatever stands in code (between backquotes) are no mentions; ``\@`` never is one.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from msgspec import Struct

MOST = 20
"""Names that one message may have; more are only words."""

SEARCHED = 100_000
"""Characters of a message in which names are looked for: what is longer was not typed."""

LONGEST = 2_048
"""Characters of one name; no path or address that a person means is longer."""

_LOOKED_AT = 1_000
"""Places in one message that are looked at; the same name may stand in many."""

_BEFORE = r"(?<![^\s(\[{,;>«„“])"
_LINES = (
    r"(?::(?P<first>\d{1,7})(?:-(?P<last>\d{1,7}))?|#L(?P<line>\d{1,7})(?:-L?(?P<end>\d{1,7}))?)?"
)
_MENTION = re.compile(
    rf"{_BEFORE}@(?:\"(?P<double>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|<(?P<angle>[^>\n]+)>"
    rf"|(?P<url>https?://[^\s<>\"'`]+)|(?P<bare>(?:\\[ ]|[^\s\\@\"'`<>(){{}}|*?…])+)){_LINES}(?P<after>\(?)",
    re.IGNORECASE,
)
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_TAIL = ".,;:!?)]}»”…"
_SUFFIXED = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_SCOPED = re.compile(r"[a-z0-9_-]+/[a-z0-9._-]+", re.IGNORECASE)
_ENDINGS = (
    "bash c cc cfg conf cpp cs css csv env gif go h hpp htm html ini ipynb java jpeg jpg js json "
    "jsonl jsx kt lock log lua md mjs pdf php png proto py pyi rb rs rst scala sh sql svg swift "
    "tex toml ts tsv tsx txt vue webp xml yaml yml zsh"
)


class Mention(Struct, frozen=True, kw_only=True):
    """One name.

    Attributes:
        written: As it stands in the words.
        target: The path or address that is meant.
        first: The first line that is wanted, from 1; 0 for all.
        last: The last one; 0 for up to the end.
        is_sure: A file is meant, also where there is none; otherwise it may be any word.
    """

    kind: Literal["path", "url"]
    written: str
    target: str
    first: int = 0
    last: int = 0
    is_sure: bool = True


def mentions(text: str) -> tuple[Mention, ...]:
    """The names in the words, each once, in order; at most ``MOST``."""
    text = text[:SEARCHED]
    if "@" not in text:
        return ()
    plain = _CODE.sub(lambda code: " " * len(code[0]), text)
    found: dict[tuple[str, int, int], Mention] = {}
    for mention in _found(plain):
        found.setdefault((mention.target, mention.first, mention.last), mention)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _found(text: str) -> Iterator[Mention]:
    for match in islice(_MENTION.finditer(text), _LOOKED_AT):
        if len(match[0]) > LONGEST:
            continue
        quoted = match["double"] or match["single"] or match["angle"] or ""
        if match["url"]:
            target = _without_tail(match["url"])
            yield Mention(kind="url", written=f"@{target}", target=target)
        elif quoted.lower().startswith(("http://", "https://")):
            yield Mention(kind="url", written=match[0], target=quoted.strip())
        elif quoted.strip():
            yield _of_path(match, quoted)
        elif match["bare"] and not match["after"]:
            mention = _of_bare(match)
            if mention is not None:
                yield mention


def _of_bare(match: re.Match[str]) -> Mention | None:
    name, first, last = match["bare"].replace("\\ ", " "), 0, 0
    # The name takes in a colon with what follows it, for files may be called so; lines win.
    inner = re.fullmatch(rf"(?P<name>.+?){_LINES}", name.rstrip(_TAIL))
    if inner is not None:
        name, (first, last) = inner["name"], _lines(inner)
    if not first:
        first, last = _lines(match)
    if not any(letter.isalnum() for letter in name) and name not in {".", ".."}:
        return None
    written = f"@{name}" + (f":{first}" if first else "") + (f"-{last}" if last > first else "")
    return Mention(
        kind="path",
        written=written,
        target=name,
        first=first,
        last=last,
        is_sure=first > 0 or _is_a_file(name),
    )


def _of_path(match: re.Match[str], name: str) -> Mention:
    first, last = _lines(match)
    return Mention(
        kind="path", written=match[0].rstrip(_TAIL), target=name.strip(), first=first, last=last
    )


def _lines(match: re.Match[str]) -> tuple[int, int]:
    first = int(match["first"] or match["line"] or 0)
    last = int(match["last"] or match["end"] or first)
    return (first, last) if last >= first else (last, first)


def _is_a_file(name: str) -> bool:
    """Whether a word without quotes surely means a file: by a path, or by an ending that files have."""
    if name.startswith((".", "~", "/")) or name.endswith("/"):
        return True
    ending = _SUFFIXED.search(name)
    if ending is not None and ending[0][1:].lower() in _ENDINGS.split():
        return True
    return "/" in name and not _SCOPED.fullmatch(name)


def _without_tail(url: str) -> str:
    """The address without the punctuation of the sentence around it."""
    while url and (url[-1] in ".,;:!?»”…'" or (url[-1] in ")]}" and not _closes(url))):
        url = url[:-1]
    return url


def _closes(url: str) -> bool:
    opening = {")": "(", "]": "[", "}": "{"}[url[-1]]
    return url.count(url[-1]) <= url.count(opening)
