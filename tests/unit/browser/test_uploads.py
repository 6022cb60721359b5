"""Only files of allowed folders leave the machine, whatever the path is called."""

import os
from pathlib import Path

import pytest

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.transfer.uploads import Uploads
from ouroboros.safety.paths import Places


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / ".ssh").mkdir(parents=True)
    for name in ("letter.txt", ".env", ".env.local", "server.pem", ".ssh/config"):
        (work / name).write_text("x")
    (tmp_path / "private.txt").write_text("x")
    (work / "link.txt").symlink_to(tmp_path / "private.txt")
    (work / "inside.txt").symlink_to(work / "letter.txt")
    os.mkfifo(work / "pipe")
    return work


@pytest.mark.proves("C17")
async def test_a_file_of_the_workspace_may_go(work: Path) -> None:
    uploads = Uploads([work])
    letter = (work / "letter.txt").resolve()
    assert await uploads.allowed(["letter.txt", str(work / "inside.txt")]) == (letter, letter)


@pytest.mark.proves("C17")
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../private.txt", "no folder"),
        ("link.txt", "no folder"),
        ("/etc/passwd", "no folder"),
        (".env", "keys or passwords"),
        (".env.local", "keys or passwords"),
        ("server.pem", "keys or passwords"),
        (".ssh/config", "keys or passwords"),
        (".", "not a file"),
        ("pipe", "not a file"),
        ("missing.txt", "cannot upload"),
        ("a\0b", "cannot upload"),
    ],
)
async def test_anything_else_stays(work: Path, path: str, why: str) -> None:
    with pytest.raises(CannotAct, match=why):
        await Uploads([work]).allowed([path])


@pytest.mark.proves("C17")
async def test_one_wrong_file_keeps_all_back(work: Path) -> None:
    with pytest.raises(CannotAct):
        await Uploads([work]).allowed(["letter.txt", "../private.txt"])
    for count in (0, 101):
        with pytest.raises(CannotAct, match="between 1 and"):
            await Uploads([work]).allowed(["letter.txt"] * count)


@pytest.mark.proves("C17")
async def test_the_products_own_home_stays(work: Path) -> None:
    home = work / "home"
    home.mkdir()
    (home / "auth.json").write_text("x")
    places = Places(roots=(work,), home=home)
    with pytest.raises(CannotAct, match="keys or passwords"):
        await Uploads([work], places).allowed(["home/auth.json"])
