"""What a test of the page may take: the one Chromium of this process, and a server with a window on it."""

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ouroboros.llm.turns import Turn
from tests.browser.chromium import Chromium
from tests.web.serving import web
from tests.web.window import DESK, Window, window

type Shown = Callable[..., AbstractAsyncContextManager[Window]]


@pytest.fixture
def page(chromium: Chromium, tmp_path: Path) -> Shown:
    """``async with page(turns) as window``: a server whose models play the turns, and its page."""

    @asynccontextmanager
    async def shown(
        turns: Sequence[Turn] = (), *, place: tuple[int, int] = DESK, **settings: Any
    ) -> AsyncGenerator[Window]:
        async with (
            web(tmp_path, turns, **settings) as served,
            window(chromium, served, place) as one,
        ):
            await one.enter()
            yield one

    return shown


@pytest.fixture(scope="session")
def reader() -> str:
    """Shortens what the page's reader of Markdown gives: pieces as lists, blocks as their types."""
    return (
        "(async (what, source) => { const read = await import('/js/text/markdown.js');"
        "const short = (piece) => typeof piece === 'string' ? piece"
        " : [piece.type, piece.text ?? piece.pieces.map((each) => typeof each === 'string' ? each : short(each)).join('')];"
        "return what === 'inline' ? read.inline(source).map(short) : read.blocks(source).map((each) => each.type); })"
    )


@pytest.fixture
async def written(chromium: Chromium, tmp_path: Path, reader: str) -> AsyncGenerator[Any]:
    """``await written("inline", text)``: what the page makes of Markdown."""
    async with web(tmp_path) as served, window(chromium, served) as one:
        await one.enter()

        async def read(what: str, source: str) -> Any:
            return await one.run(f"{reader}({json.dumps(what)}, {json.dumps(source)})")

        yield read
