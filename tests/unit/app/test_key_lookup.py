"""Keys: environment, then a trusted project's .env, then the keyring, then a private file."""

import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.app.config import layers as config
from ouroboros.app.providers import keys
from ouroboros.app.providers.listing import equipped
from ouroboros.app.providers.models import choose
from ouroboros.core.errors import ConfigBroken, Misuse
from tests.cases import every

pytestmark = pytest.mark.real

NAME = "OPENAI_API_KEY"


@pytest.mark.proves("W08")
def test_the_sources_are_asked_in_order(tmp_path: Path) -> None:
    keys.store(tmp_path, NAME, "from-file")

    def found(environment: dict[str, str], dotenv: dict[str, str]) -> keys.Key | None:
        return keys.Keys(environment, dotenv, tmp_path).find(NAME)

    assert found({NAME: "from-env"}, {NAME: "from-dotenv"}) == ("from-env", "environment")
    assert found({NAME: ""}, {NAME: "from-dotenv"}) == ("from-dotenv", ".env")
    assert found({}, {}) == ("from-file", "keys.toml")
    assert keys.Keys({}, {}, tmp_path).find("OTHER_KEY") is None


def test_only_the_keys_asked_for_join_the_environment(tmp_path: Path) -> None:
    keys.store(tmp_path, NAME, "one")
    keys.store(tmp_path, "OTHER_KEY", "two")

    joined = keys.Keys({"PATH": "/bin"}, {}, tmp_path).with_keys([NAME, "ABSENT_KEY"])

    assert joined == {"PATH": "/bin", NAME: "one"}


@pytest.mark.proves("W08")
def test_the_key_file_is_private_and_keeps_what_was_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    keys.store(home, NAME, "one")
    keys.store(home, "OTHER_KEY", "two")

    assert keys.key_file(home).stat().st_mode & 0o777 == 0o600
    assert keys.stored(home) == {NAME: "one", "OTHER_KEY": "two"}


@pytest.mark.proves("W08")
@every("mode", [0o640, 0o604, 0o660])
def test_a_key_file_others_can_read_is_refused_with_the_fix(tmp_path: Path, mode: int) -> None:
    keys.store(tmp_path, NAME, "sk-secret")
    keys.key_file(tmp_path).chmod(mode)

    with pytest.raises(ConfigBroken) as caught:
        keys.Keys({}, {}, tmp_path).find(NAME)

    assert caught.value.hint == f"chmod 600 {keys.key_file(tmp_path)}"
    assert "sk-secret" not in caught.value.message


@every("value", ["", "two words", "line\nbreak", "esc\x1b[0m", "ümlaut"])
def test_what_cannot_be_a_key_is_refused_and_not_repeated(tmp_path: Path, value: str) -> None:
    with pytest.raises(Misuse) as caught:
        keys.store(tmp_path, NAME, value)

    assert not value or value not in caught.value.message
    assert not keys.key_file(tmp_path).exists()


@every("name", ["", "A-B", "1A", "A\nB", "KÄY"])
def test_what_cannot_be_a_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Misuse):
        keys.store(tmp_path, name, "value")


def test_a_key_that_is_not_text_is_refused_without_showing_it(tmp_path: Path) -> None:
    keys.key_file(tmp_path).write_text(f"{NAME} = 12345", encoding="utf-8")
    keys.key_file(tmp_path).chmod(0o600)

    with pytest.raises(ConfigBroken) as caught:
        keys.stored(tmp_path)

    assert "12345" not in caught.value.message


KEYRING = """
from . import errors
def get_password(service, name):
    if name == "LOCKED_KEY":
        raise errors.KeyringError("locked")
    return "from-keyring" if (service, name) == ("ouroboros", "OPENAI_API_KEY") else None
"""

ASK = """
import sys
from pathlib import Path
from ouroboros.app.providers.keys import Keys
keys = Keys({}, {}, Path(sys.argv[1]))
print(keys.find("OPENAI_API_KEY"), keys.find("LOCKED_KEY"), keys.find("OTHER_KEY"))
"""


def test_an_installed_keyring_is_asked_before_the_file(tmp_path: Path) -> None:
    package = tmp_path / "site" / "keyring"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(KEYRING, encoding="utf-8")
    (package / "errors.py").write_text("class KeyringError(Exception): ...", encoding="utf-8")
    keys.store(tmp_path, NAME, "from-file")
    keys.store(tmp_path, "LOCKED_KEY", "from-file-too")

    ended = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path)],
        env={"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ended.stdout.strip() == (
        "Key(value='from-keyring', source='keyring') "
        "Key(value='from-file-too', source='keys.toml') None"
    )


def test_a_token_of_another_tool_does_not_hide_a_stored_key(tmp_path: Path) -> None:
    keys.store(tmp_path, "ANTHROPIC_API_KEY", "sk-stored")
    loaded = config.load(tmp_path, {"OUROBOROS_HOME": str(tmp_path)}, {})
    found = equipped(loaded, {"GITHUB_TOKEN": "ghp-1", "HF_TOKEN": "hf-1"})
    assert found["ANTHROPIC_API_KEY"] == "sk-stored"
    assert choose(loaded.settings, found).choice.entry.name == "anthropic"


def test_a_vendor_behind_the_bridge_gets_its_stored_key(tmp_path: Path) -> None:
    keys.store(tmp_path, "DEEP_INFRA_API_KEY", "sk-stored")
    home = {"OUROBOROS_HOME": str(tmp_path)}
    loaded = config.load(tmp_path, home, {"model": "litellm/deep-infra/org/m"})
    found = equipped(loaded, {})
    credential = choose(loaded.settings, found).choice.credential
    assert credential is not None
    assert credential.source == "DEEP_INFRA_API_KEY"
