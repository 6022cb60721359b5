"""How the command line opens this face: a listening socket, and one call that serves until it is left."""

import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from anyio import to_thread
from msgspec import Struct

from ouroboros.app.hub import Hub, Outfit, hub
from ouroboros.app.hub.standing import announced
from ouroboros.core.clock import SystemClock
from ouroboros.faces.web.access import Access
from ouroboros.faces.web.listening import listening
from ouroboros.faces.web.patience import Patience


class Doorplate(Struct, frozen=True, kw_only=True):
    """Where the server is; ``token`` lets in, and so does a ``ticket``, once."""

    port: int
    token: str
    ticket: Callable[[], str]

    @property
    def address(self) -> str:
        """Without the token."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def entrance(self) -> str:
        """With the token, behind the ``#`` that no browser sends anywhere."""
        return f"{self.address}#token={self.token}"

    def once(self) -> str:
        """An address that lets in once: the arguments of a program are no secret on a machine."""
        return f"{self.address}#token={self.ticket()}"


@asynccontextmanager
async def served(
    outfit: Outfit,
    *listeners: socket.socket,
    token: str = "",
    patience: Patience | None = None,
    rooms: Hub | None = None,
) -> AsyncGenerator[Doorplate]:
    """Serves while it is entered; leaving it stops the runs and closes the sessions.

    Without ``listeners`` it takes a free port. They are closed in the end. With ``rooms`` it shows the
    sessions of another face in this process, and leaves them open.

    Raises:
        Misuse: No port can be used.
    """
    from ouroboros.faces.web.application import application
    from ouroboros.faces.web.server import serving
    from ouroboros.faces.web.site import Site

    waits = patience or Patience()
    async with AsyncExitStack() as stack:
        sockets = listeners or tuple(listening(0))
        for each in sockets:
            stack.callback(each.close)
        port: int = sockets[0].getsockname()[1]
        access = Access(port, token=token)
        loaded = await to_thread.run_sync(outfit.loaded, outfit.cwd)
        opened = rooms or await stack.enter_async_context(hub(outfit))
        site = Site(hub=opened, access=access, clock=SystemClock(), loaded=loaded)
        await stack.enter_async_context(announced(loaded.home, port))
        async with serving(application(site, waits), *sockets, patience=waits):
            yield Doorplate(port=port, token=access.token, ticket=access.ticket)
