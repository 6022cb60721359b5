"""What the parts of the screen may ask of the application around them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.hub import Hub, Room
    from ouroboros.faces.slashes.table import Slash
    from ouroboros.faces.tui.keys import Keys


class Host(Protocol):
    """The application, as cards, screens and the prompt know it.

    Attributes:
        hub: All open sessions; None until the engine is there.
        room: The session that is on the screen; None until it is open.
        cwd: The folder of the session.
        environment: Variables, also with keys of providers.
        slashes: The commands that there are here.
    """

    hub: "Hub | None"
    room: "Room | None"
    loaded: "Loaded"
    keys: "Keys"
    cwd: Path
    environment: Mapping[str, str]
    slashes: "Mapping[str, Slash]"

    def tell(self, told: Notice) -> None:
        """Shows words that are no event."""
        ...

    async def switch(self, session: str) -> None:
        """Shows another session in the place of this one; raises ``OuroborosError``."""
        ...

    def leave(self, code: int = 0) -> None:
        """Ends the application; sessions are kept."""
        ...
