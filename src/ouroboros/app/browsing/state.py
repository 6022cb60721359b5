"""How the browser stands on this machine, a window for a person, and an end to what runs."""

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path

import anyio
from msgspec import Struct

from ouroboros.app.browsing.setup import BrowserAbsent, find
from ouroboros.app.settings import Browser
from ouroboros.browser import launch
from ouroboros.browser.profiles import Profile, held, listed, remove
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.safety.companion import Companion
from ouroboros.safety.environment import apart
from ouroboros.safety.guard import Guard


class State(Struct, frozen=True, kw_only=True):
    """What `ouro browser status` tells; ``program`` is empty when there is none."""

    program: str
    mode: str
    headless: bool
    profile: str
    profiles: list[Profile]
    hint: str = ""


def state(settings: Browser, environment: Mapping[str, str], home: Path) -> State:
    """Looks, and starts nothing; blocking."""
    hint = ""
    try:
        program = find(settings, environment)
    except BrowserAbsent as absent:
        program, hint = "", absent.hint
    return State(
        program=program,
        mode=settings.mode,
        headless=settings.headless,
        profile=settings.profile,
        profiles=listed(home),
        hint=hint,
    )


async def window(settings: Browser, environment: Mapping[str, str], home: Path, url: str) -> None:
    """Shows a window that nobody drives, until it is closed.

    Raises:
        OuroborosError: It could not be started, or ended badly.
    """
    if url.startswith("-"):
        raise Misuse(f"{url!r} is no address", hint="name a page, such as https://example.com")
    address = url if "://" in url or url.startswith("about:") else f"https://{url}"
    async with held(home, settings.profile) as profile:
        wanted = launch.Launch(
            profile=profile,
            program=settings.program,
            headless=False,
            size=(settings.width, settings.height),
            flags=(*settings.flags, address),
        )
        guard = Guard()
        await guard.on_duty()
        environment = await anyio.to_thread.run_sync(apart, environment, Path.cwd())
        async with (
            launch.launched(wanted, environment, guard=guard) as child,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(_listen, child)
            await child.watch()
            tasks.cancel_scope.cancel()
        if child.exit_code:
            said = child.complaints.strip().rpartition("\n")[2]
            raise OuroborosError(f"the browser ended with {child.exit_code}: {said}")


async def _listen(child: Companion) -> None:
    """Keeps its pipe empty, that it never waits for us."""
    while await child.receive():
        pass


def stop_owners(home: Path, name: str) -> list[Profile]:
    """Tells the runs that use profiles of ours to end, as Ctrl-C would; which they were.

    Raises:
        Misuse: There is no profile of this name.
    """
    known = listed(home)
    if name and name not in {profile.name for profile in known}:
        raise Misuse(f"there is no profile {name!r}", hint="`ouro browser profiles` lists them")
    told: list[Profile] = []
    for profile in known:
        if profile.owner and name in {"", profile.name}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(profile.owner, signal.SIGTERM)
                told.append(profile)
    return told


def profiles(home: Path) -> list[Profile]:
    """All profiles of ours; blocking."""
    return listed(home)


def remove_profile(home: Path, name: str) -> None:
    """Deletes one with its logins.

    Raises:
        Misuse: There is no profile of this name.
        BrowserFailed: It is in use, or cannot be removed.
    """
    if name not in {profile.name for profile in listed(home)}:
        raise Misuse(f"there is no profile {name!r}", hint="`ouro browser profiles` lists them")
    remove(home, name)
