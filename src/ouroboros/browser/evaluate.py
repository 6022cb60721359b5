"""Code that runs in a page: the primitive of ``execInTab``, with a deadline that stops it."""

import contextlib
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import anyio.to_thread
import msgspec
from msgspec import Raw, Struct

from ouroboros.browser.connection import Call, Caller, Connection, read, unknown_effect
from ouroboros.browser.errors import (
    BrowserFailed,
    BrowserGone,
    CallRefused,
    CallTimedOut,
    PageChanged,
)
from ouroboros.browser.frames import FrameMap, World

GRACE_SECONDS = 1.0
"""The page stops the code itself; this much later we no longer wait for it to say so."""

PROBE_SECONDS = 0.5

GESTURE_SECONDS = 1.0
"""Chromium takes a gesture for fresh for five seconds; so soon after one it is not given again, for it costs."""

ATTEMPTS = 5
"""Worlds that may be gone before the code gets there; nothing has run then."""

_LIBRARY = "ouroborosRun"
_STALE = ("Cannot find context", "uniqueContextId not found", "Cannot find execution context")
_STOPPED = ("terminated", "Internal error")
_LEFT = (
    "navigated or closed",
    "Promise was collected",
    "Cannot find default execution context",
    "Could not find promise",
)


class Page(Caller, Protocol):
    """What of a tab is needed here."""

    @property
    def id(self) -> str: ...
    @property
    def connection(self) -> Connection: ...
    @property
    def frames(self) -> FrameMap: ...
    @property
    def gestures(self) -> dict[str, tuple[str, float]]: ...
    async def world(self, frame: str = "") -> World: ...


class _Remote(Struct, frozen=True, rename="camel"):
    type: str = ""
    subtype: str = ""
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


class _Place(Struct, frozen=True, kw_only=True):
    """Where that is: ``context`` is of our own world, 0 in the page's own."""

    session: str
    context: int
    frame: str
    loader: str


class _Stale(Exception):
    """The world was gone before anything ran in it."""


@cache
def _library() -> str:
    text = Path(__file__).with_name("evaluate.js").read_text("utf-8")
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
        place = _Place(session=frame.session, context=0, frame=frame.id, loader=frame.loader)
        if frame.id != page.frames.top and frame.session == _top_session(page):
            raise BrowserFailed(
                f"{page.id}: a frame of the page's own process has no main world of its own here",
                hint="run the code without world=main, or through contentWindow in the page",
            )
        expression = f"({_library()}){call}"
    else:
        world = await page.world(order.frame)
        place = _Place(
            session=world.session, context=world.context, frame=world.frame, loader=world.loader
        )
        expression = f"{_LIBRARY}{call}"
        if _LIBRARY not in world.installed:
            expression = f"(globalThis.{_LIBRARY}??={_library()}){call}"
    began = anyio.current_time()
    try:
        found = await _evaluate(page, order, place, {"expression": expression})
    except CallRefused as refused:
        if world is not None and refused.message.partition(": ")[2].startswith(_STALE):
            page.frames.forget_world(world)
            page.gestures.pop(world.frame, None)
            raise _Stale from refused
        raise _explained(page, order, refused, anyio.current_time() - began) from refused
    if world is not None:
        world.installed.add(_LIBRARY)
    try:
        answer = _text(await _awaited(page, order, place, found, began))
        if answer == "r":
            answer = await _as_typed(page, order, place)
    except CallRefused as refused:  # it has begun by now, and is not begun again
        raise _explained(page, order, refused, anyio.current_time() - began) from refused
    except BrowserGone as gone:
        raise unknown_effect("Runtime.evaluate") from gone
    return _read(page, answer)


def _top_session(page: Page) -> str:
    return page.frames.find("").session


def _gesture(page: Page, place: _Place) -> bool:
    """Whether this call has to count as a gesture of the person, without which no window opens."""
    now = anyio.current_time()
    loader, given = page.gestures.get(place.frame, ("", 0.0))
    if loader == place.loader and now < given + GESTURE_SECONDS:
        return False
    page.gestures[place.frame] = place.loader, now
    return True


async def _evaluate(page: Page, order: Order, place: _Place, more: dict[str, Any]) -> _Remote:
    params = {
        "userGesture": _gesture(page, place),
        "timeout": int(order.timeout_seconds * 1000),
        **more,
    }
    if place.context:
        params["contextId"] = place.context
    seconds = order.timeout_seconds + GRACE_SECONDS
    return await _called(page, order, place, ("Runtime.evaluate", params), seconds)


async def _awaited(
    page: Page, order: Order, place: _Place, found: _Remote, began: float
) -> _Remote:
    """What a promise comes to; a call that may wait costs more than one that does not, so few do."""
    if found.subtype != "promise":
        return found
    call = ("Runtime.awaitPromise", {"promiseObjectId": found.object_id})
    seconds = began + order.timeout_seconds + GRACE_SECONDS - anyio.current_time()
    try:
        return await _called(page, order, place, call, max(seconds, 0))
    finally:
        _release(page, place, found)


async def _called(page: Page, order: Order, place: _Place, call: Call, seconds: float) -> _Remote:
    method, params = call
    try:
        told = await page.call(method, params, session=place.session, timeout_seconds=seconds)
    except CallTimedOut as late:
        await _stop(page, place.session)
        raise _late(page, order) from late
    result = read(_Evaluated, told, method)
    if result.exception_details is not None:
        thrown = result.exception_details
        words = thrown.exception.description or thrown.text
        raise BrowserFailed(f"{page.id}: {words[:500]}")
    return result.result


def _release(page: Page, place: _Place, held: _Remote) -> None:
    named = {"objectId": held.object_id}
    page.connection.post("Runtime.releaseObject", named, session=place.session)


async def _as_typed(page: Page, order: Order, place: _Place) -> str:
    """The way of a console: for code that awaits between statements, and pages that forbid eval."""
    typed = {"expression": order.code, "replMode": True, "awaitPromise": True}
    found = await _evaluate(page, order, place, typed)
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
    told = await page.call("Runtime.callFunctionOn", params, session=place.session)
    _release(page, place, found)
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
    if any(words in refused.message for words in (*_LEFT, *_STALE)):
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
