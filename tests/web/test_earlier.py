"""The names of two earlier designs over websockets: each message is one command, question or event of today."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.core.events.aliases import ALIASES
from ouroboros.llm.turns import Turn
from tests.browser.site import serving
from tests.story.rlm_stage import block
from tests.story.stage import call
from tests.story.test_rlm_events import FIELDS
from tests.web.serving import Frame, Socket, web
from tests.web.test_document import book


class Line:
    """One end that speaks the old way, and remembers what it heard."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self.heard: list[Frame] = []

    async def say(self, **message: Any) -> None:
        await self._socket.raw.send(json.dumps(message))

    async def hear(self, **wanted: Any) -> Frame:
        """Reads on up to a message with these fields."""
        with anyio.fail_after(60):
            while True:
                message = json.loads(await self._socket.raw.recv())
                self.heard.append(message)
                if wanted.items() <= message.items():
                    return message

    async def ask(self, ch: str, **data: Any) -> Frame:
        """A request of the first design, and its answer."""
        name = f"{ch} {len(self.heard)}"
        await self.say(ch=ch, id=name, data=data)
        return await self.hear(ch=ch, id=name)

    async def knows(self, ch: str, tab: str) -> None:
        """Waits for what happens to a tab, unless it was heard."""
        with anyio.fail_after(60):
            while not any(
                each["ch"] == ch and each["data"].get("tab") == tab for each in self.heard
            ):
                self.heard.append(json.loads(await self._socket.raw.recv()))


@pytest.mark.proves("B26", "B27", "B28")
async def test_the_first_design_drives_a_run_and_is_told_of_it(tmp_path: Path) -> None:
    turns = [
        block("const a = await llm_query('Read.', 'x');\nlog(a);\na", "nowhere()"),
        Turn(text="read"),
        block("await write('a.txt', 'x')"),
        block("await write('b.txt', 'x').catch(() => 0);\nsetFinal({done: true})"),
        block("await sleep(20_000)"),
    ]
    async with web(tmp_path, turns, mode="ask") as s:
        told = await book(s)
        session = await s.open(mind="rlm")
        async with s.socket(f"/api/earlier/000?session={session}") as socket:
            line = Line(socket)
            standing = (await line.ask("rlm:get-state"))["data"]
            assert (standing["session"], standing["running"]) == (session, False)
            nothing = await line.ask("rlm:confirmation-resp", approved=True)
            assert nothing["error"] == "nothing waits for a yes or a no"
            assert (await line.ask("rlm:submit-task", task="Read it."))["data"] == {
                "session": session
            }
            asked = await line.hear(ch="rlm:confirmation-req")
            assert "a.txt" in asked["data"]["details"]
            assert (await line.ask("rlm:get-state"))["data"]["status"] == "waiting"
            assert "error" not in await line.ask("rlm:confirmation-resp", approved=True)
            asked = await line.hear(ch="rlm:confirmation-req")
            assert "b.txt" in asked["data"]["details"]
            await line.ask("rlm:confirmation-resp", approved=False, message="no")
            assert json.loads((await line.hear(ch="rlm:complete"))["data"]["final"]) == {
                "done": True
            }
            assert (tmp_path / "work" / "a.txt").read_text() == "x"
            assert not (tmp_path / "work" / "b.txt").exists()
            await s.rests(session)
            await line.ask("rlm:submit-task", task="Wait.")
            await line.hear(ch="rlm:code-generated")
            assert "error" not in await line.ask("rlm:cancel")
            assert (await s.rests(session))["status"] == "idle"
            assert (await line.ask("rlm:get-state"))["data"]["ended"] == "cancelled"
            frames = told.frame("/api/earlier/000", "sent")
            for message in line.heard:
                told.fits(frames, message)
                if message["ch"] in FIELDS:
                    assert message["data"].keys() <= FIELDS[message["ch"]]
                    assert FIELDS[message["ch"]] - message["data"].keys() <= {"error"}
            names = {each["ch"] for each in line.heard if not each.get("id")}
            assert names == set(FIELDS) - {"rlm:page-changes", "rlm:error"}
            assert names <= set(ALIASES)


@pytest.mark.proves("B26", "B27", "B28", "divergences-settings-over-the-first-designs")
async def test_the_first_design_is_refused_what_it_cannot_mean(tmp_path: Path) -> None:
    async with web(tmp_path) as s:
        session = await s.open()
        async with s.socket(f"/api/earlier/000?session={session}") as socket:
            line = Line(socket)
            for odd in ("", "{", "[]", '{"ch":7}', "[" * 100_000):
                await socket.raw.send(odd)
                assert "not a message" in (await line.hear(ch="rlm:error"))["data"]["error"]
            assert "channel" in (await line.ask("rlm:explode"))["error"]
            assert "task" in (await line.ask("rlm:submit-task"))["error"]
            assert "nothing to say" in (await line.ask("rlm:submit-task", task=" "))["error"]
            assert "approved" in (await line.ask("rlm:confirmation-resp"))["error"]
        async with s.socket("/api/earlier/000?session=nobody") as socket:
            assert "no session" in (await Line(socket).hear(ch="rlm:error"))["data"]["error"]


@pytest.mark.proves("C23")
@pytest.mark.usefixtures("chromium")
@pytest.mark.deep
async def test_the_first_design_works_the_tabs(tmp_path: Path) -> None:
    async with web(tmp_path, browser__profile="") as s:
        with serving() as site:
            site.put("one", "<title>One</title>")
            site.put("two", "<title>Two</title>")
            async with s.socket("/api/earlier/000") as socket:
                line = Line(socket)
                one = (await line.ask("tab:open", url=site.url("one")))["data"]["tab"]
                two = (await line.ask("tab:open", url=site.url("two")))["data"]["tab"]
                assert (await line.ask("tab:get-active"))["data"]["active"] == two
                assert "error" not in await line.ask("tab:switch", tab=one)
                await line.knows("tab:active-changed", one)
                assert "error" not in await line.ask("tab:navigate", url=site.url("two"))
                assert "error" not in await line.ask("tab:go-back")
                assert "error" not in await line.ask("tab:go-forward")
                assert "error" not in await line.ask("tab:reload")
                everything = (await line.ask("tab:get-all"))["data"]["tabs"]
                assert {each["id"] for each in everything} >= {one, two}
                assert "error" not in await line.ask("tab:close", tab=two)
                await line.knows("tab:closed", two)
                assert (await line.ask("tab:switch", tab="nobody"))["error"]
                assert any(each["ch"] == "tab:updated" for each in line.heard)
                assert (await line.ask("rlm:get-state"))["data"]["session"]


@pytest.mark.deep
@pytest.mark.proves("I20")
async def test_the_second_design_drives_a_run_and_is_told_of_it(tmp_path: Path) -> None:
    turns = [
        Turn(text="I remove.", tool_calls=(call("shell", command="rm -r x"),)),
        Turn(text="Not removed."),
        Turn(text="I make.", tool_calls=(call("write", path="a.txt", content="made"),)),
        Turn(text="Made."),
        Turn(text="Elsewhere."),
    ]
    async with web(tmp_path, turns, mode="ask") as s, s.socket("/api/earlier/002") as socket:
        line = Line(socket)
        for odd in ("{", '{"type":"explode"}'):
            await socket.raw.send(odd)
            assert "not a message" in (await line.hear(type="error"))["message"]
        await line.say(type="get_tree")
        assert "no session is open" in (await line.hear(type="error"))["message"]
        await line.say(type="init")
        session = (await line.hear(type="ready"))["session"]
        await line.say(type="init")
        assert "open already" in (await line.hear(type="error"))["message"]
        await line.say(type="chat", message="Remove it.")
        pending = await line.hear(type="tool_pending")
        await line.say(type="reject_tool", toolId=pending["toolId"], reason="keep it")
        assert (await line.hear(type="tool_result"))["ok"] is False
        assert (await line.hear(type="done"))["text"] == "Not removed."
        await s.rests(session)
        await line.say(type="chat", message="Make it.")
        pending = await line.hear(type="tool_pending")
        await line.say(type="approve_tool", toolId=pending["toolId"])
        assert (await line.hear(type="done"))["text"] == "Made."
        await s.rests(session)
        await line.say(type="get_history")
        spoken = [each["content"] for each in (await line.hear(type="history"))["messages"]]
        assert "I remove." in spoken
        await line.say(type="get_tree")
        nodes = (await line.hear(type="tree"))["nodes"]
        await line.say(type="branch", nodeId=nodes[2]["id"])
        assert (await line.hear(type="branched"))["nodeId"] == nodes[2]["id"]
        await line.say(type="load_repo", owner="nobody", repo="..")
        assert await line.hear(type="error")
        await line.say(type="chat", message="Another way.")
        assert (await line.hear(type="done"))["text"] == "Elsewhere."
        steps = [each["step"] for each in line.heard if each["type"] == "step"]
        assert steps == list(range(1, len(steps) + 1))
    assert (tmp_path / "work" / "a.txt").read_text() == "made"


@pytest.mark.deep
@pytest.mark.proves("I20")
async def test_a_run_goes_on_when_a_client_of_the_second_design_goes(tmp_path: Path) -> None:
    turns = [Turn(text="word " * 40, chunk=4, pace_seconds=0.005)]
    async with web(tmp_path, turns) as s:
        async with s.socket("/api/earlier/002") as socket:
            line = Line(socket)
            await line.say(type="init")
            session = (await line.hear(type="ready"))["session"]
            await line.say(type="chat", message="Talk.")
            await line.hear(type="step")
        assert (await s.rests(session))["status"] == "idle"
        assert (await s.log(session))[-1]["type"] == "task.completed"
        async with s.socket("/api/earlier/002") as socket:
            line = Line(socket)
            await line.say(type="init", session=session)
            assert (await line.hear(type="ready"))["session"] == session
