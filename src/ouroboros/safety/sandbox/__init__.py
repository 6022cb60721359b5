"""The cage a child process runs in: a seam today, with the one value that confines nothing."""

from ouroboros.safety.sandbox.cage import CageDenied, Sandbox, Unconfined

__all__ = ["CageDenied", "Sandbox", "Unconfined"]
