"""What was done so far, from the state: each iteration's code and entries, within a budget.

The newest iterations are told in full, older ones by the lines of progress that stand above, and
nothing passes the budget however long the code was.
"""

from collections.abc import Sequence

from ouroboros.agent.context.tokens import of_text
from ouroboros.core.limits import CHARS_PER_TOKEN, RLM_FULL_ITERATIONS
from ouroboros.core.parts import Message, ToolCall
from ouroboros.core.state import State
from ouroboros.rlm.code import calls
from ouroboros.rlm.progress import Iteration, Ran

COMPACT_AT = 0.8
_UNANSWERED = "aborted: it did not come to its end; whether it took effect is unknown"
_SAID_CHARACTERS = 300
_LEAST_CHARACTERS = 400
_OLDER = "(of {} older iterations the lines under Progress are left)"


def iterations(state: State) -> list[Iteration]:
    """The iterations of the latest run that brought a reply."""
    replies = [message for message in state.history[state.began :] if message.role == "assistant"]
    numbers = state.numbers
    return [
        _iteration(reply, state, numbers.get(reply.id, place))
        for place, reply in enumerate(replies, start=1)
    ]


def told(past: Sequence[Iteration], budget: int) -> str:
    """The iterations as text of at most ``budget`` tokens."""
    whole = [_in_full(iteration) for iteration in past]
    if sum(map(of_text, whole)) <= budget * COMPACT_AT:
        return "\n\n".join(whole)
    older, newest = past[:-RLM_FULL_ITERATIONS], whole[-RLM_FULL_ITERATIONS:]
    kept = _fitting(newest, budget * 9 // 10)
    return "\n\n".join([*([_OLDER.format(len(older))] if older else []), *kept])


def _iteration(reply: Message, state: State, number: int) -> Iteration:
    ran = tuple(_ran(call, state) for call in reply.calls)
    said = reply.text if not ran else reply.text.partition("```")[0]
    return Iteration(number=number, said=said.strip()[:_SAID_CHARACTERS], ran=ran)


def _ran(call: ToolCall, state: State) -> Ran:
    result = state.results.get(call.id)
    code = calls.arguments(call.arguments)
    if result is None:
        return Ran(code=code, entry=_UNANSWERED, ok=False)
    return Ran(code=code, entry=result.text, ok=result.ok)


def _in_full(iteration: Iteration) -> str:
    lines = [f"## Iteration {iteration.number}"]
    if iteration.said:
        lines.append(iteration.said)
    if not iteration.ran:
        lines.append("No code block was found in this reply, so nothing was run.")
    for ran in iteration.ran:
        lines += ["```repl", ran.code.strip("\n"), "```", f"Result: {ran.entry}"]
    return "\n".join(lines)


def _fitting(texts: list[str], budget: int) -> list[str]:
    """The texts, the older ones cut first, until together they fit."""
    kept = list(texts)
    for at in range(len(kept)):
        over = sum(map(of_text, kept)) - budget
        if over <= 0:
            break
        size = max(_LEAST_CHARACTERS, len(kept[at]) - (over + 10) * CHARS_PER_TOKEN)
        kept[at] = _cut(kept[at], size)
    if sum(map(of_text, kept)) > budget:  # wide characters: the last resort counts bytes
        share = budget * CHARS_PER_TOKEN // (4 * len(kept))
        kept = [_cut(text, share) for text in kept]
    return kept


def _cut(text: str, size: int) -> str:
    """Head and tail of a text, about ``size`` characters together."""
    if len(text) <= size:
        return text
    gone = len(text) - size
    head = size * 2 // 3
    return f"{text[:head]}\n… {gone:,} characters of code left out …\n{text[len(text) - size + head :]}"
