"""The sandbox that needs no program: a process of ours starts each command in namespaces of its own.

Inside hold mounts, Landlock, a filter of system calls, and no capability; see ``locking.launcher``.
"""

from collections.abc import Sequence
from pathlib import Path

from ouroboros.safety.locking import kernel
from ouroboros.safety.locking.launcher import IS_NETWORK, IS_USER
from ouroboros.safety.sandbox.cage import CommandLaunch, Confined, variables
from ouroboros.safety.sandbox.denial import ObservedRefusals
from ouroboros.safety.sandbox.kept import Placeholders, aside
from ouroboros.safety.sandbox.landlock import planned, ruleset_of
from ouroboros.safety.sandbox.mounts import mounts_of, needs_user_namespace
from ouroboros.safety.sandbox.policy import Policy
from ouroboros.safety.sandbox.starting import filters_of, launcher, start_by_launcher


class Namespaces:
    """Namespaces of users, mounts, processes and network, made by our own launcher."""

    name = "namespaces"

    def __init__(self, policy: Policy) -> None:
        """Starts nothing yet."""
        self._policy, self._placeholders = policy, Placeholders(policy)
        self._filters = filters_of(policy)

    @property
    def hides(self) -> bool:
        """Whether there are places that may not be read."""
        return bool(self._policy.hidden)

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command, to be started by the launcher."""
        del cwd
        notes: list[str] = []
        set_aside, is_begun = aside(self._policy, notes), False
        observed = ObservedRefusals(self._policy)

        def launch(start: CommandLaunch) -> int:
            nonlocal is_begun
            self._placeholders.begin()
            is_begun = True
            with observed.writing() as refusals:
                return self._launch(start, refusals)

        def finish() -> None:
            nonlocal is_begun
            observed.end()
            if is_begun:
                is_begun = False
                self._placeholders.end()
                launcher().prepare(self._flags())
            if set_aside is not None:
                set_aside()

        return Confined(
            command=tuple(command),
            environment=variables(self.name, self._policy),
            launch=launch,
            finish=finish,
            notes=notes,
            refusals=observed,
        )

    def _launch(self, start: CommandLaunch, refusals: int) -> int:
        return start_by_launcher(
            start,
            self._policy,
            self._filters,
            flags=self._flags(),
            refusals=refusals,
            ruleset=self._ruleset if kernel.landlock_version() else None,
            places=mounts_of(self._policy),
        )

    def _ruleset(self) -> int:
        ports = () if self._policy.network == "off" else None
        return ruleset_of(planned(self._policy, masked=True), ports=ports)

    def _flags(self) -> int:
        is_user, is_network = needs_user_namespace(self._policy), self._policy.network == "on"
        return (IS_USER if is_user else 0) | (IS_NETWORK if is_network else 0)
