"""Asking the person to be allowed more for a time: the network, places, rules.

Source of the idea: codex, section 28. One question shows exactly what is wanted, and no more is given.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Protocol

from msgspec import Meta, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.events import PermissionsGranted
from ouroboros.safety.paths import real
from ouroboros.safety.rules.values import GRANT
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext

REQUEST_PERMISSIONS = "request_permissions"

_MOST = 8

type Place = Annotated[str, Meta(min_length=1, max_length=4096, description="absolute")]


class RequestPermissionsArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wanted, and what for."""

    reason: Annotated[str, Meta(min_length=1, max_length=1000)]
    network: bool = False
    read: Annotated[list[Place], Meta(max_length=_MOST)] = []
    write: Annotated[list[Place], Meta(max_length=_MOST, description="existing folders")] = []
    rules: Annotated[
        list[Annotated[str, Meta(max_length=400)]],
        Meta(max_length=_MOST, description="such as shell(npm test:*)"),
    ] = []


class NetworkAccess(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether a command reaches the network."""

    enabled: bool = False


class FileAccess(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Places that a command reads, and folders that it writes in."""

    read: Annotated[list[Place], Meta(max_length=_MOST)] = []
    write: Annotated[list[Place], Meta(max_length=_MOST, description="existing folders")] = []


class AdditionalPermissions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one command needs besides."""

    network: NetworkAccess = NetworkAccess()
    file_system: FileAccess = FileAccess()

    def wish(self, reason: str) -> RequestPermissionsArguments:
        """The same as it is asked for a time."""
        return RequestPermissionsArguments(
            reason=reason,
            network=self.network.enabled,
            read=self.file_system.read,
            write=self.file_system.write,
        )


class Allowance(Protocol):
    """Knows what may be asked for at all."""

    def objection(self, wish: RequestPermissionsArguments) -> str:
        """Why the person is not even asked, and what to do; empty when they may be."""
        ...


def wanted(wish: RequestPermissionsArguments, allowance: Allowance) -> str:
    """What is wanted, in words for the person.

    Raises:
        ToolFailed: Nothing is wanted, or something that cannot be granted.
    """
    parts = list(_parts(wish))
    if not parts:
        raise ToolFailed("say what you need: network, read, write or rules")
    for name in (*wish.read, *wish.write):
        _check(name)
    for name in wish.write:
        if not Path(name).is_dir():
            raise ToolFailed(f"{name} is no folder that exists; name the folder to write in")
    objection = allowance.objection(wish)
    if objection:
        raise ToolFailed(objection)
    return "; ".join(parts)


class Beyond(Struct, frozen=True, kw_only=True):
    """What single commands may be given besides: ``grants`` are those that hold now."""

    allowance: Allowance
    grants: Callable[[], Sequence[PermissionsGranted]]

    def holds(self, wish: RequestPermissionsArguments) -> bool:
        """Whether all of it was granted for a time already."""
        grants = self.grants()
        write = [Path(name) for grant in grants for name in grant.write]
        read = [*write, *(Path(name) for grant in grants for name in grant.read)]
        return (
            (not wish.network or any(grant.network for grant in grants))
            and all(any(Path(name).is_relative_to(had) for had in write) for name in wish.write)
            and all(any(Path(name).is_relative_to(had) for had in read) for name in wish.read)
        )


class Nothing:
    """There is no session in which anything could be granted."""

    def objection(self, wish: RequestPermissionsArguments) -> str:
        """Always the same."""
        del wish
        return "nothing can be granted here"


class RequestPermissionsTool:
    """Asks once; a yes holds until the run, or the session, ends."""

    name = REQUEST_PERMISSIONS
    description = (
        "Ask the user to let you do more until this work is done: network for commands, places to "
        "read, folders to write, rules for calls. Ask for no more than you need."
    )
    usage = (
        "request_permissions(reason, {network?, read?, write?, rules?}): string, rejects on a no"
    )
    arguments = RequestPermissionsArguments
    parallel_safe = False
    exposure: Exposure = "deferred"

    def __init__(self, allowance: Allowance) -> None:
        """``allowance`` says what is not to be had."""
        self._allowance = allowance

    def effect(self, arguments: RequestPermissionsArguments, cwd: Path) -> Effect:
        """Always asked about, with exactly what is wanted.

        Raises:
            ToolFailed: Nothing is wanted, or something that cannot be granted.
        """
        del cwd
        parts = wanted(arguments, self._allowance)
        paths = tuple(map(Path, (*arguments.read, *arguments.write)))
        return Effect(kind=GRANT, action=f"Until it is done: {parts}", paths=paths)

    async def run(
        self, arguments: RequestPermissionsArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """Puts the grant on record, which is what makes it hold."""
        scope = "session" if context.scope == "session" else "turn"
        granted = PermissionsGranted(
            call_id=context.call_id,
            network=arguments.network,
            read=tuple(arguments.read),
            write=tuple(arguments.write),
            rules=tuple(arguments.rules),
            scope=scope,
        )
        context.publish(granted)
        until = "the session ends" if scope == "session" else "this work is done"
        said = f"Granted until {until}: {'; '.join(_parts(arguments))}. Rules that deny still hold."
        yield Result(parts=Result.of(said).parts, origin="")


def _parts(wish: RequestPermissionsArguments) -> Iterable[str]:
    """Each thing that is wanted, in words."""
    if wish.network:
        yield "network for commands"
    yield from (f"read {name}" for name in wish.read)
    yield from (f"write in {name}" for name in wish.write)
    yield from (f"allow {rule}" for rule in wish.rules)


def _check(name: str) -> None:
    path = Path(name)
    if not path.is_absolute():
        raise ToolFailed(
            f"{name!r} is not absolute; write the whole path, so that the user sees it"
        )
    place = real(path)
    if len(place.parts) < 2:
        raise ToolFailed(f"{name} is everything there is; name the folder that you need")
    if str(place) != name.rstrip("/"):
        raise ToolFailed(f"{name} leads to {place}; ask for that, so that the user sees it")
