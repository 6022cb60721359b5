"""`ouro config`."""

import io
import json
import sys
import tomllib
from pathlib import Path

import pytest

from ouroboros.app.providers import keys
from tests.unit.cli.commands.calling import Ouro


@pytest.mark.proves("W02")
def test_a_value_that_was_set_is_got_and_keeps_comments(ouro: Ouro, home: Path) -> None:
    home.mkdir()
    file = home / "config.toml"
    file.write_text(
        '# mine\nmodel = "a"  # why\n\n[limits]\nmax_turns = 1 # few\n', encoding="utf-8"
    )

    assert ouro("config", "set", "limits.max_turns", "7")[0] == 0
    assert ouro("config", "set", "mode", "plan")[0] == 0

    assert file.read_text(encoding="utf-8") == (
        '# mine\nmodel = "a"  # why\nmode = "plan"\n\n[limits]\nmax_turns = 7 # few\n'
    )
    assert ouro("config", "get", "limits.max_turns") == (0, "7\n", "")
    assert ouro("config", "get", "mode") == (0, "plan\n", "")


def test_a_new_file_is_private(ouro: Ouro, home: Path) -> None:
    ouro("config", "set", "model", "x")

    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_linked_file_stays_a_link(ouro: Ouro, home: Path, tmp_path: Path) -> None:
    home.mkdir()
    real = tmp_path / "dotfiles.toml"
    real.write_text("", encoding="utf-8")
    (home / "config.toml").symlink_to(real)

    ouro("config", "set", "model", "x")

    assert (home / "config.toml").is_symlink()
    assert real.read_text(encoding="utf-8") == 'model = "x"\n'


WRONG = [
    (("limits.max_turns", "many"), "limits.max_turns: expected a whole number above 0, got 'many'"),
    (("modle", "x"), "there is no setting 'modle'"),
    (("limits", "3"), "limits: this is a table: name one of its keys"),
    (("models.gpt-5.1.window", "3"), "there is no setting 'models.gpt-5.1.window'"),
    (("a = 1", "3"), "'a = 1' is not the name of a setting"),
    (("model",), "no value for model"),
    (("profiles.work.limits.max_turns", "x"), "profiles.work.limits.max_turns: expected"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_nonsense_is_refused_and_nothing_is_written(
    ouro: Ouro, home: Path, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = ouro("config", "set", *arguments)

    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert not (home / "config.toml").exists()


def test_lists_and_names_with_dots_can_be_set(ouro: Ouro) -> None:
    ouro("config", "set", "permissions.deny", "Bash(rm:*), Read(.env)")
    ouro("config", "set", 'models."gpt-5.1".window', "1000")
    ouro("config", "set", "profiles.work.model", "x")

    assert ouro("config", "get", "permissions.deny").out == '["Bash(rm:*)","Read(.env)"]\n'
    assert ouro("config", "get", 'models."gpt-5.1".window').out == "1000\n"
    assert ouro("--profile", "work", "config", "get", "model").out == "x\n"


@pytest.mark.proves("W02")
def test_the_winner_is_named_first_and_a_shadowed_change_is_said(
    ouro: Ouro, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUROBOROS_MODEL", "from-env")

    changed = ouro("config", "set", "model", "from-file")
    where = ouro("config", "where", "model", "--json")

    assert "model is also set by environment" in changed.err
    assert json.loads(where.out) == [
        {"layer": "environment", "source": "OUROBOROS_* variables", "value": "from-env"},
        {"layer": "user", "source": str(home / "config.toml"), "value": "from-file"},
    ]
    assert ouro("config", "where", "mode").out == "default\n"


def test_every_layer_is_shown_with_its_file(ouro: Ouro, home: Path, project: Path) -> None:
    (project / ".ouroboros").mkdir()
    (project / ".ouroboros" / "config.toml").write_text('model = "x"', encoding="utf-8")

    layers = {each["layer"]: each for each in json.loads(ouro("config", "where", "--json").out)}

    assert layers["user"] == {
        "layer": "user",
        "source": str(home / "config.toml"),
        "state": "absent",
    }
    assert layers["project"]["state"] == "not trusted"


@pytest.mark.proves("W02")
def test_the_list_shows_values_origins_and_no_secret(
    ouro: Ouro, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-environment")
    keys.store(home, "OPENAI_API_KEY", "sk-file")
    ouro("config", "set", "providers.mine.base_url", "http://me:sk-address@host/v1")

    plain = ouro("config", "list")
    machine = ouro("config", "list", "--json")

    assert 'providers.mine.base_url = "http://…@host/v1"  # user\n' in plain.out
    assert "limits.max_turns (not set)  # default\n" in plain.out
    assert "keys.ANTHROPIC_API_KEY: set (environment)\n" in plain.out
    assert "keys.OPENAI_API_KEY: set (keys.toml)\n" in plain.out
    assert "keys.GROQ_API_KEY" not in plain.out
    assert "\nkeys that are not set: " in plain.out
    assert "sk-" not in plain.out + plain.err + machine.out + machine.err
    assert json.loads(machine.out)["keys"]["OPENAI_API_KEY"] == "keys.toml"


def test_a_key_is_read_from_input_and_never_taken_as_an_argument(
    ouro: Ouro, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = ouro("config", "set", "keys.OPENAI_API_KEY", "sk-typed")
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-piped\n"))
    kept = ouro("config", "set", "keys.OPENAI_API_KEY")

    assert refused.code == 2
    assert "sk-" not in refused.err + kept.err
    assert keys.sealed(home) == {"OPENAI_API_KEY": "sk-piped"}


def test_an_own_change_keeps_a_project_trusted(ouro: Ouro, project: Path) -> None:
    assert ouro("config", "set", "--project", "mode", "plan").code == 0
    assert ouro("config", "set", "--local", "model", "m").code == 0

    assert (project / ".ouroboros" / "config.local.toml").exists()
    assert ouro("config", "get", "mode") == (0, "plan\n", "")
    assert ouro("config", "get", "model") == (0, "m\n", "")


def test_an_own_change_does_not_trust_what_was_not(ouro: Ouro, project: Path) -> None:
    (project / ".ouroboros").mkdir()
    (project / ".ouroboros" / "config.toml").write_text('mode = "full-auto"', encoding="utf-8")

    ouro("config", "set", "--project", "model", "m")

    assert ouro("config", "get", "mode").out == "ask\n"


def test_what_is_not_set_ends_with_one(ouro: Ouro) -> None:
    assert ouro("config", "get", "limits.max_turns") == (1, "", "limits.max_turns is not set\n")


def test_a_broken_file_stops_every_change(ouro: Ouro, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("model = \n", encoding="utf-8")

    ended = ouro("config", "set", "model", "x")

    assert ended.code == 2
    assert ended.err.startswith(f"error: {home / 'config.toml'}, line 1: not valid TOML")
    assert (home / "config.toml").read_text(encoding="utf-8") == "model = \n"


def test_the_habits_of_a_provider_are_set_one_by_one(ouro: Ouro, home: Path) -> None:
    at = "providers.mine"
    for key, value in (
        ("base_url", "http://h/v1"),
        ("dialect.streams", "false"),
        ("dialect.unsupported", '["temperature"]'),
        ("dialect.body.seed", "4"),
        ("dialect.body.stop", "END"),
        ("headers.x-team", "blue"),
        ("variables", '{"tenant": "t-1"}'),
        ("command", '["print-token", "--now"]'),
    ):
        assert ouro("config", "set", f"{at}.{key}", value).code == 0, key
    mine = tomllib.loads((home / "config.toml").read_text("utf-8"))["providers"]["mine"]
    assert mine == {
        "base_url": "http://h/v1",
        "dialect": {
            "streams": False,
            "unsupported": ["temperature"],
            "body": {"seed": 4, "stop": "END"},
        },
        "headers": {"x-team": "blue"},
        "variables": {"tenant": "t-1"},
        "command": ["print-token", "--now"],
    }
    assert ouro("config", "list").code == 0


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("providers.mine.dialect.strems", "providers.mine.dialect.streams"),
        ("providers.mine.base_ulr", "providers.mine.base_url"),
        ("models.gpt-5.4.window", 'models."gpt-5.4".window'),
        ("limits.max_turn", "limits.max_turns"),
    ],
)
def test_a_misspelled_key_brings_the_one_that_was_meant(ouro: Ouro, key: str, hint: str) -> None:
    ended = ouro("config", "set", key, "1")
    assert ended.code == 2
    assert hint in ended.err


@pytest.mark.proves("E02")
def test_an_old_map_of_levels_becomes_rules_of_this_folder(ouro: Ouro, tmp_path: Path) -> None:
    project = Path.cwd()
    old = tmp_path / "levels.json"
    old.write_text('{"read": "auto", "edit": "approve", "exec_command": "denied"}', "utf-8")

    assert ouro("config", "import-levels", str(old))[0] == 0
    assert ouro("config", "import-levels", str(old))[0] == 0  # each once

    file = project / ".ouroboros" / "config.local.toml"
    assert tomllib.loads(file.read_text(encoding="utf-8")) == {
        "permissions": {"allow": ["read"], "ask": ["edit"], "deny": ["exec_command"]}
    }


@pytest.mark.proves("E02")
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"read": "auto", "edit": "sometimes"}', "sometimes"),
        ('{"read": true}', "True"),
        ('{"raed": "denied"}', "did you mean read"),
        ('["read"]', "expected an object"),
        ("{", "truncated"),
    ],
)
def test_of_a_map_that_is_not_understood_nothing_is_taken(
    ouro: Ouro, tmp_path: Path, written: str, said: str
) -> None:
    old = tmp_path / "levels.json"
    old.write_text(written, encoding="utf-8")

    code, _, error = ouro("config", "import-levels", str(old))

    assert code == 2
    assert said in error
    assert not (Path.cwd() / ".ouroboros").exists()
