"""Every wire format, every fault of the way, at every place of a reply."""

import pytest

from ouroboros.llm.protocols import NAMES
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.unit.llm.fault_ground import CALL, FORMATS, asked, calls, facing, listen, running, said

pytestmark = pytest.mark.real


@pytest.mark.proves("providers-faults")
def test_no_format_is_left_out() -> None:
    assert {name for name, _ in FORMATS.values()} == set(NAMES)


TURN = Turn(reasoning="hm", text="Hello there", chunk=4, tool_calls=(CALL,))
SAID = ("Hello there", [("read", '{"path":"a"}')])


@pytest.mark.proves("providers-faults")
@every("format", FORMATS)
async def test_a_stream_arrives(format: str) -> None:
    async with running([TURN], format) as (client, _, _):
        events, _ = await listen(client, asked(format))
        assert (said(events), calls(events)) == SAID
    async with facing([lambda speech: [speech.whole]], TURN, format) as (client, _, _):
        events, _ = await listen(client, asked(format))
        assert (said(events), calls(events)) == SAID


@pytest.mark.proves("providers-faults")
@every("format", [name for name in FORMATS if name != "invoke-nova"])
async def test_a_whole_reply_arrives(format: str) -> None:
    async with running([TURN], format) as (client, _, _):
        events, _ = await listen(client, asked(format, stream=False))
        assert (said(events), calls(events)) == SAID
