"""Proof Key for Code Exchange (RFC 7636): a code is worth nothing to who only saw it pass."""

import os
from collections.abc import Callable

METHOD = "S256"
_BYTES = 32


def secret(random: Callable[[int], bytes] = os.urandom) -> str:
    """43 letters nobody can guess: a verifier, or a state."""
    return _spelled(random(_BYTES))


def challenge(verifier: str) -> str:
    """What is shown at first of a verifier that is shown later."""
    from hashlib import sha256

    return _spelled(sha256(verifier.encode("ascii")).digest())


def _spelled(value: bytes) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(value).rstrip(b"=").decode("ascii")
