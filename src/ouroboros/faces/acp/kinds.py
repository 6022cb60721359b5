"""Which kind of call an editor takes a tool for, which decides its sign."""

from typing import Literal

type Kind = Literal["read", "edit", "search", "execute", "think", "fetch", "switch_mode", "other"]

_KINDS: dict[str, Kind] = {
    "read": "read",
    "view_image": "read",
    "ls": "read",
    "find": "search",
    "grep": "search",
    "repo_map": "search",
    "tool_search": "search",
    "write": "edit",
    "edit": "edit",
    "multi_edit": "edit",
    "apply_patch": "edit",
    "dogs": "edit",
    "exec_command": "execute",
    "write_stdin": "execute",
    "shell": "execute",
    "python": "execute",
    "js": "execute",
    "repl": "execute",
    "call_tools": "execute",
    "browser_execute": "execute",
    "fetch": "fetch",
    "update_plan": "think",
    "create_goal": "think",
    "get_goal": "think",
    "update_goal": "think",
}


def kind_of(tool: str) -> Kind:
    """The kind of a tool's calls; ``other`` where none fits."""
    return _KINDS.get(tool, "other")
