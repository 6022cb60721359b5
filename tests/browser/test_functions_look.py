"""Functions that read a page, called by code in a real REPL."""

import json

import pytest

from tests.browser.desk import Desk
from tests.browser.stage import Stage

PAGE = """<title>Shop</title><h1 id=head class="big bold">Apples</h1>
<a href="/one">One <b>apple</b></a> <a href="/two">%s</a>
<input id=who name=who value=Ann placeholder=Name><input type=password id=pin value=1234>
<select id=size name=size><option value=s>S<option value=m selected>M</select>
<p class=row>first</p><p class=row>second</p><img src="/a.png">"""


async def opened(repl: Desk, html: str, path: str = "page") -> None:
    """Opens a page and calls its tab ``t``."""
    url = repl.stage.site.put(path, html)
    await repl.run(f"var t = await openTab({url!r}); await waitForLoad(t)")


@pytest.mark.proves("C04")
async def test_reading_functions_give_the_shapes_that_prompts_promise(repl: Desk) -> None:
    await opened(repl, PAGE % ("x" * 300))
    site = repl.stage.site
    text, missing, dom, links, inputs, one, every, none = await repl.run(
        "setFinal([await getText(t, '#head'), await getText(t, '#no'), await getDOM(t, '#head'), "
        "await getLinks(t), await getInputs(t), await querySelector(t, '#size'), "
        "await querySelectorAll(t, 'p.row'), await querySelectorAll(t, '.none')])"
    )
    assert (text, missing, none) == ("Apples", None, [])
    assert dom == '<h1 id="head" class="big bold">Apples</h1>'
    assert links[0] == {"text": "One apple", "href": site.url("one")}
    assert len(links[1]["text"]) == 100
    assert inputs[0] == {
        "id": "who",
        "name": "who",
        "type": "text",
        "value": "Ann",
        "placeholder": "Name",
    }
    assert "1234" not in json.dumps(inputs)
    assert set(one) == {
        "tagName", "id", "className", "innerText", "href", "src", "value", "type"
    }  # fmt: skip
    assert one["value"] == "m"
    assert [row["innerText"] for row in every] == ["first", "second"]
    assert set(every[0]) == {"tagName", "id", "className", "innerText", "href", "src"}


@pytest.mark.proves("C04")
@pytest.mark.deep
async def test_five_megabytes_of_text_reach_code_whole(repl: Desk) -> None:
    await opened(repl, "<pre id=long></pre><script>long.textContent = 'ä'.repeat(5e6)</script>")
    assert await repl.run("const s = await getText(t); setFinal([s.length, s.at(-1)])") == [
        5_000_000,
        "ä",
    ]


@pytest.mark.deep
@pytest.mark.proves("C03")
async def test_exec_in_tab_is_cut_at_a_hundred_thousand_characters(repl: Desk) -> None:
    await opened(repl, "<p>")
    cut = await repl.run("setFinal(await execInTab(t, \"'x'.repeat(300000)\"))")
    assert cut["__truncated"] is True
    assert cut["originalLength"] >= 300_000
    assert len(cut["data"]) <= 100_000


@pytest.mark.deep
async def test_exec_in_tab_runs_beside_the_page_or_in_its_own_world(repl: Desk) -> None:
    await opened(repl, "<p>here</p><script>var secret = 42</script>")
    told = await repl.run(
        "setFinal([await execInTab(t, 'typeof secret'), "
        "await execInTab(t, 'secret + 1', { world: 'main' }), "
        "await execInTab(t, 'document.querySelector(\"p\").innerText'), "
        "await execInTab(t, 'Promise.resolve(7)'), await execInTab(t, '() => 8')])"
    )
    assert told == ["undefined", 43, "here", 7, 8]


@pytest.mark.deep
async def test_an_error_in_the_page_and_a_wrong_name_are_errors_in_the_code(repl: Desk) -> None:
    await opened(repl, "<p>")
    assert "boom" in await repl.fails("await execInTab(t, 'throw new Error(\"boom\")')")
    caught = await repl.run(
        "try { await execInTab(t, 'nowhere.x') } catch (e) { setFinal(e.message) }"
    )
    assert "nowhere is not defined" in caught
    assert "no frame 'box'" in await repl.fails("await execInTab(t, '1', { frame: 'box' })")
    assert "tab_0" in await repl.fails("await getText('tab_9')")


@pytest.mark.deep
@pytest.mark.proves("C03")
async def test_code_in_the_page_that_does_not_end_is_ended(repl: Desk) -> None:
    await opened(repl, "<p>")
    words = await repl.fails("await execInTab(t, 'for (;;) {}', { timeout: 300 })")
    assert "0.3 s" in words
    assert await repl.run("setFinal(await execInTab(t, '1 + 1'))") == 2


@pytest.mark.deep
async def test_frames_are_listed_and_read_by_number_name_or_address(repl: Desk) -> None:
    site = repl.stage.site
    site.put("inner", "<p id=p>inside</p>")
    inner = site.url("inner", host=1)
    await opened(repl, f"<p id=p>outside</p><iframe name=box src={inner!r}></iframe>", "outer")
    frames, *texts = await repl.run(
        "await waitForSelector(t, 'iframe >>> #p'); const all = await frames(t); "
        "setFinal([all, await getText(t, '#p', { frame: 'box' }), "
        "await execInTab(t, 'document.querySelector(\"p\").innerText', { frame: 1 }), "
        "await getText(t, 'iframe >>> #p'), await getText(t, { frame: '/inner' }), "
        "await getText(t, '#p')])"
    )
    assert [frame["url"] for frame in frames] == [site.url("outer"), inner]
    assert [frame["index"] for frame in frames] == [0, 1]
    assert frames[1]["parent"] == frames[0]["id"]
    assert texts == ["inside", "inside", "inside", "inside", "outside"]


@pytest.mark.deep
async def test_a_handle_stands_for_one_element_of_one_page(repl: Desk) -> None:
    await opened(repl, "<button onclick='this.id = \"done\"'>A</button><button>B</button>")
    first = await repl.run(
        "var h = await handle(t, 'button'); await execInTab(t, "
        "'document.body.prepend(document.querySelectorAll(\"button\")[1])'); "
        "await click(t, h); setFinal(await querySelector(t, '#done'))"
    )
    assert first["innerText"] == "A"
    await repl.run("await reload(t); await waitForLoad(t)")
    assert "page of this handle was left" in await repl.fails("await click(t, h)")


@pytest.mark.deep
async def test_a_look_is_small_and_an_outline_has_handles(repl: Desk) -> None:
    await opened(repl, "<title>Many</title>" + "<button>b</button>" * 3000)
    seen, outline = await repl.run(
        "const o = await outline(t, 20); setFinal([await observe(t), o])"
    )
    assert (seen["title"], seen["buttons"]) == ("Many", 3000)
    assert len(json.dumps(seen)) < 1200
    assert (len(outline["items"]), outline["total"]) == (20, 3000)
    assert "handle" in outline["items"][0]


@pytest.mark.deep
@pytest.mark.proves("B05")
async def test_what_is_read_is_not_on_record(repl: Desk, stage: Stage) -> None:
    await opened(repl, "<p>canary-4711</p>")
    await repl.run("await getText(t); await execInTab(t, 'document.body.innerText')")
    assert "canary-4711" not in repr(repl.spine.journal.events)
    assert [event.type for event in repl.spine.journal.events].count("tool.result") >= 2
