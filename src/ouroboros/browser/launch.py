"""Finding a browser program and starting it on a profile of ours, over a pipe."""

import os
import shutil
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, cast

import anyio
import anyio.to_thread
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed, BrowserMissing
from ouroboros.browser.scratch import scratch
from ouroboros.core.errors import unwrapped
from ouroboros.safety.companion import Companion, companion
from ouroboros.safety.guard import Guard

PROGRAMS = (
    "chromium",
    "chromium-browser",
    "/usr/bin/chromium",
    "google-chrome",
    "google-chrome-stable",
    "/opt/google/chrome/chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
)
"""In the order they are looked for; names on PATH, and paths."""

FLAGS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",
    # Presses on a page that was not drawn yet would be dropped, and said to be done.
    "--allow-pre-commit-input",
    # What follows keeps it from asking its maker for the time, updates, hints and logins.
    "--disable-features=PaintHolding,Prerender2,NetworkTimeServiceQuerying,OptimizationHints"
    ",OptimizationGuideModelDownloading,OptimizationTargetPrediction"
    ",OptimizationGuideModelExecution,OptimizationGuideOnDeviceModel"
    # The last two: each new window would load pages for its address bar, at twice the cost of its own.
    ",WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    "--component-updater=url-source=http://127.0.0.1:9/,disable-background-downloads",
    "--gaia-url=http://127.0.0.1:9/",
    "--google-apis-url=http://127.0.0.1:9/",
    "--hide-crash-restore-bubble",
    "--password-store=basic",
    "--use-mock-keychain",
)
_KEPT = msgspec.json.Decoder(dict[str, Any])
GOODBYE_SECONDS = 5.0
"""A browser writes cookies and history on its way out."""

_PIPES = 'exec "$@" 3<&0 4>&1 0</dev/null 1>&2'
"""The protocol is spoken on descriptors 3 and 4; a companion has 0 and 1."""

_HINTS = {
    "linux": "Debian and Ubuntu: apt-get install chromium; Fedora: dnf install chromium; Arch: "
    "pacman -S chromium; or name a program in [browser] program",
    "darwin": "brew install --cask chromium, or install Google Chrome; or name a program in "
    "[browser] program",
}


class Launch(Struct, frozen=True, kw_only=True):
    """How to start a browser.

    Attributes:
        program: Its path or name; found on PATH and in the usual places when empty.
        profile: Folder of the profile; made when it is not there.
        headless: Without a window.
        size: Width and height of the window in pixels.
        flags: More switches for the program.
    """

    profile: Path
    program: str = ""
    headless: bool = True
    size: tuple[int, int] = (1280, 720)
    flags: tuple[str, ...] = ()


class InstallPlan(Struct, frozen=True, kw_only=True):
    """How a browser could be had here.

    Attributes:
        commands: What would install Debian's package, in order; empty when nothing here can.
        needs: ``nothing`` for root, ``sudo`` when a password may be asked for, ``none`` without a way.
        hint: What a person may do by hand.
    """

    commands: tuple[tuple[str, ...], ...]
    needs: Literal["nothing", "sudo", "none"]
    hint: str


def find(path: str | None, program: str = "") -> str:
    """The path of ``program``, or of the first browser of this machine.

    Raises:
        BrowserMissing: There is none; the hint says how to get one on this platform.
    """
    for name in (program,) if program else PROGRAMS:
        found = shutil.which(name, path=path)
        if found:
            return found
    what = f"{program} is not a program" if program else "no Chromium, Chrome, Edge or Brave"
    raise BrowserMissing(f"{what} was found here", hint=_hint(sys.platform))


def install_plan(*, platform: str, root: bool, path: str | None) -> InstallPlan:
    """What would install Debian's Chromium here: by ``root``, else by sudo. Starts nothing.

    Args:
        platform: As ``sys.platform``.
        root: Whether we are root.
        path: Where programs are looked for.
    """
    apt = shutil.which("apt-get", path=path) if platform == "linux" else None
    sudo = shutil.which("sudo", path=path)
    if apt is None or not (root or sudo):
        return InstallPlan(commands=(), needs="none", hint=_hint(platform))
    before = () if root or sudo is None else (sudo,)
    return InstallPlan(
        commands=(
            (*before, apt, "update"),
            (*before, apt, "install", "--yes", "--no-install-recommends", "chromium"),
        ),
        needs="nothing" if root else "sudo",
        hint=_hint(platform),
    )


def is_sandboxed() -> bool:
    """Whether Chromium's own sandbox is on: it refuses it to root."""
    return os.geteuid() != 0


def command(launch: Launch, program: str) -> tuple[str, ...]:
    """The whole command line."""
    width, height = launch.size
    words = [
        program,
        "--remote-debugging-pipe",
        f"--user-data-dir={launch.profile}",
        f"--window-size={width},{height}",
        *FLAGS,
        *(("--headless=new", "--disable-gpu") if launch.headless else ()),
        *(() if is_sandboxed() else ("--no-sandbox",)),
        *launch.flags,
        "about:blank",
    ]
    return ("/bin/sh", "-c", _PIPES, "sh", *words)


@asynccontextmanager
async def launched(
    launch: Launch, environment: Mapping[str, str], *, guard: Guard | None = None
) -> AsyncGenerator[Companion]:
    """Starts the browser; at the end of the block nothing of it is left running.

    Raises:
        BrowserMissing: There is no such program.
        BrowserFailed: The profile or a temporary folder cannot be written, or there is no display.
    """
    program = find(environment.get("PATH"), launch.program)
    if not launch.headless and sys.platform == "linux" and not has_display(environment):
        raise BrowserFailed(
            "there is no display for a browser window: DISPLAY and WAYLAND_DISPLAY are not set",
            hint="run it headless, or on a machine with a screen; xvfb-run makes a virtual one",
        )
    await anyio.to_thread.run_sync(_made, launch.profile)
    if not launch.headless:
        await anyio.to_thread.run_sync(_kept_from_printing, launch.profile)
    async with (
        scratch(environment) as temporary,
        companion(
            command(launch, program),
            cwd=launch.profile,
            environment={**environment, "TMPDIR": str(temporary)},
            guard=guard,
            goodbye_seconds=GOODBYE_SECONDS,
        ) as child,
    ):
        yield child


@asynccontextmanager
async def watched(child: Companion) -> AsyncGenerator[anyio.Event]:
    """Keeps a child's complaints flowing; the event is set when it has ended."""
    ended = anyio.Event()

    async def watch() -> None:
        await child.watch()
        ended.set()

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            yield ended
            tasks.cancel_scope.cancel()
    except ExceptionGroup as group:
        raise unwrapped(group) from group


def has_display(environment: Mapping[str, str]) -> bool:
    """Whether a window could be shown on this Linux."""
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def _hint(platform: str) -> str:
    return _HINTS.get(
        platform, "install Chromium or Google Chrome, or name it in [browser] program"
    )


def _made(profile: Path) -> None:
    try:
        profile.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as failed:
        raise _unusable(profile, failed) from failed
    if not os.access(profile, os.W_OK | os.X_OK):
        raise _unusable(profile, PermissionError("not writable"))


def _kept_from_printing(profile: Path) -> None:
    # A page that calls print() would stand still until somebody closes the window that it opens.
    path = profile / "Default" / "Preferences"
    try:
        kept = _KEPT.decode(path.read_bytes()) if path.exists() else {}
        found = kept.get("printing")
        printing = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        if printing.get("enabled", True):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            new = path.with_suffix(".new")
            new.touch(mode=0o600)
            wanted = {**kept, "printing": {**printing, "enabled": False}}
            new.write_bytes(msgspec.json.encode(wanted))
            new.replace(path)
    except (OSError, msgspec.DecodeError):
        return


def _unusable(profile: Path, error: OSError) -> BrowserFailed:
    return BrowserFailed(
        f"the browser profile {profile} cannot be used: {error.strerror or error}",
        hint="choose another with --profile, or mend its permissions",
    )
