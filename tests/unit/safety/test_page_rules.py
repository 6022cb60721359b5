"""Rules about what is done in a browser."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Decision, Intent, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every

SHOP = "https://shop.example/cart"
MODES: tuple[Mode, ...] = ("plan", "ask", "auto-edit", "full-auto")


def decide(
    intent: Intent, *written: tuple[str, str], mode: Mode = "ask", granted: tuple[str, ...] = ()
) -> Decision:
    rules = Rules([parse_rule(*rule) for rule in written], Places(roots=(Path("/ws"),)), canonical)
    return rules.decide(intent, mode=mode, granted=granted)


def act(kind: str = "act", tool: str = "click", url: str = SHOP, risk: str = "") -> Intent:
    return Intent(tool=tool, kind=kind, url=url, risk=risk)


@every(
    ("kind", "said"),
    [
        ("look", ("allow", "allow", "allow", "allow")),
        ("act", ("deny", "allow", "allow", "allow")),
        ("risk", ("deny", "ask", "ask", "allow")),
        ("origin", ("deny", "ask", "ask", "ask")),
    ],
)
def test_what_the_modes_say_of_a_page(kind: str, said: tuple[str, ...]):
    assert tuple(decide(act(kind), mode=mode).outcome for mode in MODES) == said


@pytest.mark.proves("C14")
@every(
    ("outcome", "rule", "intent", "said"),
    [
        ("deny", "click", act(), "deny"),
        ("deny", "Click", act(), "deny"),
        ("deny", "waitForLoad", act("look", "waitForLoad"), "deny"),
        ("deny", "wait_for_load", act("look", "waitForLoad"), "deny"),
        ("deny", "click", act(tool="hover"), "allow"),
        ("deny", "browser", act("look", "getText"), "deny"),
        ("deny", "browser(domain:example)", act(), "deny"),
        ("deny", "browser(domain:other.example)", act(), "allow"),
        ("deny", "navigate(https://shop.example/*)", act(tool="navigate"), "deny"),
        (
            "deny",
            "navigate(https://shop.example/*)",
            act(tool="navigate", url="https://shop.example.evil.com/"),
            "allow",
        ),
        ("deny", "*", act(), "deny"),
        ("ask", "type(https://shop.example/*)", act(tool="type"), "ask"),
        ("allow", "submit", act("risk", risk="submit"), "allow"),
        ("allow", "submit", act("risk", risk="payment"), "ask"),
        ("allow", "crossSitePost", act("risk", risk="cross-site-post"), "allow"),
        ("allow", "click(domain:shop.example)", act("risk", risk="submit"), "allow"),
        ("allow", "click(domain:other.example)", act("risk", risk="submit"), "ask"),
        ("allow", "browser(domain:shop.example)", act("origin", "openTab"), "allow"),
        ("allow", "navigate(https://shop.example/*)", act("origin", "navigate"), "allow"),
        ("allow", "browser(domain:other.example)", act("origin", "navigate"), "ask"),
        ("allow", "browser", act("origin", "navigate"), "ask"),
        ("allow", "navigate", act("origin", "navigate"), "ask"),
        ("allow", "*", act("origin", "navigate"), "ask"),
        ("allow", "read", act("origin", "navigate"), "ask"),
    ],
)
def test_rules_of_pages(outcome: str, rule: str, intent: Intent, said: str):
    assert decide(intent, (outcome, rule)).outcome == said


def test_a_deny_wins_over_an_allow_and_a_grant():
    said = decide(
        act("origin"),
        ("allow", "browser(domain:shop.example)"),
        ("deny", "browser(domain:example)"),
        granted=("browser(https://shop.example/*)",),
    )
    assert said.outcome == "deny"


@pytest.mark.proves("C14")
def test_a_yes_for_the_session_is_for_this_origin():
    asked = decide(act("origin", "navigate"), mode="full-auto")
    assert asked.grant == "browser(https://shop.example/*)"
    granted = (asked.grant,)
    assert decide(act("origin", "openTab"), granted=granted).outcome == "allow"
    for other in ("http://shop.example/", "https://shop.example:8443/", "https://x.shop.example/"):
        assert decide(act("origin", "openTab", other), granted=granted).outcome == "ask"


def test_a_yes_to_a_risk_is_for_this_risk_at_this_origin():
    asked = decide(act("risk", risk="submit"))
    assert asked.grant == "submit(https://shop.example/*)"
    granted = (asked.grant,)
    assert decide(act("risk", risk="submit"), granted=granted).outcome == "allow"
    assert decide(act("risk", risk="payment"), granted=granted).outcome == "ask"
    elsewhere = act("risk", url="https://evil.example/", risk="submit")
    assert decide(elsewhere, granted=granted).outcome == "ask"


def test_what_has_no_origin_cannot_be_remembered():
    assert decide(act("origin", url="data:text/html,x")).grant == ""
