"""The messages of the first design: a channel's name and what goes over it. Pure.

Up: ``rlm:submit-task``, ``rlm:cancel``, ``rlm:get-state``, ``rlm:confirmation-resp`` and the wishes of tabs (``tab:open`` and so
on). Down: what ``core.events.earlier`` tells, what happens to tabs, and an answer to each request that has an id.
"""

from typing import cast

import msgspec
from msgspec import Struct

from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.ipc.lines import decoded
from ouroboros.core.state import State

TABS = "tab:"


class Request(Struct, frozen=True, kw_only=True):
    """A message up; ``id`` comes back with the answer."""

    ch: str
    id: str = ""
    data: dict[str, object] = {}


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message down; an answer has the ``id`` and the channel of its request, and ``error`` where it was refused."""

    ch: str
    data: dict[str, object]
    id: str = ""
    error: str = ""


class SubmitTask(Struct, frozen=True, kw_only=True):
    """``rlm:submit-task``: do this, or hear it where a task is under way."""

    task: str


class ConfirmationResp(Struct, frozen=True, kw_only=True, rename="camel"):
    """``rlm:confirmation-resp``: yes or no to what was asked first, or to the request that is named."""

    approved: bool
    request_id: str = ""
    message: str = ""


_read = msgspec.json.Decoder(Request)
_anything: msgspec.json.Decoder[dict[str, object]] = msgspec.json.Decoder(dict[str, object])


def read(message: bytes) -> Request:
    """What is asked; raises ``Misuse`` for what is no message."""
    try:
        return decoded(_read, message)
    except (msgspec.DecodeError, RecursionError) as wrong:
        raise Misuse(f"not a message: {wrong}") from wrong


def fields[T](request: Request, kind: type[T]) -> T:
    """What goes with a request; raises ``Misuse`` where it does not fit."""
    try:
        return msgspec.convert(request.data, kind)
    except msgspec.ValidationError as wrong:
        raise Misuse(f"{request.ch}: {wrong}") from wrong


def written(message: Message) -> str:
    """A message as it is sent."""
    return msgspec.json.encode(message).decode()


def refused(problem: OuroborosError, request: Request | None = None) -> Message:
    """The answer to what cannot be done."""
    if request is None:
        return Message(ch="rlm:error", data={"error": problem.message})
    return Message(ch=request.ch, id=request.id, data={}, error=problem.message)


def standing(state: State, *, running: bool) -> dict[str, object]:
    """The answer to ``rlm:get-state``."""
    return {
        "session": state.session,
        "running": running,
        "status": state.status,
        "iteration": state.iteration,
        "variables": state.variables,
        "final": state.final,
        "ended": state.ended,
    }


def wish(request: Request) -> str:
    """A request about tabs in today's words."""
    return msgspec.json.encode({**request.data, "kind": request.ch, "id": request.id}).decode()


def happening(said: str, asked: dict[str, str]) -> Message | None:
    """What the tabs tell, the old way; ``asked`` has the channel of each request by its id."""
    told = _anything.decode(said)
    kind = str(told.pop("kind"))
    match kind:
        case "done" | "refused":
            name = str(told.pop("id"))
            error = cast("str", told.pop("error", ""))
            told.pop("hint", None)
            return Message(ch=asked.pop(name, "tab:error"), id=name, data=told, error=error)
        case _ if kind.startswith(TABS):
            return Message(ch=kind, data=told)
        case _:
            return None
