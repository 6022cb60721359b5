"""What is mounted where for a command, in a sandbox that has mounts of its own."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Literal

from ouroboros.safety.sandbox.policy import Policy

type Kind = Literal["writable", "protected", "hidden", "veiled"]
"""May be written; only be read; not even be read; not be listed, but for what is shown in it."""


def mounts_of(policy: Policy) -> tuple[tuple[Path, Kind], ...]:
    """Paths that exist, the outer ones first; the strictest wins at one place."""
    found: dict[Path, Kind] = {}
    if policy.reach == "workspace-write":
        found |= dict.fromkeys((path for path in policy.writable if path.is_dir()), "writable")
    if policy.reach != "read-only":
        found |= dict.fromkeys((each for each in _above(policy) if each.is_dir()), "writable")
        kept = (place for place in policy.protected if place.exists() and not place.is_symlink())
        found |= dict.fromkeys(kept, "protected")
    known = frozenset(policy.hidden)
    for place in filter(os.path.lexists, policy.hidden):
        above = [each for each in place.parents if each in known]
        if above and not any(place.is_relative_to(shown) for shown in policy.shown):
            continue  # nothing can be mounted in what is hidden, and nothing need be
        is_veiled = any(shown.is_relative_to(place) for shown in policy.shown if shown != place)
        found[place] = "veiled" if is_veiled else "hidden"
    for place in policy.shown:
        if os.path.lexists(place) and found.get(place, "protected") == "protected":
            found[place] = "protected"
    closed = frozenset(place for place, kind in found.items() if kind == "hidden")
    found = {p: kind for p, kind in found.items() if closed.isdisjoint(p.parents)}
    return tuple(sorted(found.items(), key=lambda item: len(item[0].parts)))


def needs_user_namespace(policy: Policy) -> bool:
    """Always but for the superuser in folders of others, which one could not write any more."""
    return os.geteuid() != 0 or all(_owner(root) == 0 for root in policy.writable)


def _owner(path: Path) -> int:
    try:
        return path.stat().st_uid
    except OSError:
        return 0


@lru_cache(maxsize=16)
def _above(policy: Policy) -> tuple[Path, ...]:
    """Folders between a writable one and what is protected in it: a mount cannot be renamed away."""
    roots, kept = frozenset(policy.writable), frozenset((*policy.protected, *policy.hidden))
    found = dict.fromkeys(
        folder
        for place in (*policy.protected, *policy.hidden, *policy.writable)
        for folder in place.parents
        if not roots.isdisjoint((folder, *folder.parents))
        and kept.isdisjoint((folder, *folder.parents))
    )
    return tuple(found)
