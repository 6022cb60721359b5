"""No spelling of an address passes for another place; ordinary ones pass without a question."""

from collections.abc import Iterable

import pytest

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.network import Judgement, judge_url
from ouroboros.safety.network.hosts import pattern
from tests.cases import every
from tests.unit.safety.network import url_cases as cases


def judged_otherwise(urls: Iterable[str], decision: str) -> dict[str, Judgement]:
    """Which of them are not judged so, or not with a reason where they do not pass."""
    found = {url: judge_url(url) for url in urls}
    return {
        url: judged
        for url, judged in found.items()
        if judged.decision != decision or not (judged.reason or decision == "allow")
    }


@pytest.mark.proves("G07")
def test_a_public_address_is_allowed() -> None:
    assert judged_otherwise(cases.PUBLIC, "allow") == {}


@pytest.mark.proves("G07")
def test_an_address_of_this_machine_or_network_is_denied() -> None:
    assert judged_otherwise([*cases.THIS_MACHINE, *cases.LOCAL_NETWORK], "deny") == {}


@pytest.mark.proves("G07")
def test_what_programs_read_differently_or_not_as_the_web_is_denied() -> None:
    assert judged_otherwise([*cases.CONFUSED, *cases.SCHEMES, *cases.PORTS], "deny") == {}


@pytest.mark.proves("G07")
def test_what_may_be_meant_and_may_mislead_is_asked() -> None:
    assert judged_otherwise(cases.ASKED, "ask") == {}


@pytest.mark.proves("G07")
@every(
    ("resolved", "decision"),
    [
        (["93.184.216.34"], "allow"),
        (["2606:4700::1111", "93.184.216.34"], "allow"),
        (["127.0.0.1"], "deny"),
        (["93.184.216.34", "127.0.0.1"], "deny"),
        (["93.184.216.34", "10.0.0.1"], "deny"),
        (["::1"], "deny"),
        (["::ffff:10.0.0.1"], "deny"),
        (["fe80::1%eth0"], "deny"),
        (["169.254.169.254"], "deny"),
        (["168.63.129.16"], "deny"),
        (["fd00:ec2::254"], "deny"),
        (["0.0.0.0"], "deny"),
        (["64:ff9b::a00:1"], "deny"),
        (["127.1"], "deny"),
        (["0x7f000001"], "deny"),
        (["localhost"], "deny"),
        (["not an address"], "deny"),
        ([""], "deny"),
    ],
)
def test_each_address_of_a_name_is_judged(resolved: list[str], decision: str) -> None:
    assert judge_url("https://example.com/", resolves_to=resolved).decision == decision


@pytest.mark.proves("G07")
@every(
    ("chain", "decision"),
    [
        ([], "allow"),
        (["https://www.example.com/"], "allow"),
        (["/login", "home?x=1"], "allow"),
        (["//cdn.example.com/x"], "allow"),
        (["https://other.example/"], "allow"),
        (["http://127.0.0.1/"], "deny"),
        (["https://a.example/", "https://b.example/", "http://169.254.169.254/"], "deny"),
        (["http://169.254.169.254/", "https://a.example/"], "deny"),
        (["//localhost/"], "deny"),
        (["//127.1/x"], "deny"),
        (["\\\\127.0.0.1/"], "deny"),
        (["/\\127.0.0.1/"], "deny"),
        (["///127.0.0.1/"], "deny"),
        (["file:///etc/passwd"], "deny"),
        (["data:text/html,x"], "deny"),
        (["javascript:alert(1)"], "deny"),
        (["gopher://127.0.0.1:6379/_X"], "deny"),
        (["http:127.0.0.1"], "deny"),
        ([""], "deny"),
        (["https://[::1]/"], "deny"),
        (["https://2130706433/"], "deny"),
        (["http://example.com/"], "ask"),
        (["https://b.example/", "http://b.example/"], "ask"),
        (["https://user:pw@other.example/"], "ask"),
        ([f"https://a.example/{number}" for number in range(30)], "deny"),
    ],
)
def test_each_hop_of_a_redirect_is_judged(chain: list[str], decision: str) -> None:
    assert judge_url("https://example.com/a/b", redirect_chain=chain).decision == decision


@pytest.mark.proves("codex-11")
@every(
    ("url", "listed", "decision"),
    [
        ("https://example.com/", ["example.com"], "allow"),
        ("https://EXAMPLE.com./", ["example.com"], "allow"),
        ("https://example.com/", ["Example.COM."], "allow"),
        ("https://sub.example.com/", ["example.com"], "deny"),
        ("https://sub.example.com/", ["*.example.com"], "allow"),
        ("https://a.b.example.com/", ["*.example.com"], "allow"),
        ("https://example.com/", ["*.example.com"], "deny"),
        ("https://example.com/", ["**.example.com"], "allow"),
        ("https://sub.example.com/", ["**.example.com"], "allow"),
        ("https://evilexample.com/", ["**.example.com"], "deny"),
        ("https://example.com.evil.example/", ["**.example.com"], "deny"),
        ("https://evil.example/example.com", ["example.com"], "deny"),
        ("https://example.com@evil.example/", ["example.com"], "deny"),
        ("https://evil.example#example.com", ["example.com"], "deny"),
        ("https://evil.example/?example.com", ["example.com"], "deny"),
        ("https://example.com/", [], "deny"),
        ("https://other.example/", ["example.com"], "deny"),
        ("https://example.com:8443/", ["example.com:8443"], "allow"),
        ("https://example.com/", ["example.com:8443"], "deny"),
        ("https://example.com/", ["https://example.com"], "allow"),
        ("http://example.com/", ["https://example.com"], "deny"),
        ("http://127.0.0.1:8000/", ["127.0.0.1"], "allow"),
        ("http://127.0.0.1:8000/", ["127.0.0.1:8000"], "allow"),
        ("http://127.0.0.1:8001/", ["127.0.0.1:8000"], "deny"),
        ("http://127.0.0.2/", ["127.0.0.1"], "deny"),
        ("http://localhost:3000/", ["localhost"], "allow"),
        ("http://127.0.0.1/", ["localhost"], "deny"),
        ("http://a.app.localhost/", ["*.app.localhost"], "deny"),
        ("http://[::1]/", ["::1"], "allow"),
        ("http://10.0.0.1/", ["*.0.0.1", "example.com"], "deny"),
        ("http://127.0.0.1.nip.io/", ["*.nip.io"], "deny"),
        ("http://printer.local/", ["*.local"], "deny"),
        ("http://metadata.google.internal/", ["metadata.google.internal"], "deny"),
        ("https://m\u00fcnchen.de/", ["m\u00fcnchen.de"], "allow"),
        ("https://xn--mnchen-3ya.de/", ["m\u00fcnchen.de"], "allow"),
        ("https://g\u043eogle.com/", ["google.com"], "deny"),
        ("https://xn--80ak6aa92e.com/", ["xn--80ak6aa92e.com"], "allow"),
    ],
)
def test_a_list_of_hosts_names_exactly_those(url: str, listed: list[str], decision: str) -> None:
    judged = judge_url(url, allow_list=listed)
    assert judged.decision == decision, judged.reason


def test_a_hop_is_measured_by_the_one_before_it() -> None:
    there_and_back = ["https://example.com/", "http://example.com/"]
    found = judge_url("http://example.com/", redirect_chain=there_and_back)
    assert (found.decision, "not encrypted" in found.reason) == ("ask", True)


def test_an_endless_address_may_carry_data_away() -> None:
    begin = "https://example.com/?q="
    assert judge_url(begin + "a" * (8_192 - len(begin))).decision == "allow"
    found = judge_url(begin + "a" * 8_192)
    assert (found.decision, "carry data away" in found.reason) == ("ask", True)


@pytest.mark.proves("codex-11")
def test_a_list_holds_for_each_hop_and_each_address() -> None:
    listed = ["example.com", "*.example.com"]
    hops = ["https://www.example.com/", "https://evil.example/"]
    assert (
        judge_url("https://example.com/", redirect_chain=hops[:1], allow_list=listed).decision
        == "allow"
    )
    assert (
        judge_url("https://example.com/", redirect_chain=hops, allow_list=listed).decision == "deny"
    )
    rebound = judge_url("https://example.com/", resolves_to=["10.0.0.1"], allow_list=listed)
    assert rebound.decision == "deny"
    meant = judge_url("http://localhost/", resolves_to=["127.0.0.1"], allow_list=["localhost"])
    assert meant.decision == "allow"
    listed_too = judge_url(
        "http://dev.example/", resolves_to=["10.0.0.1"], allow_list=["dev.example", "10.0.0.1"]
    )
    assert listed_too.decision == "allow"


@pytest.mark.proves("codex-11")
@every("written", ["*", "**", "*.", "*.com", "", " ", "a@b.example", "a b", "http://*", "a/*"])
def test_a_pattern_that_names_no_host_or_all_is_refused(written: str) -> None:
    with pytest.raises(ConfigBroken):
        pattern(written)
    judged = judge_url("https://example.com/", allow_list=[written, "example.com"])
    assert judged.decision == "deny"
    assert "cannot be used" in judged.reason


def test_there_are_as_many_cases_as_promised() -> None:
    count = sum(
        map(
            len,
            (
                cases.PUBLIC,
                cases.THIS_MACHINE,
                cases.LOCAL_NETWORK,
                cases.CONFUSED,
                cases.SCHEMES,
                cases.ASKED,
            ),
        )
    )
    assert count >= 300
