"""The first start without a key: vendors, a model on this machine, the demo."""

import shutil
from pathlib import Path

import pytest
from anyio import to_thread
from textual.widgets import Input

from ouroboros.app.providers.keys import sealed
from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.first import Begin, FirstStart
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.tui.small_app import Small, small

NOWHERE = "http://127.0.0.1:9"
QUIET = {f"{name}_BASE_URL": NOWHERE for name in ("OLLAMA", "LMSTUDIO", "VLLM", "LLAMACPP")}


def offered(s: Small) -> list[str]:
    return [pick.name for select in s.app.screen.query(Select) for pick in select.picks]


async def choose(s: Small, name: str) -> None:
    await s.until(lambda: name in offered(s))
    await s.press("home", *["down"] * offered(s).index(name), "enter")


@pytest.mark.deep
@pytest.mark.proves("interfaces-first-start")
@pytest.mark.parametrize("size", [(80, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_it_offers_vendors_and_the_demo(tmp_path: Path, size: tuple[int, int]) -> None:
    async with small(tmp_path, size=size, environment=QUIET, model="echo") as s:
        s.app.open(FirstStart("no model is chosen"))
        await s.sees("Which model shall do the work?", "The demo", "no model is chosen")
        await s.until(lambda: "vendor:anthropic" in offered(s))
        assert offered(s)[0] == "demo"
        await s.press("down")
        await s.sees("OPENAI_API_KEY")
        await s.press("escape")
        await s.until(lambda: s.app.results)

        assert s.app.results == [None]


@pytest.mark.deep
@pytest.mark.proves("interfaces-first-start")
async def test_a_key_is_tried_then_kept_and_never_shown(tmp_path: Path) -> None:
    turns = [Turn(text="ready")]
    async with serving(turns) as vendor:
        environment = {**QUIET, "OPENAI_BASE_URL": vendor.url}
        async with small(tmp_path, environment=environment, model="", base_url="") as s:
            s.app.open(FirstStart())
            await choose(s, "vendor:openai")
            await s.sees("OPENAI_API_KEY")
            await s.press(*"sk-secret-key")
            assert "secret" not in s.text()
            await s.press("enter")
            await s.until(lambda: s.app.results)

        (begin,) = s.app.results
        assert isinstance(begin, Begin)
        assert begin.model.startswith("openai/")
        assert vendor.exchanges[0].headers["authorization"] == "Bearer sk-secret-key"
    home = s.app.loaded.home
    assert await to_thread.run_sync(sealed, home) == {"OPENAI_API_KEY": "sk-secret-key"}
    assert f'model = "{begin.model}"' in await to_thread.run_sync((home / "config.toml").read_text)


@pytest.mark.proves("interfaces-first-start")
async def test_a_key_that_is_refused_is_not_kept_unasked(tmp_path: Path) -> None:
    async with serving([]) as vendor:
        environment = {**QUIET, "OPENAI_BASE_URL": vendor.url}
        async with small(tmp_path, environment=environment, model="", base_url="") as s:
            s.app.open(FirstStart())
            await choose(s, "vendor:openai")
            await s.press(*"bad", "enter")
            await s.sees("did not take the key", "Type it again")
            assert await to_thread.run_sync(sealed, s.app.loaded.home) == {}

            await s.press("enter")
            await s.until(lambda: s.app.screen.query_one("#key", Input).has_focus)
            assert s.app.screen.query_one("#key", Input).value == ""
            await s.press(*"bad2", "enter")
            await s.sees("Keep it all the same")
            await s.press("down", "enter")
            await s.sees("is kept in")
            kept = await to_thread.run_sync(sealed, s.app.loaded.home)
            assert kept == {"OPENAI_API_KEY": "bad2"}
            assert s.app.results == []


@pytest.mark.deep
@pytest.mark.proves("interfaces-first-start")
async def test_a_model_on_this_machine_is_offered_first(tmp_path: Path) -> None:
    async with serving([]) as local:
        local.pages = {"/api/tags": {"models": [{"name": "tiny:1b", "model": "tiny:1b"}]}}
        environment = {**QUIET, "OLLAMA_BASE_URL": local.url}
        async with small(tmp_path, environment=environment, model="", base_url="") as s:
            s.app.open(FirstStart())
            await s.until(lambda: "model:ollama/tiny:1b" in offered(s))
            assert offered(s)[0] == "model:ollama/tiny:1b"
            await s.sees("answers on this machine")
            await choose(s, "model:ollama/tiny:1b")
            await s.until(lambda: s.app.results)

            assert s.app.results == [Begin(model="ollama/tiny:1b")]


@pytest.mark.deep
@pytest.mark.proves("interfaces-first-start")
async def test_the_demo_is_unpacked_and_given_to_begin_with(tmp_path: Path) -> None:
    async with small(tmp_path, environment=QUIET, model="echo") as s:
        s.app.open(FirstStart())
        await choose(s, "demo")
        await s.until(lambda: s.app.results)

        (begin,) = s.app.results
        assert isinstance(begin, Begin)
        assert begin.model.startswith("script:")
        assert begin.first
        assert begin.cwd is not None
        room = await s.hub.open(cwd=begin.cwd, model=begin.model)
        assert room.state.cwd == str(begin.cwd.resolve())
        await s.hub.close(room.id)
    await to_thread.run_sync(shutil.rmtree, begin.cwd.parent)
