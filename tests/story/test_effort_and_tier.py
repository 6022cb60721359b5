"""How hard a model thinks and how urgent a request is: set per session, kept over a resume."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.commands import SetModel
from ouroboros.core.errors import Misuse
from ouroboros.core.events import SettingsChanged
from ouroboros.faces.cli.options.flags import Chosen
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.stage import stage
from tests.story.test_cli_run import ouro, script

ONE, TWO, THREE = Turn(text="one"), Turn(text="two"), Turn(text="three")
FLEX: dict[str, Any] = {"service_tier": "flex"}


@pytest.mark.proves("H26")
async def test_settings_say_how_the_first_model_is_asked(tmp_path: Path) -> None:
    async with stage(tmp_path, [ONE], format="openai", effort="high", **FLEX) as s:
        await s.run()
        assert s.body()["reasoning"]["effort"] == "high"
        assert s.body()["service_tier"] == "flex"


@pytest.mark.proves("H26")
async def test_a_session_can_change_it_from_the_next_words_on(tmp_path: Path) -> None:
    async with stage(tmp_path, [ONE, TWO, THREE], format="openai", check=False) as s:
        await s.run()
        assert "service_tier" not in s.body()
        await s.session.send(SetModel(effort="low", service_tier="priority"))
        await s.run()
        assert s.body()["reasoning"]["effort"] == "low"
        assert s.body()["service_tier"] == "priority"
        await s.session.send(SetModel(service_tier=""))
        await s.run()
        assert s.body()["reasoning"]["effort"] == "low"
        assert "service_tier" not in s.body()
        assert s.events(SettingsChanged) == [
            SettingsChanged(effort="low", service_tier="priority"),
            SettingsChanged(service_tier=""),
        ]
        assert s.session.state.model == "openai/scripted"


@pytest.mark.proves("H26")
async def test_a_tier_that_would_not_be_sent_is_not_taken_quietly(tmp_path: Path) -> None:
    own = {"mine": {"base_url": "http://127.0.0.1:1/v1"}}
    async with stage(tmp_path, [ONE], format="openai", providers=own, check=False, **FLEX) as s:
        with pytest.raises(Misuse, match="no service tier can be asked of mine/other"):
            await s.session.send(SetModel(model="mine/other", service_tier="flex"))
        assert s.session.state.model == "openai/scripted"
        assert s.events(SettingsChanged) == []


async def test_a_wish_for_nothing_changes_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path, [ONE], format="openai", effort="low") as s:
        await s.session.send(SetModel())
        await s.run()
        assert s.events(SettingsChanged) == []
        assert s.body()["reasoning"]["effort"] == "low"


@pytest.mark.deep
async def test_another_model_of_the_vendor_is_asked_the_same_way(tmp_path: Path) -> None:
    async with stage(tmp_path, [ONE], format="openai", check=False) as s:
        await s.session.send(SetModel(effort="low", service_tier="flex"))
        await s.session.send(SetModel(model="openai/other"))
        await s.run()
        assert (s.body()["model"], s.body()["service_tier"]) == ("other", "flex")
        assert s.body()["reasoning"]["effort"] == "low"


@pytest.mark.proves("H26")
async def test_a_model_of_another_vendor_keeps_the_effort_and_not_the_tier(tmp_path: Path) -> None:
    own = {"mine": {"base_url": "http://127.0.0.1:1/v1", "protocol": "openai-responses"}}
    async with stage(tmp_path, [ONE], format="openai", providers=own, check=False, **FLEX) as s:
        await s.session.send(SetModel(effort="low", service_tier="priority"))
        await s.session.send(SetModel(model="mine/other"))
        assert s.session.state.service_tier == ""
        assert s.session.state.effort == "low"


@pytest.mark.proves("H26")
async def test_a_resumed_session_is_asked_as_it_was(tmp_path: Path) -> None:
    async with stage(tmp_path, [ONE], format="openai", check=False) as s:
        await s.session.send(SetModel(effort="low", service_tier="flex"))
        await s.run()
        name = s.session.id
    async with stage(tmp_path, [TWO], format="openai", resume=name) as s:
        await s.run()
        assert s.body()["reasoning"]["effort"] == "low"
        assert s.body()["service_tier"] == "flex"


@pytest.mark.deep
async def test_what_is_set_now_wins_over_what_the_session_chose(tmp_path: Path) -> None:
    async with stage(tmp_path, [ONE], format="openai", check=False) as s:
        await s.session.send(SetModel(effort="low", service_tier="flex"))
        await s.run()
        name = s.session.id
    async with stage(
        tmp_path, [TWO], format="openai", resume=name, effort="high", service_tier="priority"
    ) as s:
        await s.run()
        assert s.body()["reasoning"]["effort"] == "high"
        assert s.body()["service_tier"] == "priority"
        assert s.session.state.effort == "high"


@pytest.mark.deep
@pytest.mark.proves("H26")
@every(
    ("lines", "said"),
    [
        ("/effort high\n/effort\n", "effort: high"),
        ("/tier flex\n/tier\n", "tier: flex"),
        ("/tier flex\n/tier default\n", "left to the vendor"),
        ("/effort enormous\n", "there is no effort 'enormous'"),
        ("/effort\n", "effort: low\n"),
        ("/tier\n", "tier: the vendor's own"),
        ("/tier flex\n/tier default\n/tier\n", "tier: the vendor's own"),
    ],
)
def test_the_chat_has_a_command_for_each(tmp_path: Path, lines: str, said: str) -> None:
    model = script(tmp_path, {"text": "Never said."})
    done = ouro("chat", "--model", model, "--effort", "low", cwd=tmp_path, given=lines)
    assert said in done.stderr


@pytest.mark.deep
def test_flags_reach_the_settings(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "Fine."})
    done = ouro(
        "run", "--model", model, "--effort", "max", "--service-tier", "flex", "x", cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, "Fine.\n")
    wrong = ouro("run", "--model", model, "--effort", "most", "x", cwd=tmp_path)
    assert wrong.returncode == 2


@pytest.mark.deep
def test_a_fallback_of_the_command_line_takes_over(tmp_path: Path) -> None:
    model = script(tmp_path, {"fault": {"kind": "quota", "message": "No money left", "times": 9}})
    words = ("run", "--model", model, "--fallback", "echo", "Hello there")
    done = ouro(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Hello there\n")
    assert "failed, echo takes over: No money left" in done.stderr
    lines = ouro(*words, "--output", "stream-json", cwd=tmp_path).stdout.splitlines()
    assert sum('"type":"model.switched"' in line for line in lines) == 1


def test_no_fallback_can_be_asked_for() -> None:
    assert Chosen(fallback=("",)).settings()["fallback"] == []
    assert Chosen().settings()["fallback"] is None
