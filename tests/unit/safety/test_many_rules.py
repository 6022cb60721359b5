"""Two thousand rules decide as the few that matter do: what is not about a thing is left out, nothing else."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Intent, Rule, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import deep_after

HERE = Path("/w/here")
FEW = [
    *(("allow", "Bash(make:*)"), ("ask", "Bash(npm:*)"), ("deny", "Bash(rm:*)")),
    *(("deny", "Read(secrets/**)"), ("allow", "Write(docs/**)"), ("ask", "Edit(*.lock)")),
    *(("deny", "fetch(domain:bad.example)"), ("deny", "get*"), ("ask", "mcp__docs__*")),
]
NOISE = [
    ("allow" if number % 3 else "deny", f"{tool}(nothing{number}{end})")
    for number in range(500)
    for tool, end in (("Bash", ":*"), ("Read", "/**"), ("Write", ".x"), ("fetch", ".example/a"))
]
URL = "https://bad.example/"
INTENTS = [
    *(
        Intent(tool=tool, kind="execute", command=command)
        for tool in ("shell", "exec_command")
        for command in ("make", "npm test", "rm x", "make && rm x", "cat secrets/a", "touch a")
    ),
    *(
        Intent(tool=tool, kind=kind, paths=(HERE / name,), spelled=(HERE / name,))
        for tool, kind in (
            ("read", "read"),
            ("grep", "read"),
            ("write", "write"),
            ("edit", "write"),
        )
        for name in ("secrets/a", "docs/a", "a.lock", "other")
    ),
    Intent(tool="fetch", kind="fetch", url=URL),
    Intent(tool="getText", kind="look", url=URL),
    Intent(tool="click", kind="act", url=URL),
    Intent(tool="mcp__docs__find", kind="mcp"),
]


def made(written: list[tuple[str, str]]) -> list[Rule]:
    return [parse_rule(*each) for each in written]


@pytest.mark.proves("permissions-speed")
@pytest.mark.parametrize("mode", deep_after(1, ["ask", "plan", "full-auto"]))
def test_many_rules_decide_as_the_few_that_matter(mode: Mode) -> None:
    assert len(NOISE) == 2_000
    places = Places(roots=(HERE,))
    few = Rules(made(FEW), places, canonical)
    many = Rules([*made(NOISE), *made(FEW)], places, canonical)
    for intent in (*INTENTS, *INTENTS):  # what was found for a kind of thing is kept
        one, other = few.decide(intent, mode=mode), many.decide(intent, mode=mode)
        assert (one.outcome, one.rule) == (other.outcome, other.rule), intent
    said = {few.decide(intent, mode=mode).outcome for intent in INTENTS}
    assert said >= {"allow", "deny"}
