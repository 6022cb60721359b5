"""What is remembered."""

from typing import ClassVar

from ouroboros.core.events.envelope import Event


class MemoryStored(Event, frozen=True, kw_only=True):
    """A fact was kept."""

    type: ClassVar[str] = "memory.stored"
    key: str
    content: str


class MemoryForgotten(Event, frozen=True, kw_only=True):
    """A fact was dropped."""

    type: ClassVar[str] = "memory.forgotten"
    key: str
