"""The subset of Starlark that policy files need: constants, and calls with them.

Read by hand and never evaluated. Strings, numbers, lists, tuples, ``True``, ``False``, ``None``, ``+``, names
that a line above set, and calls as statements; everything else is an error with its place.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ouroboros.safety.policy.tokens import SyntaxWrong, Token, tokens

type Value = str | int | float | bool | None | list[Value] | tuple[Value, ...]

LARGEST = 5_000_000
"""Characters and items of all values of a file, sums and parts of them counted each."""

_DEEPEST = 32
_WORDS = {"True": True, "False": False, "None": None}
_RESERVED = frozenset({
    *("and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del"),
    *("elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in"),
    *("is", "lambda", "load", "nonlocal", "not", "or", "pass", "raise", "return", "try"),
    *("while", "with", "yield"),
})


class Call(NamedTuple):
    """A call as a statement, with its values."""

    name: str
    values: tuple[Value, ...]
    named: dict[str, Value]
    offset: int


def read(text: str) -> list[Call]:
    """The calls of a file, in order; raises ``SyntaxWrong``."""
    return list(_Reader(tokens(text)).statements())


class _Reader:
    """One pass over the tokens."""

    def __init__(self, found: Iterable[Token]) -> None:
        self._tokens = list(found)
        self._at = 0
        self._names: dict[str, Value] = dict(_WORDS)
        self._spent = 0

    def statements(self) -> Iterable[Call]:
        while self._next.kind != "end":
            if self._next.kind == "line" or self._is(";"):
                self._at += 1
                continue
            name = self._name()
            if self._takes("("):
                yield self._call(name)
            elif self._takes("="):
                self._assign(name)
            else:
                raise SyntaxWrong(f"{name.text!r} is neither called nor set", name.offset)
            if self._next.kind not in {"line", "end"} and not self._is(";"):
                raise SyntaxWrong("only one statement stands in a line", self._next.offset)

    def _name(self) -> Token:
        token = self._next
        if token.kind != "name":
            raise SyntaxWrong("expected a call, or NAME = VALUE", token.offset)
        if token.text in _RESERVED or token.text in _WORDS:
            raise SyntaxWrong(f"{token.text!r} is not part of policy files", token.offset)
        self._at += 1
        return token

    def _assign(self, name: Token) -> None:
        if name.text in self._names:
            raise SyntaxWrong(f"{name.text!r} is set already", name.offset)
        self._names[name.text] = self._value(0)

    def _call(self, name: Token) -> Call:
        values: list[Value] = []
        named: dict[str, Value] = {}
        while not self._takes(")"):
            key = self._keyword()
            if key is not None and key.text in named:
                raise SyntaxWrong(f"{key.text!r} is given twice", key.offset)
            if key is None and named:
                raise SyntaxWrong(
                    "a value without a name comes after named ones", self._next.offset
                )
            value = self._value(0)
            if key is None:
                values.append(value)
            else:
                named[key.text] = value
            self._separator(")")
        return Call(name.text, tuple(values), named, name.offset)

    def _keyword(self) -> Token | None:
        token = self._next
        follows = self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        if token.kind != "name" or (follows.kind, follows.text) != ("mark", "="):
            return None
        self._at += 2
        return token

    def _value(self, depth: int) -> Value:
        begun = self._next.offset
        value = self._single(depth)
        self._spend(value, begun)
        while self._takes("+"):
            value = _sum(value, self._single(depth), begun)
            self._spend(value, begun)
        return value

    def _spend(self, value: Value, offset: int) -> None:
        """Counts what is kept: names and sums could double it with every line."""
        self._spent += _size(value)
        if self._spent > LARGEST:
            raise SyntaxWrong("the values of this file are too large", offset)

    def _single(self, depth: int) -> Value:
        token = self._next
        if depth > _DEEPEST:
            raise SyntaxWrong("this is nested too deeply", token.offset)
        self._at += 1
        match token.kind:
            case "string":
                return token.text
            case "number":
                return _number(token)
            case "name":
                if token.text not in self._names:
                    raise SyntaxWrong(f"{token.text!r} is not set above", token.offset)
                return self._names[token.text]
            case "mark" if token.text == "[":
                return self._items("]", depth).values
            case "mark" if token.text == "(":
                found = self._items(")", depth)
                is_tuple = found.has_comma or not found.values
                return tuple(found.values) if is_tuple else found.values[0]
            case "mark" if token.text == "-" and self._next.kind == "number":
                return -_number(self._token())
            case _:
                raise SyntaxWrong("expected a value", token.offset)

    def _items(self, close: str, depth: int) -> "_Items":
        values: list[Value] = []
        has_comma = False
        while not self._takes(close):
            values.append(self._value(depth + 1))
            has_comma = self._separator(close) or has_comma
        return _Items(values, has_comma)

    def _separator(self, close: str) -> bool:
        """A comma, or the closing mark, which stays."""
        if self._takes(","):
            return True
        if not self._is(close):
            raise SyntaxWrong(f"expected , or {close}", self._next.offset)
        return False

    def _is(self, mark: str) -> bool:
        return (self._next.kind, self._next.text) == ("mark", mark)

    def _takes(self, mark: str) -> bool:
        found = self._is(mark)
        self._at += found
        return found

    def _token(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]


class _Items(NamedTuple):
    """What stands between brackets."""

    values: list[Value]
    has_comma: bool


def _number(token: Token) -> int | float:
    if "." in token.text:
        return float(token.text)
    try:
        return int(token.text, 0)
    except ValueError:
        raise SyntaxWrong("this number is too large", token.offset) from None


def _sum(left: Value, right: Value, offset: int) -> Value:
    match left, right:
        case str(), str():
            return left + right
        case list(), list():
            return [*left, *right]
        case tuple(), tuple():
            return (*left, *right)
        case _:
            raise SyntaxWrong("+ joins two strings, two lists or two tuples", offset)


def _size(value: Value) -> int:
    if isinstance(value, str):
        return len(value)
    return sum(1 + _size(one) for one in value) if isinstance(value, list | tuple) else 0
