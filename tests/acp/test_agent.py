"""An editor works with the agent: sessions, words, updates, questions, and what goes wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.parts import Media
from ouroboros.llm.turns import Fault, Turn
from tests.acp.editor import Frame, Refused, editing
from tests.story.hub_stage import idle
from tests.story.stage import call

WRITE = Turn(
    text="I write it.",
    reasoning="A file is wanted.",
    tool_calls=(call("write", path="a.txt", content="new\n"),),
)
DONE = Turn(text="All is well.")
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


@pytest.mark.proves("interfaces-acp", "divergences-what-an-editors-terminal-shows")
async def test_words_are_answered_and_a_file_is_changed_after_the_persons_yes(
    tmp_path: Path,
) -> None:
    async with editing(tmp_path, [WRITE, DONE]) as editor:
        (editor.cwd / "a.txt").write_text("old\n")
        session = await editor.open()
        assert await editor.prompt(session, "Write it.") == "end_turn"
        assert (editor.cwd / "a.txt").read_text() == "new\n"
        assert editor.text() == "I write it.All is well."
        assert editor.text("agent_thought_chunk") == "A file is wanted."
        (asked,) = editor.questions
        assert [(each["optionId"], each["kind"]) for each in asked["options"]] == [
            ("once", "allow_once"),
            ("session", "allow_always"),
            ("local", "allow_always"),
            ("user", "allow_always"),
            ("no", "reject_once"),
        ]
        change = {
            "type": "diff",
            "path": str(editor.cwd / "a.txt"),
            "oldText": "old\n",
            "newText": "new\n",
        }
        assert change in asked["toolCall"]["content"]
        (begun,) = editor.updates("tool_call")
        assert (begun["kind"], begun["status"]) == ("edit", "pending")
        assert begun["locations"] == [{"path": str(editor.cwd / "a.txt")}]
        changes = editor.updates("tool_call_update")
        assert [each["status"] for each in changes] == ["in_progress", "completed"]
        assert changes[-1]["content"] == [change]
        assert {each["toolCallId"] for each in [begun, *changes]} == {
            asked["toolCall"]["toolCallId"]
        }


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_a_no_leaves_the_file_alone_and_the_run_goes_on(tmp_path: Path) -> None:
    async with editing(tmp_path, [WRITE, DONE]) as editor:
        editor.choose = lambda _: "no"
        assert await editor.prompt(await editor.open(), "Write it.") == "end_turn"
        assert not (editor.cwd / "a.txt").exists()
        assert editor.updates("tool_call_update")[-1]["status"] == "failed"


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_a_yes_for_the_session_is_asked_for_once(tmp_path: Path) -> None:
    again = Turn(tool_calls=(call("write", path="a.txt", content="newer\n"),))
    async with editing(tmp_path, [WRITE, again, DONE]) as editor:
        editor.choose = lambda _: "session"
        assert await editor.prompt(await editor.open(), "Write it.") == "end_turn"
        assert len(editor.questions) == 1
        assert (editor.cwd / "a.txt").read_text() == "newer\n"


@pytest.mark.deep
@pytest.mark.proves("E14", "interfaces-acp")
async def test_always_names_the_folder_of_an_edit_and_the_beginning_of_a_command(
    tmp_path: Path,
) -> None:
    beside = Turn(tool_calls=(call("write", path="b.txt", content="new\n"),))
    runs, again = (
        Turn(tool_calls=(call("shell", command=f"python3 c.py {word}"),)) for word in ("one", "two")
    )
    async with editing(tmp_path, [WRITE, beside, runs, again, DONE]) as editor:
        (editor.cwd / "c.py").write_text("")
        editor.choose = lambda _: "session"
        assert await editor.prompt(await editor.open(), "Write it.") == "end_turn"
        said = [
            option["name"]
            for asked in editor.questions
            for option in asked["options"]
            if option["optionId"] == "session"
        ]
        edits, command = said
        assert edits.startswith("Yes, until this session ends: edits in ")
        assert command == "Yes, until this session ends: python3 c.py ..."
        assert (editor.cwd / "b.txt").exists()


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
@pytest.mark.parametrize(
    "outcome", ["answer", pytest.param("cancel first", marks=pytest.mark.deep)]
)
async def test_a_question_that_is_cancelled_stops_the_run(tmp_path: Path, outcome: str) -> None:
    async with editing(tmp_path, [WRITE, DONE]) as editor:
        session = await editor.open()
        if outcome == "answer":
            editor.choose = lambda _: None
            assert await editor.prompt(session, "Write it.") == "cancelled"
        else:
            editor.choose = None
            content = [{"type": "text", "text": "Write it."}]
            id = await editor.begin("session/prompt", sessionId=session, prompt=content)
            asked = await editor.until(lambda e: e.get("method") == "session/request_permission")
            await editor.say({"method": "session/cancel", "params": {"sessionId": session}})
            assert await editor.answer(id) == {"stopReason": "cancelled"}
            # An answer that comes too late changes nothing.
            late = {"outcome": {"outcome": "selected", "optionId": "once"}}
            await editor.say({"id": asked["id"], "result": late})
            assert await editor.prompt(session, "And now?") == "end_turn"
        assert not (editor.cwd / "a.txt").exists()


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
@pytest.mark.parametrize(
    "way",
    [
        "session/cancel",
        pytest.param("at once", marks=pytest.mark.deep),
        pytest.param("$/cancel_request", marks=pytest.mark.deep),
    ],
)
async def test_a_run_is_cancelled(tmp_path: Path, way: str) -> None:
    slow = Turn(text="word " * 500, chunk=5, pace_seconds=0.05)
    async with editing(tmp_path, [slow, DONE]) as editor:
        session = await editor.open()
        content = [{"type": "text", "text": "Talk."}]
        id = await editor.begin("session/prompt", sessionId=session, prompt=content)
        if way != "at once":
            await editor.until(lambda e: bool(editor.updates("agent_message_chunk")))
        if way == "$/cancel_request":
            await editor.say({"method": way, "params": {"requestId": id}})
            with pytest.raises(Refused) as refused:
                await editor.answer(id)
            assert refused.value.code == -32800
        else:
            await editor.say({"method": "session/cancel", "params": {"sessionId": session}})
            assert await editor.answer(id) == {"stopReason": "cancelled"}
        (room,) = editor.stage.hub.rooms()
        await idle(room)
        assert not any(each.text.count("word") > 400 for each in room.state.history)
        if way != "at once":
            assert await editor.prompt(session, "Again.") == "end_turn"


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_a_session_is_loaded_with_all_that_was_said_and_done(tmp_path: Path) -> None:
    async with editing(tmp_path, [WRITE, DONE, Turn(text="Gone on.")]) as editor:
        session = await editor.open()
        await editor.prompt(session, "Write it.")
        live = editor.updates("tool_call", "tool_call_update")
        await editor.ask("session/close", sessionId=session)
        assert editor.stage.hub.rooms() == ()
        (found,) = (await editor.ask("session/list"))["sessions"]
        assert (found["sessionId"], found["title"]) == (session, "Write it.")
        assert found["cwd"] == str(editor.cwd)
        editor.frames.clear()
        wish: Frame = {"sessionId": session, "cwd": str(editor.cwd), "mcpServers": []}
        answer = await editor.ask("session/load", **wish)
        assert answer["modes"]["currentModeId"] == "ask"
        # All of it was told before the answer.
        last = next(at for at, each in enumerate(editor.frames) if "result" in each)
        told = [each["params"]["update"] for each in editor.frames[:last]]
        assert [each["sessionUpdate"] for each in told] == [
            "user_message_chunk",
            "agent_thought_chunk",
            "agent_message_chunk",
            "tool_call",
            "tool_call_update",
            "agent_message_chunk",
        ]
        assert told[0]["content"]["text"] == "Write it."
        assert (told[3], told[4]) == (live[0], live[-1])
        assert await editor.prompt(session, "Go on.") == "end_turn"
        assert editor.text().endswith("Gone on.")


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_what_was_taken_back_is_not_told_again(tmp_path: Path) -> None:
    async with editing(tmp_path, [Turn(text="One."), Turn(text="Two.")]) as editor:
        session = await editor.open()
        await editor.prompt(session, "First.")
        await editor.prompt(session, "Second.")
        assert await editor.prompt(session, "/rollback 1") == "end_turn"
        editor.frames.clear()
        wish: Frame = {"sessionId": session, "cwd": str(editor.cwd), "mcpServers": []}
        await editor.ask("session/load", **wish)
        assert editor.text() == "One."
        assert editor.text("user_message_chunk") == "First."


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_sessions_run_side_by_side_and_are_told_apart(tmp_path: Path) -> None:
    turns = [Turn(text="Left.", when="left"), Turn(text="Right.", when="right")]
    async with editing(tmp_path, turns) as editor:
        left, right = await editor.open(), await editor.open()
        assert left != right
        ids = [
            await editor.begin(
                "session/prompt", sessionId=each, prompt=[{"type": "text", "text": words}]
            )
            for each, words in ((left, "Go left."), (right, "Go right."))
        ]
        for id in ids:
            assert await editor.answer(id) == {"stopReason": "end_turn"}
        said: dict[str, str] = {}
        for frame in editor.frames:
            update = frame.get("params", {}).get("update", {})
            if update.get("sessionUpdate") == "agent_message_chunk":
                session = frame["params"]["sessionId"]
                said[session] = said.get(session, "") + update["content"]["text"]
        assert said == {left: "Left.", right: "Right."}


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_pictures_links_and_files_of_the_editor_reach_the_model(tmp_path: Path) -> None:
    async with editing(tmp_path, [DONE]) as editor:
        (editor.cwd / "my notes.txt").write_text("on the disk\n")
        link = {
            "type": "resource_link",
            "uri": f"file://{editor.cwd}/my%20notes.txt",
            "name": "my notes.txt",
        }
        held = {"uri": f"file://{editor.cwd}/b.py", "text": "unsaved = '@c.py'\n"}
        blocks: list[str | Frame] = [
            "Look at ",
            link,
            " and ",
            {"type": "resource", "resource": held},
            {"type": "image", "data": PICTURE, "mimeType": "image/png"},
        ]
        session = await editor.open()
        assert await editor.prompt(session, *blocks) == "end_turn"
        (room,) = editor.stage.hub.rooms()
        said = next(m for m in room.state.history if m.role == "user" and m.kind == "plain")
        assert said.text == (
            'Look at @"my notes.txt" and `b.py`\n\n'
            "b.py, as the editor has it:\n```\nunsaved = '@c.py'\n```"
        )
        assert [p.media_type for p in said.parts if isinstance(p, Media)] == ["image/png"]
        context = "".join(m.text for m in room.state.history if m.kind == "context")
        assert "on the disk" in context


@pytest.mark.proves("interfaces-acp", "divergences-model-of-a-session")
async def test_modes_and_the_model_are_changed_and_told(tmp_path: Path) -> None:
    async with editing(tmp_path, [WRITE, DONE]) as editor:
        session = await editor.open()
        await editor.ask("session/set_mode", sessionId=session, modeId="auto-edit")
        await editor.until(lambda _: bool(editor.updates("current_mode_update")))
        assert editor.updates("current_mode_update")[-1]["currentModeId"] == "auto-edit"
        assert await editor.prompt(session, "Write it.") == "end_turn"
        assert editor.questions == []
        answer = await editor.ask(
            "session/set_config_option",
            sessionId=session,
            configId="model",
            value="openai-chat/other",
        )
        assert answer["configOptions"][0]["currentValue"] == "openai-chat/other"
        for wrong in (
            {"method": "session/set_mode", "modeId": "yolo"},
            {"method": "session/set_config_option", "configId": "colour", "value": "red"},
        ):
            with pytest.raises(Refused) as refused:
                await editor.ask(wrong.pop("method"), sessionId=session, **wrong)
            assert refused.value.code == -32602


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_a_plan_is_shown_and_carried_out_in_the_mode_that_was_chosen(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("update_plan", plan=[{"step": "Look", "status": "in_progress"}]),)),
        Turn(text="<proposed_plan>\nWrite a.txt.\n</proposed_plan>"),
        WRITE,
        DONE,
    ]
    async with editing(tmp_path, turns, mode="plan") as editor:
        editor.choose = lambda asked: "auto-edit"
        session = await editor.open()
        assert await editor.prompt(session, "Plan it.") == "end_turn"
        (asked,) = editor.questions
        assert asked["toolCall"]["kind"] == "switch_mode"
        assert "Write a.txt." in json.dumps(asked["toolCall"]["content"])
        assert (editor.cwd / "a.txt").read_text() == "new\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_the_steps_of_the_work_are_told_as_a_plan(tmp_path: Path) -> None:
    steps = [{"step": "Look", "status": "completed"}, {"step": "Mend", "status": "in_progress"}]
    turns = [Turn(tool_calls=(call("update_plan", plan=steps),)), DONE]
    async with editing(tmp_path, turns) as editor:
        await editor.prompt(await editor.open(), "Mend it.")
        (plan,) = editor.updates("plan")
        assert [(each["content"], each["status"]) for each in plan["entries"]] == [
            ("Look", "completed"),
            ("Mend", "in_progress"),
        ]
        assert editor.updates("tool_call") == []


@pytest.mark.proves("interfaces-acp-usage")
async def test_how_full_the_context_is_and_what_it_cost_is_told(tmp_path: Path) -> None:
    async with editing(tmp_path, [WRITE, DONE]) as editor:
        session = await editor.open()
        await editor.prompt(session, "Write it.")
        first, last = editor.updates("usage_update")
        meter = editor.stage.hub.rooms()[0].session.meter()
        assert (last["used"], last["size"]) == (meter.used, meter.window)
        assert 0 < first["used"] < last["used"] < last["size"]
        spent = editor.stage.hub.rooms()[0].state.spent.cost
        assert last.get("cost") == (None if spent is None else {"amount": spent, "currency": "USD"})
        await editor.ask("session/close", sessionId=session)
        editor.frames.clear()
        wish: Frame = {"sessionId": session, "cwd": str(editor.cwd), "mcpServers": []}
        await editor.ask("session/load", **wish)
        await editor.until(lambda _: bool(editor.updates("usage_update")))


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_the_models_question_is_answered_by_one_of_its_options(tmp_path: Path) -> None:
    options = [
        {"label": "Red", "description": "warm"},
        {"label": "Blue", "description": "cold"},
    ]
    question = {"id": "colour", "header": "Colour", "question": "Which?", "options": options}
    turns = [Turn(tool_calls=(call("request_user_input", questions=[question]),)), DONE]
    async with editing(tmp_path, turns, mode="plan") as editor:
        editor.choose = lambda asked: next(
            each["optionId"] for each in asked["options"] if each["name"] == "Blue"
        )
        await editor.prompt(await editor.open(), "Paint it.")
        assert "Blue" in json.dumps(editor.updates("tool_call_update")[-1])


@pytest.mark.proves("interfaces-acp")
async def test_commands_of_ours_are_listed_and_carried_out(tmp_path: Path) -> None:
    async with editing(tmp_path, [DONE]) as editor:
        session = await editor.open()
        await editor.until(lambda _: bool(editor.updates("available_commands_update")))
        (listed,) = editor.updates("available_commands_update")
        names = {each["name"] for each in listed["availableCommands"]}
        assert {"compact", "diff", "undo", "context", "review"} <= names
        assert not {"quit", "resume", "help"} & names
        assert await editor.prompt(session, "/cost") == "end_turn"
        assert "0 requests" in editor.text()
        assert editor.stage.server.exchanges == []
        await editor.prompt(session, "/mode plan")
        await editor.until(lambda _: bool(editor.updates("current_mode_update")))


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
@pytest.mark.parametrize(
    ("turn", "settings", "stop"),
    [
        (Turn(text="No.", stop="content_filter"), {}, "refusal"),
        (WRITE, {"limits.max_turns": 1, "mode": "full-auto"}, "max_turn_requests"),
    ],
)
async def test_why_a_run_ended_is_said_as_the_protocol_has_it(
    tmp_path: Path, turn: Turn, settings: dict[str, Any], stop: str
) -> None:
    async with editing(tmp_path, [turn, DONE], **settings) as editor:
        assert await editor.prompt(await editor.open(), "Do it.") == stop


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_a_run_that_fails_is_an_error_with_its_reason(tmp_path: Path) -> None:
    turns = [Turn(fault=Fault(kind="invalid_request", message="no such thing")), DONE]
    async with editing(tmp_path, turns) as editor:
        session = await editor.open()
        with pytest.raises(Refused, match="no such thing") as refused:
            await editor.prompt(session, "Do it.")
        assert refused.value.code == -32603
        assert await editor.prompt(session, "Again.") == "end_turn"


NONSENSE = [
    (b"nonsense", -32700),
    (b'{"jsonrpc": "2.0", "id": 9', -32700),
    (b"\xff\xfe{}", -32700),
    (b"[]", -32600),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "initialize", "params": ' + b"[" * 100_000, -32700),
    (b'{"jsonrpc": "2.0", "id": 9}', -32600),
    (b'{"id": 9, "method": "initialize"}', -32600),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "initialize"}', -32600),
    (b'{"jsonrpc": "2.0", "id": true, "method": "initialize"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 9, "method": 7}', -32600),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "session/fly"}', -32601),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "session/new"}', -32602),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "session/new", "params": {"cwd": 3}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "session/new", "params": {"cwd": "a"}}', -32602),
    (
        b'{"jsonrpc": "2.0", "id": 9, "method": "session/new", "params": {"cwd": "/a\\u0000"}}',
        -32602,
    ),
    (
        b'{"jsonrpc": "2.0", "id": 9, "method": "session/new", "params": {"cwd": "/not there"}}',
        -32602,
    ),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "session/list", "params": {"cursor": "x"}}', -32602),
    (
        b'{"jsonrpc": "2.0", "id": 9, "method": "session/set_mode", "params": {"sessionId": "no", "modeId": "ask"}}',
        -32002,
    ),
]


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_frames_that_mean_nothing_are_refused_and_the_line_stays(tmp_path: Path) -> None:
    async with editing(tmp_path, [DONE]) as editor:
        for line, code in NONSENSE:
            await editor.say(line)
            found = await editor.until(lambda each: "error" in each)
            assert (found["error"]["code"], line[:80]) == (code, line[:80])
            editor.frames.clear()
        # What is no request has no answer.
        await editor.say(b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {}}')
        await editor.say(b'{"jsonrpc": "2.0", "method": "no/such", "params": [1]}')
        await editor.say(b'{"jsonrpc": "2.0", "id": 77, "result": {}}')
        assert await editor.prompt(await editor.open(), "Still there?") == "end_turn"
        assert not any("error" in each for each in editor.frames)


@pytest.mark.deep
async def test_words_that_cannot_be_taken_are_refused(tmp_path: Path) -> None:
    async with editing(tmp_path, [DONE]) as editor:
        session = await editor.open()
        sound = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
        for blocks in ([sound], [], ["  "]):
            with pytest.raises(Refused) as refused:
                await editor.prompt(session, *blocks)
            assert refused.value.code == -32602
        assert await editor.prompt(session, "Words.") == "end_turn"


@pytest.mark.deep
@pytest.mark.proves("interfaces-acp")
async def test_a_deleted_session_is_gone_and_a_long_list_comes_in_pages(tmp_path: Path) -> None:
    async with editing(tmp_path, [Turn(text="Yes.")], repeat=True) as editor:
        made = [await editor.open() for _ in range(3)]
        for each in made:
            await editor.prompt(each, "Hello.")
        await editor.ask("session/delete", sessionId=made[0])
        listed = (await editor.ask("session/list", cwd=str(editor.cwd)))["sessions"]
        assert {each["sessionId"] for each in listed} == set(made[1:])
        assert (await editor.ask("session/list", cursor="1"))["sessions"] == listed[1:]
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        assert (await editor.ask("session/list", cwd=str(elsewhere)))["sessions"] == []
        wish: Frame = {"sessionId": made[0], "cwd": str(editor.cwd), "mcpServers": []}
        with pytest.raises(Refused) as refused:
            await editor.ask("session/load", **wish)
        assert refused.value.code == -32002
