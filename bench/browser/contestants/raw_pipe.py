"""The least that can drive Chromium over a pipe: the floor that the others are held against."""

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
from typing import Any

from bench.browser.contestants.flags import FLAGS

WORDS = "hello world"


class RawPipe:
    """Futures by id over two descriptors; no deadlines, no frames, no checks."""

    def __init__(self) -> None:
        self._last = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._loads: dict[str, asyncio.Event] = {}
        self._sessions: dict[str, str] = {}
        self._begun = b""

    async def start(self, program: str) -> None:
        """Starts Chromium and attaches to what it opens."""
        self._launch(program)
        os.set_blocking(self._read, False)
        asyncio.get_running_loop().add_reader(self._read, self._take)
        await self.call("Browser.getVersion")

    def _launch(self, program: str) -> None:
        self._profile = tempfile.mkdtemp()
        command_read, self._write = os.pipe()
        self._read, answer_write = os.pipe()
        words = [program, "--headless=new", "--remote-debugging-pipe"]
        words += [f"--user-data-dir={self._profile}", *FLAGS, "about:blank"]
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", f'exec "$@" 3<&{command_read} 4>&{answer_write}', "sh", *words],
            pass_fds=(command_read, answer_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(command_read)
        os.close(answer_write)

    async def open(self, url: str) -> str:
        """Opens a page, waits for its load and gives its session."""
        target = (await self.call("Target.createTarget", {"url": "about:blank"}))["targetId"]
        attached = await self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        session = attached["sessionId"]
        self._sessions[session] = target
        loaded = self._loads[session] = asyncio.Event()
        await self.call("Page.enable", session=session)
        await self.call("Page.navigate", {"url": url}, session)
        await loaded.wait()
        return session

    async def evaluate(self, session: str, code: str) -> object:
        """The value of an expression."""
        asked = {"expression": code, "returnByValue": True}
        return (await self.call("Runtime.evaluate", asked, session))["result"].get("value")

    async def evaluate_as_ours(self, session: str, code: str) -> object:
        """The same, asking the browser for all that ``execInTab`` asks it for."""
        asked = {"expression": code, "returnByValue": True, "awaitPromise": True}
        asked |= {"userGesture": True, "timeout": 30_000}
        return (await self.call("Runtime.evaluate", asked, session))["result"].get("value")

    async def click_and_type(self, session: str) -> None:
        """Clicks the field in its middle and types eleven keys."""
        box = await self.evaluate(
            session,
            "(() => { const r = document.querySelector('#words').getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2] })()",
        )
        assert isinstance(box, list)
        for kind in ("mousePressed", "mouseReleased"):
            await self.call(
                "Input.dispatchMouseEvent",
                {"type": kind, "x": box[0], "y": box[1], "button": "left", "clickCount": 1},
                session,
            )
        for letter in WORDS:
            for kind in ("keyDown", "keyUp"):
                await self.call(
                    "Input.dispatchKeyEvent", {"type": kind, "text": letter, "key": letter}, session
                )

    async def close(self, session: str) -> None:
        """Closes a page."""
        await self.call("Target.closeTarget", {"targetId": self._sessions.pop(session)})

    async def stop(self) -> None:
        """Ends Chromium."""
        asyncio.get_running_loop().remove_reader(self._read)
        os.close(self._write)
        os.close(self._read)
        self._process.wait(20)
        shutil.rmtree(self._profile, ignore_errors=True)

    async def call(
        self, method: str, params: dict[str, Any] | None = None, session: str = ""
    ) -> dict[str, Any]:
        """One call and its result."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        waiting = self._waiting[self._last] = asyncio.get_running_loop().create_future()
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return await waiting

    def _take(self) -> None:
        *messages, self._begun = (self._begun + os.read(self._read, 1 << 20)).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._waiting.pop(message["id"]).set_result(message.get("result", {}))
            elif message["method"] == "Page.loadEventFired":
                self._loads[message["sessionId"]].set()
