"""How the prompt looks, as kept pictures."""

from pathlib import Path

import pytest

from ouroboros.core.events.asides import WordsQueued
from ouroboros.faces.tui.prompt.text.folds import FOLD_LINES
from tests.tui.pictures import Album, text
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import envelope, settled, shown, started


@pytest.mark.proves("V03")
@pytest.mark.parametrize(
    ("name", "size"), [("wide", (80, 24)), pytest.param("small", (40, 10), marks=pytest.mark.deep)]
)
async def test_lists_words_that_wait_and_a_selection(
    tmp_path: Path, album: Album, name: str, size: tuple[int, int]
) -> None:
    async with shown(started(tmp_path, model="echo", tui__vim=True), size=size) as (app, pilot):
        await keys(pilot, "/re<down>")
        await settled(pilot)
        await album.check(app, f"prompt-{name}-list")
        await keys(pilot, "<escape><ctrl+c>")
        assert app.room is not None
        for at, words in enumerate(("then write the changelog", "and push", "and rest", "more")):
            app.room.state.later[f"msg_{at}"] = words
        app.prompt.take(envelope(WordsQueued(id="msg_0", text="")))
        app.watch_line.show()
        app.prompt.set_text(
            "a long line of words that goes on and on until it has to be broken\n日本語"
        )
        app.prompt.editor.paste("line\n" * (FOLD_LINES + 1))
        await keys(pilot, "<escape>ggwve")
        await settled(pilot)
        await album.check(app, f"prompt-{name}-words")
        assert "VISUAL" in text(app)
