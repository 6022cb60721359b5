"""The cage outside of a session: a command in it, and what this machine offers for it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio.to_thread

from ouroboros.app import secrecy
from ouroboros.app.checks import Check
from ouroboros.app.permission.cages import Grounds, SessionCages, policy_of
from ouroboros.app.settings import Settings
from ouroboros.core.errors import Misuse
from ouroboros.safety.environment import cleaned
from ouroboros.safety.sandbox.begin import carried_through
from ouroboros.safety.sandbox.choice import choose
from ouroboros.safety.sandbox.features import Features, features

_INSTALL = "install bubblewrap (apt install bubblewrap, dnf install bubblewrap)"


async def run(
    command: Sequence[str], settings: Settings, grounds: Grounds
) -> tuple[int, tuple[str, ...]]:
    """Runs a command on our own streams as a session would; its exit code, and what does not hold.

    Raises:
        Misuse: A cage was asked for and there is none here, or the program cannot be started.
    """
    warnings: list[str] = []
    cages = SessionCages(settings.sandbox, grounds, warn=warnings.append)
    choice = await cages.choice("ask")
    if choice.strength == "none":
        raise Misuse(choice.warnings[0], hint="--sandbox danger-full-access runs it bare")
    confined = choice.sandbox.confine(command, cwd=grounds.cwd)
    environment = cleaned(secrecy.without_keys(grounds.environment, settings))

    def whole() -> int:
        return carried_through(confined, cwd=grounds.cwd, environment=environment)

    try:
        return await anyio.to_thread.run_sync(whole), tuple(warnings)
    except OSError as error:
        raise Misuse(f"{command[0]!r} does not start: {error.strerror}") from error
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(cages.close)


def examine(
    settings: Settings, cwd: Path, home: Path, environment: Mapping[str, str]
) -> list[Check]:
    """Each thing that the cage of commands is made of, and how to get more; starts a program."""
    offered = features(bubblewrap=settings.sandbox.bubblewrap)
    if offered.seatbelt:
        return [Check(name="sandbox", verdict="ok", said="seatbelt (sandbox-exec)")]
    checks = [_landlock(offered), _filters(offered), _namespaces(offered)]
    grounds = Grounds(cwd=cwd, home=home, environment=environment)
    choice = choose(policy_of(settings.sandbox, grounds, "workspace-write"), offered)
    if settings.sandbox.mode == "danger-full-access":
        said = "switched off by sandbox.mode: commands run with all your rights"
        fix = "set sandbox.mode to workspace-write"
        return [*checks, Check(name="sandbox", verdict="warning", said=said, fix=fix)]
    said = f"commands run in {choice.sandbox.name}, network {settings.sandbox.network}"
    if choice.strength == "full":
        return [*checks, Check(name="sandbox", verdict="ok", said=said)]
    held = "; ".join((said, *choice.warnings))
    return [*checks, Check(name="sandbox", verdict="warning", said=held, fix=_INSTALL)]


def _landlock(offered: Features) -> Check:
    if offered.landlock >= 6:
        said = f"version {offered.landlock}"
        return Check(name="landlock", verdict="ok", said=said)
    said = f"version {offered.landlock}, 6 holds all" if offered.landlock else "not in this kernel"
    fix = "use Linux 6.12 or later, with landlock among the modules named by lsm="
    return Check(name="landlock", verdict="warning", said=said, fix=fix)


def _filters(offered: Features) -> Check:
    if offered.seccomp:
        return Check(name="seccomp", verdict="ok", said="system calls can be filtered")
    said = "no table of system calls for this machine"
    fix = "use Linux on x86-64 or arm64"
    return Check(name="seccomp", verdict="warning", said=said, fix=fix)


def _namespaces(offered: Features) -> Check:
    if offered.namespaces:
        return Check(name="namespaces", verdict="ok", said="made by ouro itself, no program needed")
    if offered.launcher is not None:
        said = f"made by {offered.launcher.bwrap}, which works with all flags"
        return Check(name="namespaces", verdict="ok", said=said)
    fix = "let users make namespaces (sysctl kernel.unprivileged_userns_clone=1, or AppArmor)"
    if "switched off" in offered.without:
        fix = "set sandbox.bubblewrap to auto"
    return Check(name="namespaces", verdict="warning", said=offered.without, fix=fix)
