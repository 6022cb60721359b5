"""Code in tool calls that a model wrote as JSON, because it insists on calling something."""

import re
from typing import cast

from ouroboros.rlm.code import bare

_MOST_PLACES = 200
_DEEPEST = 6
_ACTS = re.compile(r"[;(=]")
_NAMES = ("javascript", "js", "script", "source", "block", "input")
_BESIDE = frozenset({
    *("code", "name", "tool", "tool_name", "type", "id", "function", "arguments", "input"),
    *("parameters", "language", "thought", "thoughts", "reasoning", "explanation", "description"),
    *("timeout", "recipient_name", "action", "action_input", "args"),
})


def codes(text: str) -> list[str]:
    """The code of each call, in order; the whole reply is tried first, then objects within it."""
    if "code" not in text:
        return []
    whole = _decoded(text.strip())
    if whole is not None:
        value, end = whole
        if end == len(text.strip()):
            return _all_codes(value, is_call=True)
    return _embedded(text)


def arguments(text: str) -> str:
    """The code in the arguments of a call that came as one; empty when there is none."""
    found = _decoded(text.strip())
    if found is None:
        return ""
    value = found[0]
    taken = _codes(value, 0)
    if not taken and isinstance(value, dict):
        table = cast("dict[str, object]", value)
        taken = [code for name in _NAMES if isinstance(code := table.get(name), str)]
    return taken[0] if taken else ""


def _embedded(text: str) -> list[str]:
    found: list[str] = []
    at = 0
    for _ in range(_MOST_PLACES):
        at = text.find("{", at)
        if at < 0 or "code" not in text[at:]:
            break
        decoded = _decoded(text[at:])
        if decoded is None:
            at += 1
            continue
        found += _all_codes(decoded[0], is_call=False)
        at += decoded[1]
    return found


def _all_codes(value: object, *, is_call: bool) -> list[str]:
    return [
        code
        for code in _codes(value, 0)
        if code.strip()
        and ((is_call and _is_call(value)) or (_ACTS.search(code) and bare.is_script(code)))
    ]


def _is_call(value: object) -> bool:
    """An object with nothing in it that a call would not have."""
    return isinstance(value, dict) and _BESIDE.issuperset(cast("dict[str, object]", value))


def _codes(value: object, depth: int) -> list[str]:
    if depth > _DEEPEST:
        return []
    if isinstance(value, str):  # arguments are often JSON within JSON
        inner = _decoded(value) if value.lstrip().startswith("{") else None
        return _codes(inner[0], depth + 1) if inner else []
    if isinstance(value, list):
        return [code for item in cast("list[object]", value) for code in _codes(item, depth + 1)]
    if not isinstance(value, dict):
        return []
    table = cast("dict[str, object]", value)
    own = table.get("code")
    if isinstance(own, str):
        return [own]
    return [
        code
        for name, inner in table.items()
        if name != "description"
        for code in _codes(inner, depth + 1)
    ]


def _decoded(text: str) -> tuple[object, int] | None:
    """The JSON value that a text begins with, and its length; line ends in strings are let pass."""
    from json import JSONDecoder  # not loaded by a run without such replies

    try:
        return JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
