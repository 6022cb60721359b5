"""The files of the page: read once, small on the way, and asked for again after an update."""

import gzip
import hashlib
from pathlib import Path
from typing import NamedTuple

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_SMALLEST = 600


class _Kept(NamedTuple):
    """A file as it is sent; without ``packed`` it is not worth packing."""

    changed: int
    body: bytes
    packed: bytes
    tag: str


class Assets:
    """Serves the files that a folder holds, and no other: a name is looked up, never joined to a path.

    Nothing in them is secret, so that their length under compression tells nothing.
    """

    def __init__(self, folder: Path) -> None:
        """Reads nothing yet."""
        self._folder = folder
        self._names: dict[str, Path] = {}
        self._kept: dict[str, _Kept] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000, "reason": ""})
            return
        answer = await self._answer(Request(scope))
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method not in {"GET", "HEAD"}:
            raise HTTPException(405)
        self._names = self._names or await to_thread.run_sync(_listed, self._folder)
        name = request.scope["path"].removeprefix("/") or "index.html"
        path = self._names.get(name)
        if path is None:
            raise HTTPException(404)
        kept = self._kept.get(name)
        try:
            if kept is None or kept.changed != path.stat().st_mtime_ns:
                kept = self._kept[name] = await to_thread.run_sync(_read, path)
        except FileNotFoundError:
            raise HTTPException(404) from None
        # A browser keeps them, and asks each time whether they still count: all are of one version.
        headers = {"cache-control": "no-cache", "etag": kept.tag, "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == kept.tag:
            return Response(status_code=304, headers=headers)
        kind = _KINDS.get(path.suffix, "text/plain; charset=utf-8")
        if kept.packed and "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return Response(kept.packed, media_type=kind, headers=headers)
        return Response(kept.body, media_type=kind, headers=headers)


def _listed(folder: Path) -> dict[str, Path]:
    return {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }


def _read(path: Path) -> _Kept:
    changed = path.stat().st_mtime_ns
    body = path.read_bytes()
    packed = gzip.compress(body, 9, mtime=0) if len(body) >= _SMALLEST else b""
    tag = hashlib.sha256(body).hexdigest()[:24]
    return _Kept(changed=changed, body=body, packed=packed, tag=f'"{tag}"')
