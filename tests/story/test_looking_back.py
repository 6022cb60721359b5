"""What changed is asked for and shown; looking keeps nothing and pushes no checkpoint from its place."""

from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.rewind.offline import Preview, Records
from ouroboros.core.commands import Submit
from ouroboros.llm.turns import Turn
from tests.story.hub_stage import hub_stage, idle
from tests.story.stage import call


@pytest.mark.proves("interfaces-looking-keeps-nothing")
async def test_a_diff_and_a_preview_see_the_files_as_they_are_and_keep_no_checkpoint(
    tmp_path: Path,
) -> None:
    turns = [Turn(tool_calls=(call("write", path="a.txt", content="made\n"),)), Turn(text="Made.")]
    async with hub_stage(tmp_path, turns) as s:
        room = await s.hub.open()
        await room.send(Submit(text="Make it."))
        await idle(room)
        await room.session.settle()
        settings = s.hub.outfit.loaded(tmp_path / "work").settings
        home = tmp_path / "home"

        def refs() -> list[str]:
            return sorted(
                path.read_text() + str(path)
                for path in home.glob("checkpoints/*.git/refs/**/*")
                if path.is_file()
            )

        def look() -> tuple[str, Preview]:
            records = Records(home, room.id, settings)
            (first, *_) = records.state.files.kept
            return records.diff(first.checkpoint), records.preview(first)

        before = await to_thread.run_sync(refs)
        assert before
        for content in ("made\n", "by hand\n"):
            (tmp_path / "work" / "a.txt").write_text(content)
            diff, preview = await to_thread.run_sync(look)
            assert f"+{content}" in diff
            assert f"-{content}" in preview.diff
            assert (preview.added, preview.changed, preview.removed) == (0, 0, 1)
        assert preview.foreign == ("a.txt",)
        assert await to_thread.run_sync(refs) == before
