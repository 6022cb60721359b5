"""`ouro explain`."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.commands.calling import Ended, Ouro

pytestmark = pytest.mark.real

type Told = Callable[..., tuple[Ended, list[dict[str, Any]]]]
"""Asks about a subject, a line for each object; gives back how it ended and the answers."""


class Standard:
    """A standard input that holds these bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.fixture
def told(ouro: Ouro, monkeypatch: pytest.MonkeyPatch) -> Told:
    def run(subject: str, *lines: object) -> tuple[Ended, list[dict[str, Any]]]:
        written = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        monkeypatch.setattr(sys, "stdin", Standard(b"\n".join(written) + b"\n"))
        ended = ouro("explain", subject, "--jsonl")
        return ended, [json.loads(line) for line in ended.out.splitlines()]

    return run


@pytest.mark.proves("permissions-explain")
def test_a_command_is_explained_to_a_person(ouro: Ouro) -> None:
    ended = ouro("explain", "command", "cat README.md")
    assert ended.code == 0
    first, last = ended.out.splitlines()
    assert first == "safe: it only reads, in places that may be read (safe.read)"
    assert last.startswith("here: ")
    said = ouro("explain", "command", "git push --force").out
    assert "dangerous: " in said
    assert "(danger.history)" in said
    assert "may send: " in said
    assert "publishes: " in said


@pytest.mark.proves("permissions-explain")
def test_what_nobody_can_read_is_not_said_to_send(ouro: Ouro) -> None:
    said = ouro("explain", "command", "cat > a <<E\none \\\ntwo\nE").out
    assert "may send: nobody can see all that it runs" in said
    assert "data could leave" not in said
    assert "may send" not in ouro("explain", "command", "cat > a <<'E'\none\nE").out


@pytest.mark.proves("permissions-explain")
def test_the_rules_of_the_settings_are_told(ouro: Ouro, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[permissions]\ndeny = ["Bash(curl:*)"]\n', encoding="utf-8")
    ended = ouro("explain", "command", "curl http://x", "--json")
    answer = json.loads(ended.out)
    assert (answer["class"], answer["sends"]) == ("approve", True)
    assert (answer["decision"], answer["decided_by"]) == ("deny", "Bash(curl:*)")


def test_the_path_that_commands_get_is_looked_at(
    ouro: Ouro, told: Told, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "cat").write_text("#!/bin/sh\n", encoding="utf-8")
    (project / "cat").chmod(0o755)
    monkeypatch.setenv("PATH", f"{project}:/usr/bin:/bin")
    answer = json.loads(ouro("explain", "command", "cat x", "--json").out)
    assert (answer["class"], answer["decision"]) == ("safe", "ask")
    assert str(project / "cat") in answer["why"]
    [line] = told("command", {"command": "cat x", "cwd": str(project)})[1]
    assert line["class"] == "safe"


def test_a_git_read_shows_what_would_run(ouro: Ouro, project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    answer = json.loads(ouro("explain", "command", "git log", "--json").out)
    assert answer["class"] == "safe"
    assert answer["hardened"].startswith("env -u GIT_DIR ")
    assert "git log" not in answer["hardened"]
    assert answer["hardened"].endswith(" log --no-ext-diff --no-textconv --ignore-submodules=dirty")


@pytest.mark.proves("permissions-explain")
def test_lines_of_commands_get_a_line_each(told: Told, tmp_path: Path) -> None:
    ended, answers = told(
        "command",
        {"command": "git status", "cwd": str(tmp_path), "shell": "bash"},
        {"command": "rm -rf /", "cwd": "/"},
        {"command": "npm test"},
        {"command": "ls", "shell": "powershell"},
        b"",
        {"command": "cat x", "cwd": "/nowhere/at/all", "more": 1},
    )
    assert ended.code == 0
    assert [set(answer) for answer in answers] == [{"class", "reason", "rule"}] * 5
    classes = [answer["class"] for answer in answers]
    assert classes == ["safe", "dangerous", "approve", "approve", "safe"]


@pytest.mark.proves("permissions-explain")
def test_a_broken_line_is_answered_and_the_rest_goes_on(told: Told) -> None:
    ended, answers = told(
        "command",
        b"{nonsense",
        b"\xff\xfe",
        [],
        {"cwd": "/"},
        {"command": 1},
        {"command": "ls", "cwd": "/a\0b"},
        {"command": "ls"},
    )
    assert ended.code == 1
    assert [list(answer) for answer in answers[:5]] == [["error"]] * 5
    assert answers[-1]["class"] == "safe"
    assert len(answers) == 7


@pytest.mark.proves("permissions-explain")
def test_lines_of_addresses_get_a_line_each(told: Told) -> None:
    ended, answers = told(
        "url",
        {"url": "https://example.com/"},
        {"url": "http://2130706433/"},
        {"url": "https://example.com", "resolves_to": ["10.0.0.1"]},
        {"url": "https://example.com", "resolves_to": "10.0.0.1"},
        {"url": "https://a.example", "redirect_chain": ["http://169.254.169.254/"]},
        {"url": "https://a.example", "allow_list": ["b.example"]},
        {"url": 1},
    )
    assert ended.code == 1
    decisions = [answer.get("decision") for answer in answers]
    assert decisions[:2] == ["allow", "deny"]
    assert decisions[2:5] == ["deny", "deny", "deny"]
    assert decisions[5] in {"ask", "deny"}
    assert "error" in answers[6]


@pytest.mark.proves("permissions-explain")
def test_lines_of_paths_get_a_line_each(told: Told, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    ended, answers = told(
        "path",
        {"root": str(tmp_path), "op": "read", "path": "a/b.txt"},
        {"root": str(tmp_path), "op": "read", "path": "../x"},
        {"root": str(tmp_path), "op": "write", "path": "out/x"},
        {"root": str(tmp_path), "path": "x"},
    )
    assert ended.code == 1
    assert answers[0]["decision"] == "allow"
    assert answers[0]["resolved"] == str(tmp_path / "a/b.txt")
    assert answers[1]["decision"] != "allow"
    assert answers[2]["decision"] != "allow"
    assert "error" in answers[3]


def test_one_path_and_one_address_are_explained(ouro: Ouro) -> None:
    assert ouro("explain", "path", "README.md").out.startswith("allow (")
    assert ouro("explain", "url", "http://127.1/").out.startswith("deny: ")
    assert (
        json.loads(ouro("explain", "url", "https://example.com", "--json").out)["decision"]
        == "allow"
    )


@pytest.mark.parametrize("subject", ["command", "path", "url"])
def test_nothing_to_explain_is_a_misuse(ouro: Ouro, subject: str) -> None:
    assert ouro("explain", subject).code == 2
    assert ouro("explain", subject, "x", "--jsonl").code == 2


def test_a_decision_without_a_reason_is_only_that(ouro: Ouro, project: Path) -> None:
    (project / "a.py").write_text("")
    assert ouro("explain", "path", "--root", str(project), "a.py").out.startswith("allow (")
    first, here = ouro("explain", "url", "https://example.com/").out.splitlines()
    assert first == "allow"
    assert here.startswith("here: ask, by mode ask: https://example.com was not asked for")
    first, here = ouro("explain", "url", "http://127.1/").out.splitlines()
    assert first == "deny: 127.0.0.1 is this machine"
    assert here.startswith("here: deny, by [web]: ")


@pytest.mark.proves("E12")
def test_what_a_session_would_do_with_a_path_is_told(ouro: Ouro, home: Path, project: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[permissions]\ndeny = ["Read(*.pem)"]\n', encoding="utf-8")
    root = ("--root", str(project))
    assert "here: ask, by mode ask: " in ouro("explain", "path", *root, ".env").out
    assert "here: deny, by Read(*.pem): " in ouro("explain", "path", *root, "a.pem").out
    assert "here: allow, by mode ask" in ouro("explain", "path", *root, "a.py").out
    told = json.loads(ouro("explain", "path", *root, "--op", "write", "a.py", "--json").out)
    assert (told["decision"], told["here"]["decision"]) == ("allow", "ask")
    assert "here" not in ouro("explain", "path", *root, "--op", "upload", "a.py").out


@pytest.mark.proves("E12", "divergences-an-allow-rule-of-the")
def test_where_a_command_would_run_is_told(ouro: Ouro, home: Path) -> None:
    (home / "rules").mkdir(parents=True)
    (home / "rules" / "a.rules").write_text('prefix_rule(["make"])\n', encoding="utf-8")
    (home / "config.toml").write_text('[permissions]\nallow = ["Bash(touch:*)"]\n', "utf-8")
    said = ouro("explain", "command", "make").out.splitlines()[-1]
    assert said == "here: allow, by policy file; it runs outside of the sandbox"
    said = ouro("explain", "command", "touch a").out.splitlines()[-1]
    assert said == "here: allow, by Bash(touch:*); it runs in the sandbox"
