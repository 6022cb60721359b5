"""A session as JSON lines: one event on each, in the form that can be read back."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import msgspec

from ouroboros.app.export.cleaning import Clean, whole
from ouroboros.core.events import Envelope

_OPAQUE = frozenset({
    *("id", "call_id", "request_id", "message_id", "within", "child", "parent", "blob", "meta"),
    *("checkpoint", "tree", "start"),
})
"""Names by which events know each other, and what only a vendor reads."""


def json_lines(envelopes: Iterable[Envelope], *, clean: Clean | None = None) -> Iterator[str]:
    """Every event as it is kept; each text within goes through ``clean``, if there is one."""
    encode = msgspec.json.Encoder().encode
    clean = whole(clean) if clean is not None else None
    for envelope in envelopes:
        if clean is None:
            yield f"{encode(envelope).decode()}\n"
            continue
        held = cast("dict[str, object]", msgspec.to_builtins(envelope))
        yield f"{encode({**held, 'data': _cleaned(held['data'], clean)}).decode()}\n"


def _cleaned(value: object, clean: Clean) -> object:
    match value:
        case str():
            return clean(value)
        case dict():
            held = cast("dict[str, object]", value)
            left = {"data", *_OPAQUE} if held.get("type") == "media" else _OPAQUE
            return {
                key: each if key in left else _cleaned(each, clean) for key, each in held.items()
            }
        case list() | tuple():
            return [_cleaned(each, clean) for each in cast("Sequence[object]", value)]
        case _:
            return value
