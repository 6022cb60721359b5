"""What policy files say of commands and hosts, and the approval policies of codex.

Refuses: to run what a file says (it is read, never evaluated), and to go on as if nothing stood in
a file that it could not read: then everything is asked.
"""

from ouroboros.safety.policy.amendments import BANNED, amended, line, network_line
from ouroboros.safety.policy.evaluate import Policy
from ouroboros.safety.policy.presets import (
    Approval,
    ApprovalName,
    Command,
    Escalation,
    Forbidden,
    Granular,
    NeedsApproval,
    Requirement,
    SandboxMode,
    Skip,
    requirement,
    retry,
    settled,
    write_requirement,
)
from ouroboros.safety.policy.values import (
    Decision,
    Evaluation,
    HostExecutable,
    Match,
    NetworkRule,
    PrefixRule,
    Words,
)

__all__ = [
    "BANNED",
    "Approval",
    "ApprovalName",
    "Command",
    "Decision",
    "Escalation",
    "Evaluation",
    "Forbidden",
    "Granular",
    "HostExecutable",
    "Match",
    "NeedsApproval",
    "NetworkRule",
    "Policy",
    "PrefixRule",
    "Requirement",
    "SandboxMode",
    "Skip",
    "Words",
    "amended",
    "line",
    "network_line",
    "requirement",
    "retry",
    "settled",
    "write_requirement",
]
