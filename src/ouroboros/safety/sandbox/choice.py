"""Which cage a policy gets on a machine, and what the person should know of it."""

from typing import Literal

from msgspec import Struct

from ouroboros.safety.sandbox.bubblewrap import Bubblewrap
from ouroboros.safety.sandbox.cage import Sandbox, Unconfined
from ouroboros.safety.sandbox.features import Features
from ouroboros.safety.sandbox.floor import Floor
from ouroboros.safety.sandbox.landlock import divided
from ouroboros.safety.sandbox.namespaces import Namespaces
from ouroboros.safety.sandbox.policy import Policy

type Strength = Literal["none", "partly", "full"]


class Choice(Struct, frozen=True, kw_only=True):
    """A cage, how far it holds, and what it does not hold here, a line each.

    Attributes:
        strength: ``none`` when commands run bare although a cage was asked for.
        line: All that is said at the start, in the place of the warnings; empty for the warnings.
        caveat: What whoever is asked about a command should know of its cage, in a few words.
    """

    sandbox: Sandbox
    strength: Strength = "full"
    warnings: tuple[str, ...] = ()
    line: str = ""
    caveat: str = ""


def choose(policy: Policy, offered: Features, *, restores: bool = True) -> Choice:
    """The strongest cage there is; one that cannot say something refuses it, and says that it does."""
    if policy.reach == "full-access" and not policy.hidden and not policy.protected:
        return Choice(sandbox=Unconfined())
    if offered.seatbelt:
        from ouroboros.safety.sandbox.seatbelt import Seatbelt

        return Choice(sandbox=Seatbelt(policy))
    if offered.namespaces:
        return Choice(sandbox=Namespaces(policy))
    if offered.launcher is not None:
        return Choice(sandbox=Bubblewrap(policy, offered.launcher))
    if offered.landlock and offered.seccomp:
        return Choice(
            sandbox=Floor(policy, restores=restores),
            strength="partly",
            warnings=tuple(_gaps(policy, offered, restores=restores)),
            line="the sandbox of commands is Landlock alone here; `ouro doctor` says what that leaves open",
            caveat="Landlock alone holds it here",
        )
    return Choice(
        sandbox=Unconfined(),
        strength="none",
        warnings=(
            "no sandbox here: commands run with all your rights, on every file and the network "
            f"({offered.without or 'neither Landlock nor bubblewrap nor seatbelt'}); "
            "`ouro doctor` says what is missing",
        ),
        caveat="there is no sandbox here: it runs with all your rights",
    )


def _gaps(policy: Policy, offered: Features, *, restores: bool) -> list[str]:
    """What Landlock alone refuses too much, or too little."""
    found: list[str] = []
    if not restores:
        found += [
            f"the sandbox is Landlock alone ({offered.without}), which cannot leave out {inner}: "
            f"commands may change what is in {root}, but make and remove nothing beside it "
            "(sandbox.landlock_alone = restore lets them)"
            for root, inner in divided(policy).items()
        ]
    missing = ["modes, owners and times of files outside the workspace can be changed"]
    if restores and policy.protected:
        missing.append(
            "what steers git and us can be changed while a command runs, and is put back"
        )
    if offered.landlock < 3:
        missing.append("files outside the workspace can be emptied")
    if offered.landlock < 6:
        missing.append("processes of yours can be sent signals")
    if policy.network == "proxy" and offered.landlock < 4:
        missing.append("the network goes past the proxy")
    found.append(
        f"Landlock {offered.landlock} alone ({offered.without}) does not stop all: {'; '.join(missing)}"
    )
    return found
