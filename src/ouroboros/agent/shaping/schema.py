"""JSON Schema: what of a value does not fit, as the library ``jsonschema`` sees it.

Imported only where a schema is given: to read the library in takes longer than to open a session.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from importlib import import_module
from itertools import islice
from typing import Any, Protocol, cast

import msgspec
from jsonschema import Draft3Validator, Draft202012Validator, exceptions, validators
from jsonschema.exceptions import UnknownType, ValidationError
from jsonschema.protocols import Validator
from referencing.exceptions import Unresolvable
from referencing.jsonschema import Schema as Rule
from referencing.jsonschema import SchemaRegistry, specification_with

from ouroboros.core.errors import Misuse

type Draft = type[Validator]
type Check = Callable[[Validator, Any, object, object], Iterator[ValidationError] | None]


class _Matching(Protocol):
    def best_match(self, errors: Iterable[ValidationError]) -> ValidationError | None: ...


class _Making(Protocol):
    def extend(self, validator: Draft, validators: Mapping[str, Check]) -> Draft: ...


# These three have no types of their own.
_nearest = cast("_Matching", exceptions).best_match
_extend = cast("_Making", validators).extend
_DRAFTS: SchemaRegistry = import_module("jsonschema_specifications").REGISTRY

MOST_BYTES = 1_048_576
_MOST_PROBLEMS = 10
_SHOWN = 240
_SIZES = frozenset(
    f"{end}{of}" for end in ("min", "max") for of in ("Length", "Items", "Properties")
)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_TOO_MUCH = "more than can be checked"


class Schema:
    """A schema that was read."""

    def __init__(self, root: Rule, *, most_steps: int = 1_000_000) -> None:
        """``root`` is of the draft that its ``$schema`` names, else of 2020-12; raises ``Misuse``.

        A value that takes more than ``most_steps`` keywords does not fit.
        """
        draft = _draft(root)
        try:
            _sound(draft, root, "#")
            _reach(draft, root)
        except (RecursionError, OverflowError):
            raise Misuse(f"the schema holds {_TOO_MUCH}") from None
        if not isinstance(root, bool):  # where it stands the library goes back to its own checks
            root = {name: demand for name, demand in root.items() if name != "$schema"}
        self._most, self._left = most_steps, 0
        checks: dict[str, Check] = {**draft.VALIDATORS, "multipleOf": _multiple}
        counted = {name: self._counted(check) for name, check in checks.items()}
        self._validator = _extend(draft, counted)(root, registry=_DRAFTS)

    @classmethod
    def read(cls, data: bytes) -> "Schema":
        """The schema of a file; raises ``Misuse``."""
        if len(data) > MOST_BYTES:
            raise Misuse(f"the schema holds more than {MOST_BYTES:,} bytes")
        try:
            root = msgspec.json.decode(data, type=bool | dict[str, object])
        except (msgspec.DecodeError, RecursionError) as broken:
            raise Misuse(f"the schema is no JSON Schema: {broken}") from None
        return cls(root)

    def problems(self, value: object) -> tuple[str, ...]:
        """What of a value does not fit, the first ten; nothing when all does."""
        self._left = self._most
        found: list[str] = []
        errors = self._validator.iter_errors(cast("Any", value))
        try:
            found.extend(map(_said, islice(errors, _MOST_PROBLEMS)))
        except (RecursionError, OverflowError, UnknownType, re.error):
            found = [*found[: _MOST_PROBLEMS - 1], f"$: {_TOO_MUCH}"]
        return tuple(found)

    def _counted(self, check: Check) -> Check:
        # Steps are counted, what one pattern does is not: it is in a file of the person's own.
        def checked(
            validator: Validator, demand: object, value: object, rule: object
        ) -> Iterator[ValidationError] | None:
            self._left -= 1
            if self._left < 0:
                raise RecursionError
            return check(validator, demand, value, rule)

        return checked


def _draft(rule: Rule) -> Draft:
    named = "" if isinstance(rule, bool) else rule.get("$schema", "")
    try:
        draft = validators.validator_for({"$schema": str(named)}, default=Draft202012Validator)
    except ValueError:
        raise Misuse(f"the schema is no JSON Schema: its $schema is {named!r}") from None
    if draft is Draft3Validator:  # it lets pass as a schema what the library then stumbles over
        raise Misuse("the schema is of draft 3", hint="draft 4 is the oldest that is understood")
    return draft


def _sound(draft: Draft, rule: Rule, at: str) -> None:
    """Raises ``Misuse`` for what is no schema."""
    meta = draft(draft.META_SCHEMA, format_checker=draft.FORMAT_CHECKER, registry=_DRAFTS)
    if error := _nearest(meta.iter_errors(rule)):
        where = "/".join([at, *map(str, error.absolute_path)])
        why = [*error.context, error][0].message  # of choices the first: what a `type` may be
        raise Misuse(f"the schema is wrong at {where}: {_cut(why)}")


def _reach(draft: Draft, root: Rule) -> None:
    """Looks up all that is referred to, as nothing is fetched; raises ``Misuse`` where it is missing."""
    form = specification_with(draft.META_SCHEMA["$schema"])
    first = form.create_resource(root)
    waiting = [(first, _DRAFTS.resolver_with_root(first))]
    seen: set[int] = set()
    while waiting:
        resource, resolver = waiting.pop()
        rule = resource.contents
        if isinstance(rule, bool) or id(rule) in seen:
            continue
        seen.add(id(rule))
        if "$schema" in rule and _draft(rule) is not draft:
            raise Misuse(f"the schema has a part of another draft: {rule['$schema']!r}")
        waiting += [(each, resolver.in_subresource(each)) for each in resource.subresources()]
        for reference in (rule[name] for name in _REFERENCES if name in rule):
            try:
                found = resolver.lookup(str(reference))
            except (Unresolvable, ValueError, TypeError):  # the last two: into what is no schema
                text = f"the schema refers to {reference!r}, which is not in it"
                raise Misuse(text, hint="nothing is fetched from elsewhere") from None
            if id(found.contents) not in seen:
                _sound(draft, found.contents, str(reference))
                waiting.append((form.create_resource(found.contents), found.resolver))


def _multiple(
    _: Validator, demand: float, value: object, rule: object
) -> Iterator[ValidationError]:
    """As decimals, for which 19.99 is a multiple of 0.01; the library divides floats."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        times = Fraction(repr(value)) / Fraction(repr(demand))
        if times.denominator != 1:
            yield ValidationError(f"{value} is not a multiple of {demand}")


def _said(error: ValidationError) -> str:
    """A problem with its place; for choices also what is wrong with the nearest of them."""
    nearest = _nearest([error])
    if nearest is None or nearest is error:
        return _placed(error)
    return f"{_placed(error)}; nearest to it: {_placed(nearest)}"


def _placed(error: ValidationError) -> str:
    name = str(error.validator)
    # The library says of a size that it is wrong, and not what it should be.
    size = f" ({name} {error.validator_value})" if name in _SIZES else ""
    return f"{_cut(error.json_path)}: {_cut(error.message)}{size}"


def _cut(text: str) -> str:
    half = _SHOWN // 2
    return text if len(text) <= _SHOWN else f"{text[:half]} … {text[-half:]}"
