"""Pictures of files reach the model in the order of its calls, unless it takes none."""

import re
from base64 import b64decode
from pathlib import Path

import pytest

from ouroboros.llm.turns import ScriptedCall, Turn
from ouroboros.tools.pictures.measure import measured
from tests.story.stage import call, stage
from tests.unit.tools.spine import text_of
from tests.unit.tools.test_pictures import gif, plain


def view(path: str) -> ScriptedCall:
    return call("call_tool", name="view_image", arguments={"path": path})


@pytest.mark.deep
@pytest.mark.proves("D15", "D33")
async def test_they_are_made_small_and_keep_their_order(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "large.png").write_bytes(plain(4_000, 100))
    (work / "moving.gif").write_bytes(gif(2))
    (work / "small.png").write_bytes(plain(7, 5))
    calls = tuple(view(name) for name in ("large.png", "moving.gif", "small.png"))
    turns = [Turn(tool_calls=calls), Turn(text="Seen.")]
    async with stage(tmp_path, turns, format="anthropic") as s:
        assert (await s.run()).exit_code == 0
        sent = re.findall(r'"data":\s*"([^"]+)"', s.server.exchanges[-1].body)
    found = [measured(b64decode(data)) for data in sent]
    sizes = [(one.media_type, one.width, one.height) for one in found]
    assert sizes == [("image/png", 2_048, 51), ("image/gif", 2, 2), ("image/png", 7, 5)]


@pytest.mark.proves("D15", "D33")
async def test_a_model_that_takes_none_is_told_so_and_what_the_person_can_do(
    tmp_path: Path,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "small.png").write_bytes(plain(7, 5))
    turns = [Turn(tool_calls=(view("small.png"),)), Turn(text="I cannot see it.")]
    blind = {"openai-chat/scripted": {"images": False}}
    async with stage(tmp_path, turns, models=blind) as s:
        await s.run()
        (result,) = s.results.values()
    assert result.status == "failed"
    said = text_of(result)
    assert said.startswith("openai-chat/scripted takes no pictures, so none was read")
    assert 'images = true in [models."openai-chat/scripted"]' in said
