"""Whether a permission rule speaks of something that there is: one that limits is never passed over."""

from collections.abc import Iterator
from pathlib import Path

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.rules import Rule, parse_rule
from ouroboros.safety.rules.prepared import FAMILIES
from ouroboros.safety.rules.values import ANY, EXPRESSION
from ouroboros.tools.aliases import TOOLS, folded

MOST_RULES = 200
MOST_CHARACTERS = 300
MOST_STARS = 4
"""With more of them in a pattern, comparing it would take long, and the paths are a stranger's too."""

_OURS = frozenset({
    *("browser_cancel", "browser_configure", "browser_execute", "browser_observe"),
    *("browser_recover", "browser_status", "call_tool", "call_tools", "create_goal", "create_tool"),
    *("done", "get_goal", "js", "update_goal"),
    *("request_permissions", "request_user_input", "tool_search", "update_plan", "write_stdin"),
})
_OF_CODE = frozenset({
    *("cdp", "listFiles", "llm_batch", "llm_map", "llm_query", "recipe"),
    *("retrieve", "sleep", "store"),
})
_PLACED = frozenset({"browser", "fetch", "network", "write_stdin"})
"""What else a content may say more of: a place, or a command."""


def is_modest(written: object) -> bool:
    """Whether a rule that a stranger wrote costs little to compare."""
    text = str(written)
    is_short = len(text) <= MOST_CHARACTERS and text.count("*") <= MOST_STARS
    return is_short and EXPRESSION not in text


def limiting(outcome: str, written: object, *, home: Path, project: Path) -> None:
    """Reads a rule, and sees to it that one which denies or asks can ever hold; looks at the disk.

    Raises:
        ConfigBroken: It is no rule, or it can never hold.
    """
    rule = parse_rule(outcome, written)
    wrong = "" if rule.outcome == "allow" else _fault(rule, home, project)
    if wrong:
        hint = "correct it or take it out; what limits is never passed over"
        raise ConfigBroken(f"{rule} can never hold: {wrong}", hint=hint)


def _fault(rule: Rule, home: Path, project: Path) -> str:
    if "*" in rule.tool or rule.tool.startswith("mcp__"):
        # It may fit a tool that comes later.
        return _of_content(rule, "a rule about several tools, or a server's,")
    name = folded(rule.tool)
    meant = folded(TOOLS.get(name, name))
    if meant in map(folded, (*FAMILIES, *_PLACED)):
        return ""
    if meant in map(folded, _OURS) or name in map(folded, _own(home, project)):
        return _of_content(rule, f"a rule about {rule.tool}")
    if is_of_code(rule.tool):
        return ""
    from difflib import get_close_matches

    known = sorted({*FAMILIES, *_PLACED, *_OURS, *_of_code(), *TOOLS})
    near = get_close_matches(rule.tool.lower(), known, n=1, cutoff=0.6)
    said = f", did you mean {TOOLS.get(near[0], near[0])}" if near else ""
    return f"no tool has this name{said}? (a tool that comes later: {rule.tool}*)"


def _of_content(rule: Rule, what: str) -> str:
    return "" if rule.content.strip() in ANY else f"{what} takes no content"


def _own(home: Path, project: Path) -> Iterator[str]:
    """Tools that the person or a model made, whether they may be used or not."""
    for folder in (home / "tools", project / ".ouroboros" / "tools"):
        try:
            yield from (place.name for place in folder.iterdir())
        except OSError:
            continue


def is_of_code(tool: str) -> bool:
    """Whether it is the name of a function that code calls, or of a kind of thing done in pages."""
    return folded(tool) in map(folded, (*_PLACED, *_of_code()))


def _of_code() -> frozenset[str]:
    from ouroboros.repl.functions.catalogue import GROUPS  # most rules never come here
    from ouroboros.repl.functions.pages import RISKS

    return _OF_CODE | RISKS | {spec.name for _, specs in GROUPS for spec in specs}
