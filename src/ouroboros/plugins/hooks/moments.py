"""The moments at which hooks run, by every name they have."""

from typing import Literal, get_args

type Moment = Literal[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "MemoryFlush",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "TransformResponse",
    "SessionEnd",
]

MOMENTS: tuple[Moment, ...] = get_args(Moment.__value__)
"""In the order in which a session comes to them."""

_OTHERS: dict[str, Moment] = {
    "onsessionstart": "SessionStart",
    "beforeinbound": "UserPromptSubmit",
    "beforetoolcall": "PreToolUse",
    "aftertoolcall": "PostToolUse",
    "beforeoutbound": "Stop",
    "transformresponse": "TransformResponse",
    "onsessionend": "SessionEnd",
}
"""Names of earlier designs, without case and signs."""

SUBJECTS: dict[Moment, str] = {
    "SessionStart": "source",
    "PreToolUse": "tool_name",
    "PermissionRequest": "tool_name",
    "PostToolUse": "tool_name",
    "PreCompact": "trigger",
    "MemoryFlush": "trigger",
    "PostCompact": "trigger",
    "SubagentStart": "agent_type",
    "SubagentStop": "agent_type",
}
"""What a matcher is compared with; at the other moments it counts for nothing."""


def moment_of(name: str) -> Moment | None:
    """The moment that a name stands for; None for a name that nobody knows."""
    folded = "".join(character for character in name.lower() if character.isalnum())
    for moment in MOMENTS:
        if moment.lower() == folded:
            return moment
    return _OTHERS.get(folded)
