"""What text from outside may not lead to without a yes, whatever the mode.

Independent of any detector: it is enough that such text was read.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.origins import origin_of
from ouroboros.safety.paths import Places
from ouroboros.safety.paths.secret_names import is_secret_name
from ouroboros.safety.rules.values import Around, Intent
from ouroboros.safety.untrusted import configures


def carried(
    intent: Intent,
    around: Around,
    places: Places,
    *,
    verdict: Verdict | None = None,
    touched: Iterable[Path] = (),
) -> str:
    """What text from outside could bring about by this, as a clause; empty when nothing.

    Args:
        intent: What would be done.
        around: Whether the session has read such text, and what commands can reach.
        places: The workspace.
        verdict: What is known of a command.
        touched: Paths that a command speaks of.
    """
    if not around.outside.sources:
        return ""
    match intent.kind:
        case "none" | "look" | "act" | "origin" | "risk":
            return ""  # a browser's own taint asks about places
        case "fetch":
            known = around.outside.known.knows(intent.url)
            where = origin_of(intent.url) or intent.url[:80]
            return "" if known else f"this would carry data to {where}, a place nobody has named"
        case "read":
            return next((_secret(path) for path in intent.paths if _is_secret(path, places)), "")
        case "write":
            found = (path for path in intent.paths if _steers(path, places))
            return next((_steering(path) for path in found), "")
        case "execute":
            return _of_command(intent, around, places, verdict, tuple(touched))
        case "remember":
            return "this would be remembered in later sessions"
        case _:
            return f"{intent.tool} reaches beyond this session"


def _of_command(
    intent: Intent,
    around: Around,
    places: Places,
    verdict: Verdict | None,
    touched: tuple[Path, ...],
) -> str:
    if verdict is None:
        return "nobody can tell what this command does"
    if verdict.pushes:
        return "this would publish code"
    if verdict.sends and (around.is_online or intent.escalation.permissions != "use_default"):
        return "this may carry data out over the network"
    known = (path for path in touched if _is_secret(path, places))
    secret = next(filter(os.path.lexists, known), None)  # a word such as token is rarely a file
    if secret is not None or verdict.rule == "ask.secret":
        return _secret(secret) if secret is not None else "this may read keys"
    if verdict.kind == "safe":
        return ""
    steered = next((path for path in touched if _steers(path, places)), None)
    return _steering(steered) if steered is not None else ""


def _is_secret(path: Path, places: Places) -> bool:
    return places.is_secret(path) or is_secret_name(_below(path, places))


def _steers(path: Path, places: Places) -> bool:
    return bool(places.protected_by(path)) or configures(Path(_below(path, places)))


def _below(path: Path, places: Places) -> str:
    """The path as the workspace sees it: the folders above say nothing of a file."""
    for root in places.roots:
        if path.is_relative_to(root):
            return str(path.relative_to(root))
    return str(path)


def _secret(path: Path) -> str:
    return f"{path} may hold keys"


def _steering(path: Path) -> str:
    return f"{path} steers what programs and agents do later"
