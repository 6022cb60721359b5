"""What a person sets about sessions that are kept."""

from msgspec import Struct


class Sessions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[sessions]``: how sessions are kept.

    Attributes:
        mirror: Repeat each session's events in a file of the home folder, one on each line.
    """

    mirror: bool = False
