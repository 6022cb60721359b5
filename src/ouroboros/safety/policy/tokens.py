"""A policy file as tokens: names, strings, numbers and marks, each with its place."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

type TokenKind = Literal["name", "string", "number", "mark", "line", "end"]

MARKS = frozenset("()[],=+-;")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+\.\d*|\.\d+|[1-9]\d*|0")
_STRING = re.compile(r"([rR]?)(\"\"\"|'''|\"|')")
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "\n": "",
}
_CODES = {"x": 2, "u": 4, "U": 8}


class SyntaxWrong(Exception):
    """The text is not of the subset; ``offset`` says where."""

    def __init__(self, what: str, offset: int) -> None:
        """``what`` goes on after the place, in a person's words."""
        super().__init__(what)
        self.what, self.offset = what, offset


class Token(NamedTuple):
    """A piece of the text; of a string the text that it stands for."""

    kind: TokenKind
    text: str
    offset: int


def tokens(text: str) -> Iterator[Token]:
    """The pieces of a file, ends of lines outside of brackets among them; raises ``SyntaxWrong``."""
    at, depth, is_fresh = 0, 0, True
    while at < len(text):
        char = text[at]
        if char in " \t" and is_fresh and not depth and _indents(text, at):
            raise SyntaxWrong("a statement begins at the beginning of its line", at)
        if char in " \t\r":
            at += 1
        elif char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif char == "\n":
            if not depth:
                yield Token("line", "", at)
                is_fresh = True
            at += 1
        elif text.startswith("\\\n", at):
            at += 2
        else:
            is_fresh = False
            token, at = _token(text, at)
            depth += (token.text in "([") - (token.text in ")]") if token.kind == "mark" else 0
            yield token
    yield Token("line", "", len(text))
    yield Token("end", "", len(text))


def _indents(text: str, at: int) -> bool:
    """Whether a statement, and no comment or empty line, follows the blanks."""
    begins_line = at == 0 or text[at - 1] == "\n"
    rest = text[at:].lstrip(" \t\r")[:1] if begins_line else ""
    return rest not in {"", "#", "\n"}


def _token(text: str, at: int) -> tuple[Token, int]:
    if quote := _STRING.match(text, at):
        return _string(text, at, quote)
    if name := _NAME.match(text, at):
        return Token("name", name[0], at), name.end()
    if number := _NUMBER.match(text, at):
        follows = text[number.end() : number.end() + 1]
        if follows.isalnum() or follows in {"_", "."}:
            raise SyntaxWrong("this is no number", at)
        return Token("number", number[0], at), number.end()
    if text[at] in MARKS and not text.startswith("==", at):
        return Token("mark", text[at], at), at + 1
    shown = text[at] if text[at].isprintable() else f"U+{ord(text[at]):04X}"
    raise SyntaxWrong(f"{shown!r} is not understood here", at)


def _string(text: str, begin: int, quote: re.Match[str]) -> tuple[Token, int]:
    is_raw, end = bool(quote[1]), quote[2]
    at = quote.end()
    found: list[str] = []
    while not text.startswith(end, at):
        char = text[at : at + 1]
        if not char or (char == "\n" and len(end) == 1):
            raise SyntaxWrong("this string is not closed", begin)
        if char != "\\":
            found.append(char)
            at += 1
        elif is_raw:
            found.append(text[at : at + 2])
            at += 2
        else:
            value, at = _escape(text, at)
            found.append(value)
    return Token("string", "".join(found), begin), at + len(end)


def _escape(text: str, at: int) -> tuple[str, int]:
    letter = text[at + 1 : at + 2]
    if letter in _ESCAPES:
        return _ESCAPES[letter], at + 2
    if letter in _CODES:
        digits = text[at + 2 : at + 2 + _CODES[letter]]
        return _character(digits, 16, _CODES[letter], at), at + 2 + len(digits)
    if octal := re.compile("[0-7]{1,3}").match(text, at + 1):
        return _character(octal[0], 8, len(octal[0]), at), octal.end()
    raise SyntaxWrong(f"there is no escape \\{letter}; write \\\\ for a backslash", at)


def _character(digits: str, radix: int, count: int, at: int) -> str:
    try:
        number = int(digits, radix) if len(digits) == count and digits.isalnum() else -1
        if 0xD800 <= number <= 0xDFFF:
            raise ValueError
        return chr(number)
    except (ValueError, OverflowError):
        raise SyntaxWrong("this escape stands for no character", at) from None
