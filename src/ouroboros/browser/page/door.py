"""The way to our library in a page: installed in each document, asked by name, across all frames."""

import secrets
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from anyio import to_thread
from msgspec import Raw, Struct

from ouroboros.browser import input_guard
from ouroboros.browser.errors import BrowserFailed, CallRefused, CannotAct, PageChanged
from ouroboros.browser.frames import World
from ouroboros.browser.page.closed import adopt_closed, adopt_of
from ouroboros.browser.tab import Tab

type Target = str | dict[str, Any]
"""A selector, or a handle ``{__handle: {node, frame, loader}}`` that a look gave."""

type FrameName = str | int | None
"""Number, name, id or part of the address of a frame; None for the page itself."""

ASK_SECONDS = 30.0
FRAMES_DEEP = 10

_SECRET = secrets.token_hex(8)
_STALE = (
    *("Cannot find context", "context was destroyed", "navigated or closed", "Cannot find exe"),
    *("Could not find object with given id", "Could not find node with given id"),
    *("No node with given id", "Node with given id does not belong", "Frame with the given id"),
)
_LIBRARY = "page"
_READS = {"one", "every", "text", "dom"}
_ENCODE = msgspec.json.Encoder().encode


class Handle(Struct, frozen=True, kw_only=True):
    """One element of one document; another document, and it means nothing."""

    node: int
    frame: str
    loader: str

    def written(self) -> dict[str, Any]:
        """As code sees it and gives it back."""
        return {"__handle": msgspec.to_builtins(self)}


class Found(Struct, frozen=True, kw_only=True):
    """What the library answered, still encoded, and where."""

    value: bytes
    world: World


class _Value(Struct, frozen=True):
    value: Raw = Raw(b"null")


class _Thrown(Struct, frozen=True):
    text: str = ""


class _Evaluated(Struct, frozen=True, rename="camel"):
    result: _Value = _Value()
    exception_details: _Thrown | None = None


class _Refused(Struct, frozen=True):
    kind: str = msgspec.field(name="__refused")
    message: str = ""


class _Enter(Struct, frozen=True):
    frame: int = msgspec.field(name="__enter")
    rest: str = ""


class _Described(Struct, frozen=True, rename="camel"):
    class Node(Struct, frozen=True, rename="camel"):
        frame_id: str = ""

    node: Node


class _Object(Struct, frozen=True, rename="camel"):
    class Remote(Struct, frozen=True, rename="camel"):
        object_id: str = ""

    result: Remote = Remote()


@cache
def _library() -> str:
    parts = sorted((Path(__file__).parent / "library").glob("*.js"))
    return "\n".join((input_guard.bound(), *(part.read_text("utf-8") for part in parts)))


def door(world: World) -> str:
    """The name our library has in one document, which no script of the page could guess."""
    return _ENCODE(f"{_SECRET}-{world.frame}-{world.loader}").decode()


async def _install(tab: Tab, world: World) -> None:
    # Installed twice at once, the later one would forget what the first one holds.
    source = (
        f'(() => {{"use strict"; const DOOR = {door(world)}; if (globalThis[DOOR]) return;\n'
        f"{await to_thread.run_sync(_library)}\n}})()"
    )
    params = {"expression": source, "contextId": world.context, "returnByValue": True}
    done = await tab.ask(_Evaluated, "Runtime.evaluate", params, session=world.session)
    if done.exception_details is not None:
        raise BrowserFailed(f"this page cannot be worked in: {done.exception_details.text}")
    world.installed.add(_LIBRARY)


async def evaluate_in(
    tab: Tab, world: World, code: str, *, timeout_seconds: float = ASK_SECONDS
) -> bytes:
    """What ``code`` comes to in our world of one document.

    Raises:
        PageChanged: The document is gone.
    """
    with staying(tab, world):
        if _LIBRARY not in world.installed:
            await _install(tab, world)
        params = {
            "expression": f"globalThis[{door(world)}]?{code}:{{__refused:'stale'}}",
            "contextId": world.context,
            "awaitPromise": True,
            "returnByValue": True,
        }
        done = await tab.ask(
            _Evaluated,
            "Runtime.evaluate",
            params,
            session=world.session,
            timeout_seconds=timeout_seconds,
        )
    if done.exception_details is not None:
        raise BrowserFailed(f"{tab.id}: {done.exception_details.text}")
    return bytes(done.result.value)


async def ask_in(
    tab: Tab,
    world: World,
    operation: str,
    wanted: dict[str, Any],
    *,
    timeout_seconds: float = ASK_SECONDS,
) -> bytes:
    """One operation of the library in one document.

    Raises:
        CannotAct: The library says why not.
        PageChanged: The document, or the element of a handle, is gone.
    """
    words = _ENCODE(wanted).decode().replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    code = f"globalThis[{door(world)}].run({_ENCODE(operation).decode()},{words})"
    value = await evaluate_in(tab, world, code, timeout_seconds=timeout_seconds)
    if value[:12] != b'{"__refused"':
        return value
    refused = msgspec.json.decode(value, type=_Refused)
    match refused.kind:
        case "stale":
            tab.frames.forget_world(world)
            raise PageChanged(f"{tab.id}: the page was left meanwhile")
        case "changed":
            raise PageChanged(f"{tab.id}: {refused.message}")
        case "missing" | "cannot" | "selector":
            raise Missing.of(refused.kind, f"{tab.id}: {refused.message}")
        case _:
            raise BrowserFailed(f"{tab.id}: {refused.message}")


class Missing(CannotAct):
    """No element matches."""

    @staticmethod
    def of(kind: str, message: str) -> CannotAct:
        """The error of a refusal's kind."""
        return Missing(message) if kind == "missing" else CannotAct(message)


def target_of(target: Target, frame: FrameName) -> tuple[dict[str, Any], Handle | None]:
    """What the library is asked for, and the handle where it was one.

    Raises:
        CannotAct: It is neither a selector nor a handle.
    """
    if isinstance(target, str):
        return {"selector": target.strip(), "frame": frame}, None
    try:
        handle = msgspec.convert(target.get("__handle"), Handle)
    except msgspec.ValidationError as odd:
        raise CannotAct("a target is a selector or a handle that outline or handle gave") from odd
    return {"node": handle.node}, handle


async def ask(
    tab: Tab,
    operation: str,
    target: Target,
    *,
    frame: FrameName = None,
    timeout_seconds: float = ASK_SECONDS,
    options: Mapping[str, object] | None = None,
) -> Found:
    """One operation on what ``target`` names, in whichever frame that is.

    Raises:
        CannotAct: There is no such element, or it cannot be done; the words say why.
        PageChanged: A handle's document is gone; a selector is tried again in the new one.
    """
    wanted, handle = target_of(target, frame)
    asked = _Asked(operation, options or {}, timeout_seconds, handle, frame)
    for again in (True, True, False):
        try:
            return await _ask(tab, asked, wanted)
        except PageChanged:
            if handle is not None or not again:
                raise
    raise AssertionError


class _Asked(NamedTuple):
    operation: str
    options: Mapping[str, object]
    timeout_seconds: float
    handle: Handle | None
    frame: FrameName

    async def place(self, tab: Tab, wanted: dict[str, Any]) -> tuple[World, dict[str, Any]]:
        """Where it begins; a frame that only the page itself can name is left to the library."""
        if self.handle is not None:
            return await world_of(tab, self.handle), wanted
        inner = tab.frames.named(self.frame) if self.frame is not None else None
        if inner is None:
            return await tab.world(), wanted
        return await tab.world(inner.id), {**wanted, "frame": None}

    async def once(self, tab: Tab, world: World, wanted: dict[str, Any]) -> bytes:
        words = {"target": wanted, **self.options}
        return await ask_in(tab, world, self.operation, words, timeout_seconds=self.timeout_seconds)

    def found_nothing(self, value: bytes) -> bool:
        return self.operation in _READS and value in {b"null", b"[]"}


async def _ask(tab: Tab, asked: _Asked, wanted: dict[str, Any]) -> Found:
    handle = asked.handle
    world, wanted = await asked.place(tab, wanted)
    for _ in range(FRAMES_DEEP):
        try:
            value = await asked.once(tab, world, wanted)
            is_missing = asked.found_nothing(value)
        except Missing:
            if handle is not None or not await adopt_closed(tab, world, door(world)):
                raise
            value, is_missing = await asked.once(tab, world, wanted), False
        if is_missing and await adopt_closed(tab, world, door(world)):
            value = await asked.once(tab, world, wanted)
        if value[:10] != b'{"__enter"':
            return Found(value=value, world=world)
        enter = msgspec.json.decode(value, type=_Enter)
        world = await tab.world(await frame_of(tab, world, enter.frame))
        wanted = {"selector": enter.rest}
    raise CannotAct(f"{tab.id}: more than {FRAMES_DEEP} frames lie in each other")


async def world_of(tab: Tab, handle: Handle) -> World:
    """The world of a handle's document.

    Raises:
        PageChanged: The frame shows another document now.
    """
    frame = tab.frames.find(handle.frame)
    if frame.loader != handle.loader:
        raise PageChanged(
            f"{tab.id}: the page of this handle was left; look again for the element",
        )
    return await tab.world(handle.frame)


@contextmanager
def staying(tab: Tab, world: World) -> Generator[None]:
    """Says of a call that failed since the document is gone just that.

    Raises:
        PageChanged: It is gone.
    """
    try:
        yield
    except CallRefused as refused:
        if any(words in refused.message for words in _STALE):
            tab.frames.forget_world(world)
            raise PageChanged(f"{tab.id}: the page was left meanwhile") from refused
        raise


async def object_of(tab: Tab, world: World, node: int) -> str:
    """The protocol's name for an element that the library holds; it lasts as long as the document.

    Raises:
        PageChanged: It is gone.
    """
    params = {
        "expression": f"globalThis[{door(world)}].element({node})",
        "contextId": world.context,
    }
    with staying(tab, world):
        made = await tab.ask(_Object, "Runtime.evaluate", params, session=world.session)
    if not made.result.object_id:
        raise PageChanged(f"{tab.id}: the element is gone")
    return made.result.object_id


async def opened_up(tab: Tab, world: World, node: int) -> bool:
    """Lets our library into the closed shadow root of an element that it holds; whether there is one."""
    return await adopt_of(tab, world, door(world), await object_of(tab, world, node))


async def frame_of(tab: Tab, world: World, node: int) -> str:
    """The browser's name for what a frame element that the library holds shows; raises as ``object_of``."""
    wanted = {"objectId": await object_of(tab, world, node)}
    with staying(tab, world):
        described = await tab.ask(_Described, "DOM.describeNode", wanted, session=world.session)
    if not described.node.frame_id:
        raise PageChanged(f"{tab.id}: the frame is gone")
    return described.node.frame_id


async def ask_owner(
    tab: Tab, frame: str, at: tuple[float, float], *, scrolled: bool
) -> tuple[bytes, World]:
    """Maps a point of a cross-origin frame to the frame around it, through the element that holds it."""
    inner = tab.frames.find(frame)
    outer = await tab.world(inner.parent)
    with staying(tab, outer):
        return await _from_frame(tab, outer, frame, [*at, scrolled]), outer


async def _from_frame(tab: Tab, outer: World, frame: str, given: list[object]) -> bytes:
    if _LIBRARY not in outer.installed:
        await _install(tab, outer)
    owner = msgspec.json.decode(
        await tab.call("DOM.getFrameOwner", {"frameId": frame}, session=outer.session)
    )
    node = {"backendNodeId": owner["backendNodeId"], "executionContextId": outer.context}
    resolved = msgspec.json.decode(await tab.call("DOM.resolveNode", node, session=outer.session))
    params: dict[str, Any] = {
        "objectId": resolved["object"]["objectId"],
        "functionDeclaration": f"function(...at) {{ return globalThis[{door(outer)}].fromFrame(this, ...at) }}",
        "arguments": [{"value": value} for value in given],
        "awaitPromise": True,
        "returnByValue": True,
    }
    mapped = await tab.ask(_Evaluated, "Runtime.callFunctionOn", params, session=outer.session)
    return bytes(mapped.result.value)
