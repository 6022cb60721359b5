"""The days and months that limits speak of: from midnight to midnight where the person is."""

from datetime import datetime, timedelta, tzinfo
from typing import Literal

from msgspec import Struct

type Name = Literal["daily_cost", "monthly_cost"]


class Period(Struct, frozen=True, kw_only=True):
    """From ``start`` up to ``end``, in seconds since the epoch."""

    name: Name
    start: float
    end: float


def period(name: Name, now: float, zone: tzinfo | None = None) -> Period:
    """The day or month that it is; ``zone`` is the machine's own by default.

    A day on which clocks change has 23 or 25 hours.
    """
    midnight = datetime.fromtimestamp(now, zone).replace(
        hour=0, minute=0, second=0, microsecond=0, fold=0
    )
    if name == "daily_cost":
        start, after = midnight, midnight + timedelta(days=1)
    else:
        start = midnight.replace(day=1)
        after = (start + timedelta(days=32)).replace(day=1)
    return Period(name=name, start=start.timestamp(), end=after.timestamp())
