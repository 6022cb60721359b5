"""May this happen: allow, ask or deny, decided from values alone.

A deny wins over everything, in whatever order and scope it stands. Between ask and allow the higher
scope wins, and within one scope ask. Then comes the mode. What cannot be understood is asked.
"""

from ouroboros.safety.rules.by_policy import Policies
from ouroboros.safety.rules.decide import Rules
from ouroboros.safety.rules.values import Around, Decision, Intent, Layer, Outcome, Rule
from ouroboros.safety.rules.written import parse_rule, rules_of_tool, split_rule

__all__ = [
    "Around",
    "Decision",
    "Intent",
    "Layer",
    "Outcome",
    "Policies",
    "Rule",
    "Rules",
    "parse_rule",
    "rules_of_tool",
    "split_rule",
]
