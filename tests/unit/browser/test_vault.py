"""The vault opens only what it has sealed itself, under the same name and key."""

from pathlib import Path

import pytest

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.storage.vault import KEY_BYTES, MAGIC, MOST_BYTES, KeyFile, Vault

SECRET = b"sid=very-secret-value"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault", KeyFile(tmp_path / "key"))


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
    assert [path.stat().st_mode & 0o777 for path in (file, tmp_path / "key")] == [0o600, 0o600]
    await vault.remove("shop")
    assert await vault.names() == ()


@pytest.mark.proves("browser-logins")
@pytest.mark.parametrize("at", [0, 12, 25, -1])
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
        sealed.add(file.read_bytes()[len(MAGIC) :])
    assert len({one[:12] for one in sealed}) == 3


async def test_too_much_is_refused_and_the_old_stays(vault: Vault) -> None:
    await vault.put("shop", SECRET)
    with pytest.raises(BrowserFailed, match="more than"):
        await vault.put("shop", bytes(MOST_BYTES + 1))
    assert await vault.get("shop") == SECRET


@pytest.mark.proves("browser-logins")
@pytest.mark.parametrize("left", [0, 5, 12, 15, 20, 38, 50])
async def test_a_cut_file_is_refused(vault: Vault, tmp_path: Path, left: int) -> None:
    await vault.put("shop", SECRET)
    file = tmp_path / "vault" / "shop"
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(BrowserFailed):
        await vault.get("shop")


@pytest.mark.proves("browser-logins")
async def test_another_key_or_another_name_opens_nothing(vault: Vault, tmp_path: Path) -> None:
    await vault.put("shop", SECRET)
    other = Vault(tmp_path / "vault", KeyFile(tmp_path / "other"))
    with pytest.raises(BrowserFailed, match="key is another"):
        await other.get("shop")
    (tmp_path / "vault" / "shop").rename(tmp_path / "vault" / "bank")
    with pytest.raises(BrowserFailed):
        await vault.get("bank")


@pytest.mark.proves("browser-logins")
async def test_a_key_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(bytes(KEY_BYTES))
    key.chmod(0o644)
    with pytest.raises(BrowserFailed, match="read by others"):
        await Vault(tmp_path / "vault", KeyFile(key)).put("shop", SECRET)
    key.chmod(0o600)
    key.write_bytes(b"short")
    with pytest.raises(BrowserFailed, match="not a key"):
        await Vault(tmp_path / "vault", KeyFile(key)).put("shop", SECRET)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 65, "a\0b"])
async def test_a_name_that_leads_elsewhere_is_refused(vault: Vault, name: str) -> None:
    with pytest.raises(BrowserFailed, match="not a name"):
        await vault.put(name, SECRET)
