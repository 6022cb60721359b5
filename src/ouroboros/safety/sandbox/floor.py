"""The sandbox where no namespaces may be made: Landlock and a filter of system calls alone."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from ouroboros.safety.locking.launcher import IS_BARE
from ouroboros.safety.sandbox.cage import CommandLaunch, Confined, variables
from ouroboros.safety.sandbox.denial import ObservedRefusals
from ouroboros.safety.sandbox.kept import KeptPlaces, aside
from ouroboros.safety.sandbox.landlock import Ruleset, divided
from ouroboros.safety.sandbox.policy import Policy
from ouroboros.safety.sandbox.starting import filters_of, launcher, start_by_launcher

_BESIDE = "in this sandbox nothing can be made, renamed or removed directly in"


class Floor:
    """Landlock, a filter of system calls, no new privileges, and small limits."""

    name = "landlock"

    def __init__(self, policy: Policy, *, restores: bool = False) -> None:
        """``policy`` is enforced as far as Landlock can say it.

        With ``restores`` what is protected in writable folders may be changed, and is put back afterwards;
        else nothing can be made beside it.
        """
        self._kept = KeptPlaces(policy) if restores else None
        self._aside = policy
        self._policy = replace(policy, protected=()) if restores else policy
        self._ruleset = Ruleset(self._policy)
        self._filters = filters_of(self._policy, others=False)
        self._once = Lock()

    @property
    def hides(self) -> bool:
        """Whether there are places that may not be read."""
        return bool(self._policy.hidden)

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command, to be started by the launcher."""
        del cwd
        notes: list[str] = []
        set_aside = aside(self._aside, notes)
        kept = self._kept
        observed, is_begun = ObservedRefusals(self._policy, self._hint, sees_all=False), False

        def launch(start: CommandLaunch) -> int:
            nonlocal is_begun
            if kept is not None:
                kept.begin()
            is_begun = True
            with observed.writing() as refusals:
                return self._launch(start, refusals)

        def finish() -> None:
            nonlocal is_begun
            observed.end()
            if set_aside is not None:
                set_aside()
            if is_begun:
                is_begun = False
                if kept is not None:
                    kept.end(notes)
                launcher().prepare(IS_BARE)

        return Confined(
            command=tuple(command),
            environment=variables(self.name, self._policy),
            launch=launch,
            finish=finish,
            notes=notes,
            refusals=observed,
        )

    def _hint(self) -> str:
        """Where nothing can be made, since Landlock cannot leave out what is in there."""
        found = dict[Path, Path]()
        for inner in divided(self._policy).values():
            found[inner.parent] = inner
        places = ", ".join(f"{folder} (beside {inner.name})" for folder, inner in found.items())
        return f"{_BESIDE} {places}; in their folders there can" if found else ""

    def _launch(self, start: CommandLaunch, refusals: int) -> int:
        with self._once:
            ruleset = self._ruleset.opened()
        try:
            return start_by_launcher(
                start,
                self._policy,
                self._filters,
                flags=IS_BARE,
                refusals=refusals,
                ruleset=partial(os.dup, ruleset),
                places=[(place, "hidden") for place in self._policy.hidden],
                writable=self._ruleset.writable,
            )
        finally:
            os.close(ruleset)
