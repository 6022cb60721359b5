"""A recorded run, as the faces get it."""

from msgspec.structs import replace

from ouroboros.core.errors import Failure
from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    ErrorRaised,
    Event,
    ModelDelta,
    ModelRetried,
    PermissionAnswered,
    PermissionRequested,
    PlanStep,
    PlanUpdated,
    SessionReady,
    TaskCompleted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.parts import Message, Text, ToolCall, Usage

DIFF = """--- a/src/app.py
+++ b/src/app.py
@@ -1,3 +1,3 @@
 import os
-print("hello")
+print("hello, world")
 # the end of the file
"""

ANSWER = """# Result

The greeting is **longer** now, see `src/app.py`:

- one change
- no test was broken

```python
print("hello, world")
```
"""


def message(text: str, *calls: ToolCall, role: str = "assistant") -> Message:
    return Message(
        id="msg_1", role="user" if role == "user" else "assistant", parts=(Text(text=text), *calls)
    )


def enveloped(events: list[Event]) -> list[Envelope]:
    """Numbers the events as a session does."""
    found: list[Envelope] = []
    seq = 0
    for number, event in enumerate(events):
        seq += event.durable
        found.append(
            Envelope(
                id=f"evt_{number}",
                session="ses_1",
                turn=1,
                seq=seq,
                ts=1_000.0 + number,
                type=event.type,
                source=event.source,
                data=event,
            )
        )
    return found


def spoken(text: str, size: int = 7, part: int = 0) -> list[Event]:
    """A text block as it streams."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [
        ModelDelta(phase="start", part=part),
        *(ModelDelta(part=part, text=piece) for piece in pieces),
        ModelDelta(phase="end", part=part),
    ]


def a_run() -> list[Event]:
    call = ToolCall(id="c1", name="shell", arguments='{"command": "pytest -q"}')
    edit = ToolCall(id="c2", name="edit", arguments='{"path": "src/app.py"}')
    lines = "\n".join(f"test {number} passed" for number in range(1, 15))
    return [
        SessionReady(cwd="/project", model="echo", mode="ask", version="1"),
        UserMessage(message=message("Make the greeting longer", role="user")),
        TurnStarted(turn=1),
        ModelRetried(attempt=1, maximum=4, delay_seconds=0.2, reason="the server is overloaded"),
        ModelDelta(phase="start", kind="reasoning", part=0),
        ModelDelta(kind="reasoning", part=0, text="The test first, "),
        ModelDelta(kind="reasoning", part=0, text="then the edit."),
        ModelDelta(phase="end", kind="reasoning", part=0),
        *spoken("I run the tests.", part=1),
        AgentMessage(
            message=message("I run the tests.", call, edit),
            stop_reason="tool_calls",
            usage=Usage(input_uncached=1000, cache_read=200, output_text=34),
            cost=0.01,
        ),
        ToolStarted(call_id="c1", name="shell", arguments=call.arguments, title="Run pytest -q"),
        PermissionRequested(
            request_id="r1",
            call_id="c1",
            tool="shell",
            action="Run pytest -q",
            input="pytest -q",
            reason="a command may change anything",
            grant="shell(pytest *)",
        ),
        PermissionAnswered(request_id="r1", call_id="c1", allowed=True, decider="person"),
        ToolProgress(call_id="c1", part=1, text="test 1 passed\n"),
        ToolResulted(
            call_id="c1",
            name="shell",
            status="done",
            parts=(Text(text=lines),),
            seconds=1.24,
            original_bytes=12_000,
            truncated=True,
        ),
        ToolStarted(call_id="c2", name="edit", arguments=edit.arguments, title="Edit src/app.py"),
        ToolResulted(
            call_id="c2",
            name="edit",
            status="done",
            parts=(Text(text="edited"),),
            seconds=0.01,
            detail=DIFF,
        ),
        PlanUpdated(
            steps=(
                PlanStep(step="Run the tests", status="completed"),
                PlanStep(step="Change the greeting", status="in_progress"),
                PlanStep(
                    step="日本語の説明を書く、とても長い一行になるまで続ける", status="pending"
                ),
            )
        ),
        ContextCompacted(
            old_tokens=90_000,
            new_tokens=8_000,
            messages_summarized=41,
            trigger="proactive",
            history=(),
            cost=0.0,
        ),
        TurnStarted(turn=2),
        *spoken(ANSWER),
        AgentMessage(
            message=message(ANSWER),
            stop_reason="end",
            usage=Usage(input_uncached=2000, output_text=66),
            cost=0.02,
        ),
        TaskCompleted(reason="completed", final=ANSWER),
    ]


def a_failure() -> list[Event]:
    failure = Failure(kind="auth", message="openai refused the key (401).", status=401)
    return [
        SessionReady(cwd="/project", model="openai/x", mode="ask", version="1"),
        TurnStarted(turn=1),
        ErrorRaised(
            fault="provider",
            kind=failure.kind,
            message=failure.message,
            hint="Check OPENAI_API_KEY.",
            status=401,
        ),
        TaskCompleted(reason="failed"),
    ]


def between_calls() -> list[Event]:
    """Words, a call, words and another call in one reply, each call done as soon as it is whole."""
    first, second = ToolCall(id="a", name="read"), ToolCall(id="b", name="read")
    whole = message("One. ", first)
    whole = replace(whole, parts=(*whole.parts, Text(text="Two."), second))
    return [
        *spoken("One. "),
        AgentMessage(message=message("One. ", first), stop_reason="unknown", partial=True),
        ToolStarted(call_id="a", name="read", arguments="{}", title="Read a.txt"),
        ToolResulted(call_id="a", name="read", status="done", parts=(Text(text="a"),)),
        *spoken("Two.", part=2),
        AgentMessage(message=whole, stop_reason="unknown", partial=True),
        ToolStarted(call_id="b", name="read", arguments="{}", title="Read b.txt"),
        AgentMessage(message=whole, stop_reason="tool_calls"),
        ToolResulted(call_id="b", name="read", status="done", parts=(Text(text="b"),)),
    ]
