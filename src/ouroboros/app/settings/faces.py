"""How faces that stay open behave."""

from typing import Annotated

from msgspec import Meta, Struct

from ouroboros.app.settings.kinds import Seconds


class Server(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[server]``: what `ouro web` serves.

    Attributes:
        port: Where it listens, on this machine only; 0 takes a free one.
        close_after: A session in which nothing runs, and at which nobody looks, is closed after so many
            seconds; the next look opens it again.
    """

    port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    close_after: Seconds = 900.0
