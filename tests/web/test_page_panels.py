"""The panels in the page: changes taken back, turns and branches gone to, files and settings used."""

import json
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.providers import keys
from ouroboros.llm.turns import Turn
from tests.cases import soak_but
from tests.story.stage import call
from tests.web.conftest import Shown
from tests.web.window import DESK, PHONE, Window

DONE = Turn(text="All done.")
BEFORE = "".join(f"line {number}\n" for number in range(1, 31))
AFTER = BEFORE.replace("line 3\n", "line three\n").replace("line 25\n", "line <b>25</b>\n")
TWO = (
    Turn(tool_calls=(call("write", path="a.txt", content=BEFORE),)),
    DONE,
    Turn(tool_calls=(call("write", path="a.txt", content=AFTER),)),
    Turn(text="Changed."),
)

STEERS = (
    Turn(
        tool_calls=(
            call("write", path="z.txt", content="z\n"),
            call("write", path="AGENTS.md", content="x\n"),
        )
    ),
    DONE,
)


async def begin(window: Window, *words: str) -> str:
    """A session in which these words were said, one after the other."""
    session = await window.session()
    for each in words:
        await window.served.send(session, "submit", text=each)
        await window.served.rests(session)
    return session


async def show(window: Window, view: str) -> None:
    await window.run(f"ouro.page.show('{view}')")
    await window.until(
        f"document.querySelector('.panel.{view}, .side .empty:not(.loading)') !== null"
    )


def work(window: Window) -> Path:
    return window.served.root / "work"


async def a_hunk_is_taken_back_put_back_and_remarked_on(window: Window) -> None:
    await begin(window, "First", "Second")
    await show(window, "review")
    await window.until("document.querySelectorAll('.review option').length === 3")
    await window.run(
        "(() => { const one = document.querySelector('.review select');"
        "one.value = one.options[1].value; one.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    await window.until("document.querySelectorAll('.hunk').length === 2")
    assert "line <b>25</b>" in await window.text(".review")
    assert await window.count(".review b") == 0
    await window.click(".hunk-head .button", "Take back")
    await window.until("document.querySelectorAll('.hunk').length === 1")
    assert (work(window) / "a.txt").read_text() == AFTER.replace("line three\n", "line 3\n")
    await window.click(".button", "Put it back")
    await window.until("document.querySelectorAll('.hunk').length === 2")
    assert (work(window) / "a.txt").read_text() == AFTER
    await window.click(".hunk-head .button", "Remark")
    await window.until("document.activeElement?.tagName === 'TEXTAREA'")
    await window.type("Say it in words")
    await window.press("Control+Enter")
    await window.click(".button", "Put 1 remark into the prompt")
    said = await window.until("document.querySelector('.prompt textarea').value")
    assert "`a.txt`, line 3" in said
    assert "Say it in words" in said


@pytest.mark.proves("V16")
@pytest.mark.deep
async def test_hunks_are_gone_through_by_keys_and_what_is_accepted_stays_so(page: Shown) -> None:
    async with page(TWO) as window:
        session = await begin(window, "First", "Second")
        await show(window, "review")
        await window.until("document.querySelectorAll('.hunk').length === 1")
        await window.run("document.querySelector('.hunk').focus()")
        await window.press("a")
        await window.shows("all accepted")
        await window.press("x")  # all of it is new: a file goes back by its own button only
        await window.run("globalThis.is_old = true; location.reload()")
        await window.until(
            f"!globalThis.is_old && globalThis.ouro?.store.current?.id === '{session}' && document.querySelector('.is-accepted') !== null"
        )
        await window.shows("all accepted")
        assert (work(window) / "a.txt").read_text() == AFTER


@pytest.mark.proves("interfaces-rewind-on-the-page", "K06")
@pytest.mark.deep
async def test_a_turn_is_gone_back_to_and_somebody_elses_work_is_asked_about(page: Shown) -> None:
    async with page(TWO) as window:
        session = await begin(window, "First", "Second")
        (work(window) / "a.txt").write_text("by hand")
        (work(window) / "mine").write_text("mine")
        await show(window, "rewind")
        await window.click(".bar .button", "Undo the latest turn")
        await window.shows("Changed by somebody else since")
        assert await window.text(".foreign-edits code") == "a.txt"
        stays = await window.run("document.querySelector('.way details:last-of-type').textContent")
        assert "mine: it was changed by somebody else" in stays
        assert await window.run("document.querySelector('.point-body .button.main').disabled")
        await window.click(".way .segments button", "Files")
        await window.until("document.querySelectorAll('.foreign-edits code').length === 2")
        await window.click(".way .segments button", "Both")
        await window.until("document.querySelectorAll('.foreign-edits code').length === 1")
        await window.click(".choice", "Leave these as they are")
        await window.click(".point-body .button.main", "Take back words and files")
        await window.until("document.querySelectorAll('.point').length === 1")
        await window.click(".bar .button", "Redo")
        await window.until("document.querySelectorAll('.point').length === 2")
        assert (work(window) / "a.txt").read_text() == "by hand"
        assert (work(window) / "mine").read_text() == "mine"
        log = [event["type"] for event in await window.served.log(session)]
        assert [each for each in log if each in {"turn.undone", "turn.redone"}] == [
            "turn.undone",
            "turn.redone",
        ]


@pytest.mark.proves("K06")
@pytest.mark.deep
async def test_words_that_are_taken_back_stand_in_the_prompt_again_unless_others_do(
    page: Shown,
) -> None:
    said = f"Second  thing\n{'long ' * 60}end"
    prompt = "document.querySelector('.prompt textarea')"
    async with page([*TWO, DONE]) as window:
        await begin(window, "First", "Second", said)
        await show(window, "rewind")
        await window.click(".bar .button", "Undo the latest turn")
        await window.until(f"{prompt}.value === {json.dumps(said)}")
        await window.until(f"document.activeElement === {prompt}")
        for left in (1, 0):
            await window.until(f"document.querySelectorAll('.point').length === {left + 1}")
            await window.click(".point-head")
            await window.click(".way .segments button", "Conversation")
            await window.click(".point-body .button.main", "Go on from before")
            await window.until(f"document.querySelectorAll('.point').length === {left}")
            if left:
                assert await window.run(f"{prompt}.value") == said
                await window.run(
                    f"{prompt}.value = ''; {prompt}.dispatchEvent(new Event('input', {{bubbles: true}}))"
                )
        await window.until(f"{prompt}.value === 'First'")


@pytest.mark.proves("interfaces-rewind-on-the-page")
@pytest.mark.deep
async def test_a_run_that_works_keeps_the_way_back_shut(page: Shown) -> None:
    turns = [*TWO[:2], Turn(tool_calls=(call("shell", command="sleep 300", timeout=300),))]
    async with page(turns) as window:
        session = await begin(window, "First")
        await window.served.send(session, "submit", text="Second")
        await show(window, "rewind")
        await window.shows("A run is under way")
        assert await window.run(
            "[...document.querySelectorAll('.rewind .bar .button')].every((each) => each.disabled)"
        )
        await window.click(".rewind .note .button", "Stop")
        await window.until("!document.querySelector('.rewind .bar .button').disabled")


@pytest.mark.proves("V15")
@pytest.mark.deep
async def test_the_tree_is_branched_jumped_in_and_compared(page: Shown) -> None:
    turns = [Turn(text="One."), Turn(text="Left **bold**."), Turn(text="Right.")]
    async with page(turns) as window:
        session = await begin(window, "First", "Go left")
        await show(window, "tree")
        await window.until("document.querySelectorAll('.twig').length === 4")
        await window.click("[aria-label='Go on from message 2']")
        await window.until("document.querySelectorAll('.twig')[1].classList.contains('is-head')")
        await window.served.send(session, "submit", text="Go right")
        await window.served.rests(session)
        await window.until("document.querySelectorAll('.twig').length === 6")
        assert await window.count(".depth-1") == 2
        for number in (4, 6):
            await window.click(f"[aria-label='Compare message {number}']")
        await window.click(".tree .bar .button", "Compare the two")
        await window.shows("2 messages are the same")
        arms = await window.run(
            "[...document.querySelectorAll('.arm')].map((each) => each.innerText)"
        )
        assert ["Go left" in arms[0], "Go right" in arms[1]] == [True, True]
        assert await window.text(".arm strong") == "bold"
        await window.press("Escape")
        await window.until("document.querySelector('.dialog') === null")
        await window.click("[aria-label='Begin a session of its own after message 2']")
        await window.until(f"ouro.store.current && ouro.store.current.id !== '{session}'")


async def files_are_read_by_keys_alone_and_strange_names_stay_text(window: Window) -> None:
    session = await begin(window, "First")
    (work(window) / "deep").mkdir()
    names = ["<img src=x onerror=alert(1)>", "line\nbreak", "\u202egnp.exe"]
    for name in names:
        (work(window) / "deep" / name).write_text(f"<script>{name}</script>\n")
    await show(window, "files")
    await window.until("document.querySelectorAll('[role=treeitem]').length === 2")
    await window.run("document.querySelector('[role=treeitem]').focus()")
    await window.press("ArrowRight")
    await window.until("document.querySelectorAll('[role=treeitem]').length === 5")
    odd = "[...document.querySelectorAll('[role=treeitem]')].find((each) => each.innerText.includes('<img'))"
    shown = await window.text("[role=tree]")
    assert names[0] in shown
    assert "\\u{202e}gnp.exe" in shown
    assert await window.count("[role=tree] img") == 0
    await window.press("ArrowDown")
    await window.until("document.activeElement.innerText.includes('<img')")
    for _ in range(2):  # a browser heeds `autofocus` only the first time
        await window.until(f"({odd})?.focus() ?? ({odd})?.tabIndex === 0")
        await window.press("Enter")
        await window.shows("<script>")
        await window.press("Escape")
        await window.until("document.querySelector('[role=tree]') !== null")
    (work(window) / "fresh").touch()
    await window.served.send(session, "submit", text="Second")
    await window.until("document.querySelector('[role=tree]').innerText.includes('fresh')")
    await window.click(".segments button", "Changed")
    await window.until("document.querySelector('.tree-rows li')?.innerText.includes('a.txt')")


async def a_page_that_was_kept_runs_nothing(window: Window) -> None:
    session = await begin(window, "First")
    folder = window.served.root / "home" / "artifacts" / session
    folder.mkdir(parents=True)
    (folder / "page.html").write_text(
        "<title>still</title><script>document.title = 'ran'</script>"
        "<img src=x onerror=\"document.title = 'ran'\"><p>words</p>"
    )
    await show(window, "artifacts")
    await window.shows("page.html")
    await window.run("globalThis.open = (address) => { location.href = address }")
    await window.click(".artifact .button", "Show")
    await window.until("document.body?.innerText.trim() === 'words'")
    assert await window.run("document.title") == "still"
    assert await window.run("window.origin") == "null"
    assert any("Blocked script execution" in each for each in window.troubles)
    window.troubles.clear()  # they are what was wished for


async def sessions_are_found_renamed_and_deleted_after_a_yes(window: Window) -> None:
    first = await begin(window, "The quick brown fox")
    await begin(window, "A lazy dog")
    await window.run("ouro.page.show('sessions')")
    await window.until("document.querySelectorAll('.session-row').length === 4")
    await window.run("document.querySelector('.finder input').focus()")
    await window.type("quick fox")
    await window.until("document.querySelectorAll('.session-row').length === 1")
    assert "quick brown fox" in await window.text(".session-excerpt")
    await window.click(".menu .button")
    await window.click(".popup button", "Rename")
    await window.until("document.activeElement?.value === 'The quick brown fox'")
    await window.run("document.activeElement.select()")
    await window.type("Foxes")
    await window.press("Enter")
    await window.until("document.querySelector('.session-title')?.innerText === 'Foxes'")
    await window.click(".menu .button")
    await window.click(".popup button", "Delete")
    await window.until("document.querySelector('.dialog .bad')?.ariaDisabled === 'true'")
    await window.until(
        "document.activeElement?.closest('.dialog') && document.activeElement.value === ''"
    )
    await window.type(first[-4:])
    await window.press("Enter")
    await window.until("document.querySelectorAll('.session-row').length === 0")
    assert (await window.served.client.get(f"/api/v1/sessions/{first}/tree")).status_code == 404


@pytest.mark.proves("V13")
@pytest.mark.deep
async def test_a_key_is_kept_and_nowhere_on_the_page(page: Shown) -> None:
    async with page([DONE]) as window:
        await window.run("ouro.page.show('settings')")
        await window.run("document.querySelector('.settings .finder input')?.focus()")
        await window.until(
            "document.activeElement?.type === 'search' || (document.querySelector('.settings .finder input')?.focus(), false)"
        )
        await window.type("anthropic")
        await window.click(".provider .file-name", "Anthropic")
        await window.run("document.querySelector('.key input').focus()")
        await window.type("sk-ant-0123456789abcdef")
        await window.press("Enter")
        await window.shows("ANTHROPIC_API_KEY is kept in")
        await window.until(
            "document.querySelector('.provider')?.innerText.includes('it is not shown')"
        )
        assert "0123456789abcdef" not in await window.run("document.documentElement.outerHTML")
        assert not await window.run(
            "[...document.querySelectorAll('input')].some((each) => each.value.includes('0123456789'))"
        )
        kept = await to_thread.run_sync(keys.sealed, window.served.root / "home")
        assert "0123456789abcdef" in kept["ANTHROPIC_API_KEY"]


async def a_setting_is_saved_and_a_wrong_one_is_refused_with_words(window: Window) -> None:
    await window.run("ouro.page.show('settings', {tab: 'values', query: 'limits.max_turns'})")
    await window.click(".value", "limits.max_turns")
    await window.until("document.querySelector('.edit input') !== null")
    for given, said in (("many", "expected a whole number"), ("7", "is saved in")):
        await window.run(
            "(() => { const one = document.querySelector('.edit input'); one.focus(); one.select(); })()"
        )
        await window.type(given)
        await window.press("Enter")
        await window.shows(said)
    await window.until("document.querySelector('.value-now')?.innerText === '7'")
    await window.until("document.querySelector('.origin').innerText.includes('user')")
    text = (window.served.root / "home" / "config.toml").read_text()
    assert "max_turns = 7" in text


OPENED = {
    "review": ".hunk-head .button:last-child",
    "rewind": ".point-head",
    "tree": "[aria-label='Compare message 2']",
    "files": "[role=treeitem]",
    "artifacts": "button.artifact-picture",
    "meter": "",
    "sessions": ".menu .button",
    "settings": ".provider .file-name",
    "settings models": "",
    "settings values": ".value",
    "settings rules": "",
    "settings project": "",
}
"""What is pressed in each view, so that more of it is seen."""


@pytest.mark.proves("V20")
@pytest.mark.deep
async def test_the_tree_goes_on_from_elsewhere_and_panels_have_no_barrier(page: Shown) -> None:
    async with page([Turn(text="One"), Turn(text="Two")]) as window:
        await begin(window, "First", "Second")
        await window.run(_axe().read_text())
        await show(window, "tree")
        await window.until("document.querySelectorAll('.twig').length === 4")
        found = await _wrong(window, "tree")
        await window.run("document.querySelector(\"[aria-label='Go on from message 2']\").click()")
        await window.until("document.querySelector('.twig.is-head')?.innerText.includes('One')")
        await window.until("!document.querySelector('.transcript').innerText.includes('Two')")
        await window.run("ouro.page.show('settings', {tab: 'project'})")
        await window.shows("None are set up")
        found += await _wrong(window, "settings")
        assert found == []


@pytest.mark.proves("V20")
@pytest.mark.parametrize(("place", "scheme"), soak_but(2, [(PHONE, "dark"), (DESK, "light")]))
async def test_nothing_stands_in_the_way_of_anybody(
    page: Shown, place: tuple[int, int], scheme: str
) -> None:
    async with page(TWO, place=place) as window:
        session = await begin(window, "First", "Second")
        folder = window.served.root / "home" / "artifacts" / session
        folder.mkdir(parents=True)
        (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        await window.colours(scheme)
        await window.run(_axe().read_text())
        found: dict[str, list[str]] = {}
        for name, pressed in OPENED.items():
            view, _, tab = name.partition(" ")
            await window.run(f"ouro.page.show('{view}', {json.dumps({'tab': tab} if tab else {})})")
            await window.until(
                f"document.querySelector('.panel.{view}') && !document.querySelector('.panel .loading')"
            )
            if pressed:
                await window.until(f"document.querySelector({json.dumps(pressed)})")
                await window.run(f"document.querySelector({json.dumps(pressed)}).click()")
                await window.until("!document.querySelector('.panel .loading')")
            found[name] = await _wrong(window, view)
            await window.run("document.querySelector('.dialog header .button')?.click()")
        assert {name: each for name, each in found.items() if each} == {}


async def _wrong(window: Window, view: str) -> list[str]:
    """What axe calls serious in the view, and in a dialog over it."""
    wish = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
    code = (
        f"axe.run({{include: [['.panel.{view}']]}}, {json.dumps(wish)}).then((found) => found.violations"
        ".filter((each) => ['serious', 'critical'].includes(each.impact))"
        ".flatMap((each) => each.nodes.map((node) =>"
        " `${each.id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ''}`)))"
    )
    return await window.run(code)


def _axe() -> Path:
    import axe_playwright_python

    return Path(next(iter(axe_playwright_python.__path__))) / "axe.min.js"


@pytest.mark.proves("V16", "K06", "V19", "interfaces-sessions-on-the-page", "V13", "C22")
async def test_the_panels_are_used_by_hand(page: Shown) -> None:
    async with page([*TWO, *TWO, DONE, DONE, DONE]) as window:
        await files_are_read_by_keys_alone_and_strange_names_stay_text(window)
        await a_hunk_is_taken_back_put_back_and_remarked_on(window)
        await sessions_are_found_renamed_and_deleted_after_a_yes(window)
        await a_setting_is_saved_and_a_wrong_one_is_refused_with_words(window)
        await a_page_that_was_kept_runs_nothing(window)


@pytest.mark.deep
@pytest.mark.proves("permissions-steering")
async def test_what_steers_later_runs_is_shown_apart(page: Shown) -> None:
    async with page(STEERS) as window:
        await begin(window, "First")
        await window.until(
            "document.querySelector('.chat, main')?.innerText.includes('steers later runs')"
        )
        await show(window, "review")
        await window.until("document.querySelectorAll('.review .hunk').length === 2")
        assert "1 file here steers later runs: AGENTS.md" in await window.text(".review .note")
        assert "AGENTS.md" in await window.text(".review .file")
        await window.click(".button", "Accept the others")
        await window.until("document.querySelectorAll('.hunk.is-accepted').length === 1")
        assert "1 hunk to look at" in await window.text(".review")
