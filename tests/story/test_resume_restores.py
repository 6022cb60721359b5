"""What a session is with when it goes on: what it was with, unless something else is chosen now."""

import os
from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.commands import SetMode, SetModel
from ouroboros.core.errors import KeyMissing, ModelUnknown
from ouroboros.core.events import ModelSwitched, SessionReady, SettingsChanged
from ouroboros.core.events.run import Browsing
from ouroboros.llm.turns import Turn
from tests.story.stage import stage
from tests.story.test_cli_run import ouro, script

DONE = Turn(text="Done.")


@pytest.mark.proves("I12")
async def test_mode_model_effort_and_tier_are_those_of_the_session(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], format="openai", mode="auto-edit") as s:
        await s.session.send(SetModel(effort="high", service_tier="flex"))
        await s.run("First")
        name = s.session.id
    async with stage(
        tmp_path, [DONE], format="openai-chat", mode="plan", effort="low", resume=name, chosen=()
    ) as s:
        state = s.session.state
        assert (state.model, state.mode) == ("openai/scripted", "auto-edit")
        assert (state.effort, state.service_tier) == ("high", "flex")
        assert "goes on in mode auto-edit" in "".join(s.session.warnings)
        await s.run("Second")
        assert s.body()["reasoning"]["effort"] == "high"
        assert s.body()["service_tier"] == "flex"
        assert not s.events(SettingsChanged)


async def test_what_is_chosen_now_counts(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], format="openai", mode="full-auto", effort="high") as s:
        await s.run("First")
        assert s.events(SessionReady)[0].effort == "high"
        name = s.session.id
    async with stage(
        tmp_path, [DONE], format="openai-chat", mode="plan", effort="low", resume=name
    ) as s:
        state = s.session.state
        assert (state.model, state.mode, state.effort) == ("openai-chat/scripted", "plan", "low")


async def test_a_tighter_mode_is_kept_without_a_word(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], mode="full-auto") as s:
        await s.session.send(SetMode(mode="plan"))
        await s.run("First")
        name = s.session.id
    async with stage(tmp_path, [DONE], mode="full-auto", resume=name, chosen=()) as s:
        assert s.session.state.mode == "plan"
        assert s.session.warnings == ()


@pytest.mark.proves("I12", "divergences-resuming-with-another-model-set")
@pytest.mark.parametrize(
    ("model", "error"), [("gone/model", ModelUnknown), ("anthropic/claude", KeyMissing)]
)
async def test_a_model_that_is_gone_is_said_and_no_other_takes_its_place(
    tmp_path: Path, model: str, error: type[Exception]
) -> None:
    own = {"gone": {"protocol": "openai-chat", "base_url": "{server}"}}
    more: dict[str, Any] = {"providers": own} if model.startswith("gone") else {}
    key = {"ANTHROPIC_API_KEY": "sk-ant-x"}
    async with stage(tmp_path, [DONE], model=model, environment=key, **more) as s:
        await s.run("First")
        name = s.session.id
    with pytest.raises(error, match=f"this session was with '{model}'") as refused:
        async with stage(tmp_path, [DONE], resume=name, chosen=(), base_url=""):
            pass
    assert "--model" in str(getattr(refused.value, "hint", ""))
    async with stage(tmp_path, [DONE], resume=name, chosen=("model",)) as s:
        await s.run("Second")
        assert not s.events(ModelSwitched)
        assert f"was with {model}" in s.session.warnings[0]


@pytest.mark.proves("I12")
async def test_a_browser_comes_back_with_its_profile_and_whose_it_is_not(tmp_path: Path) -> None:
    own = {"profile": "work", "headless": False}
    async with stage(tmp_path, [DONE], browser=own, opening={"browser": True}) as s:
        await s.run("First")
        name, tools = s.session.id, [tool["function"]["name"] for tool in s.body()["tools"]]
        assert s.session.state.browser == Browsing(mode="managed", profile="work", headless=False)
    async with stage(tmp_path, [DONE], resume=name, chosen=()) as s:
        assert s.session.state.browser == Browsing(mode="managed", profile="work", headless=False)
        assert "no browser profile 'work'" in "".join(s.session.warnings)
        await s.run("Second")
        assert [tool["function"]["name"] for tool in s.body()["tools"]] == tools
    theirs = {"mode": "attach", "url": "127.0.0.1:9"}
    async with stage(tmp_path, [DONE], browser=theirs, opening={"browser": True}) as s:
        name = s.session.id
    async with stage(tmp_path, [DONE], resume=name, chosen=()) as s:
        assert s.session.state.browser == Browsing(mode="managed", profile="default")
        assert "was attach; it goes on with one that is managed" in "".join(s.session.warnings)


@pytest.mark.proves("I12")
async def test_a_folder_that_is_no_work_tree_any_more_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    async with stage(tmp_path, [DONE]) as s:
        await s.run("First")
        name = s.session.id
    (folder / ".git").rename(tmp_path / "gone")
    async with stage(tmp_path, [DONE], resume=name) as s:
        assert "no work tree of git any more" in s.session.warnings[0]


@pytest.mark.deep
@pytest.mark.proves("I12")
def test_the_flags_of_the_command_line_are_what_is_chosen(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "One."}, {"text": "Two."}, {"text": "Three."})
    home = Path(os.environ["OUROBOROS_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    ouro("run", "first", "--model", model, "--mode", "auto-edit", cwd=tmp_path)
    (home / "config.toml").write_text('model = "nobody/none"\nmode = "ask"\n', "utf-8")
    again = ouro("run", "second", "--continue", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, "Two.\n")
    assert "goes on in mode auto-edit" in again.stderr
    other = ouro("run", "third", "--continue", "--mode", "plan", cwd=tmp_path)
    assert (other.returncode, "goes on in mode" in other.stderr) == (0, False)
    listed = ouro("sessions", "show", "last", cwd=tmp_path).stdout
    assert f"model: {model}" in listed
