"""The worker messages of an earlier design, one to one with commands, questions and events.

In: ``init``, ``chat``, ``branch``, ``load_repo``, ``get_history``, ``get_tree``, ``approve_tool``,
``reject_tool``. Out: ``ready``, ``step``, ``tool_call``, ``tool_result``, ``tool_pending``, ``branched``,
``repo_loaded``, ``done``, ``error``, and ``history`` and ``tree`` as answers. Names of fields are theirs.
"""

import msgspec
from msgspec import Struct

from ouroboros.app.past.tree import Twig
from ouroboros.core.commands import Approve, Branch, Command, Deny, Steer, Submit
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events import (
    Envelope,
    ErrorRaised,
    PermissionRequested,
    TaskCancelled,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
)
from ouroboros.core.events.session import SessionBranched, SessionRolledBack
from ouroboros.core.parts import Message, Text

type Told = dict[str, object]


class _In(Struct, frozen=True, kw_only=True, tag_field="type", rename="camel"):
    pass


class Init(_In, frozen=True, kw_only=True, tag="init"):
    """Open a session: a new one, or one that goes on."""

    session: str = ""


class Chat(_In, frozen=True, kw_only=True, tag="chat"):
    """Say something."""

    message: str


class BranchAt(_In, frozen=True, kw_only=True, tag="branch"):
    """Go on after a node."""

    node_id: str


class LoadRepo(_In, frozen=True, kw_only=True, tag="load_repo"):
    """Bring a repository into a folder."""

    owner: str
    repo: str


class GetHistory(_In, frozen=True, kw_only=True, tag="get_history"):
    """Ask for the current branch."""


class GetTree(_In, frozen=True, kw_only=True, tag="get_tree"):
    """Ask for all branches."""


class ApproveTool(_In, frozen=True, kw_only=True, tag="approve_tool"):
    """Say yes to what is pending."""

    tool_id: str


class RejectTool(_In, frozen=True, kw_only=True, tag="reject_tool"):
    """Say no to what is pending."""

    tool_id: str
    reason: str = ""


type Asked = Init | Chat | BranchAt | LoadRepo | GetHistory | GetTree | ApproveTool | RejectTool

_decoder: msgspec.json.Decoder[Asked] = msgspec.json.Decoder(Asked)


def read(line: bytes) -> Asked:
    """What a line asks for; raises ``Misuse`` for one that is no such message."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError) as wrong:
        raise Misuse(f"not a message: {wrong}") from wrong


def command_of(asked: Asked, *, running: bool) -> Command | None:
    """The one command that a message is; None for a question, an opening and a repository."""
    match asked:
        case Chat(message=message):
            return Steer(text=message) if running else Submit(text=message)
        case BranchAt(node_id=node):
            return Branch(message_id=node)
        case ApproveTool(tool_id=id):
            return Approve(request_id=id)
        case RejectTool(tool_id=id, reason=reason):
            return Deny(request_id=id, message=reason)
        case Init() | LoadRepo() | GetHistory() | GetTree():
            return None


def told(envelope: Envelope) -> Told | None:
    """The one message that an event is; None for what the earlier design did not know."""
    event = envelope.data
    match event:
        case TurnStarted(turn=turn):
            return _told("step", step=turn)
        case ToolStarted(call_id=id, name=name, arguments=arguments, within=""):
            return _told("tool_call", id=id, name=name, arguments=arguments)
        case ToolResulted(within=""):
            text = "".join(part.text for part in event.parts if isinstance(part, Text))
            ok = event.status == "done"
            return _told("tool_result", id=event.call_id, name=event.name, ok=ok, output=text)
        case PermissionRequested(request_id=id, tool=tool, input=given, reason=reason):
            return _told("tool_pending", toolId=id, name=tool, code=given, reason=reason)
        case ErrorRaised(message=message):
            return _told("error", message=message)
        case TaskCompleted(reason=reason, final=final):
            return _told("done", reason=reason, text=final)
        case TaskCancelled():
            return _told("done", reason="cancelled", text="")
        case SessionBranched(message_id=node) | SessionRolledBack(message_id=node):
            return _told("branched", nodeId=node)
        case _:
            return None


def ready(session: str, *, cwd: str, model: str, mode: str) -> Told:
    """The answer to ``init``."""
    return _told("ready", session=session, cwd=cwd, model=model, mode=mode)


def history(messages: tuple[Message, ...]) -> Told:
    """The answer to ``get_history``."""
    return _told(
        "history",
        messages=[
            {"id": each.id, "role": each.role, "kind": each.kind, "content": each.text}
            for each in messages
        ],
    )


def tree(twigs: tuple[Twig, ...]) -> Told:
    """The answer to ``get_tree``."""
    children: dict[str, list[str]] = {}
    for twig in twigs:
        children.setdefault(twig.parent, []).append(twig.id)
    nodes = [
        {
            "id": twig.id,
            "role": twig.role,
            "content": twig.text,
            "toolCalls": list(twig.calls),
            "parent": twig.parent or None,
            "children": children.get(twig.id, []),
        }
        for twig in twigs
    ]
    head = next((twig.id for twig in twigs if twig.is_head), None)
    return _told("tree", nodes=nodes, head=head)


def loaded(owner: str, repo: str, folder: str) -> Told:
    """The answer to ``load_repo``."""
    return _told("repo_loaded", owner=owner, repo=repo, folder=folder)


def refused(problem: OuroborosError) -> Told:
    """The answer to what cannot be done."""
    return _told("error", message=problem.message, hint=problem.hint)


def _told(kind: str, **fields: object) -> Told:
    return {"type": kind, **fields}
