"""A reply while it is built: what each call shows of it, and what is counted when it breaks off."""

from ouroboros.core.errors import Failure
from ouroboros.core.parts import Reasoning, Text, ToolCall
from ouroboros.llm import usage
from ouroboros.llm.lifecycle import Reply
from ouroboros.llm.stream import CallReady, Failed, Finished


def test_what_has_ended_is_made_once_however_many_calls_show_it() -> None:
    reply = Reply()
    words = reply.open("text")
    reply.grow(words, "I look.")
    reply.close(words)
    for number in range(3):
        call = reply.open("call", name="ls", call_id=f"call_{number}")
        reply.grow(call, "{}")
        reply.close(call)
    reply.end("end")

    events = reply.take()
    shown = [event.parts for event in events if isinstance(event, CallReady | Finished)]
    assert [len(parts) for parts in shown] == [2, 3, 4, 4]
    for parts in shown:
        assert all(part is last for part, last in zip(parts, shown[-1], strict=False))


def test_a_call_shows_words_that_still_grow_as_they_are_now_and_later_as_they_became() -> None:
    reply = Reply()
    thoughts, words = reply.open("reasoning"), reply.open("text")
    reply.grow(words, "One, ")
    call = reply.open("call", name="ls", call_id="call_1")
    reply.close(call)
    reply.grow(call, "late")
    ready = [event for event in reply.take() if isinstance(event, CallReady)]
    assert ready == []

    reply.grow(words, "two.")
    thoughts.meta["signature"] = "abc"
    reply.close(thoughts)
    other = reply.open("call", name="ls", call_id="call_2")
    reply.grow(other, "{}")
    reply.close(other)
    *_, ready = reply.take()
    assert isinstance(ready, CallReady)
    seen = [Reasoning(text="", meta={"signature": "abc"}), Text(text="One, two.")]
    assert list(ready.parts) == [*seen, ToolCall(id="call_2", name="ls", arguments="{}")]

    reply.grow(words, " Three.")
    reply.end("end")
    *_, finished = reply.take()
    assert isinstance(finished, Finished)
    calls = [part for part in finished.parts if isinstance(part, ToolCall)]
    assert [call.id for call in calls] == ["call_1", "call_2"]
    assert finished.parts[1] == Text(text="One, two. Three.")


def test_what_was_counted_last_is_kept_when_the_connection_breaks() -> None:
    reply = Reply()
    assert not reply.is_counted
    assert reply.usage is None
    for tokens in (1, 7):
        reply.count({"promptTokenCount": 3, "candidatesTokenCount": tokens}, usage.from_gemini)
    reply.fail(Failure(kind="transport", message="The connection broke off."))

    *_, failed = reply.take()
    assert isinstance(failed, Failed)
    assert failed.usage is not None
    assert (failed.usage.input_uncached, failed.usage.output_text) == (3, 7)
    assert reply.trace.usage == {"promptTokenCount": 3, "candidatesTokenCount": 7}
