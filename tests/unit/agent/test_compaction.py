"""The shape of a shortened history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.agent.context import tokens
from ouroboros.agent.context.compaction import (
    Keep,
    oldest_dropped,
    replacement,
    with_open_calls,
    without_broken_reply,
)
from ouroboros.core.events import PermissionRequested
from ouroboros.core.parts import (
    Media,
    Message,
    MessageKind,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from ouroboros.core.state import OpenCall, State


def user(text: str, kind: MessageKind = "plain", id: str = "") -> Message:
    return Message(id=id or text[:8], role="user", kind=kind, parts=(Text(text=text),))


def agent(*parts: Part, id: str = "a") -> Message:
    return Message(id=id, role="assistant", parts=parts)


SUMMARY = user("summary", kind="summary")


@pytest.mark.proves("J06", "codex-6.2", "divergences-end-of-a-summarised-history")
def test_the_persons_words_stay_and_the_summary_is_last() -> None:
    history = [user("context", "context"), user("one"), agent(Text(text="x")), user("two")]
    kept = replacement(history, SUMMARY, None, Keep(user_tokens=100))
    assert [m.text for m in kept] == ["one", "two", "summary"]


@pytest.mark.proves("codex-6.4")
def test_an_earlier_summary_is_not_kept_as_words() -> None:
    first = replacement([user("one")], SUMMARY, None, Keep(user_tokens=100))
    second = user("second", kind="summary")
    assert [m.text for m in replacement(first, second, None, Keep(user_tokens=100))] == [
        "one",
        "second",
    ]


@pytest.mark.proves("J05", "codex-6.3")
def test_the_newest_words_fill_the_budget_and_one_is_cut_in_the_middle() -> None:
    history = [user("a" * 4000, id="old"), user("b" * 4000, id="cut"), user("c" * 400, id="new")]
    kept = replacement(history, SUMMARY, None, Keep(user_tokens=604))
    assert [m.id for m in kept] == ["cut.cut", "new", "summary"]
    assert kept[0].text.startswith("b" * 900)
    assert "chars truncated" in kept[0].text
    assert kept[0].text.endswith("b" * 900)


@pytest.mark.proves("J12")
def test_of_the_words_that_stay_only_the_newest_keep_their_images() -> None:
    shots = [Media(media_type="image/png", data=f"shot{number}") for number in range(3)]
    history = [
        Message(id=f"u{number}", role="user", parts=(shot, Text(text=f"look {number}")))
        for number, shot in enumerate(shots)
    ]
    kept = replacement(history, SUMMARY, None, Keep(user_tokens=5_000))
    assert [part for message in kept for part in message.parts if isinstance(part, Media)] == [
        shots[2]
    ]
    assert [m.text for m in kept[:2]] == [
        "(The older image is left out here.)look 0",
        "(The older image is left out here.)look 1",
    ]


def test_words_beyond_ascii_are_cut_by_their_bytes() -> None:
    kept = replacement([user("ü" * 4000, id="long")], SUMMARY, None, Keep(user_tokens=100))
    assert kept[0].text.count("ü") == 200
    assert "3800 chars truncated" in kept[0].text


def test_in_mid_task_the_context_goes_before_the_last_words() -> None:
    context = user("facts", "context")
    kept = replacement([user("one"), user("two")], SUMMARY, context, Keep(user_tokens=100))
    assert [m.text for m in kept] == ["one", "facts", "two", "summary"]
    assert [m.text for m in replacement([], SUMMARY, context, Keep(user_tokens=9))] == [
        "facts",
        "summary",
    ]


def test_the_last_messages_can_be_kept_whole() -> None:
    call = agent(ToolCall(id="c", name="read"))
    history = [user("one"), agent(Text(text="x")), user("two"), call]
    kept = replacement(history, SUMMARY, None, Keep(user_tokens=100, messages=2))
    assert [m.text for m in kept] == ["one", "summary", "two", ""]
    assert kept[-1] is call


def test_dropping_the_oldest_takes_its_results_along() -> None:
    messages = (
        agent(ToolCall(id="c", name="read")),
        Message(id="r", role="user", parts=(ToolResult(call_id="c", name="read"),)),
        user("two"),
    )
    assert [m.id for m in oldest_dropped(messages)] == ["two"]


def exchange(number: int, calls: int) -> list[Message]:
    """A reply with calls and, in one message, their results."""
    ids = [f"c{number}_{one}" for one in range(calls)]
    reply = agent(Text(text="x"), *(ToolCall(id=id, name="f") for id in ids), id=f"a{number}")
    results = tuple(ToolResult(call_id=id, name="f") for id in ids)
    return [reply, Message(id=f"r{number}", role="user", parts=results)] if calls else [reply]


@given(st.lists(st.none() | st.integers(0, 3), max_size=12))
def test_however_much_is_dropped_a_user_begins_and_every_result_has_its_call(
    kinds: list[int | None],
) -> None:
    messages: tuple[Message, ...] = (user("first"),)
    for number, kind in enumerate(kinds):
        new = [user(f"u{number}")] if kind is None else exchange(number, kind)
        messages = (*messages, *new)
    rounds = len(messages)
    while messages:
        assert rounds >= 0
        assert messages[0].role == "user"
        for before, message in zip((None, *messages), messages, strict=False):
            called = [call.id for call in before.calls] if before else []
            results = [part for part in message.parts if isinstance(part, ToolResult)]
            assert [result.call_id for result in results] in ([], called)
        messages, rounds = oldest_dropped(messages), rounds - 1


def test_a_reply_that_broke_off_is_not_the_last_word_of_a_history() -> None:
    history = [user("one"), agent(Text(text="half a wo"))]
    assert without_broken_reply(history) == history[:1]
    assert without_broken_reply([*history, *exchange(1, 1)[:1]])[-1].calls


@pytest.mark.deep
@pytest.mark.proves("J05", "CF03")
@given(st.lists(st.text(max_size=300), max_size=12), st.integers(0, 300))
def test_kept_words_never_pass_the_budget(words: list[str], budget: int) -> None:
    history = [user(word, id=str(n)) for n, word in enumerate(words)]
    kept = replacement(history, SUMMARY, None, Keep(user_tokens=budget))[:-1]
    # A cut message carries its mark besides the words it keeps.
    assert sum(tokens.of_message(m) for m in kept) <= budget + 16


@pytest.mark.proves("J12", "codex-5.5")
def test_the_estimate_counts_images_flat_and_text_by_bytes() -> None:
    assert tokens.of_part(Text(text="abcde")) == 2
    assert tokens.of_part(Text(text="éé")) == 1
    assert tokens.of_part(Media(media_type="image/png", data="A" * 1_000_000)) == 2_000
    assert tokens.of_part(Reasoning(text="", meta={"encrypted_content": "x" * 8000})) < 2_000


@pytest.mark.proves("J01", "codex-5.4")
def test_used_tokens_are_the_report_plus_what_came_after() -> None:
    state = State()
    reply = agent(Text(text="x"), ToolCall(id="c", name="read"))
    state.history = [user("one"), reply]
    assert tokens.used(state, overhead=50) > 50
    state.measured_tokens, state.measured_at = 1_000, 2
    assert tokens.used(state, overhead=50) == 1_000
    state.results["c"] = ToolResult(call_id="c", name="read", parts=(Text(text="y" * 400),))
    assert tokens.used(state, overhead=50) == 1_000 + 108
    state.history.append(user("z" * 40))
    assert tokens.used(state, overhead=50) == 1_000 + 108 + 14


@pytest.mark.proves("J02", "CF03", "codex-6.1", "divergences-when-the-history-is-summarised")
def test_the_limit_is_a_share_of_the_effective_window_or_a_fixed_number() -> None:
    assert tokens.limit(10_000, 0.8, None) == 7_600
    assert tokens.limit(10_000, 0.8, 1_000) == 1_000
    assert tokens.limit(10_000, 0.8, 50_000) == 7_600


def test_usage_without_cache_counts_everything_once() -> None:
    assert Usage(input_uncached=3, output_text=4).total == 7


@pytest.mark.proves("J05")
def test_a_call_that_still_waits_for_a_yes_is_not_summarised_away() -> None:
    state = State()
    reply = agent(Text(text="x"), ToolCall(id="c", name="write"))
    state.history = [user("one"), agent(Text(text="y"), id="b"), user("two"), reply]
    keep = Keep(user_tokens=100)
    assert with_open_calls(state, keep) is keep
    state.calls["c"] = OpenCall(name="write", arguments="{}")
    assert with_open_calls(state, keep) is keep  # one that was cut off waits for nobody
    state.approvals["r"] = PermissionRequested(
        request_id="r", call_id="c", tool="write", action="Write a", input="a"
    )
    kept = replacement(state.history, SUMMARY, None, with_open_calls(state, keep))
    assert kept == (state.history[0], state.history[2], SUMMARY, reply)


def test_the_prefix_is_all_that_no_reply_came_before() -> None:
    state = State(history=[user("x" * 40), agent(Text(text="y" * 400)), user("z" * 400)])
    assert tokens.prefix(state, overhead=50) == 64
