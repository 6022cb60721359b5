"""What this machine offers for a cage; found out by trying, once."""

import platform
import shutil
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from msgspec import Struct

from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.sandbox.begin import ended
from ouroboros.safety.sandbox.bubblewrap import Bubblewrap, Launcher
from ouroboros.safety.sandbox.cage import Sandbox
from ouroboros.safety.sandbox.inner import taking
from ouroboros.safety.sandbox.namespaces import Namespaces
from ouroboros.safety.sandbox.policy import Policy

_PLACES = "/usr/bin:/bin:/usr/local/bin:/run/wrappers/bin:/run/current-system/sw/bin"
"""Where the programs of a cage are looked for: not on PATH, which a project may have changed."""

_SEATBELT = Path("/usr/bin/sandbox-exec")
_PATIENCE_SECONDS = 30.0
_TRIAL = ": > tried && ! (: > kept/tried)"

type Bubble = Literal["auto", "first", "off"]


class Features(Struct, frozen=True, kw_only=True):
    """What there is.

    Attributes:
        landlock: Its version; 0 for none. From 3 on it stops every change of a file.
        seccomp: Whether system calls can be filtered on this kind of machine.
        namespaces: Whether namespaces of our own can be made, with mounts in them.
        launcher: ``bwrap``, when it works with the very flags that are used.
        without: Why there are neither.
        seatbelt: Whether macOS's ``sandbox-exec`` is there.
    """

    landlock: int = 0
    seccomp: bool = False
    namespaces: bool = False
    launcher: Launcher | None = None
    without: str = ""
    seatbelt: bool = False


def features(*, bubblewrap: Bubble = "auto") -> Features:
    """Looks and tries; takes some milliseconds, so in a thread.

    ``bubblewrap`` is looked for where no namespaces of our own can be made, or before them (``first``);
    ``off`` leaves out both.
    """
    if sys.platform != "linux":
        return Features(seatbelt=sys.platform == "darwin" and _SEATBELT.exists())
    filters = platform.machine() in seccomp.MACHINES
    is_own, launcher, without = False, None, "switched off by sandbox.bubblewrap"
    if not filters:
        without = f"no filter of system calls for {platform.machine()}"
    elif bubblewrap != "off":
        is_own, launcher, without = _separated(is_first=bubblewrap == "first")
    return Features(
        landlock=kernel.landlock_version(),
        seccomp=filters,
        namespaces=is_own,
        launcher=launcher,
        without=without,
    )


def _separated(*, is_first: bool) -> tuple[bool, Launcher | None, str]:
    """Whether we make namespaces, or who does, or why nobody does."""
    said: list[str] = []
    for is_bubblewrap in (True, False) if is_first else (False, True):
        if is_bubblewrap:
            launcher, without = _tried()
            if launcher is not None:
                return False, launcher, ""
        else:
            is_own, without = _tried_own()
            if is_own:
                return True, None, ""
        said.append(without)
    return False, None, "; ".join(said)


def _tried_own() -> tuple[bool, str]:
    try:
        _proven_own()
    except _Unproven as why:
        return False, str(why)
    return True, ""


@cache
def _proven_own() -> None:
    with TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        if said := _said(Namespaces(_trial_policy(place)), place):
            raise _Unproven(f"namespaces do not work here: {said}")


def _tried() -> tuple[Launcher | None, str]:
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
        place = Path(folder).resolve()
        if said := _said(Bubblewrap(_trial_policy(place), launcher), place):
            raise _Unproven(f"bwrap does not work here: {said}")
    return launcher


def _trial_policy(folder: Path) -> Policy:
    (folder / "kept").mkdir()
    return Policy(writable=(folder,), protected=(folder / "kept",))


def _said(sandbox: Sandbox, folder: Path) -> str:
    """What is wrong with it here; nothing when a command wrote where it may and not where not."""
    confined = sandbox.confine(("/bin/sh", "-c", _TRIAL), cwd=folder)
    try:
        code, said = ended(confined, cwd=folder, seconds=_PATIENCE_SECONDS)
    except OSError as error:
        return f"it does not start: {error.strerror}"
    if code == 0 and (folder / "tried").exists():
        return ""
    words = said.strip().partition("\n")[0]
    return words or f"exit code {code}"
