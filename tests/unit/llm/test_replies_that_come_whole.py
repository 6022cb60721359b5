"""A vendor that cannot stream gives the same events as one that can, in every wire format."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from ouroboros.core.parts import Origin
from ouroboros.llm.client import Client
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.http_route import Endpoint, HttpRoute
from ouroboros.llm.protocols import NAMES, by_name
from ouroboros.llm.retry import Policy
from ouroboros.llm.stream import BlockGrew, StreamEvent
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.turns import ScriptedCall, ScriptedUsage, Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.server import serving
from tests.cases import every
from tests.unit.llm.fault_ground import FORMATS, asked, listen

pytestmark = pytest.mark.real

TURN = Turn(
    reasoning="I think about it.",
    text="Here it is, whole.",
    chunk=3,
    tool_calls=(
        ScriptedCall(name="read", arguments={"path": "a", "n": [1, 2]}),
        ScriptedCall(name="list"),
    ),
    usage=ScriptedUsage(input_uncached=11, cache_read=7, output_text=5, reasoning=2),
)


def gist(events: Sequence[StreamEvent]) -> list[StreamEvent]:
    """The events, with the pieces of each block joined; no arguments are the same as empty ones."""
    found: list[StreamEvent] = []
    for event in events:
        last = found[-1] if found else None
        if isinstance(event, BlockGrew) and (event.kind, event.text) == ("call", "{}"):
            continue
        if isinstance(event, BlockGrew) and isinstance(last, BlockGrew) and last.part == event.part:
            found[-1] = replace(last, text=last.text + event.text)
        else:
            found.append(event)
    return found


async def reply(format: str, dialect: Dialect) -> tuple[list[StreamEvent], str]:
    """The events of the turn, and how the server was asked for it."""
    name, model = FORMATS[format]
    async with serving([TURN]) as server:
        endpoint = Endpoint(
            origin=Origin(provider="vendor", protocol=name, model=model),
            base_url=server.url,
            dialect=dialect,
            url=lambda path: server.url + path,
        )
        clock = ManualClock()
        route = HttpRoute(endpoint, by_name(name), Http1(), clock=clock)
        client = Client(route, policy=Policy(), sleep=clock.sleep, random=lambda: 0.5)
        try:
            events, error = await listen(client, asked(format))
        finally:
            await client.close()
        assert error is None
        exchange = server.exchanges[0]
        return events, f"{exchange.path} {exchange.json.get('stream')}"


@pytest.mark.proves("H18")
def test_every_format_is_among_them() -> None:
    assert {name for name, _ in FORMATS.values()} == set(NAMES)


@pytest.mark.proves("H18", "divergences-whole-replies-of-invokemodel")
@every("format", sorted(FORMATS.keys() - {"invoke-nova"}))
async def test_a_whole_reply_is_told_as_a_stream(format: str) -> None:
    streamed, how = await reply(format, Dialect())
    whole, how_whole = await reply(format, Dialect(streams=False))
    assert how != how_whole
    assert gist(whole) == gist(streamed)
    assert len(whole) < len(streamed)
