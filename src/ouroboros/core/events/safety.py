"""What the safety pipeline found, never the secret itself."""

from typing import ClassVar

from msgspec import Struct

from ouroboros.core.events.envelope import Event


class SecretFound(Struct, frozen=True, kw_only=True):
    """Secrets of one kind in one output; ``action`` is ``redact``, ``warn`` or ``block``."""

    kind: str
    action: str
    count: int = 1


class InputFlagged(Event, frozen=True, kw_only=True):
    """Text from outside looks as if it gave orders; it is advice, nothing was held back.

    Attributes:
        call_id: The call that brought it; empty for files of the folder.
        flags: What it looks like, such as ``potential_injection``.
        stripped: Invisible characters that were taken out.
        phrase: The words themselves, of data that a block of code showed the model.
    """

    type: ClassVar[str] = "safety.input_flag"
    call_id: str = ""
    flags: tuple[str, ...] = ()
    warning: str = ""
    stripped: int = 0
    phrase: str = ""


class OutputRedacted(Event, frozen=True, kw_only=True):
    """Secrets in an output were replaced before it was kept, shown or sent, or are warned of."""

    type: ClassVar[str] = "safety.output_redacted"
    call_id: str
    findings: tuple[SecretFound, ...]


class OutputBlocked(Event, frozen=True, kw_only=True):
    """An output was held back whole because of what is in it."""

    type: ClassVar[str] = "safety.output_blocked"
    call_id: str
    findings: tuple[SecretFound, ...]
