"""Rules and switches with a name that is no tool's: the person is told that they do nothing."""

import pytest

from ouroboros.app.settings import Permissions, Settings, Tools
from ouroboros.app.wiring import toolbox
from tests.cases import every


def said(settings: Settings) -> list[str]:
    return toolbox.strangers(settings, toolbox.registry(settings))


@pytest.mark.proves("E03")
@every("rule", ["shel(rm:*)", "shel"])
def test_a_misspelt_rule_is_told(rule: str) -> None:
    settings = Settings(permissions=Permissions(deny=(rule,)))
    assert said(settings) == [f"{rule!r} names no tool, so it does nothing; did you mean shell?"]


def test_a_misspelt_switch_is_told() -> None:
    settings = Settings(tools=Tools(disabled=("wrte", "shell")))
    assert said(settings) == [
        "'tools.disabled = wrte' names no tool, so it does nothing; did you mean write?"
    ]


@every(
    "rule",
    [
        "Bash(rm:*)",
        "*",
        "MultiEdit(a)",
        "mcp__server__tool",
        "LS",
        "search(x)",
        "submit(https://a.example/*)",
    ],
)
def test_names_that_fit_are_not_mentioned(rule: str) -> None:
    settings = Settings(
        permissions=Permissions(allow=(rule,)), tools=Tools(disabled=("Bash", "write"))
    )
    assert said(settings) == []
