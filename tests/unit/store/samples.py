"""Events for the tests of the store."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    Event,
    SessionReady,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.parts import Message, Text, ToolCall, Usage
from ouroboros.store.db import open_database
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode

SESSION = "ses_1"


def envelope(seq: int, event: Event, *, session: str = SESSION, ts: float = 0.0) -> Envelope:
    return Envelope(
        id=f"evt_{session}_{seq}",
        session=session,
        turn=0,
        seq=seq,
        ts=ts or 1000.0 + seq,
        type=event.type,
        source=event.source,
        data=event,
    )


def said(text: str, number: int = 0) -> UserMessage:
    return UserMessage(message=Message(id=f"msg_{number}", role="user", parts=(Text(text=text),)))


def ready(cwd: str = "/tmp", title: str = "", model: str = "script:x") -> SessionReady:
    return SessionReady(cwd=cwd, model=model, mode="ask", version="1.2.3", title=title)


def a_turn(number: int = 1) -> list[Event]:
    call = ToolCall(id=f"call_{number}", name="read", arguments='{"path":"a.py"}')
    return [
        said(f"question {number}", number),
        TurnStarted(turn=number),
        AgentMessage(
            message=Message(id=f"ans_{number}", role="assistant", parts=(Text(text="hm"), call)),
            stop_reason="tool_use",
            usage=Usage(input_uncached=10, output_text=5),
            cost=0.1,
        ),
        ToolStarted(call_id=call.id, name="read", arguments=call.arguments),
        ToolResulted(
            call_id=call.id, name="read", status="done", parts=(Text(text=f"content {number}"),)
        ),
        TaskCompleted(reason="completed", final="hm"),
    ]


def numbered(
    events: Iterable[Event], *, session: str = SESSION, after: int = 0, ts: float = 1000.0
) -> list[Envelope]:
    return [
        envelope(seq, event, session=session, ts=ts + seq)
        for seq, event in enumerate(events, start=after + 1)
    ]


def keep(home: Path, envelopes: list[Envelope]) -> None:
    """Writes them in one transaction, without the thread."""
    with closing(open_database(home)) as connection:
        Ledger(home, connection).store([
            Line(envelope=each, encoded=encode(each)) for each in envelopes
        ])
