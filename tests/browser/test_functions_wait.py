"""Functions that wait, called by code in a real REPL: each comes to an end, and says so in words."""

import pytest

from tests.browser.desk import Desk

LATER = """<p id=old>old</p><script>setTimeout(() => {
  document.body.innerHTML = '<b id=new>brand new</b>';
}, 150)</script>"""


@pytest.mark.proves("C02")
async def test_waits_end_when_what_they_wait_for_is_there(repl: Desk) -> None:
    url = repl.stage.site.put("later", LATER)
    told = await repl.run(
        f"const t = await openTab({url!r});"
        "await Promise.all([waitForSelector(t, '#new'), waitForText(t, 'brand new', 60000),"
        "  waitForSelector(t, '#old', 60000, { state: 'hidden' })]);"
        "const all = [await waitForLoad(t, 60000), await waitForNetworkIdle(t, 60000),"
        "  await waitForSelector(t, '#new'), await waitForText(t, 'brand new')];"
        "setFinal([await getText(t, '#new'), all])"
    )
    assert told == ["brand new", [True] * 4]


@pytest.mark.proves("C02")
@pytest.mark.deep
async def test_a_wait_in_vain_ends_in_time_and_the_run_goes_on(repl: Desk) -> None:
    url = repl.stage.site.put("still", "<p id=old>old</p>")
    await repl.run(f"var t = await openTab({url!r})")
    for call in (
        "waitForSelector(t, '#never', 100)",
        "waitForText(t, 'never', 100)",
        "waitForSelector(t, '#old', 100, { state: 'hidden' })",
    ):
        words = await repl.fails(f"await {call}")
        assert "0.1 s" in words, call
        assert await repl.run("setFinal(await getText(t, '#old'))") == "old", call


@pytest.mark.deep
async def test_a_selector_that_cannot_be_understood_is_told_at_once(repl: Desk) -> None:
    url = repl.stage.site.put("still", "<p>")
    words = await repl.fails(f"var t = await openTab({url!r}); await waitForSelector(t, '###')")
    assert "###" in words
