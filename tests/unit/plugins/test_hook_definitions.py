"""Which hooks there are, which fit, and what several of them say together."""

from typing import Any

import msgspec
import pytest

from ouroboros.plugins.hooks.answers import Said
from ouroboros.plugins.hooks.definition import Definition, Group, definitions
from ouroboros.plugins.hooks.matching import matches, problem
from ouroboros.plugins.hooks.merging import Ran, merged
from ouroboros.plugins.hooks.moments import MOMENTS, moment_of
from ouroboros.plugins.hooks.naming import rewritten, told
from tests.cases import every


def read(table: Any) -> tuple[list[Definition], list[str]]:
    groups = msgspec.convert(table, dict[str, tuple[Group, ...]])
    return definitions(groups, "user", "config.toml")


@pytest.mark.proves("codex-13.3", "codex-13.4", "codex-13.7")
@every(
    ("matcher", "name", "fits"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Ba", "BashOutput", False),
        ("^Bash", "BashOutput", True),
        ("B.sh", "BashOutput", True),
        ("Bash|Edit", "Edit", True),
        ("bash", "Bash", False),
        ("mcp__.*", "mcp__files__read", True),
        ("Edit|", "Bash", False),
        ("(", "Bash", False),
        ("Ba.h$", "xBash", True),
    ],
)
def test_matchers(matcher: str, name: str, fits: bool):
    assert matches(matcher, [name]) is fits


def test_a_broken_pattern_is_told():
    assert problem("(") != ""
    assert problem("Bash|x") == problem("") == problem("^B") == ""
    _, warnings = read({"Stop": [{"matcher": "(", "hooks": []}]})
    assert "fits nothing" in warnings[0]


@pytest.mark.proves("Z06")
def test_names_of_all_designs_are_known():
    assert [moment_of(name) for name in MOMENTS] == list(MOMENTS)
    assert moment_of("beforeInbound") == "UserPromptSubmit"
    assert moment_of("beforeToolCall") == "PreToolUse"
    assert moment_of("before_outbound") == "Stop"
    assert moment_of("onSessionEnd") == "SessionEnd"
    assert moment_of("never") is None
    found, warnings = read({"never": [{"hooks": [{"type": "command", "command": "x"}]}]})
    assert (found, len(warnings)) == ([], 1)


def test_the_hash_covers_when_and_how_it_runs_but_not_where_it_stands():
    one = {"type": "command", "command": "x"}
    (first, second), _ = read({"Stop": [{"hooks": [one, one]}]})
    assert (first.hash == second.hash, first.key == second.key) == (True, False)
    for other in (
        {"Stop": [{"hooks": [{**one, "command": "y"}]}]},
        {"Stop": [{"hooks": [{**one, "timeout": 5}]}]},
        {"Stop": [{"hooks": [{**one, "async": True}]}]},
        {"Stop": [{"matcher": "a", "hooks": [one]}]},
        {"PreToolUse": [{"hooks": [one]}]},
        {"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]},
    ):
        ((found,), _) = read(other)
        assert found.hash != first.hash
    assert first.seconds == 600
    ((short,), _) = read({"Stop": [{"hooks": [{**one, "timeout": 0.1}]}]})
    assert short.seconds == 1


@every(
    "handler",
    [
        {"type": "command"},
        {"type": "command", "command": ""},
        {"type": "magic", "command": "x"},
        {"type": "command", "command": "x", "timeout": 0},
        {"type": "command", "command": "x", "matchr": "y"},
    ],
)
def test_a_handler_that_is_none_is_refused(handler: dict[str, Any]):
    with pytest.raises(msgspec.ValidationError):
        read({"Stop": [{"hooks": [handler]}]})


@pytest.mark.proves("codex-13.3", "codex-13.4", "codex-13.7", "E21")
def test_one_no_wins_the_last_change_counts_and_contexts_keep_their_order():
    yes, no = Said(allows=True), Said(status="blocked", reason="r")
    assert merged([Ran(said=yes), Ran(said=no)]).blocked == "r"
    assert not merged([Ran(said=yes), Ran(said=no)]).allows
    assert merged([Ran(said=yes), Ran(said=Said())]).allows
    late = Ran(said=Said(allows=True, updated="late", context="one"), order=2)
    early = Ran(said=Said(allows=True, updated="early", context="two"), order=1)
    found = merged([late, early])
    assert (found.updated, found.contexts) == ("late", ("one", "two"))
    failed = Said(status="failed", reason="x", allows=True, context="c")
    assert merged([Ran(said=failed)]).contexts == ()
    assert not merged([Ran(said=failed)]).allows
    assert not merged([Ran(said=yes), Ran(said=failed)]).allows


def test_calls_as_hooks_know_them():
    shell = told("shell", '{"command": "ls", "timeout": 5}')
    assert (shell.name, shell.names, shell.input) == ("Bash", ("Bash",), {"command": "ls"})
    assert told("exec_command", '{"cmd": "ls"}').input == {"command": "ls"}
    patch = told("apply_patch", '{"input": "*** Begin"}')
    assert (patch.name, patch.input) == ("apply_patch", {"command": "*** Begin"})
    assert {"Write", "Edit"} < set(patch.names)
    assert told("apply_patch", "*** Begin").input == {"command": "*** Begin"}
    other = told("mcp__x__y", '{"a": [1]}')
    assert (other.name, other.input) == ("mcp__x__y", {"a": [1]})


def test_what_a_hook_wants_instead_becomes_arguments():
    assert msgspec.json.decode(
        rewritten("shell", '{"command": "a", "timeout": 5}', {"command": "b"})
    ) == {"command": "b", "timeout": 5}
    assert msgspec.json.decode(rewritten("exec_command", '{"cmd": "a"}', {"command": "b"})) == {
        "cmd": "b"
    }
    assert msgspec.json.decode(rewritten("apply_patch", "x", {"command": "p"})) == {"input": "p"}
    assert msgspec.json.decode(rewritten("read", '{"path": "a"}', {"path": "b"})) == {"path": "b"}
    for tool, value in (("shell", "text"), ("shell", {"cmd": 1}), ("read", ["x"])):
        with pytest.raises(ValueError, match="updatedInput"):
            rewritten(tool, "{}", value)
