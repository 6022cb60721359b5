import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ouroboros.core.commands import Mode
from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.commands.reading import read_shell
from ouroboros.safety.paths import Places, real
from ouroboros.safety.rules import Decision, Intent, Layer, Rule, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every

ROOT = Path("/ws")
PLACES = Places(
    roots=(ROOT,),
    readable=(Path("/home/me/.ouroboros/blobs"),),
    home=Path("/home/me/.ouroboros"),
    person=Path("/home/me"),
)


def decide(
    intent: Intent,
    *written: tuple[str, str],
    mode: Mode = "ask",
    granted: tuple[str, ...] = (),
) -> Decision:
    rules = Rules([parse_rule(*rule) for rule in written], PLACES, canonical)
    return rules.decide(intent, mode=mode, granted=granted)


def shell(command: str) -> Intent:
    return Intent(tool="shell", kind="execute", command=command)


def write(path: str, tool: str = "write") -> Intent:
    return Intent(tool=tool, kind="write", paths=(Path(path),))


def read(path: str, tool: str = "read") -> Intent:
    return Intent(tool=tool, kind="read", paths=(Path(path),))


NONE = Intent(tool="tool_search", kind="none")
PLAN = Intent(tool="update_plan", kind="none")
MORE = Intent(tool="request_permissions", kind="grant")
FETCH = Intent(tool="fetch", kind="fetch", url="https://example.com/a")
BROWSE = Intent(tool="click", kind="browse")


@pytest.mark.proves("E01", "E06", "E20")
@every(
    ("intent", "plan", "ask", "auto_edit", "full_auto"),
    [
        (NONE, "allow", "allow", "allow", "allow"),
        (PLAN, "deny", "allow", "allow", "allow"),
        (MORE, "deny", "ask", "ask", "ask"),
        (read("/ws/a"), "allow", "allow", "allow", "allow"),
        (read("/etc/passwd"), "ask", "ask", "ask", "allow"),
        (read("/home/me/.ouroboros/blobs/1"), "allow", "allow", "allow", "allow"),
        (read("/home/me/.ouroboros/keys.toml"), "ask", "ask", "ask", "ask"),
        (read("/home/me/.ouroboros"), "ask", "ask", "ask", "ask"),
        (read("/proc/self/environ"), "ask", "ask", "ask", "ask"),
        (write("/ws/a"), "deny", "ask", "allow", "allow"),
        (write("/etc/hosts"), "deny", "ask", "ask", "ask"),
        (write("/ws/.git/hooks/x"), "deny", "ask", "ask", "ask"),
        (write("/ws/.GIT/config"), "deny", "ask", "ask", "ask"),
        (write("/ws/sub/.git"), "deny", "ask", "ask", "ask"),
        (write("/ws/.ouroboros/config.toml"), "deny", "ask", "ask", "ask"),
        (write("/home/me/.ouroboros/config.toml"), "deny", "ask", "ask", "ask"),
        (write("/ws/.gitignore"), "deny", "ask", "allow", "allow"),
        (shell("ls"), "allow", "allow", "allow", "allow"),
        (shell("make"), "deny", "ask", "ask", "allow"),
        (shell("rm -rf /"), "deny", "ask", "ask", "ask"),
        (FETCH, "ask", "ask", "ask", "allow"),
        (BROWSE, "deny", "ask", "ask", "allow"),
        (Intent(tool="apply_patch", kind="write"), "deny", "ask", "ask", "ask"),
    ],
)
def test_what_the_modes_say(intent: Intent, plan: str, ask: str, auto_edit: str, full_auto: str):
    modes: tuple[Mode, ...] = ("plan", "ask", "auto-edit", "full-auto")
    said = tuple(decide(intent, mode=mode).outcome for mode in modes)
    assert said == (plan, ask, auto_edit, full_auto)


@pytest.mark.proves("E06", "E04", "E10", "divergences-allow-of-a-command")
@every(
    ("rule", "command", "outcome"),
    [
        ("Bash(npm:test)", "npm test -- --watch", "allow"),
        ("Bash(npm:test)", "npm run test", "ask"),
        ("Bash(rm:*)", "rm -r build", "allow"),
        ("Bash(rm:*)", "rmdir build", "ask"),
        ("Bash(git push:*)", "git push origin main", "allow"),
        ("Bash(git push:*)", "git pushy", "ask"),
        ("Bash(git push *)", "git push origin", "allow"),
        ("bash(git status)", "git status", "allow"),
        ("Bash(make)", "make -s", "ask"),
        ("shell", "anything at all", "allow"),
        ("Bash(*)", "a && b", "allow"),
        ("Bash(git log:*)", "git log 'a b' \"c\"", "allow"),
        ("Bash(git log:*)", "git log && rm -rf x", "ask"),
        ("Bash(git log:*)", "git log; rm x", "ask"),
        ("Bash(git log:*)", "git log | sh", "ask"),
        ("Bash(git log:*)", "git log || rm x", "ask"),
        ("Bash(git log:*)", "git log & rm x", "ask"),
        ("Bash(git log:*)", "git log\nrm x", "ask"),
        ("Bash(git log:*)", "git log\rrm x", "ask"),
        ("Bash(git log:*)", "git log $(rm x)", "ask"),
        ("Bash(git log:*)", 'git log "$(rm x)"', "ask"),
        ("Bash(git log:*)", "git log `rm x`", "ask"),
        ("Bash(git log:*)", 'git log "`rm x`"', "ask"),
        ("Bash(git log:*)", "git log <(rm x)", "ask"),
        ("Bash(git log:*)", "git log > .git/hooks/x", "ask"),
        ("Bash(git log:*)", "git log <.git/config", "ask"),
        ("Bash(git log:*)", "git log 2>&1", "allow"),
        ("Bash(git log:*)", "(git log; rm x)", "ask"),
        ("Bash(make:*)", "(make)", "ask"),
        ("Bash(make:*)", "for f in a; do make; done", "ask"),
        ("Bash(make:*)", "x=a; make", "ask"),
        ("Bash(git log:*)", "PAGER=evil git log", "ask"),
        ("Bash(git log:*)", "env make", "ask"),
        ("Bash(git log:*)", "sudo git log", "ask"),
        ("Bash(make:*)", "timeout 5 make", "ask"),
        ("Bash(git log:*)", "git log $x", "ask"),
        ("Bash(git log:*)", "git log 'open", "ask"),
        ("Bash(git log:*)", "/tmp/git log", "ask"),
        ("Bash(env:*)", "env rm x", "ask"),
        ("Bash(find:*)", "find . -name x", "allow"),
        ("Bash(find:*)", "find . -exec rm {} +", "ask"),
        ("Bash(bash:*)", "bash -c 'rm x'", "ask"),
    ],
)
def test_an_allow_rule_covers_one_plain_command_only(rule: str, command: str, outcome: str):
    assert decide(shell(command), ("allow", rule)).outcome == outcome


@pytest.mark.proves("E11")
@every(
    "command",
    [
        "rm -rf /",
        "rm -fr /",
        "rm -r -f /",
        "rm --recursive --force /",
        "rm --recurs --for /",
        "rm -Rf /",
        "rm -rfv /",
        "rm / -rf",
        "rm -rf -- /",
        "/bin/rm -rf /",
        "r''m -rf /",
        "\\rm -rf /",
        '"rm" -rf "/"',
        "sudo rm -rf /",
        "env A=1 rm -rf /",
        "A=1 rm -rf /",
        "timeout 5 nice -n 3 rm -rf /",
        "true && rm -rf /",
        "true; rm -rf /",
        "true | rm -rf /",
        "true & rm -rf /",
        "true\nrm -rf /",
        "echo $(rm -rf /)",
        'echo "x $(rm -rf /)"',
        "echo `rm -rf /`",
        "cat <(rm -rf /)",
        "bash -c 'rm -rf /'",
        "bash -c \"sh -c 'rm -rf /'\"",
        "eval 'rm -rf /'",
        "(rm -rf /)",
        "{ rm -rf /; }",
        "if true; then rm -rf /; fi",
        "for x in a; do rm -rf /; done",
        "! rm -rf /",
        "find . -exec rm -rf / \\;",
        "xargs rm -rf /",
        "rm -rf / > /dev/null",
        ">log rm -rf /",
        "rm \\\n -rf /",
        "time -p rm -rf /",
        "busybox rm -rf /",
        "toybox rm -rf /",
        "RM -rf /",
        "rm -rf //",
        "rm -rf /./",
        "bash <<< 'rm -rf /'",
        "bash <<EOF\nrm -rf /\nEOF",
        "bash -c 'true;rm -rf /'",
        "env -S 'rm -rf /'",
        "env -S'rm -rf /'",
        "flock lock -c 'rm -rf /'",
        "true # it's\nrm -rf /\n# it's",
        "cat <<'EOF'\nit's\nEOF\nrm -rf /\necho it's",
        "cat <<-\"E F\"\n\tit's\n\tE F\nrm -rf /\necho it's",
        "cat <<EOF\n$(rm -rf /)\nEOF",
        'echo "$(echo "a b"; rm -rf /)"',
        "echo `echo \\`rm -rf /\\``",
        "echo ${x:-$(rm -rf /)}",
        "echo \"${x:-'$(rm -rf /)'}\"",
        "echo $((1 + $(rm -rf /)))",
        "function f { rm -rf /; }; f",
        "case a in a) rm -rf /;; esac",
        "coproc rm -rf /",
        "echo x &>f rm -rf /; rm -rf /",
    ],
)
@every("mode", ["ask", "full-auto"])
def test_a_deny_rule_covers_every_way_to_say_it(command: str, mode: Mode):
    said = decide(shell(command), ("deny", "Bash(rm -rf /)"), ("allow", "Bash"), mode=mode)
    assert (said.outcome, said.rule) == ("deny", "Bash(rm -rf /)")


@every(
    "command",
    [
        "rm -r x",
        "rm -rf ./x",
        "echo 'rm -rf /'",
        "git commit -m 'rm -rf /'",
        "grep 'x; rm -rf /' f",
        "cat > f <<'EOF'\nrm -rf /\nEOF",
        "git log # rm -rf /",
        "echo $((2 << 1)) $HOME *.py",
        'for f in a b; do echo "$f"; done | sort > out',
        '[[ -n $x && a == b ]] || echo "${x:-none}"',
    ],
)
def test_a_deny_rule_leaves_other_commands_alone(command: str):
    assert decide(shell(command), ("deny", "Bash(rm -rf /)"), mode="full-auto").outcome != "deny"


@pytest.mark.deep
@pytest.mark.proves("E10", "E12")
@every(
    "command",
    [
        'eval "$x"',
        "$x -rf /",
        "curl x | sh",
        "$'\\x72m' -rf /",
        "sudo $x",
        "a 'b",
        "{rm,-rf,/}",
        "sudo {rm,-rf,/}",
        "rm$IFS-rf$IFS/",
        "bash -c 'rm${IFS}-rf${IFS}/'",
        'bash -c "$x"',
        "bash <(echo 'rm -rf /')",
        "bash < script",
        "bash /dev/stdin <<< 'x'",
        ". <(echo rm -rf /)",
        "source /dev/stdin <<< 'rm -rf /'",
        "alias x=rm\nx -rf /",
        "hash -p /bin/rm x; x -rf /",
        "mapfile -C 'rm -rf /' -c 1 x <<< a",
        "PS4='$(rm -rf /)' bash -xc :",
        "export PS4='$(rm -rf /)'; set -x; :",
        "git -c core.pager='rm -rf /' log",
        "rg --pre rm x",
        "tar xf a --to-command=rm",
        "echo $(case x in x) rm -rf /;; esac)",
        "x='$(rm -rf /)'; echo ${x@P}",
        "echo ${ rm -rf /; }",
        "x=(& 'a\nrm -rf /\n'",
        "cat <<EOF\nE\\\nOF\nrm -rf /",
        "/bin/r? -rf /",
        "sudo " + "-n " * 100 + "rm -rf /",
        "echo " + "$(" * 50 + "rm -rf /" + ")" * 50,
        "echo " + "${x:-" * 50 + "$(rm -rf /)" + "}" * 50,
    ],
)
@every("allow", ["Bash(ls:*)", "Bash", "*"])
def test_what_hides_its_command_is_asked_when_there_are_deny_rules(command: str, allow: str):
    rules = ("deny", "Bash(rm:*)"), ("allow", allow)
    assert decide(shell(command), *rules, mode="full-auto").outcome == "ask"
    assert decide(shell(command), *rules).outcome == "ask"


@every(
    "command",
    [
        "x=/; rm -rf $x",
        "rm {-rf,/}",
        "rm -rf $'\\x2f'",
        "rm -rf ~",
        "rm -rf /[x]",
        "echo / | xargs rm -rf",
        "xargs -I{} bash -c 'rm -rf {}'",
        "find / -exec rm -rf {} +",
        "shopt -s extglob\nrm @(-rf) /",
    ],
)
def test_words_that_the_shell_fills_in_may_be_what_a_rule_is_about(command: str):
    for allow in ("Bash(ls:*)", "Bash"):
        rules = ("deny", "Bash(rm -rf /)"), ("allow", allow)
        assert decide(shell(command), *rules, mode="full-auto").outcome == "ask", allow
    assert "the shell fills" not in decide(shell(command), mode="full-auto").reason


@pytest.mark.proves("E04")
@every(
    ("rule", "command", "outcome"),
    [
        ("Bash(git log:*)", "git log --output=.git/hooks/x", "ask"),
        ("Bash(git log:*)", "git log --ext-diff", "ask"),
        ("Bash(git:*)", "git -c core.pager=evil log", "ask"),
        ("Bash(git:*)", "git commit -c HEAD", "allow"),
        ("Bash(find:*)", "find . -delete", "ask"),
        ("Bash(find . -delete)", "find . -delete", "allow"),
        ("Bash(find . -delete:*)", "find . -delete -print", "allow"),
        ("Bash(rg:*)", "rg --pre evil x", "ask"),
        ("Bash(sort:*)", "sort -uo f f", "ask"),
        ("Bash(sort:*)", "sort -u f", "allow"),
        ("Bash(tar:*)", "tar xf a --checkpoint-action=exec=evil", "ask"),
        ("Bash(git log:*)", "git log {--output=x,}", "ask"),
        ("Bash(git log:*)", "git log -*", "ask"),
        ("Bash(FOO=1 make:*)", "make x", "ask"),
    ],
)
def test_a_prefix_does_not_cover_options_that_run_or_write_something_else(
    rule: str, command: str, outcome: str
):
    assert decide(shell(command), ("allow", rule)).outcome == outcome


@pytest.mark.proves("E11")
def test_a_deny_is_read_with_spaces_around_it_and_with_a_folder():
    for rule in ("Bash( rm:* )", "Bash(/bin/rm:*)", "Bash(:*)"):
        assert decide(shell("rm x"), ("deny", rule), mode="full-auto").outcome == "deny", rule


@pytest.mark.proves("E05")
@every(
    ("rule", "path", "outcome"),
    [
        ("Edit(/src/**)", "/ws/src/a/b.py", "allow"),
        ("Edit(src/**)", "/ws/src/a/b.py", "allow"),
        ("Edit(/src/*.py)", "/ws/src/a.py", "allow"),
        ("Edit(/src/*.py)", "/ws/src/a/b.py", "ask"),
        ("Write(*.md)", "/ws/deep/down/x.md", "allow"),
        ("Edit(//opt/x/**)", "/opt/x/y", "allow"),
        ("Edit(~/notes/**)", "/home/me/notes/a", "allow"),
        ("Edit(/src/**)", "/ws/srcx/a", "ask"),
        ("Edit(**)", "/etc/passwd", "ask"),
        ("Edit", "/etc/passwd", "ask"),
        ("Edit", "/ws/a", "allow"),
        ("*", "/ws/.git/hooks/x", "ask"),
        ("Edit(/**)", "/ws/.git/hooks/x", "ask"),
        ("Edit(/.git/hooks/**)", "/ws/.git/hooks/x", "allow"),
        ("Read(/src/**)", "/ws/src/a", "ask"),
        ("Edit(/a.b)", "/ws/axb", "ask"),
        ("Edit(/[x)", "/ws/[x", "allow"),
    ],
)
def test_file_rules_are_globs(rule: str, path: str, outcome: str):
    assert decide(write(path), ("allow", rule)).outcome == outcome


def test_a_rule_for_one_writing_tool_holds_for_all_of_them():
    for tool in ("write", "edit", "multi_edit", "apply_patch"):
        said = decide(write("/ws/x", tool), ("deny", "Write(/x)"), mode="full-auto")
        assert said.outcome == "deny", tool
    assert decide(read("/ws/.env", "grep"), ("deny", "Read(.env)")).outcome == "deny"


def test_every_path_must_be_allowed_and_one_denied_is_enough():
    both = Intent(tool="apply_patch", kind="write", paths=(Path("/ws/a/1"), Path("/ws/b/2")))
    assert decide(both, ("allow", "Edit(/a/**)")).outcome == "ask"
    assert decide(both, ("deny", "Edit(/b/**)"), mode="full-auto").outcome == "deny"


@pytest.mark.proves("E05")
def test_a_deny_looks_at_the_path_as_spelled_too():
    intent = Intent(
        tool="read", kind="read", paths=(Path("/ws/real"),), spelled=(Path("/ws/link"),)
    )
    assert decide(intent, ("deny", "Read(/link)")).outcome == "deny"


@pytest.mark.proves("E03", "CF04")
def test_both_spellings_and_old_levels_are_read():
    written = {"toolName": "Bash", "ruleContent": "git log:*"}
    assert parse_rule("allow", written) == parse_rule("auto", "Bash(git log:*)")
    assert parse_rule("denied", {"toolName": "Read"}).outcome == "deny"
    assert parse_rule("approve", "Write").outcome == "ask"


@pytest.mark.proves("E03")
@every(
    ("outcome", "written"),
    [("maybe", "Bash"), ("allow", ""), ("allow", 3), ("allow", "Bash(x"), ("deny", {"tool": "x"})],
)
def test_what_is_no_rule_is_refused(outcome: str, written: object):
    with pytest.raises(ConfigBroken):
        parse_rule(outcome, written)


@pytest.mark.proves("E07", "CF05")
def test_between_ask_and_allow_the_higher_scope_wins():
    def outcome(allow: Layer, ask: Layer) -> str:
        rules = [
            parse_rule("allow", "Bash(make:*)", allow),
            parse_rule("ask", "Bash(make:*)", ask),
        ]
        return Rules(rules, PLACES, canonical).decide(shell("make x"), mode="ask").outcome

    assert outcome("local", "project") == "allow"
    assert outcome("user", "project") == "ask"
    assert outcome("project", "project") == "ask"
    assert outcome("cli", "managed") == "ask"


@pytest.mark.proves("divergences-remembered-yes")
def test_a_remembered_yes_holds_for_the_same_thing_only():
    first = decide(shell("make 'a:*' && x"))
    granted = (first.grant,)
    assert first.outcome == "ask"
    assert decide(shell("make 'a:*' && x"), granted=granted).outcome == "allow"
    assert decide(shell("make 'a:*' && x y"), granted=granted).outcome == "ask"
    prefix = decide(shell("make :*")).grant
    assert decide(shell("make evil"), granted=(prefix,)).outcome == "ask"
    star = decide(shell("*")).grant
    assert decide(shell("*"), granted=(star,)).outcome == "allow"
    assert decide(shell("evil"), granted=(star,)).outcome == "ask"
    path = decide(write("/ws/.git/hooks/x")).grant
    assert decide(write("/ws/.git/hooks/x"), granted=(path,), mode="full-auto").outcome == "allow"
    assert decide(write("/ws/.git/hooks/y"), granted=(path,), mode="full-auto").outcome == "ask"


@pytest.mark.proves("E08")
def test_a_remembered_yes_beats_an_ask_rule_but_not_a_deny():
    granted = ("shell(make)",)
    assert decide(shell("make"), ("ask", "Bash(make:*)"), granted=granted).outcome == "allow"
    assert decide(shell("make"), ("deny", "Bash(make:*)"), granted=granted).outcome == "deny"
    assert decide(shell("make"), granted=granted, mode="plan").outcome == "deny"


CONTENTS = ["", "git log:*", "rm -rf /", "rm:*", "git status", "/src/**", ".env", "**"]
RULES = st.builds(
    Rule,
    outcome=st.sampled_from(["allow", "ask", "deny"]),
    tool=st.sampled_from(["Bash", "read", "Edit", "*", "write"]),
    content=st.sampled_from(CONTENTS),
    layer=st.sampled_from(["user", "project", "local", "cli", "managed"]),
)
INTENTS = st.sampled_from([
    shell("git log -3"),
    shell("git log && rm -fr /"),
    shell("rm -rf x"),
    write("/ws/src/a"),
    write("/ws/.git/x"),
    read("/ws/.env"),
    read("/etc/passwd"),
])
MODES = st.sampled_from(["plan", "ask", "auto-edit", "full-auto"])


@pytest.mark.deep
@given(
    rules=st.lists(RULES, max_size=8),
    intent=INTENTS,
    mode=MODES,
    chance=st.randoms(use_true_random=False),
)
def test_the_order_of_rules_does_not_matter(
    rules: list[Rule], intent: Intent, mode: Mode, chance: Random
):
    shuffled = list(rules)
    chance.shuffle(shuffled)
    first = Rules(rules, PLACES, canonical).decide(intent, mode=mode)
    second = Rules(shuffled, PLACES, canonical).decide(intent, mode=mode)
    assert first == second


@pytest.mark.proves("E08", "CF05")
@given(rules=st.lists(RULES, max_size=8), more=RULES, intent=INTENTS, mode=MODES)
def test_one_more_deny_never_opens_anything(
    rules: list[Rule], more: Rule, intent: Intent, mode: Mode
):
    before = Rules(rules, PLACES, canonical).decide(intent, mode=mode).outcome
    deny = Rule(outcome="deny", tool=more.tool, content=more.content, layer=more.layer)
    after = Rules([*rules, deny], PLACES, canonical).decide(intent, mode=mode).outcome
    order = ["deny", "ask", "allow"]
    assert order.index(after) <= order.index(before)


@given(st.text(alphabet=st.sampled_from("ab -;|&$(){}<>`'\"\\\n#=*~!"), max_size=60))
@example("$}")
@example("a $ b$")
@example('"$"')
@example("$\\;a")
def test_no_text_breaks_the_reader_and_simple_means_no_operator(text: str):
    reading = read_shell(text)
    if reading.simple is not None:
        assert not reading.opaque
        assert reading.commands[0].words == reading.simple
        # A dollar sign before nothing that has a meaning, as in `$}`, is plain for a shell too.
        expansion = r"\$[ab$({#*!-]"
        quoting = rf"""\\.|'[^']*'|\$?"(\\.|[^"\\$`]|(?!{expansion})\$)*\""""
        bare = re.sub(quoting, "_", text.strip(), flags=re.DOTALL)
        assert not re.search(rf"[;|&()<>`\n]|{expansion}|\$['\"]", bare)


@pytest.mark.proves("E05", "F09", "CF08")
def test_links_and_dots_are_followed_before_matching(tmp_path: Path):
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (tmp_path / "outside").write_text("x")
    (workspace / "link").symlink_to(tmp_path / "outside")
    (workspace / "folder").symlink_to(tmp_path)
    places = Places(roots=(workspace,)).resolved()
    for spelled in ("link", "../outside", "folder/outside", "folder/new", "a/../../outside"):
        assert not places.is_inside(real(Path(spelled), base=workspace)), spelled
    assert places.is_inside(real(Path("folder/ws/a"), base=workspace))


def test_a_loop_of_links_stays_where_it_is(tmp_path: Path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert real(tmp_path / "a").parent == real(tmp_path)


def test_a_work_tree_below_the_home_is_no_protected_place():
    home = Path("/h/.ouroboros")
    places = Places(roots=(home / "trees/one",), home=home)
    assert places.protected_by(home / "trees/one/src/a.py") == ""
    assert places.protected_by(home / "trees/one/.git") == ".git"
    assert places.protected_by(home / "config.toml") == ".ouroboros"


def test_a_yes_to_a_text_is_none_where_something_else_reads_it():
    """What is a comment to Python may be a command to a shell, and a shell may be far away."""
    both = '""":"\ntouch x\n"""'

    def of(tool: str, text: str = "touch x") -> Intent:
        return Intent(tool=tool, kind="execute", command=text)

    assert decide(of("exec_command"), granted=("shell(touch x)",)).outcome == "allow"
    assert decide(of("write_stdin"), granted=("write_stdin(touch x)",)).outcome == "allow"
    assert decide(of("write_stdin"), granted=("shell(touch x)",)).outcome == "ask"
    assert decide(of("write_stdin"), ("allow", "Bash(touch:*)")).outcome == "ask"
    assert decide(of("python"), ("allow", "Bash(touch:*)")).outcome == "ask"
    assert decide(of("shell"), granted=("write_stdin(touch x)",)).outcome == "ask"
    assert decide(of("shell", both), granted=(f"python({both})",)).outcome == "ask"
    assert decide(of("python", both), granted=(f"python({both})",)).outcome == "allow"
    assert decide(of("python"), ("deny", "Bash(touch:*)")).outcome == "deny"
    assert decide(of("write_stdin"), ("deny", "Bash(touch:*)")).outcome == "deny"
