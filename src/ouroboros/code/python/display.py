"""What a value looks like to somebody who cannot hold it: text of bounded size, or a picture.

Standard library only: the worker reads it from its file.
"""

from __future__ import annotations

import contextlib
import io
import json
import reprlib
import sys
from collections.abc import Callable
from typing import cast

TEXT_CHARS = 8_000
_NODES = 2_000
_DEPTH = 20
_SAVE = "savefig"
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def described(value: object) -> tuple[str, str]:
    """The value as text, and its shape; both empty for ``None``."""
    if value is None:
        return "", ""
    shape = _shape(value)
    if type(value) in {dict, list} and _is_small(value, [_NODES, TEXT_CHARS], 0):
        return json.dumps(value, ensure_ascii=False), shape
    short = reprlib.Repr()
    short.maxlevel, short.maxlist, short.maxtuple, short.maxset = 6, 100, 100, 100
    short.maxdict, short.maxdeque, short.maxarray, short.maxfrozenset = 100, 100, 100, 100
    short.maxstring, short.maxother, short.maxlong = TEXT_CHARS, TEXT_CHARS, TEXT_CHARS
    text = f"<{type(value).__name__} whose repr failed>"
    with contextlib.suppress(Exception):  # a class of the model's own may fail in any way
        text = short.repr(value)
    if len(text) > TEXT_CHARS:
        text = f"{text[:TEXT_CHARS]}... {len(text) - TEXT_CHARS:,} more characters"
    return text, shape


def _shape(value: object) -> str:
    kind = type(value).__name__
    if isinstance(value, dict):
        keys = list(cast("dict[object, object]", value))
        names = ", ".join(reprlib.repr(key) for key in keys[:12])
        return f"{kind} of {len(keys)}{': ' if names else ''}{names}"
    if isinstance(value, (list, tuple, set, frozenset)):
        items = list(cast("list[object]", value))
        kinds = sorted({type(item).__name__ for item in items[:100]})
        return f"{kind} of {len(items)}" + (f" ({', '.join(kinds[:4])})" if kinds else "")
    if isinstance(value, (str, bytes, bytearray)):
        return f"{kind} of {len(value)}"
    found: object = getattr(value, "shape", None)
    if isinstance(found, tuple):
        sizes = "x".join(str(size) for size in cast("tuple[object, ...]", found))
        return f"{kind} {sizes} {getattr(value, 'dtype', '')}".strip()
    return kind


def _is_small(value: object, left: list[int], depth: int) -> bool:
    """Whether it is all plain values that JSON says in a few thousand characters."""
    left[0] -= 1
    if left[0] < 0 or depth > _DEPTH:
        return False
    if type(value) is str:
        left[1] -= len(value)
        return left[1] >= 0
    if type(value) is int:
        return value.bit_length() < 256
    if value is None or type(value) in (bool, float):
        return value == value and value not in (float("inf"), float("-inf"))
    if type(value) is list:
        items = cast("list[object]", value)
        return all(_is_small(item, left, depth + 1) for item in items)
    if type(value) is dict:
        table = cast("dict[object, object]", value)
        return all(
            type(key) is str and _is_small(key, left, depth) and _is_small(item, left, depth + 1)
            for key, item in table.items()
        )
    return False


def image_of(value: object) -> tuple[str, bytes] | None:
    """The picture that a value is: a figure, an image, or the bytes of one."""
    if isinstance(value, (bytes, bytearray)):
        start = bytes(value[:12])
        kind = next((kind for magic, kind in _MAGIC if start.startswith(magic)), "")
        if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
            kind = "image/webp"
        return (kind, bytes(value)) if kind else None
    if isinstance(value, type):
        return None
    for name, kind in (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg")):
        drawn = getattr(value, name, None)
        data = drawn() if callable(drawn) else None
        if isinstance(data, bytes):
            return kind, data
    if type(value).__module__.startswith("matplotlib.") and hasattr(value, "savefig"):
        return "image/png", _saved(value)
    return None


def figures() -> list[bytes]:
    """The figures of pyplot that a block has drawn, which are closed."""
    plots = sys.modules.get("matplotlib.pyplot")
    if plots is None:
        return []
    drawn = [_saved(plots.figure(number)) for number in plots.get_fignums()]
    plots.close("all")
    return drawn


def _saved(figure: object) -> bytes:
    target = io.BytesIO()
    draw: Callable[..., object] = getattr(figure, _SAVE)
    draw(target, format="png")
    return target.getvalue()
