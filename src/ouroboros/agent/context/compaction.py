"""A long history replaced by a shorter one: the person's words, and a summary the model writes.

Shape: user messages up to a token budget, newest first kept; then the summary, last. With
``keep_messages`` the newest messages follow unchanged, and a call is never split from its result.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.context import images, tokens
from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.core.parts import Message, Part, Text, ToolResult
from ouroboros.core.state import State

LEFT_OUT = Message(
    id="left-out", role="user", kind="context", parts=(Text(text="(Earlier messages left out.)"),)
)

CIRCLES = "what was tried already, and what was in the way"
"""What a summary is to be about most where the model went in circles; nobody wished for it."""


class Keep(Struct, frozen=True, kw_only=True):
    """How much of the old history survives word for word."""

    user_tokens: int
    messages: int = 0


def with_open_calls(state: State, keep: Keep) -> Keep:
    """The same budgets, with as many messages as it takes to keep calls that still wait for a yes."""
    waiting = state.awaited
    for place, message in enumerate(state.history if waiting else ()):
        if any(call.id in waiting for call in message.calls):
            return replace(keep, messages=max(keep.messages, len(state.history) - place))
    return keep


def replacement(
    history: Sequence[Message], summary: Message, context: Message | None, keep: Keep
) -> tuple[Message, ...]:
    """The new history.

    Args:
        history: The old one.
        summary: A user-role message of kind ``summary``.
        context: What the model must be told anew when the task goes on at once; goes before the
            last of the person's words, so that the summary stays last of the summarised part.
        keep: Budgets.
    """
    tail = _tail(history, keep.messages)
    head = history[: len(history) - len(tail)]
    words = _user_words(
        [m for m in head if m.role == "user" and m.kind == "plain"], keep.user_tokens
    )
    if context is not None:
        words.insert(max(0, len(words) - 1), context)
    return (*words, summary, *tail)


def _tail(history: Sequence[Message], count: int) -> Sequence[Message]:
    return history[len(history) - min(count, len(history)) :]


def _user_words(messages: list[Message], budget: int) -> list[Message]:
    kept: list[Message] = []
    for message in reversed(messages):
        if kept:  # images go first; those of the newest words may be what they are about
            message = images.without(message, images.count(message))
        size = tokens.of_message(message)
        if size > budget:
            cut = _middle_cut(message, budget)
            if cut is not None:
                kept.append(cut)
            break
        kept.append(message)
        budget -= size
    return kept[::-1]


def _middle_cut(message: Message, budget: int) -> Message | None:
    data, half = message.text.encode("utf-8", "replace"), budget * CHARS_PER_TOKEN // 2
    if half < 32 or len(data) <= 2 * half:
        return None
    head = data[:half].decode("utf-8", "ignore")
    tail = data[-half:].decode("utf-8", "ignore")
    removed = len(message.text) - len(head) - len(tail)
    shorter = f"{head}…{removed} chars truncated…{tail}"
    return Message(id=f"{message.id}.cut", role="user", kind="plain", parts=(Text(text=shorter),))


def oldest_dropped(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages without the oldest, and without results whose call went with it.

    A user speaks first, as vendors demand; where nobody does any more, a note stands in.
    """
    rest = list(messages[1:])
    # The note must not take the room that was made: what follows it goes along.
    if rest and rest[0].role == "assistant" and (messages[0] is LEFT_OUT or len(rest) > 2):
        del rest[0]
    calls = {call.id for message in rest for call in message.calls}
    kept: list[Message] = []
    for message in rest:
        parts: tuple[Part, ...] = tuple(
            part
            for part in message.parts
            if not isinstance(part, ToolResult) or part.call_id in calls
        )
        if parts == message.parts:
            kept.append(message)
        elif parts:
            kept.append(Message(id=f"{message.id}.cut", role=message.role, parts=parts))
    if kept and kept[0].role == "assistant":
        kept.insert(0, LEFT_OUT)
    return tuple(kept)


def without_broken_reply(history: Sequence[Message]) -> Sequence[Message]:
    """The history without a reply at its end that asked for nothing: it must not be the last word."""
    last = history[-1]
    return history[:-1] if last.role == "assistant" and not last.calls else history


def wish(focus: str) -> str:
    """What the person wants a summary to be about most, on one line; empty where they said nothing."""
    words = " ".join(focus.split())
    is_theirs = words and focus != CIRCLES
    return f"The person wishes that this be kept above all: {words}" if is_theirs else ""


def words_of(summary: Message) -> str:
    """What a summary says, without the sentence before it that is for the model."""
    return summary.text.partition("\n\n")[2].strip() or summary.text


def fallback_summary(state: State) -> str:
    """What can be said without a model: the plan, and the last words of each side."""
    lines = [
        "The model could not write a summary; this is what is on record. How far the person's last "
        "message is met is not known: look."
    ]
    lines += [f"- plan: [{step.status}] {step.step}" for step in state.plan]
    for message in state.history[-6:]:
        text = message.text.strip()
        if text and message.role == "assistant":
            lines.append(f"- you said: {text[:500]}")
        for call in message.calls:
            lines.append(f"- you called {call.name} {call.arguments[:300]}")
    return "\n".join(lines)
