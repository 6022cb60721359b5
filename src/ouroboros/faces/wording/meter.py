"""What fills a context, as a table that has room in 40 columns."""

from collections.abc import Iterator

from ouroboros.core.context import Meter
from ouroboros.faces.wording.words import one_line

_NAME, _NUMBER = 19, 10


def meter_lines(meter: Meter) -> Iterator[str]:
    """The model, each kind of content with its share of the window, and what is left."""
    counted = "reported" if meter.source == "reported" else "estimated"
    yield f"{one_line(meter.model, 60)}"
    yield f"{meter.used:,} of {meter.window:,} tokens, {counted}"
    for block in meter.blocks:
        yield _row(block.name, block.tokens, meter.window)
    yield _row("free", meter.free, meter.window)
    if meter.limit is not None:
        yield _row("summarised at", meter.limit, meter.window)
    if meter.is_assumed:
        yield "the model's window is assumed"


def _row(name: str, tokens: int, window: int) -> str:
    share = 100 * tokens / window if window else 0.0
    return f"  {name:<{_NAME}}{tokens:>{_NUMBER},}{share:>5.0f} %"
