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
    writable: list[Path] = []
    protected: list[Path] = []
    if policy.reach == "workspace-write":
        writable += filter(os.path.isdir, policy.writable)
    if policy.reach != "read-only":
        writable += filter(os.path.isdir, _above(policy))
        protected += (p for p in policy.protected if p.exists() and not p.is_symlink())
    there = filter(os.path.lexists, policy.hidden)
    shown = tuple(filter(os.path.lexists, policy.shown))
    return _arranged(tuple(writable), tuple(protected), tuple(there), policy.shown, shown)


@lru_cache(maxsize=16)  # hundreds of places, and the same ones for nearly every command
def _arranged(
    writable: tuple[Path, ...],
    protected: tuple[Path, ...],
    hidden: tuple[Path, ...],
    shown: tuple[Path, ...],
    shown_there: tuple[Path, ...],
) -> tuple[tuple[Path, Kind], ...]:
    found: dict[Path, Kind] = dict.fromkeys(writable, "writable")
    found |= dict.fromkeys(protected, "protected")
    known = frozenset(hidden)
    for place in hidden:
        if not known.isdisjoint(place.parents) and not any(map(place.is_relative_to, shown)):
            continue  # nothing can be mounted in what is hidden, and nothing need be
        is_veiled = any(each.is_relative_to(place) for each in shown if each != place)
        found[place] = "veiled" if is_veiled else "hidden"
    for place in shown_there:
        if found.get(place, "protected") == "protected":
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
