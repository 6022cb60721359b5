"""Pictures in cells: which terminals, how large, and what is sent."""

import re
from base64 import b64decode
from pathlib import Path

import pytest

from ouroboros.app.thumbnails import thumbnail
from ouroboros.faces.tui.transcript.blocks import Picture
from ouroboros.faces.tui.transcript.drawing import rows_of
from ouroboros.faces.tui.transcript.graphics import cells_for, placed, transmitted, way_of
from ouroboros.faces.tui.transcript.look import Look
from ouroboros.faces.tui.transcript.showing import Showing

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
KITTY = {"TERM": "xterm-kitty", "COLORTERM": "truecolor"}


@pytest.mark.parametrize(
    ("chosen", "environment", "way"),
    [
        ("auto", KITTY, "kitty"),
        ("auto", {**KITTY, "TMUX": "/tmp/x"}, "off"),
        ("auto", {"TERM": "xterm-kitty"}, "off"),
        ("auto", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "off"),
        ("off", KITTY, "off"),
        ("kitty", {}, "kitty"),
    ],
)
def test_pictures_are_shown_only_where_they_surely_can_be(
    chosen: str, environment: dict[str, str], way: str
) -> None:
    assert way_of(chosen, environment) == way


@pytest.mark.parametrize(
    ("width", "height", "columns", "cells"),
    [
        (800, 400, 80, (60, 15)),
        (400, 4_000, 80, (3, 16)),
        (1, 1, 80, (1, 1)),
        (16, 16, 80, (2, 1)),
        (4_000, 10, 20, (20, 1)),
    ],
)
def test_a_picture_keeps_its_shape_in_cells(
    width: int, height: int, columns: int, cells: tuple[int, int]
) -> None:
    assert cells_for(width, height, columns) == cells


def test_what_is_sent_is_the_picture_in_bounded_pieces() -> None:
    content = bytes(range(256)) * 50
    pieces = list(transmitted(5_000, content, 10, 4))
    found = [re.fullmatch(r"\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\", each) for each in pieces]
    assert all(found)
    assert b64decode("".join(each[2] for each in found if each)) == content
    assert max(map(len, pieces)) < 4_200
    assert pieces[0].startswith("\x1b_Ga=T,U=1,q=2,f=100,i=5000,c=10,r=4,m=1;")
    assert "m=0;" in pieces[-1]


def test_its_cells_say_which_part_they_are_and_of_which_picture() -> None:
    rows = placed(0x010203, 3, 2)
    texts = [row[0].text for row in rows]
    assert [row[0].style for row in rows] == ["38;2;1;2;3"] * 2
    assert len({text[at : at + 3] for text in texts for at in (0, 3, 6)}) == 6


@pytest.mark.proves("interfaces-pictures-in-the-terminal", "divergences-pictures-in-a-terminal")
async def test_a_kept_picture_is_sent_and_one_from_elsewhere_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "artifacts" / "ses"
    folder.mkdir(parents=True)
    (folder / "a.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    sent: list[str] = []

    class Page:
        def add(self, block: object) -> None:
            raise AssertionError(block)

        def touch(self, block: object) -> None:
            assert block is there

    there = Picture(name="a", path="artifacts/ses/a.png")
    showing = Showing("kitty", Page(), sent.append)
    await showing.show(there, tmp_path, 80)
    assert (there.columns, there.rows, len(sent)) == (1, 1, 1)
    assert "\U0010eeee" in rows_of(there, Look(columns=80))[0][1].text
    for path in ("secret.png", "artifacts/../secret.png", "artifacts/ses/none.png"):
        assert thumbnail(tmp_path, path) is None
