"""What is sealed for sites is told apart, and a state is no answer to a site that asks for a password."""

from pathlib import Path

import pytest

from ouroboros.app.browsing import vault as browser_vault
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.storage.cookies import Cookie
from ouroboros.browser.storage.state import StorageState
from ouroboros.core.errors import Misuse
from tests.cases import every

STATE = StorageState(cookies=(Cookie(name="sid", value="very-secret", domain="a.example"),))


def _cut(path: Path) -> None:
    path.write_bytes(b"cut")


@pytest.mark.proves("browser-logins")
async def test_a_state_is_never_sent_as_a_password(tmp_path: Path) -> None:
    await browser_vault.vault(tmp_path).put("shop", STATE.encoded())
    await browser_vault.add(tmp_path, "door", "ann", "pass:word")
    assert await browser_vault.password(tmp_path, "shop") == ""
    assert await browser_vault.password(tmp_path, "door") == "ann:pass:word"
    assert await browser_vault.state(tmp_path, "shop") == STATE
    with pytest.raises(Misuse, match="a user and a password") as caught:
        await browser_vault.state(tmp_path, "door")
    assert "word" not in str(caught.value).replace("password", "")


async def test_what_cannot_be_opened_is_listed_as_such(tmp_path: Path) -> None:
    await browser_vault.vault(tmp_path).put("shop", STATE.encoded())
    await browser_vault.add(tmp_path, "door", "ann", "x")
    _cut(tmp_path / "browser" / "vault" / "shop")
    found = await browser_vault.listed(tmp_path)
    assert [(one.name, one.kind) for one in found] == [("door", "password"), ("shop", "unreadable")]
    with pytest.raises(Misuse, match="no whole sealed file"):
        await browser_vault.state(tmp_path, "shop")


@every(("user", "password"), [("", "x"), ("a", ""), ("a:b", "x"), ("{a", "x")])
async def test_words_that_could_be_taken_for_others_are_refused(
    tmp_path: Path, user: str, password: str
) -> None:
    with pytest.raises(Misuse):
        await browser_vault.add(tmp_path, "door", user, password)
    assert await browser_vault.listed(tmp_path) == []


async def test_a_login_of_no_name_is_not_removed(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="no login called"):
        await browser_vault.remove(tmp_path, "shop")
    with pytest.raises(BrowserFailed):
        await browser_vault.add(tmp_path, "../x", "ann", "x")
