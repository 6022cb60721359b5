"""What an editor is told of a session: events in, updates out; pure."""

from collections.abc import Container
from pathlib import Path

import msgspec

from ouroboros.app.text import plain
from ouroboros.core.context import Meter
from ouroboros.core.events import (
    AgentMessage,
    Envelope,
    ErrorRaised,
    Event,
    ModelDelta,
    PlanUpdated,
    SettingsChanged,
    TaskCompleted,
    ToolAttempted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from ouroboros.core.parts import Media, Message, Reasoning, Text
from ouroboros.faces.acp.diffs import pieces
from ouroboros.faces.acp.frames import Json
from ouroboros.faces.acp.kinds import kind_of
from ouroboros.faces.wording.words import call_title

OUTPUT = 6_000
"""Characters of a running command's output that are shown, the last ones."""

_UNSEEN = frozenset({"update_plan"})
"""Tools whose whole effect is an update of its own."""


class Telling:
    """Makes updates of the events of one session, in their order."""

    def __init__(self, cwd: Path) -> None:
        """Nothing was told yet."""
        self._cwd = cwd
        self._said = {"text": "", "reasoning": ""}
        self._output: dict[str, str] = {}
        self._last = ""

    def take(self, envelope: Envelope) -> list[Json]:
        """The updates for one event; most have one or none."""
        match envelope.data:
            case ModelDelta(phase="delta", kind="text" | "reasoning" as kind, text=text) if text:
                self._said[kind] += text
                return [_chunk(kind, text)]
            case AgentMessage(partial=False, message=message):
                return self._rest_of(message)
            case TaskCompleted(final=final) if final and final.strip() != self._last.strip():
                return [_chunk("text", final)]
            case ErrorRaised() as error:
                return [_chunk("reasoning", plain(f"{error.message}\n"))]
            case event:
                return [*self._of_call(event), *_of_session(event)]

    def again(self, envelope: Envelope, shown: Container[str]) -> list[Json]:
        """The same for an event of the past; only messages and calls that are ``shown`` count."""
        match envelope.data:
            case UserMessage(message=message) if message.id in shown and message.kind == "plain":
                return [
                    _block("user_message_chunk", part) for part in message.parts if _is_seen(part)
                ]
            case AgentMessage(partial=False, message=message) if message.id in shown:
                return self._rest_of(message)
            case ToolStarted(call_id=id) | ToolResulted(call_id=id) if id in shown:
                return self._of_call(envelope.data)
            case _:
                return []

    def _rest_of(self, message: Message) -> list[Json]:
        """What of a whole reply no delta has told."""
        thought = "".join(part.text for part in message.parts if isinstance(part, Reasoning))
        updates: list[Json] = []
        for kind, whole in (("reasoning", thought), ("text", message.text)):
            said = self._said[kind]
            if whole.startswith(said) and whole != said:
                updates.append(_chunk(kind, whole[len(said) :]))
            self._said[kind] = ""
        self._last = message.text
        return updates

    def _of_call(self, event: Event) -> list[Json]:
        match event:
            case ToolStarted(name=name) if name not in _UNSEEN:
                return [{"sessionUpdate": "tool_call", **self.call(event)}]
            case ToolAttempted(call_id=id):
                return [_changed(id, status="in_progress")]
            case ToolProgress(call_id=id, text=text):
                output = (self._output.get(id, "") + text)[-OUTPUT:]
                self._output[id] = output
                return [_changed(id, content=[content(_fenced(output))])]
            case ToolResulted(name=name) if name not in _UNSEEN or event.status != "done":
                self._output.pop(event.call_id, None)
                return [self._ended(event)]
            case _:
                return []

    def call(self, event: ToolStarted) -> Json:
        """A call as an editor shows it."""
        given = arguments_of(event.arguments)
        path = given.get("path")
        here: list[Json] = []
        if isinstance(path, str) and path and "\0" not in path:
            here = [{"path": str(self._cwd / path)}]
            if isinstance(line := given.get("offset"), int) and line > 0:
                here[0]["line"] = line
        return {
            "toolCallId": event.call_id,
            "title": call_title(event),
            "kind": kind_of(event.name),
            "status": "pending",
            "locations": here,
            "rawInput": given or event.arguments,
        }

    def _ended(self, event: ToolResulted) -> Json:
        changed = pieces(event.detail, self._cwd) if event.status == "done" else []
        text = "".join(part.text for part in event.parts if isinstance(part, Text))
        shown: list[Json] = list(changed)
        if text and not changed:
            shown.append(content(_fenced(text) if "\n" in text else text))
        pictures = (part for part in event.parts if isinstance(part, Media) and _is_seen(part))
        shown.extend({"type": "content", "content": _picture(part)} for part in pictures)
        status = "completed" if event.status == "done" else "failed"
        output = {"status": event.status, "text": text}
        return _changed(event.call_id, status=status, content=shown, rawOutput=output)


def arguments_of(text: str) -> Json:
    """A call's arguments by name; nothing where they are no object."""
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except msgspec.DecodeError:
        return {}


def changes(diff: str, cwd: Path) -> list[Json]:
    """What a call would change, to be looked at before the answer."""
    return pieces(diff, cwd)


def content(text: str) -> Json:
    """Text of a call, which an editor shows as Markdown."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def usage(meter: Meter, cost: float | None) -> Json:
    """How full the context is, and what the session has cost in dollars as far as that is known."""
    told: Json = {"sessionUpdate": "usage_update", "used": meter.used, "size": meter.window}
    return told if cost is None else {**told, "cost": {"amount": cost, "currency": "USD"}}


def words(text: str) -> Json:
    """Words of ours, shown where the agent's stand."""
    return _chunk("text", text)


def _of_session(event: Event) -> list[Json]:
    match event:
        case PlanUpdated(steps=steps):
            entries = [
                {"content": each.step, "priority": "medium", "status": each.status}
                for each in steps
            ]
            return [{"sessionUpdate": "plan", "entries": entries}]
        case SettingsChanged(mode=mode, title=title):
            updates: list[Json] = []
            if mode is not None:
                updates.append({"sessionUpdate": "current_mode_update", "currentModeId": mode})
            if title is not None:
                updates.append({"sessionUpdate": "session_info_update", "title": title})
            return updates
        case _:
            return []


def _chunk(kind: str, text: str) -> Json:
    name = "agent_message_chunk" if kind == "text" else "agent_thought_chunk"
    return {"sessionUpdate": name, "content": {"type": "text", "text": text}}


def _block(name: str, part: object) -> Json:
    content = _picture(part) if isinstance(part, Media) else None
    if content is None:
        assert isinstance(part, Text)
        content = {"type": "text", "text": part.text}
    return {"sessionUpdate": name, "content": content}


def _is_seen(part: object) -> bool:
    if isinstance(part, Media):
        return bool(part.data) and part.media_type.startswith("image/")
    return isinstance(part, Text)


def _picture(part: Media) -> Json:
    return {"type": "image", "data": part.data, "mimeType": part.media_type}


def _fenced(text: str) -> str:
    """Output as it stands: an editor shows text as Markdown."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{plain(text).rstrip()}\n{fence}"


def _changed(id: str, **fields: object) -> Json:
    return {"sessionUpdate": "tool_call_update", "toolCallId": id, **fields}
