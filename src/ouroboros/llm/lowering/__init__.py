"""From what is asked to what a vendor can take, and from its reply back: names, fences, neighbours.

Refuses: bytes and vendor names. A vendor that needs none of it gets the very same messages.
"""

from ouroboros.llm.lowering.lower import Lifting, Lowered, Lowering, lower

__all__ = ["Lifting", "Lowered", "Lowering", "lower"]
