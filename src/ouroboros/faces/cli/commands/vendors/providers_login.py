"""`ouro providers login` and `ouro providers logout`."""

import sys
from typing import TYPE_CHECKING

import click

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.asking import is_person_there, typed
from ouroboros.faces.cli.invocation import Invocation, note

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.providers.logins import Account


@click.command("login", short_help="Log in, or keep a key.")
@click.argument("name")
@click.option("--key-stdin", is_flag=True, help="Read a key from standard input.")
@click.option("--no-browser", is_flag=True, help="Print the address; take the answer typed, too.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds to wait for the answer of the login page.",
)
@click.pass_obj
def login(
    invocation: Invocation, name: str, *, key_stdin: bool, no_browser: bool, timeout: float
) -> None:
    """Log in to NAME on its page where it has one, else keep a key of yours.

    A key is asked for without being shown, and is kept in the keyring or in a sealed file.
    """
    from ouroboros.app.providers import logins

    loaded = invocation.load()
    account = logins.account(loaded, name)
    if account.way == "key" or key_stdin:
        if not account.variables:
            raise Misuse(f"{account.name} takes no key", hint="leave out --key-stdin")
        key = _key(account.variables[0], is_piped=key_stdin)
        said = f"{account.variables[0]} is kept in {logins.bring(loaded, account, key)}"
    else:
        said = _on_page(invocation, loaded, account, timeout, is_typed=no_browser)
    note(said)
    _warn_of_another(invocation, loaded, account)
    note(f"try it: ouro providers test {account.name}")


@click.command("logout", short_help="Remove a login and kept keys.")
@click.argument("name")
@click.pass_obj
def logout(invocation: Invocation, name: str) -> int:
    """Remove the login and the kept keys of NAME."""
    import anyio

    from ouroboros.app.providers import logins

    done = anyio.run(logins.log_out, invocation.load(), invocation.environment, name)
    for each in done.removed:
        note(f"removed {each}")
    if done.trouble:
        note(f"warning: the provider did not take it back: {done.trouble}")
    for each in done.still:
        note(f"a key is still there: {each}")
    if not done.removed:
        note(f"nothing of {name} was kept")
    return 0 if done.removed else 1


def _key(variable: str, *, is_piped: bool) -> str:
    return typed(variable, hidden=True, piped=is_piped).strip()


def _on_page(
    invocation: Invocation, loaded: "Loaded", account: "Account", timeout: float, *, is_typed: bool
) -> str:
    import anyio

    from ouroboros.app.providers import logins
    from ouroboros.core.clock import SystemClock
    from ouroboros.faces.cli.prompting.typed_line import typed_line

    is_heard = sys.stdin is not None and (is_typed or is_person_there())

    async def show(address: str) -> None:
        opens = not is_typed and logins.open_page(address, invocation.environment)
        note("agree in your browser, on this page:" if opens else "open this page in a browser:")
        note(address)
        if is_heard:
            note("if the browser runs elsewhere, paste here the address that it ends at:")

    asking = logins.Asking(
        show=show,
        pasted=typed_line if is_heard else None,
        patience_seconds=timeout,
    )
    return anyio.run(logins.log_in, loaded, invocation.environment, account, asking, SystemClock())


def _warn_of_another(invocation: Invocation, loaded: "Loaded", account: "Account") -> None:
    for name in account.variables:
        places = (("environment", invocation.environment), (".env", loaded.dotenv))
        for place, variables in places:
            if variables.get(name):
                note(f"warning: {name} is also set by the {place}, which wins")
                return
