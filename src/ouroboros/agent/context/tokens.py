"""How full the context is: what the provider reported, plus an estimate of what came after."""

from collections.abc import Iterable

from ouroboros.core.limits import CHARS_PER_TOKEN, IMAGE_TOKENS
from ouroboros.core.parts import (
    Foreign,
    Media,
    Message,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.core.state import State

EFFECTIVE_WINDOW = 0.95
"""Share of a model's window that may be used; the rest is slack for counting errors."""


def limit(window: int, threshold: float, fixed: int | None) -> int:
    """Tokens at which the history is summarised."""
    share = int(window * EFFECTIVE_WINDOW * threshold)
    return share if fixed is None else min(share, fixed)


def overhead_of(system: Iterable[str], tools: Iterable[ToolSpec]) -> int:
    """Estimate of the system prompt and the tools, which every request holds."""
    words = [*system, *(tool.schema + tool.description for tool in tools)]
    return sum(map(of_text, words))


def used(state: State, overhead: int) -> int:
    """Tokens the next request will hold; ``overhead`` is system prompt and tools, if unmeasured."""
    if state.measured_tokens is None:
        return overhead + of_messages(state, 0)
    # The message the report came with is counted in it; its results are not.
    last = state.history[state.measured_at - 1] if state.measured_at else None
    results = _of_results(last, state) if last else 0
    return state.measured_tokens + results + of_messages(state, state.measured_at)


def prefix(state: State, overhead: int) -> int:
    """Estimate of what the first request of this history held: all that no reply came before."""
    total = overhead
    for message in state.history:
        if message.role == "assistant":
            break
        total += of_message(message)
    return total


def least(state: State, overhead: int) -> int:
    """Tokens that any vendor must count in the next request: words, calls and results alone."""
    return overhead + sum(_least(message, state) for message in state.history)


def of_messages(state: State, start: int) -> int:
    """Estimate of the history from ``start`` on, with the results of its calls."""
    return sum(of_exchange(message, state) for message in state.history[start:])


def of_exchange(message: Message, state: State) -> int:
    """Estimate of one message and the results of its calls."""
    return of_message(message) + _of_results(message, state)


def of_message(message: Message) -> int:
    """Estimate of one message."""
    return 4 + sum(of_part(part) for part in message.parts)


def of_text(text: str) -> int:
    """Estimate of a text: bytes over four, rounded up."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // CHARS_PER_TOKEN)


def of_part(part: Part) -> int:
    """Estimate of one part."""
    match part:
        case Text(text=text):
            return of_text(text)
        case Media():
            return IMAGE_TOKENS
        case Reasoning(text=text, meta=meta):
            # Opaque reasoning is base64 of about three quarters its length, less its header.
            hidden = max(0, len(str(meta)) * 3 // 4 - 650) // CHARS_PER_TOKEN if meta else 0
            return max(of_text(text), hidden)
        case ToolCall(name=name, arguments=arguments):
            return of_text(name) + of_text(arguments) + 8
        case ToolResult(parts=parts):
            return 8 + sum(of_part(inner) for inner in parts)
        case Foreign(content=content):
            return of_text(content)


def _least(message: Message, state: State) -> int:
    results = (state.results.get(call.id) for call in message.calls)
    calls = sum(of_text(call.arguments) for call in message.calls)
    return of_text(message.text) + calls + sum(of_text(result.text) for result in results if result)


def _of_results(message: Message, state: State) -> int:
    results = (state.results.get(call.id) for call in message.calls)
    return sum(of_part(result) for result in results if result)
