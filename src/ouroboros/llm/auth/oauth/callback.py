"""The page a browser comes back to: on this machine alone, for one answer."""

from collections.abc import Mapping
from typing import Self
from urllib.parse import parse_qs, urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.stapled import MultiListener

from ouroboros.core.errors import Failure, Misuse, ModelFailed
from ouroboros.llm.auth.excerpt import excerpt

HEAD_BYTES = 16_384
HEAD_SECONDS = 10.0
"""Longer than any browser takes to ask; whoever is slower is none."""

MOST_OPEN = 32
"""Connections at a time; for one more the oldest, which asks for nothing, is closed."""

_HOSTS = ("127.0.0.1", "localhost")
_DONE = "Ouroboros has its answer. You may close this page and go back to the terminal."
_REFUSED = "The login was refused. You may close this page and go back to the terminal."
_STRANGER = "This is not the answer that Ouroboros waits for."


class Callback:
    """Listens on 127.0.0.1 until the right browser has come.

    Only an answer with the right ``state`` counts; any other is turned away and the wait goes on,
    so that a page of somebody else can neither log us in nor keep us from it.
    """

    def __init__(self, listener: MultiListener[SocketStream], *, state: str, in_path: bool) -> None:
        """``in_path``: the state is a part of the address, at vendors that know no state."""
        self._listener = listener
        self._state = state
        self._in_path = in_path
        self.port: int = listener.extra_attributes[SocketAttribute.local_port]()
        self._path = f"/callback/{state}" if in_path else "/callback"
        self._answer: Mapping[str, str] | None = None
        self._heard = anyio.Event()
        self._open: list[anyio.CancelScope] = []

    async def __aenter__(self) -> Self:
        """Listens already."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Lets go of the port."""
        await self._listener.aclose()

    @property
    def redirect(self) -> str:
        """The address to send the browser back to."""
        return f"http://{'localhost' if self._in_path else _HOSTS[0]}:{self.port}{self._path}"

    async def wait(self) -> Mapping[str, str]:
        """The parameters that the browser brought."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listener.serve, self._serve)
            await self._heard.wait()
            tasks.cancel_scope.cancel()
        return self._answer or {}

    async def _serve(self, stream: SocketStream) -> None:
        try:
            async with stream:
                with anyio.move_on_after(HEAD_SECONDS) as waiting:
                    self._make_room(waiting)
                    head = await _head(stream)
                    status, said, answer = self._judge(head)
                    await stream.send(_page(status, said))
                    await stream.send_eof()
                    if answer is not None:
                        self._answer = self._answer or answer
                        self._heard.set()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return

    def _make_room(self, waiting: anyio.CancelScope) -> None:
        """Nobody takes all our files with connections that say nothing."""
        self._open = [*self._open[-MOST_OPEN:], waiting]
        if len(self._open) > MOST_OPEN:
            self._open[0].cancel()

    def _judge(self, head: str) -> tuple[str, str, Mapping[str, str] | None]:
        first, _, rest = head.partition("\r\n")
        method, _, target = first.partition(" ")
        try:
            parts = urlsplit(target.rpartition(" ")[0])
        except ValueError:
            return "400 Bad Request", _STRANGER, None
        if method != "GET" or not _same(parts.path, self._path) or not self._is_ours(rest):
            return "404 Not Found", _STRANGER, None
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        is_meant = self._in_path or _same(given.get("state", ""), self._state)
        if not is_meant or not ("code" in given or "error" in given):
            return "400 Bad Request", _STRANGER, None
        return "200 OK", _REFUSED if "error" in given else _DONE, given

    def _is_ours(self, rest: str) -> bool:
        """Whether the browser meant this machine, and was not led here under another name."""
        for line in rest.split("\r\n"):
            name, _, value = line.partition(":")
            if name.strip().lower() == "host":
                return value.strip().lower() in {f"{host}:{self.port}" for host in _HOSTS}
        return False


async def opened(port: int, *, state: str, in_path: bool) -> Callback:
    """A page that listens until the end of an ``async with`` block; raises ``Misuse`` if the port is taken."""
    try:
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port)
    except OSError as error:
        raise Misuse(
            f"The port {port} of this machine, which the login comes back to, is taken: "
            f"{error.strerror}.",
            hint="End the program that listens there, or set another redirect_port.",
        ) from error
    return Callback(listener, state=state, in_path=in_path)


def code_of(given: Mapping[str, str], *, issuer: str) -> str:
    """The code the browser brought; raises ``ModelFailed`` if it brought a refusal."""
    if given.get("iss", issuer).rstrip("/") != issuer.rstrip("/") and issuer:
        raise ModelFailed(
            Failure(kind="auth", message="The answer to the login came from another server.")
        )
    if "error" in given or not given.get("code"):
        said = excerpt(given.get("error_description") or given.get("error", "no code was given"))
        raise ModelFailed(
            Failure(
                kind="auth",
                message=f"The login was refused: {said.rstrip('.')}.",
                code=excerpt(given.get("error", "")),
            )
        )
    return given["code"]


async def _head(stream: SocketStream) -> str:
    content = b""
    while b"\r\n\r\n" not in content:
        if len(content) > HEAD_BYTES:
            raise anyio.EndOfStream
        content += await stream.receive()
    return content.partition(b"\r\n\r\n")[0].decode("latin-1")


def _page(status: str, said: str) -> bytes:
    """A page without a script, and with nothing in it of what was asked."""
    title = "Ouroboros"
    body = f'<!doctype html><meta charset="utf-8"><title>{title}</title><p>{said}</p>\n'.encode()
    lines = (
        f"HTTP/1.1 {status}",
        "content-type: text/html; charset=utf-8",
        f"content-length: {len(body)}",
        "cache-control: no-store",
        "content-security-policy: default-src 'none'",
        "referrer-policy: no-referrer",
        "x-content-type-options: nosniff",
        "connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode() + body


def _same(given: str, expected: str) -> bool:
    """Compares in a time that says nothing of where they differ."""
    from hmac import compare_digest

    return compare_digest(given.encode(), expected.encode())
