"""Policy files: what is understood, and where it says that something is not."""

import random
import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.policy import Policy, line, network_line
from ouroboros.safety.policy.reading import policy_of
from ouroboros.safety.policy.starlark import read
from tests.cases import every

EXAMPLE = '''
# Reads of git are fine.
READS = ["status", "log"] + ["diff",]

prefix_rule(
    pattern = ["git", READS],
    match = [["git", "status"], "git log --oneline"],
    not_match = ["git push", ["git"]],
)
prefix_rule(["git", "push"], "prompt", justification = """ask "first" """)
prefix_rule(
    pattern=("git", "push", ("--force", '-f')),  # a tuple will do
    decision=r'forbidden', justification=None,
)
host_executable(name = "git", paths = ["/opt/homebrew/bin/git", "/usr/bin/git"])
network_rule(host = "API.github.com.", protocol = "https", decision = "deny")
network_rule("docs.example.com:443", "https_connect", "allow")
'''


def said(policy: Policy, *commands: str) -> str | None:
    return policy.evaluate([tuple(shlex.split(command)) for command in commands]).decision


@pytest.mark.proves("E23", "codex-9.1")
def test_the_example_file_says_what_stands_in_it() -> None:
    policy = policy_of(EXAMPLE, "x.rules")

    assert said(policy, "git status") == said(policy, "git log -1") == "allow"
    assert said(policy, "git diff") == "allow"
    assert said(policy, "git push origin") == "prompt"
    assert said(policy, "git push --force") == said(policy, "git push -f x") == "forbidden"
    assert said(policy, "git commit") is said(policy, "ls") is None
    assert policy.evaluate([("git", "push")]).reason.endswith('requires approval: ask "first"')
    assert policy.rules[0].place == "x.rules:5:1"
    rules = [policy.host(name, "https") for name in ("api.github.com", "Docs.Example.com.")]
    assert [rule.decision for rule in rules if rule] == ["forbidden", "allow"]
    assert (
        policy.host("docs.example.com", "http")
        is policy.host("evil.docs.example.com", "https")
        is None
    )


STRINGS = [
    ('"a"', "a"),
    ("'a'", "a"),
    ('"""a\nb"""', "a\nb"),
    ("'''a\"b'''", 'a"b'),
    ('""', ""),
    (r'"\n\t\\\"\x41\u00e9\U0001F600\101"', '\n\t\\"A\u00e9\U0001f600A'),
    (r"r'\n'", r"\n"),
    (r'R"a\"b"', r"a\"b"),
    ('"a" + "b" + "c"', "abc"),
    ('("a")', "a"),
    ('"a\\\nb"', "ab"),
    ('"# no comment"', "# no comment"),
]


@every(("written", "meant"), STRINGS)
def test_strings_of_every_form(written: str, meant: str) -> None:
    assert read(f"f(x = {written})")[0].named == {"x": meant}


def test_values_of_every_kind() -> None:
    text = "A = 1; B = [A, 0x1f, 0o17, 0b11, 1.5, -2]\nC = (True, False, None, (), ('x',))\nf(B, C)"
    (call,) = read(text)

    assert call.values == ([1, 31, 15, 3, 1.5, -2], (True, False, None, (), ("x",)))


WRONG = [
    ('prefix_rule(pattern=["a"]', "1:26", "expected , or )"),
    ('prefix_rule(pattern=["a"],\n  decision="maybe")', "1:1", "decision is one of allow"),
    ("prefix_rule()", "1:1", "pattern is missing"),
    ("prefix_rule(pattern=[])", "1:1", "begins with the name"),
    ('prefix_rule(pattern=["", "x"])', "1:1", "begins with the name"),
    ('prefix_rule(pattern="git status")', "1:1", "is a list"),
    ('prefix_rule(pattern=["git", 3])', "1:1", "holds strings"),
    ('prefix_rule(pattern=["git", []])', "1:1", "holds strings"),
    ('prefix_rule(pattern=["git", ["a", ["b"]]])', "1:1", "holds strings"),
    ('prefix_rule(pattern=["a"], justification="  ")', "1:1", "is empty"),
    ('prefix_rule(pattern=["a"], match=["a \'b"])', "1:1", "open quote"),
    ('prefix_rule(pattern=["a"], match=[""])', "1:1", "holds commands"),
    ('prefix_rule(pattern=["a"], match=[[]])', "1:1", "holds commands"),
    ('prefix_rule(pattern=["a"], why="x")', "1:1", "no parameter"),
    ('prefix_rule(["a"], pattern=["a"])', "1:1", "given twice"),
    ('prefix_rule(decision="allow", decision="allow", pattern=["a"])', "1:31", "given twice"),
    ('prefix_rule(pattern=["a"], "allow")', "1:28", "after named ones"),
    ('prefix_rule(["a"], "allow", None, [], [], 6)', "1:1", "takes 5 values"),
    ('\n\n  prefix_rule(["a"])', "3:1", "beginning of its line"),
    ('prefix_rule(["a"]) prefix_rule(["b"])', "1:20", "one statement"),
    ("prefix_rule(pattern=[name])", "1:22", "not set above"),
    ('prefix_rule(pattern=["a" "b"])', "1:26", "expected , or ]"),
    ('prefix_rule(pattern=["a" + 1])', "1:22", "+ joins"),
    ('prefix_rule(pattern=["%s" % "a"])', "1:27", "not understood"),
    ('prefix_rule(pattern=[x for x in ["a"]])', "1:22", "not set above"),
    ('prefix_rule(pattern=["a"][0])', "1:26", "expected , or )"),
    ('prefix_rule(**{"pattern": ["a"]})', "1:13", "not understood"),
    ('prefix_rule(pattern={"a": 1})', "1:21", "not understood"),
    ('prefix_rule(pattern=["a".upper()])', "1:25", "not understood"),
    ('X = open("/etc/passwd")', "1:5", "not set above"),
    ('X = "a"\nX = "b"', "2:1", "set already"),
    ("True = False", "1:1", "not part of policy files"),
    ("def f()", "1:1", "not part of policy files"),
    ('load("//x", "y")', "1:1", "not part of policy files"),
    ("import os", "1:1", "not part of policy files"),
    ("prefix_rule", "1:1", "neither called nor set"),
    ('"a"', "1:1", "expected a call"),
    ('x = "abc', "1:5", "not closed"),
    ('x = "abc\n"', "1:5", "not closed"),
    ("x = '''abc", "1:5", "not closed"),
    (r'x = "\q"', "1:6", "no escape"),
    (r'x = "\x4"', "1:6", "no character"),
    (r'x = "\ud800"', "1:6", "no character"),
    (r'x = "\U00110000"', "1:6", "no character"),
    ("x = 08", "1:5", "no number"),
    ("x = 1e5", "1:5", "no number"),
    ("x = 1 == 1", "1:7", "not understood"),
    ("x = \x00", "1:5", "not understood"),
    ("x = \u200b1", "1:5", "not understood"),
    ("x = [", "1:6", "expected a value"),
    ("x = " + "[" * 60 + "]" * 60, "1:38", "too deeply"),
    ('exec("x")', "1:1", "no function 'exec'"),
    ('__import__("os")', "1:1", "no function"),
    ('host_executable(name="a/b", paths=["/a/b"])', "1:1", "without a folder"),
    ('host_executable(name="b", paths=["b"])', "1:1", "absolute"),
    ('host_executable(name="b", paths=["/a/../b"])', "1:1", "absolute"),
    ('host_executable(name="b", paths=["/a/c"])', "1:1", "end in b"),
    ('network_rule(host="*.x.y", protocol="https", decision="allow")', "1:1", "one host"),
    ('network_rule(host="https://x", protocol="https", decision="allow")', "1:1", "one host"),
    ('network_rule(host="x/y", protocol="https", decision="allow")', "1:1", "one host"),
    ('network_rule(host="", protocol="https", decision="allow")', "1:1", "one host"),
    ('network_rule(host="x:y", protocol="https", decision="allow")', "1:1", "one host"),
    ('network_rule(host="x", protocol="ftp", decision="allow")', "1:1", "protocol is one of"),
    ('network_rule(host="x", protocol="http")', "1:1", "decision is missing"),
    ('prefix_rule(pattern=["git", "pull"],\n match=["git push"])', "1:1", "`git push`"),
    ('prefix_rule(pattern=["git"],\n not_match=["git push"])', "1:1", "must not `git push`"),
]


@pytest.mark.proves("E23", "codex-9.2")
@every(("text", "place", "what"), WRONG)
def test_what_is_wrong_is_told_with_file_line_and_column(text: str, place: str, what: str) -> None:
    with pytest.raises(ConfigBroken) as broken:
        policy_of(text, "home/x.rules")

    assert broken.value.message.startswith(f"home/x.rules:{place}: ")
    assert what in broken.value.message


@pytest.mark.proves("codex-9.2")
def test_an_example_that_fails_names_the_rule_it_belongs_to() -> None:
    text = 'prefix_rule(["a"])\r\n\r\nprefix_rule(\r\n  ["b"],\r\n  match=["a"],\r\n)\r\n'

    with pytest.raises(ConfigBroken, match=r"^x:3:1: the rule does not match its example `a`$"):
        policy_of(text, "x")


def test_examples_know_the_paths_of_programs_wherever_these_stand() -> None:
    text = (
        'prefix_rule(["git"], match=["/usr/bin/git x"], not_match=["/tmp/git x"])\n'
        'host_executable("git", ["/usr/bin/git"])'
    )

    assert policy_of(text, "x").rules


@pytest.mark.deep
@pytest.mark.proves("E23")
def test_values_that_double_with_every_line_are_refused() -> None:
    lines = ['a0 = "xxxxxxxxxx"', *(f"a{n + 1} = a{n} + a{n}" for n in range(60))]
    for text in ("\n".join(lines), "\n".join(lines).replace('"xxxxxxxxxx"', '["x", "y"]')):
        with pytest.raises(ConfigBroken, match="too large"):
            policy_of(text, "x")


def place_of(text: str) -> str:
    """Where the reader found something wrong, empty where it did not."""
    try:
        policy_of(text, "x")
    except ConfigBroken as broken:
        return broken.message
    return ""


@pytest.mark.deep
@given(st.text())
def test_any_text_is_a_policy_or_wrong_at_some_place(text: str) -> None:
    assert re.fullmatch(r"(x:\d+:\d+: .+)?", place_of(text), re.DOTALL)


@given(st.integers(), st.integers(min_value=1, max_value=3))
def test_a_damaged_file_is_refused_or_still_a_policy(seed: int, times: int) -> None:
    chance = random.Random(seed)
    text = EXAMPLE
    for _ in range(times):
        at = chance.randrange(len(text))
        piece = chance.choice(["", "(", ")", '"', ",", "\n", "[", "x", "\\"])
        text = text[:at] + piece + text[at + 1 :]

    assert re.fullmatch(r"(x:\d+:\d+: .+)?", place_of(text), re.DOTALL)


@pytest.mark.deep
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1).map(tuple))
def test_a_line_that_was_added_reads_back_as_the_very_words(words: tuple[str, ...]) -> None:
    policy = policy_of(line(words), "x")

    assert policy.rules[0].pattern == tuple((word,) for word in words)
    assert "\n" not in line(words)


def test_a_line_for_a_host_reads_back() -> None:
    rule = policy_of(network_line("x.org", "https", "forbidden"), "x").network[0]

    assert (rule.host, rule.protocol, rule.decision) == ("x.org", "https", "forbidden")
