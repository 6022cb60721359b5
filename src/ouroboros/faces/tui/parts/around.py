"""The application around a part, as the part may use it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from ouroboros.core.errors import Misuse
from ouroboros.faces.tui.host import Host
from ouroboros.faces.tui.palette import PALETTES, Palette

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.screen import Screen

    from ouroboros.app.hub import Room


class Part(Protocol):
    """A widget or a screen."""

    @property
    def app(self) -> object:
        """The application."""
        ...


class Window(Protocol):
    """The application as the terminal library knows it."""

    @property
    def size(self) -> "Size":
        """Columns and rows of the terminal."""
        ...

    def push_screen[Result](
        self, screen: "Screen[Result]", callback: Callable[[Result | None], None] | None = None
    ) -> object:
        """Shows a screen over this one; ``callback`` is given what it ends with."""
        ...


@runtime_checkable
class _Painted(Protocol):
    @property
    def palette(self) -> Palette: ...


def palette_of(part: Part) -> Palette:
    """The colours of the application."""
    app = part.app
    return app.palette if isinstance(app, _Painted) else PALETTES["dark"]


def window_of(part: Part) -> Window:
    """The application that the part is in."""
    return cast("Window", part.app)


def host_of(part: Part) -> Host:
    """The application that the part is in."""
    return cast("Host", part.app)


def room_of(part: Part) -> "Room":
    """The session on the screen; raises ``Misuse`` while there is none."""
    room = host_of(part).room
    if room is None:
        raise Misuse("no session is open", hint="wait until it is, or choose a model first")
    return room
