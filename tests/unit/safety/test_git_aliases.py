"""An alias of git's is what it stands for: a rule about that holds, and one that cannot be read is asked about."""

import os
import subprocess
from pathlib import Path

import pytest

from ouroboros.safety.commands.aliases import Aliases
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Decision, Intent, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every

pytestmark = pytest.mark.real

PERSON = """
; of the person
[user] name = "A \\"b\\" ; c" # no comment within
[alias]
    p = push
    P2 = push --force # a comment
    sh = !git push
    fn = "!f() { git push \\"$@\\"; }; f"
    twice = p
    loop = loop2
    loop2 = loop
    cut = pu\\
sh
    quoted = "push" --tags
    opt = -c core.pager=cat push
    st = status --short
    broken = push 'x
    nuke = !rm -rf ~
    status = push
    history = push
[alias "Sub"]
    command = push
[include]
    path = more.inc
[includeIf "gitdir:/nowhere/"]
    path = ~/only-there.inc
"""
FILES = {
    "home/.gitconfig": PERSON,
    "home/more.inc": "[alias] inc = push\n[include] path = deeper.inc",
    "home/deeper.inc": "[ALIAS]\nDeep=push",
    "home/only-there.inc": "[alias]\n\tcond = push\n",
    "home/.config/git/config": "[alias]\n\txdg = push\n",
    "work/.git/config": "[core]\n\tbare = false\n[alias]\n\town = push\n",
    "work/.git/HEAD": "ref: refs/heads/main\n",
    "work/sub/.git/config": "[alias]\n\tdown = push\n",
    "work/sub/.git/HEAD": "ref: refs/heads/main\n",
    "work/linked/.git": "gitdir: ../sub/.git\n",
    "work/odd/.git/config": "[alias\np = push",
    "work/odd/.git/HEAD": "ref: refs/heads/main\n",
    "work/guess/.git/config": "[help]\n\tautocorrect = immediate\n",
    "work/guess/.git/HEAD": "ref: refs/heads/main\n",
}
SAID = """
deny  git p
deny  git p origin main
deny  git P origin
deny  git p2
deny  git sh origin
deny  git fn
deny  git twice
deny  git cut
deny  git quoted
deny  git opt
deny  git sub
deny  git history
deny  /usr/bin/git p
deny  command git p
deny  git "p"
deny  true && git p || true
deny  (git p)
deny  echo $(git p)
deny  git inc
deny  git deep
deny  git cond
deny  git xdg
deny  git own
deny  git --no-pager p
deny  git -c color.ui=never p
deny  git -C sub down
deny  git -C linked down
deny  cd sub && git down
deny  (cd sub; git down)
deny  uv run git p
deny  env git p
deny  sh -c 'git p'
deny  echo x | xargs git p
deny  git -c alias.x=push x
deny  git -c alias.X='!git push' x
ask   git broken
allow git loop
ask   git nuke
ask   make && git nuke
ask   git -C odd anything
ask   git -C guess pus
ask   HOME=/tmp/x git other
ask   XDG_CONFIG_HOME=/tmp/x git other
ask   export GIT_CONFIG_GLOBAL=/tmp/x; git other
ask   GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x
ask   git --config-env=alias.x=WHAT x
ask   git -c include.path=/tmp/x other
allow git st
allow git status
allow git lfs-like ls-files
allow git log --oneline
allow git commit -m 'p'
allow echo git p
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for name in ("work", "work/sub", "work/odd", "work/guess"):
        for folder in ("objects", "refs"):
            (tmp_path / name / ".git" / folder).mkdir()
    return tmp_path


def decided(place: Path, command: str) -> Decision:
    places = Places(roots=(place / "work",), home=place / "own", person=place / "home")
    rules = Rules([parse_rule("deny", "Bash(git push:*)")], places, canonical)
    return rules.decide(Intent(tool="shell", kind="execute", command=command), mode="full-auto")


@pytest.mark.deep
@every("line", [line for line in SAID.splitlines() if line], ids=str)
def test_a_rule_about_a_command_holds_behind_its_aliases(place: Path, line: str) -> None:
    outcome, command = line.split(None, 1)
    found = decided(place, command)
    assert found.outcome == outcome, found.reason


def test_what_was_changed_since_counts(place: Path) -> None:
    places = Places(roots=(place / "work",), home=place / "own", person=place / "home")
    rules = Rules([parse_rule("deny", "Bash(git push:*)")], places, canonical)
    intent = Intent(tool="shell", kind="execute", command="git later")
    assert rules.decide(intent, mode="full-auto").outcome == "allow"
    with (place / "work/.git/config").open("a", encoding="utf-8") as file:
        file.write("[alias] later = push")
    assert rules.decide(intent, mode="full-auto").outcome == "deny"
    (place / "work/.git/config").unlink()
    (place / "work/.git/config").mkdir()
    assert rules.decide(intent, mode="full-auto").outcome == "ask"


def test_a_yes_to_a_name_is_none_to_the_shell_that_it_stands_for(place: Path) -> None:
    places = Places(roots=(place / "work",), home=place / "own", person=place / "home")
    written = [parse_rule("allow", "Bash(git:*)")]
    intent = Intent(tool="shell", kind="execute", command="git nuke")
    assert Rules(written, places, canonical).decide(intent, mode="ask").outcome == "ask"


def test_git_itself_reads_the_same(place: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(place / "home"),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    done = subprocess.run(
        ["git", "config", "-z", "--get-regexp", r"^alias\."],
        cwd=place / "work",
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    ours = Aliases(place / "home").of(place / "work")
    assert ours is not None
    assert done.stdout.count("\0") > 15
    for entry in done.stdout.split("\0")[:-1]:
        key, _, value = entry.partition("\n")
        name = key.removeprefix("alias.").removesuffix(".command").lower()
        assert value in ours[name], key
