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


_READER = """globalThis.readMarkdown = import('/js/text/markdown.js').then((read) => {
  const short = (piece) => typeof piece === 'string' ? piece
    : [piece.type, piece.text ?? (piece.pieces ?? []).map((each) => typeof each === 'string' ? each : short(each)).join('')];
  const words = (block) => [block.text ?? '', ...(block.head ?? []), ...(block.rows ?? []).flat(),
    ...[...(block.blocks ?? []), ...(block.items ?? []).flatMap((each) => each.blocks)].flatMap(words)];
  const lines = (source) => read.blocks(source).flatMap(words).map((each) => read.inline(each));
  return { inline: (source) => read.inline(source).map(short), blocks: (source) => read.blocks(source).map((each) => each.type),
    all: (source) => lines(source).flat().map(short), size: (source) => lines(source).length };
})"""


@pytest.fixture
async def written(chromium: Chromium, tmp_path: Path) -> AsyncGenerator[Any]:
    """``await written("inline", text)``: what the page makes of Markdown; ``spent`` for the processor's time."""
    async with web(tmp_path) as served, window(chromium, served) as one:
        await one.enter()
        await one.run(f"{_READER}.then((read) => {{ globalThis.readMarkdown = read; }})")

        async def read(what: str, source: str) -> Any:
            if what != "spent":
                return await one.run(f"readMarkdown[{json.dumps(what)}]({json.dumps(source)})")
            begun = await one.processor_seconds()
            await one.run(f"readMarkdown.size({json.dumps(source)})")
            return await one.processor_seconds() - begun

        yield read
