"""Finding a browser program and starting it on a profile of ours, over a pipe."""

import os
import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from ouroboros.browser.errors import BrowserMissing
from ouroboros.safety.companion import Companion, companion
from ouroboros.safety.guard import Guard

PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "brave-browser",
    "/usr/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
FLAGS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--password-store=basic",
    "--use-mock-keychain",
)
_PIPES = 'exec "$@" 3<&0 4>&1 0</dev/null 1>&2'
"""The protocol is spoken on descriptors 3 and 4; a companion has 0 and 1."""


class Launch(Struct, frozen=True, kw_only=True):
    """How to start a browser.

    Attributes:
        program: Its path; found on PATH and in the usual places when empty.
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


def find(path: str | None) -> str:
    """The first browser program of this machine.

    Raises:
        BrowserMissing: There is none.
    """
    for name in PROGRAMS:
        found = shutil.which(name, path=path)
        if found:
            return found
    raise BrowserMissing(
        "no Chromium, Chrome, Edge or Brave was found",
        hint="Debian and Ubuntu: apt-get install chromium; or name one in [browser] program",
    )


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
        # Chromium refuses its own sandbox to root.
        *(("--no-sandbox",) if os.geteuid() == 0 else ()),
        *launch.flags,
        "about:blank",
    ]
    return ("/bin/sh", "-c", _PIPES, "sh", *words)


@asynccontextmanager
async def launched(
    launch: Launch, environment: Mapping[str, str], *, guard: Guard | None = None
) -> AsyncGenerator[Companion]:
    """Starts the browser; at the end of the block nothing of it is left running."""
    program = launch.program or find(environment.get("PATH"))
    launch.profile.mkdir(parents=True, exist_ok=True, mode=0o700)
    words = command(launch, program)
    async with companion(words, cwd=launch.profile, environment=environment, guard=guard) as child:
        yield child
