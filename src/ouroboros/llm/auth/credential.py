"""Keys: where they are found, how they travel, and that they are never shown."""

from collections.abc import Mapping
from typing import Literal

from ouroboros.core.errors import Misuse

type AuthStyle = Literal["bearer", "x-api-key", "api-key", "x-goog-api-key", "aws", "none"]

HIDDEN = "[key]"

SHORTEST = 8
"""Shorter values are placeholders of local servers, and would be found everywhere."""


class Credential:
    """A key and the name of the variable it came from; its text never shows the key."""

    __slots__ = ("_key", "source")

    def __init__(self, key: str, source: str) -> None:
        """``source`` is for messages, such as ``OPENAI_API_KEY``."""
        self._key = key
        self.source = source

    def __repr__(self) -> str:
        return f"Credential({HIDDEN!r}, source={self.source!r})"

    def headers(self, style: AuthStyle) -> dict[str, str]:
        """The headers that carry the key."""
        match style:
            case "bearer":
                return {"authorization": f"Bearer {self._key}"}
            case "x-api-key" | "api-key" | "x-goog-api-key":
                return {style: self._key}
            case "none" | "aws":
                return {}

    def redact(self, text: str) -> str:
        """The text with the key taken out, unless it is too short to be one."""
        return text if len(self._key) < SHORTEST else text.replace(self._key, HIDDEN)


def is_sendable(key: str) -> bool:
    """Whether a header can carry it: one word of plain characters."""
    return bool(key) and key.isascii() and key.isprintable() and " " not in key


def find(names: tuple[str, ...], environment: Mapping[str, str]) -> Credential | None:
    """The first of these variables that holds a key."""
    for name in names:
        key = environment.get(name, "").strip()
        if not key:
            continue
        if not is_sendable(key):
            raise Misuse(
                f"{name} holds characters that no key has, so it cannot be sent.",
                hint=f"Set {name} again, to the key alone.",
            )
        return Credential(key, name)
    return None
