"""The cage that needs no program: a thread locks itself up and then starts the command.

Rights of Landlock, filters of system calls and the end of new privileges belong to a thread, and what
it starts inherits them. The thread ends right after; nothing of us is locked.
"""

import os
import platform
import resource
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.sandbox.cage import NAME, NO_NETWORK, Confined
from ouroboros.safety.sandbox.inner import limits_of
from ouroboros.safety.sandbox.kept import KeptPlaces, aside
from ouroboros.safety.sandbox.landlock import Ruleset, divided
from ouroboros.safety.sandbox.policy import Policy

_KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 6, 7})
"""chown, the modes of files, setuid: what unpacking as the superuser needs, and nothing more."""

_BESIDE = "in this sandbox nothing can be made, renamed or removed directly in"


class Floor:
    """Landlock, a filter of system calls, no new privileges, and small limits."""

    name = "landlock"

    def __init__(
        self, policy: Policy, limiter: tuple[str, ...] = (), *, restores: bool = False
    ) -> None:
        """``policy`` is enforced as far as Landlock can say it, limits by ``limiter``.

        With ``restores`` what is protected in writable folders may be changed, and is put back afterwards;
        else nothing can be made beside it.
        """
        self._kept = KeptPlaces(policy) if restores else None
        self._aside = policy
        policy = replace(policy, protected=()) if restores else policy
        self._policy, self._limiter = policy, limiter
        self._ruleset = Ruleset(policy)
        self._filter = seccomp.refusing(
            platform.machine(),
            policy.network,
            local_sockets=policy.local_sockets,
            others=False,
        )
        self._once = Lock()

    @property
    def hides(self) -> bool:
        """Whether there are places that may not be read."""
        return bool(self._policy.hidden)

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command as it is, started by a thread that has locked itself up."""
        del cwd
        notes: list[str] = []
        set_aside = aside(self._aside, notes)
        kept = self._kept
        is_begun = False

        def lock() -> None:
            nonlocal is_begun
            if kept is not None:
                kept.begin()
                is_begun = True
            self._lock()

        def finish() -> None:
            nonlocal is_begun
            if set_aside is not None:
                set_aside()
            if kept is not None and is_begun:
                is_begun = False
                kept.end(notes)

        return Confined(
            command=(*self._limited(), *command),
            environment=variables(self.name, self._policy),
            lock=lock,
            finish=finish if kept is not None else None,
            notes=notes,
            hint=self._hint(),
        )

    def _hint(self) -> str:
        """Where nothing can be made, since Landlock cannot leave out what is in there."""
        found = dict[Path, Path]()
        for inner in divided(self._policy).values():
            found[inner.parent] = inner
        places = ", ".join(f"{folder} (beside {inner.name})" for folder, inner in found.items())
        return f"{_BESIDE} {places}; in their folders there can" if found else ""

    def _limited(self) -> tuple[str, ...]:
        return (*self._limiter, limits_of(limits(self._policy))) if self._limiter else ()

    def _lock(self) -> None:
        with self._once:
            ruleset = self._ruleset.opened()
        try:
            if os.geteuid() == 0:
                kernel.drop_capabilities(_KEPT_CAPABILITIES)
            kernel.no_new_privileges()
            kernel.landlock_restrict(ruleset)
        finally:
            os.close(ruleset)
        kernel.seccomp(self._filter, every_thread=False)


def limits(policy: Policy) -> dict[int, int]:
    """No core files, and no more processes than the policy says."""
    found = {resource.RLIMIT_CORE: 0}
    if policy.processes and hasattr(resource, "RLIMIT_NPROC"):
        found[resource.RLIMIT_NPROC] = policy.processes
    return found


def variables(name: str, policy: Policy) -> dict[str, str]:
    """By which a program can tell that it is confined, and where its temporary files are to be."""
    off = {NO_NETWORK: "1"} if policy.network == "off" else {}
    temporary = {} if policy.temporary is None else {"TMPDIR": str(policy.temporary)}
    return {NAME: name, **off, **temporary}
