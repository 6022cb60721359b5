"""The way to the server: a reload in mid-run, a killed server, and no event twice or lost."""

import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import anyio.to_thread
import msgspec
import pytest
from anyio.abc import Process

from ouroboros.faces.web.door import Doorplate
from ouroboros.llm.turns import Turn
from tests.browser.chromium import Chromium
from tests.browser.site import serving
from tests.browser.test_session import gone, running_on
from tests.story.stage import call
from tests.unit.llm.auth_server import spare_port
from tests.web.conftest import Shown
from tests.web.serving import Served
from tests.web.test_live_view import opens
from tests.web.window import Window, window

_NUMBERS = "ouro.store.current.events.map((each) => each.seq)"
_SAID = "[...document.querySelectorAll('.said, .prose')].map((each) => each.innerText)"


@pytest.mark.proves("T16")
@pytest.mark.deep
async def test_a_reload_in_mid_run_shows_the_same_and_goes_on(page: Shown) -> None:
    turns = [
        Turn(text="First of all", tool_calls=(call("exec_command", cmd="touch one"),)),
        Turn(text="One word after another comes in here", chunk=2, pace_seconds=0.02),
    ]
    async with page(turns, mode="ask") as window:
        await window.session()
        await window.say("Begin")
        await window.until("document.querySelector('.ask') !== null")
        before = ["Begin", "First of all"]
        await window.becomes(_SAID, before)
        await window.tab.reload()
        await window.until("document.querySelector('.ask') !== null")
        await window.becomes(_SAID, before)
        await window.answer()
        await window.shows("One word after")
        await window.tab.reload()
        await window.until("document.querySelector('.ending') !== null")
        await window.becomes(_SAID, [*before, "One word after another comes in here"])
        numbers = await window.run(_NUMBERS)
        assert numbers == [*range(1, len(numbers) + 1)]


@asynccontextmanager
async def _server(
    folder: Path, port: int, script: Path
) -> AsyncGenerator[tuple[Process, Doorplate]]:
    """``ouro web`` as a process of its own."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "OUROBOROS_HOME": str(folder / "home"),
    }
    words = [
        "web",
        "--port",
        str(port),
        "--headless-token",
        "--mode",
        "ask",
        "--model",
        f"script:{script}",
    ]
    process = await anyio.open_process(
        [sys.executable, "-m", "ouroboros", *words],
        cwd=folder,
        env=environment,
        stderr=None,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = b""
        with anyio.fail_after(60):
            while b"\n" not in line:
                line += await process.stdout.receive()
        number, token = line.decode().split()
        yield process, Doorplate(port=int(number), token=token, ticket=str)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        await process.aclose()


def _asking(folder: Path) -> Path:
    """A model that asks for one command."""
    script = folder / "script.jsonl"
    lines: list[dict[str, Any]] = [
        {
            "text": "I begin.",
            "tool_calls": [{"name": "exec_command", "arguments": {"cmd": "touch one"}}],
        },
        {"text": "Done after all."},
    ]
    script.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    return script


@pytest.mark.proves("T16", "T13")
async def test_a_killed_server_is_waited_for_and_nothing_is_shown_twice(
    chromium: Chromium, tmp_path: Path
) -> None:
    script = _asking(tmp_path)
    async with _server(tmp_path, spare_port(), script) as (process, plate):
        served = cast("Served", SimpleNamespace(plate=plate))
        async with window(chromium, served) as shown:
            await shown.enter()
            await shown.say("Begin")
            await shown.until("document.querySelector('.ask') !== null")
            seen = await shown.run(_NUMBERS)
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            await shown.shows("The server cannot be reached")
            await shown.say("Lost words")
            await shown.until("document.querySelector('.toast.is-error') !== null")
            assert (
                await shown.run("document.querySelector('.prompt textarea').value") == "Lost words"
            )
            await shown.run("ouro.page.show('rewind')")
            await shown.shows("Rewind could not be loaded")
            await shown.run("ouro.page.show('tree')")
            await shown.shows("Tree could not be loaded")
            async with _server(tmp_path, plate.port, script) as (_, again):
                await shown.until("document.querySelector('.login') !== null", 60)
                await shown.run("document.querySelector('.login input').focus()")
                await shown.type(again.entrance)
                await shown.press("Enter")
                await shown.until(
                    "ouro.link.state === 'online' && document.querySelector('.chat') !== null"
                )
                await shown.until("document.querySelectorAll('.panel.tree .twig').length > 1")
                await shown.until("ouro.store.current.phase === 'ready'")
                await _settled(shown)
                numbers = await shown.run(_NUMBERS)
                assert numbers == [*range(1, len(numbers) + 1)]
                assert len(numbers) >= len(seen)
                await shown.becomes(f"{_SAID}.filter((each) => each === 'Begin').length", 1)
                assert "Lost words" not in await shown.run(_SAID)


@pytest.mark.proves("interfaces-killed-server", "divergences-token-of-the-page")
@pytest.mark.deep
async def test_a_server_killed_while_a_tab_is_held_and_a_question_is_open_leaves_no_browser_and_loses_nothing(
    chromium: Chromium, tmp_path: Path
) -> None:
    script = _asking(tmp_path)
    held = "document.querySelector('.stage.is-person canvas')?.dataset.number > 0"
    with serving() as site:
        site.put("form", "<title>Form</title><p>one")
        async with _server(tmp_path, spare_port(), script) as (process, plate):
            served = cast("Served", SimpleNamespace(plate=plate))
            async with window(chromium, served) as shown:
                await shown.enter()
                await shown.run(
                    "ouro.link.post('/sessions', {browser: true, cwd: ouro.store.facts.cwd})"
                    ".then(({session}) => ouro.store.go({session, view: 'chat'}))"
                )
                await shown.until("ouro.store.current?.phase === 'ready'")
                await shown.run("ouro.page.show('browser')")
                await shown.until("document.querySelector('.live-bar input') !== null")
                await opens(shown, site.url("form"), "Form")
                await shown.until(held)
                await shown.say("Begin")
                await shown.until("document.querySelector('.ask') !== null")
                await shown.press("F9")
                await shown.until(held)
                assert await anyio.to_thread.run_sync(running_on, tmp_path / "home")
                process.send_signal(signal.SIGKILL)
                await process.wait()
                await shown.shows("The server cannot be reached")
                assert await gone(tmp_path / "home")
                async with _server(tmp_path, plate.port, script) as (_, again):
                    await _enters(shown, again)
                    await shown.until("ouro.store.current?.phase === 'ready'", 60)
                    await _settled(shown)
                    numbers = await shown.run(_NUMBERS)
                    assert numbers == [*range(1, len(numbers) + 1)]
                    await shown.becomes(f"{_SAID}.filter((each) => each === 'Begin').length", 1)
                    await shown.shows("The browser has not been started")
                    await shown.until(
                        "(async () => { const {id, state} = ouro.store.current, cards = [...state.approvals.keys()];"
                        "const {approvals} = await ouro.link.get('/sessions/' + id);"
                        "return cards.length === 1 && approvals.length === 1"
                        " && approvals[0].request_id === cards[0]; })()"
                    )
                    assert not (tmp_path / "one").exists()
                    await shown.answer()
                    await shown.until("document.querySelector('.ending') !== null")
                    assert (tmp_path / "one").exists()


async def _enters(shown: Window, plate: Doorplate) -> None:
    """Gives the token of a server that was started again, which the page asks for."""
    await shown.until("document.querySelector('.login') !== null", 60)
    assert "The server was started again" in await shown.text(".login")
    await shown.run("document.querySelector('.login input').focus()")
    await shown.until("document.activeElement === document.querySelector('.login input')")
    await shown.type(plate.entrance)
    await shown.until(
        f"document.querySelector('.login input').value.length === {len(plate.entrance)}"
    )
    await shown.press("Enter")
    # What was shown before the kill stays in sight, so that no state of it tells who is logged in.
    await shown.until("document.querySelector('.login') === null && ouro.link.state === 'online'")


async def _settled(shown: Window) -> None:
    """All that the server has is here."""
    await shown.until(
        "(async () => { const one = await ouro.link.get('/sessions/' + ouro.store.current.id);"
        "return one.seq === ouro.store.current.state.seq; })()"
    )
