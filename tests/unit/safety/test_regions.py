"""Workspaces besides the session's own: each call is judged by the rules of where it lies."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.policy import Policy
from ouroboros.safety.policy.book import Book
from ouroboros.safety.policy.reading import policy_of
from ouroboros.safety.rules import Around, Decision, Intent, Policies, Rules, parse_rule
from ouroboros.safety.rules.regions import Region
from tests.cases import every

OWN, OTHER, THIRD = Path("/srv/own"), Path("/srv/other"), Path("/srv/third")
OPEN = Around(readable=(OTHER, THIRD), writable=(OTHER, THIRD))


def judged(
    intent: Intent,
    *regions: Region,
    mode: Mode = "ask",
    own: tuple[str, ...] = (),
    book: Policy | None = None,
) -> Decision:
    """``own`` are rules that the session's own project allows."""
    rules = Rules(
        [parse_rule("allow", each, "project") for each in own],
        Places(roots=(OWN,), home=Path("/srv/p/.ouroboros"), person=Path("/srv/p")),
        policies=Policies(book=Book(book)),
        regions=lambda: regions,
    )
    return rules.decide(intent, mode=mode, around=OPEN)


def written(*paths: Path) -> Intent:
    return Intent(tool="write", kind="write", paths=paths, spelled=paths)


def run(command: str, folder: Path | None = None) -> Intent:
    return Intent(tool="exec_command", kind="execute", command=command, folder=folder)


def other(*rules: tuple[str, str], mode: Mode = "full-auto", policy: str = "") -> Region:
    found = tuple(parse_rule(outcome, each, "project") for outcome, each in rules)
    return Region(
        root=OTHER, rules=found, mode=mode, policy=policy_of(policy, "x") if policy else None
    )


def test_a_deny_holds_where_it_stands_and_nowhere_else() -> None:
    region = other(("deny", "edit(kept/**)"))
    assert judged(written(OTHER / "kept/a"), region, mode="full-auto").outcome == "deny"
    assert judged(written(OTHER / "a"), region, mode="full-auto").outcome == "allow"
    assert judged(written(OWN / "kept/a"), region, mode="full-auto").outcome == "allow"
    assert judged(written(THIRD / "kept/a"), region, mode="full-auto").outcome == "allow"


def test_a_deny_holds_for_commands_that_name_its_files() -> None:
    region = other(("deny", "read(keys.txt)"), ("deny", "shell(npm publish:*)"))
    assert judged(run("cat keys.txt", OTHER), region).outcome == "deny"
    assert judged(run(f"cat {OTHER}/keys.txt"), region).outcome == "deny"
    assert judged(run("cat keys.txt"), region).outcome == "allow"
    assert judged(run("npm publish", OTHER), region, mode="full-auto").outcome == "deny"
    assert judged(run(f"cd {OTHER} && npm publish"), region, mode="full-auto").outcome == "deny"
    assert judged(run("npm publish"), region, mode="full-auto").outcome == "allow"


@pytest.mark.proves("Y06")
def test_what_hides_where_it_goes_may_be_about_any_of_them() -> None:
    region = other(("deny", "shell(npm publish:*)"))
    assert judged(run("$A publish"), region, mode="full-auto").outcome == "ask"
    assert judged(run("$A publish"), mode="full-auto").outcome == "allow"


@pytest.mark.proves("Y06")
@every("rule", ["shell(make:*)", "shell"])
def test_a_yes_holds_for_what_lies_there_alone(rule: str) -> None:
    region = other(("allow", rule))
    assert judged(run("make all", OTHER), region).outcome == "allow"
    assert judged(run("make all"), region).outcome == "ask"
    assert judged(run(f"make -f {OTHER}/m"), region).outcome == "ask"
    assert judged(run(f"make -C {OWN}", OTHER), region).outcome == "ask"
    assert judged(run(f"make {THIRD}/x", OTHER), region, Region(root=THIRD)).outcome == "ask"


def test_files_are_allowed_where_all_of_them_lie_there() -> None:
    region = other(("allow", "edit"))
    assert judged(written(OTHER / "a"), region).outcome == "allow"
    assert judged(written(OTHER / "a", OWN / "b"), region).outcome == "ask"
    assert judged(written(OTHER / ".git/config"), region).outcome == "ask"
    assert judged(written(), region).outcome == "ask"


@pytest.mark.proves("Y06")
def test_the_yes_of_the_own_project_is_none_elsewhere() -> None:
    """A stranger's Makefile is no business of what a project of the person's allows."""
    own = ("shell(make:*)",)
    assert judged(run("make"), Region(root=OTHER), own=own).outcome == "allow"
    assert judged(run("make", OTHER), Region(root=OTHER), own=own).outcome == "ask"
    assert judged(run(f"make -C {OTHER}"), Region(root=OTHER), own=own).outcome == "ask"


@pytest.mark.proves("Y06")
def test_the_stricter_mode_counts() -> None:
    outcomes: dict[Mode, str] = {"plan": "deny", "ask": "ask", "auto-edit": "allow"}
    for mode, outcome in outcomes.items():
        region = Region(root=OTHER, mode=mode)
        decision = judged(written(OTHER / "a"), region, mode="full-auto")
        assert decision.outcome == outcome
        assert decision.reason.endswith(f"(mode {mode} holds in {OTHER})") is (outcome != "allow")
        assert judged(written(OWN / "a"), region, mode="full-auto").outcome == "allow"
    mild = Region(root=OTHER, mode="full-auto")
    assert judged(run("make", OTHER), mild, mode="ask").outcome == "ask"
    assert judged(written(OTHER / "a"), mild, mode="plan").outcome == "deny"


@pytest.mark.proves("Y06")
def test_the_innermost_workspace_counts() -> None:
    inner = Region(root=OTHER / "sub", mode="plan")
    around = Region(root=OWN.parent, mode="plan")
    assert judged(written(OTHER / "sub/a"), other(), inner, mode="full-auto").outcome == "deny"
    assert judged(written(OTHER / "a"), other(), inner, mode="full-auto").outcome == "allow"
    assert judged(written(OWN / "a"), around, mode="full-auto").outcome == "allow"


@pytest.mark.proves("Y06")
def test_policy_files_count_where_they_stand() -> None:
    forbids = 'prefix_rule(pattern=["make"], decision="forbidden")'
    allows = 'prefix_rule(pattern=["make"], decision="allow")'
    region = other(policy=forbids)
    assert judged(run("make", OTHER), region, mode="full-auto").outcome == "deny"
    assert judged(run("make"), region, mode="full-auto").outcome == "allow"
    own = policy_of(allows, "y")
    assert judged(run("make"), region, book=own).outcome == "allow"
    assert judged(run("make", OTHER), other(policy=allows), book=None).outcome == "allow"
    assert judged(run("make", OTHER), other(policy="# none\n"), book=own).outcome == "ask"


@pytest.mark.proves("Y06")
def test_a_search_from_above_leaves_out_what_is_denied() -> None:
    rules = Rules(
        [],
        Places(roots=(OWN,)),
        regions=lambda: (other(("deny", "read(keys.txt)")),),
    )
    assert rules.hides(OTHER / "keys.txt", within=(OTHER.parent,))
    assert not rules.hides(OWN / "keys.txt", within=(OTHER.parent,))


@pytest.mark.proves("permissions-visited-repositories")
def test_a_wish_for_what_another_workspace_denies_is_refused_there_alone() -> None:
    region = other(("deny", "read(keys.txt)"), ("deny", "edit(kept/**)"))
    rules = Rules(
        [], Places(roots=(OWN,), home=Path("/srv/p/.ouroboros")), regions=lambda: (region,)
    )
    assert "read(keys.txt)" in rules.denial("read", OTHER / "keys.txt")
    assert "edit(kept/**)" in rules.denial("write", OTHER / "kept/a")
    assert rules.denial("write", OTHER / "a") == ""
    assert rules.denial("read", OWN / "keys.txt") == ""
