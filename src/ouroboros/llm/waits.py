"""How long a provider asks to wait, and how much of its allowance is left."""

import math
import re
from collections.abc import Mapping

from msgspec import Struct

from ouroboros.llm.fields import Fields, children, string

_PIECE = r"(\d+(?:\.\d+)?)\s*(milliseconds?|ms|hours?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])"
_WAITS = rf"(?:try again|retry|retry again)\s+(?:in|after)\s+((?:{_PIECE}[\s,]*(?:and\s+)?)+)"

YEAR_SECONDS = 31_536_000.0


def retry_after(
    headers: Mapping[str, str], error: Fields, message: str, *, now: float
) -> float | None:
    """Seconds the provider asks to wait, from the most exact place that says so; a year at most."""
    asked = _asked(headers, error, message, now=now)
    return None if asked is None else min(asked, YEAR_SECONDS)


def _asked(headers: Mapping[str, str], error: Fields, message: str, *, now: float) -> float | None:
    exact = _finite(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    header = headers.get("retry-after", "")
    seconds = _finite(header)
    if seconds is not None:
        return seconds
    # A date that is past comes from a clock that differs: it says nothing of how long to wait.
    if header[:1].isalpha() and (date := moment(header)) is not None and date > now:
        return date - now
    for detail in children(error, "details"):
        delay = _finite(string(detail, "retryDelay").removesuffix("s"))
        if delay is not None:
            return delay
    if found := re.search(_WAITS, message, re.IGNORECASE):
        pieces: list[tuple[str, str]] = re.findall(_PIECE, found[1], re.IGNORECASE)
        return sum(float(number) * _scale(unit.lower()) for number, unit in pieces)
    return None


def _scale(unit: str) -> float:
    if unit.startswith(("ms", "mil")):
        return 0.001
    return {"h": 3600.0, "m": 60.0}.get(unit[0], 1.0)


def _finite(text: str | None) -> float | None:
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def moment(text: str) -> float | None:
    """The date of a header in seconds since the epoch, or None if it is none."""
    from email.utils import parsedate_to_datetime

    try:
        date = parsedate_to_datetime(text)
        return date.timestamp()
    except (ValueError, OverflowError, TypeError):
        return None


class Window(Struct, frozen=True, kw_only=True):
    """One rate limit: how much it allows, what is left, and when it is full again."""

    limit: int | None = None
    remaining: int | None = None
    reset_seconds: float | None = None


_DURATION = r"(\d+(?:\.\d+)?)(ms|h|m|s)"
_SCALES = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_FAMILIES = (
    ("x-ratelimit-{field}-{window}", ("requests", "tokens")),
    (
        "anthropic-ratelimit-{window}-{field}",
        ("requests", "tokens", "input-tokens", "output-tokens"),
    ),
)


def rate_limits(headers: Mapping[str, str], *, now: float) -> dict[str, Window]:
    """The windows that either header family tells of, such as ``requests`` and ``tokens``."""
    names = {name.lower(): value for name, value in headers.items()}
    found: dict[str, Window] = {}
    for pattern, windows in _FAMILIES:
        for window in windows:
            limit, remaining, reset = (
                names.get(pattern.format(field=field, window=window), "")
                for field in ("limit", "remaining", "reset")
            )
            if limit or remaining or reset:
                found[window] = Window(
                    limit=_whole(limit),
                    remaining=_whole(remaining),
                    reset_seconds=_reset(reset, now=now),
                )
    return found


def _whole(text: str) -> int | None:
    value = _finite(text)
    return None if value is None else int(value)


def _reset(text: str, *, now: float) -> float | None:
    if (seconds := _finite(text)) is not None:
        return seconds
    pieces: list[tuple[str, str]] = re.findall(_DURATION, text)
    if text and re.sub(_DURATION, "", text) == "":
        return sum(float(number) * _SCALES[unit] for number, unit in pieces)
    if "T" not in text:
        return None
    from datetime import datetime

    try:
        return max(datetime.fromisoformat(text).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None
