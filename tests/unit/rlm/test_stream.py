"""Calls that a model makes in its own way, made into blocks."""

import json

from ouroboros.core.parts import Text, ToolCall
from ouroboros.rlm.code.calls import arguments
from ouroboros.rlm.stream import called
from tests.cases import every


@every("name", ["code", "javascript", "js", "script", "source", "input"])
def test_a_call_with_code_under_a_usual_name_becomes_a_block(name: str) -> None:
    call = ToolCall(id="1", name="run_js", arguments=json.dumps({name: "1 + 1"}))
    made = called((Text(text="I count."), call), is_cut=False)
    assert [arguments(part.arguments) for part in made if isinstance(part, ToolCall)] == ["1 + 1"]


@every("text", ['{"path": "a.txt"}', '{"input": 5}', "[1]", "no JSON", ""])
def test_a_call_without_code_is_none(text: str) -> None:
    assert called((ToolCall(id="1", name="read", arguments=text),), is_cut=False) == ()
