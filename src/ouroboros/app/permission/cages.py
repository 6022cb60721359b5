"""The cages of a session: what its settings and its mode let through, on what this machine offers."""

import contextlib
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import anyio
import msgspec
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.settings import Sandbox as Wanted
from ouroboros.core.commands import Mode
from ouroboros.core.events import PermissionsGranted
from ouroboros.safety.paths import Places
from ouroboros.safety.private_file import replacing
from ouroboros.safety.rules.masks import NOTHING, Masked, Masks
from ouroboros.safety.sandbox.cage import Sandbox, Unconfined
from ouroboros.safety.sandbox.policy import (
    PROTECTED_NAMES,
    Policy,
    Reach,
    caches_of,
    lies_in,
    outermost,
    protected_in,
    real,
    secrets_of,
    staying,
    temporary_folders,
    within,
    within_none,
)
from ouroboros.safety.scratch import Scratch, make
from ouroboros.safety.steering import steering_in

if TYPE_CHECKING:
    from ouroboros.safety.sandbox.choice import Choice
    from ouroboros.safety.sandbox.features import Features


_TEMPORARY, _PREFIX = Path("/", "tmp"), "ouro-tmp-"
_MOST_CHOICES = 32
"""Cages that are remembered."""


class Grounds(Struct, frozen=True, kw_only=True):
    """Where a session works.

    Attributes:
        home: Where our own things are.
        environment: Names the person's home and the folder for temporary files.
        session: Whose kept files commands may read.
    """

    cwd: Path
    home: Path
    environment: Mapping[str, str]
    session: str = ""


type _Key = tuple[str, tuple[PermissionsGranted, ...], "Narrower"]


class Narrower(Struct, frozen=True, kw_only=True):
    """What places that came in besides the workspace take from a cage.

    Attributes:
        hidden: May not even be read.
        kept: Is not written, whatever was granted there.
        wary: There is no network, whatever was granted, and what steers programs and agents stays.
    """

    hidden: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    wary: bool = False


class SessionCages:
    """Finds out what the machine offers when it is first needed, and makes each cage once."""

    def __init__(
        self,
        wanted: Wanted,
        grounds: Grounds,
        *,
        warn: Callable[[str], None] | None = None,
        granted: Callable[[], Sequence[PermissionsGranted]] = tuple,
        narrower: Callable[[], Narrower] = Narrower,
        masks: Masks | None = None,
    ) -> None:
        """``warn`` gets what a cage does not hold here, each line once.

        ``granted``, ``narrower``, what may not be reached besides, and ``masks``, the files that rules
        keep from commands, are asked each time.
        """
        self._wanted, self._grounds = wanted, grounds
        self._warn, self._granted, self._narrower = warn, granted, narrower
        self._masks = masks or Masks((), lambda: Places(roots=()))
        self._told: set[str] = set()
        self._offered: Features | None = None
        self._choices: dict[_Key, Choice] = {}
        self._looking = anyio.Lock()
        self._temporary: Scratch | None = None
        self._removing: Callable[[], object] | None = None

    def close(self) -> None:
        """Takes away the folder for temporary files; no command runs any more. Blocks."""
        if self._removing is not None:
            self._removing()
        self._temporary = None
        self._choices.clear()

    @property
    def temporary(self) -> Path | None:
        """The folder for temporary files of this session's commands, once there is one."""
        return None if self._temporary is None else self._temporary.path

    async def within(
        self,
        mode: Mode,
        more: PermissionsGranted | None = None,
        shown: Sequence[Path] = (),
        *,
        wary: bool = False,
    ) -> Sandbox:
        """The cage of an ordinary command; nothing may be written in plan mode, whatever ``more`` is.

        ``shown`` are files that rules ask about, and somebody said yes. A ``wary`` one has no
        network and changes no file that steers programs and agents.
        """
        return (await self.choice(mode, more, shown, wary=wary)).sandbox

    async def beyond(self, shown: Sequence[Path] = ()) -> Sandbox:
        """Everything may be written and the network used; what is hidden stays hidden."""
        return (await self._chosen("beyond", shown=shown)).sandbox

    async def outside(self) -> Sandbox:
        """No cage at all, or one that lets everything through but what rules deny.

        A yes to a command is none to that. Hiding files takes away the rights of the superuser, and
        other programs are out of sight.
        """
        masked = await self._masked()
        if not masked.denied and not masked.kept:
            return Unconfined()
        return (await self._chosen("outside")).sandbox

    async def caveat(self, mode: Mode) -> str:
        """What does not hold of the cage of an ordinary command; empty when all does."""
        return (await self.choice(mode)).caveat

    async def choice(
        self,
        mode: Mode,
        more: PermissionsGranted | None = None,
        shown: Sequence[Path] = (),
        *,
        wary: bool = False,
    ) -> "Choice":
        """The cage of an ordinary command, and how far it holds."""
        is_planning = mode == "plan"
        kind = "read-only" if is_planning else self._wanted.mode
        grants = (*self._granted(), *([more] if more is not None else []))
        grants = () if is_planning else grants
        found = await self._chosen(kind, grants, shown, wary=wary)
        warnings = found.warnings
        if found.line:
            is_known = await to_thread.run_sync(_is_told, self._grounds.home, found.line)
            warnings = () if is_known else (found.line,)
        for warning in warnings:
            if self._warn is not None and warning not in self._told:
                self._told.add(warning)
                self._warn(warning)
        return found

    async def _masked(self) -> Masked:
        return await to_thread.run_sync(self._masks.found) if self._masks else NOTHING

    async def _chosen(
        self,
        kind: str,
        grants: tuple[PermissionsGranted, ...] = (),
        shown: Sequence[Path] = (),
        *,
        wary: bool = False,
    ) -> "Choice":
        masked, also = (await self._masked()).shown(shown), self._narrower()
        if kind == "outside":
            also = Narrower(hidden=masked.denied, kept=masked.kept)
        else:
            also = Narrower(
                hidden=(*also.hidden, *masked.denied, *masked.asked),
                kept=(*also.kept, *masked.kept, *masked.kept_unless),
                wary=wary,
            )
        key = (kind, grants, also)
        async with self._looking:
            if key not in self._choices:
                if len(self._choices) >= _MOST_CHOICES:  # files that rules mean come and go
                    self._choices.pop(next(iter(self._choices)))
                self._choices[key] = await to_thread.run_sync(self._choose, *key)
            return self._choices[key]

    def _choose(
        self, kind: str, grants: tuple[PermissionsGranted, ...], narrower: Narrower
    ) -> "Choice":
        from ouroboros.safety.sandbox.choice import choose
        from ouroboros.safety.sandbox.features import Features, features

        hidden, kept = narrower.hidden, narrower.kept
        if kind == "danger-full-access" and not hidden and not kept:
            return choose(Policy(reach="full-access"), Features())
        if self._offered is None:
            self._offered = features(bubblewrap=self._wanted.bubblewrap)
        match kind:
            case "danger-full-access" | "outside":
                bare = Policy(
                    reach="full-access",
                    hidden=hidden,
                    protected=kept,
                    network="on",
                    local_sockets=True,
                )
                return choose(bare, self._offered, restores=False)
            case "beyond":
                policy = replace(self._policy("full-access", hidden), protected=kept)
                return choose(policy, self._offered, restores=False)
            case "read-only":
                policy = keeping(widened(self._policy("read-only", hidden), grants), kept)
                policy = self._warily(policy) if narrower.wary else policy
                return _chosen(policy, self._offered)
            case _:
                is_closed = self._wanted.git == "closed"
                policy = self._policy("workspace-write", hidden)
                policy = keeping(widened(policy, grants, is_closed=is_closed), kept)
                policy = self._warily(policy) if narrower.wary else policy
                loosely, alone = real([self._grounds.home]), self._wanted.landlock_alone
                # A whole repository is too much to be kept and put back.
                alone = "strict" if is_closed and alone == "restore" else alone
                return _chosen(policy, self._offered, alone=alone, loosely=loosely)

    def _warily(self, policy: Policy) -> Policy:
        """Of a link what it leads to is kept: beside one that is kept itself nothing could be made."""
        named = steering_in(roots_of(self._wanted, self._grounds))
        kept = [real([each])[0] if each.is_symlink() else each for each in named]
        # The proxy asks about each place by itself.
        network = "off" if policy.network == "on" else policy.network
        return replace(keeping(policy, kept), network=network)

    def _policy(self, reach: Reach, hidden: tuple[Path, ...]) -> Policy:
        policy = policy_of(self._wanted, self._grounds, reach)
        policy = replace(policy, hidden=tuple(dict.fromkeys((*policy.hidden, *hidden))))
        if reach != "workspace-write":
            return policy
        if self._temporary is None:
            root = next(iter(real(temporary_folders(self._grounds.environment))), _TEMPORARY)
            self._temporary = make(root, _PREFIX)
            self._removing = weakref.finalize(self, _removed, self._temporary, os.getpid())
        path = self._temporary.path
        return replace(policy, writable=(*policy.writable, path), temporary=path)


def _is_told(home: Path, line: str) -> bool:
    """Whether an earlier session told this line, which from now on one did. Blocks."""
    path = home / "told.json"
    try:
        known = msgspec.json.decode(path.read_bytes(), type=list[str])
    except (OSError, msgspec.DecodeError):
        known = []
    if line in known:
        return True
    with contextlib.suppress(OSError):  # it is told once more then
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(msgspec.json.encode([*known, line][-_MOST_CHOICES:]))
    return False


def _removed(temporary: Scratch, owner: int) -> None:
    if os.getpid() == owner:  # a copy of this process ends as well
        temporary.remove()


def widened(
    policy: Policy, grants: Sequence[PermissionsGranted], *, is_closed: bool = False
) -> Policy:
    """What a cage lets through besides, once a person has said so; what is hidden stays hidden.

    Looks through the folders that are opened, so in a thread: control data in them stays as it is.
    """
    folders = tuple(Path(name) for grant in grants for name in grant.write)
    if folders:
        had = policy.writable if policy.reach == "workspace-write" else ()
        opened = (folder for folder in folders if folder.is_dir())
        inside = protected_in(opened, is_closed=is_closed)
        protected = dict.fromkeys((*policy.protected, *staying(inside)))
        policy = replace(
            policy,
            reach="workspace-write",
            writable=tuple(dict.fromkeys((*had, *folders))),
            protected=tuple(place for place in protected if not _is_opened(place, folders)),
        )
    is_open = any(grant.network for grant in grants) and policy.network == "off"
    return replace(policy, network="on") if is_open else policy


def _is_opened(place: Path, folders: Sequence[Path]) -> bool:
    """Whether a protected place was named by itself, or what it lies in was as control data."""
    return place in folders or any(
        place.is_relative_to(folder) for folder in folders if folder.name in PROTECTED_NAMES
    )


def keeping(policy: Policy, kept: Sequence[Path]) -> Policy:
    """The same, with folders in which nothing is written."""
    writable = tuple(
        folder for folder in policy.writable if not any(lies_in(folder, each) for each in kept)
    )
    inside = (each for each in kept if any(lies_in(each, folder) for folder in writable))
    protected = tuple(dict.fromkeys((*policy.protected, *inside)))
    return replace(policy, writable=writable, protected=protected) if kept else policy


def policy_of(wanted: Wanted, grounds: Grounds, reach: Reach) -> Policy:
    """What the settings let through, in real paths; looks through the workspace, so in a thread."""
    roots = roots_of(wanted, grounds)
    protected: tuple[Path, ...] = ()
    if reach != "full-access":
        inside = protected_in(roots, is_closed=wanted.git == "closed")
        protected = staying((*inside, grounds.home))
    return Policy(
        reach=reach,
        writable=real((*written_of(wanted, grounds), *_caches_of(wanted, grounds))),
        protected=within_none(protected, roots),
        hidden=(hidden := hidden_of(wanted, grounds)),
        shown=within(shown_of(wanted, grounds), hidden),
        network="on" if reach == "full-access" else wanted.network,
        local_sockets=reach == "full-access" or wanted.local_sockets == "open",
        processes=wanted.processes,
    )


def roots_of(wanted: Wanted, grounds: Grounds) -> tuple[Path, ...]:
    """The workspace and the folders that were added to it."""
    person = Path(grounds.environment.get("HOME", "/"))
    return real((grounds.cwd, *(_placed(name, person, grounds.cwd) for name in wanted.writable)))


def written_of(wanted: Wanted, grounds: Grounds) -> tuple[Path, ...]:
    """All that commands may write in a session of ``workspace-write``."""
    temporary = () if wanted.exclude_tmp else temporary_folders(grounds.environment)
    return real((*roots_of(wanted, grounds), *temporary))


def _caches_of(wanted: Wanted, grounds: Grounds) -> tuple[Path, ...]:
    if wanted.caches == "read":
        return ()
    person = Path(grounds.environment.get("HOME", "/"))
    return caches_of(person, grounds.environment)


def search_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Where a shell looks for programs, in order; an empty entry is the folder that it is in."""
    path = environment.get("PATH", "")
    return tuple(path.split(os.pathsep)) if path else ()


def hidden_of(wanted: Wanted, grounds: Grounds) -> tuple[Path, ...]:
    """What may not even be read."""
    person = Path(grounds.environment.get("HOME", "/"))
    hidden = (
        *secrets_of(person, grounds.home),
        *(_placed(name, person, grounds.cwd) for name in wanted.hide),
    )
    revealed = real(_placed(name, person, grounds.cwd) for name in wanted.reveal)
    found = (path for path in real(hidden) if path not in revealed)
    return outermost(within_none(found, roots_of(wanted, grounds)), but=shown_of(wanted, grounds))


def shown_of(wanted: Wanted, grounds: Grounds) -> tuple[Path, ...]:
    """What of our own home, and of hidden places by a setting, commands read."""
    person, home = Path(grounds.environment.get("HOME", "/")), grounds.home
    own = [home / name for name in ("blobs", "repos", "shell_snapshots", "tools")]
    if grounds.session:
        own.append(home / "artifacts" / grounds.session)
    own += [_placed(name, person, grounds.cwd) for name in wanted.reveal]
    named = frozenset(real(_placed(name, person, grounds.cwd) for name in wanted.hide))
    return tuple(place for place in real(own) if named.isdisjoint((place, *place.parents)))


def _chosen(
    policy: Policy,
    offered: "Features",
    *,
    alone: Literal["strict", "restore", "loose"] = "restore",
    loosely: tuple[Path, ...] = (),
) -> "Choice":
    """A cage; one whose only way out is the proxy needs a network of its own, or has none at all.

    ``alone`` says how things are protected where there is Landlock alone, and ``loosely`` is what is
    protected when it is loose.
    """
    from ouroboros.safety.sandbox.choice import choose

    found = choose(policy, offered, restores=alone == "restore")
    if found.sandbox.name == "bubblewrap":
        # It keeps no name absent in a repository: there all of that stays as it is.
        whole = dict.fromkeys(p.parent if p.parent.name == ".git" else p for p in policy.protected)
        found = choose(replace(policy, protected=tuple(whole)), offered)
    if alone == "loose" and found.sandbox.name == "landlock":
        found = choose(replace(policy, protected=loosely), offered, restores=False)
    if policy.network != "proxy" or found.sandbox.name == "none":
        return found
    if found.sandbox.name in {"namespaces", "bubblewrap"}:
        from ouroboros.safety.network.inside import Gated

        return replace(found, sandbox=Gated(found.sandbox))
    shut = choose(replace(policy, network="off"), offered)
    said = 'sandbox.network = "proxy" needs namespaces or bubblewrap, which do not work here: commands have no network'
    return replace(shut, warnings=(*shut.warnings, said))


def _placed(name: str, person: Path, cwd: Path) -> Path:
    if name == "~" or name.startswith("~/"):
        return person / name[2:]
    return cwd / name


def is_caged(wanted: Wanted) -> bool:
    """Whether commands surely run in a cage here; asks the kernel, and starts nothing."""
    return wanted.mode != "danger-full-access" and can_mask()


def can_mask() -> bool:
    """Whether there is a cage here that hides files from commands; asks the kernel, and starts nothing."""
    from ouroboros.safety.sandbox.features import features

    offered = features(bubblewrap="off")
    return offered.seatbelt or (offered.landlock > 0 and offered.seccomp)
