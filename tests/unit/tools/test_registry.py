import json
import re
from pathlib import Path

import msgspec
import pytest

from ouroboros.core.errors import Misuse
from ouroboros.llm.lowering.names import TITLES
from ouroboros.tools.arguments import schema
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.builtin.files import ReadTool
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.own.create import CreateToolArguments
from ouroboros.tools.registry import Registry, canonical
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real

NAMES = (
    "read", "write", "edit", "multi_edit", "apply_patch", "ls", "find", "grep", "shell",
    "update_plan", "done", "tool_search", "call_tool",
)  # fmt: skip


@pytest.mark.proves("D20")
def test_the_default_set_is_listed_in_order():
    assert Registry(builtin_tools()).names() == NAMES


@pytest.mark.proves("D30", "CF28")
@every(
    ("spelled", "name"),
    [
        ("Read", "read"), ("Write", "write"), ("Edit", "edit"), ("MultiEdit", "multi_edit"),
        ("Search", "grep"), ("Grep", "grep"), ("FindFiles", "find"), ("Glob", "find"),
        ("LS", "ls"), ("Bash", "shell"), ("bash", "shell"), ("shell_command", "shell"),
        ("applypatch", "apply_patch"), ("READ", "read"), ("multi-edit", "multi_edit"),
        ("updatePlan", "update_plan"), ("search", "grep"), ("glob", "find"),
    ],
)  # fmt: skip
def test_foreign_names_find_the_tool(spelled: str, name: str):
    found = Registry(builtin_tools()).find(spelled)
    assert found is not None
    assert (found.name, canonical(spelled)) == (name, name)


@pytest.mark.proves("D20")
def test_a_tool_is_reloaded_in_place():
    class Newer(ReadTool):
        description = "Read, but newer."

    registry = Registry(builtin_tools())
    before, newer = registry.specs(), Newer()
    registry.replace(newer)
    assert registry.names() == NAMES
    assert registry.find("Read") is newer
    assert registry.specs()[0].description == "Read, but newer."
    assert registry.specs()[1:] == before[1:]


def test_only_a_known_tool_is_reloaded():
    with pytest.raises(Misuse, match="no tool 'read' to replace"):
        Registry().replace(ReadTool())


def test_a_tool_that_is_switched_off_stays_off_when_it_is_reloaded():
    registry = Registry(builtin_tools(), disabled=["read"])
    registry.replace(ReadTool())
    assert registry.find("read") is None


@pytest.mark.proves("D20")
def test_a_name_that_reads_the_same_is_refused():
    class Other(ReadTool):
        name = "Re_ad"

    with pytest.raises(Misuse, match="'Re_ad' is registered twice"):
        Registry([*builtin_tools(), Other()])


def test_a_tool_that_is_not_enabled_is_neither_listed_nor_found():
    some = Registry(builtin_tools(), enabled=["Read", "MultiEdit"])
    most = Registry(builtin_tools(), disabled=["Bash"])
    assert some.names() == ("read", "multi_edit")
    assert (some.find("shell"), most.find("bash")) == (None, None)
    assert [spec.name for spec in some.specs()] == ["read", "multi_edit"]


@every("name", ["Bash", "shell", "exec"])
def test_a_shell_stands_for_all_that_runs_commands(name: str):
    """Also where commands may outlive their call and the tool of that name is not listed."""
    living = builtin_tools(processes=Processes())
    some, most = Registry(living, enabled=[name]), Registry(living, disabled=[name])
    assert [spec.name for spec in some.specs()] == ["exec_command", "write_stdin"]
    assert not {"shell", "exec_command", "write_stdin"} & set(most.names())
    assert Registry(living, disabled=["write_stdin"]).find("exec_command") is not None


@pytest.mark.proves("D30", "CF28")
def test_title_case_names_go_out_and_come_back():
    registry = Registry(builtin_tools())
    for title in set(TITLES.values()):
        found = registry.find(title)
        assert found is not None
        assert TITLES[found.name] == title


@pytest.mark.proves("D01")
def test_specs_are_made_once_and_are_valid_small_schemas():
    registry = Registry(builtin_tools())
    specs = registry.specs()
    assert registry.specs() is specs
    for spec in specs:
        schema = json.loads(spec.schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert not re.search(r'"(title|\$ref|\$defs|default)":', spec.schema)
    assert sum(len(msgspec.json.encode(spec)) for spec in specs) < 5_500


def test_a_map_of_objects_says_what_its_objects_hold():
    parameters = json.loads(schema(CreateToolArguments))["properties"]["parameters"]
    kinds = ["array", "boolean", "integer", "number", "object", "string"]
    assert parameters["additionalProperties"]["properties"]["type"] == {"enum": kinds}


def test_the_schema_of_read_in_full():
    (spec,) = Registry([ReadTool()]).specs()
    assert json.loads(spec.schema) == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
            "limit": {"type": "integer", "minimum": 1, "description": "number of lines"},
        },
        "required": ["path"],
        "additionalProperties": False,
    }


@pytest.mark.proves("D30", "divergences-arguments-of-edits")
@every(
    ("name", "arguments"),
    [
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": False}),
        ("edit", {"path": "a", "oldText": "x", "newText": "y"}),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}),
        ("multi_edit", {"filePath": "a", "edits": [{"oldText": "x", "newText": "y", "replaceAll": True}]}),
        ("Write", {"file_path": "a", "content": "y\n"}),
        ("Bash", {"command": "echo y > a", "description": "Say y", "timeout": "5"}),
        ("Bash", {"cmd": "echo y > a", "timeout": None}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: a\n+y\n*** End Patch"}),
    ],
)  # fmt: skip
async def test_foreign_arguments_are_understood(
    tmp_path: Path, name: str, arguments: dict[str, object]
):
    (tmp_path / "a").write_text("x\n")
    result = await Spine(tmp_path).call(name, **arguments)
    assert (result.status, (tmp_path / "a").read_text()) == ("done", "y\n"), text_of(result)
