"""What a command of a conversation comes to."""

from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct

type Job = Callable[[], Awaitable[None]]


class Say(Struct, frozen=True, kw_only=True):
    """Words that a command says for the person."""

    text: str


type Control = Literal["stay", "leave"] | Job | Say
"""What a command of the chat comes to: going on, leaving, work that may be interrupted, or a turn."""
