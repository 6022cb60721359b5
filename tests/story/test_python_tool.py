"""A model that runs Python in a session: found by a search, kept over calls, caged, and ended with it."""

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from ouroboros.app.demo.site.server import Shop, open_shops
from ouroboros.core.events import PermissionRequested, ToolResulted
from ouroboros.core.parts import Media
from tests.story.stage import call, stage
from tests.story.test_browser_tools import browsing, says, words_of
from tests.story.test_own_tools import DONE, using

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.mark.deep
@pytest.mark.proves("C20")
async def test_python_keeps_its_variables_and_hands_over_files_and_pictures(tmp_path: Path):
    turns = [
        using("python", code="import json, base64\nrows = [1, 2, 3]"),
        using("python", code="(artifacts / 'sum.json').write_text(json.dumps(sum(rows)))"),
        using("python", code=f"base64.b64decode({DOT!r})"),
        using("python", code="print('said')\nrows"),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        first, second, third, fourth = words_of(s)
        pictures = [part for event in s.events(ToolResulted) for part in event.parts]
    assert first == "done; variables: json, base64, rows"
    path = Path(second.partition("artifact ")[2].partition(" (")[0])
    assert json.loads(await anyio.Path(path).read_text()) == 6
    assert "sha256 e7f6c011776e8db7cd330b54174fd76f7d0216b612387a5ffcfb81e6f0919683" in second
    assert [part.data for part in pictures if isinstance(part, Media)] == [DOT]
    assert third == "1 picture"
    assert fourth == "said\n[1, 2, 3]  [list of 3 (int)]"


@pytest.mark.deep
@pytest.mark.proves("C20", "sandbox-cage")
async def test_python_is_held_by_the_cage(tmp_path: Path):
    canary = tmp_path / "canary"
    await anyio.Path(canary).write_text("kept")
    code = (
        f"import socket\nfound = []\n"
        f"try: open({str(tmp_path / 'home' / 'canary')!r}, 'w')\n"
        "except OSError as refused: found.append(type(refused).__name__)\n"
        "try: socket.create_connection(('127.0.0.1', 9), 1)\n"
        "except OSError as refused: found.append(type(refused).__name__)\n"
        "open('inside', 'w').close()\nfound"
    )
    async with stage(tmp_path, [using("python", code=code), DONE]) as s:
        await s.run()
        (said,) = words_of(s)
    assert said.startswith(('["PermissionError", "', '["OSError", "')), said
    assert "ConnectionRefusedError" not in said
    assert not await anyio.Path(tmp_path / "home" / "canary").exists()
    assert await anyio.Path(tmp_path / "work" / "inside").exists()


@pytest.mark.deep
async def test_a_model_hears_that_the_cage_and_not_its_code_was_wrong(tmp_path: Path):
    turns = [
        using("python", code="open('.git/config', 'w')"),
        using("python", code="1 / 0"),
        DONE,
    ]
    git = anyio.Path(tmp_path / "work" / ".git")
    await git.mkdir(parents=True)
    await (git / "config").touch()
    async with stage(tmp_path, turns) as s:
        await s.run()
        caged, wrong = words_of(s)
    assert "exec_command can ask the person to run outside" in caged
    assert "sandbox" not in wrong


@pytest.mark.proves("C20")
async def test_python_is_asked_about_like_a_command(tmp_path: Path):
    async with stage(tmp_path, [using("python", code="1 + 1"), DONE], mode="ask") as s:
        await s.run()
        (asked,) = s.events(PermissionRequested)
        (said,) = words_of(s)
    assert (asked.action, "1 + 1" in asked.input) == ("Run 1 line of Python", True)
    assert "was refused" in said


@pytest.fixture
def shop() -> Iterator[Shop]:
    with open_shops() as shops:
        yield shops[0]


@pytest.mark.proves("C20")
@pytest.mark.deep
async def test_what_the_tabs_did_meanwhile_is_told(tmp_path: Path, shop: Shop):
    begin = (
        f"const tab = await openTab('{shop.url}'); await waitForLoad(tab);"
        " await execInTab(tab, 'setInterval(() => { location.hash = \"told\" + Date.now() }, 100)')"
    )
    turns = (
        says(call("browser_execute", code=begin)),
        says(call("call_tool", name="python", arguments={"code": "import time\ntime.sleep(1)"})),
    )
    async with browsing(tmp_path, *turns) as opened:
        await opened.run(f"Look at {shop.url}")
        begun, moved = words_of(opened)
    assert "browser: tab_1 went to http://" in moved, (begun, moved)
    assert "told" not in moved
