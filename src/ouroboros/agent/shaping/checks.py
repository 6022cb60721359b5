"""What single keywords of JSON Schema demand of a value. Pure."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from operator import ge, gt, le, lt
from typing import cast

from ouroboros.agent.shaping.values import Table, canonical, is_number, kind, shown

type Check = Callable[[object, object], Iterator[str]]
type Compare = Callable[[float, float], bool]


def listed(value: object) -> list[object]:
    """A list, or nothing where there is none."""
    return cast("list[object]", value) if isinstance(value, list) else []


def named(value: object) -> Table:
    """The fields of an object, or the entries of a list by their number."""
    if isinstance(value, dict):
        return cast("Table", value)
    return {str(number): each for number, each in enumerate(listed(value))}


def _type(demand: object, value: object) -> Iterator[str]:
    wanted = listed(demand) or [demand]
    found = kind(value)
    if found not in wanted and not (found == "integer" and "number" in wanted):
        yield f"expected {' or '.join(map(str, wanted))}, got {shown(value)}"


def _enum(demand: object, value: object) -> Iterator[str]:
    known = {canonical(each) for each in listed(demand)}
    if canonical(value) not in known:
        yield f"expected one of {shown(demand)}, got {shown(value)}"


def _const(demand: object, value: object) -> Iterator[str]:
    if canonical(demand) != canonical(value):
        yield f"expected {shown(demand)}, got {shown(value)}"


def _number(compare: Compare, words: str, demand: object, value: object) -> Iterator[str]:
    if is_number(value) and not compare(cast("float", value), cast("float", demand)):
        yield f"expected {words} {demand}, got {shown(value)}"


def _multiple(demand: object, value: object) -> Iterator[str]:
    if is_number(value):
        times = cast("float", value) / cast("float", demand)
        if abs(times - round(times)) > 1e-9:
            yield f"expected a multiple of {demand}, got {shown(value)}"


def _size(of: type, compare: Compare, words: str, demand: object, value: object) -> Iterator[str]:
    if isinstance(value, of):
        size = len(cast("str", value))
        if not compare(size, cast("float", demand)):
            yield f"expected {words.format(demand)}, got {size}"


def _pattern(demand: object, value: object) -> Iterator[str]:
    if isinstance(value, str) and not re.search(str(demand), value):
        yield f"does not fit the pattern {demand!r}: {shown(value)}"


def _unique(demand: object, value: object) -> Iterator[str]:
    if demand is True and isinstance(value, list):
        parts = cast("list[object]", value)
        if len({canonical(part) for part in parts}) < len(parts):
            yield "the same entry twice"


def _required(demand: object, value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{name!r} is missing" for name in listed(demand) if name not in value)


PLAIN: dict[str, Check] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": partial(_number, ge, "at least"),
    "maximum": partial(_number, le, "at most"),
    "exclusiveMinimum": partial(_number, gt, "more than"),
    "exclusiveMaximum": partial(_number, lt, "less than"),
    "multipleOf": _multiple,
    "minLength": partial(_size, str, ge, "at least {} characters"),
    "maxLength": partial(_size, str, le, "at most {} characters"),
    "pattern": _pattern,
    "minItems": partial(_size, list, ge, "at least {} entries"),
    "maxItems": partial(_size, list, le, "at most {} entries"),
    "uniqueItems": _unique,
    "required": _required,
    "minProperties": partial(_size, dict, ge, "at least {} fields"),
    "maxProperties": partial(_size, dict, le, "at most {} fields"),
}
"""Keywords that look at the value alone."""


def parts(rule: Table, value: object, at: str) -> Iterator[tuple[object, object, str]]:
    """The parts of a value with the rule that each has to fit, and its place."""
    match value:
        case dict():
            yield from _fields(rule, cast("Table", value), at)
        case list():
            yield from _entries(rule, cast("list[object]", value), at)
        case _:
            pass


def _fields(rule: Table, value: Table, at: str) -> Iterator[tuple[object, object, str]]:
    named = cast("Table", rule.get("properties", {}))
    patterns = cast("Table", rule.get("patternProperties", {}))
    for name, part in value.items():
        place = f"{at}.{name}"
        rules = [named[name]] if name in named else []
        rules += [inner for pattern, inner in patterns.items() if re.search(pattern, name)]
        rules = rules or [rule.get("additionalProperties", True)]
        yield from ((inner, part, place) for inner in rules)
        if "propertyNames" in rule:
            yield rule["propertyNames"], name, f"{place} (its name)"


def _entries(rule: Table, value: list[object], at: str) -> Iterator[tuple[object, object, str]]:
    first = listed(rule.get("prefixItems"))
    for number, part in enumerate(value):
        inner = first[number] if number < len(first) else rule.get("items", True)
        yield inner, part, f"{at}[{number}]"
