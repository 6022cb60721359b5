"""Thoughts between tags are told from words, however the stream was cut."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Message, Origin, Part, Reasoning, Text, ToolCall
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockGrew, Failed, Finished
from ouroboros.llm.think_tags import ThinkTags
from tests.cases import every

TAGGED = Dialect(think_tags=True)

CASES = [
    ("<think>Hm.</think>\n\nYes.", "Hm.", "Yes."),
    ("No tags.", "", "No tags."),
    ("a < b, <thin air", "", "a < b, <thin air"),
    ("First. <think>Hm.</think> Then.", "Hm.", "First. Then."),
    ("<think>a</think>b <think>c</think>", "a", "b <think>c</think>"),
    ("<think>a < b </thin </think>c", "a < b </thin ", "c"),
    ("<think>never closed", "never closed", ""),
    ("<think></think>\n", "", ""),
    ("</think> alone", "", "</think> alone"),
    ("<<think>x</think>y", "x", "<y"),
    ("ends in <think", "", "ends in <think"),
]


def split(pieces: list[str]) -> tuple[str, str, int]:
    """Thoughts, words, and how much was held back at most."""
    tags = ThinkTags()
    found: list[tuple[str, str]] = []
    fed = longest = 0
    for piece in pieces:
        found += tags.feed(piece)
        fed += len(piece)
        told = sum(len(text) for _, text in found)
        longest = max(longest, fed - told)
    found += tags.end()
    words = "".join(text for kind, text in found if kind == "text")
    return "".join(text for kind, text in found if kind == "reasoning"), words, longest


@pytest.mark.proves("H19")
@every(("content", "thoughts", "words"), CASES)
def test_any_cut_gives_the_same(content: str, thoughts: str, words: str) -> None:
    assert split([content])[:2] == (thoughts, words)
    assert split(list(content))[:2] == (thoughts, words)
    for place in range(len(content)):
        assert split([content[:place], content[place:]])[:2] == (thoughts, words)


@pytest.mark.deep
@given(st.lists(st.text(alphabet="<>/think x", max_size=6), max_size=20))
def test_no_more_is_held_back_than_a_tag_without_its_end(pieces: list[str]) -> None:
    content = "".join(pieces)
    thoughts, words, held = split(pieces)
    if "<think>" not in content:
        assert (thoughts, words) == ("", content)
        assert held <= len("<think>") - 1
    assert (thoughts, words) == split([content])[:2]


def reply(*deltas: Mapping[str, object], dialect: Dialect = TAGGED) -> tuple[Part, ...]:
    decoder = by_name("openai-chat").start(dialect)
    events = [
        event
        for delta in deltas
        for event in decoder.step(
            Frame("", json.dumps({"choices": [{"index": 0, "delta": delta}]}))
        )
    ]
    stop: dict[str, object] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    events += decoder.step(Frame("", json.dumps(stop)))
    events += decoder.finish()
    last = events[-1]
    assert isinstance(last, Finished)
    grown: dict[str, str] = dict.fromkeys(("text", "reasoning", "call"), "")
    for event in events:
        if isinstance(event, BlockGrew):
            grown[event.kind] += event.text
    for kind, part in (("text", Text), ("reasoning", Reasoning)):
        assert grown[kind] == "".join(one.text for one in last.parts if isinstance(one, part))
    return last.parts


def test_a_chat_reply_with_tags() -> None:
    pieces = ["<th", "ink>H", "m.</thi", "nk>", "\n", "\nYes <", "ok>"]
    assert reply(*({"content": piece} for piece in pieces)) == (
        Reasoning(text="Hm."),
        Text(text="Yes <ok>"),
    )


def test_what_is_held_back_comes_before_a_call_and_an_end() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "t", "arguments": "{}"}}
    parts = reply({"content": "is a <"}, {"tool_calls": [call]}, {"content": "b <thi"})
    assert parts == (Text(text="is a <"), ToolCall(id="c", name="t"), Text(text="b <thi"))


def test_what_is_held_back_comes_before_an_error() -> None:
    decoder = by_name("openai-chat").start(TAGGED)
    chunks: list[Any] = [
        {"choices": [{"index": 0, "delta": {"content": "is a <thi"}}]},
        {"error": {"message": "Gone.", "code": 500}},
    ]
    events = [event for one in chunks for event in decoder.step(Frame("", json.dumps(one)))]
    last = events[-1]
    assert isinstance(last, Failed)
    assert last.parts == (Text(text="is a <thi"),)


def test_without_the_dialect_tags_are_words() -> None:
    assert reply({"content": "<think>a</think>b"}, dialect=Dialect()) == (
        Text(text="<think>a</think>b"),
    )


def test_a_whole_reply_is_split_alike() -> None:
    body = {"choices": [{"message": {"content": "<think>a</think>b"}, "finish_reason": "stop"}]}
    last = by_name("openai-chat").start(TAGGED).read(json.dumps(body).encode())[-1]
    assert isinstance(last, Finished)
    assert last.parts == (Reasoning(text="a"), Text(text="b"))


def test_tags_of_a_person_are_sent_as_they_are() -> None:
    said = Message(id="u", role="user", parts=(Text(text="What is <think>x</think>?"),))
    body = by_name("openai-chat").build_body(
        Request(model="m", messages=(said,)),
        TAGGED,
        Origin(provider="p", protocol="x", model="m"),
    )
    assert b"What is <think>x</think>?" in body
