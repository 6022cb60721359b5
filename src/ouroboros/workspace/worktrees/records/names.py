"""Names of a session's branch, tags and other refs: pure, and always names that git takes."""

import hashlib
import re
from collections.abc import Iterable

from ouroboros.core.errors import Misuse

SHORT = 8
"""Characters of a session's id that stand for it in names."""

MOST = 100
"""Characters that a name of the person's may have."""


def short(session_id: str) -> str:
    """What stands for a session in names."""
    return session_id[:SHORT]


def branch(session_id: str) -> str:
    """The branch that a session is given."""
    return f"paws/{short(session_id)}"


def tag(session_id: str, checkpoint: str) -> str:
    """The tag of a checkpoint; what git takes in no ref is replaced, and told apart by a hash."""
    return f"paws-checkpoint-{short(session_id)}-{_slug(checkpoint)}"


def kept(session_id: str, number: int) -> str:
    """A ref for work that would else be named by nothing."""
    return f"refs/paws/{short(session_id)}/kept/{number}"


def kept_above(session_id: str) -> str:
    """What the refs of ``kept`` begin with."""
    return f"refs/paws/{short(session_id)}/kept/"


def merging(session_id: str) -> str:
    """A ref for a merge that is being made."""
    return f"refs/paws/{short(session_id)}/merge"


def checked(name: str, what: str) -> str:
    """The name that the person gave, without space around it.

    Raises:
        Misuse: It is empty, too long, or has characters that nobody sees.
    """
    plain = name.strip()
    if not plain:
        raise Misuse(f"the {what} has no name", hint="give it one")
    if len(plain) > MOST:
        raise Misuse(f"the {what}'s name is longer than {MOST} characters", hint="shorten it")
    if not plain.isprintable():
        raise Misuse(f"the {what}'s name {plain!r} has characters that cannot be seen")
    return plain


def free(wanted: str, taken: Iterable[str]) -> str:
    """The name, with a number behind it where it is taken."""
    names = set(taken)
    number, found = 2, wanted
    while found in names:
        found, number = f"{wanted}-{number}", number + 1
    return found


def _slug(name: str) -> str:
    plain = "".join(each if each.isalnum() or each in "._-" else "-" for each in name)
    plain = re.sub(r"\.{2,}", ".", plain).strip(".")
    while plain.endswith(".lock"):
        plain = plain.removesuffix(".lock")
    plain = plain[:60].rstrip(".") or "x"
    if plain == name:
        return name
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
