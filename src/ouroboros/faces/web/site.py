"""What every route is handed: the hub, the home, who may come in, and the time."""

from pathlib import Path

from msgspec import Struct, field

from ouroboros.app.config.layers import Loaded
from ouroboros.app.hub import Hub, Outfit, Room
from ouroboros.core.clock import Clock
from ouroboros.faces.web.access import Access
from ouroboros.faces.web.asides import Asides


class Site(Struct, frozen=True, kw_only=True):
    """One server.

    Attributes:
        loaded: The settings of the folder that the server was started in.
        asides: What commands say after their answers.
    """

    hub: Hub
    access: Access
    clock: Clock
    loaded: Loaded
    asides: Asides = field(default_factory=Asides)

    @property
    def outfit(self) -> Outfit:
        """What sessions are opened with; ``loaded(cwd)`` reads the settings of another folder."""
        return self.hub.outfit

    @property
    def home(self) -> Path:
        """Where sessions are kept."""
        return self.loaded.home

    async def room(self, session: str) -> Room:
        """The room of a session, opened if it is not.

        Raises:
            SessionUnknown: There is none.
            OuroborosError: It cannot be opened.
        """
        return self.hub.room(session) or await self.hub.open(resume=session)
