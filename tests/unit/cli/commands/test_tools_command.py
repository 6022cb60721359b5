import json

from tests.unit.cli.commands.calling import Ouro


def test_tools_that_are_looked_for_are_marked(ouro: Ouro) -> None:
    found = {each["name"]: each for each in json.loads(ouro("tools", "list", "--json").out)}
    assert found["read"]["exposure"] == "direct"
    assert found["multi_edit"]["exposure"] == "deferred"
    assert "done" not in found  # hidden
    names = [each["name"] for each in json.loads(ouro("tools", "list", "--deferred", "--json").out)]
    assert "multi_edit" in names
    assert "read" not in names


def test_tools_are_searched_as_a_model_searches(ouro: Ouro) -> None:
    lines = ouro("tools", "search", "several edits of one file").out.splitlines()
    assert lines[0].startswith("multi_edit\t(to look for) ")
    assert json.loads(ouro("tools", "search", "zebra", "--json").out) == []


def test_one_tool_is_shown_under_any_of_its_names(ouro: Ouro) -> None:
    assert ouro("tools", "show", "Bash").out.startswith("shell (direct)\n")
    assert json.loads(ouro("tools", "show", "done", "--json").out)["exposure"] == "hidden"
    wrong = ouro("tools", "show", "reed")
    assert wrong.code == 2
    assert "did you mean read?" in wrong.err
