"""The size of the context is what the provider said, and what it said is added up once."""

from pathlib import Path

import pytest

from ouroboros.agent.context import tokens
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.story.stage import FORMATS, call, stage


@pytest.mark.proves("J01")
@pytest.mark.parametrize("format", FORMATS)
async def test_the_figure_after_a_turn_is_the_providers_total(tmp_path: Path, format: str) -> None:
    first = ScriptedUsage(input_uncached=900, output_text=50)
    last = ScriptedUsage(input_uncached=300, cache_read=1_000, output_text=34)
    turns = [Turn(tool_calls=(call("ls"),), usage=first), Turn(text="x" * 4_000, usage=last)]
    async with stage(tmp_path, turns, format=format) as s:
        await s.run()
        assert tokens.used(s.session.state, overhead=10_000) == 1_334
        spent = s.session.state.spent
        assert (spent.input_tokens, spent.cached_tokens, spent.output_tokens) == (2_200, 1_000, 84)
        assert spent.requests == 2
        assert spent.cache_hit_rate == 1_000 / 2_200
