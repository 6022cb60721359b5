"""What the rules speak of, as values."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.safety.policy.presets import WITHIN, Escalation

type Outcome = Literal["allow", "ask", "deny"]
type Layer = Literal["user", "project", "local", "cli", "session", "managed"]


class Rule(Struct, frozen=True, kw_only=True):
    """One line of a permission list; an empty ``content`` means any input of the tool."""

    outcome: Outcome
    tool: str
    content: str = ""
    layer: Layer = "user"

    def __str__(self) -> str:
        """As it is written in configuration."""
        return f"{self.tool}({self.content})" if self.content else self.tool


class Intent(Struct, frozen=True, kw_only=True):
    """What a call would do, in values.

    Attributes:
        tool: Its canonical name.
        kind: ``none``, ``read``, ``write``, ``execute``; ``look``, ``act``, ``risk`` and ``origin``
            of a browser; or a kind that only ``full-auto`` allows.
        paths: Where it really goes, links resolved.
        spelled: The same paths as the call spelled them; a deny looks at both.
        command: The exact shell text.
        url: Where the page is, or where it would go.
        risk: Which risk a ``risk`` is, such as ``submit``.
        escalation: What the model asks for a command beyond the sandbox.
    """

    tool: str
    kind: str
    paths: tuple[Path, ...] = ()
    spelled: tuple[Path, ...] = ()
    command: str = ""
    url: str = ""
    risk: str = ""
    escalation: Escalation = WITHIN


class Decision(Struct, frozen=True, kw_only=True):
    """What the rules say.

    Attributes:
        rule: The rule, or the mode, that decided.
        reason: One sentence for the person and the model.
        grant: The rule that a yes for the session would add; empty when it cannot be remembered.
        amendment: The prefix that a yes for good would add to the policy file; may be empty.
        outside: It runs outside of the sandbox.
    """

    outcome: Outcome
    rule: str = ""
    reason: str = ""
    grant: str = ""
    amendment: tuple[str, ...] = ()
    outside: bool = False


ANY = frozenset({"", "*", ":*"})
"""Contents of a rule that mean any input."""

WEB = frozenset({"look", "act", "risk", "origin"})
"""Kinds of effect that a browser has."""
