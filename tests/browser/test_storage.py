"""Cookies, storage and logins that are carried from one browser context to another."""

from pathlib import Path

import msgspec
import pytest

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.storage.cookies import Cookie, delete_cookies, get_cookies, set_cookie
from ouroboros.browser.storage.state import decoded, export_state, import_state
from ouroboros.browser.storage.vault import Vault
from ouroboros.browser.storage.web import get_storage, set_storage
from ouroboros.browser.tabs import opened
from ouroboros.safety.sealed import Sealer
from tests.browser.chromium import Chromium
from tests.browser.site import Asked, Reply
from tests.browser.stage import Stage, read


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


@pytest.mark.deep
@pytest.mark.proves("browser-logins")
async def test_cookies_of_a_page_are_read_and_written(stage: Stage) -> None:
    cookie = (("set-cookie", "sid=abc; HttpOnly; SameSite=Lax"),)
    tab = await stage.show(Reply("<title>x</title>", headers=cookie))
    (found,) = await get_cookies(tab)
    assert (found.name, found.value, found.http_only) == ("sid", "abc", True)
    await set_cookie(tab, Cookie(name="theme", value="dark"))
    assert await read(tab, "document.cookie") == "theme=dark"
    await delete_cookies(tab, "theme")
    assert await read(tab, "document.cookie") == ""
    with pytest.raises(CannotAct):
        await set_cookie(tab, Cookie(name="a;b", value="x", domain="not a domain"))


@pytest.mark.deep
@pytest.mark.proves("browser-logins")
async def test_storage_is_read_and_written_beside_the_scripts(stage: Stage) -> None:
    tab = await stage.show(
        "<script>localStorage.a = 1; sessionStorage.b = 2; Storage.prototype.getItem = 0</script>"
    )
    assert await get_storage(tab) == {"a": "1"}
    assert await get_storage(tab, "session") == {"b": "2"}
    await set_storage(tab, "c", "3")
    await set_storage(tab, "a", None)
    assert await read(tab, "Object.entries(localStorage).join()") == "c,3"
    blank = await stage.open()
    with pytest.raises(CannotAct, match="no storage"):
        await get_storage(blank)


@pytest.mark.proves("browser-logins")
@pytest.mark.deep
async def test_a_login_is_carried_into_another_browser_context(
    stage: Stage, chromium: Chromium, tmp_path: Path
) -> None:
    def page(asked: Asked) -> Reply:
        who = "known" if "sid=abc" in asked.headers.get("cookie", "") else "unknown"
        return Reply(f"<title>{who}</title>")

    address = stage.site.put("home", page)
    stage.site.put(
        "login",
        Reply(
            "<script>localStorage.user = 'ann'</script>",
            headers=(("set-cookie", "sid=abc; HttpOnly"),),
        ),
    )
    async with socket(chromium.url) as channel, opened(channel, own_context=True) as first:
        login = first.tab(await first.open(stage.site.url("login")))
        await login.until(lambda: login.status == "complete", 10, "not loaded")
        state = await export_state(first.connection, first)
    vault = Vault(tmp_path / "vault", Sealer(tmp_path), tmp_path / "vault.key")
    await vault.put("shop", state.encoded())
    sealed = _bytes(tmp_path / "vault" / "shop")
    assert b"abc" not in sealed
    assert b"ann" not in sealed
    state = decoded(await vault.get("shop"))
    shape = msgspec.to_builtins(state)
    assert {"name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite"} <= set(
        shape["cookies"][0]
    )
    assert list(shape["origins"][0]["localStorage"]) == [{"name": "user", "value": "ann"}]
    before = len(stage.site.requests)
    async with socket(chromium.url) as channel, opened(channel, own_context=True) as second:
        await import_state(second.connection, second, state)
        assert len(stage.site.requests) == before
        assert second.all() == ()
        tab = second.tab(await second.open(address))
        await tab.until(lambda: tab.status == "complete", 10, "not loaded")
        assert await read(tab, "[document.title, localStorage.user].join()") == "known,ann"


def test_what_is_no_state_is_refused_without_quoting_it() -> None:
    with pytest.raises(BrowserFailed) as caught:
        decoded(b'{"cookies": [{"name": 1, "value": "secret"}]}')
    assert "secret" not in str(caught.value)
