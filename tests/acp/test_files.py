"""Files that an editor has open: what is not saved is read there, and changes go through it."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.llm.turns import Turn
from tests.acp.editor import Editor, Frame, editing
from tests.story.stage import call

BOTH: Frame = {"fs": {"readTextFile": True, "writeTextFile": True}}
DONE = Turn(text="Done.")
READ = Turn(tool_calls=(call("read", path="a.py"),))
EDIT = Turn(tool_calls=(call("edit", path="a.py", old_text="two", new_text="2"),))
PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n@@\n-two\n+2\n*** Add File: b.py\n+new\n*** End Patch"
)


def outcomes(editor: Editor) -> list[str]:
    """What the model read of each call that ended."""
    ended = editor.updates("tool_call_update")
    return [each["rawOutput"]["text"] for each in ended if "rawOutput" in each]


async def at_work(editor: Editor, words: str = "Go on.") -> str:
    """A session that has done what its script says, in which a.py has unsaved text."""
    path = editor.cwd / "a.py"
    path.write_text("one\n")
    editor.buffers[str(path)] = "one\ntwo\n"
    session = await editor.open()
    assert await editor.prompt(session, words) == "end_turn"
    return session


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files")
async def test_unsaved_text_is_what_a_model_reads(tmp_path: Path) -> None:
    async with editing(tmp_path, [READ, DONE], can=BOTH) as editor:
        session = await at_work(editor)
        (text,) = outcomes(editor)
        assert text.startswith("1\tone\n2\ttwo\n[as it stands in the editor, not saved")
        asked = editor.asked("fs/read_text_file")
        assert asked == [{"sessionId": session, "path": str(editor.cwd / "a.py")}]


@pytest.mark.proves("interfaces-acp-files")
async def test_a_file_that_is_named_in_words_is_read_as_it_stands_in_the_editor(
    tmp_path: Path,
) -> None:
    async with editing(tmp_path, [DONE], can=BOTH) as editor:
        await at_work(editor, "Look at @a.py")
        (room,) = editor.stage.hub.rooms()
        said = "".join(m.text for m in room.state.history if m.kind == "context")
        assert "2\ttwo\n" in said


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files")
@pytest.mark.parametrize(
    "change",
    [
        EDIT,
        Turn(tool_calls=(call("apply_patch", input=PATCH),)),
        Turn(
            tool_calls=(
                call("multi_edit", path="a.py", edits=[{"old_text": "two", "new_text": "2"}]),
            )
        ),
        Turn(tool_calls=(call("write", path="a.py", content="one\n2\n"),)),
    ],
    ids=["edit", "apply_patch", "multi_edit", "write"],
)
async def test_a_change_starts_from_unsaved_text_and_goes_through_the_editor(
    tmp_path: Path, change: Turn
) -> None:
    async with editing(tmp_path, [change, DONE], can=BOTH) as editor:
        await at_work(editor)
        written = {each["path"]: each["content"] for each in editor.asked("fs/write_text_file")}
        assert written[str(editor.cwd / "a.py")] == "one\n2\n"
        assert (editor.cwd / "a.py").read_text() == "one\n2\n"
        if change.tool_calls[0].name == "apply_patch":
            assert written[str(editor.cwd / "b.py")] == "new\n"
        elif change.tool_calls[0].name != "write":
            # The person was shown the change of what stands in the editor.
            (asked,) = editor.questions
            (piece,) = [each for each in asked["toolCall"]["content"] if each["type"] == "diff"]
            assert (piece["oldText"], piece["newText"]) == ("one\ntwo\n", "one\n2\n")


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files")
async def test_an_editor_that_only_reads_keeps_its_unsaved_text(tmp_path: Path) -> None:
    only: Frame = {"fs": {"readTextFile": True}}
    async with editing(tmp_path, [EDIT, DONE], can=only) as editor:
        await at_work(editor)
        (text,) = outcomes(editor)
        assert "changes in the editor that are not saved" in text
        assert (editor.cwd / "a.py").read_text() == "one\n"
        assert editor.asked("fs/write_text_file") == []


@pytest.mark.deep
@pytest.mark.proves("M24")
async def test_a_bundle_is_not_applied_over_unsaved_text(tmp_path: Path) -> None:
    bundle = "--- File: c.py ---\n```\nnew\n```\n\n--- File: {} ---\n```\nall of it\n```\n"
    turns = [
        Turn(
            tool_calls=(call("call_tool", name="dogs", arguments={"bundle": bundle.format(name)}),)
        )
        for name in ("a.py", "d.py", "e.py")
    ]
    async with editing(tmp_path, [*turns, DONE], can=BOTH) as editor:
        editor.buffers[str(editor.cwd / "d.py")] = "never saved\n"
        editor.buffers[str(editor.cwd / "e.py")] = "never saved, more than is read" * 400_000
        await at_work(editor)
        *said, large = outcomes(editor)
        assert large.startswith(
            f"nothing was written: {editor.cwd / 'e.py'} has over 10485760 bytes"
        )
        for name, text in zip(("a.py", "d.py"), said, strict=True):
            assert text.startswith(f"nothing was written: {name} has changes in the editor")
        assert (editor.cwd / "a.py").read_text() == "one\n"
        assert sorted(each.name for each in editor.cwd.glob("*.py")) == ["a.py"]


@pytest.mark.deep
@pytest.mark.parametrize("can", [{}, {"fs": {}}, {"fs": {"readTextFile": False}}])
async def test_an_editor_that_offers_nothing_is_not_asked(tmp_path: Path, can: Frame) -> None:
    async with editing(tmp_path, [READ, EDIT, DONE], can=can) as editor:
        await at_work(editor)
        read, edited = outcomes(editor)
        assert (read, "unchanged" in edited) == ("1\tone\n", True)
        assert not [each for each in editor.frames if each.get("method", "").startswith("fs/")]


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files")
async def test_a_rule_stands_before_the_editor(tmp_path: Path) -> None:
    rules: dict[str, Any] = {"permissions.deny": ["read(a.py)", "edit(a.py)"]}
    async with editing(tmp_path, [READ, EDIT, DONE], can=BOTH, **rules) as editor:
        await at_work(editor)
        assert len(outcomes(editor)) == 2
        assert editor.asked("fs/read_text_file") == editor.asked("fs/write_text_file") == []


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files")
async def test_a_no_of_the_person_keeps_the_editor_as_it_is(tmp_path: Path) -> None:
    async with editing(tmp_path, [EDIT, DONE], can=BOTH) as editor:
        editor.choose = lambda _: "no"
        await at_work(editor)
        assert editor.asked("fs/write_text_file") == []
        assert editor.buffers == {str(editor.cwd / "a.py"): "one\ntwo\n"}


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files")
async def test_what_the_person_types_between_two_calls_is_not_written_over(tmp_path: Path) -> None:
    async with editing(tmp_path, [READ, EDIT, DONE], can=BOTH) as editor:
        answer = editor.files

        def types(frame: Frame) -> Frame | None:
            found = answer(frame)
            path = str(editor.cwd / "a.py")
            editor.buffers[path] = "one\ntwo\nthree\n"
            return found

        editor.files = types
        await at_work(editor)
        assert "changed by somebody else since you last read it" in outcomes(editor)[1]
        assert editor.asked("fs/write_text_file") == []


REFUSALS: list[tuple[str, Frame]] = [
    ("an error", {"error": {"code": -32603, "message": "no"}}),
    ("no such path", {"error": {"code": -32002, "message": "Resource not found"}}),
]


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files-odd-editors")
@pytest.mark.parametrize("refusal", [each for _, each in REFUSALS], ids=[n for n, _ in REFUSALS])
async def test_where_the_editor_says_no_the_disk_is_read_and_written(
    tmp_path: Path, refusal: Frame
) -> None:
    again = Turn(tool_calls=(call("edit", path="a.py", old_text="one", new_text="1"),))
    async with editing(tmp_path, [READ, again, DONE], can=BOTH) as editor:
        editor.files = lambda _: refusal
        await at_work(editor)
        assert outcomes(editor)[0] == "1\tone\n"
        assert (editor.cwd / "a.py").read_text() == "1\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files-odd-editors")
@pytest.mark.parametrize(
    "answer",
    [
        {"result": {"content": 7}},
        {"result": None},
        {"result": {"content": "x" * 11_000_000}},
    ],
    ids=["no text", "nothing", "huge"],
)
async def test_nonsense_of_the_editor_is_not_taken_for_a_file(
    tmp_path: Path, answer: dict[str, Any]
) -> None:
    async with editing(tmp_path, [READ, EDIT, DONE], can=BOTH) as editor:
        # What is no answer by the schema is sent by hand.
        editor.unchecked = True
        editor.files = lambda _: answer
        await at_work(editor)
        assert outcomes(editor)[0] == "1\tone\n"
        assert (editor.cwd / "a.py").read_text() == "one\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files-odd-editors")
async def test_an_editor_that_never_answers_is_waited_for_once(tmp_path: Path) -> None:
    again = Turn(tool_calls=(call("edit", path="a.py", old_text="one", new_text="1"),))
    turns = [READ, again, DONE, READ, DONE]
    async with editing(tmp_path, turns, can=BOTH, patience=0.5) as editor:
        answer = editor.files
        editor.files = lambda _: None
        session = await at_work(editor)
        assert (editor.cwd / "a.py").read_text() == "1\n"
        assert len(editor.asked("fs/read_text_file")) == 1
        assert len(editor.asked("$/cancel_request")) == 1
        assert "the editor does not answer" in editor.text()
        # Until the person says something more.
        editor.files = answer
        assert await editor.prompt(session, "And now?") == "end_turn"
        assert "2\ttwo" in outcomes(editor)[-1]


@pytest.mark.proves("interfaces-acp-files-odd-editors")
async def test_a_cancel_does_not_wait_for_an_editor_that_is_silent(tmp_path: Path) -> None:
    async with editing(tmp_path, [READ, DONE], can=BOTH) as editor:
        editor.files = lambda _: None
        session = await editor.open()
        content = [{"type": "text", "text": "Read."}]
        (editor.cwd / "a.py").write_text("one\n")
        id = await editor.begin("session/prompt", sessionId=session, prompt=content)
        await editor.until(lambda each: each.get("method") == "fs/read_text_file")
        await editor.say({"method": "session/cancel", "params": {"sessionId": session}})
        assert await editor.answer(id) == {"stopReason": "cancelled"}
        # It was taken back, and nobody had to wait until the deadline.
        assert len(editor.asked("$/cancel_request")) == 1
        assert "does not answer" not in editor.text()


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files-odd-editors")
async def test_windows_line_ends_stay_and_are_no_unsaved_change(tmp_path: Path) -> None:
    async with editing(tmp_path, [READ, DONE, READ, EDIT, DONE], can=BOTH) as editor:
        path = editor.cwd / "a.py"
        path.write_bytes(b"one\r\ntwo\r\n")
        shown = "one\ntwo\n"

        def plain(frame: Frame) -> Frame | None:
            if frame["method"] == "fs/write_text_file":
                path.write_bytes(frame["params"]["content"].encode())
                return {"result": {}}
            return {"result": {"content": shown}}

        editor.files = plain
        session = await editor.open()
        await editor.prompt(session, "Read it.")
        assert outcomes(editor)[0] == "1\tone\n2\ttwo\n"
        shown = "one\ntwo\nthree\n"
        await editor.prompt(session, "Edit it.")
        assert path.read_bytes() == b"one\r\n2\r\nthree\r\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files-odd-editors")
async def test_a_file_that_the_editor_formats_is_said_to_differ(tmp_path: Path) -> None:
    async with editing(tmp_path, [EDIT, DONE], can=BOTH) as editor:
        answer = editor.files

        def formats(frame: Frame) -> Frame | None:
            found = answer(frame)
            if frame["method"] == "fs/write_text_file":
                (editor.cwd / "a.py").write_text("one\n\n2\n")
            return found

        editor.files = formats
        await at_work(editor)
        assert "the file on the disk differs" in outcomes(editor)[0]


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files-odd-editors")
async def test_a_link_out_of_the_folder_is_asked_about_by_where_it_leads(tmp_path: Path) -> None:
    async with editing(tmp_path, [READ, DONE], can=BOTH) as editor:
        outside = tmp_path / "outside.py"
        outside.write_text("far\n")
        (editor.cwd / "a.py").symlink_to(outside)
        await editor.prompt(await editor.open(), "Read.")
        assert [each["path"] for each in editor.asked("fs/read_text_file")] == [str(outside)]


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp-files-odd-editors")
async def test_pictures_and_what_is_no_text_are_not_asked_for(tmp_path: Path) -> None:
    async with editing(tmp_path, [READ, DONE], can=BOTH) as editor:
        (editor.cwd / "a.py").write_bytes(b"\0\1\2")
        await editor.prompt(await editor.open(), "Read.")
        assert "binary" in outcomes(editor)[0]
        assert editor.asked("fs/read_text_file") == []
