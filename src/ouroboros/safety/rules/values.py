"""What the rules speak of, as values."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.safety.policy.presets import WITHIN, Escalation
from ouroboros.safety.untrusted import CLEAN, Outside

type Outcome = Literal["allow", "ask", "deny"]
type Layer = Literal["user", "project", "local", "cli", "session", "managed"]


class Rule(Struct, frozen=True, kw_only=True):
    """One line of a permission list; an empty ``content`` means any input of the tool.

    An ``exact`` one is a remembered yes: its content is no pattern.
    """

    outcome: Outcome
    tool: str
    content: str = ""
    layer: Layer = "user"
    exact: bool = False

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
        command: The exact shell text, the ``folder`` it runs in, and the ``shell`` that reads it.
        url: Where the page is, or where it would go.
        protocol: How a policy file calls the way it is spoken to; empty for that of ``url``.
        risk: Which risk a ``risk`` is, such as ``submit``.
        escalation: What the model asks for a command beyond the sandbox.
    """

    tool: str
    kind: str
    paths: tuple[Path, ...] = ()
    spelled: tuple[Path, ...] = ()
    command: str = ""
    folder: Path | None = None
    shell: str = "bash"
    url: str = ""
    protocol: str = ""
    risk: str = ""
    escalation: Escalation = WITHIN


class Decision(Struct, frozen=True, kw_only=True):
    """What the rules say.

    Attributes:
        rule: The rule, or the mode, that decided.
        reason: One sentence for the person and the model.
        grant: The rule that a yes for the session would add; empty when it cannot be remembered.
        always: What it adds in place of ``grant`` where more than this very thing is meant: the beginning
            of a command, the folder of an edit.
        about: The commands of a chain that it is about, where others are not refused.
        rest: Those others.
        rules: What a yes for good adds, all of it; empty when no line could say it safely.
        wider: Rules of which a person may choose one in their place.
        layer: Where the rule stands; empty when no rule decided.
        is_explicit: A rule allows this very thing, and not any use of the tool.
        command: The text to run in the place of the written one; empty for that one.
        warning: What lasting harm it may do.
        sources: What was read that makes it asked about.
        amendment: The prefix that a yes for good would add to the policy file; may be empty.
        outside: It runs outside of the sandbox.
        wary: Text from outside was read and nobody said yes to it: it runs without the network, and changes
            no file that steers programs and agents.
        shown: Files that a rule asks about and the command names: a yes shows them to it.
    """

    outcome: Outcome
    rule: str = ""
    reason: str = ""
    grant: str = ""
    always: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    wider: tuple[str, ...] = ()
    layer: str = ""
    is_explicit: bool = False
    command: str = ""
    warning: str = ""
    sources: tuple[str, ...] = ()
    amendment: tuple[str, ...] = ()
    outside: bool = False
    wary: bool = False
    shown: tuple[Path, ...] = ()


ANY = frozenset({"", "*", ":*"})
"""Contents of a rule that mean any input."""

EXPRESSION = "re:"
"""What a regular expression begins with, in the content of a rule about commands."""

WEB = frozenset({"look", "act", "risk", "origin", "fetch"})
"""Kinds of effect that are about a place of the web."""

HARMLESS = frozenset({"look", "read", "none"})
"""Kinds of effect that leave the world as it is: they need not be on disk before they happen."""

GRANT = "grant"
"""The kind of effect that asks for more than may be done: a person says yes to it, and no rule."""


class Around(Struct, frozen=True, kw_only=True):
    """How a session stands when an intent is judged.

    Attributes:
        remembered: Rules that the person wrote down in this session.
        outside: What the model has read that nobody vouches for.
        is_online: Commands reach the network.
        can_close: The sandbox can keep a single command from the network, and from files.
        readable: Places that the person let be read, with all below them.
        writable: The same of folders that may be written.
        temporary: The session's own folders for temporary files, which are as the workspace is.
    """

    remembered: tuple[str, ...] = ()
    outside: Outside = CLEAN
    is_online: bool = True
    can_close: bool = False
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    temporary: tuple[Path, ...] = ()


STILL = Around()
"""Nothing was read, and nothing remembered."""
