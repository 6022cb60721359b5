"""How the command line opens this face: one call that serves until it is stopped."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec import Struct

from ouroboros.app.hub import Outfit, hub
from ouroboros.core.clock import SystemClock
from ouroboros.faces.web.access import Access
from ouroboros.faces.web.patience import Patience


class Doorplate(Struct, frozen=True, kw_only=True):
    """Where the server is; ``token`` lets in."""

    port: int
    token: str

    @property
    def address(self) -> str:
        """Without the token."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def entrance(self) -> str:
        """With the token, behind the ``#`` that no browser sends anywhere."""
        return f"{self.address}#token={self.token}"


@asynccontextmanager
async def served(
    outfit: Outfit, *, port: int = 0, token: str = "", patience: Patience | None = None
) -> AsyncGenerator[Doorplate]:
    """Serves while it is entered; leaving it stops the runs and closes the sessions.

    Raises:
        Misuse: The port cannot be used.
    """
    from anyio import to_thread

    from ouroboros.faces.web.application import application
    from ouroboros.faces.web.server import listening, serving
    from ouroboros.faces.web.site import Site

    waits = patience or Patience()
    loaded = await to_thread.run_sync(outfit.loaded, outfit.cwd)
    with listening(port) as listener:
        bound = listener.getsockname()[1]
        access = Access(bound, token=token)
        async with hub(outfit) as rooms:
            site = Site(hub=rooms, access=access, clock=SystemClock(), loaded=loaded)
            async with serving(application(site, waits), listener, patience=waits):
                yield Doorplate(port=bound, token=access.token)
