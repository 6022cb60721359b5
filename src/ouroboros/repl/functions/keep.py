"""Page functions for pictures, PDFs, cookies, storage, logs, and calls that have no name of their own."""

from typing import Any, Literal

import msgspec

from ouroboros.browser.capture.paper import print_to_pdf
from ouroboros.browser.capture.screenshots import Clip
from ouroboros.browser.capture.viewport import reset_viewport, set_viewport
from ouroboros.browser.errors import CannotAct
from ouroboros.browser.storage import cookies, web
from ouroboros.browser.tab import TabFacts
from ouroboros.repl.functions.function import Spec
from ouroboros.repl.functions.pages import InTab, Pages, answer, done, part
from ouroboros.repl.functions.protocol import refused
from ouroboros.safety.origins import address
from ouroboros.tools.tool import Result, ToolContext


class Shot(InTab, frozen=True, kw_only=True):
    """``screenshot``; ``clip`` is in CSS pixels of the page."""

    full_page: bool = msgspec.field(name="fullPage", default=False)
    clip: Clip | None = None
    format: Literal["png", "jpeg", "webp"] = "png"
    quality: int = 80
    name: str = ""


class Print(InTab, frozen=True, kw_only=True):
    """``pdf``; ``pages`` is such as ``1-3, 5``."""

    landscape: bool = False
    background: bool = True
    pages: str = ""
    name: str = ""


class Size(InTab, frozen=True, kw_only=True):
    """``setViewport``; without a size that of the window."""

    width: int = 0
    height: int = 0
    scale: float = 1.0
    mobile: bool = False


class Urls(InTab, frozen=True, kw_only=True):
    """``getCookies``."""

    urls: tuple[str, ...] = ()


class SetCookie(InTab, frozen=True, kw_only=True):
    """``setCookie``; for the page's address when no other is named."""

    name: str
    value: str
    url: str = ""
    domain: str = ""
    path: str = "/"
    expires: float = -1
    http_only: bool = msgspec.field(name="httpOnly", default=False)
    secure: bool = False
    same_site: cookies.SameSite = msgspec.field(name="sameSite", default="Lax")


class Area(InTab, frozen=True, kw_only=True):
    """``getStorage``."""

    area: Literal["local", "session"] = "local"
    origin: str = ""


class SetStorage(InTab, frozen=True, kw_only=True):
    """``setStorage``; null removes the key."""

    key: str
    value: str | None = None
    area: Literal["local", "session"] = "local"
    origin: str = ""


class Body(InTab, frozen=True, kw_only=True):
    """``networkBody``."""

    id: str


class Cdp(InTab, frozen=True, kw_only=True):
    """``cdp``."""

    method: str
    params: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


async def screenshot(pages: Pages, wish: Shot, context: ToolContext) -> Result:
    """Keeps a picture; code gets its handle, not its bytes."""
    del context
    kept = await part(pages.parts.screenshots, "screenshots").take(
        await pages.tab(wish.tab),
        full_page=wish.full_page,
        clip=wish.clip,
        format=wish.format,
        quality=wish.quality,
        name=wish.name,
    )
    return done(f"kept {kept.name}, {kept.bytes} bytes", kept)


async def pdf(pages: Pages, wish: Print, context: ToolContext) -> Result:
    """Keeps the page as PDF."""
    del context
    kept = await print_to_pdf(
        await pages.tab(wish.tab),
        part(pages.parts.artifacts, "artifacts"),
        landscape=wish.landscape,
        background=wish.background,
        pages=wish.pages,
        name=wish.name,
    )
    return done(f"kept {kept.name}, {kept.bytes} bytes", kept)


async def viewport(pages: Pages, wish: Size, context: ToolContext) -> Result:
    """Gives the page another size."""
    del context
    tab = await pages.tab(wish.tab)
    if not wish.width and not wish.height:
        await reset_viewport(tab)
        return done(f"{wish.tab} has the size of its window")
    await set_viewport(tab, wish.width, wish.height, scale=wish.scale, mobile=wish.mobile)
    return done(f"{wish.tab} is {wish.width} by {wish.height}")


async def get_cookies(pages: Pages, wish: Urls, context: ToolContext) -> Result:
    """Cookies of the page, or of other addresses; those of another host are as good as a look at it."""
    tab = await pages.tab(wish.tab)
    own = address(tab.url)
    for url in wish.urls:
        read = address(url)
        if own is None or read is None or read.host != own.host:
            await pages.opening(url, context.admit)
            await pages.watch.looked(TabFacts(id=tab.id, url=url))
    found = await cookies.get_cookies(tab, wish.urls or (tab.url,))
    return answer(msgspec.json.encode(found), f"{len(found)} cookies")


async def set_cookie(pages: Pages, wish: SetCookie, context: ToolContext) -> Result:
    """Sets one cookie; for another site than the page's it is as good as a request to there."""
    cookie = cookies.Cookie(
        name=wish.name,
        value=wish.value,
        domain=wish.domain,
        path=wish.path,
        expires=wish.expires,
        http_only=wish.http_only,
        secure=wish.secure,
        same_site=wish.same_site,
    )
    tab = await pages.tab(wish.tab)
    place = _cookie_place(wish, tab.url)
    if place:
        await pages.opening(place, context.admit)
    await cookies.set_cookie(tab, cookie, url=wish.url)
    return done(f"set a cookie in {wish.tab}")


def _cookie_place(wish: SetCookie, page: str) -> str:
    """The address that a cookie is for, when it is not the page's own host or one above it."""
    host = wish.domain.strip().lstrip(".").lower()
    place = f"https://{host}/" if host else wish.url
    read, own = address(place), address(page)
    if not place or (read and own and f".{own.host}".endswith(f".{read.host}")):
        return ""
    return place


async def get_storage(pages: Pages, wish: Area, context: ToolContext) -> Result:
    """What the page's origin keeps."""
    del context
    found = await web.get_storage(await pages.tab(wish.tab), wish.area, origin=wish.origin)
    return answer(web.as_json(found), f"{wish.area} storage of {wish.tab}")


async def set_storage(pages: Pages, wish: SetStorage, context: ToolContext) -> Result:
    """Sets or removes one key."""
    del context
    tab = await pages.tab(wish.tab)
    await web.set_storage(tab, wish.key, wish.value, wish.area, origin=wish.origin)
    return done(f"wrote {wish.area} storage of {wish.tab}")


async def requests(pages: Pages, wish: InTab, context: ToolContext) -> Result:
    """What the tab has asked the network for."""
    del context
    found = part(pages.parts.network, "network logs").of((await pages.tab(wish.tab)).id)
    return answer(msgspec.json.encode(found), f"{len(found)} requests of {wish.tab}")


async def body(pages: Pages, wish: Body, context: ToolContext) -> Result:
    """The body of one answer, as text."""
    del context
    tab = await pages.tab(wish.tab)
    found = await part(pages.parts.network, "network logs").body(tab, wish.id)
    return answer(msgspec.json.encode(found.decode("utf-8", "replace")), f"a body of {wish.tab}")


async def messages(pages: Pages, wish: InTab, context: ToolContext) -> Result:
    """What the page has said to its console, and what the browser says of it."""
    del context
    found = part(pages.parts.console, "console logs").of((await pages.tab(wish.tab)).id)
    return answer(msgspec.json.encode(found), f"{len(found)} messages of {wish.tab}")


async def cdp(pages: Pages, wish: Cdp, context: ToolContext) -> Result:
    """One call of the DevTools protocol."""
    del context
    tab = await pages.tab(wish.tab)
    if reason := refused(wish.method, wish.params, tab.url):
        raise CannotAct(reason)
    await pages.parts.touch(tab.id, "")
    value = await tab.call(wish.method, wish.params)
    return answer(bytes(value), wish.method)


_ARTIFACT = "{id, name, path, bytes, sha256, mime}"

SPECS = (
    Spec(
        name="screenshot",
        usage="screenshot(tab, {fullPage?, clip?, format?}): " + _ARTIFACT,
        arguments=Shot,
        work=screenshot,
    ),
    Spec(name="pdf", usage="pdf(tab, {landscape?, pages?}): same", arguments=Print, work=pdf),
    Spec(
        name="setViewport",
        usage="setViewport(tab, width?, height?)",
        arguments=Size,
        work=viewport,
        kind="act",
        reads=False,
    ),
    Spec(
        name="getCookies",
        usage="getCookies(tab, urls?): [{name, value, domain...}]",
        arguments=Urls,
        work=get_cookies,
    ),
    Spec(
        name="setCookie",
        usage="setCookie(tab, {name, value, url?...})",
        arguments=SetCookie,
        work=set_cookie,
        kind="act",
        reads=False,
        says=lambda wish: f"Set the cookie {wish.name[:40]} in {wish.tab}",
    ),
    Spec(
        name="getStorage",
        usage="getStorage(tab, 'local'|'session'): {key: value}",
        arguments=Area,
        work=get_storage,
    ),
    Spec(
        name="setStorage",
        usage="setStorage(tab, key, value|null, 'local'|'session')",
        arguments=SetStorage,
        work=set_storage,
        kind="act",
        reads=False,
        says=lambda wish: f"Write {wish.key[:40]} to the {wish.area} storage of {wish.tab}",
    ),
    Spec(
        name="networkRequests",
        usage="networkRequests(tab): [{id, url, method, type, status, mime, bytes, error}]",
        arguments=InTab,
        work=requests,
    ),
    Spec(name="networkBody", usage="networkBody(tab, id): string", arguments=Body, work=body),
    Spec(
        name="consoleMessages",
        usage="consoleMessages(tab): [{level, source, text, url, line}]",
        arguments=InTab,
        work=messages,
    ),
    Spec(
        name="cdp",
        usage="cdp(tab, method, params?): result",
        arguments=Cdp,
        work=cdp,
        kind="risk",
        description="Any other DevTools call to the page; asks first.",
        says=lambda wish: f"Call {wish.method[:60]} of {wish.tab} directly",
        risk="cdp",
    ),
)
