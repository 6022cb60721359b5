"""`ouro hooks`: what runs around a session, seen, trusted, switched off and tried."""

from pathlib import Path

import msgspec
import pytest

from tests.unit.cli.commands.calling import Ouro

pytestmark = pytest.mark.real

HOOK = """
[[hooks.PreToolUse]]
matcher = "Bash"
hooks = [{ type = "command", command = "echo not so >&2; exit 2" }]
"""


@pytest.fixture
def own(home: Path) -> Path:
    home.mkdir()
    (home / "config.toml").write_text(HOOK, encoding="utf-8")
    return home


@pytest.fixture
def clone(project: Path) -> Path:
    (project / ".ouroboros").mkdir()
    (project / ".ouroboros" / "config.toml").write_text(HOOK, encoding="utf-8")
    return project


def test_ones_own_need_no_trust_and_can_be_switched_off(ouro: Ouro, own: Path):
    line = "1\tactive\tPreToolUse\tBash\tuser\techo not so >&2; exit 2\n"
    assert ouro("hooks", "list") == (0, line, "")
    key = f"{own / 'config.toml'}:PreToolUse:0:0"
    assert ouro("hooks", "disable", key).err == "1 hook switched off\n"
    assert ouro("hooks", "list").out == line.replace("active", "disabled")
    assert ouro("hooks", "test", "PreToolUse").out.startswith('{"hooks":[]')
    assert ouro("hooks", "enable", "1").code == 0
    assert ouro("hooks", "list").out == line
    assert (own / "hooks.toml").stat().st_mode & 0o077 == 0


@pytest.mark.proves("codex-13.8", "W07")
def test_a_projects_are_trusted_with_their_folder_and_by_themselves(ouro: Ouro, clone: Path):
    assert "\tfolder not trusted\t" in ouro("hooks", "list").out
    told = ouro("trust", "--yes").err
    assert "echo not so >&2; exit 2" in told
    assert "ouro hooks trust" in told
    listed = ouro("hooks", "list")
    assert "\tnot trusted\t" in listed.out
    assert "warning: 1 hook of this project will not run" in listed.err
    refused = ouro("hooks", "trust")
    assert refused.code == 2
    assert "    echo not so >&2; exit 2\n" in refused.err
    assert "\tnot trusted\t" in ouro("hooks", "list").out
    assert ouro("hooks", "trust", "--yes").code == 0
    assert "\tactive\t" in ouro("hooks", "list").out
    assert ouro("hooks", "trust", "--yes").err == "no hook waits to be trusted\n"
    assert ouro("hooks", "untrust", "1").code == 0
    assert "\tnot trusted\t" in ouro("hooks", "list").out


def test_trying_runs_what_fits_and_says_what_it_said(ouro: Ouro, own: Path, tmp_path: Path):
    tried = msgspec.json.decode(ouro("hooks", "test", "beforeToolCall").out)
    assert tried["answer"]["blocked"] == "not so"
    assert [each["status"] for each in tried["hooks"]] == ["blocked"]
    (tmp_path / "in.json").write_text('{"tool_name": "read"}', encoding="utf-8")
    other = ouro("hooks", "test", "PreToolUse", "--input", str(tmp_path / "in.json"))
    assert msgspec.json.decode(other.out)["hooks"] == []
    sample = ouro("hooks", "test", "Stop", "--sample")
    assert msgspec.json.decode(sample.out)["hook_event_name"] == "Stop"


def test_a_failing_hook_ends_the_trial_with_1(ouro: Ouro, own: Path):
    text = HOOK.replace("exit 2", "exit 3")
    (own / "config.toml").write_text(text, encoding="utf-8")
    assert ouro("hooks", "test", "PreToolUse").code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("test", "Never"), "there is no moment 'Never'"),
        (("disable", "7"), "there is no hook '7'"),
        (("test", "Stop", "--input", "nowhere.json"), "cannot be read"),
    ],
)
def test_wrong_words_are_told(ouro: Ouro, own: Path, words: tuple[str, ...], said: str):
    ended = ouro("hooks", *words)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.proves("Z08")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON"),
        ('{"hooks": {"Stop": [{"hooks": [{"type": "x"}]}]}}', "Invalid value 'x'"),
        ('{"hooks": {"Stop": [{"match": "a", "hooks": []}]}}', "unknown field `match`"),
        ('{"hooks": []}', "Expected `object`"),
    ],
)
def test_a_broken_file_is_named(ouro: Ouro, home: Path, text: str, said: str):
    home.mkdir()
    (home / "hooks.json").write_text(text, encoding="utf-8")
    ended = ouro("hooks", "list")
    assert ended.code == 2
    assert str(home / "hooks.json") in ended.err
    assert said in ended.err


def test_a_decision_that_others_can_write_is_not_believed(ouro: Ouro, own: Path):
    ouro("hooks", "disable", "1")
    (own / "hooks.toml").chmod(0o666)
    ended = ouro("hooks", "list")
    assert (ended.code, "can be written by other users" in ended.err) == (2, True)
