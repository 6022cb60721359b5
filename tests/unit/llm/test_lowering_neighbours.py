"""Where roles must alternate they do, and nothing that was said goes missing."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Foreign, Message, Origin, Part, Reasoning, Text
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lowering import Lowering, lower
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from tests.cases import every

ORIGIN = Origin(provider="p", protocol="openai-chat", model="m")
OTHER = Origin(provider="q", protocol="openai-chat", model="m")
ALTERNATES = Dialect(alternates=True, reasoning_send_back="details")


def user(text: str) -> Message:
    return Message(id=text, role="user", parts=(Text(text=text),))


def said(*parts: Part, origin: Origin | None = ORIGIN) -> Message:
    return Message(id="a", role="assistant", parts=parts, origin=origin)


def sent(*messages: Message) -> list[tuple[str, Any]]:
    request = Request(model="m", messages=messages)
    lowered = lower(request, ALTERNATES, ORIGIN).request
    body = json.loads(by_name("openai-chat").build_body(lowered, ALTERNATES, ORIGIN))
    return [(item["role"], item["content"]) for item in body["messages"]]


@every(
    "silent",
    [
        said(Reasoning(text="Hm.")),
        said(Text(text=" \n")),
        said(),
        said(Foreign(kind="x", content="{}"), origin=OTHER),
    ],
)
def test_a_message_that_says_nothing_is_left_out_and_its_neighbours_join(silent: Message) -> None:
    assert sent(user("a"), silent, user("b"), said(Text(text="c"))) == [
        ("user", "a\n\nb"),
        ("assistant", "c"),
    ]


def test_replies_that_follow_each_other_become_one() -> None:
    replies = (said(Text(text="One.")), said(Text(text="Two."), origin=OTHER))
    assert sent(user("a"), *replies, user("b"))[1] == ("assistant", "One.\n\nTwo.")


def test_joined_replies_keep_what_is_opaque_only_if_all_of_it_is_the_vendors() -> None:
    thought = Reasoning(meta={"details": [{"type": "reasoning.encrypted", "data": "secret"}]})
    own = said(thought, Text(text="One."))
    for second, kept in ((ORIGIN, True), (OTHER, False), (None, False)):
        request = Request(
            model="m", messages=(user("a"), own, said(Text(text="Two."), origin=second))
        )
        lowered = lower(request, ALTERNATES, ORIGIN).request
        body = by_name("openai-chat").build_body(lowered, ALTERNATES, ORIGIN)
        assert (b"secret" in body) is kept


def test_a_history_that_alternates_stays_as_it_is() -> None:
    messages = (user("a"), said(Text(text="b")), user("c"))
    lowered = lower(Request(model="m", messages=messages), ALTERNATES, ORIGIN).request
    assert all(one is other for one, other in zip(lowered.messages, messages, strict=True))


@pytest.mark.proves("H24")
@given(st.lists(st.sampled_from(["user", "assistant", "silent"]), max_size=12))
def test_roles_alternate_and_every_word_is_there_once(kinds: list[str]) -> None:
    messages = [
        user(f"w{place}")
        if kind == "user"
        else said(Text(text=f"w{place}" if kind == "assistant" else ""))
        for place, kind in enumerate(kinds)
    ]
    items = sent(*messages)
    roles = [role for role, _ in items]
    assert all(one != other for one, other in pairwise(roles))
    words = [word for _, content in items for word in content.split()]
    assert words == [f"w{place}" for place, kind in enumerate(kinds) if kind != "silent"]
    lowering = Lowering(ALTERNATES, ORIGIN)
    for length in (len(messages) // 2, len(messages)):
        request = Request(model="m", messages=tuple(messages[:length]))
        assert lowering.lower(request).request == lower(request, ALTERNATES, ORIGIN).request
