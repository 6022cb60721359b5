"""Rules over the parts of a command: the strictest wins, and a name vouches for no path."""

import anyio
import pytest

from ouroboros.core.errors import StoreFailed
from ouroboros.safety.policy import Policy, PrefixRule, amended
from ouroboros.safety.policy.amendments import BANNED, Judged, proposed
from ouroboros.safety.policy.book import Book
from ouroboros.safety.policy.reading import policy_of
from ouroboros.safety.policy.values import Words
from tests.cases import every

TEXT = """
prefix_rule(["ls"])
prefix_rule(["git", "pull"])
prefix_rule(["git"], "prompt", "git asks")
prefix_rule(["rm"], "forbidden", "use the bin")
prefix_rule(["rm", "-rf", "/"], "forbidden")
"""
POLICY = policy_of(TEXT, "x")


def judged(*parts: str, also: tuple[str, ...] = ()) -> tuple[str | None, bool, str]:
    words = [tuple(part.split()) for part in parts]
    found = POLICY.evaluate(words, also=[tuple(each.split()) for each in also])
    return found.decision, found.covers, found.reason


@pytest.mark.proves("E23")
def test_the_strictest_of_all_rules_over_all_parts_wins() -> None:
    assert judged("ls -l") == ("allow", True, "")
    assert judged("git pull")[0] == "prompt"
    assert judged("ls", "rm x") == ("forbidden", False, "`ls && rm x` rejected: use the bin")
    assert judged("ls", "cat x") == ("allow", False, "")
    assert judged("cat x") == (None, False, "")


def test_the_reason_is_that_of_the_most_specific_rule() -> None:
    assert judged("rm x")[2] == "`rm x` rejected: use the bin"
    wide = judged("rm -rf /")[2]
    assert wide == "`rm -rf /` rejected: policy forbids commands starting with `rm -rf /`"


def test_a_pattern_is_a_prefix_of_whole_words() -> None:
    assert judged("lsof")[0] is None
    assert Policy([PrefixRule(pattern=(("a",), ("b",)))]).evaluate([("a",)]).decision is None


@pytest.mark.proves("divergences-rules-that-ask-or-forbid")
def test_a_hidden_command_can_only_make_it_stricter() -> None:
    assert judged("env ls", also=("ls",)) == (None, False, "")
    assert judged("sudo rm x", also=("rm x",))[0] == "forbidden"


PATHS = [
    ("/usr/bin/ls", "allow"),
    ("/bin/ls", "allow"),
    ("/tmp/ls", None),
    ("/usr/bin/../../tmp/ls", None),
    ("/tmp/link/../../usr/bin/ls", None),
    ("/usr/bin/../bin/rm", "forbidden"),
    ("./ls", None),
    ("bin/ls", None),
    ("/", None),
    ("/tmp/rm", "forbidden"),
    ("/usr/bin/rm", "forbidden"),
]


@pytest.mark.proves("divergences-allow-by-a-programs-name")
@every(("program", "decision"), PATHS)
def test_an_allow_by_name_counts_only_in_folders_of_the_system(
    program: str, decision: str | None
) -> None:
    assert POLICY.evaluate([(program, "x")]).decision == decision


@pytest.mark.proves("divergences-allow-by-a-programs-name")
def test_a_listed_path_is_the_only_one_that_counts_as_the_name() -> None:
    policy = policy_of('prefix_rule(["ls"])\nhost_executable("ls", ["/opt/ls"])', "x")

    assert policy.evaluate([("/opt/ls",)]).decision == "allow"
    assert policy.evaluate([("/usr/bin/ls",)]).decision is None
    assert policy.evaluate([("ls",)]).decision == "allow"


def test_a_rule_that_names_the_path_comes_before_rules_of_the_name() -> None:
    policy = policy_of('prefix_rule(["/usr/bin/ls"], "forbidden")\nprefix_rule(["ls"])', "x")

    assert policy.evaluate([("/usr/bin/ls",)]).decision == "forbidden"
    assert policy.evaluate([("/bin/ls",)]).decision == "allow"


@pytest.mark.proves("E23")
def test_a_broken_file_lets_nothing_through_and_says_why() -> None:
    policy = POLICY.joined(Policy(broken="x:1:1: wrong"))
    found = policy.evaluate([("ls",)])
    host = policy.host("x.org", "https")

    assert (found.decision, found.covers, found.reason) == ("prompt", False, "x:1:1: wrong")
    assert Policy(broken="x:1:1: wrong").joined(POLICY).evaluate([("ls",)]) == found
    assert host is not None
    assert host.decision == "prompt"


HOSTS = """
network_rule("a.org", "https", "allow")
network_rule("a.org", "https", "prompt", "first")
network_rule("a.org", "https", "prompt", "second")
network_rule("b.org", "https", "deny")
network_rule("b.org", "https", "allow")
"""


def test_of_the_rules_for_a_host_the_strictest_counts_the_latest_of_several() -> None:
    policy = policy_of(HOSTS, "x")
    found = policy.host("A.org.", "https")
    assert found is not None
    assert (found.decision, found.justification) == ("prompt", "second")
    denied = policy.host("b.org", "https")
    assert denied is not None
    assert denied.decision == "forbidden"
    assert policy.host("a.org", "http") is None


def asked(*parts: str, dangerous: bool = False) -> list[Judged]:
    return [
        Judged(words=tuple(part.split()), decision="prompt", is_dangerous=dangerous)
        for part in parts
    ]


def offered(parts: list[Judged], *, wanted: str = "", policy: Policy = POLICY) -> Words:
    found = policy.evaluate([part.words for part in parts])
    return proposed(parts, policy, found, wanted=tuple(wanted.split()))


def test_a_yes_may_remember_the_first_part_that_asked() -> None:
    assert offered(asked("npm test", "make")) == ("npm", "test")
    done = Judged(words=("ls",), decision="allow", is_matched=True)
    assert offered([done, *asked("npm test")]) == ("npm", "test")


def test_nothing_is_remembered_where_a_rule_asked_or_harm_is_feared() -> None:
    assert offered(asked("git pull")) == ()
    assert offered(asked("shred disk", dangerous=True)) == ()
    assert offered(asked("npm test"), policy=Policy(broken="x")) == ()


def test_what_the_model_proposes_counts_if_it_lets_the_whole_through() -> None:
    assert offered(asked("npm test"), wanted="npm") == ("npm",)
    assert offered(asked("npm test", "make"), wanted="npm") == ("npm", "test")
    assert offered(asked("python3 x.py"), wanted="python3") == ("python3", "x.py")
    assert offered(asked("python3")) == ()


@pytest.mark.proves("codex-9.5")
@every("banned", sorted(BANNED))
def test_a_prefix_that_lets_anything_through_is_never_proposed(banned: Words) -> None:
    part = Judged(words=(*banned, "x"), decision="prompt")

    assert proposed([part], Policy(), Policy().evaluate([]), wanted=banned) == (*banned, "x")


def test_a_rule_is_added_in_memory_once() -> None:
    policy = amended(amended(POLICY, ("git", "pull")), ("npm",))

    assert len(policy.rules) == len(POLICY.rules) + 1
    assert policy.evaluate([("npm", "x")]).covers


async def test_a_yes_for_good_is_written_and_holds_at_once() -> None:
    kept: list[str] = []
    book = Book(POLICY, kept.append)

    await book.allow(("npm", "test"))
    await book.allow(("python3",))
    await book.decide_host("X.org", "https", "allow")

    assert kept == [
        'prefix_rule(pattern=["npm", "test"], decision="allow")',
        'network_rule(host="x.org", protocol="https", decision="allow")',
    ]
    assert book.policy.evaluate([("npm", "test")]).covers
    assert not book.policy.evaluate([("python3", "x")]).covers
    assert book.policy.host("x.org", "https") is not None


async def test_what_could_not_be_written_does_not_hold() -> None:
    def full(_: str) -> None:
        raise StoreFailed("no room")

    book = Book(POLICY, full)
    with pytest.raises(StoreFailed), anyio.fail_after(60):
        await book.allow(("npm",))

    assert book.policy is POLICY
