"""Rules that are written into settings files: comments stay, trust stays, and what fails is told."""

from pathlib import Path

import anyio
import pytest

from ouroboros.app.config import layers, trust
from ouroboros.app.permission.keeper import FileKeeper
from ouroboros.core.commands import Scope
from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.policy.book import Book
from ouroboros.safety.rules import Rule
from tests.cases import every

FILES: dict[Scope, str] = {
    "local": "work/.ouroboros/config.local.toml",
    "project": "work/.ouroboros/config.toml",
    "user": "home/config.toml",
}


def keeper(tmp_path: Path) -> FileKeeper:
    for name in ("home", "work"):
        (tmp_path / name).mkdir(exist_ok=True)
    return FileKeeper(tmp_path / "home", tmp_path / "work", Book())


def rules(tmp_path: Path) -> tuple[Rule, ...]:
    environment = {"HOME": str(tmp_path), "OUROBOROS_HOME": str(tmp_path / "home")}
    managed = tmp_path / "managed.toml"
    return layers.load(tmp_path / "work", environment, {}, managed=managed).rules


@pytest.mark.proves("E14", "divergences-remembered-yes")
@every("scope", FILES)
def test_a_rule_counts_from_the_next_session_on(tmp_path: Path, scope: Scope):
    made = keeper(tmp_path)
    assert anyio.run(made.scopes) == ("local", "project", "user")
    kept = anyio.run(made.keep, scope, ("Bash(npm test:*)", 'Bash(echo "a b")'), ())
    assert (kept.problem, kept.place) == ("", str(tmp_path / FILES[scope]))
    found = [(str(rule), rule.layer) for rule in rules(tmp_path)]
    assert found == [("Bash(npm test:*)", scope), ('Bash(echo "a b")', scope)]
    assert anyio.run(made.scopes) == ("local", "project", "user")


@pytest.mark.proves("E14")
def test_what_a_file_says_stays_as_it_was(tmp_path: Path):
    made = keeper(tmp_path)
    file = tmp_path / "home" / "config.toml"
    before = '# mine\nmode = "ask" # careful\n\n[permissions]\nallow = [\n  "Bash(ls)", # fine\n]\n'
    file.write_text(before)
    anyio.run(made.keep, "user", ("Bash(make)", "Bash(ls)"), ())
    text = file.read_text()
    assert "# mine" in text
    assert "# careful" in text
    assert "# fine" in text
    assert [str(rule) for rule in rules(tmp_path)] == ["Bash(ls)", "Bash(make)"]


@pytest.mark.proves("E14")
def test_two_writers_lose_nothing(tmp_path: Path):
    made = keeper(tmp_path)

    async def all_at_once() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(made.keep, "user", (f"Bash(make {number})",), ())

    anyio.run(all_at_once)
    assert len(rules(tmp_path)) == 8


@pytest.mark.proves("E14")
def test_a_broken_file_is_left_alone_and_told(tmp_path: Path):
    made = keeper(tmp_path)
    file = tmp_path / "home" / "config.toml"
    file.write_text("[permissions\n")
    kept = anyio.run(made.keep, "user", ("Bash(make)",), ())
    assert "line 1" in kept.problem
    assert file.read_text() == "[permissions\n"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path):
    made = keeper(tmp_path)
    (tmp_path / "work" / ".ouroboros").write_text("a file where a folder should be")
    kept = anyio.run(made.keep, "local", ("Bash(make)",), ())
    assert kept.problem
    assert kept.place == ""


@pytest.mark.proves("E14")
def test_a_folder_that_is_not_trusted_is_no_place(tmp_path: Path):
    made = keeper(tmp_path)
    own = tmp_path / "work" / ".ouroboros"
    own.mkdir()
    (own / "config.toml").write_text('[permissions]\nallow = ["Bash"]\n')
    assert anyio.run(made.scopes) == ("user",)
    kept = anyio.run(made.keep, "local", ("Bash(make)",), ())
    assert "not trusted" in kept.problem
    assert rules(tmp_path) == ()


def test_nothing_but_the_line_becomes_trusted(tmp_path: Path):
    made = keeper(tmp_path)
    anyio.run(made.keep, "local", ("Bash(make)",), ())
    hook = tmp_path / "work" / ".ouroboros" / "hooks" / "evil"
    hook.parent.mkdir()
    hook.write_text("x")
    kept = anyio.run(made.keep, "local", ("Bash(npm test)",), ())
    assert kept.problem
    inert = trust.read(tmp_path / "work", tmp_path / "home")
    assert trust.standing(tmp_path / "home", inert).verdict == "changed"


@pytest.mark.proves("E07")
def test_every_layer_hands_over_its_rules(tmp_path: Path):
    (tmp_path / "home").mkdir()
    own = tmp_path / "work" / ".ouroboros"
    own.mkdir(parents=True)
    line = '[permissions]\ndeny = [{{ toolName = "Bash", ruleContent = "{}" }}]\n'
    (tmp_path / "home" / "config.toml").write_text(line.format("user"))
    (own / "config.toml").write_text(line.format("project"))
    (own / "config.local.toml").write_text(line.format("local"))
    managed = tmp_path / "managed.toml"
    managed.write_text(line.format("managed"))
    environment = {"HOME": str(tmp_path), "OUROBOROS_HOME": str(tmp_path / "home")}
    flags = {"permissions.deny": ["Bash(flag)"]}

    def found() -> list[tuple[str, str]]:
        loaded = layers.load(tmp_path / "work", environment, flags, managed=managed)
        return [(rule.content, rule.layer) for rule in loaded.rules]

    assert found() == [("user", "user"), ("flag", "cli"), ("managed", "managed")]
    trust.grant(tmp_path / "home", trust.read(tmp_path / "work", tmp_path / "home"))
    assert ("project", "project") in found()
    assert ("local", "local") in found()


@every("rule", ["Bash(", "((", "Bash(re:git (log)", ""])
def test_a_broken_rule_names_file_and_line(tmp_path: Path, rule: str):
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "home" / "config.toml").write_text(f'[permissions]\n# a\ndeny = ["{rule}"]\n')
    with pytest.raises(ConfigBroken, match=r"config.toml, line 3: permissions.deny"):
        rules(tmp_path)
