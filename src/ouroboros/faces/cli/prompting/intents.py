"""What the person at the terminal wants, once they have finished saying it."""

from msgspec import Struct

from ouroboros.core.commands import Answer, Approve, Deny


class Said(Struct, frozen=True, kw_only=True):
    """The person finished a message."""

    text: str


class Answered(Struct, frozen=True, kw_only=True):
    """The person answered a question."""

    command: Approve | Deny | Answer


class Switched(Struct, frozen=True, kw_only=True):
    """The person wants the next mode."""


class Left(Struct, frozen=True, kw_only=True):
    """The person has nothing more to say: end of input."""


type Intent = Said | Answered | Switched | Left
