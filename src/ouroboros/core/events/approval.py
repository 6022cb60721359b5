"""Questions to the person and their answers."""

from typing import ClassVar, Literal

from ouroboros.core.commands import Scope
from ouroboros.core.events.envelope import Event, Source


class PermissionRequested(Event, frozen=True, kw_only=True):
    """A call waits for a yes or a no; ``action`` is readable, ``input`` is exact.

    Attributes:
        grant: The narrowest rule that a yes for the session adds.
        always: Rules that it adds in the place of ``grant``: the beginning of a command, a folder.
        rules: Rules that a remembered yes adds, unless the answer names others.
        wider: Rules that a person may choose in their place.
        scopes: For how long a yes may be given.
        rule: The rule, mode or policy that wants to be asked.
        warning: What lasting harm it may do; empty when none is known.
        sources: Text from outside that may have led to it.
        detail: What it would change, as a diff.
        reviewer: Who is asked; no face asks a person what goes to the guardian.
        amendment: The prefix of commands that a yes for good would allow.
        about: What a person sees of it, a line each; ``input`` names the same as a program does.
        fixed: It is allowed or refused as it is; an answer with another ``input`` is a no.
    """

    type: ClassVar[str] = "permission.requested"
    source: ClassVar[Source] = "agent"
    request_id: str
    call_id: str
    tool: str
    action: str
    input: str
    reason: str = ""
    grant: str = ""
    rules: tuple[str, ...] = ()
    wider: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ("once",)
    rule: str = ""
    warning: str = ""
    sources: tuple[str, ...] = ()
    detail: str = ""
    reviewer: Literal["person", "guardian"] = "person"
    amendment: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    fixed: bool = False
    always: tuple[str, ...] = ()


class PermissionAnswered(Event, frozen=True, kw_only=True):
    """The question was answered once, by a person, a rule or a missing person.

    Attributes:
        rules: What a yes for longer than once adds; empty means what the question offered.
        input: What the person wrote in the place of what was asked.
        rule: What had wanted to be asked.
    """

    type: ClassVar[str] = "permission.answered"
    source: ClassVar[Source] = "user"
    request_id: str
    call_id: str
    allowed: bool
    decider: Literal["person", "nobody", "hook", "guardian", "cancelled"]
    scope: Scope = "once"
    message: str = ""
    seconds: float = 0.0
    rules: tuple[str, ...] = ()
    input: str = ""
    rule: str = ""


class PermissionRemembered(Event, frozen=True, kw_only=True):
    """A yes was, or could not be, written down for later sessions; ``problem`` says why not."""

    type: ClassVar[str] = "permission.remembered"
    request_id: str
    scope: Scope
    rules: tuple[str, ...]
    place: str = ""
    problem: str = ""


class PermissionBlocked(Event, frozen=True, kw_only=True):
    """A rule or a limit stopped an action without asking.

    Attributes:
        layer: Where the rule stands.
        limit: Which limit it was, such as ``actions_per_hour``; empty for a rule.
        seconds: From the call's beginning.
    """

    type: ClassVar[str] = "permission.blocked"
    call_id: str
    tool: str
    rule: str
    reason: str
    layer: str = ""
    limit: str = ""
    seconds: float = 0.0


class PermissionsGranted(Event, frozen=True, kw_only=True):
    """The person let the model do more than it may by itself.

    Attributes:
        network: Commands reach the network.
        read: Real paths that are read unasked, with all below them.
        write: The same of folders that are written.
        rules: What is allowed besides, as in the settings.
        scope: Until the run or the session ends.
    """

    type: ClassVar[str] = "permissions.granted"
    source: ClassVar[Source] = "user"
    call_id: str
    network: bool = False
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    scope: Literal["turn", "session"] = "turn"
