"""Which rule a yes may add for good, and how it is written."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from ouroboros.safety.policy.evaluate import Policy
from ouroboros.safety.policy.values import Decision, Evaluation, PrefixRule, Words

_PYTHONS = ("python", "python3", "py", "pythonw", "pyw", "pypy", "pypy3")
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")
_POWERSHELLS = ("pwsh", "pwsh.exe", "powershell", "powershell.exe")

BANNED: frozenset[Words] = frozenset({
    *((name, *more) for name in _PYTHONS for more in ((), ("-",), ("-c",))),
    ("py", "-3"),
    *((name, *more) for name in _SHELLS for more in ((), ("-c",), ("-lc",))),
    *((name, *more) for name in _POWERSHELLS for more in ((), ("-Command",), ("-c",))),
    *((name, *more) for name in ("node", "perl", "ruby", "lua") for more in ((), ("-e",))),
    ("php",),
    ("php", "-r"),
    ("git",),
    ("env",),
    ("sudo",),
    ("osascript",),
})
"""Prefixes that would let through anything at all; a model cannot propose them."""


class Judged(Struct, frozen=True, kw_only=True):
    """One part of a command, and what holds for it.

    Attributes:
        is_matched: A rule says so.
        is_dangerous: It is taken for harmful; nothing is remembered for it.
    """

    words: Words
    decision: Decision
    is_matched: bool = False
    is_dangerous: bool = False


def proposed(
    parts: Sequence[Judged], policy: Policy, found: Evaluation, *, wanted: Words = ()
) -> Words:
    """The prefix that a yes may remember; empty when there is none to be proposed.

    What the model ``wanted`` counts if it is narrow enough and lets the whole command through.
    """
    is_ruled = any(match.decision != "allow" for match in found.matched)
    if policy.broken or is_ruled or any(each.is_dangerous for each in parts):
        return ()
    if wanted and not found.matched and _is_fit(wanted, parts):
        return wanted
    first = next(
        (each for each in parts if not each.is_matched and each.decision == "prompt"), None
    )
    return first.words if first is not None and first.words not in BANNED else ()


def line(prefix: Words) -> str:
    """A rule that allows what begins like this, as it stands in a file."""
    words = ", ".join(msgspec.json.encode(word).decode() for word in prefix)
    return f'prefix_rule(pattern=[{words}], decision="allow")'


def network_line(host: str, protocol: str, decision: Decision) -> str:
    """A rule for one host, as it stands in a file."""
    said = "deny" if decision == "forbidden" else decision
    quoted = [msgspec.json.encode(word).decode() for word in (host, protocol, said)]
    return f"network_rule(host={quoted[0]}, protocol={quoted[1]}, decision={quoted[2]})"


def amended(policy: Policy, prefix: Words) -> Policy:
    """The policy with a rule that allows what begins like this; the same where it has it."""
    rule = PrefixRule(pattern=tuple((word,) for word in prefix))
    is_known = any((one.pattern, one.decision) == (rule.pattern, "allow") for one in policy.rules)
    return policy if is_known else policy.joined(Policy([rule]))


def _is_fit(wanted: Words, parts: Sequence[Judged]) -> bool:
    rule = PrefixRule(pattern=tuple((word,) for word in wanted))
    return wanted not in BANNED and all(rule.matches(each.words) for each in parts)
