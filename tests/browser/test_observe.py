"""An observation says what kind of page it is in the same few words however large the page."""

import pytest

from ouroboros.browser.page.observe import Observation, observe
from tests.browser.stage import Stage, read


def elements(count: int) -> str:
    row = '<p>Item {n} <a href="/i/{n}">open</a> <button>Buy</button> <input name=q{n}></p>'
    rows = "".join(row.format(n=n) for n in range(count // 3))
    return f"<!doctype html><title>Shop</title><h1>Everything we sell</h1>{rows}"


def article(characters: int) -> str:
    paragraph = "<p>" + "The quick brown fox jumps over the lazy dog. " * 20 + "</p>"
    return f"<!doctype html><title>Long</title>{paragraph * (characters // 900)}"


async def seen(stage: Stage, page: str) -> Observation:
    tab = await stage.show(page)
    return await observe(tab)


@pytest.mark.proves("browser-size")
async def test_it_counts_what_there_is(stage: Stage) -> None:
    page = """<!doctype html><title>A page</title><form><input id=i autofocus><input type=hidden>
    <textarea></textarea><button>Go</button></form><a href=/>x</a><div role=button>y</div><img>
    <dialog open>hi</dialog><script>var unseen = 1</script><p hidden>unseen</p><iframe></iframe>"""
    tab = await stage.show(page)
    found = await observe(tab)
    assert found.url == tab.url
    assert (found.title, found.ready, found.focus) == ("A page", "complete", "<input#i>")
    assert (found.links, found.buttons, found.inputs, found.forms) == (1, 2, 2, 1)
    assert (found.frames, found.images, found.dialogs) == (1, 1, 1)
    assert (found.width, found.scroll) == (await read(tab, "innerWidth"), 0)
    assert "unseen" not in found.preview
    assert found.preview.startswith("Go x y hi")


@pytest.mark.proves("browser-size")
@pytest.mark.deep
async def test_its_size_does_not_grow_with_the_page(stage: Stage) -> None:
    small = await seen(stage, elements(50))
    large = await seen(stage, elements(20_000))
    assert large.buttons == 6666
    sizes = len(small.text()), len(large.text())
    assert max(sizes) <= 800
    assert sizes[1] <= sizes[0] * 1.05


@pytest.mark.proves("browser-size")
@pytest.mark.deep
async def test_a_page_of_ten_million_characters_is_counted(stage: Stage) -> None:
    found = await seen(stage, article(10_000_000))
    assert found.characters > 9_000_000
    assert len(found.text()) <= 800


@pytest.mark.deep
async def test_words_of_any_length_stay_in_bounds(stage: Stage) -> None:
    page = (
        f"<!doctype html><title>{'t' * 9000}</title><button id={'i' * 9000} autofocus>{'b' * 9000}"
    )
    found = await seen(stage, page)
    assert len(found.text()) <= 800
    assert len(found.preview) <= 400


@pytest.mark.deep
async def test_odd_documents_are_observed(stage: Stage) -> None:
    tab = await stage.open()
    for page in ("", "<frameset><frame></frameset>", "<svg></svg>"):
        await stage.show(page, tab=tab)
        assert (await observe(tab)).ready == "complete", page


@pytest.mark.deep
async def test_a_page_under_a_dialog_is_told_from_outside(stage: Stage) -> None:
    tab = await stage.show("<title>Shop</title>")
    tab.dialog = "confirm"
    found = await observe(tab)
    assert (found.dialog, found.ready) == ("confirm", "dialog")
    assert "a confirm dialog is open" in found.text()
    tab.dialog = "alert"
    assert ", an alert dialog is open" in (await observe(tab)).text()
    tab.dialog = ""
