"""Which rights go to which places: what Landlock is told. It only adds; it cannot subtract.

So a place that holds something protected is not granted itself: what lies beside it is, and nothing
can be made or removed beside it. Listing a folder is granted everywhere: names are no secret to it.
"""

import functools
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ouroboros.safety.locking import kernel
from ouroboros.safety.sandbox.policy import Policy, links_among

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_REMOVE_AND_MAKE = 0b1_1111_1111 << 4
_MAKE_DEVICES = 1 << 6 | 1 << 11
REFER, TRUNCATE, IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE
CHANGE = WRITE_FILE | REFER | TRUNCATE | IOCTL_DEVICE | _REMOVE_AND_MAKE & ~_MAKE_DEVICES
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
_CONNECT_TCP = 1 << 1
_EVERY_PORT_RIGHT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")

type Grant = tuple[Path, int]


class Plan(Struct, frozen=True, kw_only=True):
    """What is granted, and the folders whose entries were looked at to know it."""

    grants: tuple[Grant, ...]
    listed: tuple[Path, ...]


def planned(policy: Policy, *, masked: bool = False) -> Plan:
    """The grants that follow from a policy.

    Args:
        policy: What may be reached.
        masked: Mounts already keep what is protected and hidden away, so nothing is left out but links,
            which no mount keeps.
    """
    listed: list[Path] = []
    if masked:
        hidden: tuple[Path, ...] = ()
        kept = links_among(policy.protected)
    else:
        hidden = _existing(policy.hidden)
        kept = (*_existing(policy.protected), *hidden)
    grants: list[Grant] = [(Path("/"), READ_DIR)]
    grants += [(path, READ) for path in _around(Path("/"), hidden, listed)]
    for place in policy.shown if hidden else ():
        inner = tuple(path for path in hidden if path != place and path.is_relative_to(place))
        grants += [(path, READ) for path in _around(place, inner, listed)]
    grants += [(Path("/dev", name), WRITE_FILE | IOCTL_DEVICE) for name in _DEVICES]
    if policy.reach == "full-access":
        grants += [(path, CHANGE) for path in _around(Path("/"), kept, listed)]
    else:
        grants.append((Path("/dev") / "shm", CHANGE))  # where semaphores of programs are
    if policy.reach == "workspace-write":
        for root in policy.writable:
            grants += [(path, CHANGE) for path in _around(root, kept, listed)]
    return Plan(grants=tuple(grants), listed=tuple(dict.fromkeys(listed)))


def divided(policy: Policy) -> dict[Path, Path]:
    """Writable folders in which something is protected, so that nothing can be made beside it."""
    kept = (*_existing(policy.protected), *_existing(policy.hidden))
    return {
        root: inner
        for root in policy.writable
        for inner in kept
        if inner != root and inner.is_relative_to(root)
    }


def _existing(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(path for path in paths if os.path.lexists(path))


def _around(root: Path, avoided: tuple[Path, ...], listed: list[Path]) -> Iterator[Path]:
    """The fewest places that hold all of ``root`` but what is avoided."""
    if any(root.is_relative_to(path) for path in avoided):
        return
    inside = tuple(path for path in avoided if path.is_relative_to(root))
    if not inside:
        yield root
        return
    listed.append(root)
    on_the_way = {path.parts[len(root.parts)] for path in inside}
    try:
        with os.scandir(root) as entries:
            # What a link leads to has a place of its own, where it is granted or not.
            names = [entry.name for entry in entries if not entry.is_symlink()]
    except OSError:
        return
    for name in names:
        if name in on_the_way:
            yield from _around(root / name, inside, listed)
        else:
            yield root / name


def ruleset_of(plan: Plan, *, ports: tuple[int, ...] | None) -> int:
    """A ruleset of the kernel's; its descriptor, which the caller closes.

    Args:
        plan: What is granted; a place that is gone by now is left out.
        ports: What may be connected to over TCP; None leaves TCP as it is.

    Raises:
        OSError: The kernel refuses.
    """
    version = kernel.landlock_version()
    handled = kernel.landlock_rights(version)
    ruleset = kernel.landlock_ruleset(
        files=handled,
        ports=0 if ports is None else _EVERY_PORT_RIGHT,
        scoped=_ABSTRACT_SOCKETS_AND_SIGNALS,
    )
    try:
        for path, rights in plan.grants:
            _allow(ruleset, path, rights & handled)
        if version >= 4:
            for port in ports or ():
                kernel.landlock_allow_port(ruleset, port, _CONNECT_TCP)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return  # it went away, or may not be reached by us either
    try:
        is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
        granted = rights if is_folder else rights & _OF_FILES
        if granted:
            kernel.landlock_allow(ruleset, place, granted)
    finally:
        os.close(place)


class Ruleset:
    """The ruleset of one policy, made when it is first needed and again when folders changed."""

    def __init__(self, policy: Policy) -> None:
        """Asks the kernel for nothing yet."""
        self._policy = policy
        self._seen: tuple[tuple[Path, int], ...] | None = None
        self._descriptor = -1
        self.writable: tuple[Path, ...] = ()
        """What the last one lets be written, and what lies below."""

    def opened(self) -> int:
        """A descriptor of its own, which the caller closes; from any thread, one at a time.

        Raises:
            OSError: The kernel refuses.
        """
        if self._seen is None or any(_changed(path) != when for path, when in self._seen):
            self.close()
            plan = planned(self._policy)
            # Looked at before the grants are made: a change meanwhile makes them anew next time.
            self._seen = tuple((path, _changed(path)) for path in plan.listed)
            ports = None if self._policy.network == "on" else self._policy.ports
            self._descriptor = ruleset_of(plan, ports=ports)
            self.writable = tuple(path for path, rights in plan.grants if rights & WRITE_FILE)
        return os.dup(self._descriptor)

    def close(self) -> None:
        """Lets go of the kernel's ruleset."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._seen = -1, None

    def __del__(self) -> None:
        """An owner that forgets it leaves no descriptor open."""
        self.close()


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@functools.cache
def holds() -> bool:
    """Whether Landlock here takes away every way to change a file, emptying it included."""
    return kernel.landlock_version() >= 3
