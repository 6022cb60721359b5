"""From the bytes of a stream to frames, the same ones however the bytes were cut.

Refuses: to know what a frame means. Each framing is imported by the wire formats that use it.
"""

from ouroboros.llm.framing.frame import Frame, Framing

__all__ = ["Frame", "Framing"]
