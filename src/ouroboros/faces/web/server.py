"""The server itself: a listening socket of this machine, and the application behind it."""

import logging
import resource
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from anyio import CancelScope, create_task_group
from starlette.types import ASGIApp

from ouroboros.faces.web.patience import Patience
from ouroboros.faces.web.routing import BODY_BYTES

_KEEP_ALIVE_SECONDS = 10
_STOP_SECONDS = 1.0
_CONNECTIONS, _OWN_FILES = 2000, 256


def _most_connections() -> int:
    """As many as leave enough files for the sessions themselves."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(64, min(_CONNECTIONS, files - _OWN_FILES))


@asynccontextmanager
async def serving(
    app: ASGIApp, *sockets: socket.socket, patience: Patience
) -> AsyncGenerator[None]:
    """Serves until it is left; then connections are closed, with a deadline."""
    from uvicorn import Config

    from ouroboros.faces.web.impatient import Impatient
    from ouroboros.faces.web.quiet import Quiet

    class Waiting(Impatient):
        head_seconds = patience.head

    config = Config(
        app,
        http=Waiting,
        ws="websockets-sansio",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=BODY_BYTES,
        ws_ping_interval=patience.ping,
        ws_ping_timeout=patience.ping,
        ws_per_message_deflate=False,
        limit_concurrency=_most_connections(),
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )
    server = Quiet(config, stop_seconds=_STOP_SECONDS)
    # What clients do wrong is nothing to show over the terminal.
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())

    async def serve() -> None:
        with CancelScope(shield=True):  # it ends by itself, and takes its connections with it
            await server.serve(list(sockets))

    async with create_task_group() as tasks:
        tasks.start_soon(serve)
        try:
            await server.listens.wait()
            yield
        finally:
            server.leave()
