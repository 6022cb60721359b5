"""Vendors as table entries: a wire format, an address, a key, and what the vendor does its own way.

Refuses: code for one vendor. What an entry cannot say becomes a toggle of ``llm.dialect``.
"""

from ouroboros.llm.providers.choice import Choice, find
from ouroboros.llm.providers.entry import Entry
from ouroboros.llm.providers.table import ENTRIES

__all__ = ["ENTRIES", "Choice", "Entry", "find"]
