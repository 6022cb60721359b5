"""What a search for secrets finds."""

from typing import Literal

from msgspec import Struct

type Action = Literal["redact", "warn", "block"]


class Finding(Struct, frozen=True, kw_only=True):
    """Where a secret stands and what it is; never the secret itself.

    Attributes:
        kind: Its format, such as ``github-pat``.
        start: Index of its first character.
        end: Index after its last character.
        action: What becomes of the text that holds it.
    """

    kind: str
    start: int
    end: int
    action: Action = "redact"


def mark(name: str) -> str:
    """What stands in the place of a secret."""
    return f"[REDACTED:{name}]"
