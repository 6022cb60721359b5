"""What is asked, what is not, and what holds commands."""

from typing import Literal

from msgspec import Struct, field

from ouroboros.app.settings.kinds import Count, Seconds
from ouroboros.core.commands import Effort


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A permission rule in its long spelling; ``"Tool(content)"`` is the short one."""

    tool_name: str
    rule_content: str = "*"


class Permissions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[permissions]``: lists of rules; deny from any layer wins."""

    allow: tuple[str | Rule, ...] = ()
    ask: tuple[str | Rule, ...] = ()
    deny: tuple[str | Rule, ...] = ()


class Approval(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[approval]``: which questions ``approval_policy = "granular"`` lets through.

    Attributes:
        sandbox_approval: Of commands and files that the sandbox would stop, or that may do harm.
        rules: Of commands that a policy file wants to be asked about.
        request_permissions: Of the model's wish to be allowed more for a time.
    """

    sandbox_approval: bool = True
    rules: bool = True
    request_permissions: bool = True


class Guardian(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[guardian]``: a model that answers in the person's place what would be asked.

    Attributes:
        strict: It also reviews what would happen unasked: every command, and all that changes something.
        model: Empty means the session's own.
        timeout: Seconds a review may take; then the action does not run.
    """

    enabled: bool = False
    strict: bool = False
    model: str = ""
    effort: Effort = "low"
    timeout: Seconds = 90.0


class Sandbox(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[sandbox]``: what commands may reach; a cage of the operating system holds them to it.

    Attributes:
        mode: ``plan`` makes it ``read-only`` whatever is said here.
        network: Whether commands may talk to anybody; with ``proxy`` to the hosts of ``[web]`` and those
            that are allowed when asked, which needs bubblewrap.
        writable: Folders besides the workspace.
        exclude_tmp: ``/tmp`` and ``$TMPDIR`` may not be written, but for a folder of the session's own.
        caches: Those of package managers and compilers in the person's home may be read, or written too;
            what is written there is used outside of the sandbox later.
        hide: Places that may not be read, besides the usual ones of keys.
        reveal: Of the usual ones, those that may be read after all.
        bubblewrap: Use it where namespaces of our own cannot be made, use it ``first``, or leave it at
            Landlock alone (``off``).
        git: What may be written of a repository: all but what steers git (``open``: configuration, hooks),
            so that commits can be made, or nothing (``closed``).
        landlock_alone: Landlock cannot leave ``.git/hooks`` out of a folder. What commands change there is
            put back after each (``restore``), or nothing can be made beside it (``strict``), or they may
            change it (``loose``).
        processes: The most that the user may have at once while a command runs; 0 for no bound.
        local_sockets: With the network ``on``: of Docker, of agents that hold keys, but of databases too.
    """

    mode: Literal["read-only", "workspace-write", "danger-full-access"] = "workspace-write"
    network: Literal["off", "proxy", "on"] = "off"
    writable: tuple[str, ...] = ()
    exclude_tmp: bool = False
    caches: Literal["read", "write"] = "read"
    hide: tuple[str, ...] = ()
    reveal: tuple[str, ...] = ()
    bubblewrap: Literal["auto", "first", "off"] = "auto"
    git: Literal["open", "closed"] = "open"
    landlock_alone: Literal["strict", "restore", "loose"] = "restore"
    processes: Count = 16_384
    local_sockets: Literal["closed", "open"] = "closed"


class Safety(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[safety]``: what is looked for in what comes in, is called and goes out.

    Attributes:
        enabled: Turning it off needs ``confirm_disable`` too.
        confirm_disable: The person knows that secrets are then kept, shown and sent as they are.
        actions: What becomes of an output with a kind of secret; unnamed kinds are redacted.
    """

    enabled: bool = True
    confirm_disable: bool = False
    actions: dict[str, Literal["redact", "warn", "block"]] = field(
        default_factory=dict[str, Literal["redact", "warn", "block"]]
    )
