"""Who drives a tab: the agent waits for a person, looks again after them, and nothing they type is kept."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import anyio
import msgspec
import pytest

from ouroboros.core.events.browser import DialogAnswered, TabDriven
from tests.browser.desk import desk
from tests.browser.looking import Gallery, gallery
from tests.browser.stage import Stage, read
from tests.browser.test_live import FORM, click, press, settled
from tests.passing import lingering


@pytest.fixture
async def views(stage: Stage, work: Path) -> AsyncIterator[Gallery]:
    async with gallery(stage, work) as made:
        yield made


def driven(views: Gallery) -> list[tuple[str, str]]:
    return [(event.driver, event.why) for event in views.events if isinstance(event, TabDriven)]


@pytest.mark.proves("interfaces-who-drives", "divergences-a-tab-that-a-person")
async def test_a_person_takes_over_by_a_click_and_the_agents_act_waits_then_fails(
    stage: Stage, views: Gallery, work: Path
) -> None:
    tab = await stage.show(FORM)
    async with (
        desk(stage, work, drivers=views.drivers) as repl,
        views.person() as person,
        anyio.create_task_group() as tasks,
    ):
        await person.look(tab.id)
        assert await repl.run(f"await click('{tab.id}', '#go'); setFinal(1)") == 1
        await settled(tab, "go.textContent", "1")
        click(person, tab.id, 100, 50)
        await settled(tab, "go.textContent", "2")
        assert person.state(tab.id)["driver"] == "person"
        assert person.state(tab.id)["mine"]
        said: list[str] = []

        async def act() -> None:
            said.append(await repl.fails(f"await click('{tab.id}', '#go')"))

        tasks.start_soon(act)
        await person.until(lambda: person.state(tab.id)["awaited"])
        await anyio.sleep(0.05)
        assert (said, await read(tab, "go.textContent")) == ([], "2")
        assert (await person.ask("give", tab=tab.id))["kind"] == "done"
        with anyio.fail_after(60):
            while not said:
                await anyio.wait_all_tasks_blocked()
        assert "a person has driven" in said[0]
        assert "look at the page again" in said[0]
        assert await read(tab, "go.textContent") == "2"
        # It has been told; having looked, it goes on.
        code = f"await getText('{tab.id}'); await click('{tab.id}', '#go'); setFinal(1)"
        assert await repl.run(code) == 1
        await settled(tab, "go.textContent", "3")
    assert driven(views) == [("person", "taken"), ("agent", "given")]
    assert views.drivers.news() == (
        f"{tab.id} a person drove it and handed it back: look anew, fields may hold what they typed",
    )


@pytest.mark.proves("interfaces-who-drives")
@pytest.mark.deep
async def test_a_look_waits_too_and_goes_on_after_it_was_handed_back(
    stage: Stage, views: Gallery, work: Path
) -> None:
    tab = await stage.show(FORM)
    handle = f"const h = await handle('{tab.id}', '#go')"
    stage.site.put("next", "<p>another page</p>")
    async with (
        desk(stage, work, drivers=views.drivers) as repl,
        views.person() as person,
        anyio.create_task_group() as tasks,
    ):
        await repl.run(f"{handle}; setFinal(1)")
        await person.look(tab.id)
        await person.ask("take", tab=tab.id)
        found: list[str] = []

        async def look() -> None:
            found.append(await repl.run(f"setFinal(await getText('{tab.id}'))"))

        tasks.start_soon(look)
        await person.until(lambda: person.state(tab.id)["awaited"])
        await person.ask("tab:navigate", tab=tab.id, url=stage.site.url("next"))
        await person.ask("give", tab=tab.id)
        with anyio.fail_after(60):
            while not found:
                await anyio.wait_all_tasks_blocked()
        assert found == ["another page"]
        assert "left" in await repl.fails(f"await click('{tab.id}', h)")  # what it held is stale


@pytest.mark.deep
@pytest.mark.proves("interfaces-hands-in-a-tab")
async def test_what_a_person_types_is_on_no_record(stage: Stage, views: Gallery) -> None:
    tab = await stage.show(FORM.replace("<input", "<input type=password"))
    async with views.person() as person:
        await person.look(tab.id)
        click(person, tab.id, 100, 135)
        for letter in "hunter2":
            press(person, tab.id, letter)
        await person.ask("paste", tab=tab.id, text="-geheim")
        await settled(tab, "field.value", "hunter2-geheim")
        await person.ask("give", tab=tab.id)
        shown = msgspec.json.encode(person.told).decode()
    kept = msgspec.json.encode(views.events).decode()
    assert driven(views) == [("person", "taken"), ("agent", "given")]
    for word in ("hunter", "geheim"):
        assert word not in kept
        assert word not in shown


@pytest.mark.proves("interfaces-who-drives")
@pytest.mark.deep
async def test_one_of_two_windows_drives_and_the_other_may_take_it_over(
    stage: Stage, views: Gallery
) -> None:
    tab = await stage.show(FORM)
    async with views.person("one") as one, views.person("two") as two:
        await one.look(tab.id)
        await two.look(tab.id)
        await one.ask("take", tab=tab.id)
        await two.until(lambda: two.state(tab.id)["driver"] == "person")
        assert not two.state(tab.id)["mine"]
        click(two, tab.id, 100, 50)
        refused = await two.hear(lambda said: said["kind"] == "refused")
        assert "another window" in refused["error"]
        await two.ask("take", tab=tab.id)
        await one.until(lambda: not one.state(tab.id)["mine"])
        click(two, tab.id, 100, 50)
        await settled(tab, "go.textContent", "1")
    assert driven(views) == [("person", "taken")]  # it is a person either way


@pytest.mark.proves("interfaces-who-drives")
@pytest.mark.deep
async def test_a_hold_outlives_a_page_that_is_loaded_again_and_ends_when_nobody_comes_back(
    stage: Stage, work: Path
) -> None:
    tab = await stage.show(FORM)
    async with gallery(stage, work, grace_seconds=0.3) as views:
        with ExitStack() as slow:
            slow.enter_context(lingering(100))  # to come back may take a busy machine long
            async with views.person("window") as person:
                await person.ask("take", tab=tab.id)
            async with views.person("window") as person:
                slow.close()
                assert person.state(tab.id)["mine"]
                await anyio.sleep(0.5)
                assert views.drivers.held() == (tab.id,)
                slow.enter_context(lingering(100))
            assert views.drivers.held() == (tab.id,)
        with anyio.fail_after(60):
            await views.drivers.turn(tab.id, acts=False)
        assert driven(views)[-1] == ("agent", "left")


@pytest.mark.proves("interfaces-who-drives")
async def test_a_new_task_gives_the_tabs_back(stage: Stage, views: Gallery) -> None:
    tab = await stage.show(FORM)
    async with views.person() as person:
        await person.ask("take", tab=tab.id)
        views.live.give_all()
        await person.until(lambda: person.state(tab.id)["driver"] == "agent")
    assert driven(views)[-1] == ("agent", "new task")


@pytest.mark.proves("interfaces-who-drives")
@pytest.mark.deep
async def test_people_see_where_the_agent_acts_and_their_own_hands_are_no_news(
    stage: Stage, views: Gallery, work: Path
) -> None:
    tab = await stage.show(FORM)
    async with desk(stage, work, drivers=views.drivers) as repl, views.person() as person:
        await person.look(tab.id)
        await repl.run(f"await click('{tab.id}', '#go'); setFinal(1)")
        point = await person.hear(lambda said: said["kind"] == "point" and said["what"] == "down")
        assert 0 < point["x"] < 200 / 1280
        assert 0 < point["y"] < 100 / 600
        await person.hear(lambda said: said["kind"] == "point" and said["what"] == "up")
        before = len([said for said in person.told if said["kind"] == "point"])
        click(person, tab.id, 100, 50)
        await settled(tab, "go.textContent", "2")
        assert len([said for said in person.told if said["kind"] == "point"]) == before


@pytest.mark.deep
@pytest.mark.proves("interfaces-tabs-in-trouble")
async def test_a_dialog_is_shown_and_the_person_answers_it(stage: Stage, views: Gallery) -> None:
    tab = await stage.show(
        "<button id=go>ask</button><script>go.onclick = () => {"
        "go.textContent = prompt('Your name?', 'nobody') }</script>"
    )
    async with views.person() as person:
        await person.look(tab.id)
        click(person, tab.id, 20, 15)
        await person.until(lambda: person.state(tab.id)["dialog"] is not None)
        assert person.state(tab.id)["dialog"] == {
            "kind": "prompt",
            "message": "Your name?",
            "default": "nobody",
        }
        click(person, tab.id, 20, 15)
        refused = await person.hear(lambda said: said["kind"] == "refused")
        assert "dialog is open" in refused["error"]
        await person.ask("dialog", tab=tab.id, accept=True, text="Jürgen")
        await settled(tab, "go.textContent", "Jürgen")
        await person.until(lambda: person.state(tab.id)["dialog"] is None)
        again = await person.ask("dialog", tab=tab.id, accept=True)
        assert again["kind"] == "refused"
    assert [event.by for event in views.events if isinstance(event, DialogAnswered)] == ["person"]


@pytest.mark.deep
@pytest.mark.proves("interfaces-tabs-in-trouble")
async def test_a_page_that_asks_for_files_gets_those_of_the_workspace_only(
    stage: Stage, views: Gallery, work: Path
) -> None:
    (work / "u.txt").write_text("hello", "utf-8")
    tab = await stage.show("<input type=file id=f style='position:absolute;left:0;top:0'>")
    async with views.person() as person:
        await person.look(tab.id)
        click(person, tab.id, 40, 10)
        await person.until(lambda: person.state(tab.id)["chooser"] is not None)
        assert person.state(tab.id)["chooser"] == {"multiple": False}
        outside = await person.ask("files", tab=tab.id, paths=["/etc/passwd"])
        assert outside["kind"] == "refused"
        handed = await person.ask("files", tab=tab.id, paths=["u.txt"])
        assert handed["kind"] == "done", handed
        await settled(tab, "f.files[0]?.name", "u.txt")
        await person.until(lambda: person.state(tab.id)["chooser"] is None)


@pytest.mark.proves("C23")
@pytest.mark.deep
async def test_tabs_are_opened_moved_and_closed_by_the_names_of_the_first_design(
    stage: Stage, views: Gallery
) -> None:
    for name in ("one", "two"):
        stage.site.put(name, f"<title>{name}</title>")
    async with views.person() as person:
        opened = await person.ask("tab:open", url=stage.site.url("one").removeprefix("http://"))
        tab = opened["tab"]
        await person.hear(lambda said: said == {"kind": "tab:active-changed", "tab": tab})
        await person.until(lambda: person.state(tab).get("title") == "one")
        assert views.named == [stage.site.url("one")]
        await person.ask("tab:navigate", tab=tab, url=stage.site.url("two"))
        await person.until(lambda: person.state(tab)["title"] == "two")
        await person.ask("tab:go-back", tab=tab)
        await person.until(lambda: person.state(tab)["title"] == "one")
        await person.ask("tab:go-forward", tab=tab)
        await person.until(lambda: person.state(tab)["title"] == "two")
        refused = await person.ask("tab:go-forward", tab=tab)
        assert "no page to go forward to" in refused["error"]
        await person.ask("tab:reload", tab=tab)
        await person.ask("tab:stop", tab=tab)
        other = (await person.ask("tab:open"))["tab"]
        assert (await person.ask("tab:get-active"))["active"] == other
        await person.ask("tab:switch", tab=tab)
        every = await person.ask("tab:get-all")
        assert every["active"] == tab
        assert [each["id"] for each in every["tabs"]] == [tab, other]
        await person.ask("tab:close", tab=other)
        await person.hear(lambda said: said == {"kind": "tab:closed", "tab": other})
        assert (await person.ask("tab:open", url="no address"))["kind"] == "refused"
