"""What a session may reach of the web, from settings and policy files, and PDF that is fetched."""

import os
from pathlib import Path

import pytest

from ouroboros.app.config.schema import WrongValue, check
from ouroboros.app.settings import Web
from ouroboros.app.wiring.web import host_rules, read_pdf
from ouroboros.core.errors import ConfigBroken, ToolFailed
from ouroboros.safety.policy.evaluate import Policy
from ouroboros.safety.policy.values import NetworkRule
from tests.cases import every
from tests.unit.app.test_seeds import pdf

pytestmark = pytest.mark.real


@pytest.mark.proves("codex-11")
def test_hosts_of_settings_and_of_policy_files_are_one_list() -> None:
    policy = Policy(
        network=[
            NetworkRule(host="api.example", protocol="https", decision="allow"),
            NetworkRule(host="evil.example", protocol="https", decision="forbidden"),
            NetworkRule(host="asked.example", protocol="https", decision="prompt"),
        ]
    )
    rules = host_rules(Web(allow=("shop.example",), deny=("ads.example",)), policy)
    hosts = ("shop.example", "api.example", "evil.example", "ads.example", "asked.example")
    assert [rules.standing(host) for host in hosts] == [
        "allowed",
        "allowed",
        "denied",
        "denied",
        "unknown",
    ]
    only = host_rules(Web(allow=("shop.example",), only_allowed=True), policy)
    assert only.standing("asked.example") == "denied"


def test_a_pattern_for_every_host_is_refused_by_name() -> None:
    with pytest.raises(ConfigBroken, match="would allow every host"):
        host_rules(Web(allow=("*",)))


@every("written", ["*", "**", "", " ", "a b", "a@b.example", "example.com/x", "http://"])
def test_what_is_no_host_is_told_as_a_wrong_setting(written: str) -> None:
    with pytest.raises(WrongValue, match="a host such as"):
        check({"web": {"allow": ["example.com", written]}})
    assert not check({"web": {"allow": ["*.a.de", "**.a.de", "[::1]:80", "localhost:3000"]}})[1]


@pytest.mark.deep
@pytest.mark.proves("D16")
async def test_the_text_of_a_pdf_is_read_by_a_program_of_its_own(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    assert await read_pdf(pdf("one", "two"), environment=environment) == (
        "[page 1]\none\n\n[page 2]\ntwo"
    )
    with pytest.raises(ToolFailed, match="cannot be found"):
        await read_pdf(b"%PDF-1.4\nnothing", environment=environment)
