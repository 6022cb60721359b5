"""What is wrong with a configuration, on which line of which file, and what was meant."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.app.config import file as config_file
from ouroboros.app.config import layers as config
from ouroboros.core.errors import ConfigBroken, Misuse
from tests.cases import every


def load(
    home: Path,
    text: str | bytes,
    flags: dict[str, object] | None = None,
    profile: str = "",
    **variables: str,
) -> config.Loaded:
    home.mkdir(exist_ok=True)
    content = text if isinstance(text, bytes) else text.encode()
    (home / "config.toml").write_bytes(content)
    environment = {"OUROBOROS_HOME": str(home), **variables}
    return config.load(home, environment, flags or {}, profile, managed=home / "managed.toml")


WRONG = [
    ("model = 5", 1, "model: expected text in quotes, got 5"),
    (
        'mode = "yolo"',
        1,
        'mode: expected one of "ask", "auto-edit", "full-auto", "plan", got \'yolo\'',
    ),
    (
        '[providers.openai]\nprotocol = "openai"',
        2,
        'providers.openai.protocol: expected one of "anthropic-messages", "bedrock-converse", '
        '"bedrock-invoke-stream", "gemini", "ollama-chat", "openai-chat", "openai-responses", '
        "got 'openai'",
    ),
    (
        '# note\n\n[limits]\n# more\nmax_turns = "many"',
        5,
        "limits.max_turns: expected a whole number above 0, got 'many'",
    ),
    ("limits.max_turns = -1", 1, "limits.max_turns: expected a whole number above 0, got -1"),
    ("limits.max_turns = true", 1, "limits.max_turns: expected a whole number above 0, got True"),
    (
        "[context]\nthreshold = nan",
        2,
        "context.threshold: expected a number above 0 and up to 1, got nan",
    ),
    ("limits = 3", 1, "limits: expected a table, got 3"),
    (
        "[limits]\n[providers.x]\nbase_url = 3",
        3,
        "providers.x.base_url: expected text in quotes, got 3",
    ),
    ('[providers.x]\nprotocol = "openai-chat"', 1, "providers.x: 'base_url' is missing"),
    (
        'system = """\n[limits]\nmax_turns = 0\n"""\n[limits]\nmax_turns = 0',
        6,
        "limits.max_turns: expected a whole number above 0, got 0",
    ),
    (
        '[permissions]\nallow = [\n  "Bash(ls)",\n  5,\n]',
        2,
        "permissions.allow: expected a list of texts or tables with toolName and ruleContent",
    ),
    ('profiles = "x"', 1, "profiles: expected tables such as [profiles.work]"),
]


@pytest.mark.proves("W04")
@every(("text", "line", "said"), WRONG)
def test_a_wrong_value_is_refused_with_file_line_and_what_was_expected(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(ConfigBroken) as caught:
        load(tmp_path / "home", text)

    prefix = f"{tmp_path / 'home' / 'config.toml'}, line {line}: "
    assert caught.value.message.startswith(prefix + said)
    assert caught.value.exit_code == 2


BROKEN = [
    ("a = 1\nb = \n", 2, "not valid TOML"),
    ('model = "x', 1, "not valid TOML"),
    ("model = 'a'\nmodel = 'b'", 2, "not valid TOML"),
    ("a = " + "9" * 5000, 1, "not valid TOML"),
    (b"ok = 1\nx = '\xff'", 2, "not UTF-8"),
]


@every(("text", "line", "said"), BROKEN)
def test_what_is_not_toml_is_refused_with_its_line(
    tmp_path: Path, text: str | bytes, line: int, said: str
) -> None:
    with pytest.raises(ConfigBroken) as caught:
        load(tmp_path / "home", text)

    assert caught.value.message.startswith(
        f"{tmp_path / 'home' / 'config.toml'}, line {line}: {said}"
    )


def test_absurd_nesting_and_size_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigBroken, match="nested too deeply"):
        load(tmp_path / "home", "a = " + "[" * 100_000)
    with pytest.raises(ConfigBroken, match="larger than"):
        load(tmp_path / "home", "#" * (config_file.LARGEST_BYTES + 1))


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    assert load(tmp_path / "home", b'\xef\xbb\xbfmodel = "m"').settings.model == "m"


UNKNOWN = [
    ('modle = "x"', "line 1: modle: no such setting, ignored; did you mean model?"),
    ("[limts]\nmax_turns = 1", "line 1: limts: no such setting, ignored; did you mean limits?"),
    (
        "[limits]\nmax_turn = 1",
        "line 2: limits.max_turn: no such setting, ignored; did you mean limits.max_turns?",
    ),
    ("zzzzzz = 1", "line 1: zzzzzz: no such setting, ignored"),
]


@pytest.mark.proves("W04")
@every(("text", "said"), UNKNOWN)
def test_an_unknown_key_is_a_warning_with_the_near_name(
    tmp_path: Path, text: str, said: str
) -> None:
    loaded = load(tmp_path / "home", text)

    assert loaded.warnings == (f"{tmp_path / 'home' / 'config.toml'}, {said}",)


@pytest.mark.proves("settings-misspelt-limits")
@every(
    ("text", "said"),
    [
        (
            '[permissions]\ndenyy = ["Bash(rm:*)"]',
            "line 2: permissions.denyy: no such setting; did you mean permissions.deny?",
        ),
        (
            '[permisions]\ndeny = ["Bash(rm:*)"]',
            "line 1: permisions: no such setting; did you mean permissions?",
        ),
        (
            '[sandbox]\nhidee = ["x"]',
            "line 2: sandbox.hidee: no such setting; did you mean sandbox.hide?",
        ),
    ],
)
def test_what_limits_is_never_passed_over(tmp_path: Path, text: str, said: str) -> None:
    """A deny that is misspelt would let through what it forbids."""
    with pytest.raises(ConfigBroken) as caught:
        load(tmp_path / "home", text)

    assert caught.value.message == f"{tmp_path / 'home' / 'config.toml'}, {said}"


def test_an_unknown_variable_is_a_warning_with_the_near_name(tmp_path: Path) -> None:
    loaded = load(tmp_path / "home", "", OUROBOROS_LIMITS_MAX_TURN="3")

    assert loaded.warnings == (
        "OUROBOROS_LIMITS_MAX_TURN: no such setting, ignored; "
        "did you mean OUROBOROS_LIMITS_MAX_TURNS?",
    )


def test_a_wrong_variable_names_itself(tmp_path: Path) -> None:
    with pytest.raises(ConfigBroken) as caught:
        load(tmp_path / "home", "", OUROBOROS_LIMITS_MAX_TURNS="many")

    assert caught.value.message == (
        "OUROBOROS_LIMITS_MAX_TURNS: expected a whole number above 0, got 'many'"
    )


@every("value", [0, "0"])
def test_a_wrong_option_names_itself(tmp_path: Path, value: object) -> None:
    with pytest.raises(Misuse) as caught:
        load(tmp_path / "home", "", {"limits.max_turns": value})

    assert caught.value.message.startswith("--max-turns: expected a whole number above 0, got ")


def test_an_unknown_profile_is_refused_with_the_near_name(tmp_path: Path) -> None:
    with pytest.raises(Misuse) as caught:
        load(tmp_path / "home", '[profiles.work]\nmodel = "m"', profile="wrok")

    assert caught.value.message.endswith("has no profile 'wrok'")
    assert caught.value.hint == "did you mean 'work'?"


def test_an_error_in_a_profile_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigBroken) as caught:
        load(tmp_path / "home", '[profiles.work]\nmodel = "m"\nmode = 1', profile="work")

    assert ", line 3: profiles.work.mode: expected one of" in caught.value.message


@every("name", ["home/config.toml", "m"])
def test_a_configuration_that_is_no_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(parents=True)
    home = {"OUROBOROS_HOME": str(tmp_path / "home")}

    with pytest.raises(ConfigBroken, match="cannot be read: it is not a file"):
        config.load(tmp_path, home, {}, managed=tmp_path / "m")


def test_a_folder_called_dotenv_is_no_settings_of_a_project(tmp_path: Path) -> None:
    (tmp_path / ".env" / "bin").mkdir(parents=True)
    home = {"OUROBOROS_HOME": str(tmp_path / "home")}

    loaded = config.load(tmp_path, home, {}, managed=tmp_path / "m")

    assert (loaded.warnings, loaded.dotenv) == ((), {})


@given(st.binary(max_size=60) | st.text(alphabet="ab[]{}=\"'\n.,1#", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_with_a_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    home = tmp_path_factory.getbasetemp() / "any-bytes"
    refused = ""
    try:
        load(home, content)
    except ConfigBroken as broken:
        refused = broken.message
    assert not refused or refused.startswith(str(home / "config.toml"))


def test_a_line_is_found_wherever_the_key_is_written() -> None:
    text = (
        'a = 1\n[t]\nx = [\n 1,\n]\n"y.z" = 2\n[t.u]\nk.l = 3\n[[many]]\nq = 4\nin = {deep = 5}\n'
    )

    def at(*path: str) -> int:
        return config_file.line_of(text, path)

    assert [at("a"), at("t"), at("t", "x"), at("t", "y.z")] == [1, 2, 3, 6]
    assert [at("t", "u"), at("t", "u", "k", "l"), at("many")] == [7, 8, 9]
    assert [at("many", "in", "deep"), at("nowhere")] == [11, 1]
