"""Policy files in their places: which count, in what order, and how one is added to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from anyio import Path as AsyncPath
from anyio import to_thread

from ouroboros.app.config import trust
from ouroboros.app.permission import policies
from ouroboros.core.errors import ConfigBroken, StoreFailed
from ouroboros.safety.policy import line

pytestmark = pytest.mark.real

PULL = line(("git", "pull"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    (folder / ".git").mkdir(parents=True)
    (folder / ".ouroboros" / "rules").mkdir(parents=True)
    return folder


def wrote(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_files_nothing_is_said(home: Path, clone: Path) -> None:
    book, warnings = policies.book(home, clone)

    assert not book.policy
    assert warnings == []


def test_all_files_of_all_folders_count_in_order(home: Path, clone: Path, tmp_path: Path) -> None:
    wrote(home / "rules" / "b.rules", 'prefix_rule(["b"])')
    wrote(home / "rules" / "a.rules", 'prefix_rule(["a"])')
    wrote(home / "rules" / "note.txt", "not (a rule")
    wrote(clone / ".ouroboros" / "rules" / "c.rules", 'prefix_rule(["c"])')
    managed = tmp_path / "etc" / "managed.toml"
    wrote(managed.parent / "rules" / "d.rules", 'prefix_rule(["a"], "forbidden")')
    trust.grant(home, trust.read(clone, home))

    policy, warnings = policies.joined(policies.sources(home, clone, managed=managed))

    assert [rule.pattern[0][0] for rule in policy.rules] == ["a", "b", "c", "a"]
    assert warnings == []
    assert policy.evaluate([("a",)]).decision == "forbidden"


@pytest.mark.proves("E23")
def test_the_rules_of_a_clone_wait_for_trust_and_a_change_takes_it_back(
    home: Path, clone: Path
) -> None:
    file = wrote(clone / ".ouroboros" / "rules" / "x.rules", 'prefix_rule(["curl"])')
    assert not policies.book(home, clone)[0].policy
    assert [source.content for source in policies.sources(home, clone)] == [None]

    trust.grant(home, trust.read(clone, home))
    assert policies.book(home, clone)[0].policy.evaluate([("curl",)]).covers

    file.write_text('prefix_rule(["sh"])', encoding="utf-8")
    assert not policies.book(home, clone)[0].policy


def test_trust_shows_the_rules_it_would_let_count(home: Path, clone: Path) -> None:
    wrote(clone / ".ouroboros" / "rules" / "x.rules", '\nprefix_rule(["curl"])\n')
    inert = trust.read(clone, home)

    assert '  prefix_rule(["curl"])' in trust.summary(inert, trust.standing(home, inert))


@pytest.mark.proves("E23", "divergences-broken-policy-file")
def test_one_broken_file_leaves_no_rule_and_everything_is_asked(home: Path, clone: Path) -> None:
    wrote(home / "rules" / "a.rules", 'prefix_rule(["a"])')
    wrote(home / "rules" / "b.rules", 'prefix_rule(["b"], match=["c"])')

    book, warnings = policies.book(home, clone)

    assert book.policy.evaluate([("a",)]).decision == "prompt"
    assert len(warnings) == 1
    assert f"{home}/rules/b.rules:1:1" in warnings[0]
    assert f"{home}/rules/b.rules:1:1" in book.policy.evaluate([("a",)]).reason


@pytest.mark.proves("E23")
@pytest.mark.parametrize("kind", ["dangling", "loop", "file"])
def test_a_folder_of_rules_that_is_none_is_told(home: Path, clone: Path, kind: str) -> None:
    home.mkdir()
    folder = home / "rules"
    match kind:
        case "dangling":
            folder.symlink_to("nowhere")
        case "loop":
            folder.symlink_to("rules")
        case _:
            folder.write_text("prefix_rule", encoding="utf-8")
    with pytest.raises(ConfigBroken, match=f"{folder} cannot be read: it "):
        policies.book(home, clone)


@pytest.mark.proves("E23")
@pytest.mark.parametrize("is_whole", [True, False])
def test_rules_of_a_project_that_lead_nowhere_are_said_and_stop_nobody(
    home: Path, clone: Path, is_whole: bool
) -> None:
    folder = clone / ".ouroboros" / "rules"
    if is_whole:
        folder.rmdir()
    lost = folder if is_whole else folder / "team.rules"
    lost.symlink_to(clone / "nowhere")
    wrote(home / "rules" / "own.rules", 'prefix_rule(["a"])')

    book, warnings = policies.book(home, clone)

    assert warnings == [f"{lost} leads nowhere, so no rule of it counts"]
    assert book.policy.evaluate([("a",)]).covers


@pytest.mark.parametrize("kind", ["folder", "pipe", "dangling", "bytes", "huge"])
def test_a_file_that_is_none_or_no_text_is_told(home: Path, clone: Path, kind: str) -> None:
    path = wrote(home / "rules" / "x.rules", "")
    if kind in {"folder", "pipe", "dangling"}:
        path.unlink()
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "dangling":
            path.symlink_to("nowhere")
        case "bytes":
            path.write_bytes(b"prefix_rule([\xff])")
        case _:
            path.write_bytes(b"#" * 2_000_000)
    if kind == "bytes":
        book, warnings = policies.book(home, clone)
        assert book.policy.broken
        assert "x.rules" in warnings[0]
    else:
        with pytest.raises(ConfigBroken, match=r"x\.rules"):
            policies.book(home, clone)


async def test_a_yes_for_good_holds_in_the_next_session_and_is_written_once(
    home: Path, clone: Path
) -> None:
    book, _ = await to_thread.run_sync(policies.book, home, clone)
    await book.allow(("git", "pull"))
    await book.allow(("git", "pull"))
    await book.allow(("echo", 'a, "b"\n'))

    file = home / "rules" / "default.rules"
    lines = (await AsyncPath(file).read_text(encoding="utf-8")).splitlines()
    assert (lines[0], len(lines)) == (PULL, 2)
    assert (await AsyncPath(file).stat()).st_mode & 0o777 == 0o600
    again, _ = await to_thread.run_sync(policies.book, home, clone)
    assert again.policy.evaluate([("git", "pull", "origin"), ("echo", 'a, "b"\n')]).covers


def test_what_a_person_wrote_stays_as_it_is(home: Path) -> None:
    real = wrote(home / "dotfiles" / "mine", '# mine\nprefix_rule(["a"])')
    (home / "rules").mkdir()
    (home / "rules" / "default.rules").symlink_to(real)

    policies.append(home, PULL)

    assert real.read_text(encoding="utf-8") == f'# mine\nprefix_rule(["a"])\n{PULL}\n'
    assert (home / "rules" / "default.rules").is_symlink()


_APPEND_MANY = """
import sys
from pathlib import Path
from ouroboros.app.permission import policies
home, own = Path(sys.argv[1]), sys.argv[2]
policies.append(home, f"# {own}")
while (home / "rules" / "default.rules").read_text().count("#") < 2:
    pass
for number in range(60):
    policies.append(home, f"# {own}-{number}")
"""


@pytest.mark.deep
@pytest.mark.proves("E23")
def test_processes_that_add_at_the_same_time_lose_no_line(home: Path) -> None:
    command = [sys.executable, "-I", "-c", _APPEND_MANY, str(home)]
    writers = [subprocess.Popen([*command, own]) for own in ("a", "b")]
    assert [writer.wait(60) for writer in writers] == [0, 0]

    lines = (home / "rules" / "default.rules").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) == 122


def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_lost(home: Path) -> None:
    file = wrote(home / "rules" / "default.rules", "# mine\n")
    file.unlink()
    (home / "rules" / "default.rules").mkdir()

    with pytest.raises((StoreFailed, ConfigBroken), match=r"default\.rules"):
        policies.append(home, PULL)

    wrote(home / "other", "x")
    with pytest.raises(StoreFailed, match="rules"):
        policies.append(home / "other", PULL)
