"""The worker messages of an earlier design: one to one with commands and events, and over a socket."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, cast

import anyio
import msgspec
import pytest

from ouroboros.app.ouroboros import Session
from ouroboros.core.commands import Approve, Branch, Deny, Steer, Submit
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionRequested
from ouroboros.core.events.schema import registry
from ouroboros.faces.ipc.link import Link
from ouroboros.faces.wording import worker
from ouroboros.llm.turns import Turn
from ouroboros.store.lease import holder
from tests import forked
from tests.story.stage import call, stage
from tests.story.test_cli_run import script

TURNS = [
    Turn(text="I remove.", tool_calls=(call("shell", command="rm -r x"),)),
    Turn(text="Not removed."),
    Turn(text="I make.", tool_calls=(call("shell", command="make it"),)),
    Turn(text="Made."),
    Turn(text="Elsewhere."),
]


class Line:
    """A connection without a socket: what was said to it, and what it said."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = []
        self.give, self.lines = anyio.create_memory_object_stream[bytes](100)
        self._changed = anyio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.give.close()
        self.lines.close()

    def hear(self, told: worker.Told) -> None:
        self.said.append(cast("dict[str, Any]", msgspec.json.decode(msgspec.json.encode(told))))
        self._changed.set()
        self._changed = anyio.Event()

    def say(self, **message: str) -> None:
        self.give.send_nowait(json.dumps(message).encode())

    async def hears(self, kind: str, count: int = 1) -> dict[str, Any]:
        with anyio.fail_after(60):
            while len(found := [each for each in self.said if each["type"] == kind]) < count:
                await self._changed.wait()
        return found[count - 1]


@asynccontextmanager
async def of(session: Session) -> AsyncGenerator[Session]:
    yield session


@pytest.mark.deep
@pytest.mark.proves("I20")
async def test_each_message_does_and_tells_one_thing(tmp_path: Path) -> None:
    async with (
        Line() as line,
        stage(tmp_path, TURNS, interactive=True, mode="ask", check=False) as s,
    ):
        link = Link(lambda _: of(s.session), line.hear)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(link.serve, line.lines)
            line.say(type="get_tree")
            assert "no session is open yet" in (await line.hears("error"))["message"]
            line.say(type="init")
            ready = await line.hears("ready")
            assert (ready["session"], ready["mode"]) == (s.session.id, "ask")
            line.say(type="chat", message="Remove it.")
            pending = await line.hears("tool_pending")
            assert (pending["name"], "rm -r x" in pending["code"]) == ("shell", True)
            line.say(type="reject_tool", toolId=pending["toolId"], reason="keep it")
            assert (await line.hears("tool_result"))["ok"] is False
            assert (await line.hears("done"))["text"] == "Not removed."
            line.say(type="chat", message="Make it.")
            pending = await line.hears("tool_pending", 2)
            line.say(type="chat", message="quickly")
            line.say(type="approve_tool", toolId=pending["toolId"])
            await line.hears("done", 2)
            line.say(type="get_history")
            spoken = [m["content"] for m in (await line.hears("history"))["messages"]]
            assert spoken[1:] == [
                "Remove it.", "I remove.", "Not removed.", "Make it.", "I make.", "quickly", "Made."
            ]  # fmt: skip
            line.say(type="get_tree")
            nodes = (await line.hears("tree"))["nodes"]
            line.say(type="branch", nodeId=nodes[2]["id"])
            assert (await line.hears("branched"))["nodeId"] == nodes[2]["id"]
            line.say(type="chat", message="Another way.")
            await line.hears("done", 3)
            line.say(type="get_tree")
            told = await line.hears("tree", 2)
            assert told["head"] == told["nodes"][-1]["id"]
            assert [len(node["children"]) for node in told["nodes"]][2] == 2
            line.give.close()
    steps = [each["step"] for each in line.said if each["type"] == "step"]
    assert steps == list(range(1, len(steps) + 1))
    calls = [each["id"] for each in line.said if each["type"] == "tool_call"]
    assert [each["id"] for each in line.said if each["type"] == "tool_result"] == calls


@pytest.mark.proves("I20")
def test_every_message_in_is_one_command_and_every_message_out_one_event() -> None:
    read = {
        '{"type":"chat","message":"x"}': Submit(text="x"),
        '{"type":"branch","nodeId":"x"}': Branch(message_id="x"),
        '{"type":"approve_tool","toolId":"x"}': Approve(request_id="x"),
        '{"type":"reject_tool","toolId":"x","reason":"y"}': Deny(request_id="x", message="y"),
        '{"type":"get_history"}': None,
        '{"type":"get_tree"}': None,
        '{"type":"init","session":"x"}': None,
        '{"type":"load_repo","owner":"a","repo":"b"}': None,
    }
    for text, command in read.items():
        assert worker.command_of(worker.read(text.encode()), running=False) == command
    said = worker.read(b'{"type":"chat","message":"x"}')
    assert worker.command_of(said, running=True) == Steer(text="x")
    assert worker.loaded("a", "b", "/r")["type"] == "repo_loaded"
    known = {"session.ready", "turn.started", "tool.started", "tool.result", "permission.requested"}
    assert (
        known | {"error", "task.completed", "session.branched", "repo.loaded"} <= registry().keys()
    )


@pytest.mark.parametrize(
    "line",
    [b"", b"x", b"[]", b"{}", b'{"type":"chat"}', b'{"type":"sing"}', b'{"type":"chat","message":1}', b"\xff", b"[" * 99999],
)  # fmt: skip
def test_a_line_that_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(Misuse, match="not a message"):
        worker.read(line)


async def test_what_cannot_be_done_is_answered_and_the_connection_stays(tmp_path: Path) -> None:
    async with Line() as line, stage(tmp_path, [Turn(text="Done.")]) as s:
        link = Link(lambda _: of(s.session), line.hear)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(link.serve, line.lines)
            line.say(type="init")
            line.say(type="load_repo", owner="a", repo="b")
            assert "loads no repositories" in (await line.hears("error"))["message"]
            line.say(type="init")
            assert "open already" in (await line.hears("error", 2))["message"]
            line.say(type="branch", nodeId="nowhere")
            assert "no message 'nowhere'" in (await line.hears("error", 3))["message"]
            line.say(type="approve_tool", toolId="none")
            assert "not open any more" in (await line.hears("error", 4))["message"]
            line.say(type="chat", message=" ")
            await line.hears("error", 5)
            line.say(type="chat", message="Do it.")
            await line.hears("done")
            line.give.close()


async def test_a_repository_is_brought_here_and_its_place_told(tmp_path: Path) -> None:
    async def load(owner: str, repo: str) -> str:
        return f"/repos/{owner}_{repo}"

    async with Line() as line, stage(tmp_path, []) as s:
        link = Link(lambda _: of(s.session), line.hear, load=load)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(link.serve, line.lines)
            line.say(type="init")
            line.say(type="load_repo", owner="a", repo="b")
            assert (await line.hears("repo_loaded"))["folder"] == "/repos/a_b"
            line.give.close()


async def test_a_connection_that_ends_stops_its_run(tmp_path: Path) -> None:
    turns = [Turn(text="I wait.", tool_calls=(call("shell", command="sleep 30"),))]
    async with Line() as line, stage(tmp_path, turns) as s:
        link = Link(lambda _: of(s.session), line.hear)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(link.serve, line.lines)
            line.say(type="init")
            line.say(type="chat", message="Wait.")
            await line.hears("tool_call")
            line.give.close()
        assert s.session.state.ended == "cancelled"
    assert not s.events(PermissionRequested)


async def test_messages_that_come_at_once_are_taken_in_their_order(tmp_path: Path) -> None:
    async with Line() as line, stage(tmp_path, [Turn(text="Done.")] * 2, check=False) as s:

        async def at_once() -> AsyncGenerator[bytes]:
            for said in ({"type": "init"}, *({"type": "chat", "message": each} for each in "ab")):
                yield json.dumps(said).encode()
            await line.hears("done")

        await Link(lambda _: of(s.session), line.hear).serve(at_once())
        said = [each.text for each in s.session.history() if each.kind == "plain"]
        assert said[:2] == ["a", "b"]


@pytest.mark.deep
@pytest.mark.proves("I20")
def test_sessions_over_a_socket_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = script(tmp_path, {"text": "One."}, {"text": "Two."})
    monkeypatch.chdir(tmp_path)  # a socket's name may be short only
    path = Path("s")
    path.touch()
    command = [sys.executable, "-m", "ouroboros", "serve", "--model", model, "--socket"]
    refused = forked.run(
        [*command, str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert refused.returncode == 2
    assert "cannot listen" in refused.stderr
    path.unlink()
    with forked.Popen([*command, "s"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        try:
            while not listens(path):
                assert server.poll() is None
                time.sleep(0.01)
            first = talk(path, {"type": "init"}, {"type": "chat", "message": "Hello"}, until="done")
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert (first[-1]["text"], first[0]["type"]) == ("One.", "ready")
            deadline = time.monotonic() + 120
            while holder(Path(os.environ["OUROBOROS_HOME"]), first[0]["session"]) is not None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            again = [{"type": "init", "session": first[0]["session"]}, {"type": "get_history"}]
            second = talk(path, *again, until="history", pieces=3)
            assert [each["content"] for each in second[-1]["messages"]][1:] == ["Hello", "One."]
            twice = forked.run(
                [*command, "s"],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert "another program listens" in twice.stderr
        finally:
            os.kill(server.pid, signal.SIGINT)
            server.communicate(timeout=120)
    assert not path.exists()


@pytest.mark.proves("interfaces-serve")
def test_a_signal_ends_it_with_its_sessions_and_its_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("s")
    command = [sys.executable, "-m", "ouroboros", "serve", "--model", "echo", "--socket", "s"]
    with forked.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        while not listens(path):
            assert server.poll() is None
            time.sleep(0.01)
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            line.sendall(b'{"type": "init"}\n')
            session = json.loads(line.makefile().readline())["session"]
            os.kill(server.pid, signal.SIGTERM)
            said = server.communicate(timeout=120)[1]
    assert (server.returncode, said) == (0, "listening at s\n")
    assert holder(Path(os.environ["OUROBOROS_HOME"]), session) is None
    assert not path.exists()


def listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def talk(
    path: Path, *messages: dict[str, str], until: str, pieces: int = 10_000
) -> list[dict[str, Any]]:
    """Says these things, in pieces of so many bytes, and reads until a message of a kind."""
    told: list[dict[str, Any]] = []
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(60)
        end.connect(str(path))
        end.sendall(b"nonsense\n")
        sent = b"".join(json.dumps(each).encode() + b"\n" for each in messages)
        for start in range(0, len(sent), pieces):
            end.sendall(sent[start : start + pieces])
        with end.makefile("rb") as lines:
            assert json.loads(lines.readline())["type"] == "error"
            while not told or told[-1]["type"] != until:
                told.append(json.loads(lines.readline()))
    return told
