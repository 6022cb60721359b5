"""What a cage is sure to stop, so that it is asked about once and not a second time afterwards."""

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.safety.commands.reading import Command, Reading
from ouroboros.safety.rules.values import Decision

_STEERS_GIT = frozenset({"config", "remote", "submodule", "worktree"})
"""Commands of git that change its settings."""

_WRITES_GIT = _STEERS_GIT.union((
    *("add", "am", "apply", "bisect", "branch", "checkout", "cherry-pick", "clean", "clone"),
    *("commit", "fetch", "gc", "init", "merge", "mv", "notes", "pull", "push", "rebase", "reset"),
    *("restore", "revert", "rm", "stash", "switch", "tag"),
))

_OVER_NETWORK = frozenset({"clone", "fetch", "ls-remote", "pull", "push"})
_REACHES = frozenset([
    "curl",
    "wget",
    "ssh",
    "scp",
    "sftp",
    "ping",
    "dig",
    "nslookup",
    "apt",
    "apt-get",
    "brew",
    "gh",
    "twine",
])
_LOADS = {
    "cargo": {"fetch", "install", "publish", "update"},
    "go": {"get", "install"},
    "npm": {"ci", "i", "install", "publish", "update"},
    "pip": {"download", "install"},
    "pip3": {"download", "install"},
    "pnpm": {"add", "i", "install", "publish"},
    "uv": {"add", "sync"},
    "yarn": {"add", "install", "publish"},
}


class Held(Struct, frozen=True, kw_only=True):
    """What the cage of ordinary commands keeps from them."""

    git: Literal["open", "settings", "closed"] = "settings"
    network: bool = True


type Cage = Callable[[], Held | None]
"""Asked when it matters; None where there is no cage."""


def uncaged() -> Held | None:
    """There is no cage."""
    return None


def foreseen(decision: Decision, reading: Reading | None, held: Held | None) -> Decision:
    """A question, or a yes for the session, that holds outside of the cage where it would be no use inside.

    Who says yes is told so beforehand.
    """
    if reading is None or held is None or decision.outside:
        return decision
    stopped = next((why for command in reading.commands for why in _stopped(command, held)), "")
    if not stopped:
        return decision
    if decision.outcome == "allow":
        return replace(decision, outside=True)
    reason = (
        f"{decision.reason}; the sandbox {stopped}, so a yes runs it outside: there it can change "
        "every file of yours, use the network and read your keys"
    )
    # A rule of the settings would let it run inside, where it is stopped.
    return replace(decision, reason=reason, outside=True, rules=(), wider=(), always=())


def _stopped(command: Command, held: Held) -> Iterator[str]:
    name, words = command.name, command.words[1:]
    called = next((word for word in words if not word.startswith("-")), "")
    if name == "git":
        if held.network and called in _OVER_NETWORK:
            yield "has no network"
        elif held.git == "closed" and called in _WRITES_GIT:
            yield "keeps .git as it is"
        elif held.git == "settings" and called in _STEERS_GIT:
            yield "keeps the settings of git as they are"
    elif held.network and (name in _REACHES or called in _LOADS.get(name, ())):
        yield "has no network"
