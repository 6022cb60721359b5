"""Cookies of a tab's browser context."""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct, to_builtins

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import CallRefused, CannotAct
from ouroboros.browser.tabs import Tab

type SameSite = Literal["Strict", "Lax", "None"]


class Cookie(Struct, frozen=True, kw_only=True, rename="camel"):
    """One cookie, in the shape that Playwright's storage state has.

    Attributes:
        expires: Seconds since the epoch; -1 ends with the browser.
    """

    name: str
    value: str
    domain: str = ""
    path: str = "/"
    expires: float = -1
    http_only: bool = False
    secure: bool = False
    same_site: SameSite = "Lax"


class _Cookies(Struct, frozen=True):
    cookies: tuple[Cookie, ...] = ()


async def get_cookies(tab: Tab, urls: Sequence[str] = ()) -> tuple[Cookie, ...]:
    """The cookies that a tab's page and its frames would send, or those for ``urls``; HttpOnly ones as well."""
    params: dict[str, Any] = {"urls": list(urls)} if urls else {}
    return (await tab.ask(_Cookies, "Network.getCookies", params)).cookies


async def set_cookie(tab: Tab, cookie: Cookie, *, url: str = "") -> None:
    """Sets a cookie for ``url``, for its domain, or for the tab's page.

    Raises:
        CannotAct: The browser does not take such a cookie.
    """
    params = {name: value for name, value in to_builtins(cookie).items() if value != ""}
    if cookie.expires < 0:
        params.pop("expires", None)
    if not cookie.domain:
        params["url"] = url or tab.url
    try:
        await tab.call("Network.setCookie", params)
    except CallRefused as refused:
        raise CannotAct(f"the cookie {cookie.name!r} was not taken: {refused}") from refused


async def delete_cookies(tab: Tab, name: str, *, url: str = "") -> None:
    """Deletes the cookies of this name that a page would send."""
    await tab.call("Network.deleteCookies", {"name": name, "url": url or tab.url})


async def all_cookies(connection: Connection, context: str = "") -> tuple[Cookie, ...]:
    """Every cookie of a browser context."""
    params = {"browserContextId": context} if context else {}
    return (await connection.ask(_Cookies, "Storage.getCookies", params)).cookies


async def put_cookies(connection: Connection, cookies: Sequence[Cookie], context: str = "") -> None:
    """Puts cookies into a browser context.

    Raises:
        CannotAct: It does not take one of them; then none was set.
    """
    params: dict[str, Any] = {"browserContextId": context} if context else {}
    params["cookies"] = [
        {k: v for k, v in to_builtins(cookie).items() if not (k == "expires" and v < 0)}
        for cookie in cookies
    ]
    try:
        await connection.call("Storage.setCookies", params)
    except CallRefused as refused:
        raise CannotAct(f"the cookies were not taken: {refused}") from refused
