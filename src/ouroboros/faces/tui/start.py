"""What the application is started with."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.hub import Outfit
    from ouroboros.faces.slashes.control import Serve


class Start(Struct, frozen=True, kw_only=True):
    """The settings, and the session to begin with.

    Attributes:
        outfit: Says what sessions are opened with, once the screen is there; None where the parts are shown without an engine.
        web: Serves a page over the sessions of this screen; None where that cannot be.
        first: Words to be said as soon as the session is open.
    """

    loaded: "Loaded"
    environment: dict[str, str]
    cwd: Path
    outfit: "Callable[[], Outfit] | None" = None
    web: "Serve | None" = None
    resume: str = ""
    latest: bool = False
    at: str = ""
    mind: Literal["", "tools", "rlm"] = ""
    browser: bool = False
    first: str = ""


class Left(NamedTuple):
    """How it ended: the exit code, and the session that may be gone on with."""

    code: int
    session: str = ""
