from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Intent, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every

HOME = Path("/home/me/.ouroboros")
KEYS = HOME / "keys.toml"


def outcome(
    path: Path,
    *rules: tuple[str, str],
    root: str = "/home/me",
    tool: str = "read",
    mode: Mode = "full-auto",
    granted: tuple[str, ...] = (),
) -> str:
    places = Places(roots=(Path(root),), readable=(HOME / "blobs",), home=HOME)
    made = Rules([parse_rule(*rule) for rule in rules], places, canonical)
    return made.decide(
        Intent(tool=tool, kind="read", paths=(path,)), mode=mode, granted=granted
    ).outcome


@every("root", ["/home/me", "/", "/home/me/.ouroboros", "/ws"])
def test_keys_are_asked_for_also_when_the_workspace_is_around_them(root: str):
    assert outcome(KEYS, root=root) == "ask"
    assert outcome(HOME / "blobs/ab", root=root) == "allow"


def test_a_work_tree_inside_the_home_is_no_secret():
    assert outcome(HOME / "trees/one/a.py", root=str(HOME / "trees/one")) == "allow"


@pytest.mark.proves("F08")
@every(
    ("rule", "path", "said"),
    [
        ("Read", KEYS, "ask"),
        ("*", KEYS, "ask"),
        ("Read(/**)", KEYS, "ask"),
        ("Read(//home/**)", KEYS, "ask"),
        ("Read(//home/me/.ouroboros/**)", KEYS, "allow"),
        ("Read", Path("/proc/self/environ"), "ask"),
        ("Read(//proc/self/environ)", Path("/proc/self/environ"), "allow"),
        ("Read", Path("/etc/passwd"), "allow"),
    ],
)
def test_a_broad_allow_does_not_open_keys(rule: str, path: Path, said: str):
    assert outcome(path, ("allow", rule), mode="ask") == said


def test_an_allow_of_everything_below_the_root_means_the_workspace():
    assert outcome(Path("/etc/passwd"), ("allow", "Read(/**)"), root="/ws", mode="ask") == "ask"
    assert outcome(Path("/etc/passwd"), ("deny", "Read(/**)"), root="/ws") == "deny"


@every(
    ("grant", "tool", "path", "said"),
    [
        ("ls(//etc)", "ls", "/etc", "allow"),
        ("ls(//etc)", "read", "/etc/shadow", "ask"),
        ("ls(//etc)", "ls", "/etc/ssl", "ask"),
        ("ls(//etc)", "grep", "/etc", "ask"),
        ("read(//etc/hosts)", "read", "/etc/hosts", "allow"),
        ("read(//etc/hosts)", "read", "/etc/hosts/x", "ask"),
        ("grep(//etc)", "grep", "/etc/ssl", "allow"),
        ("grep(//etc)", "read", "/etc/hosts", "allow"),
        ("grep(//home)", "read", str(KEYS), "ask"),
        ("read(//home/me/.ouroboros/keys.toml)", "read", str(KEYS), "allow"),
    ],
)
def test_a_remembered_yes_to_a_path_is_not_one_to_what_lies_below(
    grant: str, tool: str, path: str, said: str
):
    assert outcome(Path(path), root="/ws", tool=tool, mode="ask", granted=(grant,)) == said


@pytest.mark.proves("E08")
def test_a_deny_sees_through_dots_in_the_spelling():
    places = Places(roots=(Path("/ws"),))
    rules = Rules([parse_rule("deny", "Read(/link)")], places, canonical)
    intent = Intent(
        tool="read", kind="read", paths=(Path("/ws/real"),), spelled=(Path("/ws/a/../link"),)
    )
    assert rules.decide(intent, mode="full-auto").outcome == "deny"


def test_searches_leave_keys_out_unless_they_were_asked_for():
    rules = Rules([], Places(roots=(Path("/home/me"),), home=HOME), canonical)
    assert rules.hides(KEYS, within=(Path("/home/me"),))
    assert not rules.hides(KEYS, within=(HOME,))
    assert not rules.hides(Path("/home/me/a"))
