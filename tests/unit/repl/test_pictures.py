"""Files that are looked at as pictures: what is refused names the file and says why."""

import os
from pathlib import Path

import pytest

from ouroboros.core.errors import ToolFailed
from ouroboros.tools.builtin.image import FILE_BYTES, picture
from ouroboros.tools.pictures.measure import Measured
from tests.cases import every
from tests.unit.tools.test_pictures import plain


@pytest.mark.proves("D15", "codex-3.6")
@every(
    "name, why",
    [
        ("gone.png", "does not exist"),
        ("folder", "is not a file"),
        ("pipe.png", "is not a file"),
        ("text.png", "is no PNG, JPEG, GIF or WebP image"),
        ("empty.png", "is no PNG"),
        ("cut.png", "is a broken image"),
        ("large.png", "is larger than 64 MB"),
    ],
)
def test_what_is_no_picture_is_refused_by_name(tmp_path: Path, name: str, why: str):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "empty.png").touch()
    (tmp_path / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(9))
    with (tmp_path / "large.png").open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    with pytest.raises(ToolFailed) as refused:
        picture(tmp_path / name)
    assert str(tmp_path / name) in refused.value.message
    assert why in refused.value.message


def test_a_picture_is_known_by_its_bytes_and_not_by_its_name(tmp_path: Path):
    data = plain(3, 2)
    (tmp_path / "a.txt").write_bytes(data)
    assert picture(tmp_path / "a.txt") == (
        data,
        Measured(media_type="image/png", width=3, height=2),
    )
