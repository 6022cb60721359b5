"""A key of the environment reaches no event, whoever says it and however it is cut."""

import os
from pathlib import Path

import msgspec
import pytest

from ouroboros.core.events import ModelDelta, ToolProgress
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.rlm_stage import block, rlm_stage
from tests.story.stage import call, stage

KEY = "sk-fj38dk20sl19xm47"
SAYS = 'for piece in sk-fj3 8dk20sl1 9xm47; do printf "$piece"; sleep 0.05; done; echo; printf sk-f'


@pytest.mark.deep
@pytest.mark.proves("H20")
@every("chunk", [1, 3, 7])
async def test_a_key_cut_over_pieces_is_shown_nowhere(tmp_path: Path, chunk: int) -> None:
    said = Turn(text=f"It is {KEY} ok", tool_calls=(call("shell", command=SAYS),), chunk=chunk)
    environment = {"SOME_API_KEY": KEY}
    async with stage(tmp_path, [said, Turn(text="Done: sk-f")], environment=environment) as s:
        await s.run(f"My key is {KEY}")
        assert all(KEY not in msgspec.json.encode(shown).decode() for shown in s.shown)
        words = "".join(delta.text for delta in s.events(ModelDelta) if delta.kind == "text")
        output = "".join(piece.text for piece in s.events(ToolProgress))
    assert words == "It is [REDACTED:SOME_API_KEY] okDone: sk-f"
    assert output == "[REDACTED:SOME_API_KEY]\nsk-f"


async def test_a_key_that_is_no_text_does_not_stop_a_run(tmp_path: Path) -> None:
    environment = {"SOME_API_KEY": os.fsdecode(b"secret\xff\xfesecret")}
    async with stage(tmp_path, [Turn(text="Hello.")], environment=environment) as s:
        assert (await s.run()).reason == "completed"


@pytest.mark.deep
async def test_a_key_at_the_edge_of_a_preview_is_not_shown_in_part(tmp_path: Path) -> None:
    code = """const key = (await read('key.txt')).trim()
const half = 'x'.repeat(190) + key
log('y'.repeat(4_990) + key)
'z'.repeat(385) + '\\n'.repeat(2) + key"""
    turns = [
        block(code),
        block("throw new Error('x'.repeat(390) + key)"),
        block("[{a: 'a'.repeat(379), b: key + key}]"),
        block("setFinal(await llm_query('Read it.', 'It is ' + key))"),
        Turn(text="read"),
    ]
    async with rlm_stage(tmp_path, turns, environment={"SOME_API_KEY": KEY}) as s:
        (s.cwd / "key.txt").write_text(KEY)
        assert (await s.run("Look.")).final == "read"
        asked = "".join(str(exchange.body) for exchange in s.server.exchanges)
        kept = b"".join(msgspec.json.encode(shown) for shown in s.shown).decode()
    assert "[REDACTED:" in asked
    assert len(asked.split("It is [REDACTED:SOME_API_KEY]")) == 2
    for told in (asked, kept):
        at = told.find(KEY[:4])
        assert at < 0, told[at - 300 : at + 60]
