"""A session's events as a document: JSON lines that lose nothing, or Markdown to read."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    Event,
    ModelSwitched,
    SessionReady,
    TaskCancelled,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from ouroboros.core.events.changes import TurnDiffed
from ouroboros.core.events.run import ErrorRaised
from ouroboros.core.parts import Text


def json_lines(envelopes: Iterable[Envelope]) -> Iterator[str]:
    """One event on each line, as it is kept."""
    encode = msgspec.json.Encoder().encode
    for envelope in envelopes:
        yield f"{encode(envelope).decode()}\n"


def markdown(envelopes: Iterable[Envelope], title: str) -> Iterator[str]:
    """What was said and done, in order; a reply that came in parts appears once, whole."""
    yield f"# {_line(title) or 'Session'}\n"
    whole = list(envelopes)
    last = {
        envelope.data.message.id: envelope.seq
        for envelope in whole
        if isinstance(envelope.data, AgentMessage)
    }
    for envelope in whole:
        event = envelope.data
        if isinstance(event, AgentMessage) and last[event.message.id] != envelope.seq:
            continue
        if block := _block(event, envelope.ts):
            yield f"\n{block}\n"


def _block(event: Event, ts: float) -> str:
    match event:
        case SessionReady(cwd=cwd, model=model, mode=mode, resumed=resumed):
            word = "Resumed" if resumed else "Begun"
            when = datetime.fromtimestamp(ts, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
            return f"*{word} {when}, {_line(model)}, mode {mode}, in {_line(cwd)}*"
        case UserMessage(message=message):
            return f"## You\n\n{message.text}" if message.kind == "plain" else ""
        case AgentMessage(message=message):
            return f"## Ouroboros\n\n{message.text}" if message.text.strip() else ""
        case ContextCompacted(messages_summarized=count):
            return f"*{count} messages were summarised.*"
        case _:
            return _deed(event)


def _deed(event: Event) -> str:
    match event:
        case ToolStarted(name=name, title=title, arguments=arguments):
            return f"### {_line(title or name)}\n\n{_fenced(arguments, 'json')}"
        case ToolResulted(name=name, status=status, parts=parts, detail=detail):
            text = detail or "".join(part.text for part in parts if isinstance(part, Text))
            kind = "diff" if detail else ""
            return f"{name}: {status}\n\n{_fenced(text, kind)}"
        case ModelSwitched(old=old, new=new, reason=reason):
            why = f": {_line(reason)}" if reason else ""
            return f"*{_line(new)} answers from here on instead of {_line(old)}{why}*"
        case TurnDiffed(diff=diff):
            return f"### What was changed\n\n{_fenced(diff, 'diff')}"
        case ErrorRaised(message=message):
            return f"**Error:** {_line(message)}"
        case TaskCompleted(reason=reason):
            return f"*Ended: {reason}.*"
        case TaskCancelled():
            return "*Cancelled.*"
        case _:
            return ""


def _fenced(text: str, kind: str) -> str:
    """A fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())
