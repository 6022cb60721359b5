"""A server that reads less than it was sent is noticed, once, and nobody else is suspected."""

import pytest

from ouroboros.agent.context import tokens
from ouroboros.agent.speaking.cut_watch import CutWatch
from ouroboros.core.parts import Media, Message, Reasoning, Text, ToolCall, ToolResult, Usage
from ouroboros.core.state import State


def test_a_cut_is_told_once_with_the_way_out() -> None:
    watch = CutWatch()
    told = watch.notice(Usage(input_uncached=3_000, cache_read=1_096), 12_000)
    assert told is not None
    assert told.level == "warning"
    assert "4,096 of about 12,000 tokens" in told.text
    assert "OLLAMA_CONTEXT_LENGTH" in told.text
    assert "num_ctx" in told.text
    assert watch.notice(Usage(input_uncached=4_096), 20_000) is None


@pytest.mark.proves("providers-protocols")
def test_small_differences_and_missing_counts_are_no_cut() -> None:
    watch = CutWatch()
    assert watch.notice(Usage(input_uncached=6_000), 12_000) is None
    assert watch.notice(Usage(input_uncached=500), 2_500) is None
    assert watch.notice(Usage(), 50_000) is None
    assert watch.notice(Usage(input_uncached=10), 0) is None
    assert watch.notice(Usage(input_uncached=5_999), 12_000) is not None


def test_only_what_every_vendor_counts_is_expected() -> None:
    call = ToolCall(id="c", name="read", arguments='{"a":1}')
    history = [
        Message(
            id="u",
            role="user",
            parts=(Text(text="x" * 400), Media(media_type="image/png", data="i" * 9_000)),
        ),
        Message(id="a", role="assistant", parts=(Reasoning(text="t" * 4_000), call)),
    ]
    state = State(history=history)
    state.results["c"] = ToolResult(call_id="c", name="read", parts=(Text(text="y" * 40),))
    assert tokens.least(state, 7) == 7 + 100 + 2 + 10
