"""Policy files and approval policies over the rules: who wins, and what becomes of a question."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.policy import Approval, ApprovalName, Escalation, Policy, SandboxMode
from ouroboros.safety.policy.book import Book
from ouroboros.safety.policy.reading import policy_of
from ouroboros.safety.rules import Decision, Intent, Policies, Rule, Rules
from ouroboros.safety.rules.foreseen import Held
from ouroboros.safety.rules.written import parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every

TEXT = """
prefix_rule(["git", "pull"])
prefix_rule(["make"])
prefix_rule(["npm"], "prompt", "npm runs scripts")
prefix_rule(["shutdown"], "forbidden", "not here")
"""
FILE = policy_of(TEXT, "x.rules")
HERE = Path("/work/here")


def decided(
    command: str,
    *,
    mode: Mode = "ask",
    rules: Sequence[Rule] = (),
    policy: Policy = FILE,
    approval: ApprovalName | None = None,
    sandbox: SandboxMode = "workspace-write",
    caged: bool = True,
    granted: Sequence[str] = (),
    escalation: Escalation | None = None,
    here: Path = HERE,
) -> Decision:
    policies = Policies(
        book=Book(policy),
        approval=Approval(name=approval) if approval else None,
        sandbox=sandbox,
        is_caged=caged,
    )
    judge = Rules(rules, Places(roots=(here,)), policies=policies)
    intent = Intent(
        tool="shell", kind="execute", command=command, escalation=escalation or Escalation()
    )
    return judge.decide(intent, mode=mode, granted=granted)


MODES: list[tuple[str, str, str]] = [
    # ask, auto-edit, full-auto, plan
    ("git pull", "aaad", "allow"),
    ("git pull && make all", "aaad", "allow"),
    ("npm test", "pppd", "npm runs scripts"),
    ("git pull && npm test", "pppd", "npm runs scripts"),
    ("shutdown now", "dddd", "not here"),
    ("sudo shutdown", "dddd", "not here"),
    ("bash -c 'shutdown'", "dddd", "not here"),
    ("git pull; shutdown", "dddd", "not here"),
    ("echo $(shutdown)", "dddd", "not here"),
]
LETTERS = {"a": "allow", "p": "ask", "d": "deny"}


@every(("command", "row", "why"), MODES)
def test_a_policy_file_counts_in_every_mode(command: str, row: str, why: str) -> None:
    modes: tuple[Mode, ...] = ("ask", "auto-edit", "full-auto", "plan")
    for mode, letter in zip(modes, row, strict=True):
        found = decided(command, mode=mode)
        assert found.outcome == LETTERS[letter], mode
        if letter != "a" and mode != "plan":
            assert why in found.reason


def test_what_a_file_allows_runs_outside_of_the_sandbox_only_if_it_names_every_part() -> None:
    assert decided("git pull").outside
    assert decided("git pull && make").outside
    assert not decided("git pull && touch x", mode="full-auto").outside
    assert decided("git pull && touch x").outcome == "ask"


def test_an_allow_of_a_file_covers_no_more_than_plain_words() -> None:
    for command in (
        "make $(touch x)",
        "make > x",
        "FOO=1 make",
        "make &",
        "/tmp/make",
        "./make",
        "env make",
        "make\ntouch x",
    ):
        assert decided(command).outcome == "ask", command


def test_rules_of_the_settings_are_not_made_milder() -> None:
    for outcome in ("deny", "ask"):
        rule = parse_rule(outcome, "shell(make:*)")
        assert decided("make", rules=[rule]).outcome == outcome
    allow = parse_rule("allow", "shell(npm:*)")
    assert decided("npm test", rules=[allow]).outcome == "ask"
    assert decided("shutdown", rules=[parse_rule("allow", "shell")]).outcome == "deny"


def test_a_yes_for_the_session_answers_a_prompt_of_a_file_but_no_refusal() -> None:
    assert decided("npm test", granted=["shell(npm test)"]).outcome == "allow"
    assert decided("npm run x", granted=["shell(npm test)"]).outcome == "ask"
    assert decided("shutdown", granted=["shell(shutdown)"]).outcome == "deny"


BLOCKING = [
    ("npm test && rm x", "no rule allows `rm x`"),
    ("rm x && npm test", "no rule allows `rm x`"),
    ("npm test && ls && touch 'a b'; npm test", "no rule allows `touch 'a b'`"),
    ("cd /elsewhere && npm test", "no rule allows `cd /elsewhere`"),
    ("npm test && rm -rf x", "it may do lasting harm"),
    ("touch a && rm x", "touch"),
]


@pytest.mark.proves("E09")
@every(("command", "why"), BLOCKING)
def test_the_part_that_blocks_is_named(command: str, why: str) -> None:
    by_rule = decided(command, rules=[parse_rule("allow", "shell(npm test)")], policy=Policy())
    by_file = decided(command, policy=policy_of('prefix_rule(["npm", "test"])', "x.rules"))
    assert (by_rule.outcome, by_file.outcome) == ("ask", "ask")
    assert by_rule.reason.startswith(why)
    assert by_file.reason.startswith(why)


@pytest.mark.proves("E09")
def test_a_part_is_judged_where_it_stands_for_the_amendment_too(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    # From here `cat ../x` leads out of the workspace, from the folder below it does not.
    asked = decided("cd sub && cat ../x && touch y", approval="untrusted", here=tmp_path)
    assert (asked.outcome, asked.amendment) == ("ask", ("touch", "y"))


# C7.2
@pytest.mark.proves("codex-7.2")
def test_a_yes_for_the_session_is_one_to_other_spellings_of_the_command() -> None:
    said = ["shell(/bin/bash -lc 'touch  a')"]
    for same in ("touch a", 'bash -lc "touch a"', "sh -c 'touch a'"):
        assert decided(same, granted=said).outcome == "allow", same
    for other in ("touch b", "touch a b", "touch a > b", "touch a; rm b", "/tmp/bash -c 'touch a'"):
        assert decided(other, granted=said).outcome == "ask", other


def test_a_yes_for_the_session_is_none_to_the_same_words_in_another_folder() -> None:
    judge = Rules([], Places(roots=(HERE,)), policies=Policies(book=Book()))
    intent = Intent(tool="shell", kind="execute", command="touch a", folder=HERE / "sub")
    found = judge.decide(intent, mode="ask", granted=["shell(touch a)"])

    assert (found.outcome, found.grant) == ("ask", "")


def test_what_only_reads_runs_hardened_under_an_approval_policy() -> None:
    for name in NAMES:
        assert "core.fsmonitor" in decided("git status", approval=name).command, name


def test_what_a_file_allows_by_name_runs_as_it_is_written() -> None:
    policy = policy_of('prefix_rule(["git", "status"])', "x.rules")
    for name in NAMES:
        found = decided("git status", approval=name, policy=policy)
        assert (found.outcome, found.outside, found.command) == ("allow", True, ""), name


def test_a_question_offers_to_remember_a_prefix() -> None:
    assert decided("cargo build --all").amendment == ("cargo", "build", "--all")
    assert decided("make && cargo build").amendment == ("cargo", "build")
    assert decided("npm test").amendment == ()
    assert decided("cargo build > x").amendment == ()
    assert decided("rm -rf /").amendment == ()


def test_a_broken_file_asks_about_everything_that_modes_would_let_through() -> None:
    broken = Policy(broken="a policy file is broken: x:1:1: wrong")
    for mode in ("ask", "auto-edit", "full-auto"):
        found = decided("ls", mode=mode, policy=broken)
        assert (found.outcome, found.amendment) == ("ask", ())
        assert "x:1:1" in found.reason
    rule = parse_rule("allow", "shell(ls)")
    assert decided("ls", policy=broken, rules=[rule]).outcome == "ask"


def test_without_files_and_policies_the_rules_decide_alone() -> None:
    plain = Rules([], Places(roots=(HERE,)))
    intent = Intent(tool="shell", kind="execute", command="touch x")

    alone = plain.decide(intent, mode="ask")
    assert decided("touch x", policy=Policy()) == replace(alone, amendment=("touch", "x"))


# C7.1: untrusted, on-failure, on-request, never, granular; in the sandbox and with all open.
NAMES: tuple[ApprovalName, ...] = ("untrusted", "on-failure", "on-request", "never", "granular")
PRESETS = [
    ("ls", "aaaaa", "aaaaa"),
    ("touch a", "paaaa", "paaaa"),
    ("touch /outside/a", "paaaa", "paaaa"),
    ("curl example.org", "paaaa", "paaaa"),
    ("rm -rf x", "pppdp", "pppap"),
    ("make", "aaaaa", "aaaaa"),
    ("npm test", "pppdp", "pppdp"),
    ("shutdown", "ddddd", "ddddd"),
]


@pytest.mark.deep
@pytest.mark.proves("codex-7.1")
@every(("command", "caged", "open_"), PRESETS)
def test_an_approval_policy_takes_the_place_of_the_mode(
    command: str, caged: str, open_: str
) -> None:
    modes: tuple[Mode, ...] = ("ask", "full-auto")
    for mode in modes:
        for name, letter in zip(NAMES, caged, strict=True):
            found = decided(command, approval=name, mode=mode)
            assert found.outcome == LETTERS[letter], (mode, name)
        for name, letter in zip(NAMES, open_, strict=True):
            found = decided(command, approval=name, mode=mode, sandbox="danger-full-access")
            assert found.outcome == LETTERS[letter], (mode, name)


@pytest.mark.proves("divergences-policies-without-a-sandbox")
def test_without_a_sandbox_a_policy_lets_only_reads_run_unasked() -> None:
    for name, letter in zip(NAMES, "pppdp", strict=True):
        assert decided("touch a", approval=name, caged=False).outcome == LETTERS[letter], name
        assert decided("ls", approval=name, caged=False).outcome == "allow", name


def test_rules_count_under_an_approval_policy_too() -> None:
    ask, deny = parse_rule("ask", "shell(ls:*)"), parse_rule("deny", "shell(ls:*)")
    allow = parse_rule("allow", "shell(rm:*)")

    assert decided("ls", approval="on-request", rules=[ask]).outcome == "ask"
    assert decided("ls", approval="never", rules=[ask]).outcome == "deny"
    assert decided("ls", approval="on-request", rules=[deny]).outcome == "deny"
    assert decided("rm x", approval="untrusted", rules=[allow]).outcome == "allow"
    assert decided("touch x", approval="never", mode="plan").outcome == "deny"


# C9.3
@pytest.mark.proves("codex-9.3")
def test_one_part_and_a_redirection_are_enough_to_ask() -> None:
    for name, outcome in zip(NAMES, ("ask", "ask", "ask", "deny", "ask"), strict=True):
        assert decided("ls && rm -rf x", approval=name).outcome == outcome
    assert decided("ls > f", approval="untrusted").outcome == "ask"
    assert decided("ls | wc -l", approval="untrusted").outcome == "allow"


OUT = Escalation(permissions="require_escalated", justification="Is it fine?")


def test_leaving_the_sandbox_is_asked_about_each_time() -> None:
    for mode in ("ask", "auto-edit", "full-auto"):
        found = decided("touch x", mode=mode, escalation=OUT, granted=["shell(touch x)"])
        assert (found.outcome, found.outside, found.grant) == ("ask", True, "")
        assert found.reason.endswith("outside of the sandbox: Is it fine?")
    unknown = decided("touch x", escalation=OUT)
    assert decided("touch x").rules
    # No rule would keep it from being asked about.
    assert (unknown.grant, unknown.rules, unknown.wider) == ("", (), ())
    again = decided("touch x", approval="on-request", escalation=OUT, granted=["shell(touch x)"])
    assert (again.outcome, again.outside, again.grant) == ("ask", True, "")
    assert decided("shutdown", escalation=OUT).outcome == "deny"
    assert decided("make", escalation=OUT).outside
    request = decided("touch x", approval="on-request", escalation=OUT)
    assert (request.outcome, request.outside) == ("ask", True)
    for name in ("untrusted", "on-failure", "never", "granular"):
        refused = decided("touch x", approval=name, escalation=OUT)
        assert refused.outcome == "deny"
        assert refused.reason.count(name) == 2


@pytest.mark.proves("codex-9.5")
def test_the_prefix_that_the_model_proposes_is_offered_if_it_is_narrow() -> None:
    wish = Escalation(permissions="require_escalated", prefix=("cargo", "build"))
    wide = Escalation(permissions="require_escalated", prefix=("python3",))

    narrow = decided("cargo build --all", approval="on-request", escalation=wish)
    assert narrow.amendment == ("cargo", "build")
    # C9.5
    ignored = decided("python3 x.py", approval="on-request", escalation=wide)
    assert ignored.amendment == ("python3", "x.py")


WRITES = [("on-request", True, "allow"), ("never", False, "deny"), ("untrusted", True, "ask")]


@every(("name", "inside", "outcome"), WRITES)
def test_files_follow_the_approval_policy_too(
    name: ApprovalName, inside: bool, outcome: str
) -> None:
    policies = Policies(book=Book(), approval=Approval(name=name), is_caged=True)
    rules = Rules([], Places(roots=(HERE,)), policies=policies)
    path = HERE / "a" if inside else Path("/elsewhere/a")
    intent = Intent(tool="write", kind="write", paths=(path,), spelled=(path,))

    assert rules.decide(intent, mode="ask").outcome == outcome


def test_control_data_of_a_project_is_no_ordinary_file() -> None:
    policies = Policies(book=Book(), approval=Approval(name="on-request"), is_caged=True)
    rules = Rules([], Places(roots=(HERE,)), policies=policies)
    for name in (".git/config", ".ouroboros/rules/x.rules"):
        path = HERE / name
        intent = Intent(tool="write", kind="write", paths=(path,), spelled=(path,))
        assert rules.decide(intent, mode="full-auto").outcome == "ask"


@every(
    ("command", "outside"),
    [
        ("git commit -m x", True),
        ("ls && git commit -m x", True),
        ("git commit -m x && git commit -m x", True),
        ("python evil.py && git commit -m x", False),
        ("git commit -m x && python evil.py", False),
    ],
)
def test_what_a_yes_takes_out_of_the_cage_takes_nothing_else_with_it(
    tmp_path: Path, command: str, outside: bool
):
    """A rule of the settings lets a command run inside; beside one that was agreed to it stays there."""
    policies = Policies(book=Book(), cage=lambda: Held(git="closed"))
    allowed = [parse_rule("allow", "shell(python *)")]
    judge = Rules(allowed, Places(roots=(tmp_path,)).resolved(), canonical, policies=policies)
    intent = Intent(tool="shell", kind="execute", command=command)
    found = judge.decide(intent, mode="ask", granted=("shell(git commit -m x)",))
    assert (found.outcome, found.outside) == ("allow", outside)


HOSTS = policy_of(
    """
network_rule("no.example", "https", "deny", "not there")
network_rule("may.example", "https", "prompt")
network_rule("yes.example", "https", "allow")
network_rule("socks.example", "socks5_tcp", "prompt")
""",
    "x.rules",
)
FETCHES = [
    ("https://no.example/", "", "full-auto", "deny"),
    ("http://no.example/", "", "full-auto", "allow"),
    ("https://may.example/", "", "full-auto", "ask"),
    ("https://yes.example/", "", "full-auto", "allow"),
    ("https://yes.example/", "", "ask", "ask"),
    ("https://other.example/", "", "full-auto", "allow"),
    ("https://socks.example:443/", "socks5_tcp", "full-auto", "ask"),
    ("https://socks.example/", "", "full-auto", "allow"),
]


def fetched(
    url: str,
    *,
    protocol: str = "",
    mode: Mode = "full-auto",
    policy: Policy = HOSTS,
    approval: ApprovalName | None = None,
    granted: Sequence[str] = (),
) -> Decision:
    chosen = Approval(name=approval) if approval else None
    policies = Policies(book=Book(policy), approval=chosen)
    judge = Rules([], Places(roots=(HERE,)), canonical, policies=policies)
    intent = Intent(tool="network", kind="fetch", url=url, protocol=protocol)
    return judge.decide(intent, mode=mode, granted=granted)


@every(("url", "protocol", "mode", "outcome"), FETCHES)
def test_rules_of_hosts_hold_in_every_mode(
    url: str, protocol: str, mode: Mode, outcome: str
) -> None:
    assert fetched(url, protocol=protocol, mode=mode).outcome == outcome


def test_a_host_is_refused_with_the_rule_that_forbids_it() -> None:
    found = fetched("https://no.example/")
    assert 'host="no.example", protocol="https", decision="deny"' in found.reason
    assert found.reason.endswith("not there")


def test_a_broken_file_asks_about_every_host() -> None:
    broken = HOSTS.joined(Policy(broken="a policy file is broken: x:1:1: wrong"))
    found = fetched("https://no.example/", policy=broken)
    assert (found.outcome, found.rules, found.wider, found.amendment) == ("ask", (), (), ())
    assert "x:1:1" in found.reason
    assert fetched("https://no.example/", policy=broken, approval="never").outcome == "deny"
    assert fetched("https://no.example/", policy=broken, granted=[found.grant]).outcome == "allow"
