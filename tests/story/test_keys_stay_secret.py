"""A key of the environment reaches no event, whoever says it and however it is cut."""

import os
from pathlib import Path

import msgspec
import pytest

from ouroboros.core.events import ModelDelta, ToolProgress
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

KEY = "sk-fj38dk20sl19xm47"
SAYS = 'for piece in sk-fj3 8dk20sl1 9xm47; do printf "$piece"; sleep 0.05; done; echo; printf sk-f'


@pytest.mark.parametrize("chunk", [1, 3, 7])
async def test_a_key_cut_over_pieces_is_shown_nowhere(tmp_path: Path, chunk: int) -> None:
    said = Turn(text=f"It is {KEY} ok", tool_calls=(call("shell", command=SAYS),), chunk=chunk)
    environment = {"SOME_API_KEY": KEY}
    async with stage(tmp_path, [said, Turn(text="Done: sk-f")], environment=environment) as s:
        await s.run(f"My key is {KEY}")
        assert all(KEY not in msgspec.json.encode(shown).decode() for shown in s.shown)
        words = "".join(delta.text for delta in s.events(ModelDelta) if delta.kind == "text")
        output = "".join(piece.text for piece in s.events(ToolProgress))
    assert words == "It is [redacted SOME_API_KEY] okDone: sk-f"
    assert output == "[redacted SOME_API_KEY]\nsk-f"


async def test_a_key_that_is_no_text_does_not_stop_a_run(tmp_path: Path) -> None:
    environment = {"SOME_API_KEY": os.fsdecode(b"secret\xff\xfesecret")}
    async with stage(tmp_path, [Turn(text="Hello.")], environment=environment) as s:
        assert (await s.run()).reason == "completed"
