import json
from pathlib import Path

import pytest

from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real


async def test_arguments_in_a_text_of_their_own_are_read(tmp_path: Path):
    (tmp_path / "a").write_text("one\n")
    result = await Spine(tmp_path).raw("read", json.dumps(json.dumps({"path": "a"})))
    assert text_of(result).startswith("1\tone\n")


async def test_a_list_that_was_sent_as_text_is_read(tmp_path: Path):
    (tmp_path / "a").write_text("one two\n")
    edits = [{"oldText": "one", "newText": "1"}, {"old_string": "two", "new_string": "2"}]
    await Spine(tmp_path).call("multi_edit", path="a", edits=json.dumps(edits))
    assert (tmp_path / "a").read_text() == "1 2\n"


@every(
    ("words", "command"),
    [(["bash", "-lc", "touch $((1+1))"], "touch $((1+1))"), (["make", "a b"], "make 'a b'")],
)
async def test_a_command_in_words_is_what_the_person_is_asked_for(
    tmp_path: Path, words: list[str], command: str
):
    spine = Spine(tmp_path, mode="ask")
    await spine.call("shell", command=words)
    assert [question.input for question in spine.asker.questions] == [command]


async def test_an_unknown_field_of_an_edit_is_named(tmp_path: Path):
    (tmp_path / "a").write_text("one\n")
    edits = [{"old_text": "one", "new_text": "1", "all": True}]
    text = text_of(await Spine(tmp_path).call("multi_edit", path="a", edits=edits))
    assert "unknown field `all`" in text
    assert (tmp_path / "a").read_text() == "one\n"


def test_every_object_of_a_schema_is_closed(tmp_path: Path):
    for spec in Spine(tmp_path).registry.specs():
        objects = spec.schema.count('"type":"object"')
        objects -= spec.name == "call_tool"  # what the other tool takes is its own affair
        assert objects == spec.schema.count('"additionalProperties":false'), spec.name


async def test_what_a_tool_cannot_do_may_be_declined(tmp_path: Path):
    spine = Spine(tmp_path)
    said = await spine.call("shell", command="echo hi", run_in_background=False)
    assert "hi" in text_of(said)
    refused = await spine.call("shell", command="echo hi", run_in_background=True)
    assert "unknown field `run_in_background`" in text_of(refused)


async def test_a_wrong_step_of_a_plan_is_told_what_steps_are(tmp_path: Path):
    steps = [{"step": "look", "status": "done"}]
    for said in (
        await Spine(tmp_path).call("update_plan", plan=steps),
        await Spine(tmp_path).call("TodoWrite", todos=steps),
    ):
        assert "Invalid enum value 'done' - at `$.plan[0].status`" in text_of(said)
        expected = "plan: [{step: string, status: completed | in_progress | pending}]"
        assert expected in text_of(said)
