"""`ouro browser logins`: what is sealed in the vault; values are never printed."""

from typing import TYPE_CHECKING

import click

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.asking import agreed, is_person_there, typed
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json
from ouroboros.faces.cli.options.browsing_flags import OWN, Wanted

if TYPE_CHECKING:
    from ouroboros.app.browsing.logins import Carried, Here


@click.group(cls=NearGroup, name="logins")
def logins() -> None:
    """Seal logins of sites, and carry them from one browser to another."""


@logins.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """Print the names of the sealed logins, and what kind each is."""
    import anyio

    from ouroboros.app.browsing import vault as browser_vault

    found = anyio.run(browser_vault.listed, invocation.home())
    if as_json:
        say_json(found)
        return
    for one in found:
        more = f"  {one.cookies} cookies  {' '.join(one.places)}" if one.kind == "state" else ""
        say(f"{one.name}  {one.kind}{more}".rstrip())
    if not found:
        note("No login yet: `ouro browser logins save NAME` makes one.")


@logins.command("save")
@click.argument("name")
@click.option("--profile", metavar="NAME", default="", help="Of this profile.")
@click.option(
    "--attach",
    is_flag=False,
    flag_value=OWN,
    default="",
    metavar="[PORT|URL]",
    help="Of a browser that runs; without a port or address, of your own Chrome.",
)
@click.option("--origin", multiple=True, metavar="URL", help="Only of this place; repeatable.")
@click.pass_obj
def save(
    invocation: Invocation, /, name: str, *, profile: str, attach: str, origin: tuple[str, ...]
) -> None:
    """Seal the cookies and the localStorage of a browser as NAME.

    Without --origin all cookies are taken, and the localStorage of the pages that are open.
    """
    from functools import partial

    import anyio

    from ouroboros.app.browsing import logins as browser_logins

    wanted = Wanted(profile=profile, attach=attach)
    if wanted.words:
        raise Misuse(f"{attach!r} is no port and no address", hint="put NAME before --attach")
    places = browser_logins.origins(origin)
    flags = wanted.settings()
    anyio.run(browser_logins.check, invocation.home(), name)
    here = _here(invocation, flags if attach else flags | {"browser.mode": "managed"})
    carried = anyio.run(partial(browser_logins.save, here, name, places))
    note(f"Kept {_counted(carried)} as {name!r}")
    _warn(carried, f"begin a run with them: ouro browse --login {name}")


@logins.command("load")
@click.argument("name")
@click.option("--profile", metavar="NAME", default="", help="Into this profile.")
@click.pass_obj
def load(invocation: Invocation, /, name: str, *, profile: str) -> None:
    """Put the sealed state NAME into a profile, where it stays."""
    from functools import partial

    import anyio

    from ouroboros.app.browsing import logins as browser_logins
    from ouroboros.app.browsing import vault as browser_vault

    state = anyio.run(browser_vault.state, invocation.home(), name)
    flags = Wanted(profile=profile).settings() | {"browser.mode": "managed"}
    here = _here(invocation, flags)
    if not here.settings.profile:
        raise Misuse("there is no profile to load it into", hint="name one with --profile")
    carried = anyio.run(partial(browser_logins.load, here, state))
    note(f"Loaded {_counted(carried)} into the profile {here.settings.profile!r}")
    _warn(carried, f"have them in a run: ouro browse --login {name}")


@logins.command("add")
@click.argument("name")
@click.option("--origin", multiple=True, metavar="URL", help="Answer this place; repeatable.")
@click.pass_obj
def add(invocation: Invocation, /, name: str, *, origin: tuple[str, ...]) -> None:
    """Seal a user and a password as NAME, for sites that ask by HTTP.

    They are asked for, or read as two lines of standard input; never an argument.
    """
    from functools import partial

    import anyio

    from ouroboros.app.browsing import logins as browser_logins

    places = browser_logins.origins(origin)
    anyio.run(browser_logins.check, invocation.home(), name)
    user = typed("User", hidden=False).strip()
    words = (user, typed("Password", hidden=True).rstrip("\r\n"))
    anyio.run(partial(browser_logins.add, invocation.home(), name, words, places))
    note(f"Kept a user and a password as {name!r}{''.join(f', for {each}' for each in places)}")


@logins.command("remove")
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(invocation: Invocation, /, name: str, *, yes: bool) -> int:
    """Delete a sealed login; profiles keep what was loaded into them."""
    import anyio

    from ouroboros.app.browsing import vault as browser_vault

    if not yes and not agreed(f"Delete the login {name!r}?", hint="give --yes"):
        return 1
    anyio.run(browser_vault.remove, invocation.home(), name)
    note(f"Removed the login {name!r}")
    return 0


def _here(invocation: Invocation, flags: dict[str, object]) -> "Here":
    from ouroboros.app.browsing.logins import Here
    from ouroboros.faces.cli.runs.browser_ready import ready

    loaded = invocation.load({name: value for name, value in flags.items() if value is not None})
    settings, environment = loaded.settings.browser, invocation.environment
    ready(settings, environment, loaded.home, person=is_person_there())
    if settings.mode == "attach":
        import anyio

        from ouroboros.app.browsing.setup import check_running

        anyio.run(check_running, settings, environment)
    return Here(settings=settings, environment=environment, home=loaded.home)


def _counted(carried: "Carried") -> str:
    cookies = f"{carried.cookies} cookie{'' if carried.cookies == 1 else 's'}"
    return f"{cookies} and the localStorage of {carried.places} place{'' if carried.places == 1 else 's'}"


def _warn(carried: "Carried", hint: str) -> None:
    if carried.fleeting:
        note(f"warning: {carried.fleeting} of the cookies end with a browser; {hint}")
