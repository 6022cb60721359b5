"""Named profiles of ours: one owner at a time, and never the person's own.

The lock is the kernel's (``flock``), so a dead owner holds nothing; the file says who it is.
"""

import contextlib
import errno
import fcntl
import os
import re
import shutil
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed, ProfileUsed

MARKER = "ouroboros-profile"
"""A file in every profile of ours; without it nothing in a folder is touched, no process ended."""

LOCK = "ouroboros-lock"
DYING_LOOKS = 100
MOMENTS = 50
"""How often a lock is tried for again that nobody alive has signed."""

SPARES = 8
"""So many browsers besides the first may run on profiles that stand in for one name."""

_TEMPORARY = "browser/temporary"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SINGLETONS = ("SingletonLock", "SingletonSocket", "SingletonCookie", "DevToolsActivePort")


class Owner(Struct, frozen=True, kw_only=True):
    """Who holds a profile; ``started`` tells a process from a later one of the same number."""

    pid: int
    started: int = 0


class Profile(Struct, frozen=True, kw_only=True):
    """One profile as listed; ``owner`` is 0 when nobody uses it."""

    name: str
    path: Path
    bytes: int
    owner: int = 0


def folder(home: Path, name: str) -> Path:
    """Where the profile of this name lives.

    Raises:
        BrowserFailed: It is no name for a folder.
    """
    if not _NAME.fullmatch(name):
        raise BrowserFailed(
            f"{name!r} is no name for a profile",
            hint="letters, digits, dot, dash and underscore; at most 64, the first no sign",
        )
    return home / "browser" / "profiles" / name


@asynccontextmanager
async def held(home: Path, name: str, *others: str) -> AsyncGenerator[Path]:
    """The folder of a profile, ours alone until the end of the block; made when it is not there.

    What a dead owner left is taken over: its lock, and a browser that still runs on the profile.
    An empty ``name`` makes a profile that is gone at the end. Of ``others`` the first that is free
    is taken where somebody uses the one that is named.

    Raises:
        ProfileUsed: Somebody uses it, and all of the others.
        BrowserFailed: The folder cannot be made.
    """
    if not name:
        async with _thrown_away(home) as path:
            yield path
        return
    paths = [folder(home, each) for each in (name, *others)]
    path, lock = await anyio.to_thread.run_sync(_take_one, paths)
    try:
        await anyio.to_thread.run_sync(_sweep, path)
        await anyio.to_thread.run_sync(_remove_left, home)
        yield path
    finally:
        _let_go(lock)


def listed(home: Path) -> list[Profile]:
    """All named profiles, by name. Blocks while it looks at the files."""
    root = home / "browser" / "profiles"
    if not root.is_dir():
        return []
    return [
        Profile(name=path.name, path=path, bytes=_size(path), owner=_owner_of(path))
        for path in sorted(root.iterdir())
        if (path / MARKER).is_file()
    ]


def in_use(home: Path, name: str) -> None:
    """Raises ``BrowserFailed`` while another process uses the profile, or for a wrong name. Blocks."""
    path = folder(home, name)
    if owner := _owner_of(path):
        raise _used(path, owner)


def remove(home: Path, name: str) -> None:
    """Deletes a profile with its logins. Blocks.

    Raises:
        BrowserFailed: There is none, or somebody uses it.
    """
    path = folder(home, name)
    if not (path / MARKER).is_file():
        raise BrowserFailed(
            f"there is no profile {name!r}", hint="`ouro browser profiles` lists them"
        )
    lock = _take(path)
    try:
        shutil.rmtree(path)
    except OSError as failed:
        raise BrowserFailed(f"the profile {name!r} could not be removed: {failed}") from failed
    finally:
        _let_go(lock)


@asynccontextmanager
async def _thrown_away(home: Path) -> AsyncGenerator[Path]:
    path = home / _TEMPORARY / f"{os.getpid()}-{os.urandom(6).hex()}"
    lock = await anyio.to_thread.run_sync(_take, path)
    try:
        await anyio.to_thread.run_sync(_remove_left, home)
        yield path
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: shutil.rmtree(path, ignore_errors=True))
            _let_go(lock)


def _remove_left(home: Path) -> None:
    """Throws away what killed processes could not."""
    for path in (home / _TEMPORARY).glob("*"):
        with contextlib.suppress(BrowserFailed, OSError):
            if (path / MARKER).is_file() and not _owner_of(path):
                lock = _take(path)
                shutil.rmtree(path, ignore_errors=True)
                _let_go(lock)


def names(name: str, before: str, *, stands_in: bool) -> tuple[str, ...]:
    """Profiles a browser may run on, the best first: the one it had ``before``, then ``name``.

    With ``stands_in`` those with a number after the name come last.
    """
    if not name:
        return ("",)
    numbered = (f"{name[:61]}-{number}" for number in range(2, SPARES + 2)) if stands_in else ()
    return tuple(dict.fromkeys((before or name, name, *numbered)))


def _take_one(paths: list[Path]) -> tuple[Path, int]:
    """Locks the first that nobody uses."""
    for path in paths[:-1]:
        with contextlib.suppress(ProfileUsed):
            return path, _take(path)
    return paths[-1], _take(paths[-1])


def _let_go(lock: int) -> None:
    with contextlib.suppress(OSError):
        os.ftruncate(lock, 0)
    os.close(lock)


def _take(path: Path) -> int:
    """Locks a profile and says in the file who we are."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as failed:
        raise BrowserFailed(
            f"the browser profile {path} cannot be used: {failed.strerror}",
            hint="choose another with --profile, or mend its permissions",
        ) from failed
    try:
        _lock(descriptor)
        us = Owner(pid=os.getpid(), started=_started(os.getpid()))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(us), 0)
        (path / MARKER).touch(mode=0o600)
    except OSError as failed:
        owner = _written(descriptor)
        os.close(descriptor)
        if failed.errno in {errno.EAGAIN, errno.EACCES}:
            raise _used(path, owner) from failed
        raise BrowserFailed(f"the profile {path} cannot be used: {failed.strerror}") from failed
    return descriptor


def _lock(descriptor: int) -> None:
    """Raises ``BlockingIOError`` while an owner has it; one who only looks has it for a moment."""
    for _ in range(MOMENTS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if _written(descriptor):
                raise
            time.sleep(0.01)
        else:
            return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _used(path: Path, owner: int) -> ProfileUsed:
    return ProfileUsed(
        f"the profile {path.name!r} is used by process {owner or 'unknown'}",
        hint="end that one, or choose another profile with --profile",
    )


def _sweep(path: Path) -> None:
    """Ends a browser of ours whose owner died, and removes the locks it left. Blocks."""
    left = _browser_on(path)
    if left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(left, signal.SIGKILL)
        for _ in range(DYING_LOOKS):
            if not _browser_on(path):
                break
            time.sleep(0.05)
    if _browser_on(path):
        raise BrowserFailed(f"the profile {path.name!r} is used by the browser process {left}")
    for name in _SINGLETONS:
        (path / name).unlink(missing_ok=True)


def _browser_on(path: Path) -> int:
    """The living browser that has this profile, 0 when there is none."""
    try:
        host, _, number = (path / "SingletonLock").readlink().name.rpartition("-")
        pid = int(number)
    except (OSError, ValueError):
        return 0
    if host != os.uname().nodename or pid <= 1 or not _is_alive(pid):
        return 0
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return pid if not Path("/proc/self").exists() else 0
    return pid if f"--user-data-dir={path}".encode() in words.split(b"\0") else 0


def _owner_of(path: Path) -> int:
    try:
        descriptor = os.open(path / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _written(descriptor)
    finally:
        os.close(descriptor)
    return 0


def _written(descriptor: int) -> int:
    """The process that the file names, 0 when that one has ended or cannot be told."""
    try:
        owner = msgspec.json.decode(os.pread(descriptor, 200, 0), type=Owner)
    except (OSError, msgspec.MsgspecError):
        return 0
    return owner.pid if owner.started == _started(owner.pid) else 0


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _state(pid) != "Z"


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(") ")[2][:1]
    except OSError:
        return ""


def _started(pid: int) -> int:
    """Ticks since the machine started, by the kernel's table; 0 where there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(") ")[2]
        return int(fields.split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _size(path: Path) -> int:
    total = 0
    for below, _, names in path.walk():
        for name in names:
            with contextlib.suppress(OSError):
                total += (below / name).lstat().st_size
    return total
