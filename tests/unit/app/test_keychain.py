"""Keys in the system's keyring: the real package, with keyrings that work, fail, lie or say nothing."""

from pathlib import Path

import pytest

from ouroboros.app.providers import keys
from tests.cases import deep_after
from tests.unit.app.keyrings import Keyrings

pytestmark = pytest.mark.real

OURO = ("-m", "ouroboros")
ASK = """
import sys
from pathlib import Path
from ouroboros.app.providers import keys
for name in sys.argv[2:]:
    print(keys.Keys(dict(A_KEY="env"), dict(B_KEY="dot"), Path(sys.argv[1])).find(name))
"""
TWICE = """
import keyring
keyring.get_keyring()
from ouroboros.safety.keychain import Keychain
keychain = Keychain(patience_seconds=1)
print(repr(keychain.get("A_KEY")))
print(repr(keychain.get("A_KEY")), keychain.put("A_KEY", "x"), keychain.remove("A_KEY"))
"""


@pytest.fixture
def keyrings(tmp_path: Path) -> Keyrings:
    (tmp_path / "rings").mkdir()
    return Keyrings(tmp_path / "rings")


@pytest.mark.proves("W08")
def test_the_keyring_comes_after_the_variables_and_before_the_file(
    keyrings: Keyrings, tmp_path: Path
) -> None:
    keyrings.file.write_text('{"ouroboros/A_KEY":"k","ouroboros/B_KEY":"k","ouroboros/C_KEY":"k"}')
    for name in ("A_KEY", "B_KEY", "C_KEY", "D_KEY"):
        keys.store(tmp_path, name, "from-file")
    names = ("A_KEY", "B_KEY", "C_KEY", "D_KEY", "E_KEY")
    said = keyrings.run("InFile", tmp_path, "-c", ASK, str(tmp_path), *names)
    assert said.splitlines() == [
        "Key(value='env', source='environment')",
        "Key(value='dot', source='.env')",
        "Key(value='k', source='keyring')",
        "Key(value='from-file', source='keys.toml')",
        "None",
        "0",
    ]


@pytest.mark.deep
@pytest.mark.proves("W08")
@pytest.mark.parametrize(
    "ring",
    deep_after(
        1,
        [
            "Exiting",
            "Locked",
            "Broken",
            "keyring.backends.fail.Keyring",
            "keyring.backends.null.Keyring",
        ],
    ),
)
def test_a_keyring_that_fails_is_passed_over(keyrings: Keyrings, tmp_path: Path, ring: str) -> None:
    keys.store(tmp_path, "C_KEY", "from-file")
    said = keyrings.run(ring, tmp_path, "-c", ASK, str(tmp_path), "C_KEY")
    assert said == "Key(value='from-file', source='keys.toml')\n0"


@pytest.mark.deep
@pytest.mark.proves("W08")
def test_a_keyring_that_says_nothing_is_asked_once_and_not_waited_for(
    keyrings: Keyrings, tmp_path: Path
) -> None:
    said = keyrings.run("Silent", tmp_path, "-c", TWICE)
    assert said.split("\n") == ["''", "'' False False", "0"]
    assert keyrings.file.read_text() == "asked"


@pytest.mark.deep
@pytest.mark.proves("W08")
def test_a_key_is_kept_in_the_keyring_and_taken_out_again(
    keyrings: Keyrings, tmp_path: Path
) -> None:
    home = tmp_path / ".ouroboros"
    keys.store(home, "GROQ_API_KEY", "an-old-one")
    words = (*OURO, "providers", "login", "groq", "--key-stdin")
    said = keyrings.run("InFile", tmp_path, *words, typed="sk-mine\n")
    assert "GROQ_API_KEY is kept in the keyring" in said
    assert "sk-mine" not in said
    assert keyrings.file.read_text() == '{"ouroboros/GROQ_API_KEY": "sk-mine"}'
    assert keys.stored(home) == {}

    said = keyrings.run("InFile", tmp_path, *OURO, "providers", "logout", "groq")
    assert said == "removed GROQ_API_KEY in the keyring\n0"
    assert keyrings.file.read_text() == "{}"
    said = keyrings.run("InFile", tmp_path, *OURO, "providers", "logout", "groq")
    assert said == "nothing of groq was kept\n1"


@pytest.mark.deep
@pytest.mark.parametrize(
    "ring", deep_after(1, ["ReadOnly", "Locked", "Broken", "keyring.backends.fail.Keyring"])
)
def test_without_a_keyring_a_key_is_kept_in_the_file(
    keyrings: Keyrings, tmp_path: Path, ring: str
) -> None:
    words = (*OURO, "providers", "login", "groq", "--key-stdin")
    said = keyrings.run(ring, tmp_path, *words, typed="sk-mine\n")
    home = tmp_path / ".ouroboros"
    assert f"GROQ_API_KEY is kept in {keys.sealed_file(home)}\n" in said
    assert keys.sealed(home) == {"GROQ_API_KEY": "sk-mine"}
    assert keys.sealed_file(home).stat().st_mode & 0o777 == 0o600


@pytest.mark.deep
def test_a_key_that_is_set_replaces_the_one_in_the_keyring(
    keyrings: Keyrings, tmp_path: Path
) -> None:
    keyrings.file.write_text('{"ouroboros/GROQ_API_KEY": "an-old-one"}')
    words = (*OURO, "config", "set", "keys.GROQ_API_KEY")
    said = keyrings.run("InFile", tmp_path, *words, typed="sk-mine\n")
    assert said == "GROQ_API_KEY is kept in the keyring\n0"
    assert keyrings.file.read_text() == '{"ouroboros/GROQ_API_KEY": "sk-mine"}'
