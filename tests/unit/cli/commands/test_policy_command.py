"""`ouro policy`."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.commands.calling import Ouro

RULES = """
prefix_rule(["git", ["push", "pull"]], "prompt", justification="ask first")
prefix_rule(["git", "push", "--force"], "forbidden")
host_executable("git", ["/usr/bin/git"])
"""


def asked(ouro: Ouro, *words: str) -> dict[str, object]:
    code, out, _ = ouro("policy", "check", *words)
    assert code == 0
    return json.loads(out)


@pytest.mark.proves("E23", "codex-9.1")
def test_check_prints_what_codex_prints(ouro: Ouro, tmp_path: Path) -> None:
    file = tmp_path / "x.rules"
    file.write_text(RULES, encoding="utf-8")
    given = ("--rules", str(file))

    assert asked(ouro, *given, "git", "push", "--force", "-v") == {
        "matchedRules": [
            {
                "prefixRuleMatch": {
                    "matchedPrefix": ["git", "push"],
                    "decision": "prompt",
                    "justification": "ask first",
                }
            },
            {
                "prefixRuleMatch": {
                    "matchedPrefix": ["git", "push", "--force"],
                    "decision": "forbidden",
                }
            },
        ],
        "decision": "forbidden",
    }
    assert asked(ouro, *given, "ls", "--help") == {"matchedRules": []}
    assert asked(ouro, *given, "/usr/bin/git", "pull") == {"matchedRules": []}
    assert asked(ouro, *given, "--resolve-host-executables", "/usr/bin/git", "pull") == {
        "matchedRules": [
            {
                "prefixRuleMatch": {
                    "matchedPrefix": ["git", "pull"],
                    "decision": "prompt",
                    "resolvedProgram": "/usr/bin/git",
                    "justification": "ask first",
                }
            }
        ],
        "decision": "prompt",
    }
    elsewhere = asked(ouro, *given, "--resolve-host-executables", "/opt/git", "pull")
    assert elsewhere == {"matchedRules": []}


def test_several_files_count_together_and_pretty_is_the_same(ouro: Ouro, tmp_path: Path) -> None:
    first, second = tmp_path / "a.rules", tmp_path / "b.rules"
    first.write_text('prefix_rule(["ls"])', encoding="utf-8")
    second.write_text('prefix_rule(["ls", "-l"], "prompt")', encoding="utf-8")

    code, out, _ = ouro(
        "policy", "check", "-r", str(first), "-r", str(second), "--pretty", "ls", "-l"
    )

    assert code == 0
    assert json.loads(out)["decision"] == "prompt"
    assert out.startswith('{\n  "matchedRules": [\n')


def test_without_files_those_that_hold_here_are_asked(ouro: Ouro, home: Path) -> None:
    (home / "rules").mkdir(parents=True)
    (home / "rules" / "x.rules").write_text(RULES, encoding="utf-8")

    assert asked(ouro, "git", "pull")["decision"] == "prompt"


def test_a_broken_or_missing_file_ends_with_2_and_names_the_place(
    ouro: Ouro, tmp_path: Path
) -> None:
    file = tmp_path / "x.rules"
    file.write_text('prefix_rule(["a"], match=["b"])', encoding="utf-8")

    code, out, err = ouro("policy", "check", "--rules", str(file), "a")
    assert (code, out) == (2, "")
    assert f"{file}:1:1: the rule does not match its example `b`" in err
    assert ouro("policy", "check", "--rules", str(tmp_path / "no"), "a")[0] == 2
    assert ouro("policy", "check", "--rules", str(file))[0] == 2


def test_list_shows_every_rule_and_its_place(ouro: Ouro, home: Path) -> None:
    (home / "rules").mkdir(parents=True)
    file = home / "rules" / "x.rules"
    file.write_text(RULES, encoding="utf-8")

    code, out, _ = ouro("policy", "list", "--json")
    assert code == 0
    assert [(each["decision"], each["about"], each["place"]) for each in json.loads(out)] == [
        ("prompt", "git push|pull", f"{file}:2:1"),
        ("forbidden", "git push --force", f"{file}:3:1"),
    ]
    assert "prompt\tgit push|pull" in ouro("policy", "list")[1]

    file.write_text("prefix_rule(", encoding="utf-8")
    code, out, err = ouro("policy", "list")
    assert (code, out) == (2, "")
    assert f"{file}:1:13" in err


@pytest.mark.real
def test_an_approval_policy_is_chosen_by_an_option_of_its_name(ouro: Ouro, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(
        '{"tool_calls": [{"name": "shell", "arguments": {"command": "rm -rf a"}}]}\n'
        '{"text": "done"}\n',
        encoding="utf-8",
    )
    words = ("run", "--non-interactive", "--model", f"script:{script}")

    # Refused without a question, and with one that nobody is there to answer.
    assert ouro(*words, "--ask-for-approval", "never", "Go")[0] == 0
    assert ouro(*words, "--ask-for-approval", "on-request", "--strict-approvals", "Go")[0] == 4
    code, _, err = ouro(*words, "--ask-for-approval", "always", "Go")
    assert code == 2
    assert "'untrusted', 'on-failure', 'on-request', 'never', 'granular'" in err


def test_without_rules_the_list_says_where_they_would_be(ouro: Ouro) -> None:
    code, out, err = ouro("policy", "list")
    assert (code, out) == (0, "")
    assert "no rules" in err
    assert "rules/*.rules" in err
    assert json.loads(ouro("policy", "list", "--json").out) == []
