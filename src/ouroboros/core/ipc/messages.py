"""What supervisor and agent say to each other, version 1.0; field names are those of the design."""

from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

VERSION = "1.0"
LINE_BYTES = 16 * 1_048_576
"""The longest message."""

type Level = Literal["debug", "info", "warning", "error"]
type Trouble = Literal["invalid", "too_long", "version", "unexpected"]


class _Payload(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    """Fields that are not known are passed over: a later minor version may have more."""


class Initialize(_Payload, frozen=True, kw_only=True, tag="task:initialize"):
    """Begin: where the agent's configuration, its words and what it is to read are kept.

    Attributes:
        initial_context_artifact_path: A bundle of files; empty for none.
        knowledge_graph_path: Its memory.
        goal: What is to be done; empty where the bundle says it.
        output_artifact_path: Where the bundle of its changes is to be written.
        plan_path: A plan of work to follow; empty for none.
        attended: Somebody is there who answers its questions.
    """

    agent_config_path: str
    system_prompt_path: str
    initial_context_artifact_path: str = ""
    knowledge_graph_path: str = ""
    goal: str = ""
    output_artifact_path: str = ""
    plan_path: str = ""
    attended: bool = True


class Initialized(_Payload, frozen=True, kw_only=True, tag="task:initialized"):
    """The agent has begun."""

    pid: int
    session: str = ""


class PermissionResult(Struct, frozen=True, kw_only=True):
    """What the agent's own rules say: a person is to be asked, in these words."""

    behavior: Literal["ask"] = "ask"
    message: str = ""


class PermissionRequest(_Payload, frozen=True, kw_only=True, tag="permission:request"):
    """May this be done? The message's id is what the answer names.

    Attributes:
        input: What is to be done, as the tool takes it.
        rules: What an answer for longer than once would add, unless it names others.
        warning: What lasting harm it may do.
    """

    tool_name: str
    input: msgspec.Raw
    permission_result: PermissionResult
    rules: tuple[str, ...] = ()
    warning: str = ""


class PermissionResponse(_Payload, frozen=True, kw_only=True, tag="permission:response"):
    """Yes or no, once.

    Attributes:
        request_id: The id of the message that asked.
        updated_input: What to do in the place of what was asked; null for exactly that.
        new_rules: What need not be asked again in this run.
        message: Why not; the model reads it.
    """

    request_id: str
    behavior: Literal["allow", "deny"]
    updated_input: msgspec.Raw = msgspec.Raw(b"null")
    new_rules: tuple[str, ...] = ()
    message: str = ""


class PermissionWithdrawn(_Payload, frozen=True, kw_only=True, tag="permission:withdrawn"):
    """The question of this message needs no answer any more."""

    request_id: str


class Ended(Struct, frozen=True, kw_only=True, rename="camel"):
    """How an agent's run ended.

    Attributes:
        reason: Such as ``completed`` or ``limit_reached:max_turns``.
        tokens: What its models read and wrote.
        cost: Dollars; None where a price is unknown.
        departures: Where its commands left the plan; its files are in the bundle.
    """

    reason: str = ""
    tokens: int = 0
    cost: float | None = None
    departures: tuple[str, ...] = ()


class Result(_Payload, frozen=True, kw_only=True, tag="task:result"):
    """How it ended; the last message of an agent.

    Attributes:
        output_artifact_path: The bundle of all its changes; empty where it made none.
        summary: What it says of its work, or why it failed.
        run: What is known of its run; nothing after a crash.
    """

    status: Literal["success", "failure"]
    output_artifact_path: str = ""
    summary: str = ""
    run: Ended | UnsetType = UNSET


class Log(_Payload, frozen=True, kw_only=True, tag="log"):
    """A line about what happens, for people.

    Attributes:
        kind: ``agent_thought``, ``tool_call`` or ``tool_result`` where it belongs into the record
            of a work session; a reader passes over others.
    """

    level: Level = "info"
    message: str
    kind: str = ""


class Terminate(_Payload, frozen=True, kw_only=True, tag="task:terminate"):
    """End soon; who does not is killed."""

    reason: str = ""


class Alive(_Payload, frozen=True, kw_only=True, tag="alive"):
    """Nothing new; it is at work."""


class Complaint(_Payload, frozen=True, kw_only=True, tag="error"):
    """A message of the other side was not taken; the link stays, unless it is the version."""

    code: Trouble
    message: str
    message_id: str = ""


type Payload = (
    Initialize
    | Initialized
    | PermissionRequest
    | PermissionResponse
    | PermissionWithdrawn
    | Result
    | Log
    | Terminate
    | Alive
    | Complaint
)


class Message(Struct, frozen=True, kw_only=True):
    """One message.

    Attributes:
        id: A UUID.
        timestamp: ISO 8601, in UTC.
        payload: None for a kind that this version does not know.
    """

    id: str
    timestamp: str
    type: str
    payload: Payload | None
