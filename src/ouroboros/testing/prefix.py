"""The prefix law: each request of a session extends the last one, or a compaction lies between.

Works on request bodies of every wire format. Marks that may move (``cache_control``, ``cachePoint``)
are left out of the comparison.
"""

from collections.abc import Sequence
from typing import cast

import msgspec

type Body = dict[str, object]

_LISTS = ("messages", "input", "contents")
_STABLE = ("system", "instructions", "systemInstruction", "tools", "toolConfig", "model")
_MARKS = {"cache_control", "cachePoint"}


def breaches(bodies: Sequence[bytes], *, summary: str, question: str) -> list[str]:
    """Where the law is broken, in words; empty when it holds.

    Args:
        bodies: Requests of one session, in the order they were sent.
        summary: How a summary message begins; its arrival allows a new prefix.
        question: How the request for a summary ends; such requests are left out.
    """
    found: list[str] = []
    last: Body | None = None
    for number, raw in enumerate(bodies, 1):
        body = cast("Body", _without_marks(msgspec.json.decode(raw)))
        if _holds(_history(body)[-1:], question):
            continue
        if last is not None and not _is_new_epoch(last, body, summary):
            found += [f"request {number}: {breach}" for breach in _compare(last, body)]
        last = body
    return found


def _compare(earlier: Body, later: Body) -> list[str]:
    found = [f"{key!r} changed" for key in _STABLE if earlier.get(key) != later.get(key)]
    before, after = _history(earlier), _history(later)
    for index, message in enumerate(before):
        # An open user message may still take in more blocks, as Anthropic's format wants it.
        if index >= len(after) or not _extends(
            message, after[index], last=index == len(before) - 1
        ):
            found.append(f"message {index} of {len(before)} changed or is gone")
            break
    return found


def _extends(before: object, after: object, *, last: bool) -> bool:
    if before == after:
        return True
    if not (last and isinstance(before, dict) and isinstance(after, dict)):
        return False
    one, other = cast("Body", before), cast("Body", after)
    key = "parts" if "parts" in one else "content"
    content, longer = one.get(key), other.get(key)
    if not (isinstance(content, list) and isinstance(longer, list)):
        return False
    kept = cast("list[object]", longer)[: len(cast("list[object]", content))]
    return one.get("role") == other.get("role") == "user" and kept == content


def _is_new_epoch(earlier: Body, later: Body, summary: str) -> bool:
    return _count(later, summary) != _count(earlier, summary) or (
        _holds(_history(later), summary) and len(_history(later)) < len(_history(earlier))
    )


def _count(body: Body, text: str) -> int:
    return sum(_holds([message], text) for message in _history(body))


def _holds(messages: Sequence[object], text: str) -> bool:
    needle = msgspec.json.encode(text)[1:-1]
    return any(needle in msgspec.json.encode(message) for message in messages)


def _history(body: Body) -> list[object]:
    for key in _LISTS:
        found = body.get(key)
        if isinstance(found, list):
            return cast("list[object]", found)
    return []


def _without_marks(value: object) -> object:
    if isinstance(value, dict):
        table = cast("Body", value)
        return {key: _without_marks(one) for key, one in table.items() if key not in _MARKS}
    if isinstance(value, list):
        kept = [_without_marks(one) for one in cast("list[object]", value)]
        return [one for one in kept if one != {}]
    return value
