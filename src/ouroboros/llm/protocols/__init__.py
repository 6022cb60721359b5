"""Wire formats as pure functions: ``Request`` to bytes, bytes to events.

Refuses: sockets, clocks and vendor names. What a vendor does its own way is a ``Dialect``.
"""

from ouroboros.llm.protocols.protocol import BodyCache, Decoder, Protocol
from ouroboros.llm.protocols.registry import NAMES, by_name

__all__ = ["NAMES", "BodyCache", "Decoder", "Protocol", "by_name"]
