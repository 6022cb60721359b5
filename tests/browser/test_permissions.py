"""Questions of the browser that nobody is there to answer: permissions, passwords, windows for printing."""

from base64 import b64decode
from pathlib import Path

import pytest

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.guard.policy import AllowList
from ouroboros.browser.guard.requests import Guard
from ouroboros.browser.log.console import ConsoleLog
from ouroboros.browser.log.network import NetworkLog
from ouroboros.browser.prompts.permissions import Permissions
from ouroboros.browser.sites import Sites
from ouroboros.browser.storage.vault import Vault
from ouroboros.safety.sealed import Sealer
from tests.browser.chromium import Chromium
from tests.browser.settling import until
from tests.browser.site import Asked, Reply
from tests.browser.stage import Stage, loaded, read, staged

_LOCATE = "await new Promise(r => navigator.geolocation.getCurrentPosition(() => r('got'), e => r('code ' + e.code)))"
_STATES = "(await Promise.all(['geolocation','notifications','camera','microphone','clipboard-read'].map(n => navigator.permissions.query({name: n})))).map(s => s.state).join()"


@pytest.mark.deep
@pytest.mark.proves("C18")
async def test_a_page_gets_nothing_of_the_machine_and_nothing_hangs(stage: Stage) -> None:
    await Permissions().begin(stage.connection, stage.tabs)
    tab = await stage.open(stage.site.url("x", 1))
    assert await read(tab, _STATES) == ",".join(["denied"] * 5)
    assert await read(tab, _LOCATE) == "code 1"
    assert await read(tab, "await Notification.requestPermission()") == "denied"
    assert await read(
        tab, "await navigator.mediaDevices.getUserMedia({video: true}).catch(e => e.name)"
    ) in {"NotAllowedError", "NotFoundError"}


@pytest.mark.deep
async def test_a_granted_site_may_and_another_may_not(stage: Stage) -> None:
    place = stage.site.origin(1)
    await Permissions({place: ["geolocation"]}).begin(stage.connection, stage.tabs)
    tab = await stage.open(f"{place}/x")
    assert (await read(tab, _STATES)).startswith("granted")
    other = await stage.open(stage.site.url("x", 2))
    assert (await read(other, _STATES)).startswith("denied")


@pytest.mark.proves("C18")
@pytest.mark.deep
async def test_printing_and_windows_hang_nothing(stage: Stage) -> None:
    tab = await stage.show("<title>x</title>")
    assert await read(tab, "print(); 'went on'") == "went on"
    assert await read(
        tab, "await document.body.requestFullscreen().then(() => 'yes', () => 'no')"
    ) in {"yes", "no"}
    assert await read(tab, "location.href = 'mailto:a@b.example'; 'went on'") == "went on"
    assert await read(tab, "document.title") == "x"


def _locked(asked: Asked) -> Reply:
    given = asked.headers.get("authorization", "")
    if given.startswith("Basic ") and b64decode(given[6:]) == b"ann:pass word":
        return Reply("<title>in</title>")
    challenge = (("www-authenticate", 'Basic realm="r"'),)
    return Reply("<title>locked</title>", status=401, headers=challenge)


@pytest.mark.deep
@pytest.mark.proves("C18")
async def test_a_password_is_given_by_reference_once_or_the_page_is_locked(stage: Stage) -> None:
    asked: list[str] = []
    words: tuple[str, str] | None = None

    async def credentials(origin: str) -> tuple[str, str] | None:
        asked.append(origin)
        return words

    guard = Guard(AllowList(), lambda event: None, credentials=credentials)
    await guard.begin(stage.connection, stage.tabs)
    tab = await stage.open()
    for words, title, requests in (
        (None, "locked", 1),
        (("ann", "wrong"), "locked", 2),
        (("ann", "pass word"), "in", 2),
    ):
        asked.clear()
        stage.site.requests.clear()
        await stage.show(_locked, path="locked", tab=tab)
        assert await read(tab, "document.title") == title, words
        assert asked == [stage.site.origin()], words
        assert stage.site.paths().count("/locked") == requests, words


@pytest.mark.proves("browser-what-was-settled-on-the-way")
@pytest.mark.deep
async def test_a_place_that_gets_a_password_later_is_answered_in_tabs_that_are_open(
    stage: Stage,
) -> None:
    has_place = False

    async def credentials(origin: str) -> tuple[str, str] | None:
        return ("ann", "pass word")

    guard = Guard(
        AllowList(blocked=["elsewhere.example"]),
        lambda event: None,
        credentials=credentials,
        locked=lambda: has_place,
    )
    await guard.begin(stage.connection, stage.tabs)
    tab, address = await stage.open(), stage.site.put("locked", _locked)
    with pytest.raises(BrowserFailed, match="ERR_INVALID_AUTH_CREDENTIALS") as locked:
        await tab.navigate(address)
    assert "`ouro browser logins add`" in locked.value.hint
    has_place = True
    await guard.enforce()
    await tab.navigate(address)
    await loaded(tab)
    assert await read(tab, "document.title") == "in"


@pytest.mark.deep
async def test_a_password_that_cannot_be_had_locks_the_page_and_ends_no_browser(
    stage: Stage, tmp_path: Path
) -> None:
    vault = Vault(tmp_path / "vault", Sealer(tmp_path), tmp_path / "vault.key")

    async def credentials(origin: str) -> tuple[str, str] | None:
        await vault.get(f"no-such-{len(origin)}")
        return None

    guard = Guard(AllowList(), lambda event: None, credentials=credentials)
    await guard.begin(stage.connection, stage.tabs)
    tab = await stage.open(stage.site.put("locked", _locked))
    assert await read(tab, "document.title") == "locked"


@pytest.mark.deep
@pytest.mark.proves("C12")
async def test_settings_of_a_site_hold_from_its_next_visit_and_after_a_restart(
    stage: Stage, tmp_path: Path
) -> None:
    path = tmp_path / "domains.toml"
    sites = Sites(path)
    await sites.begin(stage.connection, stage.tabs)
    await sites.configure(
        "localhost",
        user_agent="Agent/1",
        width=500,
        height=400,
        locale="de-DE",
        timezone="Asia/Tokyo",
        permissions=["geolocation"],
    )
    again = Sites(path)
    await again.load()
    assert again.sites == sites.sites
    tab = await stage.open()
    address = stage.site.url("x", 1)
    await tab.navigate(address)
    seen = await read(
        tab,
        "[navigator.userAgent, innerWidth, (1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone].join('|')",
    )
    assert seen == "Agent/1|500|1.234,5|Asia/Tokyo"
    assert (await read(tab, _STATES)).startswith("granted")
    await tab.navigate(stage.site.url("x"))
    assert "Agent/1" not in await read(tab, "navigator.userAgent")


@pytest.mark.proves("C12")
@pytest.mark.deep
async def test_settings_of_a_site_hold_again_in_a_browser_that_was_started_anew(
    chromium: Chromium, stage: Stage, tmp_path: Path
) -> None:
    sites = Sites(tmp_path / "domains.toml")
    await sites.begin(stage.connection, stage.tabs)
    await sites.configure("127.0.0.1", user_agent="Agent/1")
    address = stage.site.url("x")
    first = await stage.tabs.open()
    await stage.tabs.tab(first).navigate(address)
    async with staged(chromium, stage.site) as other:
        await sites.begin(other.connection, other.tabs)
        tab = other.tabs.tab(await other.tabs.open())
        assert tab.id == first
        await tab.navigate(address)
        assert await read(tab, "navigator.userAgent") == "Agent/1"


@pytest.mark.proves("C12")
async def test_wrong_settings_of_a_site_are_refused(tmp_path: Path) -> None:
    sites = Sites(tmp_path / "domains.toml")
    wrong: list[tuple[str, dict[str, object]]] = [
        ("not a place", {"zoom": 2}),
        ("a.example", {"colour": "red"}),
        ("a.example", {"permissions": ["all"]}),
        ("a.example", {"credentials": "ann:secret"}),
        ("a.example", {"width": 300}),
        ("a.example", {"zoom": 99}),
    ]
    for place, changes in wrong:
        with pytest.raises(BrowserFailed):
            await sites.configure(place, **changes)
        assert sites.sites == {}, changes


@pytest.mark.deep
@pytest.mark.proves("browser-pdf-logs")
async def test_requests_and_console_are_logged(stage: Stage) -> None:
    network, console = NetworkLog(), ConsoleLog()
    await network.begin(stage.connection, stage.tabs)
    await console.begin(stage.connection, stage.tabs)
    stage.site.put("data", Reply('{"n": 1}', "application/json"))
    tab = await stage.show(
        "<script>console.warn('low', 3, {a: 1}); fetch('/data').then(r => r.json()).then(() => document.title = 'done'); setTimeout(() => { throw new Error('oops') })</script>"
    )
    await until(
        lambda: (
            len(console.of(tab.id)) > 1
            and any(r.bytes and r.mime == "application/json" for r in network.of(tab.id))
        )
    )
    (found,) = [request for request in network.of(tab.id) if request.url.endswith("/data")]
    assert (found.status, found.mime, found.type) == (200, "application/json", "fetch")
    assert await network.body(tab, found.id) == b'{"n": 1}'
    with pytest.raises(BrowserFailed):
        await network.body(tab, "no such request")
    said = [(message.level, message.text) for message in console.of(tab.id)]
    assert ("warning", "low 3 Object") in said
    assert any(level == "error" and "oops" in text for level, text in said)
    await stage.tabs.close(tab.id)
    assert network.of(tab.id) == ()


COMPLAINTS = """<meta http-equiv=Content-Security-Policy content="connect-src 'none'">
<script>
console.error("said http://ann:pass@shop.example/x")
fetch("http://elsewhere.example/x").catch(() => 0)
Promise.reject(new TypeError("nobody caught it"))
</script><img src=/missing.png>"""


@pytest.mark.proves("browser-console")
@pytest.mark.deep
async def test_the_console_holds_what_nobody_caught_and_what_the_browser_complains_of(
    stage: Stage,
) -> None:
    console = ConsoleLog()
    await console.begin(stage.connection, stage.tabs)
    tab = await stage.show(COMPLAINTS)
    sources = {"console", "exception", "network", "security"}
    missing = stage.site.url("missing.png")
    await until(
        lambda: (
            {message.source for message in console.of(tab.id)} >= sources
            and any(message.url == missing for message in console.of(tab.id))
        )
    )
    own = [message for message in console.of(tab.id) if "favicon" not in message.url]
    found = {message.source: message for message in own}
    assert {found[source].level for source in sources} == {"error"}
    assert found["console"].text == "said http://shop.example/x"
    assert "TypeError: nobody caught it" in found["exception"].text
    assert found["network"].url == missing
    assert "404" in found["network"].text
    assert "Content Security Policy" in found["security"].text
    assert "pass@" not in repr(console.of(tab.id))


@pytest.mark.proves("browser-console")
@pytest.mark.deep
async def test_a_page_that_floods_its_console_is_kept_within_bounds(stage: Stage) -> None:
    console = ConsoleLog()
    await console.begin(stage.connection, stage.tabs)
    tab = await stage.show(
        "<script>for (let n = 0; n < 700; n++) console.log('x'.repeat(5000) + n);"
        "console.log('\\ud800 end')</script>"
    )
    await until(lambda: any(message.text.endswith("end") for message in console.of(tab.id)))
    kept = console.of(tab.id)
    assert (len(kept), kept[-1].text) == (500, "\ufffd end")
    assert max(len(message.text) for message in kept) == 2_000
