"""What is mounted where for a command, in a sandbox that has mounts of its own."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from ouroboros.safety.sandbox.policy import PROTECTED_NAMES, Policy

type Kind = Literal["writable", "protected", "hidden", "veiled"]
"""May be written; only be read; not even be read; not be listed, but for what is shown in it."""


def mounts_of(policy: Policy) -> tuple[tuple[Path, Kind], ...]:
    """Paths that exist, the outer ones first; the strictest wins at one place."""
    found: dict[Path, Kind] = {}
    if policy.reach == "workspace-write":
        found |= dict.fromkeys((path for path in policy.writable if path.is_dir()), "writable")
    if policy.reach != "read-only":
        found |= dict.fromkeys(_above(policy), "writable")
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
    return tuple(sorted(found.items(), key=lambda item: len(item[0].parts)))


def needs_user_namespace(policy: Policy) -> bool:
    """Always but for the superuser in folders of others, which one could not write any more."""
    return os.geteuid() != 0 or all(_owner(root) == 0 for root in policy.writable)


def _owner(path: Path) -> int:
    try:
        return path.stat().st_uid
    except OSError:
        return 0


def _above(policy: Policy) -> Iterator[Path]:
    """Folders between a writable one and what is protected in it: a mount cannot be renamed away."""
    for place in (*policy.protected, *policy.writable):
        for folder in place.parents:
            inside = any(folder.is_relative_to(root) for root in policy.writable)
            kept = any(folder.is_relative_to(root) for root in policy.protected)
            if inside and not kept and folder.is_dir():
                yield folder


def _absent(policy: Policy) -> tuple[Path, ...]:
    """Protected names that are not there, but could be made by a command."""
    if policy.reach == "read-only":
        return ()
    return tuple(
        place
        for place in policy.protected
        if place.parent in policy.writable
        and not os.path.lexists(place)
        and os.access(place.parent, os.W_OK)
    )


def aside(policy: Policy, notes: list[str]) -> Callable[[], None] | None:
    """What to do once a command has ended, so that no protected name came into being by it.

    ``notes`` gets a line for each that did.
    """
    absent = _absent(policy)
    return (lambda: notes.extend(_set_aside(absent))) if absent else None


_ours: set[Path] = set()


def made_by_us(path: Path) -> None:
    """The protected folders on the way to a path are made, or were, by us and not by a command."""
    _ours.update(each for each in (path, *path.parents) if each.name in PROTECTED_NAMES)


def _set_aside(absent: tuple[Path, ...]) -> tuple[str, ...]:
    """Gives what a command made under these names another name, and says so, a line each.

    No mount can be laid over what is not there, and nothing is put on the person's disk to that end.
    """
    said: list[str] = []
    for place in absent:
        if place in _ours or not os.path.lexists(place):
            continue
        for number in range(1, 100):
            other = place.with_name(
                f"{place.name}.from-sandbox{f'-{number}' if number > 1 else ''}"
            )
            if os.path.lexists(other):
                continue
            try:
                place.rename(other)
            except OSError as failed:
                said.append(f"{place} was made in the sandbox and stays: {failed.strerror}")
            else:
                said.append(f"{place} is {other.name} now: none can be made from the sandbox")
            break
    return tuple(said)
