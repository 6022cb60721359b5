"""What fills a context: every kind of content is told apart, and the parts come to the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.agent.context import meter
from ouroboros.agent.context.instructions import NOTES
from ouroboros.core.parts import (
    Media,
    Message,
    MessageKind,
    Part,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)


def user(text: str, kind: MessageKind = "plain", *more: Part) -> Message:
    return Message(id="u", role="user", kind=kind, parts=(Text(text=text), *more))


SHOT = Media(media_type="image/png", data="AAAA")
CONTEXT = (
    f"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n{'i' * 400}\n\n{NOTES}\n\n{'n' * 400}\n"
    f"</INSTRUCTIONS>\n\n<environment_context>{'e' * 400}</environment_context>"
)
MENTIONED = f"<mentioned>\n{'m' * 400}\n</mentioned>"
HISTORY = (
    user(CONTEXT, "context"),
    user("w" * 400, "plain", SHOT),
    user(MENTIONED, "context"),
    Message(id="a", role="assistant", parts=(Text(text="r" * 400), ToolCall(id="c", name="read"))),
    Message(
        id="r",
        role="user",
        parts=(ToolResult(call_id="c", name="read", parts=(Text(text="t" * 400), SHOT)),),
    ),
    user("s" * 400, "summary"),
    user("n", "nudge"),
)
TOOLS = (ToolSpec(name="read", description="d" * 200, schema="s" * 200),)


@pytest.mark.proves("J11")
def test_every_kind_is_told_apart() -> None:
    found = {b.name: b.tokens for b in meter.blocks(["p" * 400], TOOLS, HISTORY, 5_070)}
    assert tuple(found) == meter.NAMES
    assert sum(found.values()) == 5_070
    for name in ("system prompt", "tools", "your words", "summary", "mentioned", "tool results"):
        assert 95 <= found[name] <= 125, name
    assert 95 <= found["instructions"] <= 130
    assert 100 <= found["notes"] <= 130
    assert 3_900 <= found["images"] <= 4_100


def test_a_report_of_the_provider_is_shared_out() -> None:
    found = {b.name: b.tokens for b in meter.blocks(["p" * 400], (), [user("w" * 1_200)], 1_001)}
    assert found == {"system prompt": 250, "your words": 751}


@pytest.mark.deep
@pytest.mark.proves("J11")
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=12), st.integers(0, 1_000_000))
def test_nothing_is_lost_by_rounding(sizes: list[int], total: int) -> None:
    parts = meter.shared(sizes, total)
    assert sum(parts) == total
    assert all(part >= 0 for part in parts)
    whole = sum(sizes)
    if whole:
        assert all(
            abs(part - size * total / whole) < 1 for part, size in zip(parts, sizes, strict=True)
        )
