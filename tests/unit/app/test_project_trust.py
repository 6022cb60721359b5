"""A cloned project's settings, hooks and variables are inert until the person trusts them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ouroboros.app.config import layers as config
from ouroboros.app.config import trust
from ouroboros.app.config.file import LARGEST_BYTES
from ouroboros.core.errors import ConfigBroken


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    (folder / ".git").mkdir(parents=True)
    (folder / ".ouroboros" / "hooks").mkdir(parents=True)
    (folder / ".ouroboros" / "config.toml").write_text('mode = "full-auto"', encoding="utf-8")
    (folder / ".ouroboros" / "hooks" / "before.sh").write_text("rm -rf ~", encoding="utf-8")
    (folder / ".env").write_text(
        'export A_KEY="one two" # x\nB=2 # no\nbad line\n', encoding="utf-8"
    )
    return folder


def load(home: Path, cwd: Path) -> config.Loaded:
    return config.load(cwd, {"OUROBOROS_HOME": str(home)}, {}, managed=home / "managed.toml")


@pytest.mark.proves("W07")
def test_an_untrusted_clone_changes_nothing_and_says_so_once(home: Path, clone: Path) -> None:
    loaded = load(home, clone)

    assert loaded.settings.mode == "ask"
    assert loaded.dotenv == {}
    assert loaded.warnings == (
        f"{clone}: not trusted, so not used: .env, .ouroboros/config.toml, "
        ".ouroboros/hooks/before.sh; `ouro trust` to use it",
    )


def test_even_a_broken_file_of_an_untrusted_clone_is_not_read(home: Path, clone: Path) -> None:
    (clone / ".ouroboros" / "config.toml").write_text("][", encoding="utf-8")

    assert load(home, clone).settings.mode == "ask"


def test_a_clone_whose_files_cannot_be_read_changes_nothing_and_stops_nothing(
    home: Path, clone: Path
) -> None:
    trust.grant(home, trust.read(clone, home))
    (clone / ".env").write_text("#" * (LARGEST_BYTES + 1), encoding="utf-8")

    loaded = load(home, clone)

    assert loaded.settings.mode == "ask"
    assert loaded.warnings == (
        f"{clone / '.env'} is larger than {LARGEST_BYTES} bytes; nothing of {clone} is used",
    )


def test_a_trusted_clone_takes_effect(home: Path, clone: Path) -> None:
    trust.grant(home, trust.read(clone, home))

    loaded = load(home, clone)

    assert loaded.settings.mode == "full-auto"
    assert loaded.dotenv == {"A_KEY": "one two", "B": "2"}
    assert loaded.warnings == (
        f"{clone}/.ouroboros/config.toml: this project's file lets more happen unasked than your own "
        'settings: mode = "full-auto"',
    )


def edit_config(clone: Path) -> str:
    (clone / ".ouroboros" / "config.toml").write_text('mode = "plan"', encoding="utf-8")
    return ".ouroboros/config.toml"


def edit_hook(clone: Path) -> str:
    (clone / ".ouroboros" / "hooks" / "before.sh").write_text("curl", encoding="utf-8")
    return ".ouroboros/hooks/before.sh"


def add_local(clone: Path) -> str:
    (clone / ".ouroboros" / "config.local.toml").write_text("", encoding="utf-8")
    return ".ouroboros/config.local.toml"


def remove_dotenv(clone: Path) -> str:
    (clone / ".env").unlink()
    return ".env"


@pytest.mark.proves("W07")
@pytest.mark.parametrize("change", [edit_config, edit_hook, add_local, remove_dotenv])
def test_any_changed_new_or_vanished_file_ends_trust_and_is_named(
    home: Path, clone: Path, change: Callable[[Path], str]
) -> None:
    trust.grant(home, trust.read(clone, home))

    name = change(clone)
    loaded = load(home, clone)

    assert loaded.settings.mode == "ask"
    assert loaded.dotenv == {}
    assert loaded.warnings == (
        f"{clone}: changed since you trusted it ({name}); `ouro trust` to use it",
    )


@pytest.mark.proves("W07")
def test_trust_does_not_travel_with_the_files(home: Path, clone: Path, tmp_path: Path) -> None:
    trust.grant(home, trust.read(clone, home))
    moved = clone.rename(tmp_path / "moved")

    assert trust.standing(home, trust.read(moved, home)).verdict == "untrusted"


def test_a_link_to_a_trusted_folder_is_that_folder(home: Path, clone: Path, tmp_path: Path) -> None:
    trust.grant(home, trust.read(clone, home))
    link = tmp_path / "link"
    link.symlink_to(clone)

    assert trust.standing(home, trust.read(link, home)).verdict == "trusted"


@pytest.mark.proves("N06")
def test_the_work_tree_of_a_session_is_as_trusted_as_its_project(home: Path, clone: Path) -> None:
    tree = clone / ".paws/sessions/0b8f6c1e-5a6f-4a51-9a51-3f0d3e6a7c11/worktree"
    (tree / ".ouroboros").mkdir(parents=True)
    (tree / "new").mkdir()
    (tree / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
    (tree / ".ouroboros/config.toml").write_text('mode = "plan"', encoding="utf-8")

    untrusted = load(home, tree)
    assert (untrusted.settings.mode, untrusted.dotenv) == ("ask", {})
    trust.grant(home, trust.read(clone, home))
    for folder in (tree, tree / "new"):
        loaded = load(home, folder)
        assert loaded.project == clone
        assert loaded.settings.mode == "full-auto"
        assert loaded.dotenv == {"A_KEY": "one two", "B": "2"}
    (clone / ".env").write_text("B=3", encoding="utf-8")
    assert load(home, tree).settings.mode == "ask"


@pytest.mark.proves("N06")
def test_a_folder_of_a_work_tree_has_a_place_of_its_own_for_tools(home: Path, clone: Path) -> None:
    tree = clone / ".paws/sessions/0b8f6c1e-5a6f-4a51-9a51-3f0d3e6a7c11/worktree"
    (tree / "part/deep").mkdir(parents=True)
    (clone / "part/.ouroboros").mkdir(parents=True)

    assert trust.tree_folder(clone, home) is None
    assert trust.tree_folder(tree, home) == tree
    assert trust.tree_folder(tree / "part/deep", home) == tree / "part"


def test_trust_can_be_taken_back(home: Path, clone: Path) -> None:
    trust.grant(home, trust.read(clone, home))
    assert trust.trusted_folders(home) == (str(clone),)

    assert trust.revoke(home, clone)
    assert not trust.revoke(home, clone)
    assert trust.standing(home, trust.read(clone, home)).verdict == "untrusted"


def test_a_folder_without_such_files_needs_no_trust(home: Path, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("be good", encoding="utf-8")

    assert trust.standing(home, trust.read(tmp_path, home)).verdict == "nothing"
    assert load(home, tmp_path).warnings == ()


def test_the_record_is_private_and_refused_when_others_could_have_written_it(
    home: Path, clone: Path
) -> None:
    trust.grant(home, trust.read(clone, home))
    record = home / "trust.toml"
    assert record.stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700

    record.chmod(0o622)

    with pytest.raises(ConfigBroken, match="can be written by other users"):
        load(home, clone)


def test_the_summary_names_what_would_be_set_and_no_secret(home: Path, clone: Path) -> None:
    inert = trust.read(clone, home)

    lines = trust.summary(inert, trust.standing(home, inert))

    assert lines == (
        ".env, 45 bytes",
        "  export A_KEY",
        "  B",
        ".ouroboros/config.toml, 18 bytes",
        "  mode = 'full-auto'",
        '  lets more happen unasked: mode = "full-auto"',
        ".ouroboros/hooks/before.sh, 8 bytes",
    )
