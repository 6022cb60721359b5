"""What was kept with a session: screenshots, pictures, downloads, pages as PDF."""

import os
from pathlib import Path
from threading import Lock
from typing import Self
from urllib.parse import quote

from anyio import to_thread
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ouroboros.app.workplace import kept
from ouroboros.app.workplace.kept import Kept
from ouroboros.faces.web.panels.asking import Ground, on_ground
from ouroboros.faces.web.routing import Described, described, is_true, reply
from ouroboros.faces.web.site import Site

_CHUNK = 65_536
_SHOWN = {".html": "text/html", ".htm": "text/html", ".txt": "text/plain", ".svg": "image/svg+xml"}
"""What a page may show besides pictures, in a sandbox of its own without scripts."""

_SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"


class Artifacts(Struct, frozen=True, kw_only=True):
    """The files that are there, the latest first."""

    artifacts: tuple[Kept, ...]


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    return [
        described(
            "GET",
            "/sessions/{session}/artifacts",
            seat.listed,
            "What was kept with the session.",
            answer=Artifacts,
        ),
        described(
            "GET",
            "/sessions/{session}/artifacts/{name}",
            seat.one,
            "One of these files: pictures as they are, anything else as a download.",
            query={"show": "1: text and pages too, in a sandbox without scripts"},
            media="application/octet-stream",
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def listed(self, request: Request) -> Response:
        found = await on_ground(
            self._site, request, lambda ground: kept.listed(ground.site.home, ground.kept.id)
        )
        return reply(Artifacts(artifacts=found))

    async def one(self, request: Request) -> Response:
        name = request.path_params["name"]
        with Handed() as handed:

            def job(ground: Ground) -> tuple[int, str]:
                descriptor, picture = kept.opened(ground.site.home, ground.kept.id, name)
                return handed.put(descriptor), picture

            descriptor, picture = await on_ground(self._site, request, job)
        shown = _SHOWN.get(Path(name).suffix.lower(), "") if is_true(request, "show") else ""
        return _Opened(
            descriptor,
            media_type=picture or shown or "application/octet-stream",
            headers={
                "content-disposition": disposition(name, inline=bool(picture or shown)),
                "content-security-policy": _SANDBOX,
                "cache-control": "no-store",
            },
        )


class Handed:
    """A file that a thread opens for another one, which may have given up waiting for it.

    Left by an exception it closes what was opened, and what is opened later.
    """

    def __init__(self) -> None:
        """Nothing is open yet."""
        self._lock = Lock()
        self._descriptor: int | None = None
        self._is_over = False

    def put(self, descriptor: int) -> int:
        """From the thread that has opened it; it is closed already where nobody waits any more."""
        with self._lock:
            if self._is_over:
                os.close(descriptor)
            else:
                self._descriptor = descriptor
        return descriptor

    def __enter__(self) -> Self:
        """What follows may be given up."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Closes the file unless it was taken over."""
        if kind is None:
            return
        with self._lock:
            self._is_over = True
            if self._descriptor is not None:
                os.close(self._descriptor)


class _Opened(Response):
    """An open file, sent piece by piece and closed in the end."""

    def __init__(self, descriptor: int, *, media_type: str, headers: dict[str, str]) -> None:
        self._file = os.fdopen(descriptor, "rb")
        self._size = os.fstat(descriptor).st_size
        super().__init__(
            media_type=media_type, headers={**headers, "content-length": str(self._size)}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        try:
            await send({
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            })
            left = 0 if scope["method"] == "HEAD" else self._size
            while left > 0:
                piece = await to_thread.run_sync(self._file.read, min(left, _CHUNK))
                left = left - len(piece) if piece else 0
                await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
            if not self._size or scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
        finally:
            self._file.close()


def disposition(name: str, *, inline: bool = False) -> str:
    """The header that says what a file is called, whatever signs its name has."""
    plain = "".join(sign if sign.isascii() and sign.isprintable() else "_" for sign in name)
    plain = plain.replace("\\", "_").replace('"', "_")
    how = "inline" if inline else "attachment"
    return f"{how}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
