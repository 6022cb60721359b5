"""Keeps presses and keys of ours from every element but the one that is meant, in all frames of a page.

A layout may shift between the look at a point and the press there. So a listener of ours, in each frame and
before those of the page, stops what another element would receive.
"""

import contextlib
import secrets
from functools import cache
from pathlib import Path
from typing import Any, Literal

import anyio
import anyio.to_thread
from msgspec import Struct

from ouroboros.browser.connection import Call
from ouroboros.browser.errors import CallRefused, DialogOpen, PageChanged
from ouroboros.browser.frames import WORLD, World
from ouroboros.browser.tab import Tab

type Kind = Literal["press", "keys", "drop"]

_EVALUATE = "Runtime.evaluate"
_ADD = "Page.addScriptToEvaluateOnNewDocument"
_BORN_MS = 500
"""For how long a document that begins meanwhile is armed; nobody tells it that the input is over."""

_NAME, _KEY = (f'"{secrets.token_hex(16)}"' for _ in range(2))


class _GuardValue(Struct, frozen=True):
    value: object = None


class _GuardAnswer(Struct, frozen=True):
    result: _GuardValue = _GuardValue()


class _Added(Struct, frozen=True):
    identifier: str = ""


@cache
def _source() -> str:
    text = Path(__file__).with_suffix(".js").read_text("utf-8")
    return f"{{const NAME = {_NAME}, KEY = {_KEY};\n{text}}}"


async def ready() -> None:
    """Reads what is sent to pages, once and off the event loop."""
    await anyio.to_thread.run_sync(_source)


def on_new_document() -> Call:
    """The call that puts the guard into each document of a target, before its first script."""
    return _ADD, {"source": _source(), "worldName": WORLD, "runImmediately": True}


def bound() -> str:
    """The guard as our library in the same world knows it; put there where it came too late."""
    return f"{_source()}\nconst GUARD = globalThis[{_NAME}], KEY = {_KEY};"


class InputGuard:
    """Armed for one input: every frame but that of the meant element keeps it from the page."""

    def __init__(self, tab: Tab, kind: Kind) -> None:
        """Does nothing yet."""
        self._tab, self._kind = tab, kind
        self.is_late = False
        """Some document was there before our listeners, so its own may hear first what they stop."""
        self._born: list[tuple[str, str]] = []
        self._worlds: list[World] = []

    async def arm(self, meant: str) -> None:
        """Arms all frames but ``meant``, and the documents that begin from now on."""
        frames = [frame for frame in self._tab.frames if frame.session]
        sessions = dict.fromkeys(frame.session for frame in frames)
        others = [frame.id for frame in frames if frame.id != meant]
        if len(sessions) == 1 and not others:
            await self._arm_coming(self._tab.session)
            return
        async with anyio.create_task_group() as arming:
            for session in sessions:
                arming.start_soon(self._arm_coming, session)
            for frame in others:
                arming.start_soon(self._arm_frame, frame)

    async def disarm(self) -> str:
        """What of another frame would have received the input; empty when nothing would."""
        strays: list[str] = []

        async def ask(world: World) -> None:
            with contextlib.suppress(CallRefused, PageChanged, DialogOpen):
                told = await self._evaluate(world, f"globalThis[{_NAME}]?.disarm({_KEY})")
                strays.extend([told] if isinstance(told, str) and told else [])

        self._forget_coming()
        worlds, self._worlds = self._worlds, []
        if worlds:
            async with anyio.create_task_group() as asking:
                for world in worlds:
                    asking.start_soon(ask, world)
        return next(iter(strays), "")

    def let_go(self) -> None:
        """Disarms without waiting, for a page that does not answer."""
        self._forget_coming()
        for world in self._worlds:
            params = {
                "expression": f"globalThis[{_NAME}]?.disarm({_KEY})",
                "contextId": world.context,
            }
            self._tab.connection.post(_EVALUATE, params, session=world.session)
        self._worlds = []

    async def _arm_coming(self, session: str) -> None:
        arm = f"globalThis[{_NAME}]?.arm({_KEY}, '{self._kind}', {{ ms: {_BORN_MS} }})"
        params = {"source": arm, "worldName": WORLD}
        with contextlib.suppress(CallRefused):  # the frame's process went meanwhile
            added = await self._tab.ask(_Added, _ADD, params, session=session)
            self._born.append((session, added.identifier))

    async def _arm_frame(self, frame: str) -> None:
        arm = f"globalThis[{_NAME}].arm({_KEY}, '{self._kind}')"
        try:
            world = await self._tab.world(frame)
            self._worlds.append(world)
            guard = f"globalThis[{_NAME}]"
            armed = await self._evaluate(world, f"{guard} ? {arm} && !{guard}.isOld : null")
            self.is_late = self.is_late or not armed
            if armed is None:
                await self._evaluate(world, f"{_source()}\n{arm}")
        except (CallRefused, PageChanged):
            return  # another document comes there, and is born armed

    async def _evaluate(self, world: World, expression: str) -> object:
        params: dict[str, Any] = {
            "expression": expression,
            "contextId": world.context,
            "returnByValue": True,
        }
        done = await self._tab.ask(_GuardAnswer, _EVALUATE, params, session=world.session)
        return done.result.value

    def _forget_coming(self) -> None:
        for session, identifier in self._born:
            params = {"identifier": identifier}
            self._tab.connection.post(
                "Page.removeScriptToEvaluateOnNewDocument", params, session=session
            )
        self._born = []
