"""No key lies in the home folder as plain text, unless the person wants it so and is told."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.app.providers import keys, logins
from ouroboros.app.settings import SecretsSettings
from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.sealed import KEY_FILE, MAGIC
from tests.unit.app.keyrings import Keyrings

pytestmark = [pytest.mark.real, pytest.mark.proves("W10")]

KEY = "sk-of-mine-0123456789"
NO_RING = "keyring.backends.fail.Keyring"
LOGIN = ("-m", "ouroboros", "providers", "login", "groq", "--key-stdin")
KEEP = """
import sys
from pathlib import Path
from ouroboros.app.providers import keys
for number in range(int(sys.argv[3])):
    keys.keep(Path(sys.argv[1]), f"KEY_{sys.argv[2]}_{number % 5}", "x" * (number % 3000 + 1))
    if not number:
        print("begun", flush=True)
"""
FIND = """
import sys
from pathlib import Path
from ouroboros.app.providers import keys
print(keys.Keys(dict(A_KEY="env"), {}, Path(sys.argv[1])).find(sys.argv[2]))
print("cryptography" in sys.modules, "keyring" in sys.modules)
"""


@pytest.fixture
def keyrings(tmp_path: Path) -> Keyrings:
    (tmp_path / "rings").mkdir()
    return Keyrings(tmp_path / "rings")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".ouroboros"
    folder.mkdir(mode=0o700)
    return folder


def holding(home: Path, secret: str = KEY) -> list[str]:
    """The files of the home folder that have the bytes of the secret in them."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return sorted(path.name for path in files if secret.encode() in path.read_bytes())


@pytest.mark.deep
@pytest.mark.parametrize(
    ("ring", "store", "place"),
    [
        (NO_RING, "auto", "keys.sealed"),
        ("InFile", "auto", "the keyring"),
        ("InFile", "sealed", "keys.sealed"),
        pytest.param("ReadOnly", "auto", "keys.sealed", marks=pytest.mark.deep),
        pytest.param(NO_RING, "sealed", "keys.sealed", marks=pytest.mark.deep),
    ],
)
def test_a_key_that_is_kept_is_in_no_file_as_it_is(
    keyrings: Keyrings, tmp_path: Path, home: Path, ring: str, store: str, place: str
) -> None:
    keys.store(home, "GROQ_API_KEY", f"{KEY}-the-old-one")
    assert holding(home) == ["keys.toml"]
    said = keyrings.run(ring, tmp_path, *LOGIN, typed=f"{KEY}\n", OUROBOROS_SECRETS_STORE=store)
    expected = place if place.startswith("the ") else str(home / place)
    assert f"GROQ_API_KEY is kept in {expected}\n" in said
    assert "plain" not in said
    assert holding(home) == []
    assert (KEY in keyrings.file.read_text() if keyrings.file.exists() else False) == (
        place == "the keyring"
    )
    found = keyrings.run(ring, tmp_path, "-c", FIND, str(home), "GROQ_API_KEY")
    assert f"value='{KEY}'" in found


@pytest.mark.deep
def test_plain_text_is_written_by_choice_alone_and_said(
    keyrings: Keyrings, tmp_path: Path, home: Path
) -> None:
    (home / "config.toml").write_text('[secrets]\nstore = "plain"\n')
    keyrings.file.write_text('{"ouroboros/GROQ_API_KEY": "an-old-one"}')
    said = keyrings.run("InFile", tmp_path, *LOGIN, typed=f"{KEY}\n")
    path = home / "keys.toml"
    assert f"GROQ_API_KEY is kept in {path} as plain text, as secrets.store says\n" in said
    assert holding(home) == ["keys.toml"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert keyrings.file.read_text() == "{}"
    (home / "config.toml").unlink()
    said = keyrings.run(NO_RING, tmp_path, *LOGIN, typed=f"{KEY}\n")
    assert (holding(home), keys.stored(home)) == ([], {})


def test_keys_of_every_place_are_found_and_forgotten(home: Path) -> None:
    keys.store(home, "OLD_KEY", "old")
    keys.keep(home, "NEW_KEY", "new")
    found = keys.Keys({}, {}, home)
    assert found.find("OLD_KEY") == ("old", "keys.toml")
    assert found.find("NEW_KEY") == ("new", "keys.sealed")
    assert set(found.names()) == {"OLD_KEY", "NEW_KEY"}
    keys.store(home, "NEW_KEY", "a-third")
    assert keys.forget(home, "NEW_KEY") == ("keys.sealed", "keys.toml")
    assert keys.forget(home, "NEW_KEY") == ()
    assert keys.Keys({}, {}, home).names() == ("OLD_KEY",)


def test_plain_files_are_named(home: Path) -> None:
    assert logins.plain_files(home) == ()
    keys.keep(home, "NEW_KEY", "new")
    assert logins.plain_files(home) == ()
    keys.store(home, "OLD_KEY", "old")
    (home / "auth").mkdir()
    (home / "auth" / "mine.json").write_text("{}")
    (home / "auth" / "sealed.json").write_bytes(MAGIC)
    assert logins.plain_files(home) == (home / "keys.toml", home / "auth" / "mine.json")


def test_the_default_is_no_plain_text() -> None:
    assert SecretsSettings().store == "auto"


@pytest.mark.parametrize("is_damaged", [True, False])
def test_a_file_that_cannot_be_opened_says_what_to_do(
    tmp_path: Path, home: Path, *, is_damaged: bool
) -> None:
    keys.keep(home, "A_KEY", KEY)
    copy = shutil.copytree(home, tmp_path / "copy")
    path = copy / "keys.sealed"
    if is_damaged:
        path.write_bytes(path.read_bytes()[:-1])
    else:
        (copy / KEY_FILE).write_bytes(bytes(32))
    for change in (
        lambda: keys.Keys({}, {}, copy).find("A_KEY"),
        lambda: keys.keep(copy, "B_KEY", "b"),
    ):
        with pytest.raises(ConfigBroken, match=str(path)) as caught:
            change()
        assert "log in again" in caught.value.hint
    assert keys.Keys({"A_KEY": "env"}, {}, copy).find("A_KEY") == ("env", "environment")
    path.rename(copy / "away")
    keys.keep(copy, "B_KEY", "b")
    assert keys.sealed(copy) == {"B_KEY": "b"}


def test_a_file_that_cannot_be_opened_keeps_nobody_from_other_keys(home: Path) -> None:
    keys.keep(home, "B_KEY", KEY)
    keys.store(home, "A_KEY", "a")
    (home / KEY_FILE).unlink()
    assert keys.Keys({}, {}, home).find("A_KEY") == ("a", "keys.toml")
    with pytest.raises(ConfigBroken):
        keys.Keys({}, {}, home).find("C_KEY")
    assert keys.keep(home, "A_KEY", "a2", where="plain") == "keys.toml"
    assert keys.forget(home, "A_KEY") == ("keys.toml",)
    with pytest.raises(ConfigBroken):
        keys.forget(home, "B_KEY")


@pytest.mark.deep
def test_what_is_left_in_a_file_of_the_keyring_stays_one_of_it(
    keyrings: Keyrings, tmp_path: Path, home: Path
) -> None:
    forget = (
        "import sys; from pathlib import Path; from ouroboros.app.providers import keys;"
        "from ouroboros.safety.sealed import Sealer; home = Path(sys.argv[1]);"
        'content = Sealer(home).seal(\'keys.sealed\', b\'{"A": "a", "B": "b"}\');'
        "(home / 'keys.sealed').write_bytes(content);"
        "print(keys.forget(home, 'A'), keys.sealed(home))"
    )
    said = keyrings.run("InFile", tmp_path, "-c", forget, str(home))
    assert "('keys.sealed',) {'B': 'b'}" in said
    assert (home / "keys.sealed").read_bytes().startswith(MAGIC + b"K")
    assert not (home / KEY_FILE).exists()


@pytest.mark.deep
def test_what_is_not_needed_is_not_imported(keyrings: Keyrings, tmp_path: Path, home: Path) -> None:
    keys.keep(home, "B_KEY", KEY)
    said = keyrings.run("Broken", tmp_path, "-c", FIND, str(home), "A_KEY")
    assert said == "Key(value='env', source='environment')\nFalse False\n0"
    (home / "keys.sealed").unlink()
    said = keyrings.run("Broken", tmp_path, "-c", FIND, str(home), "B_KEY")
    assert said == "None\nFalse True\n0"


@pytest.mark.deep
def test_logins_beside_each_other_lose_none(home: Path) -> None:
    command = [sys.executable, "-c", KEEP, str(home)]
    writers = [
        subprocess.Popen([*command, str(number), "5"], stdout=subprocess.DEVNULL)
        for number in range(3)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 3
    assert len(keys.sealed(home)) == 15


@pytest.mark.deep
@pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.soak)])
def test_a_writer_that_is_killed_leaves_a_whole_file(home: Path, count: int) -> None:
    keys.keep(home, "OLD_KEY", "old")
    command = [sys.executable, "-c", KEEP, str(home), "1", "100000"]
    for _ in range(count):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"begun\n"
            os.kill(writer.pid, signal.SIGKILL)
        found = keys.sealed(home)
        assert found.pop("OLD_KEY") == "old"
        assert {value.strip("x") for value in found.values()} == {""}
    keys.keep(home, "NEW_KEY", "new")
    assert [path.name for path in home.iterdir() if path.name.startswith(".")] == []
