"""The seam for what stands between a session's routes and the network."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from ouroboros.llm.transport import Transport


class Setup(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Settings without which a recording cannot be understood."""

    model: str = ""
    base_url: str = ""
    fallback: tuple[str, ...] = ()


class Tap(Protocol):
    """Stands between the routes of a session and the network."""

    @property
    def is_offline(self) -> bool:
        """Nothing is sent, so no key is needed and none is read."""
        ...

    def transport(self, network: Callable[[], Transport]) -> Transport:
        """What a route sends through; ``network`` opens the real one."""
        ...

    def chosen(self, setup: "Setup") -> None:
        """Which models the session is opened with."""
        ...

    async def close(self) -> None:
        """The session has ended, well or not; may be called again for the next one."""
        ...
