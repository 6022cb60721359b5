"""Which places a policy allows, which addresses code may open, and whose doing a request is."""

import pytest

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.guard.policy import AllowList, Asked, Together, check_address
from ouroboros.browser.guard.touched import GRACE_SECONDS, Touches
from tests.cases import every

SHOP, EVIL, CDN = "https://shop.example", "https://evil.example", "https://cdn.example"


@pytest.mark.proves("C16")
@every(
    "url, allowed",
    [
        ("https://shop.example/x", True),
        ("https://a.shop.example/x", True),
        ("wss://shop.example/x", True),
        ("https://SHOP.example./x", True),
        ("https://shop.example.evil.com/", False),
        ("https://notshop.example/", False),
        ("https://shop.example@evil.com/", False),
        ("https:\\\\evil.com\\shop.example", False),
        ("https://evil.com/?shop.example", False),
        ("http://127.0.0.1:8080/", True),
        ("http://2130706433:8080/", True),
        ("http://0x7f.1:8080/", True),
        ("http://[::ffff:127.0.0.1]:8080/", True),
        ("http://127.0.0.1:9090/", False),
        ("https://xn--bcher-kva.example/", True),
        ("not an address", False),
        ("file:///etc/passwd", False),
    ],
)
async def test_an_allow_list_names_hosts_and_not_texts(url: str, allowed: bool) -> None:
    policy = AllowList(["shop.example", "127.0.0.1:8080", "bücher.example"])
    assert (await policy.judge(Asked(url=url))).allowed is allowed


@pytest.mark.proves("C16")
async def test_blocked_wins_and_an_empty_list_wants_to_know_nothing() -> None:
    policy = AllowList(["*"], ["ads.example"])
    assert (await policy.judge(Asked(url="https://x.example"))).allowed
    verdict = await policy.judge(Asked(url="https://a.ads.example"))
    assert "blocked by the settings" in verdict.reason
    assert AllowList().reach == "nothing"
    assert AllowList((), ["ads.example"]).reach == "everything"
    both = Together(AllowList(), policy)
    assert both.reach == "everything"
    assert not (await both.judge(Asked(url="https://ads.example"))).allowed
    with pytest.raises(ValueError, match="names no place"):
        AllowList(["http://"])


@every("url", ["https://a.example", "http://localhost:80", "about:blank", "data:text/html,x"])
def test_pages_may_be_opened(url: str) -> None:
    assert check_address(url) == url


@pytest.mark.proves("C16")
@every(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        " \tfi\nle:///etc/passwd",
        "chrome://settings",
        "devtools://x",
        "view-source:https://a.example",
        "javascript:alert(1)",
        "about:config",
        "chrome-extension://x/y",
        "a.example",
        "https://",
    ],
)
def test_other_addresses_may_not(url: str) -> None:
    with pytest.raises(CannotAct):
        check_address(url)
    assert check_address("file:///x", more=["file"]) == "file:///x"


def _shown() -> Touches:
    touches = Touches()
    touches.shows("tab_0", "L1", f"{SHOP}/a", 0.0)
    return touches


def test_a_page_is_touched_until_it_is_left_and_its_origin_for_good() -> None:
    touches = _shown()
    assert not touches.is_touched("tab_0", SHOP, SHOP, 1.0)
    touches.touch("tab_0", f"{SHOP}/a")
    assert touches.is_touched("tab_0", SHOP, SHOP, 1.0)
    assert touches.is_touched("tab_1", SHOP, SHOP, 1.0)
    touches.shows("tab_0", "L2", f"{CDN}/b", 10.0)
    assert not touches.is_touched("tab_0", CDN, f"{CDN}/b", 11.0)
    assert touches.is_touched("tab_0", SHOP, SHOP, 11.0)


def test_a_late_request_of_the_page_before_is_not_its_successors() -> None:
    touches = _shown()
    touches.touch("tab_0", f"{SHOP}/a")
    touches.shows("tab_0", "L2", f"{CDN}/b", 10.0)
    assert touches.is_touched("tab_0", CDN, "", 11.0)
    assert touches.is_touched("tab_0", CDN, f"{SHOP}/a", 11.0)
    assert not touches.is_touched("tab_0", CDN, "", 11.0 + GRACE_SECONDS)


def test_a_popup_of_a_touched_page_is_touched_until_it_shows_something_else() -> None:
    touches = _shown()
    touches.touch("tab_0", f"{SHOP}/a")
    touches.inherit("tab_1", "tab_0")
    assert touches.is_touched("tab_1", "", "", 1.0)
    touches.inherit("tab_2", "tab_9")
    assert not touches.is_touched("tab_2", "", "", 1.0)


def test_what_a_page_asked_by_itself_is_remembered_for_that_page() -> None:
    touches = _shown()
    touches.note("tab_0", CDN)
    assert touches.has_asked("tab_0", CDN)
    assert not touches.has_asked("tab_0", EVIL)
    touches.shows("tab_0", "L2", f"{SHOP}/b", 1.0)
    assert not touches.has_asked("tab_0", CDN)
