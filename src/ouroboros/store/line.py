"""An event as it is written down."""

import msgspec

from ouroboros.core.events import Envelope

_encoder = msgspec.json.Encoder()


def encode(envelope: Envelope) -> bytes:
    """One event as one line of JSON, without the newline."""
    return _encoder.encode(envelope)
