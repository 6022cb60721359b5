"""The cage a child process runs in: what it is to let through, what this machine offers, and both joined."""

from ouroboros.safety.sandbox.begin import begin
from ouroboros.safety.sandbox.cage import CageDenied, Confined, Sandbox, Unconfined
from ouroboros.safety.sandbox.policy import Policy

__all__ = ["CageDenied", "Confined", "Policy", "Sandbox", "Unconfined", "begin"]
