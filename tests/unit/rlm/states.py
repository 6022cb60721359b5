"""States of a run that writes code, folded from events."""

from ouroboros.core.clock import SystemClock
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    ToolResulted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.code import IterationStarted
from ouroboros.core.parts import Message, Text, ToolCall
from ouroboros.core.state import State
from ouroboros.rlm.stream import called


class Story:
    """Events of one session as they are recorded."""

    def __init__(self) -> None:
        self.state = State(session="ses_1")
        self.events: list[Envelope] = []

    def record(self, event: Event) -> None:
        envelope = Envelope(
            id=f"evt_{len(self.events)}",
            session="ses_1",
            turn=self.state.turn,
            seq=len(self.events) + 1,
            ts=SystemClock().now(),
            type=event.type,
            source=event.source,
            data=event,
        )
        self.events.append(envelope)
        self.state.apply(envelope)

    def say(self, text: str) -> None:
        message = Message(id=f"msg_{len(self.events)}", role="user", parts=(Text(text=text),))
        self.record(UserMessage(message=message))

    def begin(self) -> None:
        self.record(TurnStarted(turn=self.state.turn + 1))
        self.record(IterationStarted(iteration=self.state.iteration + 1))

    def iterate(self, reply: str, *entries: str, ok: bool = True) -> None:
        """One iteration: the reply, and the entry of each of its blocks."""
        self.begin()
        at = len(self.events)
        parts = tuple(
            ToolCall(id=f"call_{at}_{n}", name=part.name, arguments=part.arguments)
            if isinstance(part, ToolCall)
            else part
            for n, part in enumerate(called((Text(text=reply),), is_cut=False))
        )
        message = Message(id=f"msg_{at}", role="assistant", parts=parts)
        self.record(AgentMessage(message=message, stop_reason="end"))
        for call, entry in zip(message.calls, entries, strict=False):
            self.record(
                ToolResulted(
                    call_id=call.id,
                    name="repl",
                    status="done" if ok else "failed",
                    parts=(Text(text=entry),),
                )
            )


def block(code: str) -> str:
    return f"```repl\n{code}\n```"
