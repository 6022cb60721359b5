import json
from pathlib import Path

import pytest

from tests.unit.cli.commands.calling import Ouro


def test_tools_that_are_looked_for_are_marked(ouro: Ouro) -> None:
    found = {each["name"]: each for each in json.loads(ouro("tools", "list", "--json").out)}
    assert found["read"]["exposure"] == "direct"
    assert found["multi_edit"]["exposure"] == "deferred"
    assert "done" not in found  # hidden
    names = [each["name"] for each in json.loads(ouro("tools", "list", "--deferred", "--json").out)]
    assert "multi_edit" in names
    assert "read" not in names


@pytest.mark.proves("D19")
def test_tools_are_searched_as_a_model_searches(ouro: Ouro) -> None:
    lines = ouro("tools", "search", "several edits of one file").out.splitlines()
    assert lines[0].startswith("multi_edit\t(to look for) ")
    assert json.loads(ouro("tools", "search", "zebra", "--json").out) == []


def test_one_tool_is_shown_under_any_of_its_names(ouro: Ouro) -> None:
    assert ouro("tools", "show", "Bash").out.startswith("shell (hidden)\n")
    assert json.loads(ouro("tools", "show", "done", "--json").out)["exposure"] == "hidden"
    wrong = ouro("tools", "show", "reed")
    assert wrong.code == 2
    assert "did you mean read?" in wrong.err


@pytest.mark.proves("D27")
def test_a_projects_tool_is_shown_and_approved(ouro: Ouro) -> None:
    folder = Path.cwd() / ".ouroboros" / "tools" / "hey"
    folder.mkdir(parents=True)
    (folder / "tool.toml").write_text('name = "hey"\ndescription = "Says hey"\n')
    (folder / "tool.py").write_text("def call():\n    return 'hey\x1b[2J'\n")
    listed = ouro("tools", "list", "--json")
    assert '"hey"' not in listed.out
    assert "not on: " in listed.err
    assert "`ouro tools approve hey`" in listed.err
    assert "`ouro tools approve hey`" in ouro("tools", "show", "hey").err
    unasked = ouro("tools", "approve", "hey")
    assert unasked.code == 2
    assert "--yes" in unasked.err
    approved = ouro("tools", "approve", "hey", "--yes")
    assert "return 'hey" in approved.out
    assert "\x1b" not in approved.out
    assert "Says hey" in ouro("tools", "search", "says hey").out
    assert ouro("tools", "approve", "hey", "--yes").code == 2
    assert ouro("tools", "approve", "other").code == 2
