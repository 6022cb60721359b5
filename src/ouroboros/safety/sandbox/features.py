"""What this machine offers for a cage; found out by trying, once."""

import platform
import shutil
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.sandbox.begin import ended
from ouroboros.safety.sandbox.bubblewrap import Bubblewrap, Launcher
from ouroboros.safety.sandbox.inner import limiting, taking
from ouroboros.safety.sandbox.policy import Policy

_PLACES = "/usr/bin:/bin:/usr/local/bin:/run/wrappers/bin:/run/current-system/sw/bin"
"""Where the programs of a cage are looked for: not on PATH, which a project may have changed."""

_SEATBELT = Path("/usr/bin/sandbox-exec")
_PATIENCE_SECONDS = 30.0


class Features(Struct, frozen=True, kw_only=True):
    """What there is.

    Attributes:
        landlock: Its version; 0 for none. From 3 on it stops every change of a file.
        seccomp: Whether system calls can be filtered on this kind of machine.
        limiter: What a command is started behind, where nothing else sets its limits.
        launcher: ``bwrap``, when it works with the very flags that are used.
        without: Why there is no ``launcher``.
        seatbelt: Whether macOS's ``sandbox-exec`` is there.
    """

    landlock: int = 0
    seccomp: bool = False
    limiter: tuple[str, ...] = ()
    launcher: Launcher | None = None
    without: str = ""
    seatbelt: bool = False


def features(*, bubblewrap: bool = True) -> Features:
    """Looks and tries; takes some milliseconds where ``bwrap`` is there and wanted, so in a thread."""
    if sys.platform != "linux":
        return Features(seatbelt=sys.platform == "darwin" and _SEATBELT.exists())
    landlock = kernel.landlock_version()
    filters = platform.machine() in seccomp.MACHINES
    limiter = limiting(shutil.which("perl", path=_PLACES))
    launcher, without = None, "switched off by sandbox.bubblewrap"
    if bubblewrap:
        launcher, without = _tried(filters=filters)
    return Features(
        landlock=landlock, seccomp=filters, limiter=limiter, launcher=launcher, without=without
    )


def _tried(*, filters: bool) -> tuple[Launcher | None, str]:
    if not filters:
        return None, f"no filter of system calls for {platform.machine()}"
    program = shutil.which("bwrap", path=_PLACES)
    if program is None:
        return None, "bwrap is not installed"
    launcher = Launcher(bwrap=program, inner=taking(shutil.which("perl", path=_PLACES)))
    seen = Path(program).stat()
    try:
        return _proven(launcher, seen.st_ino, seen.st_mtime_ns), ""
    except _Unproven as why:
        return None, str(why)


class _Unproven(Exception):
    """It did not hold, or did not start."""


@cache
def _proven(launcher: Launcher, _inode: int, _changed: int) -> Launcher:
    """The launcher, once it was seen to hold; what did not is tried again by the next session."""
    with TemporaryDirectory() as folder:
        if said := _said(launcher, Path(folder).resolve()):
            raise _Unproven(said)
    return launcher


def _said(launcher: Launcher, folder: Path) -> str:
    """What is wrong with it here; nothing when a command wrote where it may and not where not."""
    policy = Policy(writable=(folder,), protected=(folder / ".git",))
    trial = ("/bin/sh", "-c", ": > tried && ! (: > .git/tried)")
    confined = Bubblewrap(policy, launcher).confine(trial, cwd=folder)
    try:
        code, said = ended(confined, cwd=folder, seconds=_PATIENCE_SECONDS)
    except OSError as error:
        return f"bwrap does not start: {error.strerror}"
    if code == 0 and (folder / "tried").exists():
        return ""
    words = said.strip().partition("\n")[0]
    return f"bwrap does not work here: {words or f'exit code {code}'}"
