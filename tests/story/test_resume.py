"""Sessions that go on: after their end, after a cut, after a crash, and never twice at once."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.errors import Misuse, SessionBusy, SessionUnknown
from ouroboros.core.events import SessionReady, ToolResulted, UserMessage
from ouroboros.llm.turns import Fault, Turn
from tests.story.stage import call, stage

DONE = Turn(text="All done.")


def spoken(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [(m["role"], str(m["content"])[:40]) for m in body["messages"][1:]]


async def test_continue_takes_the_latest_session_of_the_folder(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="one")]) as s:
        await s.run("First")
        first, request = s.session.id, s.body()["messages"]
    other = tmp_path / "other"
    async with stage(tmp_path, [Turn(text="elsewhere")], cwd=other) as s:
        await s.run("Elsewhere")
        assert s.session.id != first
    async with stage(tmp_path, [Turn(text="two")], latest=True) as s:
        assert (s.session.id, s.session.resumed) == (first, True)
        await s.run("Second")
        assert s.body()["messages"][: len(request)] == request
        assert spoken(s.body())[-2:] == [("assistant", "one"), ("user", "Second")]


@pytest.mark.proves("I11")
async def test_a_session_is_found_by_a_part_of_its_name(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        await s.run("First")
        name = s.session.id
    async with stage(tmp_path, [DONE], resume=name[-8:]) as s:
        assert s.session.id == name


async def test_an_unknown_session_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionUnknown):
        async with stage(tmp_path, [DONE], resume="ses_nothing"):
            pass
    with pytest.raises(SessionUnknown, match="no session of"):
        async with stage(tmp_path, [DONE], latest=True):
            pass


@pytest.mark.proves("I15")
async def test_a_live_session_is_refused_to_a_second_owner(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        await s.run("First")
        with pytest.raises(SessionBusy, match=s.session.id):
            async with stage(tmp_path, [DONE], resume=s.session.id):
                pass


@pytest.mark.proves("A15")
async def test_a_failed_run_goes_on_without_new_words(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(fault=Fault(kind="quota"))]) as s:
        assert (await s.run("Do it")).reason == "failed"
        asked = s.body()["messages"]
    async with stage(tmp_path, [DONE], latest=True) as s:
        assert (await s.run("")).final == "All done."
        assert s.body()["messages"] == asked


async def test_a_finished_run_has_nothing_to_go_on_with(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        await s.run("Do it")
        with pytest.raises(Misuse, match="nothing was cut off"):
            await s.run("")


async def test_a_reply_that_was_cut_off_is_asked_to_go_on(tmp_path: Path) -> None:
    turns = [Turn(text="half a sen" * 9, chunk=5, fault=Fault(kind="cut", after=40)), DONE]
    async with stage(tmp_path, turns) as s:
        assert (await s.run("Do it")).reason == "failed"
        assert (await s.run("")).final == "All done."
        role, text = spoken(s.body())[-1]
        assert (role, text) == ("user", "Your last reply was cut off before it wa")


async def test_a_limit_can_be_raised_and_the_run_goes_on(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("shell", command="echo 1 >> n"),)), DONE]
    async with stage(tmp_path, turns[:1], limits={"max_turns": 1}) as s:
        assert (await s.run("Do it")).reason == "limit_reached:max_turns"
    async with stage(tmp_path, turns[1:], latest=True) as s:
        assert (await s.run("")).final == "All done."
        assert (s.cwd / "n").read_text() == "1\n"


@pytest.mark.proves("codex-5.3")
async def test_a_resumed_session_says_so_and_tells_nothing_twice(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        await s.run("First")
    async with stage(tmp_path, [DONE], latest=True) as s:
        await s.run("Second")
        assert s.events(SessionReady)[0].resumed
        assert [m.message.kind for m in s.events(UserMessage)] == ["plain"]


@pytest.mark.proves("H24")
async def test_another_model_is_a_warning_and_drops_nothing(tmp_path: Path) -> None:
    turns = [Turn(reasoning="hm", text="look", tool_calls=(call("shell", command="true"),)), DONE]
    async with stage(tmp_path, turns, format="anthropic") as s:
        await s.run("First")
    async with stage(tmp_path, [DONE], format="openai-chat", latest=True) as s:
        await s.run("Second")
        assert "goes on with openai-chat/scripted" in s.session.warnings[0]
        roles = [m["role"] for m in s.body()["messages"]]
        assert roles[-4:] == ["assistant", "tool", "assistant", "user"]
        assert s.session.state.model == "openai-chat/scripted"


async def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    folder, new = tmp_path / "gone", tmp_path / "new"
    async with stage(tmp_path, [DONE], cwd=folder) as s:
        await s.run("First")
        name = s.session.id
    folder.rmdir()
    async with stage(tmp_path, [DONE], cwd=new, resume=name) as s:
        assert any("is gone" in warning for warning in s.session.warnings)
        await s.run("Second")
        assert f"<cwd>{new}</cwd>" in str(s.body()["messages"])


async def test_results_are_kept_as_they_were(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("shell", command="echo one"),)), DONE]
    async with stage(tmp_path, turns) as s:
        await s.run("First")
        before = s.body()["messages"]
        assert s.events(ToolResulted)[0].status == "done"
    async with stage(tmp_path, [DONE], latest=True) as s:
        await s.run("Second")
        assert s.body()["messages"][: len(before)] == before
