"""JSON Schema (draft 2020-12, within one file): what of a value does not fit. Pure.

A keyword that is not known is refused when the schema is read: passed over, it would promise what
nobody checks.
"""

from collections.abc import Iterator
from typing import cast

import msgspec

from ouroboros.agent.shaping import checks, soundness
from ouroboros.agent.shaping.values import Rule, Table
from ouroboros.core.errors import Misuse

MOST_BYTES = 1_048_576
_DEEPEST = 64
_MOST_PROBLEMS = 10
_MOST_STEPS = 1_000_000


class Schema:
    """A schema that was read."""

    def __init__(self, root: Rule) -> None:
        """Raises ``Misuse`` where something in it is not understood."""
        self._root, self._left = root, 0
        soundness.Reading(self.target).check(root, "#")

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
        found: list[str] = []
        self._left = _MOST_STEPS
        for problem in self.of(self._root, value, "$", 0):
            found.append(problem)
            if len(found) == _MOST_PROBLEMS:
                break
        return tuple(found)

    def of(self, rule: object, value: object, at: str, depth: int) -> Iterator[str]:
        """What does not fit one rule; ``at`` is where the value stands."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            yield f"{at}: more than can be checked"
        elif rule is False:
            yield f"{at}: must not be there"
        elif isinstance(rule, dict):
            yield from self._within(cast("Table", rule), value, at, depth + 1)

    def _within(self, rule: Table, value: object, at: str, depth: int) -> Iterator[str]:
        for name, demand in rule.items():
            if check := checks.PLAIN.get(name):
                yield from (f"{at}: {problem}" for problem in check(demand, value))
        if "$ref" in rule:
            yield from self.of(self.target(rule["$ref"]), value, at, depth)
        yield from self._joined(rule, value, at, depth)
        for inner, part, place in checks.parts(rule, value, at):
            yield from self.of(inner, part, place, depth)
        if "contains" in rule and isinstance(value, list):
            parts = cast("list[object]", value)
            if not any(self._fits(rule["contains"], part, at, depth) for part in parts):
                yield f"{at}: no entry is what one has to be"

    def _joined(self, rule: Table, value: object, at: str, depth: int) -> Iterator[str]:
        """Rules that are put together of others."""
        for inner in checks.listed(rule.get("allOf")):
            yield from self.of(inner, value, at, depth)
        for name, wrong in (("anyOf", "none"), ("oneOf", "not exactly one")):
            choices = checks.listed(rule.get(name))
            fitting = sum(self._fits(inner, value, at, depth) for inner in choices)
            if choices and (fitting == 0 or (fitting > 1 and name == "oneOf")):
                yield f"{at}: fits {wrong} of the {len(choices)} choices"
        if "not" in rule and self._fits(rule["not"], value, at, depth):
            yield f"{at}: is what it must not be"
        if "if" in rule:
            chosen = "then" if self._fits(rule["if"], value, at, depth) else "else"
            yield from self.of(rule.get(chosen, True), value, at, depth)

    def _fits(self, rule: object, value: object, at: str, depth: int) -> bool:
        return next(self.of(rule, value, at, depth), None) is None

    def target(self, reference: object) -> object:
        """What a reference within the schema stands for; raises ``Misuse``."""
        text = reference if isinstance(reference, str) else ""
        if text != "#" and not text.startswith("#/"):
            raise Misuse(f"the schema refers to {reference!r}: only '#/...' is understood")
        found: object = self._root
        for step in text.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            known = checks.named(found)
            if name not in known:
                raise Misuse(f"the schema refers to {text!r}, which is not in it")
            found = known[name]
        return found
