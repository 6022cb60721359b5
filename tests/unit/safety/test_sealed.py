"""Sealed content opens for one user on one machine under one name, and for nobody else."""

import shutil
from pathlib import Path
from typing import override

import pytest

from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.keychain import Keychain
from ouroboros.safety.sealed import IN_KEYRING, KEY_FILE, MAGIC, MasterKey, Sealer
from tests.cases import every

SECRET = b"sk-very-secret-value"
HINT = "log in again"
PLACE = Path("/home/me/keys.sealed")

pytestmark = pytest.mark.proves("W10")


class RingInMemory(Keychain):
    """A keyring that answers, or says nothing while it is locked."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, str] = {}
        self.is_locked = False

    @override
    def look(self, name: str) -> str | None:
        return None if self.is_locked else self.kept.get(name, "")

    @override
    def put(self, name: str, value: str) -> bool:
        # Some keyrings ask for the password again and then take what they are given.
        self.kept[name] = value
        return not self.is_locked


class NoRing(RingInMemory):
    """No keyring at all."""

    def __init__(self) -> None:
        super().__init__()
        self.is_locked = True


def sealer(home: Path, machine: bytes = b"this one", ring: Keychain | None = None) -> Sealer:
    return Sealer(home, keychain=ring or NoRing(), machine=lambda: machine)


def test_what_is_sealed_is_opened_by_another_process_of_this_machine(tmp_path: Path) -> None:
    sealed = sealer(tmp_path).seal("keys", SECRET)
    assert SECRET not in sealed
    assert sealer(tmp_path).open("keys", sealed, PLACE, hint=HINT) == SECRET
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_a_copied_home_opens_nothing_on_another_machine(tmp_path: Path) -> None:
    sealed = sealer(tmp_path / "home").seal("keys", SECRET)
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    assert sealer(tmp_path / "copy").open("keys", sealed, PLACE, hint=HINT) == SECRET
    with pytest.raises(ConfigBroken, match="on another machine") as caught:
        sealer(tmp_path / "copy", b"that one").open("keys", sealed, PLACE, hint=HINT)
    assert caught.value.hint == HINT
    (tmp_path / "copy" / KEY_FILE).unlink()
    with pytest.raises(ConfigBroken, match=f"{KEY_FILE}, which is missing"):
        sealer(tmp_path / "copy").open("keys", sealed, PLACE, hint=HINT)


def test_the_file_beside_it_is_not_the_key(tmp_path: Path) -> None:
    key = sealer(tmp_path).prepare().value
    assert key != (tmp_path / KEY_FILE).read_bytes()
    assert key not in {sealer(tmp_path, other).prepare().value for other in (b"", b"that one")}


def test_with_a_keyring_no_key_lies_in_the_home_folder(tmp_path: Path) -> None:
    ring = RingInMemory()
    sealed = sealer(tmp_path, ring=ring).seal("keys", SECRET)
    assert not (tmp_path / KEY_FILE).exists()
    assert sealer(tmp_path, b"that one", ring).open("keys", sealed, PLACE, hint=HINT) == SECRET
    for other in (RingInMemory(), NoRing()):
        with pytest.raises(ConfigBroken, match="the system's keyring"):
            sealer(tmp_path, ring=other).open("keys", sealed, PLACE, hint=HINT)


def test_a_locked_keyring_loses_no_key(tmp_path: Path) -> None:
    ring = RingInMemory()
    before = sealer(tmp_path, ring=ring).seal("keys", SECRET)
    kept = dict(ring.kept)
    ring.is_locked = True
    meanwhile = sealer(tmp_path, ring=ring).seal("keys", SECRET)
    ring.is_locked = False
    assert ring.kept == kept
    for sealed in (before, meanwhile):
        assert sealer(tmp_path, ring=ring).open("keys", sealed, PLACE, hint=HINT) == SECRET


def test_what_is_no_key_in_the_keyring_is_left_alone(tmp_path: Path) -> None:
    ring = RingInMemory()
    ring.kept[IN_KEYRING] = "not a key"
    sealed = sealer(tmp_path, ring=ring).seal("keys", SECRET)
    assert ring.kept == {IN_KEYRING: "not a key"}
    assert sealer(tmp_path).open("keys", sealed, PLACE, hint=HINT) == SECRET


def test_another_name_opens_nothing(tmp_path: Path) -> None:
    sealed = sealer(tmp_path).seal("auth/one.json", SECRET)
    with pytest.raises(ConfigBroken, match="changed or damaged"):
        sealer(tmp_path).open("auth/two.json", sealed, PLACE, hint=HINT)


def test_any_changed_or_missing_byte_is_noticed_and_nothing_is_quoted(tmp_path: Path) -> None:
    one = sealer(tmp_path)
    sealed = one.seal("keys", SECRET)
    changed = [
        bytes([*sealed[:at], sealed[at] ^ 1, *sealed[at + 1 :]]) for at in range(len(sealed))
    ]
    cut = [sealed[:left] for left in range(len(sealed))]
    for broken in (*changed, *cut, b"", MAGIC, sealed + b"x"):
        with pytest.raises(ConfigBroken) as caught:
            one.open("keys", broken, PLACE, hint=HINT)
        assert str(PLACE) in caught.value.message
        assert "secret" not in caught.value.message


@every(("content", "mode", "said"), [(bytes(32), 0o640, "other users"), (b"short", 0o600, "32")])
def test_a_key_file_that_must_not_be_used_says_so(
    tmp_path: Path, content: bytes, mode: int, said: str
) -> None:
    (tmp_path / KEY_FILE).write_bytes(content)
    (tmp_path / KEY_FILE).chmod(mode)
    with pytest.raises(ConfigBroken, match=said) as caught:
        sealer(tmp_path).seal("keys", SECRET)
    assert caught.value.hint


def test_keys_are_told_apart_without_being_shown() -> None:
    one, other = (MasterKey(b"M", bytes([number]) * 32) for number in (1, 2))
    assert one.id != other.id
    assert one.id not in one.value
