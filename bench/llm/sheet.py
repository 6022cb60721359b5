"""The rows of the model layer's table, and which of its aims are missed."""

from collections.abc import Iterator, Mapping

from bench.sheet import Row, Sheet

OFFICIAL = frozenset({"openai", "anthropic"})
TIMES_LESS = 3.0
"""How many times less an event is to cost here than in the official SDKs."""

ROWS = (
    Row("batched chat", "CPU per event, chat, us", 1e6, 1, 25),
    Row("batched responses", "CPU per event, responses, us", 1e6, 1, 25),
    Row("batched messages", "CPU per event, messages, us", 1e6, 1, 25),
    Row(
        "paced chat",
        "20 streams, 200 events/s each, chat, % of a core",
        100,
        1,
        15,
        is_compared=False,
    ),
    Row("paced responses", "the same, responses, % of a core", 100, 1, 15, is_compared=False),
    Row("paced messages", "the same, messages, % of a core", 100, 1, 15, is_compared=False),
    Row("import", "import over bare Python, ms of CPU", 1e3, 0, 30, is_compared=False),
)


def missed(sheet: Sheet) -> Iterator[str]:
    """The aims that our medians do not reach, also those against the official SDKs."""
    yield from sheet.missed()
    for row in ROWS:
        for name in sheet.names if row.is_compared else ():
            times = sheet.times(row.key, name)
            if name in OFFICIAL and times is not None and times < TIMES_LESS:
                yield f"{row.title}: {name} takes {times:.1f} times ours, not {TIMES_LESS:g}"


def decoder_lines(costs: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Microseconds for each event without a socket."""
    kinds = ("words", "thoughts", "arguments")
    yield "| decoding alone, us per event | " + " | ".join(kinds) + " |"
    yield "|---|" + "---|" * len(kinds)
    for name, found in costs.items():
        cells = (f"{found[kind] * 1e6:.1f}" if kind in found else "" for kind in kinds)
        yield f"| {name} | " + " | ".join(cells) + " |"


def growth_lines(growth: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """What grows with a reply."""
    yield "| growth | bytes held per event | 25 MB of text to ten times 2.5 MB, CPU |"
    yield "|---|---|---|"
    for name, found in growth.items():
        yield f"| {name} | {found['bytes_per_event']:.0f} | x{found['long_over_short']:.2f} |"
