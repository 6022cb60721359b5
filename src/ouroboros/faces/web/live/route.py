"""The websocket of the live view: it carries, and understands nothing of what it carries."""

import contextlib
import re
from secrets import token_hex

import anyio
from anyio import CancelScope, create_task_group
from starlette.websockets import WebSocket, WebSocketDisconnect

from ouroboros.app.browsing.live import TOLD, WISHES, TooSlow, Window
from ouroboros.app.hub import Room
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.web import frames
from ouroboros.faces.web.routing import DescribedSocket, described_socket, welcome
from ouroboros.faces.web.site import Site

SEND_SECONDS = 30.0
"""How long one message may take to be read."""

GONE, UNKNOWN, SLOW = 1001, 4404, 1013

_NAME = re.compile(r"[\w-]{1,64}")


def routes(site: Site) -> list[DescribedSocket]:
    """The one websocket."""

    async def browser(socket: WebSocket) -> None:
        await welcome(socket)
        with contextlib.suppress(WebSocketDisconnect):
            await _serve(socket, site)

    return [
        described_socket(
            "/sessions/{session}/browser",
            browser,
            "The tabs of a session: their state and pictures down, wishes and a person's hands up. Pictures "
            "are binary: the length of the head in four bytes, the head in JSON, the JPEG.",
            query={"viewer": "a name of this window that stays when it is loaded again"},
            sent=(*TOLD, frames.Closed),
            received=WISHES,
        )
    ]


async def _serve(socket: WebSocket, site: Site) -> None:
    try:
        room = await site.room(socket.path_params["session"])
    except OuroborosError as problem:
        await _close(socket, UNKNOWN, problem.message)
        return
    live = room.session.live
    if live is None:
        await _close(socket, UNKNOWN, "this session has no browser")
        return
    given = socket.query_params.get("viewer", "")
    async with live.viewer(given if _NAME.fullmatch(given) else token_hex(8)) as window:
        end = await _carry(socket, room, window)
    if end:
        await _close(socket, end, "" if end == GONE else "too slow")


async def _carry(socket: WebSocket, room: Room, window: Window) -> int:
    """Carries until either end is closed; the code to close with, 0 where the other end did."""
    end = 0
    async with create_task_group() as tasks:

        async def show() -> None:
            nonlocal end
            try:
                while True:
                    said = await window.next()
                    with anyio.fail_after(SEND_SECONDS):
                        if isinstance(said, str):
                            await socket.send_text(said)
                        else:
                            await socket.send_bytes(said)
            except (TooSlow, TimeoutError):
                end = SLOW
            except WebSocketDisconnect:
                end = 0
            tasks.cancel_scope.cancel()

        async def closing() -> None:
            nonlocal end
            await room.gone.wait()
            end = GONE
            tasks.cancel_scope.cancel()

        tasks.start_soon(show)
        tasks.start_soon(closing)
        while (message := await socket.receive())["type"] == "websocket.receive":
            text = message.get("text")
            window.hear(text if text is not None else message.get("bytes") or b"")
        tasks.cancel_scope.cancel()
    return end


async def _close(socket: WebSocket, code: int, error: str) -> None:
    with CancelScope(shield=True), anyio.move_on_after(SEND_SECONDS):
        frame = frames.Closed(reason="failed" if error else "closed", error=error)
        await socket.send_text(frames.write.encode(frame).decode())
        await socket.close(code)
