"""A few words of what a stranger said about a credential, with nothing in them that may be one."""

import re
from collections.abc import Iterable

from ouroboros.llm.auth.credential import HIDDEN, SHORTEST
from ouroboros.safety.sanitize import sanitized

LENGTH = 300

_TOKEN = re.compile(r"(?=[\w\-.+~=]*\d)[\w\-.+~=]{20,}", re.ASCII)


def excerpt(said: bytes | str, *, secrets: Iterable[str] = ()) -> str:
    """One line of at most ``LENGTH`` characters, its end kept, without what looks like a token."""
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST and not secret.startswith("/"):
            text = text.replace(secret, HIDDEN)
    text = _TOKEN.sub(HIDDEN, " ".join(sanitized(text).split()))
    return text if len(text) <= LENGTH else f"…{text[-LENGTH:]}"
