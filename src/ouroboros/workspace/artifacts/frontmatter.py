"""The head of a bundle: a small part of YAML, written and read; pure.

Read are scalars (plain, quoted, literal and folded), tables of one more level (indented or in
braces), and comments. Anchors, tags, lists and documents of other forms are refused.
"""

import json
import re

from ouroboros.workspace.artifacts.faults import Refused

type Scalar = str | int | float | bool | None
type Head = dict[str, Scalar | dict[str, Scalar]]

MOST_LINES = 1_000
MAJOR = 1
"""The version of all formats here."""

_KEY = re.compile(r"( *)([A-Za-z_][\w.-]*|\"[^\"\\]*\"|'[^']*')\s*:(?:[ \t]+(.*)|[ \t]*)$")
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_BLOCK = re.compile(r"([|>])([+-]?)\s*(?:#.*)?")


def written(head: Head) -> str:
    """The lines of a head with those around it; texts stand in quotes, tables are indented."""
    lines = ["---"]
    for key, value in head.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {inner}: {_scalar(each)}" for inner, each in value.items()]
        else:
            lines.append(f"{key}: {_scalar(value)}")
    return "\n".join([*lines, "---", ""])


def _scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return _ODD.sub(
            lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False)
        )
    return json.dumps(value)


class Reader:
    """Reads the lines of one head; ``first`` is the number of the first of them in the bundle."""

    def __init__(self, lines: list[str], first: int) -> None:
        """Reads nothing yet."""
        self._lines, self._first, self._at = lines, first, 0

    def read(self) -> Head:
        """All of it; raises ``Refused``."""
        head: Head = {}
        while (found := self._key(0)) is not None:
            key, rest = found
            if key in head:
                raise self._broken(f"{key!r} stands there twice", back=1)
            head[key] = self._table() if not rest else self._value(rest, 0)
        if self._at < len(self._lines):
            raise self._broken("it is no 'key: value'")
        return head

    def _table(self) -> dict[str, Scalar] | None:
        self._skip()
        if self._at >= len(self._lines) or not self._lines[self._at].startswith(" "):
            return None
        indent = len(self._lines[self._at]) - len(self._lines[self._at].lstrip(" "))
        table: dict[str, Scalar] = {}
        while (found := self._key(indent)) is not None:
            key, rest = found
            if key in table:
                raise self._broken(f"{key!r} stands there twice", back=1)
            value = self._value(rest, indent) if rest else None
            if isinstance(value, dict):
                raise self._broken("tables within tables are not read", back=1)
            table[key] = value
        return table

    def _skip(self) -> None:
        while self._at < len(self._lines):
            bare = self._lines[self._at].strip()
            if bare and not bare.startswith("#"):
                return
            self._at += 1

    def _key(self, indent: int) -> tuple[str, str] | None:
        self._skip()
        if self._at >= len(self._lines):
            return None
        found = _KEY.fullmatch(self._lines[self._at].rstrip())
        if found is None or len(found[1]) != indent:
            return None
        self._at += 1
        rest = (found[3] or "").strip()
        return found[2].strip("\"'"), "" if rest.startswith("#") else rest

    def _value(self, rest: str, indent: int) -> Scalar | dict[str, Scalar]:
        if block := _BLOCK.fullmatch(rest):
            return self._block(indent, folds=block[1] == ">", chomp=block[2])
        if rest.startswith("{"):
            return self._braces(rest)
        value, after = self._scalar_at(rest, "")
        if after and not after.startswith("#"):
            raise self._broken(f"{after!r} follows a value", back=1)
        return value

    def _block(self, indent: int, *, folds: bool, chomp: str) -> str:
        kept: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            kept.append(line)
            self._at += 1
        width = min((len(x) - len(x.lstrip(" ")) for x in kept if x.strip()), default=0)
        text = "\n".join(line[width:] for line in kept)
        if folds:
            text = re.sub(r"(?<!\n)\n(?!\n)", " ", text.strip("\n"))
        bare = text.rstrip("\n")
        return bare if chomp == "-" or not bare else text + "\n" if chomp == "+" else bare + "\n"

    def _braces(self, rest: str) -> dict[str, Scalar]:
        table: dict[str, Scalar] = {}
        rest = rest[1:].strip()
        while not rest.startswith("}"):
            name, colon, rest = rest.partition(":")
            if not colon:
                raise self._broken("the braces are not closed", back=1)
            table[name.strip().strip("\"'")], rest = self._scalar_at(rest.strip(), ",}")
            rest = rest.removeprefix(",").strip()
        after = rest[1:].strip()
        if after and not after.startswith("#"):
            raise self._broken(f"{after!r} follows a table", back=1)
        return table

    def _scalar_at(self, rest: str, stops: str) -> tuple[Scalar, str]:
        """A scalar at the beginning, and what follows it."""
        if rest.startswith('"'):
            return self._quoted(rest)
        if rest.startswith("'"):
            found = re.match(r"'((?:[^']|'')*)'", rest)
            if found is None:
                raise self._broken("a quote is not closed", back=1)
            return found[1].replace("''", "'"), rest[found.end() :].strip()
        if rest.startswith(("&", "*", "!", "[", "%", "@", "`")):
            raise self._broken(f"{rest[0]!r} cannot begin a value here", back=1)
        end = re.search(rf"[{stops}]" if stops else r"\s#", rest)
        plain = rest[: end.start()] if end else rest
        return _plain(plain.strip()), rest[len(plain) :].strip()

    def _quoted(self, rest: str) -> tuple[str, str]:
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
        except ValueError:
            raise self._broken("a text in quotes is broken or not closed", back=1) from None
        return str(value), rest[end:].strip()

    def _broken(self, why: str, *, back: int = 0) -> Refused:
        line = min(self._at - back, len(self._lines) - 1)
        return Refused(f"the head is not understood: {why}", line=self._first + line)


def _plain(text: str) -> Scalar:
    if text in {"", "~", "null", "Null", "NULL"}:
        return None
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if _NUMBER.fullmatch(text):
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    return text


def supported(version: object, *, line: int) -> str:
    """The version of a bundle as a text; raises ``Refused`` for one of another major number."""
    said = str(version)
    major = said.partition(".")[0]
    if version is None or isinstance(version, bool) or not re.fullmatch(r"\d+(\.\d+)*", said):
        raise Refused('its head names no version such as "1.0"', line=line)
    if int(major) != MAJOR:
        raise Refused(
            f"it is version {said}; this program reads version {MAJOR}",
            line=line,
            hint="a later version of Ouroboros may read it: `ouro update` says how to get one",
        )
    return said
