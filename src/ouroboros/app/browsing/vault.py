"""What the person has sealed for sites: states of browsers, and users with their passwords."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.storage.state import StorageState, decoded
from ouroboros.browser.storage.vault import Vault
from ouroboros.core.errors import Misuse
from ouroboros.safety.sealed import Sealer


class Login(Struct, frozen=True, kw_only=True):
    """One login as listed, without its values; ``places`` are those with localStorage."""

    name: str
    kind: Literal["state", "password", "unreadable"]
    cookies: int = 0
    places: tuple[str, ...] = ()


def vault(home: Path) -> Vault:
    """The vault of a home folder."""
    folder = home / "browser"
    return Vault(folder / "vault", Sealer(home), folder / "vault.key")


async def state(home: Path, name: str) -> StorageState:
    """A sealed state; raises ``Misuse`` when there is none of this name."""
    try:
        content = await vault(home).get(name)
        if not _is_state(content):
            raise Misuse(
                f"{name!r} is a user and a password, not the state of a browser",
                hint="`ouro browser logins list` shows which is which",
            )
        return decoded(content)
    except BrowserFailed as failed:
        hint = failed.hint or "`ouro browser logins list` shows what there is"
        raise Misuse(failed.message, hint=hint) from failed


async def password(home: Path, name: str) -> str:
    """A sealed ``user:password``; empty for a state, which is no answer to a site's question."""
    content = await vault(home).get(name)
    return "" if _is_state(content) else content.decode("utf-8", "replace")


async def listed(home: Path) -> list[Login]:
    """All logins by name."""
    kept = vault(home)
    found: list[Login] = []
    for name in await kept.names():
        try:
            content = await kept.get(name)
            if not _is_state(content):
                found.append(Login(name=name, kind="password"))
                continue
            state = decoded(content)
        except BrowserFailed:
            found.append(Login(name=name, kind="unreadable"))
            continue
        places = tuple(one.origin for one in state.origins)
        found.append(Login(name=name, kind="state", cookies=len(state.cookies), places=places))
    return found


async def add(home: Path, name: str, user: str, password: str) -> None:
    """Seals a user and a password.

    Raises:
        Misuse: Neither may be empty, nor may the user's name have a colon or a brace.
        BrowserFailed: The vault does not take it.
    """
    if not user or not password or ":" in user or user.startswith("{"):
        raise Misuse("a user and a password are needed; the user's name has no ':' and no '{'")
    await vault(home).put(name, f"{user}:{password}".encode("utf-8", "surrogateescape"))


async def remove(home: Path, name: str) -> None:
    """Forgets a login; raises ``Misuse`` when there is none of this name."""
    if name not in await vault(home).names():
        raise Misuse(
            f"there is no login called {name!r}", hint="`ouro browser logins list` shows them"
        )
    await vault(home).remove(name)


def _is_state(content: bytes) -> bool:
    return content.startswith(b"{")
