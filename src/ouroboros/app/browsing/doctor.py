"""Looks whether a browser can be driven here: program, start, window, profiles, and the cage of code."""

from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.to_thread

from ouroboros.app.browsing.setup import BrowserAbsent, find
from ouroboros.app.checks import Check
from ouroboros.app.settings import Browser
from ouroboros.browser import launch
from ouroboros.browser.profiles import listed
from ouroboros.browser.scratch import scratch
from ouroboros.core.errors import OuroborosError, unwrapped
from ouroboros.safety.environment import apart
from ouroboros.safety.guard import Guard

_START_SECONDS = 30.0


async def examine(
    settings: Browser, environment: Mapping[str, str], home: Path, *, starts: bool
) -> list[Check]:
    """Every check; with ``starts`` a browser is started without a window, and ended again."""
    environment = await anyio.to_thread.run_sync(apart, environment, Path.cwd())
    checks = [await program(settings, environment)]
    if starts and checks[0].verdict == "ok":
        checks.append(await _start(settings, environment))
    checks.append(_window(environment))
    checks.append(await anyio.to_thread.run_sync(_profiles, home))
    if starts:
        checks.append(await _isolate(environment))
    return checks


async def program(settings: Browser, environment: Mapping[str, str]) -> Check:
    """Which browser would be started, and its version."""
    from ouroboros.safety.spawn import run

    try:
        path = await anyio.to_thread.run_sync(find, settings, environment)
    except BrowserAbsent as absent:
        return Check(name="browser", verdict="warning", said=absent.message, fix=absent.hint)
    try:
        ended = await run(
            [path, "--version"], cwd=Path("/"), environment=environment, timeout_seconds=15
        )
    except OSError as error:
        said = f"{path} does not start: {error.strerror}"
        return Check(name="browser", verdict="warning", said=said, fix="install it again")
    version = ended.stdout.decode("utf-8", "replace").strip().partition("\n")[0]
    if ended.exit_code or not version:
        said = f"{path} --version ended with {ended.exit_code}"
        return Check(name="browser", verdict="warning", said=said, fix="install it again")
    return Check(name="browser", verdict="ok", said=f"{version} at {path}")


async def _start(settings: Browser, environment: Mapping[str, str]) -> Check:
    began, guard = anyio.current_time(), Guard()
    try:
        await guard.on_duty()
        async with scratch(environment) as folder:
            wanted = launch.Launch(
                profile=folder / "profile", program=settings.program, flags=settings.flags
            )
            with anyio.fail_after(_START_SECONDS):
                await _answer(wanted, environment, guard)
    except (OuroborosError, TimeoutError, OSError) as error:
        said = str(error) or f"it did not answer in {_START_SECONDS:g} s"
        fix = getattr(error, "hint", "") or "start it by hand to see what is wrong"
        return Check(name="browser start", verdict="failed", said=said, fix=fix)
    seconds = anyio.current_time() - began
    said = f"answers over its pipe, started and ended in {seconds:.1f} s"
    if launch.is_sandboxed():
        return Check(name="browser start", verdict="ok", said=said)
    said += "; its own sandbox is off"
    fix = "run it as another user than root: Chromium refuses its sandbox to root"
    return Check(name="browser start", verdict="warning", said=said, fix=fix)


async def _answer(wanted: launch.Launch, environment: Mapping[str, str], guard: Guard) -> None:
    from ouroboros.browser.channel.pipe import Pipe
    from ouroboros.browser.connection import Connection

    async with launch.launched(wanted, environment, guard=guard) as child:
        connection = Connection(Pipe(child))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.run)
            tasks.start_soon(child.watch)
            await connection.call("Browser.getVersion")
            await connection.call("Browser.close")
            tasks.cancel_scope.cancel()


def _window(environment: Mapping[str, str]) -> Check:
    import sys

    if sys.platform != "linux" or launch.has_display(environment):
        return Check(name="browser window", verdict="ok", said="--headed can show one")
    said = "no DISPLAY and no WAYLAND_DISPLAY: it runs without a window"
    return Check(name="browser window", verdict="ok", said=said)


def _profiles(home: Path) -> Check:
    found = [
        f"{profile.name} (used by process {profile.owner})" if profile.owner else profile.name
        for profile in listed(home)
    ]
    said = ", ".join(found) or "none yet"
    return Check(name="browser profiles", verdict="ok", said=said)


async def _isolate(environment: Mapping[str, str]) -> Check:
    """Starts the worker that runs a model's code, and asks what it is shut in by."""
    from ouroboros.code.js.seat import Seat

    seat = Seat(environment, None)
    fix = "code of models cannot run here; `browse` and `rlm` need it"
    try:
        with anyio.fail_after(_START_SECONDS):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(seat.keep)
                await seat.ready()
                seat.leave()
    except (OuroborosError, TimeoutError, OSError, ExceptionGroup) as error:
        said = str(unwrapped(error) if isinstance(error, ExceptionGroup) else error)
        return Check(name="code cage", verdict="failed", said=said or "no answer", fix=fix)
    held = ", ".join(seat.hello.cage)
    if held:
        return Check(name="code cage", verdict="ok", said=f"holds by {held}")
    fix = "use a newer kernel of Linux: without it only the isolate itself holds code"
    return Check(name="code cage", verdict="warning", said="no part of it holds here", fix=fix)
