"""The vault opens only what it has sealed itself, under the same name and key."""

from pathlib import Path

import pytest

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.storage.vault import MOST_BYTES, OLD_MAGIC, Vault
from ouroboros.safety.sealed import KEY_BYTES, KEY_FILE, MAGIC, Sealer, encrypt

SECRET = b"sid=very-secret-value"


def opened(home: Path, keys: Path) -> Vault:
    """The vault of a home folder, with the key file of another folder, perhaps."""
    return Vault(home / "vault", Sealer(keys), home / "vault.key")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return opened(tmp_path, tmp_path)


@pytest.mark.proves("browser-logins")
async def test_what_is_put_in_comes_out_and_lies_there_unreadable(
    vault: Vault, tmp_path: Path
) -> None:
    await vault.put("shop", SECRET)
    await vault.put("shop", SECRET + b"2")
    assert await vault.get("shop") == SECRET + b"2"
    assert await vault.names() == ("shop",)
    file = tmp_path / "vault" / "shop"
    assert SECRET not in file.read_bytes()
    assert [path.stat().st_mode & 0o777 for path in (file, tmp_path / KEY_FILE)] == [0o600, 0o600]
    await vault.remove("shop")
    assert await vault.names() == ()


@pytest.mark.proves("browser-logins", "W10")
async def test_a_file_of_an_earlier_version_opens_and_is_sealed_anew(
    vault: Vault, tmp_path: Path
) -> None:
    key = bytes(range(KEY_BYTES))
    (tmp_path / "vault.key").touch(mode=0o600)
    (tmp_path / "vault.key").write_bytes(key)
    file = tmp_path / "vault" / "shop"
    file.parent.mkdir()
    file.write_bytes(OLD_MAGIC + encrypt(key, SECRET, OLD_MAGIC + b"shop"))
    assert await vault.get("shop") == SECRET
    file.rename(file.with_name("bank"))
    with pytest.raises(BrowserFailed, match="cannot be opened"):
        await vault.get("bank")
    file.with_name("bank").rename(file)
    await vault.put("shop", await vault.get("shop"))
    assert file.read_bytes().startswith(MAGIC)
    (tmp_path / "vault.key").unlink()
    assert await vault.get("shop") == SECRET


@pytest.mark.proves("browser-logins")
@pytest.mark.parametrize("at", [0, 12, 15, 25, -1])
async def test_a_changed_byte_is_refused_without_quoting(
    vault: Vault, tmp_path: Path, at: int
) -> None:
    await vault.put("shop", SECRET)
    file = tmp_path / "vault" / "shop"
    whole = bytearray(file.read_bytes())
    whole[at] ^= 1
    file.write_bytes(bytes(whole))
    with pytest.raises(BrowserFailed) as caught:
        await vault.get("shop")
    assert "secret" not in str(caught.value)


@pytest.mark.proves("browser-logins")
async def test_the_same_content_is_sealed_anew_each_time(vault: Vault, tmp_path: Path) -> None:
    file = tmp_path / "vault" / "shop"
    sealed: set[bytes] = set()
    for _ in range(3):
        await vault.put("shop", SECRET)
        sealed.add(file.read_bytes()[len(MAGIC) + 9 :])
    assert len({one[:12] for one in sealed}) == 3


async def test_too_much_is_refused_and_the_old_stays(vault: Vault) -> None:
    await vault.put("shop", SECRET)
    with pytest.raises(BrowserFailed, match="more than"):
        await vault.put("shop", bytes(MOST_BYTES + 1))
    assert await vault.get("shop") == SECRET


@pytest.mark.proves("browser-logins")
@pytest.mark.parametrize("left", [0, 5, 12, 15, 20, 38, 50, 60])
async def test_a_cut_file_is_refused(vault: Vault, tmp_path: Path, left: int) -> None:
    await vault.put("shop", SECRET)
    file = tmp_path / "vault" / "shop"
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(BrowserFailed):
        await vault.get("shop")


@pytest.mark.proves("browser-logins")
async def test_another_key_or_another_name_opens_nothing(vault: Vault, tmp_path: Path) -> None:
    await vault.put("shop", SECRET)
    other = opened(tmp_path, tmp_path / "other")
    with pytest.raises(BrowserFailed, match="is missing"):
        await other.get("shop")
    await other.put("bank", SECRET)
    with pytest.raises(BrowserFailed, match="with another key"):
        await other.get("shop")
    (tmp_path / "vault" / "shop").rename(tmp_path / "vault" / "bank")
    with pytest.raises(BrowserFailed):
        await vault.get("bank")


@pytest.mark.proves("browser-logins")
async def test_a_key_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    key = tmp_path / KEY_FILE
    key.write_bytes(bytes(KEY_BYTES))
    key.chmod(0o644)
    with pytest.raises(BrowserFailed, match="read by other users"):
        await opened(tmp_path, tmp_path).put("shop", SECRET)
    key.chmod(0o600)
    key.write_bytes(b"short")
    with pytest.raises(BrowserFailed, match="is not a key"):
        await opened(tmp_path, tmp_path).put("shop", SECRET)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 65, "a\0b"])
async def test_a_name_that_leads_elsewhere_is_refused(vault: Vault, name: str) -> None:
    with pytest.raises(BrowserFailed, match="not a name"):
        await vault.put(name, SECRET)
