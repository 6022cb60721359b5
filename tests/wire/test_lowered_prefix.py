"""Lowering keeps the law: each request extends the last one, whatever the vendor wants changed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.core.parts import Message
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lowering import Lowering
from ouroboros.llm.protocols import NAMES, BodyCache, by_name
from ouroboros.llm.request import Request
from ouroboros.testing.prefix import breaches
from tests.wire.histories import TOOLS, origin_of, sessions

HABITS = {
    "names": Dialect(),
    "titles": Dialect(tool_names="capitalised"),
    "text": Dialect(freeform_tools=True),
    "fenced": Dialect(tools="fenced"),
    "assistant": Dialect(assistant_after_tool=True, tool_id_rule="nine"),
}


@pytest.mark.proves("providers-caching")
@pytest.mark.parametrize("habit", HABITS)
@pytest.mark.parametrize("protocol", NAMES)
@settings(max_examples=4)
@given(data=st.data())
def test_each_request_extends_the_last_one(protocol: str, habit: str, data: st.DataObject) -> None:
    dialect, origin = HABITS[habit], origin_of(protocol, "two")
    messages = data.draw(sessions("openai-chat", protocol))
    lowering, cache = Lowering(dialect, origin), BodyCache()
    bodies: list[bytes] = []
    for end in requests(messages):
        request = Request(
            model=origin.model, system=("Be.",), tools=TOOLS, messages=tuple(messages[:end])
        )
        lowered = lowering.lower(request).request
        body = by_name(protocol).build_body(lowered, dialect, origin, cache)
        afresh = Lowering(dialect, origin).lower(request).request
        assert body == by_name(protocol).build_body(afresh, dialect, origin)
        bodies.append(body)
    assert breaches(bodies, summary="no summary", question="no question") == []


def requests(messages: list[Message]) -> list[int]:
    """How many messages each request of the session had: up to each reply, and all."""
    places = [place for place, one in enumerate(messages) if one.role == "assistant"]
    return [*places, len(messages)]
