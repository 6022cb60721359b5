"""All settings together."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ouroboros.app.settings.faces import Server
from ouroboros.app.settings.keeping import Checkpoints, SecretsSettings, Sessions
from ouroboros.app.settings.kinds import ApprovalName, Positive
from ouroboros.app.settings.models import Network, Price, Provider
from ouroboros.app.settings.permission import Approval, Guardian, Permissions, Safety, Sandbox
from ouroboros.app.settings.repos import Repos
from ouroboros.app.settings.running import Context, Limits, Review, Rlm, Tools
from ouroboros.app.settings.tui import Tui
from ouroboros.app.settings.web import Browser, Web
from ouroboros.core.commands import Effort, Mode, Personality
from ouroboros.plugins.hooks.definition import Group


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of a run, after the layers were joined.

    Attributes:
        strict_approvals: A run that was refused an approval because nobody was there ends with exit
            code 4, also when it went on and finished its work.
        managed_hooks_only: No hooks run but the administrator's; set in their file it holds for all.
    """

    model: str = ""
    fallback: tuple[str, ...] = ()
    mode: Mode = "ask"
    approval_policy: ApprovalName | Literal[""] = ""
    strict_approvals: bool = False
    effort: Effort | None = None
    personality: Personality = "none"
    service_tier: str = ""
    system: str = ""
    base_url: str = ""
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    max_output_tokens: Positive | None = None
    cache_replies: bool = False
    limits: Limits = field(default_factory=Limits)
    context: Context = field(default_factory=Context)
    tools: Tools = field(default_factory=Tools)
    permissions: Permissions = field(default_factory=Permissions)
    approval: Approval = field(default_factory=Approval)
    guardian: Guardian = field(default_factory=Guardian)
    sandbox: Sandbox = field(default_factory=Sandbox)
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    network: Network = field(default_factory=Network)
    sessions: Sessions = Sessions()
    secrets: SecretsSettings = SecretsSettings()
    review: Review = Review()
    repos: Repos = field(default_factory=Repos)
    web: Web = field(default_factory=Web)
    browser: Browser = field(default_factory=Browser)
    server: Server = Server()
    rlm: Rlm = field(default_factory=Rlm)
    tui: Tui = field(default_factory=Tui)
    safety: Safety = field(default_factory=Safety)
    hooks: dict[str, tuple[Group, ...]] = field(default_factory=dict[str, tuple[Group, ...]])
    managed_hooks_only: bool = False
    providers: dict[str, Provider] = field(default_factory=dict[str, Provider])
    models: dict[str, Price] = field(default_factory=dict[str, Price])
