"""Functions for dialogs, files, pictures, cookies, storage, logs and bare calls, called by code."""

import hashlib
from pathlib import Path

import anyio
import pytest

from ouroboros.tools.approval import Answer
from tests.browser.desk import Desk, desk
from tests.browser.site import Asked, Reply
from tests.browser.stage import Stage

YES, NO = Answer(allowed=True), Answer(allowed=False)


async def opened(repl: Desk, page: str, path: str = "files") -> None:
    """Opens a page and calls its tab ``t``."""
    url = repl.stage.site.put(path, page)
    await repl.run(f"var t = await openTab({url!r}); await waitForLoad(t)")


@pytest.mark.proves("C18")
async def test_a_question_of_a_page_waits_for_code(repl: Desk) -> None:
    await opened(repl, '<button onclick=\'b.textContent = prompt("who?", "me")\' id=b>ask</button>')
    shown, acted = await repl.run(
        "const acted = await click(t, '#b'); setFinal([await dialog(t), acted])"
    )
    assert (shown["kind"], shown["message"], shown["default"]) == ("prompt", "who?", "me")
    assert acted["dialog"] == "prompt"
    failed = await repl.fails("await getText(t)")
    assert "dialog is open" in failed
    assert "answer it with answerDialog" in failed  # what to do is told as well
    told = await repl.run(
        "await answerDialog(t, true, 'Ann'); setFinal([await getText(t, '#b'), await dialog(t)])"
    )
    assert told == ["Ann", None]
    assert "no dialog is open" in await repl.fails("await answerDialog(t, false)")


@pytest.mark.deep
@pytest.mark.proves("C17")
async def test_a_download_is_kept_and_told(repl: Desk) -> None:
    body = b"a,b\n1,2\n" * 500

    def bill(asked: Asked) -> Reply:
        del asked
        return Reply(
            body, "text/csv", 200, (("content-disposition", "attachment; filename=b.csv"),)
        )

    repl.stage.site.put("bill", bill)
    await opened(repl, "<a id=get href=/bill download>get</a>")
    kept, again, listed = await repl.run(
        "await click(t, '#get'); const kept = await waitForDownload(t, 10000);"
        "await click(t, '#get'); const again = await waitForDownload(t, 10000);"
        "setFinal([kept, again, (await downloads()).length])"
    )
    assert (kept["state"], kept["name"], kept["bytes"]) == ("completed", "b.csv", len(body))
    assert kept["sha256"] == hashlib.sha256(body).hexdigest()
    assert await anyio.Path(kept["path"]).read_bytes() == body
    assert again["id"] != kept["id"]
    assert listed == 2


@pytest.mark.deep
async def test_a_download_that_waits_for_a_decision_is_told_at_once(repl: Desk) -> None:
    repl.stage.site.put(
        "sum", Reply(b"1", "text/csv", 200, (("content-disposition", "attachment"),))
    )
    await opened(
        repl, "<button id=b onclick=\"if (confirm('sure?')) location = '/sum'\">get</button>"
    )
    with anyio.fail_after(60):
        said = await repl.fails("await click(t, '#b'); await waitForDownload(t)")
    assert "a confirm dialog is open, and no download began" in said
    kept, _ = await repl.run(
        "setFinal(await Promise.all([waitForDownload(t, 10000), answerDialog(t, true)]))"
    )
    assert kept["state"] == "completed"


@pytest.mark.deep
@pytest.mark.proves("C17")
async def test_files_are_uploaded_from_allowed_folders_after_a_yes(
    stage: Stage, work: Path
) -> None:
    await anyio.Path(work / "a.txt").write_text("apple")
    await anyio.Path(work.parent / "b.txt").write_text("secret")
    async with desk(stage, work, mode="ask", answers=[NO, YES]) as repl:
        await opened(
            repl,
            "<input type=file id=f onchange='f.files[0].text().then((t) => b.textContent = t)'><b id=b></b>",
        )
        assert "may not be uploaded" in await repl.fails("await upload(t, '#f', '../b.txt')")
        assert "refused" in await repl.fails("await upload(t, '#f', 'a.txt')")
        assert "a.txt" in repl.questions[0].action
        told = await repl.run(
            "await upload(t, '#f', ['a.txt']); await waitForText(t, 'apple', 5000);"
            "setFinal(await getText(t, '#b'))"
        )
        assert told == "apple"
        assert len(repl.questions) == 2


@pytest.mark.proves("browser-uploads")
@pytest.mark.deep
async def test_a_file_of_any_name_is_uploaded(stage: Stage, work: Path) -> None:
    name = "Grüße 日本.txt"
    await anyio.Path(work / name).write_text("apple")
    async with desk(stage, work, mode="ask", answers=[YES]) as repl:
        await opened(
            repl,
            "<input type=file id=f onchange='f.files[0].text().then((t) => b.textContent = f.files[0].name + t)'><b id=b></b>",
        )
        told = await repl.run(
            f"await upload(t, '#f', ['{name}']); await waitForText(t, 'apple', 5000);"
            "setFinal(await getText(t, '#b'))"
        )
        assert told == f"{name}apple"


@pytest.mark.deep
@pytest.mark.proves("C22")
async def test_pictures_and_paper_are_kept_and_code_gets_their_handles(repl: Desk) -> None:
    await opened(repl, "<h1>Invoice</h1>")
    picture, part, paper, size = await repl.run(
        "const picture = await screenshot(t); await setViewport(t, 500, 400);"
        "const size = await execInTab(t, '[innerWidth, innerHeight]'); await setViewport(t);"
        "const part = await screenshot(t, { clip: { x: 0, y: 0, width: 50, height: 40 }, format: 'jpeg' });"
        "setFinal([picture, part, await pdf(t), size])"
    )
    data = await anyio.Path(picture["path"]).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert picture["sha256"] == hashlib.sha256(data).hexdigest()
    assert (part["mime"], paper["mime"]) == ("image/jpeg", "application/pdf")
    assert (await anyio.Path(paper["path"]).read_bytes()).startswith(b"%PDF")
    assert size == [500, 400]


@pytest.mark.deep
async def test_cookies_and_storage_are_read_and_written(repl: Desk) -> None:
    await opened(repl, "<script>localStorage.a = '1'</script>")
    told = await repl.run(
        "await setCookie(t, { name: 'who', value: 'ann', httpOnly: true });"
        "await setStorage(t, 'b', '2'); await setStorage(t, 'c', '3', 'session');"
        "await setStorage(t, 'a', null); const jar = await getCookies(t);"
        "setFinal([jar.map((c) => [c.name, c.value, c.httpOnly]), await getStorage(t),"
        " await getStorage(t, 'session'), await execInTab(t, 'document.cookie')])"
    )
    assert told == [[["who", "ann", True]], {"b": "2"}, {"c": "3"}, ""]


@pytest.mark.proves("browser-pdf-logs")
@pytest.mark.deep
async def test_requests_and_console_lines_are_told(repl: Desk) -> None:
    repl.stage.site.put("part", Reply('{"n": 1}', "application/json"))
    page = "<script>console.error('odd', 7); fetch('/part').then((r) => r.text()).then((t) => b.textContent = t)</script><b id=b></b>"
    await opened(repl, page)
    found, text, lines = await repl.run(
        "await waitForText(t, '\"n\"', 5000); await waitForNetworkIdle(t);"
        "const one = (await networkRequests(t)).find((r) => r.url.endsWith('/part'));"
        "setFinal([one, await networkBody(t, one.id), await consoleMessages(t)])"
    )
    assert (found["status"], found["mime"]) == (200, "application/json")
    assert text == '{"n": 1}'
    assert next(line["text"] for line in lines if line["level"] == "error").startswith("odd 7")


@pytest.mark.deep
async def test_a_bare_call_is_asked_about_and_some_are_closed(stage: Stage, work: Path) -> None:
    async with desk(stage, work, mode="ask", answers=[NO, YES, YES]) as repl:
        await opened(repl, "<title>Bare</title>")
        code = "setFinal((await cdp(t, 'Runtime.evaluate', { expression: '40 + 2' })).result.value)"
        assert "refused" in await repl.fails(code)
        assert "Runtime.evaluate" in repl.questions[0].action
        assert await repl.run(code) == 42
        assert "not to be had" in await repl.fails("await cdp(t, 'Fetch.disable')")


DROP = """<div id=d style="width:300px;height:300px">Drop here</div><script>
d.ondragover = (e) => e.preventDefault();
d.ondrop = (e) => { e.preventDefault(); d.dataset.got = e.dataTransfer.files.length + ' files' };</script>"""
DRAGGED = """const data = { items: [], files: ['/etc/passwd'], dragOperationsMask: 1 };
for (const type of ['dragEnter', 'dragOver', 'drop']) await cdp(t, 'Input.dispatchDragEvent', { type, x: 100, y: 100, data });"""


@pytest.mark.deep
@pytest.mark.proves("browser-bare-calls")
async def test_bare_calls_do_not_get_round_other_functions(repl: Desk) -> None:
    await opened(repl, DROP)
    for method in ("Target.closeTarget", "Browser.close", "Page.navigate"):
        words = await repl.fails(f"await cdp(t, {method!r}, {{}})")
        assert "not to be had" in words, method
    assert "not to be had" in await repl.fails(DRAGGED)
    assert await repl.run("setFinal(await execInTab(t, 'd.dataset.got ?? 0'))") == 0
