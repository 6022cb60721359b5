"""What "always" offers for a session: the beginning of a command, the folder of an edit."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Around, Decision, Intent, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every

PLACES = Places(roots=(Path("/ws"),), home=Path("/home/me/.ouroboros"), person=Path("/home/me"))


def decide(
    intent: Intent, *written: tuple[str, str], remembered: tuple[str, ...] = (), mode: Mode = "ask"
) -> Decision:
    rules = Rules([parse_rule(*rule) for rule in written], PLACES, canonical)
    return rules.decide(intent, mode=mode, around=Around(remembered=remembered))


def shell(command: str, folder: str = "") -> Intent:
    where = Path(folder) if folder else None
    return Intent(tool="shell", kind="execute", command=command, folder=where)


def write(*paths: str, tool: str = "edit") -> Intent:
    return Intent(tool=tool, kind="write", paths=tuple(map(Path, paths)))


@pytest.mark.proves("E14")
@every(
    "command, offered",
    [
        ("pytest -q tests/unit", ["shell(pytest:*)"]),
        ("pytest", ["shell(pytest:*)"]),
        ("pytest tests", ["shell(pytest:*)"]),
        (".venv/bin/pytest -x", ["shell(.venv/bin/pytest:*)"]),
        ("python -m pytest -q", ["shell(python -m pytest:*)"]),
        ("python3.12 -m pytest -q", ["shell(python3.12 -m pytest:*)"]),
        ("python3 tools/build.py --all", ["shell(python3 tools/build.py:*)"]),
        ("uv run pytest -q", ["shell(uv run pytest:*)"]),
        ("npx eslint .", ["shell(npx eslint:*)"]),
        ("npm test", ["shell(npm test:*)"]),
        ("npm run build -- --watch", ["shell(npm run build:*)"]),
        ("make lint", ["shell(make lint:*)"]),
        ("cargo test --all", ["shell(cargo test:*)"]),
        ("go vet ./...", ["shell(go vet:*)"]),
        ("git commit -m x", ["shell(git commit:*)"]),
        ("git add a.py", ["shell(git add:*)"]),
        ("ruff check src", ["shell(ruff check:*)"]),
        ("./build.sh --fast", ["shell(./build.sh:*)"]),
        ("pytest -q && npm test", ["shell(pytest:*)", "shell(npm test:*)"]),
        ("ls && pytest -q | tail -3", ["shell(pytest:*)"]),
        ("pytest -q; mv a b", ["shell(pytest:*)", "shell(mv a b)"]),
    ],
)  # fmt: skip
def test_a_command_is_offered_by_its_beginning(command: str, offered: list[str]) -> None:
    found = decide(shell(command))
    assert (found.outcome, list(found.always)) == ("ask", offered)
    again = decide(shell(command), remembered=found.always)
    assert again.outcome == "allow"


@pytest.mark.proves("E14", "E06")
@every(
    "command",
    [
        "rm -r build", "rm -rf build", "sudo make install", "bash -c 'pytest'", "env A=1 pytest", "python -c 'print(1)'",
        "node -e 1", "mv a b", "cp a b", "chmod +x a", "sed -i s/a/b/ c", "find . -name a -delete", "curl https://a.example",
        "git push origin main", "git -c a.b=c commit", "npx -y eslint", "xargs rm", "pytest $X", "pytest > out", "(pytest)x",
        "make -j4", "make", "npm", "git", "kill 12", "docker run -v /:/x a", "psql -c 'select 1'", "for i in 1; do pytest; done",
        "python3.12 -c 'print(1)'", "pypy3.10 -c 1", "ipython -c 1", "perl5.36 -e 1", "ruby3.1 -e 1", "php8.2 -r 1", "lua5.4 -e 1",
        "node18 -e 1", "tsx x.ts", "ts-node -e 1", "guile -c 1", "elixir -e 1", "tclsh x.tcl", "awk -f x.awk", "vim -c q", "nvim -es",
        "gdb -ex q", "java -jar x.jar", "cmake -S .", "gcc a.c", "gmake -j4", "wasmtime x", "nobodyknows -x", "/opt/tool/bin/x -a",
        "git difftool -x id", "git remote add x y", "git config a.b c", "git rebase main", "git worktree add ../x", "git fetch",
        "git reset --hard", "git checkout -- a", "mkdir out", "touch a", "tar cf a b", "mkdir -p a b", "deno run x.ts",
        "pytest $(cat a)", "gh pr create", "npm publish", "twine upload x", "uv run -- bash x", "tee a", "ssh host ls",
    ],
)  # fmt: skip
def test_of_what_may_do_more_than_it_says_this_very_text_is_offered(command: str) -> None:
    found = decide(shell(command))
    assert found.outcome == "ask"
    assert not any(rule.endswith(":*)") for rule in found.always), found.always
    assert found.grant == f"shell({command})"


@pytest.mark.proves("E14", "E06")
@every(
    "remembered, command, outcome",
    [
        ("shell(pytest:*)", "pytest tests/unit -k a", "allow"),
        ("shell(pytest:*)", "pytest -q && pytest -x", "allow"),
        ("shell(pytest:*)", "pytest -q && ls", "allow"),
        ("shell(pytest:*)", "pytestx", "ask"),
        ("shell(pytest:*)", "pytest -q; rm -rf src", "ask"),
        ("shell(pytest:*)", "pytest $(rm -rf src)", "ask"),
        ("shell(pytest:*)", "pytest > /etc/x", "ask"),
        ("shell(pytest:*)", "LD_PRELOAD=x pytest", "ask"),
        ("shell(git commit:*)", "git commit -m b", "allow"),
        ("shell(git commit:*)", "git commit --amend", "ask"),
        ("shell(git commit:*)", "git -c core.hooksPath=x commit", "ask"),
        ("shell(git add:*)", "git push", "ask"),
        ("shell(git branch:*)", "git branch -D main", "ask"),
        ("shell(kubectl get:*)", "kubectl get secrets", "ask"),
        ("shell(rm -rf build:*)", "rm -rf build", "allow"),
        ("shell(uv run pytest:*)", "uv run bash -c x", "ask"),
        ("shell(python -m pytest:*)", "python -m http.server", "ask"),
    ],
)
def test_a_beginning_covers_no_lasting_harm_that_it_does_not_spell(
    remembered: str, command: str, outcome: str
) -> None:
    assert decide(shell(command), remembered=(remembered,)).outcome == outcome


@pytest.mark.proves("E14")
@every(
    "intent, offered",
    [
        (write("/ws/src/a.py"), ["edit(//ws/src/**)"]),
        (write("/ws/a.py", tool="write"), ["write(//ws/**)"]),
        (write("/ws/src/a.py", "/ws/src/b.py", tool="apply_patch"), ["apply_patch(//ws/src/**)"]),
        (write("/ws/src/a.py", "/ws/tests/b.py", tool="apply_patch"), ["apply_patch(//ws/**)"]),
        (write("/ws/.git/hooks/x"), []),
        (write("/ws/.ouroboros/config.toml"), []),
        (write("/etc/hosts"), []),
        (write("/home/me/notes.txt"), []),
        (write("/ws/src/a.py", "/etc/hosts", tool="apply_patch"), []),
        (write("/ws/we[ir]d/a.py"), []),
        (write(*(f"/ws/d/{number}/a.py" for number in range(9)), tool="apply_patch"), ["apply_patch(//ws/d/**)"]),
    ],
)  # fmt: skip
def test_an_edit_is_offered_by_its_folder(intent: Intent, offered: list[str]) -> None:
    found = decide(intent)
    assert (found.outcome, list(found.always)) == ("ask", offered)
    if offered:
        assert decide(intent, remembered=found.always).outcome == "allow"
        below = Path(offered[0].partition("(/")[2].removesuffix("/**)"))
        deep, beside = str(below / "deep/c.py"), f"{below}2/c.py"
        assert decide(write(deep), remembered=found.always).outcome == "allow"
        assert decide(write(beside), remembered=found.always).outcome == "ask"
        assert decide(write("/ws/.git/config"), remembered=found.always).outcome == "ask"
        assert decide(write("/etc/hosts"), remembered=found.always).outcome == "ask"


@pytest.mark.proves("E07", "E14")
def test_where_a_rule_asks_about_part_of_it_this_very_thing_is_offered() -> None:
    asks = ("ask", "Bash(mycli destroy)")
    assert decide(shell("mycli --all x"), asks).always == ()
    assert decide(shell("pytest -q"), asks).always == ("shell(pytest:*)",)
    files = ("ask", "Edit(/src/secret.py)")
    assert decide(write("/ws/src/a.py"), files).always == ()
    assert decide(write("/ws/src/a.py"), files).grant == "edit(//ws/src/a.py)"


@pytest.mark.proves("E14")
def test_a_beginning_holds_in_other_folders_of_the_workspace(tmp_path: Path) -> None:
    found = decide(shell("pytest -q", "/ws/sub"))
    assert (found.grant, found.always) == ("", ("shell(pytest:*)",))
    assert decide(shell("pytest -x", "/ws/other"), remembered=found.always).outcome == "allow"
    assert decide(shell("pytest -q", str(tmp_path))).always == ()
