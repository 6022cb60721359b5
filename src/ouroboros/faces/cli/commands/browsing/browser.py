"""`ouro browser`: the browser itself: how it stands, logging in by hand, profiles."""

import click

from ouroboros.faces.cli.asking import agreed, is_person_there
from ouroboros.faces.cli.commands.browsing.browser_logins import logins
from ouroboros.faces.cli.commands.setup.doctor import say_checks
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json


@click.group(cls=NearGroup, name="browser")
def command() -> None:
    """See the browser, log in by hand, keep profiles and logins."""


@command.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def status(invocation: Invocation, *, as_json: bool) -> int:
    """Print which browser is used, and which profiles are in use now."""
    from ouroboros.app.browsing.state import State, state

    loaded = invocation.load()
    found: State = state(loaded.settings.browser, invocation.environment, loaded.home)
    if as_json:
        say_json(found)
        return 0
    say(f"program: {found.program or 'none was found'}")
    say(f"mode: {found.mode}{'' if found.headless else ', with a window'}")
    for profile in found.profiles:
        used = f"used by process {profile.owner}" if profile.owner else "free"
        chosen = ", chosen" if profile.name == found.profile else ""
        say(f"profile {profile.name}: {used}{chosen}")
    if not found.program:
        note(f"hint: {found.hint}")
    return 0


@command.command("open")
@click.argument("url", default="about:blank")
@click.option("--profile", metavar="NAME", default="", help="Use this profile.")
@click.pass_obj
def open_window(invocation: Invocation, /, url: str, profile: str) -> int:
    """Show a window on a profile, to log in by hand; ends when the window is closed."""
    from functools import partial

    import anyio

    from ouroboros.app.browsing.state import window
    from ouroboros.faces.cli.runs.browser_ready import ready

    flags = {"browser.headless": False, "browser.mode": "managed"}
    loaded = invocation.load(flags | ({"browser.profile": profile} if profile else {}))
    settings = loaded.settings.browser
    ready(settings, invocation.environment, loaded.home, person=is_person_there())
    name = settings.profile or "a fresh profile"
    note(f"Opening a window on {name}; close it, or press Ctrl-C, when you are done")
    anyio.run(partial(window, settings, invocation.environment, loaded.home, url))
    return 0


@command.group(cls=NearGroup, name="profiles", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_context
def profiles(context: click.Context, *, as_json: bool) -> int:
    """List the browser's profiles, which keep logins."""
    if context.invoked_subcommand is not None:
        return 0
    from ouroboros.app.browsing import state as browser_state

    invocation: Invocation = context.obj
    found = browser_state.profiles(invocation.home())
    if as_json:
        say_json(found)
        return 0
    for profile in found:
        used = f"used by process {profile.owner}" if profile.owner else "free"
        say(f"{profile.name}  {profile.bytes // 1_048_576} MiB  {used}")
    if not found:
        note("No profile yet: the first `ouro browse` makes one.")
    return 0


@profiles.command("remove")
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(invocation: Invocation, /, name: str, *, yes: bool) -> int:
    """Delete a profile with its logins, history and cookies."""
    from ouroboros.app.browsing import state as browser_state

    if not yes and not agreed(f"Delete the profile {name!r} with its logins?", hint="give --yes"):
        return 1
    browser_state.remove_profile(invocation.home(), name)
    note(f"Removed the profile {name!r}")
    return 0


command.add_command(logins)


@command.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def doctor(invocation: Invocation, *, as_json: bool) -> int:
    """Start a browser for a moment and check all it needs; ends with 1 if something is missing."""
    from functools import partial

    import anyio

    from ouroboros.app.browsing import doctor as browser_doctor

    loaded = invocation.load()
    look = partial(
        browser_doctor.examine,
        loaded.settings.browser,
        invocation.environment,
        loaded.home,
        starts=True,
    )
    checks = anyio.run(look)
    say_checks(checks, as_json=as_json)
    return int(any(check.verdict != "ok" and check.name == "browser" for check in checks)) or int(
        any(check.verdict == "failed" for check in checks)
    )


@command.command("stop")
@click.argument("name", default="")
@click.pass_obj
def stop(invocation: Invocation, /, name: str) -> int:
    """Stop the run that uses the profile NAME, or all of them, with their browsers."""
    from ouroboros.app.browsing.state import stop_owners

    stopped = stop_owners(invocation.home(), name)
    for profile in stopped:
        note(f"Told process {profile.owner}, which uses the profile {profile.name!r}, to end")
    if not stopped:
        note("Nothing of ours is running")
    return 0
