"""`ouro rules`."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.commands.calling import Ouro


@pytest.mark.proves("E29")
def test_every_rule_is_listed_with_the_file_it_stands_in(ouro: Ouro) -> None:
    assert ouro("rules")[1] == "there are no rules; mode ask decides\n"
    Path(".claude").mkdir()
    block = {"permissions": {"deny": ["Bash(rm:*)", "Agent(x)"], "allow": ["Bash(make)"]}}
    file = Path(".claude/settings.local.json")
    file.write_text(json.dumps(block), "utf-8")

    code, out, err = ouro("rules")
    assert (code, out) == (0, f"deny   shell(rm:*)  (local rules: {file})\n")
    assert err.count("not understood, so not used: deny Agent(x)") == 1

    assert ouro("trust", "--yes")[0] == 0
    found = json.loads(ouro("rules", "--json")[1])
    assert [(each["outcome"], each["rule"], each["layer"]) for each in found] == [
        ("deny", "shell(rm:*)", "local rules"),
        ("allow", "shell(make)", "local rules"),
    ]
    assert {each["source"] for each in found} == {str(file.absolute())}


@pytest.mark.proves("E29")
def test_a_deny_of_such_a_file_is_what_a_session_goes_by(ouro: Ouro) -> None:
    Path("permissions.json").write_text('{"permissions": {"deny": ["Bash(rm:*)"]}}', "utf-8")
    said = ouro("explain", "command", "rm x").out
    assert "the rule Bash(rm:*) denies this (in the project's settings)" in said
