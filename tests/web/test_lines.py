"""Lines for us: the commands after a slash that every face has, notes and the person's own shell, in the page too."""

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import httpx2
import pytest
from anyio import to_thread

from ouroboros.app.hub import hub
from ouroboros.core.clock import SystemClock
from ouroboros.faces.slashes.table import SLASHES
from ouroboros.faces.web.access import Access
from ouroboros.faces.web.application import application
from ouroboros.faces.web.door import Doorplate
from ouroboros.faces.web.frames import Told
from ouroboros.faces.web.listening import listening
from ouroboros.faces.web.panels.lines import LineFace
from ouroboros.faces.web.patience import Patience
from ouroboros.faces.web.server import serving
from ouroboros.faces.web.site import Site
from ouroboros.faces.wording.face import Notice
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving as models
from tests.story.hub_stage import outfit
from tests.story.stage import call
from tests.web.conftest import Shown
from tests.web.serving import Frame, Served, web


async def line(served: Served, session: str, words: str) -> tuple[int, Frame]:
    """A line as the page hands it on."""
    answer = await served.client.post(f"/api/v1/sessions/{session}/lines", json={"line": words})
    return answer.status_code, answer.json()


async def told(served: Served, session: str, words: str) -> str:
    """What the command says."""
    status, said = await line(served, session, words)
    assert status == 200, said
    return "\n".join(each["text"] for each in said["told"])


@pytest.mark.proves("V10")
async def test_every_command_of_the_other_faces_is_listed_with_the_same_words(
    tmp_path: Path,
) -> None:
    async with web(tmp_path) as served:
        rows = (await served.client.get("/api/v1/slashes")).json()["commands"]
    assert [(each["name"], each["usage"], each["meaning"], each["waits"]) for each in rows] == [
        (name, each.usage, each.meaning, each.waits) for name, each in SLASHES.items()
    ]


@pytest.mark.deep
@pytest.mark.proves("V10")
async def test_lines_note_run_rename_begin_and_lead_elsewhere(tmp_path: Path) -> None:
    async with web(tmp_path, [Turn(text="Written")]) as served:
        session = await served.open()
        assert "Where is 'Use tabs' to be kept?" in await told(served, session, "# Use tabs")
        assert "Noted in" in await told(served, session, "/note user")
        assert "Noted in" in await told(served, session, "# And spaces")
        notes = (tmp_path / "home" / "AGENTS.md").read_text("utf-8")
        assert "Use tabs" in notes
        assert "And spaces" in notes
        await told(served, session, "!echo mine > own.txt")
        await served.rests(session)
        assert (tmp_path / "work" / "own.txt").read_text() == "mine\n"
        await told(served, session, "/rename A better name")
        assert (await served.look(session))["title"] == "A better name"
        await told(served, session, "/init")
        assert (await served.rests(session))["turn"] == 1
        assert "AGENTS.md" in served.model.exchanges[0].body
        assert "Written" in await told(served, session, "/tree")
        other = await served.open()
        assert (await line(served, session, f"/resume {other}"))[1]["next"] == other
        assert (await line(served, session, "/clear"))[1]["next"] == "new"
        assert (await line(served, session, "/quit"))[1]["next"] == "home"
        forked = (await line(served, session, "/fork"))[1]["next"]
        assert forked not in {session, other, ""}
        assert (await line(served, session, "/nonsense")) == (
            409,
            {"error": "there is no command /nonsense", "hint": "/help lists them"},
        )
        assert (await line(served, session, "words"))[0] == 400
        assert (await line(served, session, "/review base"))[0] == 409


@pytest.mark.proves("interfaces-lines-of-the-page")
async def test_what_a_command_says_after_its_answer_comes_by_the_stream_of_its_session(
    tmp_path: Path,
) -> None:
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(models([]))
        opened = await stack.enter_async_context(hub(outfit(tmp_path, model.url)))
        (listener,) = listening(0)
        port: int = listener.getsockname()[1]
        loaded = await to_thread.run_sync(opened.outfit.loaded, opened.outfit.cwd)
        access = Access(port, token="")
        site = Site(hub=opened, access=access, clock=SystemClock(), loaded=loaded)
        waits = Patience()
        await stack.enter_async_context(serving(application(site, waits), listener, patience=waits))
        plate = Doorplate(port=port, token=access.token, ticket=access.ticket)
        client = await stack.enter_async_context(httpx2.AsyncClient(timeout=60, trust_env=False))
        served = Served(plate, client, model, tmp_path)
        one, other = await opened.open(), await opened.open()
        face = LineFace(partial(site.asides.tell, one.id))
        async with served.follow(one.id) as here, served.follow(other.id) as there:
            assert {(await here.hear())["kind"], (await there.hear())["kind"]} == {"hello"}
            face.tell(Notice(text="In time"))
            assert [told.text for told in face.answer()] == ["In time"]
            site.asides.tell(other.id, Told(text="Elsewhere"))
            face.tell(Notice(text="Late", level="warning", hint="so it is"))
            late = await here.until("told")
            assert late == {"kind": "told", "text": "Late", "level": "warning", "hint": "so it is"}
            assert (await there.until("told"))["text"] == "Elsewhere"
        face.tell(Notice(text="Nobody reads any more"))


@pytest.mark.deep
@pytest.mark.proves("V10")
async def test_what_waits_is_refused_in_a_run_and_words_for_later_are_kept_and_dropped(
    tmp_path: Path,
) -> None:
    turns = [Turn(text="Held", tool_calls=(call("exec_command", cmd="touch one"),))]
    async with web(tmp_path, turns, mode="ask") as served:
        session = await served.open()
        await served.send(session, "submit", text="Begin")
        async with served.follow(session) as socket:
            await socket.events("permission.requested")
        status, said = await line(served, session, "/undo")
        assert (status, said["hint"]) == (409, "Esc stops it")
        await told(served, session, "/queue And then this")
        assert list((await served.look(session))["queued"].values()) == ["And then this"]
        await told(served, session, "/queue drop 1")
        assert (await served.look(session))["queued"] == {}


@pytest.mark.proves("V10")
@pytest.mark.deep
async def test_the_page_lists_carries_out_and_shows_them(page: Shown) -> None:
    async with page([Turn(text="Well")]) as window:
        session = await window.session()
        await window.focus()
        await window.type("/no")
        await window.until("document.querySelector('.suggest')?.innerText.includes('/note')")
        await window.run("document.activeElement.select()")
        await window.say("/note user Use <b>tabs</b>")
        await window.shows("Noted in")
        await window.shows("Use <b>tabs</b>")
        late = "{kind: 'told', text: 'Said <i>late</i>', level: 'info', hint: ''}"
        await window.run(f"ouro.store.current.take({late})")
        await window.shows("Said <i>late</i>")
        await window.say("/tier nonsense words")
        await window.run(
            "HTMLAnchorElement.prototype.click = function () { globalThis.kept = this.href }"
        )
        await window.say("/export html")
        await window.until("globalThis.kept?.includes('/export?format=html&once=')")
        await window.say("/clear")
        await window.until(f"ouro.store.current && ouro.store.current.id !== {session!r}")
        await window.until("document.querySelector('.prompt textarea') !== null")
        await window.say("/plan maybe")
        await window.shows("/plan takes yes, no or edit")
        # What was not understood can be mended.
        mended = "document.querySelector('.prompt textarea').value === '/plan maybe'"
        await window.until(mended)
        assert window.troubles == []
