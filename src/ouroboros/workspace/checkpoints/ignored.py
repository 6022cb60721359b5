"""What a person's ``.gitignore`` leaves out. Source: gitignore(5); the tests hold it to Git itself."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

_PIECES = re.compile(
    r"\\.|\*\*|\*|\?|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|[^\\*?\[]+|.", re.DOTALL
)
_STAR = "[^/]*?"
_FOLDERS = "(?:[^/]*+/)*?"
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r\\f\\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class Pattern(NamedTuple):
    """One line of an ignore file."""

    expression: re.Pattern[str]
    is_negated: bool
    only_folders: bool
    whole_path: bool


class Ignored:
    """The patterns of one folder, and those of the folders above it."""

    def __init__(self, above: "Ignored | None", base: str, data: bytes, *, outer: str = "") -> None:
        """Reads nothing of ``data`` yet, which is the content of a file.

        Args:
            above: What holds where nothing here fits.
            base: The folder of the file below the root, with a slash at its end; empty for the root.
            data: The file's content.
            outer: Where the root lies below the folder of the file, in the same spelling.
        """
        self._above, self._base, self._outer, self._data = above, base, outer, data
        place = f"{outer}\0{base}".encode("utf-8", "surrogateescape")
        self.mark = crc32(data, crc32(place, above.mark if above else 0))

    @cached_property
    def _patterns(self) -> tuple[Pattern, ...]:
        return tuple(patterns(self._data.decode("utf-8", "surrogateescape").split("\n")))

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the nearest pattern that fits leaves ``path`` out; None when none fits.

        ``path`` is relative to the root of all; the folders above it are judged before it.
        """
        inside = self._outer + path[len(self._base) :]
        name = inside.rpartition("/")[2]
        for pattern in reversed(self._patterns):
            if pattern.only_folders and not is_folder:
                continue
            if pattern.expression.fullmatch(inside if pattern.whole_path else name):
                return not pattern.is_negated
        return None if self._above is None else self._above.verdict(path, is_folder=is_folder)

    def covers(self, path: str) -> bool:
        """Whether a pattern fits a file, or a folder above it where none fits the file itself."""
        said = self.verdict(path, is_folder=False)
        while said is None and (path := path.rpartition("/")[0]):
            said = self.verdict(path, is_folder=True)
        return bool(said)


def patterns(lines: Iterable[str]) -> Iterable[Pattern]:
    """The lines that say something, in order; what is broken fits nothing."""
    for line in lines:
        text = _stripped(line.removesuffix("\r"))
        if not text or text.startswith("#"):
            continue
        is_negated = text.startswith("!")
        text = text[1:] if is_negated else text
        only_folders = text.endswith("/")
        text = text[:-1] if only_folders else text
        whole_path = "/" in text
        try:
            expression = re.compile(_expression(text.removeprefix("/")), re.DOTALL)
        except re.error:
            continue
        if text:
            yield Pattern(expression, is_negated, only_folders, whole_path)


def _stripped(line: str) -> str:
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if escapes % 2 and len(line) > len(bare) else bare


def _expression(text: str) -> str:
    """What follows stars is taken where it first fits, and only the end is tried again: none takes long."""
    pieces: Sequence[str] = _PIECES.findall(text)
    found: list[str] = []
    opened: dict[str, int] = {}
    for number, piece in enumerate(pieces):
        before = pieces[number - 1] if number else "/"
        after = pieces[number + 1] if number + 1 < len(pieces) else ""
        part = _piece(piece, before, after)
        if part in {_STAR, _FOLDERS}:
            over = opened.keys() & {_STAR, part}
            found.append(")" * len(over))
            opened = {wild: place for wild, place in opened.items() if wild not in over}
            opened[part] = len(found)
            part = f"(?>{part}"
        elif found and found[-1].endswith(_FOLDERS):
            part = part.removeprefix("/")  # ``a/**/b`` is ``a/b`` too
        found.append(part)
    for place in opened.values():
        found[place] = found[place].replace("(?>", "(?:", 1)
    return "".join(found) + ")" * len(opened)


def _piece(piece: str, before: str, after: str) -> str:
    if piece == "**" and before.endswith("/") and (not after or after.startswith("/")):
        return _FOLDERS if after else ".+"
    if piece in {"*", "**"}:
        return _STAR
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 2:
        return _bracket(piece[1:-1])
    if piece.startswith("\\"):
        return re.escape(piece[1:]) if len(piece) > 1 else "(?!)"
    return "(?!)" if piece == "[" else re.escape(piece)


def _bracket(inside: str) -> str:
    negated = inside[:1] in {"!", "^"}
    inside = inside[1:] if negated else inside
    named = re.split(r"\[:(\w+):\]", inside)
    found: list[str] = []
    for number, part in enumerate(named):
        if number % 2:
            found.append(_CLASSES.get(part, ""))
        else:
            plain = re.sub(r"\\(.)", r"\1", part)
            found.append(re.sub(r"([\\\]\[^&~|])", r"\\\1", plain))
    body = "".join(found)
    return f"(?!/)[{'^' if negated else ''}{body}]" if body else "(?!)"
