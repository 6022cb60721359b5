"""The cage a child process runs in: what it is to let through, what this machine offers, and both joined.

``Policy`` says what; ``features`` finds out by trying; ``choose`` gives a ``Sandbox``, which turns a
command into a ``Confined`` one; ``begin`` (by way of ``safety.spawn``) starts that. ``features`` and
``choice`` are modules of their own, which only a run that starts commands loads.
"""

from ouroboros.safety.sandbox.begin import begin
from ouroboros.safety.sandbox.cage import CageDenied, Confined, Sandbox, Unconfined
from ouroboros.safety.sandbox.denial import denial, network_denial, noted, refused_since, stopped
from ouroboros.safety.sandbox.policy import Policy

__all__ = [
    "CageDenied",
    "Confined",
    "Policy",
    "Sandbox",
    "Unconfined",
    "begin",
    "denial",
    "network_denial",
    "noted",
    "refused_since",
    "stopped",
]
