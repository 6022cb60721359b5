"""How a worker fails, as words for the model."""

from ouroboros.core.errors import ToolFailed


class IsolateFailed(ToolFailed):
    """An isolate could not be started, or could not do what was asked between blocks."""
