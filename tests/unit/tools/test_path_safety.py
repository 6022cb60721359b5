import os
from pathlib import Path

import anyio
import pytest

from ouroboros.core.events import PermissionRequested
from ouroboros.tools.approval import Answer, Reviewer
from tests.unit.tools.spine import Spine, text_of


class Swapping:
    """Says yes after it has led a link elsewhere."""

    reviewer: Reviewer = "person"

    def __init__(self, link: Path, target: Path) -> None:
        self.link = link
        self.target = target

    async def ask(self, question: PermissionRequested) -> Answer:
        await anyio.Path(self.link).unlink()
        await anyio.Path(self.link).symlink_to(self.target)
        return Answer(allowed=True)


@pytest.mark.proves("F09")
async def test_a_link_that_is_changed_between_the_question_and_the_effect_is_not_followed(
    tmp_path: Path,
):
    folder = tmp_path / "ws"
    folder.mkdir()
    (tmp_path / "precious").write_text("kept")
    (folder / "link").symlink_to("harmless")
    swap = Swapping(folder / "link", tmp_path / "precious")
    spine = Spine(folder, mode="ask", asker=swap)
    result = await spine.call("write", path="link", content="broken")
    assert (result.status, (tmp_path / "precious").read_text()) == ("denied", "kept")
    assert "leads elsewhere by now" in text_of(result)


async def test_taking_away_a_link_outside_is_asked_also_when_it_leads_inside(tmp_path: Path):
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "tool").write_text("x\n")
    (tmp_path / "link").symlink_to(folder / "tool")
    spine = Spine(folder, mode="auto-edit")
    patch = "*** Begin Patch\n*** Delete File: ../link\n*** End Patch"
    result = await spine.call("apply_patch", input=patch)
    assert (result.status, len(spine.asker.questions)) == ("denied", 1)
    assert (tmp_path / "link").is_symlink()


async def test_names_that_are_no_text_can_be_listed_and_kept(tmp_path: Path):
    (tmp_path / os.fsdecode(b"b\xff")).write_text("")
    result = await Spine(tmp_path).call("ls")
    assert text_of(result) == "b?"
