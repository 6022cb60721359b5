"""Where addresses lead, in every spelling a browser understands."""

import pytest

from ouroboros.safety.origins import origin_of, place
from tests.cases import every


@every(
    ("url", "origin"),
    [
        ("https://shop.example", "https://shop.example"),
        ("HTTPS://Shop.Example./a", "https://shop.example"),
        ("https://shop.example:443/", "https://shop.example"),
        ("http://shop.example:443/", "http://shop.example:443"),
        ("https://good.example@evil.example/", "https://evil.example"),
        ("https://good.example:1@evil.example:2/", "https://evil.example:2"),
        ("https:\\\\evil.example\\@good.example/", "https://evil.example"),
        ("https:evil.example", "https://evil.example"),
        ("https:///evil.example/x", "https://evil.example"),
        (" ht\ntps://evil.example ", "https://evil.example"),
        ("https://evil.example#@good.example/", "https://evil.example"),
        ("https://evil.example?@good.example/", "https://evil.example"),
        ("http://0x7f.1/", "http://127.0.0.1"),
        ("http://2130706433/", "http://127.0.0.1"),
        ("http://0177.0.0.01/", "http://127.0.0.1"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[::ffff:127.0.0.1]/", "http://127.0.0.1"),
        ("https://b\u00fccher.example/", "https://xn--bcher-kva.example"),
        ("https://shop\u3002example/", "https://shop.example"),
        ("https://%65vil.example/", "https://evil.example"),
        ("wss://shop.example/socket", "https://shop.example"),
        ("blob:https://shop.example/1-2", "https://shop.example"),
        ("about:blank", ""),
        ("data:text/html,x", ""),
        ("javascript:alert(1)", ""),
        ("/relative", ""),
        ("https://", ""),
        ("https://ex ample/", ""),
        ("https://a:99999/", ""),
        ("http://1.2.3.4.5/", ""),
        ("http://256.1.1.1/", ""),
        ("http://[::1/", ""),
    ],
)
def test_the_origin_is_where_a_browser_would_go(url: str, origin: str):
    assert origin_of(url) == origin


@pytest.mark.proves("C16")
@every(
    ("pattern", "url", "named"),
    [
        ("shop.example", "https://shop.example/a", True),
        ("shop.example", "https://www.shop.example/a", True),
        ("shop.example", "http://shop.example:8080/", True),
        ("domain:shop.example", "https://shop.example/", True),
        ("shop.example", "https://shop.example.evil.com/", False),
        ("shop.example", "https://evilshop.example/", False),
        ("shop.example", "https://shop.example@evil.com/", False),
        ("*.shop.example", "https://shop.example/", False),
        ("*.shop.example", "https://a.shop.example/", True),
        ("shop.example:8080", "http://shop.example:8080/", True),
        ("shop.example:8080", "http://shop.example/", False),
        ("https://shop.example/*", "https://shop.example/any/thing?q=1", True),
        ("https://shop.example", "https://shop.example/any", True),
        ("https://shop.example/*", "http://shop.example/", False),
        ("https://shop.example/*", "http://shop.example:443/", False),
        ("https://shop.example/*", "https://www.shop.example/", False),
        ("https://shop.example/*", "https://shop.example:444/", False),
        ("https://shop.example/*", "https://shop.example.evil.com/", False),
        ("https://*.shop.example/*", "https://a.shop.example/x", True),
        ("https://shop.example/open/*", "https://shop.example/open/1?a=/b", True),
        ("https://shop.example/open/*", "https://shop.example/open/../closed", False),
        ("https://shop.example/open/*", "https://shop.example/open/%2E%2e/closed", False),
        ("https://shop.example/open/*", "https://shop.example/closed?/open/", False),
        ("b\u00fccher.example", "https://xn--bcher-kva.example/", True),
        ("127.0.0.1", "http://0x7f000001/", True),
        ("127.0.0.1:80", "http://127.0.0.1:81/", False),
        ("0.0.1", "http://127.0.0.1/", False),
        ("[::1]:80", "http://[0:0::1]/", True),
        ("*", "https://anything.example/", True),
        ("*", "about:blank", False),
    ],
)
def test_a_pattern_names_a_place_and_nothing_that_looks_like_it(
    pattern: str, url: str, named: bool
):
    found = place(pattern)
    assert found is not None
    assert found.names(url) is named


@every("pattern", ["", "user@shop.example", "a b", "shop.example:port", "*.*"])
def test_what_names_no_place_is_no_pattern(pattern: str):
    assert place(pattern) is None
