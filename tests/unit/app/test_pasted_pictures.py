"""Pictures that are pasted: from the clipboard, as a data URL, by a path that a terminal gives."""

from base64 import b64encode
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.pictures import Pasted, dropped, keep, mention, of_data_url
from ouroboros.core.errors import ToolFailed
from tests.unit.tools.test_pictures import gif, plain

pytestmark = pytest.mark.real

PNG = plain(7, 5)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "my work"
    folder.mkdir()
    (folder / "a.png").write_bytes(PNG)
    (folder / "b c.GIF").write_bytes(gif(1))
    (folder / "n.txt").write_text("no", encoding="utf-8")
    return folder


def test_a_path_is_found_however_a_terminal_spells_it(work: Path) -> None:
    a, b = work / "a.png", work / "b c.GIF"
    for text in ("a.png", " a.png\n", str(a), f"'{a}'", str(a).replace(" ", "\\ ")):
        assert dropped(text, work) == [a], text
    assert dropped(f"file://{str(a).replace(' ', '%20')}", work) == [a]
    assert dropped(f"file://localhost{str(a).replace(' ', '%20')}", work) == [a]
    assert dropped("b c.GIF", work) == [b]
    assert dropped(f"'{a}' 'b c.GIF'", work) == [a, b]


@pytest.mark.parametrize(
    "text",
    [
        *("", "gone.png", "n.txt", "a.png and more", "look: a.png", "a.png\nb.png", "it's a.png"),
        *("file://elsewhere/a.png", "\0.png", f"{'x' * 5_000}.png", "~nobody/a.png"),
    ],
)
def test_other_text_stays_text(work: Path, text: str) -> None:
    assert dropped(text, work) == []


@pytest.mark.deep
def test_a_data_url_is_read_and_a_broken_one_said() -> None:
    assert of_data_url("data:image/png;base64," + b64encode(PNG).decode()) == PNG
    assert of_data_url("see data:image/png;base64,AAAA") is None
    assert of_data_url("data:text/plain;base64,AAAA") is None
    with pytest.raises(ToolFailed, match="cannot be read"):
        of_data_url("data:image/png;base64,A")
    with pytest.raises(ToolFailed, match="larger than 64 MB"):
        of_data_url("data:image/png;base64," + "A" * 90_000_000)


def test_what_is_kept_is_a_picture_for_the_person_alone(tmp_path: Path) -> None:
    folder = tmp_path / "artifacts" / "ses_1"
    first, second = keep(PNG, folder), keep(gif(1), folder)
    assert [path.name for path in (first, second)] == ["pasted-1.png", "pasted-2.gif"]
    assert first.read_bytes() == PNG
    assert first.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ToolFailed, match="what was pasted"):
        keep(b"<svg>", folder)
    (tmp_path / "file").touch()
    with pytest.raises(ToolFailed, match="cannot be kept"):
        keep(PNG, tmp_path / "file")


def test_what_is_kept_never_takes_the_place_of_another(tmp_path: Path) -> None:
    first, second = keep(PNG, tmp_path), keep(plain(3, 3), tmp_path)
    first.unlink()
    third = keep(PNG, tmp_path)
    assert third.name == "pasted-3.png"
    assert second.read_bytes() == plain(3, 3)


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


async def test_the_clipboard_is_read_by_the_program_that_is_there(work: Path) -> None:
    tools = work.parent / "tools"  # not of the project
    pasted = Pasted({"PATH": f"{tools}:/bin:/usr/bin"}, work, work / "kept")
    with pytest.raises(ToolFailed, match="wl-paste, xclip or pngpaste is needed"):
        await pasted.clipped()

    def install() -> None:
        tools.mkdir()
        program(tools, "wl-paste", "exit 1")
        program(tools, "xclip", f"cat '{work}/a.png'")

    await to_thread.run_sync(install)
    shown = {"PATH": f"{tools}:/bin:/usr/bin", "DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}
    both = Pasted(shown, work, work / "kept")
    assert await both.clipped() == mention(work / "kept" / "pasted-1.png")
    assert await both.named("") == mention(work / "kept" / "pasted-2.png")
    assert await both.named("words") == "words"
    assert await both.named("a.png") == mention(work / "a.png")

    await to_thread.run_sync(program, tools, "xclip", "exit 1")
    with pytest.raises(ToolFailed, match="no picture in the clipboard"):
        await both.clipped()
