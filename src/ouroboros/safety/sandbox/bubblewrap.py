"""The cage with namespaces: ``bwrap`` shows the command a view of the machine that is made for it.

Landlock and the filter of system calls hold inside as well. Whoever is bound by Landlock cannot mount,
so its rules are made here and taken on inside, by a line of Perl, or of Python where there is none.
"""

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.sandbox import inner
from ouroboros.safety.sandbox.cage import Confined, limits, variables
from ouroboros.safety.sandbox.kept import aside
from ouroboros.safety.sandbox.landlock import CHANGE, planned, ruleset_of
from ouroboros.safety.sandbox.mounts import Kind, mounts_of, needs_user_namespace
from ouroboros.safety.sandbox.policy import Policy

_WRITABLE_PROC = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi")


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

    @property
    def hides(self) -> bool:
        """Whether there are places that may not be read."""
        return bool(self._policy.hidden)

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command behind ``bwrap``."""
        words = [self._launcher.bwrap, *flags(self._policy), "--chdir", str(cwd), "--seccomp"]
        descriptors = {len(words): self._opened_filter}
        words += ["", "--", *self._launcher.inner]
        if self._launcher.inner:
            words.append(inner.limits_of(limits(self._policy)))
            descriptors[len(words)] = self._opened_ruleset
            words += ["", str(CHANGE & kernel.landlock_rights(kernel.landlock_version()))]
        notes: list[str] = []
        return Confined(
            command=(*words, *command),
            environment=variables(self.name, self._policy),
            descriptors=descriptors,
            ends_with_thread=True,
            finish=aside(self._policy, notes),
            notes=notes,
        )

    def _opened_filter(self) -> int:
        descriptor = os.memfd_create("filter")
        os.write(descriptor, self._filter)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def _opened_ruleset(self) -> int:
        ports = () if self._policy.network == "off" else None
        return ruleset_of(planned(self._policy, masked=True), ports=ports)


def flags(policy: Policy) -> tuple[str, ...]:
    """The flags of ``bwrap`` that show what the policy lets through, mounts from outside in."""
    words = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"]
    if needs_user_namespace(policy):
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
    places = mounts_of(policy)
    for place, kind in places:
        words += _mount(place, kind)
    for place, kind in places:
        if kind == "veiled":  # what is shown in it is mounted by now
            words += ["--remount-ro", str(place)]
    return tuple(words)


def _mount(place: Path, kind: Kind) -> list[str]:
    path = str(place)
    match kind:
        case "writable":
            return ["--bind", path, path]
        case "protected":
            return ["--ro-bind", path, path]
        case "veiled":
            return ["--perms", "0111", "--tmpfs", path]
        case "hidden" if place.is_dir():
            return ["--perms", "0000", "--tmpfs", path, "--remount-ro", path]
        case "hidden":
            return ["--ro-bind", "/dev/null", path]
