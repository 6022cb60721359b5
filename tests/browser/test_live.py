"""The live view of a tab in real Chromium: what is seen, and what a person's hands do."""

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from ouroboros.browser.errors import PersonDrives
from ouroboros.browser.tab import Tab
from tests.browser.looking import SECONDS, Gallery, Person, gallery
from tests.browser.stage import Stage, read

FORM = """<!doctype html><title>Form</title><style>body{margin:0}input,textarea,button{position:absolute}
</style><button id=go style="left:0;top:0;width:200px;height:100px" onclick="this.textContent = ++n">0
</button><input id=field style="left:0;top:120px;width:400px;height:30px">
<textarea id=area style="left:0;top:160px;width:400px;height:60px"></textarea>
<div style="height:5000px"></div><script>
  let n = 0; const seen = []
  for (const kind of ['click', 'dblclick', 'contextmenu', 'wheel', 'touchstart', 'paste', 'keydown'])
    addEventListener(kind, event => seen.push(event.isTrusted ? kind : kind + '?'))
</script>"""


@pytest.fixture
async def views(stage: Stage, work: Path) -> AsyncIterator[Gallery]:
    async with gallery(stage, work) as made:
        yield made


async def settled(tab: Tab, code: str, wanted: object) -> None:
    """Waits until ``code`` comes to what is wanted: nobody waits for what hands do."""
    found: object = None
    with anyio.move_on_after(SECONDS):
        while (found := await read(tab, code)) != wanted:
            await anyio.sleep(0.01)
    assert found == wanted


def place(x: float, y: float, person: Person) -> dict[str, float]:
    shape = person.pictures[-1]
    return {"x": x / shape.width, "y": y / shape.height}


def click(person: Person, tab: str, x: float, y: float, *, button: str = "left") -> None:
    at = place(x, y, person)
    person.wish("mouse", tab=tab, what="move", **at)
    person.wish("mouse", tab=tab, what="down", button=button, buttons=1, count=1, **at)
    person.wish("mouse", tab=tab, what="up", button=button, count=1, **at)


async def test_pictures_of_a_tab_arrive_and_a_click_in_one_lands(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.look(tab.id)
        first = person.pictures[0]
        assert first.data[:3] == b"\xff\xd8\xff"
        assert (first.tab, first.width) == (tab.id, 1280)
        click(person, tab.id, 100, 50)
        await settled(tab, "go.textContent", "1")
        await person.until(lambda: len(person.pictures) > 1)
        assert await read(tab, "seen.includes('click') && !seen.join().includes('?')")
    assert not views.casts.of(tab).is_running
