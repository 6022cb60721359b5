"""Permission rules of ``permissions.json`` and of Claude Code's files: limits hold at once, the rest after trust."""

import json
from pathlib import Path

import pytest

from ouroboros.app.config import layers as config
from ouroboros.app.config import trust
from ouroboros.app.config.rule_names import MOST_RULES
from ouroboros.app.config.visited import settings_of
from ouroboros.app.permission.listing import lines
from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Intent, Rules
from ouroboros.tools.registry import canonical
from tests.cases import every

SETTINGS, LOCAL = ".claude/settings.json", ".claude/settings.local.json"
FILES = ("permissions.json", ".ouroboros/permissions.json", SETTINGS, LOCAL)


def project(root: Path, **files: object) -> Path:
    """A repository with these files, ``_`` for a slash."""
    work = root / "work"
    (work / ".git").mkdir(parents=True, exist_ok=True)
    (root / "home").mkdir(exist_ok=True)
    for name, block in files.items():
        write(work / name.replace("__", "/"), block)
    return work


def write(path: Path, block: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = block if isinstance(block, str) else json.dumps({"permissions": block, "model": "opus"})
    path.write_text(text, "utf-8")


def load(work: Path, cwd: Path | None = None, **flags: object) -> config.Loaded:
    root = work.parent
    variables = {"OUROBOROS_HOME": str(root / "home"), "HOME": str(root / "person")}
    return config.load(cwd or work, variables, flags, managed=root / "managed.toml")


def trusted(work: Path) -> None:
    home = work.parent / "home"
    trust.grant(home, trust.read(work, home))


def outcome(found: config.Loaded, work: Path, wish: Intent, mode: Mode = "ask") -> str:
    places = Places(roots=(work,), person=work.parent / "person", home=found.home).resolved()
    return Rules(found.rules, places, canonical).decide(wish, mode=mode).outcome


def runs(command: str, work: Path) -> Intent:
    return Intent(tool="shell", kind="execute", command=command, folder=work)


def touches(tool: str, path: Path) -> Intent:
    kind = "read" if tool in {"read", "grep", "find", "ls"} else "write"
    return Intent(tool=tool, kind=kind, paths=(path,), spelled=(path,))


@pytest.mark.proves("E29")
@every("name", FILES)
def test_what_such_a_file_denies_holds_before_trust_and_what_it_allows_after(
    tmp_path: Path, name: str
) -> None:
    work = project(tmp_path)
    block = {"allow": ["Bash(make test)"], "deny": ["Bash(terraform:*)"], "ask": ["Bash(ls:*)"]}
    write(work / name, block)
    before = load(work)
    assert [outcome(before, work, runs(each, work), "full-auto") for each in COMMANDS] == [
        "allow",
        "deny",
        "ask",
    ]
    assert outcome(before, work, runs("make test", work)) == "ask"
    assert [each for each in before.warnings if name in each] == [
        f"{work}: not trusted, so not used: {name}; `ouro trust` to use it "
        "(what its permission files deny or ask about holds already)"
    ]

    trusted(work)
    after = load(work)
    assert outcome(after, work, runs("make test", work)) == "allow"
    assert [outcome(after, work, runs(each, work), "full-auto") for each in COMMANDS[1:]] == [
        "deny",
        "ask",
    ]
    assert "lets more happen unasked" in next(each for each in after.warnings if name in each)

    write(work / name, {"allow": ["Bash(make test)", "Bash(curl:*)"], "deny": []})
    changed = load(work)
    assert outcome(changed, work, runs("make test", work)) == "ask"
    assert outcome(changed, work, runs("curl x.example", work)) == "ask"
    assert f"changed since you trusted it ({name})" in "\n".join(changed.warnings)


COMMANDS = ("make test", "terraform apply", "ls -l")


@pytest.mark.proves("E29")
def test_a_file_that_only_limits_needs_no_trust_and_other_settings_of_it_need_none(
    tmp_path: Path,
) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"deny": ["Read(./.env)"], "ask": ["Bash(git push:*)"]})
    assert load(work).warnings == ()
    assert (
        trust.standing(tmp_path / "home", trust.read(work, tmp_path / "home")).verdict == "nothing"
    )
    write(work / SETTINGS, {"allow": ["Bash(make)"]})
    trusted(work)
    text = (work / SETTINGS).read_text("utf-8").replace("opus", "sonnet")
    (work / SETTINGS).write_text(f"{text}\n", "utf-8")
    assert outcome(load(work), work, runs("make", work)) == "allow"


LIMITED = [
    # rule, what is limited by it, what is not
    ("Bash(npm run test:*)", "npm run test -- a", "npm run build"),
    ("Bash(npm run test *)", "npm run test", "npm run tests"),
    ("Bash(git * main)", "git push origin main", "git push origin dev"),
    ("Bash(* install)", "brew install", "brew list"),
    ("Bash(docker*)", "docker-compose up", "podman up"),
    ("Bash(git push *)", "cd a && git -C b push", "git log"),
    ("Bash(rm -rf *)", "timeout 3 rm -rf x", "rm x"),
    ("Bash", "true", None),
    ("Bash(*)", "true", None),
    ("B*", "true", None),
    ("*", "true", None),
    ({"toolName": "Bash", "ruleContent": "make:*"}, "make x", "cmake x"),
]


@pytest.mark.proves("E29")
@every(("rule", "limited", "free"), LIMITED)
def test_commands_that_claude_codes_rules_limit(
    tmp_path: Path, rule: object, limited: str, free: str | None
) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"deny": [rule]})
    found = load(work)
    assert found.warnings == ()
    assert outcome(found, work, runs(limited, work), "full-auto") == "deny"
    if free is not None:
        assert outcome(found, work, runs(free, work), "full-auto") != "deny"


PATHS = [
    # rule, what is limited by it, what is not; below the project
    ("Read(./.env)", "read .env", "read env"),
    ("Read(.env)", "read a/b/.env", "read a/b/c"),
    ("Read(./secrets/**)", "grep secrets/x/y", "read secret"),
    ("Read(secrets/**)", "read vendor/secrets/x", "read vendor/x"),
    ("Read(secrets)", "ls secrets", "read public"),
    ("Read(/secrets/**)", "read secrets/x", "read vendor/secrets/x"),
    ("Read(**/*.pem)", "read a/b.pem", "read a/b.txt"),
    ("Read(src/config/**)", "read src/config/x", "read vendor/src/config/x"),
    ("Read(./.env)", "write .env", "write env"),
    ("Edit(/docs/**)", "write docs/a", "read docs/a"),
    ("Edit(docs/**)", "apply_patch docs/a", "write code/a"),
    ("NotebookEdit(*.ipynb)", "edit a/b.ipynb", "edit a/b.py"),
    ("MultiEdit(gen/**)", "edit gen/a", "edit a"),
    ("Glob(gen/**)", "find gen/a", "read a"),
    ("Grep", "grep a", "read a"),
    ("Read(key.[a-z]em)", "read key.pem", "read key"),
    (r"Read(a\[1\].txt)", "read a[1].txt", "read a.txt"),
    ("Read", "read a", "write a"),
    ("Edit", "write a", "read a"),
    ("Read(sub/../secrets/**)", "read secrets/a", "read sub/a"),
    ("Read(./)", "read a", None),
]


@pytest.mark.proves("E29")
@every(("rule", "limited", "free"), PATHS)
def test_files_that_claude_codes_rules_limit(
    tmp_path: Path, rule: str, limited: str, free: str | None
) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"deny": [rule]})
    found = load(work)
    assert found.warnings == ()
    for wish, is_denied in ((limited, True), (free, False)):
        if wish is not None:
            tool, _, path = wish.partition(" ")
            got = outcome(found, work, touches(tool, work / path), "full-auto")
            assert (got == "deny") is is_denied, wish


def test_an_absolute_path_and_one_of_the_home_folder_are_what_they_say(tmp_path: Path) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"deny": [f"Read(/{tmp_path}/other/**)", "Read(~/notes/**)"]})
    found = load(work)
    for path in (tmp_path / "other/x", tmp_path / "person/notes/x"):
        assert outcome(found, work, touches("read", path), "full-auto") == "deny"


HOSTS = [
    ("WebFetch(domain:Evil.example.)", "https://evil.example/x", "deny"),
    ("WebFetch(domain:evil.example)", "https://a.evil.example/x", "deny"),
    ("WebFetch(domain:*.evil.example)", "https://a.b.evil.example/", "deny"),
    ("WebFetch(domain:*.evil.example)", "https://evil.example/", "allow"),
    ("WebFetch(domain:*)", "https://any.example/", "deny"),
    ("WebFetch", "https://any.example/", "deny"),
    ("WebFetch(domain:evil.example)", "https://good.example/", "allow"),
]


@pytest.mark.proves("E29")
@every(("rule", "url", "wanted"), HOSTS)
def test_hosts_that_claude_codes_rules_limit(
    tmp_path: Path, rule: str, url: str, wanted: str
) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"deny": [rule]})
    found = load(work)
    wish = Intent(tool="fetch", kind="fetch", url=url)
    assert outcome(found, work, wish, "full-auto") == wanted


def test_a_host_is_denied_to_the_browser_too(tmp_path: Path) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"deny": ["WebFetch(domain:evil.example)"]})
    wish = Intent(tool="goto", kind="act", url="https://evil.example/")
    assert outcome(load(work), work, wish, "full-auto") == "deny"


SERVERS = [
    ("mcp__docs", "mcp__docs__search", "mcp__other__search"),
    ("mcp__docs__*", "mcp__docs__search", "mcp__docs2__search"),
    ("mcp__docs__search", "mcp__docs__search", "mcp__docs__read"),
    ("mcp__*", "mcp__docs__search", None),
]


@pytest.mark.proves("E29")
@every(("rule", "limited", "free"), SERVERS)
def test_servers_that_claude_codes_rules_limit(
    tmp_path: Path, rule: str, limited: str, free: str | None
) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"deny": [rule]})
    found = load(work)
    assert outcome(found, work, Intent(tool=limited, kind="server"), "full-auto") == "deny"
    if free:
        assert outcome(found, work, Intent(tool=free, kind="server"), "full-auto") == "allow"


ALLOWED = [
    # rule, what a yes to it covers, what it does not
    ("Bash(npm run build)", "run npm run build", "run npm run build x"),
    ("Bash(npm run test:*)", "run npm run test a", "run npm run other"),
    ("Bash(npm run lint*)", "run npm run lint:all", "run npm run test"),
    ("Bash(git * main)", "run git merge main", "run git merge main && rm x"),
    ("Edit(/src/**)", "write src/a", "write vendor/src/a"),
    ("Edit(src/**)", "write src/a", "write vendor/src/a"),
    ("Edit(./notes.md)", "write notes.md", "write a/notes.md"),
    ("Edit(notes.md)", "write a/notes.md", "write a/other.md"),
    ("Edit(**/gen/**)", "write a/gen/b", "write a/b"),
    ("mcp__docs", "mcp__docs__a", "mcp__other__a"),
    ("mcp__docs__get_*", "mcp__docs__get_a", "mcp__docs__set_a"),
    ("WebFetch(domain:good.example)", "get https://good.example/", "get https://a.good.example/"),
    ("WebFetch(domain:*.good.example)", "get https://a.good.example/", "get https://good.example/"),
]
OVER_WIDE = [
    "*",
    "B*",
    "mcp__*",
    "mcp__do*__x",
    "Bash(* --version)",
    "Bash(rm*)",
    "Bash(npx *x)",
    "Bash(uv run *x)",
    "Bash(sh:x)",
    "Bash(re:.*)",
    "Read(key.[a-z]em)",
    r"Edit(\*.md)",
    "Edit(!x)",
    "Read(~root/x)",
    "NotebookEdit(*.ipynb)",
    "WebFetch(domain:e*.example)",
    "WebFetch(https://x.example)",
    "Agent(Explore)",
    "Bash(",
    7,
    None,
    {"tool": "Bash"},
]


def wished(text: str, work: Path) -> Intent:
    verb, _, rest = text.partition(" ")
    match verb:
        case "run":
            return runs(rest, work)
        case "write" | "read":
            return touches(verb, work / rest)
        case "get":
            return Intent(tool="fetch", kind="fetch", url=rest)
        case _:
            return Intent(tool=verb, kind="server")


@pytest.mark.deep
@pytest.mark.proves("E29")
@every(("rule", "covered", "left"), ALLOWED)
def test_a_yes_of_claude_codes_covers_what_it_says_and_no_more(
    tmp_path: Path, rule: str, covered: str, left: str
) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"allow": [rule]})
    assert outcome(load(work), work, wished(covered, work)) == "ask"
    trusted(work)
    found = load(work)
    assert outcome(found, work, wished(covered, work)) == "allow"
    assert outcome(found, work, wished(left, work)) == "ask"


@pytest.mark.deep
@pytest.mark.proves("E29")
@every("rule", OVER_WIDE)
def test_a_line_that_cannot_be_said_here_is_told_and_allows_nothing(
    tmp_path: Path, rule: object
) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"allow": [rule, "Bash(make)"]})
    trusted(work)
    found = load(work)
    assert [str(each) for each in found.rules] == ["shell(make)"]
    said = [each for each in found.warnings if "not understood, so not used" in each]
    assert len(said) == 1
    assert said[0].startswith(f"{work / SETTINGS}: not understood, so not used: allow ")


BROKEN = [
    "{",
    '{"permissions": {"deny": ["Bash(rm:*)",]}}',
    "\ufeff[",
    '{"permissions": {"deny": 3}}',
]


@pytest.mark.proves("E29")
@every("text", BROKEN)
@every("name", FILES)
def test_a_broken_file_is_told_and_stops_nothing(tmp_path: Path, text: str, name: str) -> None:
    work = project(tmp_path)
    write(work / name, text)
    write(work / ".env", "A=1\n")
    trusted(work)
    found = load(work)
    assert found.rules == ()
    assert found.dotenv == {"A": "1"}
    assert len([each for each in found.warnings if str(work / name) in each]) == 1


STRANGE = [
    "[]",
    "3",
    '"x"',
    '{"permissions": ["tabs"]}',
    '{"permissions": {"storage": true}}',
    "{}",
]


@every("text", STRANGE)
def test_a_file_of_this_name_that_is_about_something_else_is_left_alone(
    tmp_path: Path, text: str
) -> None:
    work = project(tmp_path)
    write(work / "permissions.json", text)
    found = load(work)
    assert (found.rules, found.warnings) == ((), ())


def test_what_a_stranger_writes_costs_little(tmp_path: Path) -> None:
    work = project(tmp_path)
    deny = [f"Read(a{number})" for number in range(MOST_RULES + 50)]
    many = ["Bash(" + "*a" * 9 + ")", f"Read({'x' * 400})"]
    write(work / SETTINGS, {"deny": [*many, *deny], "allow": ["Bash(make)"]})
    found = load(work)
    assert len([each for each in found.rules if each.tool == "read"]) == MOST_RULES - len(many)
    assert "deny beyond the first 200 lines" in "\n".join(found.warnings)
    text = "a" * 20_000
    write(work / SETTINGS, {"deny": ["Bash(a*a*a*a*b)"]})
    assert outcome(load(work), work, runs(text, work), "full-auto") != "deny"


MODES = [
    ("plan", "ask", "plan"),
    ("acceptEdits", "ask", "ask"),
    ("bypassPermissions", "ask", "ask"),
    ("bypassPermissions", "plan", "plan"),
    ("auto", "ask", "ask"),
    ("dontAsk", "ask", "ask"),
    ("default", "full-auto", "ask"),
    ("acceptEdits", "full-auto", "auto-edit"),
    (7, "ask", "ask"),
    (["plan"], "ask", "ask"),
]


@pytest.mark.deep
@pytest.mark.proves("E29")
@every(("written", "own", "wanted"), MODES)
def test_a_mode_narrows_and_never_widens(
    tmp_path: Path, written: object, own: str, wanted: str
) -> None:
    work = project(tmp_path)
    (tmp_path / "home/config.toml").write_text(f'mode = "{own}"\n', "utf-8")
    write(work / SETTINGS, {"defaultMode": written})
    assert load(work).settings.mode == own
    trusted(work)
    assert load(work).settings.mode == wanted
    assert load(work, mode="full-auto").settings.mode == "full-auto"


@pytest.mark.proves("E29")
def test_a_further_folder_may_be_read_and_changing_it_asks(tmp_path: Path) -> None:
    work = project(tmp_path)
    wide = ["/", "~", str(tmp_path / "person"), str(tmp_path), "", 3]
    write(work / SETTINGS, {"additionalDirectories": ["../docs", "~/notes", *wide]})
    trusted(work)
    found = load(work)
    for path in (tmp_path / "docs/a", tmp_path / "person/notes/a"):
        assert outcome(found, work, touches("read", path)) == "allow"
        assert outcome(found, work, touches("write", path), "auto-edit") == "ask"
    assert outcome(found, work, touches("read", tmp_path / "other")) == "ask"
    assert len([each for each in found.rules if each.outcome == "allow"]) == 2


@pytest.mark.proves("E29")
def test_a_folder_below_the_project_may_limit_and_allow_nothing(tmp_path: Path) -> None:
    work = project(tmp_path)
    inner = work / "packages/a"
    write(inner / SETTINGS, {"deny": ["Edit(/gen/**)"], "allow": ["Bash(make)"]})
    trusted(work)
    found = load(work, inner)
    assert outcome(found, inner, touches("write", inner / "gen/x"), "full-auto") == "deny"
    assert outcome(found, inner, touches("write", work / "gen/x"), "full-auto") != "deny"
    assert outcome(found, inner, runs("make", inner)) == "ask"
    assert load(work).rules == ()


@pytest.mark.proves("E29")
def test_each_rule_is_listed_with_the_file_it_stands_in(tmp_path: Path) -> None:
    work = project(tmp_path)
    for name in FILES:
        write(work / name, {"deny": ["Bash(rm:*)"]})
    found = [(each.rule, each.layer, each.source, each.editable) for each in lines(load(work))]
    assert found == [
        ("shell(rm:*)", "local rules", str(work / LOCAL), False),
        ("shell(rm:*)", "project rules", str(work / SETTINGS), False),
        ("Bash(rm:*)", "project rules", str(work / ".ouroboros/permissions.json"), False),
        ("Bash(rm:*)", "project rules", str(work / "permissions.json"), False),
    ]


@pytest.mark.proves("E29")
def test_it_is_shown_before_it_is_trusted(tmp_path: Path) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"allow": ["Bash(make)"], "deny": ["Read(x)"], "defaultMode": "plan"})
    inert = trust.read(work, tmp_path / "home")
    said = trust.summary(inert, trust.standing(tmp_path / "home", inert))
    assert said[1:] == ("  deny Read(x)", "  allow Bash(make)", "  defaultMode plan")


@pytest.mark.proves("E29")
def test_a_visited_workspace_has_them_too(tmp_path: Path) -> None:
    work = project(tmp_path)
    write(work / SETTINGS, {"allow": ["Bash(make)"], "deny": ["Read(x)"]})
    home = tmp_path / "home"
    found = [f"{each.outcome} {each}" for each in settings_of(work, home).rules]
    assert found == ["deny read(x)", "deny edit(x)"]
    trusted(work)
    found = [f"{each.outcome} {each}" for each in settings_of(work, home).rules]
    assert found == ["deny read(x)", "deny edit(x)", "allow shell(make)"]


def test_the_home_of_the_product_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".ouroboros").mkdir()
    write(tmp_path / ".ouroboros/permissions.json", {"deny": ["Bash"], "allow": ["Edit"]})
    variables = {"OUROBOROS_HOME": str(tmp_path / ".ouroboros"), "HOME": str(tmp_path)}
    found = config.load(tmp_path, variables, {}, managed=tmp_path / "managed.toml")
    assert (found.rules, found.warnings) == ((), ())
