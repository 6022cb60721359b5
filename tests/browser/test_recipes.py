"""Every block of code of every recipe, run in order by a REPL against the recipe's page."""

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.repl.functions.session import RECIPE_CHARS
from ouroboros.repl.recipes import NAMES, Shelf
from tests.browser.desk import Desk
from tests.browser.site import Asked, Reply, Site
from tests.cases import soak_but
from tests.story.rlm_stage import block, contexts, rlm_stage

BLOCK = re.compile(r"^```js\n(.*?)^```$", re.MULTILINE | re.DOTALL)


TEXTS = {name: Shelf().text(name) or "" for name in NAMES}
BLOCKS: dict[str, list[str]] = {name: BLOCK.findall(text) for name, text in TEXTS.items()}
COOKIES = (Path(__file__).parent / "pages/recipes/cookies.html").read_text("utf-8")


def attached(body: str) -> Reply:
    return Reply(body, "text/plain", 200, (("content-disposition", "attachment"),))


def serve_downloads(site: Site) -> None:
    site.put("recipes/invoice", attached("12.50 to pay\n"))
    site.put("recipes/terms", attached("no terms\n" * 10))
    site.put("recipes/data", Reply("a,b\n1,2", "text/csv"))


def serve_items(site: Site) -> None:
    def items(asked: Asked) -> Reply:
        first = int(asked.query["page"]) * 10
        return Reply(f'[{{"price": {first}}}, {{"price": {first + 1}}}]', "application/json")

    site.put("api/items", items)
    site.put("api/broken", Reply("broken", status=500))


def serve_tabs(site: Site) -> None:
    for number in range(1, 4):
        site.put(f"recipes/item-{number}", f"<p id=price>{number * 10}</p>")


def take_files(site: Site) -> None:
    site.put("recipes/take", lambda asked: f"{asked.body.count(b'filename=')} taken")


def set_session(site: Site) -> None:
    def page(asked: Asked) -> Reply:
        session = (("set-cookie", "session=s3cret; HttpOnly; Path=/"),)
        return Reply(COOKIES, headers=session if "cookie" not in asked.headers else ())

    site.put("recipes/cookies.html", page)


PREPARED: dict[str, Callable[[Site], None]] = {
    "cookies": set_session,
    "downloads": serve_downloads,
    "network-requests": serve_items,
    "tabs": serve_tabs,
    "uploads": take_files,
}

SHOWN: dict[str, tuple[str, Any]] = {
    "connection": (
        "[standing[0].status, again === tab, heading, tabs[0].status]",
        ["crashed", True, "Still here", "complete"],
    ),
    "cookies": (
        "[session.value, isLoggedIn, basket, theme, shown, others.map(({ name }) => name).sort()]",
        ["s3cret", True, ["pen"], "dark", "pen and ink", ["session", "theme"]],
    ),
    "cross-origin-iframes": (
        "[all.length, price, done, inside.fields, inside.origin !== new URL(all[0].url).origin]",
        [2, "12.50", "paid with 4242", 2, True],
    ),
    "dialogs": (
        "[acted.dialog, asked.message, after, name, leaving, await getText(tab, '#name')]",
        ["confirm", "Delete draft 7?", "deleted", "Plan B", "beforeunload", "Plan B"],
    ),
    "downloads": (
        "[file.name, isWhole, names, everything.length, broken, rows]",
        [
            "invoice.txt",
            True,
            ["invoice (2).txt (13 bytes)", "terms.txt (90 bytes)"],
            3,
            [],
            [["a", "b"], ["1", "2"]],
        ],
    ),
    "drag-and-drop": ("[where, value, reached, order]", ["done", 60, 50, ["c", "a", "b"]]),
    "dropdowns": (
        "[chosen, choices[1], size, city]",
        [[["no"], ["red", "blue"]], {"value": "no", "text": "Norway"}, "Large", "Bergen"],
    ),
    "iframes": (
        "[deep, editor.index, fields.map(({name}) => name), saved, texts.length, texts[0]]",
        ["deepest", 1, ["note"], "hello", 3, "Outer"],
    ),
    "network-requests": (
        "[items.length, total, next[0].price, failed.length, complaints[0].text]",
        [2, 21, 20, 1, "no stock"],
    ),
    "print-as-pdf": (
        "[paper.name, isPdf, wide.bytes > 500, whole.bytes > wide.bytes,"
        " await execInTab(tab, `document.querySelectorAll('p').length`)]",
        ["report.pdf", True, True, True, 6],
    ),
    "screenshots": (
        "[view.mime, whole.name, whole.mime, chart.name, isOther]",
        ["image/png", "whole.jpg", "image/jpeg", "chart.png", True],
    ),
    "scrolling": ("[end.atEnd, count, collected]", [True, 60, 100]),
    "shadow-dom": (
        "[label, state, secret, pressed, names,"
        " await getText(tab, 'user-card >>> follow-button >>> button')]",
        ["Ann", "sent hi", "hidden", "pressed true", ["Ann"], "Followed"],
    ),
    "tabs": ("[prices, details, left.length]", [[10, 20, 30], "Still here", 1]),
    "uploads": (
        "[sent, taken, receipt]",
        [
            ["notes.txt", "list.csv"],
            [{"name": "notes.txt", "size": 5}, {"name": "list.csv", "size": 3}],
            "2 taken",
        ],
    ),
    "viewport": (
        "[wide.width > 600, phone, menu, sizes.map(({overflows}) => overflows), back === wide.width]",
        [True, {"width": 390, "height": 844, "ratio": 2}, "Home", [True, False, False], True],
    ),
}


@pytest.mark.deep
@pytest.mark.proves("C13")
@pytest.mark.parametrize(
    "name",
    ["dialogs", *soak_but(2, (name for name in NAMES if name != "dialogs"))],
)
async def test_every_block_of_a_recipe_does_what_it_says(repl: Desk, work: Path, name: str) -> None:
    site = repl.stage.site
    for file, text in (("notes.txt", "notes"), ("list.csv", "a,b")):
        await anyio.Path(work / file).write_text(text)
    PREPARED.get(name, lambda site: None)(site)
    url = site.url(f"recipes/{name}.html")
    if name == "cross-origin-iframes":
        url += f"?widget={site.url('recipes/widget.html', host=1)}"
    await repl.run(f"const tab = await openTab({url!r}); await waitForLoad(tab)")
    if name == "connection":
        await repl.fails("await cdp(tab, 'Page.crash')")
    for code in BLOCKS[name]:
        await repl.run(code)
    code, expected = SHOWN[name]
    assert await repl.run(f"setFinal({code})") == expected
    if name == "screenshots":
        path = await repl.run("setFinal(chart.path)")
        assert struct.unpack(">II", (await anyio.Path(path).read_bytes())[16:24]) == (120, 60)


@pytest.mark.proves("C13")
def test_recipes_are_short_and_whole() -> None:
    assert len(NAMES) == 16
    for name, text in TEXTS.items():
        assert text.startswith(f"# {name}: "), name
        assert "\nTraps\n- " in text
        assert len(text) <= RECIPE_CHARS
        assert text.count("\n") <= 60
        assert len(BLOCKS[name]) >= 2
    assert Shelf().text("../shelf") is None


@pytest.mark.deep
@pytest.mark.proves("C13")
async def test_a_recipe_is_in_the_request_after_it_was_asked_for_and_not_before(
    tmp_path: Path,
) -> None:
    turns = [block("await recipe('dialogs')"), block("setFinal('read')")]
    async with rlm_stage(tmp_path, turns, with_browser=True) as s:
        outcome = await s.run("How are dialogs answered?")
        assert outcome.final == "read"
        fixed = s.body(0)["messages"][0]["content"]
        assert f"for {', '.join(NAMES)}" in fixed
        assert not any(BLOCKS[name][0] in fixed for name in NAMES)
        first, second = contexts(s)
        assert BLOCKS["dialogs"][0] not in first
        assert BLOCKS["dialogs"][0] in second
