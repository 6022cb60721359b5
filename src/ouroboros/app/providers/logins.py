"""Logging in to providers and out of them, in the way each of them knows.

A way is ``tokens`` (OAuth: an access token, renewed from time to time), ``page`` (the person agrees
on the vendor's page and we are given a lasting key) or ``key`` (the person brings one).
"""

import html
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ouroboros.app.config.layers import Loaded
from ouroboros.app.providers import keys, models
from ouroboros.app.providers import own as own_providers
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse
from ouroboros.llm.auth.plan import CommandPlan, OAuthClient, OAuthPlan
from ouroboros.llm.opening import open_transport
from ouroboros.llm.providers.entry import Entry

if TYPE_CHECKING:
    from ouroboros.llm.auth.oauth.wire import Reach

_IN_A_TERMINAL = frozenset({
    *("browsh", "carbonyl", "cha", "chawan", "edbrowse", "elinks", "links", "links2", "lynx"),
    *("netrik", "retawq", "w3m", "www-browser"),
})

_LED_SECONDS = 60.0
_SNAPS = Path("/snap/bin")
_LEADS = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<title>Ouroboros</title><a href="%s">Open Ouroboros</a>
<script>location.replace(document.querySelector("a").href)</script>
"""

type Way = Literal["tokens", "page", "key"]


class Account(Struct, frozen=True, kw_only=True):
    """What a person can log in to; ``variables`` are those that may hold its key."""

    name: str
    way: Way
    variables: tuple[str, ...] = ()
    client: OAuthClient = OAuthClient()


class Asking(Struct, frozen=True, kw_only=True):
    """How the person is asked: shown an address, and perhaps heard when they type the answer."""

    show: Callable[[str], Awaitable[None]]
    pasted: Callable[[], Awaitable[str]] | None = None
    patience_seconds: float = 300.0


class LoggedOut(Struct, frozen=True, kw_only=True):
    """What a logout removed, where a key still is, and what the vendor did not hear."""

    removed: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    trouble: str = ""


def account(loaded: Loaded, name: str) -> Account:
    """The account of a provider; raises ``Misuse`` where nobody can log in."""
    provider = name.partition("/")[0]
    entry = _entry(loaded, provider)
    plan = own_providers.plan_of(loaded.settings, provider)
    if isinstance(plan, OAuthPlan):
        return Account(name=provider, way="tokens", client=plan.client)
    mine = loaded.settings.providers.get(provider)
    client = mine.oauth if mine and mine.oauth != OAuthClient() else entry.oauth
    if client.key_url and client.authorize_url and entry.keys:
        return Account(name=provider, way="page", variables=entry.keys, client=client)
    if isinstance(plan, CommandPlan) or (entry.key_command and not entry.keys):
        raise Misuse(
            f"the token of {provider!r} comes from a command, so there is nothing to log in to",
            hint="log in with the tool that the command belongs to",
        )
    if entry.keys:
        return Account(name=provider, way="key", variables=entry.keys)
    if entry.auth == "aws":
        hint = "log in with `aws sso login` or `aws configure`"
    else:
        hint = f"if it needs a key, name its variable: ouro config set providers.{provider}.key_env"
    raise Misuse(f"the provider {provider!r} takes no key of ours", hint=hint)


async def log_in(
    loaded: Loaded,
    environment: Mapping[str, str],
    account: Account,
    asking: Asking,
    clock: Clock,
) -> str:
    """Logs in on the vendor's page; says where what it brought is kept.

    Raises:
        ModelFailed: The person or the vendor refused, nobody came, or it cannot be reached.
        Misuse: An address of the settings cannot be used.
        StoreFailed: The login cannot be kept.
    """
    from anyio import to_thread

    from ouroboros.llm.auth.oauth import LoginFile
    from ouroboros.llm.auth.oauth.flow import Person, keep, obtain_key, obtain_tokens

    reach = _reach(loaded, environment)
    person = Person(
        show=asking.show, pasted=asking.pasted, patience_seconds=asking.patience_seconds
    )
    if account.way == "page":
        key = await obtain_key(account.client, person, reach=reach)
        place = await to_thread.run_sync(bring, loaded, account, key)
        return f"{account.variables[0]} is kept in {place}"
    store = loaded.settings.secrets.store
    file = LoginFile(loaded.home, account.name, store=store)
    tokens = await obtain_tokens(account.client, person, reach=reach, clock=clock)
    await keep(file, tokens)
    plain = " as plain text, as secrets.store says" if store == "plain" else ""
    return f"the login is kept in {file.path}{plain}"


def bring(loaded: Loaded, account: Account, key: str) -> str:
    """Keeps a key that the person has; says where. Raises ``Misuse`` for what cannot be one."""
    store = loaded.settings.secrets.store
    place = keys.keep(loaded.home, account.variables[0], key, where=store)
    return keys.kept_in(place, loaded.home)


async def log_out(loaded: Loaded, environment: Mapping[str, str], name: str) -> LoggedOut:
    """Removes tokens and keys of a provider, and gives tokens back where the vendor takes them.

    Raises:
        Misuse: There is no such provider.
        StoreFailed: What is kept cannot be changed.
    """
    from anyio import to_thread

    from ouroboros.llm.auth.oauth import LoginFile
    from ouroboros.llm.auth.oauth.flow import give_back

    provider = name.partition("/")[0]
    entry = _entry(loaded, provider)
    removed: list[str] = []
    trouble = ""
    file = LoginFile(loaded.home, provider)
    if await to_thread.run_sync(file.path.exists):
        was_there, error = await give_back(file, reach=_reach(loaded, environment))
        removed += ["its login"] if was_there else []
        trouble = error.message if error else ""
    forget, still = partial(_forget, loaded, entry), partial(_still, loaded, environment, entry)
    removed += await to_thread.run_sync(forget)
    return LoggedOut(removed=tuple(removed), still=await to_thread.run_sync(still), trouble=trouble)


def is_logged_in(home: Path, name: str) -> bool:
    """Whether a login of the kind ``tokens`` is kept; it may have expired."""
    from ouroboros.llm.auth.oauth import LoginFile

    return LoginFile(home, name).path.exists()


def plain_files(home: Path) -> tuple[Path, ...]:
    """The files where keys and logins lie as plain text; blocking. Raises ``ConfigBroken``."""
    from ouroboros.safety.sealed import MAGIC, is_sealed

    found = [keys.key_file(home)] if keys.stored(home) else []
    for path in sorted((home / "auth").glob("*.json")):
        with suppress(OSError), path.open("rb") as file:
            found += [] if is_sealed(file.read(len(MAGIC))) else [path]
    return tuple(found)


def open_page(address: str, environment: Mapping[str, str]) -> bool:
    """Opens the person's browser, and does not wait for it; False where there is none to see.

    One that shows pages in a terminal is none: it would need ours, and runs no script of a page.
    """
    seen = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform == "linux" and not any(environment.get(name) for name in seen):
        return False
    wanted = environment.get("BROWSER", "")
    programs = [each.split()[0] for each in wanted.split(os.pathsep) if each.strip()]
    if programs and all(Path(each).name in _IN_A_TERMINAL for each in programs):
        return False
    from threading import Thread

    from ouroboros.safety.environment import apart, is_secret_name
    from ouroboros.safety.launching import cast_off

    # Without TERM Python looks for no browser that needs a terminal; isolated it loads nothing from here.
    safe = apart(environment, Path.cwd())
    kept = {each: value for each, value in safe.items() if not is_secret_name(each)}
    kept.pop("TERM", None)
    command = (sys.executable, "-I", "-m", "webbrowser", address)
    # The browser is the person's and outlives us, so it is no child of safety.spawn.
    Thread(target=cast_off, args=(command, kept), daemon=True).start()
    return True


def open_privately(address: str, environment: Mapping[str, str], home: Path) -> bool:
    """As ``open_page``, for an address that is a secret; blocking.

    Everybody on a machine may read the arguments of programs, so the browser is given a file that only
    this user can read and that leads there. It is removed after ``_LED_SECONDS``, or when we end.
    """
    import atexit
    from tempfile import mkstemp
    from threading import Timer

    # Browsers that come as snaps see no folder whose name begins with a dot.
    person = Path(environment.get("HOME", ""))
    is_hidden = any(part.startswith(".") for part in home.parts)
    folder = person if is_hidden and _SNAPS.is_dir() and person.is_absolute() else home
    try:
        handle, name = mkstemp(dir=folder, prefix="ouroboros-", suffix=".html")
        path = Path(name)
        atexit.register(path.unlink, missing_ok=True)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_LEADS % html.escape(address))
    except OSError:
        return False
    forget = Timer(_LED_SECONDS, path.unlink, kwargs={"missing_ok": True})
    forget.daemon = True
    forget.start()
    is_shown = open_page(path.as_uri(), environment)
    if not is_shown:
        path.unlink(missing_ok=True)
    return is_shown


def _entry(loaded: Loaded, provider: str) -> Entry:
    known = {entry.name: entry for entry in own_providers.entries(loaded.settings)}
    if provider in known and known[provider].protocol not in {"echo", "script"}:
        return known[provider]
    from difflib import get_close_matches

    near = get_close_matches(provider, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`ouro providers list` shows them"
    raise Misuse(f"there is no provider {provider!r} that takes a login", hint=hint)


def _reach(loaded: Loaded, environment: Mapping[str, str]) -> "Reach":
    linked = models.connection(loaded.settings.network, environment)
    return partial(open_transport, connection=linked)


def _forget(loaded: Loaded, entry: Entry) -> list[str]:
    return [
        f"{name} in {keys.named(place, loaded.home)}"
        for name in entry.keys
        for place in keys.forget(loaded.home, name)
    ]


def _still(loaded: Loaded, environment: Mapping[str, str], entry: Entry) -> tuple[str, ...]:
    found = keys.Keys(environment, loaded.dotenv, loaded.home)
    places = {name: found.find(name) for name in entry.keys}
    return tuple(f"{name} ({key.source})" for name, key in places.items() if key)
