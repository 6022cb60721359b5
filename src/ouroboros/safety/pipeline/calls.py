"""The second stage of the safety pipeline: what is wrong with a call, before anybody is asked.

Shell text is judged by ``safety.commands`` and the rules: harm asks in every mode.
"""

from collections.abc import Sequence
from os.path import normpath
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

type Severity = Literal["low", "medium", "high", "critical"]

_FILES = frozenset({"read", "write"})
_SCHEMES = frozenset({
    "file",
    "data",
    "javascript",
    "vbscript",
    "view-source",
    "gopher",
    "dict",
    "ftp",
    "jar",
})


class Issue(Struct, frozen=True, kw_only=True):
    """Something wrong with a call; ``hint`` says how it could be done."""

    rule: str
    severity: Severity
    reason: str
    hint: str = ""


class Validator:
    """Judges calls of one session."""

    def __init__(self, *, roots: Sequence[Path], vault: Sequence[Path]) -> None:
        """``roots`` are the workspace's folders; what lies in ``vault`` no tool may touch."""
        self._roots = tuple(roots)
        self._vault = tuple(vault)

    def issues(
        self, *, kind: str, spelled: Sequence[Path], paths: Sequence[Path], url: str
    ) -> list[Issue]:
        """What is wrong; empty for nothing.

        Args:
            kind: Of the effect.
            spelled: Paths as the call spelled them, below the working folder.
            paths: The same with links followed.
            url: Where it would go.
        """
        found: list[Issue] = []
        if kind in _FILES:
            found += [issue for path in spelled if (issue := self._climbing(path))]
        for path in dict.fromkeys((*paths, *spelled)):
            if any(path == place or place in path.parents for place in self._vault):
                found.append(
                    Issue(
                        rule="vault",
                        severity="critical",
                        reason=f"{path} belongs to the store of secrets",
                        hint="keys are managed with `ouro providers` and `ouro browser logins`",
                    )
                )
        if url and kind not in ("look", "act", "risk"):
            found += _of_address(url)
        return found

    def _climbing(self, path: Path) -> Issue | None:
        if ".." not in path.parts:
            return None
        plain = Path(normpath(path))
        if any(plain == root or root in plain.parents for root in self._roots):
            return None
        return Issue(
            rule="path-traversal",
            severity="critical",
            reason=f"{path} climbs out of the workspace with '..'",
            hint=f"name the place itself, {plain}, so that it can be asked for",
        )


def _of_address(url: str) -> list[Issue]:
    try:
        parts = urlsplit(url.strip())
        scheme, host = parts.scheme.lower(), parts.hostname or ""
    except ValueError:
        return [Issue(rule="url", severity="high", reason=f"{url[:80]!r} is no address")]
    if scheme in _SCHEMES:
        return [
            Issue(
                rule="url-scheme",
                severity="critical",
                reason=f"{scheme}: addresses are not opened",
                hint="use http or https, or read a file with its tool",
            )
        ]
    if host and _is_internal(host):
        return [
            Issue(
                rule="internal-address", severity="medium", reason=f"{host} is in a private network"
            )
        ]
    return []


def _is_internal(host: str) -> bool:
    from ouroboros.safety.network.addresses import read, refusal
    from ouroboros.safety.network.hosts import is_local_name

    return bool(refusal(host)) if read(host) is not None else is_local_name(host)
