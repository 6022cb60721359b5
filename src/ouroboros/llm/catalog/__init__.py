"""What is known of models: limits, what they take, reasoning levels, price; apart from any protocol.

Refuses: guesses. What no source says stays None, and a price that may be another's is left out.
"""

from ouroboros.llm.catalog.known import Known
from ouroboros.llm.catalog.lookup import estimate_cost, find, models_of
from ouroboros.llm.catalog.snapshot_file import TAKEN

__all__ = ["TAKEN", "Known", "estimate_cost", "find", "models_of"]
