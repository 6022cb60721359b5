"""Code that runs in a page: the primitive of ``execInTab``, with a deadline that stops it."""

import contextlib
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

import anyio.to_thread
import msgspec
from msgspec import Raw, Struct

from ouroboros.browser.connection import Caller, Connection, read
from ouroboros.browser.errors import BrowserFailed, CallRefused, CallTimedOut, PageChanged
from ouroboros.browser.frames import FrameMap, World

GRACE_SECONDS = 1.0
"""The page stops the code itself; this much later we no longer wait for it to say so."""

PROBE_SECONDS = 0.5

ATTEMPTS = 5
"""Worlds that may be gone before the code gets there; nothing has run then."""

_LIBRARY = "ouroborosRun"
_STALE = ("Cannot find context", "uniqueContextId not found", "Cannot find execution context")
_STOPPED = ("terminated", "Internal error")
_LEFT = ("navigated or closed", "Promise was collected", "Cannot find default execution context")


class Page(Caller, Protocol):
    """What of a tab is needed here."""

    @property
    def id(self) -> str: ...
    @property
    def connection(self) -> Connection: ...
    @property
    def frames(self) -> FrameMap: ...
    async def world(self, frame: str = "") -> World: ...


class _Remote(Struct, frozen=True, rename="camel"):
    type: str = ""
    value: Raw = Raw(b"null")
    unserializable_value: str = ""
    description: str = ""
    object_id: str = ""


class _Exception(Struct, frozen=True, rename="camel"):
    text: str = ""
    line_number: int = 0
    exception: _Remote = _Remote()


class _Evaluated(Struct, frozen=True, rename="camel"):
    result: _Remote = _Remote()
    exception_details: _Exception | None = None


class _Fault(Struct, frozen=True):
    message: str = ""
    line: int = 0


class Order(Struct, frozen=True, kw_only=True):
    """What is to run where."""

    code: str
    world: str
    frame: str
    timeout_seconds: float
    limit: int


class _Stale(Exception):
    """The world was gone before anything ran in it."""


@cache
def _library() -> str:
    text = files("ouroboros.browser").joinpath("evaluate.js").read_text("utf-8")
    return text[text.index("(() =>") :].strip()


async def ready() -> None:
    """Reads what is sent to pages, once and off the event loop."""
    await anyio.to_thread.run_sync(_library)


async def evaluated(page: Page, order: Order) -> bytes:
    """The JSON of what the code comes to; as ``Tab.evaluate``."""
    for _ in range(ATTEMPTS):
        with contextlib.suppress(_Stale):
            return await _run(page, order)
    raise PageChanged(f"{page.id}: the page is being left all the time; nothing was run")


async def _run(page: Page, order: Order) -> bytes:
    call = f".run({_quoted(order.code)},{order.limit})"
    if order.world == "main":
        frame, world = page.frames.find(order.frame), None
        session, where = frame.session, {}
        if frame.id != page.frames.top and frame.session == _top_session(page):
            raise BrowserFailed(
                f"{page.id}: a frame of the page's own process has no main world of its own here",
                hint="run the code without world=main, or through contentWindow in the page",
            )
        expression = f"({_library()}){call}"
    else:
        world = await page.world(order.frame)
        session, where = world.session, {"contextId": world.context}
        expression = f"{_LIBRARY}{call}"
        if _LIBRARY not in world.installed:
            expression = f"(globalThis.{_LIBRARY}??={_library()}){call}"
    began = anyio.current_time()
    try:
        found = await _evaluate(page, order, session, {"expression": expression, **where})
        if world is not None:
            world.installed.add(_LIBRARY)
        answer = _text(found)
        if answer == "r":
            answer = await _as_typed(page, order, session, where)
    except CallRefused as refused:
        if world is not None and refused.message.partition(": ")[2].startswith(_STALE):
            page.frames.forget_world(world)
            raise _Stale from refused
        raise _explained(page, order, refused, anyio.current_time() - began) from refused
    return _read(page, answer)


def _top_session(page: Page) -> str:
    return page.frames.find("").session


async def _evaluate(page: Page, order: Order, session: str, more: dict[str, Any]) -> _Remote:
    params = {
        "awaitPromise": True,
        "userGesture": True,
        "timeout": int(order.timeout_seconds * 1000),
        "objectGroup": _LIBRARY,
        **more,
    }
    seconds = order.timeout_seconds + GRACE_SECONDS
    try:
        told = await page.call("Runtime.evaluate", params, session=session, timeout_seconds=seconds)
    except CallTimedOut as late:
        await _stop(page, session)
        raise _late(page, order) from late
    result = read(_Evaluated, told, "Runtime.evaluate")
    if result.exception_details is not None:
        thrown = result.exception_details
        words = thrown.exception.description or thrown.text
        raise BrowserFailed(f"{page.id}: {words[:500]}")
    return result.result


async def _as_typed(page: Page, order: Order, session: str, where: dict[str, Any]) -> str:
    """The way of a console: for code that awaits between statements, and pages that forbid eval."""
    typed = {"expression": order.code, "replMode": True, **where}
    found = await _evaluate(page, order, session, typed)
    if not found.object_id:
        return _plain(found, order.limit)
    params = {
        "functionDeclaration": f"function(limit){{return ({_library()}).tell(this,limit)}}",
        "objectId": found.object_id,
        "arguments": [{"value": order.limit}],
        "returnByValue": True,
    }
    if found.type == "function":
        raise BrowserFailed(f"{page.id}: the code comes to a function, not to a value: call it")
    told = await page.call("Runtime.callFunctionOn", params, session=session)
    page.connection.post("Runtime.releaseObjectGroup", {"objectGroup": _LIBRARY}, session=session)
    return _text(read(_Evaluated, told, "Runtime.callFunctionOn").result)


def _plain(found: _Remote, limit: int) -> str:
    if found.unserializable_value:
        return "v" + _quoted(found.unserializable_value.removesuffix("n"))
    if found.type == "string" and len(found.value) > limit:
        text = msgspec.json.decode(found.value, type=str)
        cut = {"__truncated": True, "originalLength": len(text), "data": text[:limit]}
        return "t" + msgspec.json.encode(cut).decode()
    return "v" + bytes(found.value).decode()


def _text(found: _Remote) -> str:
    try:
        return msgspec.json.decode(found.value, type=str)
    except msgspec.MsgspecError:
        return ""


def _read(page: Page, answer: str) -> bytes:
    kind, body = answer[:1], answer[1:].encode("utf-8", "replace")
    try:
        if kind == "e":
            fault = msgspec.json.decode(body, type=_Fault)
            line = f" (line {fault.line})" if fault.line else ""
            raise BrowserFailed(f"{page.id}: {fault.message}{line}")
        if kind in {"v", "t"}:
            msgspec.json.decode(body)
            return body
    except msgspec.MsgspecError as odd:
        raise BrowserFailed(f"{page.id}: the page gave something that is not JSON") from odd
    raise BrowserFailed(f"{page.id}: the page changed what its own code gives back")


async def _stop(page: Page, session: str) -> None:
    """Ends code that holds the page; one that only waits does not hold it and needs no end."""
    probe = {"expression": "0"}
    try:
        await page.connection.call(
            "Runtime.evaluate", probe, session=session, timeout_seconds=PROBE_SECONDS
        )
    except CallTimedOut:
        page.connection.post("Runtime.terminateExecution", session=session)
    except BrowserFailed:
        return


def _explained(page: Page, order: Order, refused: CallRefused, seconds: float) -> BrowserFailed:
    if any(words in refused.message for words in _STOPPED):
        # So Chromium says of its own timeout as well: the clock tells which it was.
        return _late(page, order) if seconds >= order.timeout_seconds else _ended(page)
    if any(words in refused.message for words in _LEFT):
        return PageChanged(f"{page.id}: the page was left while the code ran")
    return refused


def _late(page: Page, order: Order) -> CallTimedOut:
    return CallTimedOut(
        f"{page.id}: the code took over {order.timeout_seconds:g} s and was stopped",
        hint="do less at once, or wait for what you need with waitForSelector",
    )


def _ended(page: Page) -> BrowserFailed:
    return BrowserFailed(
        f"{page.id}: the code was ended before it was done; whether it took effect is unknown",
        hint="look at the page before you run it again",
    )


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()
