"""Every setting, its type and its default; where the values come from is ``app.config``'s matter."""

from ouroboros.app.settings.keeping import Checkpoints, SecretsSettings, Sessions
from ouroboros.app.settings.kinds import (
    ApprovalName,
    Count,
    DialectChanges,
    FolderName,
    HostName,
    Positive,
    ProtocolName,
    Ratio,
    Seconds,
)
from ouroboros.app.settings.models import Network, Price, Provider
from ouroboros.app.settings.permission import Approval, Guardian, Permissions, Rule, Safety, Sandbox
from ouroboros.app.settings.repos import Repos
from ouroboros.app.settings.running import Context, Limits, Review, Rlm, Tools
from ouroboros.app.settings.tui import Tui
from ouroboros.app.settings.web import RISKS, Browser, Risk, Web
from ouroboros.app.settings.whole import Settings

__all__ = [
    "RISKS",
    "Approval",
    "ApprovalName",
    "Browser",
    "Checkpoints",
    "Context",
    "Count",
    "DialectChanges",
    "FolderName",
    "Guardian",
    "HostName",
    "Limits",
    "Network",
    "Permissions",
    "Positive",
    "Price",
    "ProtocolName",
    "Provider",
    "Ratio",
    "Repos",
    "Review",
    "Risk",
    "Rlm",
    "Rule",
    "Safety",
    "Sandbox",
    "Seconds",
    "SecretsSettings",
    "Sessions",
    "Settings",
    "Tools",
    "Tui",
    "Web",
]
