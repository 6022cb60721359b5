"""Keys never enter an event: known secret values are replaced before anything sees them."""

from collections.abc import Callable, Mapping

import msgspec

from ouroboros.safety.environment import is_secret_name

SHORTEST = 8
"""Shorter values are no keys, and would be found everywhere."""


def redactor(environment: Mapping[str, str]) -> Callable[[bytes], bytes | None] | None:
    """A function that takes secrets out of an event's JSON; None when there are none to look for.

    It gives None for an event that holds no secret, which is nearly every one.
    """
    found = {
        msgspec.json.encode(value)[1:-1]: f"[redacted {name}]".encode()
        for name, value in environment.items()
        if is_secret_name(name) and len(value) >= SHORTEST
    }
    if not found:
        return None
    # Longest first, so that a key that holds another one is replaced whole.
    ordered = sorted(found.items(), key=lambda item: -len(item[0]))

    def redact(encoded: bytes) -> bytes | None:
        clean = encoded
        for secret, name in ordered:
            if secret in clean:
                clean = clean.replace(secret, name)
        return None if clean is encoded else clean

    return redact
