"""How hooks are told of a call: the names that the field has for tools, and what goes in."""

import msgspec
from msgspec import Struct

_SHELLS = {"shell": "command", "exec_command": "cmd"}
_ALIASES = {
    "apply_patch": ("apply_patch", "Write", "Edit"),
    "dogs": ("dogs", "Write", "Edit"),
    "edit": ("edit", "Edit"),
    "fetch": ("fetch", "WebFetch"),
    "find": ("find", "Glob"),
    "grep": ("grep", "Grep"),
    "read": ("read", "Read"),
    "write": ("write", "Write"),
}


class Told(Struct, frozen=True, kw_only=True):
    """One call as a hook sees it.

    Attributes:
        name: ``Bash`` for a command.
        names: What a matcher may call it.
        input: ``{"command": ...}`` for a command and a patch, else the arguments.
    """

    name: str
    names: tuple[str, ...]
    input: object


def told(tool: str, arguments: str) -> Told:
    """A call of a tool by its canonical name, with its arguments as the model wrote them."""
    known = _decoded(arguments)
    if tool in _SHELLS:
        command = known.get(_SHELLS[tool], known.get("command", known.get("cmd", arguments)))
        return Told(name="Bash", names=("Bash",), input={"command": command})
    if tool == "apply_patch":
        patch = known.get("input", known.get("patch", arguments))
        return Told(name=tool, names=_ALIASES[tool], input={"command": patch})
    return Told(name=tool, names=_ALIASES.get(tool, (tool,)), input=known)


def rewritten(tool: str, arguments: str, updated: object) -> str:
    """The arguments of a call with what a hook wants in their place.

    Raises:
        ValueError: It is none that this tool could have.
    """
    if not isinstance(updated, dict):
        raise ValueError("updatedInput is not an object")
    fields: dict[str, object] = msgspec.convert(updated, dict[str, object])
    if tool in _SHELLS or tool == "apply_patch":
        command = fields.get("command")
        if not isinstance(command, str):
            raise ValueError("updatedInput has no command")
        if tool == "apply_patch":
            return msgspec.json.encode({"input": command}).decode()
        kept = {
            name: value
            for name, value in _decoded(arguments).items()
            if name not in {"command", "cmd"}
        }
        return msgspec.json.encode({_SHELLS[tool]: command, **kept}).decode()
    return msgspec.json.encode(fields).decode()


def _decoded(arguments: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(arguments or "{}", type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return {}
