"""The cage with namespaces: ``bwrap`` shows the command a view of the machine that is made for it.

Landlock and the filter of system calls hold inside as well. Whoever is bound by Landlock cannot mount,
so its rules are made here and taken on inside, by a line of Perl, or of Python where there is none.
"""

import os
import platform
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Literal

from msgspec import Struct

from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.sandbox import inner
from ouroboros.safety.sandbox.cage import Confined
from ouroboros.safety.sandbox.floor import limits, marks
from ouroboros.safety.sandbox.landlock import CHANGE, planned, ruleset_of
from ouroboros.safety.sandbox.policy import Policy

_PLACED = 0o1500
_WRITABLE_PROC = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi")

type Kind = Literal["writable", "protected", "absent", "hidden", "veiled"]


class Launcher(Struct, frozen=True, kw_only=True):
    """The programs that a cage with namespaces needs.

    Attributes:
        bwrap: Its path.
        inner: What takes on the limits and the rules of Landlock inside, from ``inner.taking``. Empty
            where there is no Landlock.
    """

    bwrap: str
    inner: tuple[str, ...] = ()


class Bubblewrap:
    """Namespaces of processes, users, mounts and network, with the floor inside."""

    name = "bubblewrap"

    def __init__(self, policy: Policy, launcher: Launcher) -> None:
        """``launcher`` was tried here with these flags."""
        self._policy, self._launcher = policy, launcher
        self._filter = seccomp.refusing(
            platform.machine(), policy.network, local_sockets=policy.local_sockets
        )
        self._once = Lock()
        self._placed: dict[Path, int] = {}

    @property
    def hides(self) -> bool:
        """Whether there are places that may not be read."""
        return bool(self._policy.hidden)

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command behind ``bwrap``; nothing is made on the disk before it is started."""
        absent = tuple(_absent(self._policy))
        words = [self._launcher.bwrap, *flags(self._policy), "--chdir", str(cwd), "--seccomp"]
        descriptors = {len(words): self._opened_filter}
        words += ["", "--", *self._launcher.inner]
        if self._launcher.inner:
            words.append(inner.limits_of(limits(self._policy)))
            descriptors[len(words)] = self._opened_ruleset
            words += ["", str(CHANGE & kernel.landlock_rights(kernel.landlock_version()))]
        if absent:
            first = min(descriptors)
            descriptors[first] = lambda: self._placing(absent)
        return Confined(
            command=(*words, *command),
            environment=marks(self.name, self._policy.network),
            descriptors=descriptors,
            ends_with_thread=True,
            finish=(lambda: self._clear(absent)) if absent else None,
        )

    def _placing(self, absent: tuple[Path, ...]) -> int:
        """Makes what is mounted over names that are to stay absent."""
        with self._once:
            for place in absent:
                if not _placed(place) and place not in self._placed:
                    continue
                self._placed[place] = self._placed.get(place, 0) + 1
        return self._opened_filter()

    def _clear(self, absent: tuple[Path, ...]) -> None:
        with self._once:
            for place in absent:
                left = self._placed.get(place, 0) - 1
                if left > 0:
                    self._placed[place] = left
                elif left == 0:
                    del self._placed[place]
                    _remove(place)

    def _opened_filter(self) -> int:
        descriptor = os.memfd_create("filter")
        os.write(descriptor, self._filter)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def _opened_ruleset(self) -> int:
        ports = () if self._policy.network == "off" else None
        return ruleset_of(planned(self._policy, masked=True), ports=ports)


def _placed(place: Path) -> bool:
    """Makes the folder, or finds the one that a killed run of ours left."""
    try:
        place.mkdir()
        place.chmod(_PLACED)
    except FileExistsError:
        return _is_left(place)
    return True


def _is_left(place: Path) -> bool:
    """Whether it is the folder of a killed run: nobody else gives one such a mode."""
    try:
        return place.lstat().st_mode == stat.S_IFDIR | _PLACED
    except OSError:
        return False


def _remove(place: Path) -> None:
    try:
        place.rmdir()
    except OSError:
        return  # somebody outside put something there meanwhile: it is theirs


def flags(policy: Policy) -> tuple[str, ...]:
    """The flags of ``bwrap`` that show what the policy lets through, mounts from outside in."""
    words = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"]
    if _needs_user_namespace(policy):
        words.append("--unshare-user")
    if policy.network != "on":
        words.append("--unshare-net")  # to the proxy leads a listener that is handed out
    words += ["--cap-drop", "ALL"]
    if policy.reach == "full-access":
        words += ["--bind", "/", "/"]
    else:
        words += ["--ro-bind", "/", "/"]
    words += ["--dev", "/dev", "--proc", "/proc"]
    for name in _WRITABLE_PROC:
        words += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for place, kind in sorted(_places(policy).items(), key=lambda item: len(item[0].parts)):
        words += _mount(place, kind)
    for place, kind in _places(policy).items():
        if kind == "veiled":  # what is shown in it is mounted by now
            words += ["--remount-ro", str(place)]
    return tuple(words)


def _needs_user_namespace(policy: Policy) -> bool:
    """Always but for the superuser in folders of others, which one could not write any more."""
    return os.geteuid() != 0 or all(_owner(root) == 0 for root in policy.writable)


def _owner(path: Path) -> int:
    try:
        return path.stat().st_uid
    except OSError:
        return 0


def _places(policy: Policy) -> dict[Path, Kind]:
    """What is mounted where; the strictest wins at one place."""
    found: dict[Path, Kind] = {}
    if policy.reach == "workspace-write":
        found |= dict.fromkeys((path for path in policy.writable if path.is_dir()), "writable")
    if policy.reach != "read-only":
        found |= dict.fromkeys(_above(policy), "writable")
        kept = (place for place in policy.protected if place.exists() and not place.is_symlink())
        found |= dict.fromkeys(kept, "protected")
    found |= dict.fromkeys(_absent(policy), "absent")
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
    return found


def _absent(policy: Policy) -> Iterator[Path]:
    """Protected places that could be made from inside."""
    if policy.reach == "read-only":
        return
    for place in policy.protected:
        is_absent = not os.path.lexists(place) or _is_left(place)
        if is_absent and place.parent in policy.writable and os.access(place.parent, os.W_OK):
            yield place


def _above(policy: Policy) -> Iterator[Path]:
    """Folders between a writable one and what is protected in it: a mount cannot be renamed away."""
    for place in (*policy.protected, *policy.writable):
        for folder in place.parents:
            inside = any(folder.is_relative_to(root) for root in policy.writable)
            kept = any(folder.is_relative_to(root) for root in policy.protected)
            if inside and not kept and folder.is_dir():
                yield folder


def _mount(place: Path, kind: Kind) -> list[str]:
    path = str(place)
    match kind:
        case "writable":
            return ["--bind", path, path]
        case "protected":
            return ["--ro-bind", path, path]
        case "absent":
            return ["--tmpfs", path, "--remount-ro", path]
        case "veiled":
            return ["--perms", "0111", "--tmpfs", path]
        case "hidden" if place.is_dir():
            return ["--perms", "0000", "--tmpfs", path, "--remount-ro", path]
        case "hidden":
            return ["--ro-bind", "/dev/null", path]
