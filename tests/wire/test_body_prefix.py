"""Each request extends the last one, and the memory that makes this cheap changes no byte."""

import json
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.core.parts import (
    Media,
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import NAMES, BodyCache, by_name
from ouroboros.llm.protocols.protocol import Unit
from ouroboros.llm.request import Request
from tests.cases import deep_after, every

ORIGIN = Origin(provider="p", protocol="x", model="m")
OTHER = Origin(provider="q", protocol="x", model="m")
TOOL = ToolSpec(name="t", description="d", schema='{"type":"object"}')
MARK = re.compile(
    rb',"cache_control":\{"type":"ephemeral"\}|,\{"cachePoint":\{"type":"default"\}\}'
)
MODELS = {
    "bedrock-converse": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "bedrock-invoke-stream": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
}
OPEN_ENDS = {"bedrock-converse": b"]}"}
"""Where roles must alternate, the last message itself may grow."""

words = st.text(max_size=12)
user_parts = st.lists(
    st.one_of(
        st.builds(Text, text=words),
        st.just(Media(media_type="image/png", data="QQ==")),
    ),
    max_size=2,
)


@st.composite
def turns(draw: st.DrawFn) -> list[list[Message]]:
    """What is appended between one request and the next, again and again."""
    found: list[list[Message]] = []
    for turn in range(draw(st.integers(1, 5))):
        said: list[Part] = [*draw(user_parts)]
        batch = [Message(id=f"u{turn}", role="user", parts=tuple(said))]
        calls = draw(st.integers(0, 3))
        made: list[Part] = [
            Reasoning(text=draw(words), meta={"signature": "s", "item": '{"id":"r"}'}),
            Text(text=draw(words)),
            *(
                ToolCall(
                    id=f"c{turn}-{number}", name="t", arguments=draw(st.just('{"a":1}') | words)
                )
                for number in range(calls)
            ),
        ]
        origin = draw(st.sampled_from([ORIGIN, OTHER]))
        batch.append(Message(id=f"a{turn}", role="assistant", parts=tuple(made), origin=origin))
        for number in range(calls):
            result = ToolResult(
                call_id=f"c{turn}-{number}", name="t", parts=(Text(text=draw(words)),)
            )
            batch.append(Message(id=f"r{turn}-{number}", role="user", parts=(result,)))
        if calls and draw(st.booleans()):
            batch.append(Message(id=f"s{turn}", role="user", parts=(Text(text=draw(words)),)))
        found.append(batch)
    return found


def asked(messages: list[Message], name: str = "") -> Request:
    return Request(
        model=MODELS.get(name, "m"),
        system=("rules",),
        tools=(TOOL,),
        messages=tuple(messages),
        cache_key="k",
    )


@pytest.mark.proves("spine-agent", "providers-caching")
@pytest.mark.parametrize("marker", deep_after(1, ["cache_control", "none"]))
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(batches=turns())
def test_a_body_extends_the_last_one_to_the_byte(
    name: str, marker: str, batches: list[list[Message]]
) -> None:
    protocol = by_name(name)
    dialect = Dialect(
        reasoning_send_back="details",
        cache_marker="cache_control" if marker == "cache_control" else "none",
    )
    cache = BodyCache()
    history: list[Message] = []
    last = b""
    for batch in batches:
        history += batch
        body = protocol.build_body(asked(history, name), dialect, ORIGIN, cache)
        assert body == protocol.build_body(asked(history, name), dialect, ORIGIN)
        json.loads(body)
        plain = MARK.sub(b"", body)
        assert plain.startswith(last.removesuffix(b"]}").removesuffix(OPEN_ENDS.get(name, b"")))
        last = plain


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(batches=turns(), cut=st.integers(0, 20), origin=st.sampled_from([ORIGIN, OTHER]))
def test_the_memory_never_shows(
    name: str, batches: list[list[Message]], cut: int, origin: Origin
) -> None:
    protocol = by_name(name)
    history = [message for batch in batches for message in batch]
    summary = Message(id="u0", role="user", parts=(Text(text="summary"),), kind="summary")
    cache = BodyCache()
    for messages in (history, history[:cut], [summary, *history[cut:]], history[::-1], history):
        body = protocol.build_body(asked(messages), Dialect(), origin, cache)
        assert body == protocol.build_body(asked(messages), Dialect(), origin)


class Counting(BodyCache):
    """Counts the units that were encoded."""

    encoded = 0

    def encode(
        self,
        messages: Sequence[Message],
        target: tuple[str, Dialect, Origin],
        fragment: Callable[[Unit], bytes],
    ) -> list[bytes]:
        def counted(unit: Unit) -> bytes:
            self.encoded += 1
            return fragment(unit)

        return super().encode(messages, target, counted)


@pytest.mark.proves("spine-agent")
@every("name", NAMES)
def test_only_what_was_appended_is_encoded_again(name: str) -> None:
    history = [
        Message(id=str(number), role="user" if number % 2 else "assistant", parts=(Text(text="x"),))
        for number in range(1, 41)
    ]
    counted = Counting()
    for length in range(1, 41):
        by_name(name).build_body(asked(history[:length]), Dialect(), ORIGIN, counted)
    assert counted.encoded == 40


@pytest.mark.proves("providers-caching")
@every("name", NAMES)
def test_breakpoints_stay_within_four(name: str) -> None:
    history = [
        Message(id=str(number), role="user", parts=(Text(text="x"), Text(text="y")))
        for number in range(9)
    ]
    dialect = Dialect(cache_marker="cache_control")
    body = by_name(name).build_body(asked(history, name), dialect, ORIGIN)
    has_none = {"openai-responses", "gemini", "ollama-chat"}
    assert len(MARK.findall(body)) == (0 if name in has_none else 3)


@pytest.mark.proves("codex-4.2", "divergences-order-of-results")
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(batches=turns())
def test_the_memory_follows_results_that_come_one_by_one(
    name: str, batches: list[list[Message]]
) -> None:
    protocol = by_name(name)
    history = [message for batch in batches for message in batch]
    cache = BodyCache()
    for length in range(1, len(history) + 1):
        request = asked(history[:length])
        body = protocol.build_body(request, Dialect(), ORIGIN, cache)
        assert body == protocol.build_body(request, Dialect(), ORIGIN)


@every("name", NAMES)
def test_the_memory_is_of_one_target(name: str) -> None:
    parts = (
        Reasoning(text="Hm.", meta={"signature": "s", "item": '{"id":"r","content":[{}]}'}),
        Text(text="Yes.", meta={"id": "m"}),
        ToolCall(id="a:b", name="t"),
    )
    request = asked([
        Message(id="a", role="assistant", parts=parts, origin=ORIGIN),
        Message(id="u", role="user", parts=(ToolResult(call_id="a:b", name="t"),)),
    ])
    cache = BodyCache()
    for origin in (ORIGIN, OTHER, ORIGIN):
        for dialect in (Dialect(reasoning_send_back="field"), Dialect(tool_id_rule="nine")):
            body = by_name(name).build_body(request, dialect, origin, cache)
            assert body == by_name(name).build_body(request, dialect, origin)
