"""An editor at the other end of two pipes; every frame that it gets is held to the published schema."""

import json
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.lowlevel
from anyio import create_task_group, to_thread
from jsonschema import Draft202012Validator

from ouroboros.faces.acp.door import lines, serve
from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.llm.turns import Turn
from tests.story.hub_stage import Stage, hub_stage

type Frame = dict[str, Any]

SCHEMA = cast("Frame", json.loads((Path(__file__).parent / "schema_v1.json").read_text("utf-8")))
ANSWERS = {
    "initialize": "InitializeResponse",
    "authenticate": "AuthenticateResponse",
    "session/new": "NewSessionResponse",
    "session/load": "LoadSessionResponse",
    "session/resume": "ResumeSessionResponse",
    "session/list": "ListSessionsResponse",
    "session/prompt": "PromptResponse",
    "session/set_mode": "SetSessionModeResponse",
    "session/set_config_option": "SetSessionConfigOptionResponse",
    "session/close": "CloseSessionResponse",
    "session/delete": "DeleteSessionResponse",
}
ANSWERED = {
    "fs/read_text_file": "ReadTextFileResponse",
    "fs/write_text_file": "WriteTextFileResponse",
}
TOLD = {
    "session/update": "SessionNotification",
    "session/request_permission": "RequestPermissionRequest",
    "fs/read_text_file": "ReadTextFileRequest",
    "fs/write_text_file": "WriteTextFileRequest",
    "$/cancel_request": "CancelRequestNotification",
}


def hold(name: str, value: Any) -> None:
    """Fails where a value is not what the published schema calls so."""
    part = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    checker = cast("Any", Draft202012Validator(part))
    wrong = [f"{each.json_path}: {each.message}" for each in checker.iter_errors(value)]
    assert not wrong, f"{name}: {wrong[:5]} in {json.dumps(value)[:500]}"


class Refused(Exception):
    """The agent answered with an error."""

    def __init__(self, problem: Frame) -> None:
        super().__init__(problem["message"])
        self.code: int = problem["code"]


class Editor:
    """Asks, answers and remembers; ``choose`` picks the option of a question, or cancels."""

    def __init__(self, stage: Stage, fd: int) -> None:
        self.stage, self._fd = stage, fd
        self.frames: list[Frame] = []
        self.choose: Callable[[Frame], str | None] | None = lambda _: "once"
        self.buffers: dict[str, str] = {}
        self.files: Callable[[Frame], Frame | None] = self._file
        self.unchecked = False
        self._asked: dict[int, str] = {}
        self._number = 0
        self._changed = anyio.Event()

    @property
    def cwd(self) -> Path:
        return self.stage.hub.outfit.cwd

    async def say(self, line: bytes | Frame) -> None:
        data = line if isinstance(line, bytes) else json.dumps({"jsonrpc": "2.0", **line}).encode()
        await to_thread.run_sync(os.write, self._fd, data + b"\n")

    def hang_up(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    async def begin(self, method: str, **params: Any) -> int:
        """Sends a request; gives its id."""
        self._number += 1
        self._asked[self._number] = method
        await self.say({"id": self._number, "method": method, "params": params})
        return self._number

    async def answer(self, id: int | str | None) -> Frame:
        """The result of a request."""
        found = await self.until(lambda each: "method" not in each and each.get("id") == id)
        if "error" in found:
            raise Refused(found["error"])
        return cast("Frame", found["result"])

    async def ask(self, method: str, **params: Any) -> Frame:
        return await self.answer(await self.begin(method, **params))

    async def open(self, **wish: Any) -> str:
        """A new session."""
        answer = await self.ask("session/new", **{"cwd": str(self.cwd), "mcpServers": [], **wish})
        return cast("str", answer["sessionId"])

    async def prompt(self, session: str, *blocks: str | Frame) -> str:
        """Says something; gives the stop reason."""
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        answer = await self.ask("session/prompt", sessionId=session, prompt=content)
        return cast("str", answer["stopReason"])

    async def until(self, fits: Callable[[Frame], bool]) -> Frame:
        """The first frame that fits, now or later."""
        with anyio.fail_after(60):
            while True:
                for each in self.frames:
                    if fits(each):
                        return each
                await self._changed.wait()

    def updates(self, *kinds: str) -> list[Frame]:
        """Updates of such kinds, of all sessions."""
        told = (
            each["params"]["update"] for each in self.frames if "update" in each.get("params", ())
        )
        return [each for each in told if not kinds or each["sessionUpdate"] in kinds]

    def text(self, kind: str = "agent_message_chunk") -> str:
        return "".join(each["content"].get("text", "") for each in self.updates(kind))

    @property
    def questions(self) -> list[Frame]:
        name = "session/request_permission"
        return [each["params"] for each in self.frames if each.get("method") == name]

    def asked(self, method: str) -> list[Frame]:
        """What it was asked by this method."""
        return [each["params"] for each in self.frames if each.get("method") == method]

    def _file(self, frame: Frame) -> Frame | None:
        """Answers like an editor that has ``buffers`` open, and saves what it is given."""
        params = frame["params"]
        path = Path(params["path"])
        if frame["method"] == "fs/write_text_file":
            path.write_text(params["content"], encoding="utf-8")
            self.buffers.pop(str(path), None)
            return {"result": {}}
        if str(path) in self.buffers:
            return {"result": {"content": self.buffers[str(path)]}}
        if path.exists():
            return {"result": {"content": path.read_text(encoding="utf-8")}}
        return {"error": {"code": -32002, "message": "Resource not found"}}

    async def listen(self, fd: int) -> None:
        async for line in lines(fd):
            await self._take(cast("Frame", json.loads(line)))

    async def _take(self, frame: Frame) -> None:
        assert frame["jsonrpc"] == "2.0"
        method = frame.get("method")
        if method is not None:
            hold(TOLD[method], frame["params"])
        elif "result" in frame:
            hold(ANSWERS[self._asked[frame["id"]]], frame["result"])
        else:
            hold("Error", frame["error"])
        self.frames.append(frame)
        self._changed.set()
        self._changed = anyio.Event()
        if method is not None and method.startswith("fs/"):
            answer = await to_thread.run_sync(self.files, frame)
            if answer is not None:
                if "result" in answer and not self.unchecked:
                    hold(ANSWERED[method], answer["result"])
                await self.say({"id": frame["id"], **answer})
        if method == "session/request_permission" and self.choose is not None:
            chosen = self.choose(frame["params"])
            outcome = {"outcome": "cancelled"}
            if chosen is not None:
                outcome = {"outcome": "selected", "optionId": chosen}
            result: Frame = {"outcome": outcome}
            hold("RequestPermissionResponse", result)
            await self.say({"id": frame["id"], "result": result})


@asynccontextmanager
async def editing(
    tmp_path: Path,
    turns: Sequence[Turn],
    *,
    can: Frame | None = None,
    repeat: bool = False,
    mode: str = "ask",
    patience: float = 30,
    **flags: Any,
) -> AsyncGenerator[Editor]:
    """An agent whose model plays a script, and an editor that has said its first words."""
    theirs, mine = os.pipe()
    back, out = os.pipe()
    async with hub_stage(tmp_path, turns, repeat=repeat, mode=mode, **flags) as stage:
        editor = Editor(stage, mine)
        try:
            async with create_task_group() as tasks:
                tasks.start_soon(editor.listen, back)
                way = partial(serve, stage.hub, theirs, Outlet(out), patience=patience)
                tasks.start_soon(way)
                await editor.ask("initialize", protocolVersion=1, clientCapabilities=can or {})
                yield editor
                editor.hang_up()
                with anyio.move_on_after(5):
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
        finally:
            editor.hang_up()
            for fd in (theirs, back, out):
                os.close(fd)
