"""Rules as people write them."""

import re
from collections.abc import Iterable

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.rules.prepared import expression_of
from ouroboros.safety.rules.values import EXPRESSION, Layer, Outcome, Rule

_OUTCOMES: dict[str, Outcome] = {
    "allow": "allow",
    "ask": "ask",
    "deny": "deny",
    "auto": "allow",
    "approve": "ask",
    "denied": "deny",
}
_RULE = re.compile(r"\s*([\w*.:/-]+?)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse_rule(outcome: str, written: object, layer: Layer = "user") -> Rule:
    """Reads a rule in either spelling: ``Tool(content)`` or ``{toolName, ruleContent}``.

    Raises:
        ConfigBroken: It is neither, or the outcome is unknown.
    """
    known = _OUTCOMES.get(outcome)
    if known is None:
        raise ConfigBroken(f"unknown permission outcome {outcome!r}", hint="use allow, ask or deny")
    if isinstance(written, str):
        tool, content = split_rule(written)
    else:
        tool, content = _from_mapping(written)
    if not tool:
        raise ConfigBroken(
            f"not a permission rule: {written!r}",
            hint="write it as Tool(content), such as Bash(git log:*) or Read(/src/**)",
        )
    expression_of(content)
    return Rule(outcome=known, tool=tool, content=content, layer=layer)


def split_rule(written: str) -> tuple[str, str]:
    """Tool and content of ``Tool(content)``; two empty texts when it is not a rule."""
    found = _RULE.fullmatch(written)
    return (found.group(1), found.group(2) or "") if found else ("", "")


def rules_of_tool(
    tool: str, *, allowed: Iterable[str] = (), denied: Iterable[str] = (), layer: Layer = "user"
) -> tuple[Rule, ...]:
    """Lists of whole commands as expressions, as definitions of agents have them.

    Source: ``tools[].allowed_commands`` and ``denied_commands``. Where only certain commands are
    allowed, every other one is asked about.

    Raises:
        ConfigBroken: One is no regular expression.
    """
    found = [parse_rule("allow", f"{tool}({EXPRESSION}{each})", layer) for each in allowed]
    found += [parse_rule("deny", f"{tool}({EXPRESSION}{each})", layer) for each in denied]
    return tuple(found)


def _from_mapping(written: object) -> tuple[str, str]:
    match written:
        case {"toolName": str(tool), "ruleContent": str(content)}:
            return tool, content
        case {"toolName": str(tool)}:
            return tool, ""
        case _:
            return "", ""
