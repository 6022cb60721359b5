"""Whether there is a browser here, and how to get one, with the person's yes."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from ouroboros.app.settings import Browser
from ouroboros.browser import launch
from ouroboros.browser.errors import BrowserFailed, BrowserMissing
from ouroboros.browser.launch import InstallPlan
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.safety.environment import apart
from ouroboros.safety.spawn import spawn

INSTALL_SECONDS = 900.0


class BrowserAbsent(OuroborosError):
    """A task needs a browser and this machine has none."""

    exit_code = 69


def find(settings: Browser, environment: Mapping[str, str]) -> str:
    """The program that would be started.

    Raises:
        BrowserAbsent: There is none; the hint says how to get one here.
    """
    try:
        return launch.find(apart(environment, Path.cwd())["PATH"], settings.program)
    except BrowserMissing as missing:
        raise BrowserAbsent(missing.message, hint=missing.hint) from missing


def check_display(settings: Browser, environment: Mapping[str, str]) -> None:
    """Raises ``Misuse`` when a window is wanted and nothing could show it."""
    if settings.headless or sys.platform != "linux" or launch.has_display(environment):
        return
    raise Misuse(
        "there is no screen for a browser window: DISPLAY and WAYLAND_DISPLAY are not set",
        hint="do without a window, or put xvfb-run before the command",
    )


def check_profile(settings: Browser, home: Path) -> None:
    """Raises ``Misuse`` when the profile can have no such name, or another run uses it. Blocks."""
    from ouroboros.browser.profiles import in_use

    if not settings.profile:
        return
    try:
        in_use(home, settings.profile)
    except BrowserFailed as failed:
        raise Misuse(failed.message, hint=failed.hint) from failed


async def check_running(settings: Browser, environment: Mapping[str, str]) -> None:
    """Raises ``Misuse`` when the person's browser, or the one at a port, is not to be found."""
    from ouroboros.browser import attach

    try:
        await attach.address(settings.url, Path(environment.get("HOME", "/")))
    except BrowserFailed as failed:
        raise Misuse(failed.message, hint=failed.hint) from failed


def remark(settings: Browser) -> str:
    """What the person should know of how the browser will run; mostly nothing."""
    if settings.mode != "managed":
        return "the browser is yours: every tab of it, and all you are logged in to, can be used"
    if not launch.is_sandboxed():
        return "this is root, to whom Chromium refuses its own sandbox: it runs without"
    return ""


def plan(environment: Mapping[str, str]) -> InstallPlan:
    """How one could be installed here."""
    path = apart(environment, Path.cwd())["PATH"]
    return launch.install_plan(platform=sys.platform, root=os.geteuid() == 0, path=path)


async def install(
    chosen: InstallPlan,
    environment: Mapping[str, str],
    cwd: Path,
    say: Callable[[str], None],
) -> None:
    """Runs the commands of a plan that the person agreed to; ``say`` hears their output.

    Raises:
        OuroborosError: One of them failed.
    """
    import anyio

    for words in chosen.commands:
        # Nobody can type a password here: sudo must not ask.
        command = [words[0], "-n", *words[1:]] if chosen.needs == "sudo" else list(words)
        variables = {**apart(environment, cwd), "DEBIAN_FRONTEND": "noninteractive"}
        code: int | None = None
        with anyio.move_on_after(INSTALL_SECONDS) as patience:
            async with spawn(command, cwd=cwd, environment=variables) as process:
                while (piece := await process.read()) is not None:
                    say(piece.data.decode("utf-8", "replace"))
                code = process.exit_code
        if code == 0:
            continue
        said = "took too long" if patience.cancelled_caught else f"ended with {code}"
        spelled = " && ".join(" ".join(each) for each in chosen.commands)
        raise OuroborosError(f"{' '.join(words)} {said}", hint=f"run it by hand: {spelled}")
