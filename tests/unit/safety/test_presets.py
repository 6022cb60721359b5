"""The approval policies of codex: what each wants for a command, with and without rules."""

import pytest

from ouroboros.safety.policy import (
    Approval,
    ApprovalName,
    Command,
    Escalation,
    Forbidden,
    Granular,
    NeedsApproval,
    Policy,
    SandboxMode,
    Skip,
    requirement,
    retry,
    settled,
    write_requirement,
)
from ouroboros.safety.policy.presets import Kind
from ouroboros.safety.policy.reading import policy_of
from tests.cases import every

NAMES: tuple[ApprovalName, ...] = ("untrusted", "on-failure", "on-request", "never", "granular")
ESCALATED = Escalation(permissions="require_escalated", justification="May I?")
NOTHING = Policy()


def kind_of(part: str) -> Kind:
    match part:
        case "ls":
            return "safe"
        case "rm -rf x":
            return "dangerous"
        case _:
            return "approve"


def command(*parts: str) -> Command:
    kinds: tuple[Kind, ...] = tuple(kind_of(part) for part in parts)
    worst: Kind = "dangerous" if "dangerous" in kinds else kind_of(parts[0])
    words = tuple(tuple(part.split()) for part in parts)
    return Command(
        words=("bash", "-lc", " && ".join(parts)),
        parts=words,
        kind=worst,
        kinds=kinds,
    )


# Rows of 7.2: untrusted, on-failure, on-request, never, granular; a allow, p prompt, f forbidden.
MATRIX: list[tuple[str, SandboxMode, str]] = [
    ("ls", "read-only", "aaaaa"),
    ("ls", "workspace-write", "aaaaa"),
    ("ls", "danger-full-access", "aaaaa"),
    ("ls", "external", "aaaaa"),
    ("touch a", "read-only", "paaaa"),
    ("touch a", "workspace-write", "paaaa"),
    ("touch a", "danger-full-access", "paaaa"),
    ("touch a", "external", "paaaa"),
    ("touch /outside/a", "read-only", "paaaa"),
    ("touch /outside/a", "workspace-write", "paaaa"),
    ("touch /outside/a", "danger-full-access", "paaaa"),
    ("touch /outside/a", "external", "paaaa"),
    ("rm -rf x", "read-only", "pppfp"),
    ("rm -rf x", "workspace-write", "pppfp"),
    ("rm -rf x", "danger-full-access", "pppap"),
    ("rm -rf x", "external", "pppap"),
    ("curl example.org", "read-only", "paaaa"),
    ("curl example.org", "workspace-write", "paaaa"),
    ("curl example.org", "danger-full-access", "paaaa"),
    ("curl example.org", "external", "paaaa"),
]
LETTERS = {Skip: "a", NeedsApproval: "p", Forbidden: "f"}


@pytest.mark.proves("codex-7.1")
@every(("text", "sandbox", "row"), MATRIX)
def test_what_each_policy_wants_for_a_command_without_a_rule(
    text: str, sandbox: SandboxMode, row: str
) -> None:
    found = [requirement(Approval(name=n), sandbox, command(text), NOTHING) for n in NAMES]

    assert "".join(LETTERS[type(each)] for each in found) == row
    assert not any(isinstance(each, Skip) and each.bypass_sandbox for each in found)


# The model asks to leave the sandbox; only on-request lets it.
@pytest.mark.proves("codex-2.8")
@every("sandbox", ["read-only", "workspace-write"])
def test_only_on_request_lets_the_model_ask_to_leave_the_sandbox(sandbox: SandboxMode) -> None:
    for name in NAMES:
        found = requirement(
            Approval(name=name), sandbox, command("touch a"), NOTHING, escalation=ESCALATED
        )
        if name == "on-request":
            assert found == NeedsApproval(reason="May I?", amendment=("touch", "a"))
        else:
            assert isinstance(found, Forbidden)
            assert found.reason.count(name) == 2


def test_nothing_is_left_to_ask_where_the_sandbox_is_open() -> None:
    for sandbox in ("danger-full-access", "external"):
        found = requirement(
            Approval(name="on-request"), sandbox, command("touch a"), NOTHING, escalation=ESCALATED
        )
        assert found == Skip()


RULES = policy_of(
    'prefix_rule(["touch"])\nprefix_rule(["curl"], "prompt", "network")\n'
    'prefix_rule(["shutdown"], "forbidden", "no")\nprefix_rule(["rm"])',
    "x",
)


def test_rules_come_before_what_a_command_is_taken_for() -> None:
    def found(name: ApprovalName, *parts: str) -> object:
        return requirement(Approval(name=name), "workspace-write", command(*parts), RULES)

    for name in NAMES:
        assert found(name, "touch a") == Skip(bypass_sandbox=True)
        assert found(name, "rm -rf x") == Skip(bypass_sandbox=True)
        assert found(name, "shutdown") == Forbidden(reason="`shutdown` rejected: no")
        assert found(name, "touch a", "ls") == Skip()
    prompt = NeedsApproval(reason="`curl example.org` requires approval: network")
    assert found("on-failure", "curl example.org") == prompt
    assert isinstance(found("never", "curl example.org"), Forbidden)
    assert found("untrusted", "touch a", "make") == NeedsApproval(amendment=("make",))


def test_one_part_that_is_forbidden_forbids_the_whole() -> None:
    found = requirement(
        Approval(name="on-request"), "workspace-write", command("ls", "shutdown"), RULES
    )

    assert isinstance(found, Forbidden)


def test_what_is_more_than_plain_words_is_judged_as_a_whole_and_never_remembered() -> None:
    odd = Command(words=("bash", "-lc", "ls > f"), parts=None, kind="safe")
    found = {n: requirement(Approval(name=n), "workspace-write", odd, NOTHING) for n in NAMES}

    assert found["untrusted"] == NeedsApproval()
    assert found["on-request"] == Skip()
    bare = Approval(name="on-failure", has_sandbox=False)
    assert requirement(bare, "workspace-write", odd, NOTHING) == NeedsApproval()
    assert requirement(bare, "workspace-write", command("ls"), NOTHING) == Skip()


@pytest.mark.proves("divergences-rules-that-ask-or-forbid")
def test_a_hidden_command_is_forbidden_too() -> None:
    for also, kind in (((("shutdown",),), Forbidden), ((), Skip)):
        found = requirement(
            Approval(name="on-request"),
            "workspace-write",
            command("make"),
            RULES,
            also=also,
        )
        assert isinstance(found, kind)


@pytest.mark.proves("codex-7.1")
def test_a_category_that_granular_leaves_out_is_refused_and_named() -> None:
    def found(text: str, **off: bool) -> object:
        approval = Approval(name="granular", granular=Granular(**off))
        return requirement(approval, "workspace-write", command(text), RULES)

    assert isinstance(found("curl example.org"), NeedsApproval)
    no_rules = found("curl example.org", rules=False)
    assert isinstance(no_rules, Forbidden)
    assert "approval.rules is false" in no_rules.reason
    assert isinstance(found("curl example.org", sandbox_approval=False), NeedsApproval)
    dangerous = requirement(
        Approval(name="granular", granular=Granular(sandbox_approval=False)),
        "workspace-write",
        command("rm -rf x"),
        NOTHING,
    )
    assert isinstance(dangerous, Forbidden)
    assert "approval.sandbox_approval is false" in dangerous.reason


def test_a_broken_policy_file_asks_about_everything() -> None:
    broken = Policy(broken="x:1:1: wrong")
    found = {
        n: requirement(Approval(name=n), "danger-full-access", command("ls"), broken) for n in NAMES
    }

    assert isinstance(found.pop("never"), Forbidden)
    assert set(found.values()) == {NeedsApproval(reason="x:1:1: wrong")}
    no_rules = Approval(name="granular", granular=Granular(rules=False))
    refused = requirement(no_rules, "workspace-write", command("ls"), broken)
    assert isinstance(refused, Forbidden)
    assert "approval.rules is false" in refused.reason


def test_an_empty_text_is_asked_about() -> None:
    empty = Command(words=(), parts=(), kind="safe")

    assert isinstance(
        requirement(Approval(name="untrusted"), "workspace-write", empty, NOTHING), NeedsApproval
    )


WRITES: list[tuple[SandboxMode, bool, str]] = [
    ("workspace-write", True, "paaaa"),
    ("workspace-write", False, "pppfp"),
    ("read-only", True, "pppfp"),
    ("danger-full-access", False, "paaaa"),
]


@pytest.mark.proves("codex-7.1")
@every(("sandbox", "inside", "row"), WRITES)
def test_what_each_policy_wants_for_a_file(sandbox: SandboxMode, inside: bool, row: str) -> None:
    found = [write_requirement(Approval(name=n), sandbox, inside=inside) for n in NAMES]

    assert "".join(LETTERS[type(each)] for each in found) == row


def test_any_other_question_is_refused_where_nobody_may_be_asked() -> None:
    assert [LETTERS[type(settled(Approval(name=n), "why"))] for n in NAMES] == list("pppfp")
    quiet = Approval(name="granular", granular=Granular(sandbox_approval=False))
    assert isinstance(settled(quiet, "why"), Forbidden)


RETRIES = {
    "untrusted": ("ask", "go"),
    "on-failure": ("ask", "go"),
    "on-request": ("give up", "give up"),
    "never": ("give up", "give up"),
    "granular": ("ask", "go"),
}


@every("name", NAMES)
def test_what_follows_when_the_sandbox_stopped_a_command(name: ApprovalName) -> None:
    approval = Approval(name=name)
    found = tuple(retry(approval, approved=approved) for approved in (False, True))

    assert found == RETRIES[name]
    assert retry(approval, approved=False, may_leave=False) == "give up"


def test_a_closed_network_is_asked_about_again_also_after_a_yes() -> None:
    asks = {n: retry(Approval(name=n), approved=True, network=True) for n in NAMES}

    assert asks == {**dict.fromkeys(NAMES, "ask"), "never": "give up"}
    silent = Approval(name="granular", granular=Granular(sandbox_approval=False))
    assert retry(silent, approved=False) == "give up"
