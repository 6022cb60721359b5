"""Whether a schema is one, and all of it is understood here."""

import re
from collections.abc import Callable, Iterator
from typing import cast

from ouroboros.agent.shaping.checks import PLAIN, listed
from ouroboros.agent.shaping.values import KINDS, Table, is_number, kind
from ouroboros.core.errors import Misuse

_DEEPEST = 64
_SILENT = frozenset({
    *("$schema", "$id", "$comment", "title", "description", "default", "examples", "format"),
    *("deprecated", "readOnly", "writeOnly", "contentMediaType", "contentEncoding"),
})
"""They say something and demand nothing."""

_ONE = frozenset({
    *("additionalProperties", "propertyNames", "items", "contains", "not", "if", "then", "else"),
})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_TABLES = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_SIZES = frozenset({
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
})


class Reading:
    """Looks through a schema once, and through what it refers to."""

    def __init__(self, target: Callable[[object], object]) -> None:
        """``target`` finds what a reference stands for, and raises ``Misuse``."""
        self._target = target
        self._seen: set[str] = set()

    def check(self, rule: object, at: str, depth: int = 0) -> None:
        """Raises ``Misuse`` for what is no schema, or demands what nobody here could check."""
        if depth > _DEEPEST:
            raise Misuse(f"the schema is nested deeper than {_DEEPEST}")
        if isinstance(rule, bool):
            return
        if not isinstance(rule, dict):
            raise _wrong(at, "a schema is an object, true or false")
        for name, demand in cast("Table", rule).items():
            where = f"{at}/{name}"
            if name == "$ref":
                self._refer(demand, depth)
            elif name in PLAIN:
                _plain(name, demand, where)
            else:
                for key, inner in _inner(name, demand, at):
                    self.check(inner, f"{where}{key}", depth + 1)

    def _refer(self, reference: object, depth: int) -> None:
        found = self._target(reference)
        if str(reference) not in self._seen:
            self._seen.add(str(reference))
            self.check(found, str(reference), depth + 1)


def _inner(name: str, demand: object, at: str) -> Iterator[tuple[str, object]]:
    """The schemas within a keyword, each with the rest of its place."""
    if name in _ONE:
        yield "", demand
    elif name in _LISTS:
        if not isinstance(demand, list) or not demand:
            raise _wrong(f"{at}/{name}", "expected a list of schemas")
        yield from ((f"/{n}", each) for n, each in enumerate(cast("list[object]", demand)))
    elif name in _TABLES:
        if not isinstance(demand, dict):
            raise _wrong(f"{at}/{name}", "expected an object of schemas")
        for key, each in cast("Table", demand).items():
            if name == "patternProperties":
                _pattern(key, f"{at}/{name}")
            yield f"/{key}", each
    elif name not in _SILENT and not name.startswith("x-"):
        raise Misuse(
            f"the schema demands {name!r} at {at}, which is not understood here",
            hint="say it in another way, or leave it out",
        )


def _plain(name: str, demand: object, where: str) -> None:
    match name:
        case "type":
            if not KINDS.issuperset(map(str, listed(demand) or [demand])):
                raise _wrong(where, f"a type is one of {', '.join(sorted(KINDS))}")
        case "pattern":
            _pattern(demand, where)
        case "enum" | "required":
            if kind(demand) != "array" or (name == "required" and not _are_words(demand)):
                raise _wrong(where, "expected a list")
        case "uniqueItems":
            if not isinstance(demand, bool):
                raise _wrong(where, "expected true or false")
        case "const":
            pass
        case _:
            _bound(name, demand, where)


def _bound(name: str, demand: object, where: str) -> None:
    if not is_number(demand) or (name in _SIZES and cast("float", demand) < 0):
        raise _wrong(where, "expected a number")
    if name == "multipleOf" and cast("float", demand) <= 0:
        raise _wrong(where, "expected a number above 0")


def _are_words(demand: object) -> bool:
    return all(isinstance(each, str) for each in listed(demand))


def _pattern(demand: object, where: str) -> None:
    if not isinstance(demand, str):
        raise _wrong(where, "expected a pattern")
    try:
        re.compile(demand)
    except (re.error, RecursionError, OverflowError) as broken:
        raise _wrong(where, f"no pattern: {broken}") from None


def _wrong(where: str, why: str) -> Misuse:
    return Misuse(f"the schema is wrong at {where}: {why}")
