"""Conversations that go on from elsewhere: branches, rollbacks, forks; live, resumed, and after a crash."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from ouroboros.app.past import forking, sessions
from ouroboros.app.past.tree import node_named, twigs
from ouroboros.core.commands import Approve, Branch, Compact, Fork, Rewind, Rollback
from ouroboros.core.errors import Misuse
from ouroboros.core.events import (
    Envelope,
    PermissionRequested,
    TaskCancelled,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.session import SessionBranched, SessionForked, SessionRolledBack
from ouroboros.llm.turns import Turn
from ouroboros.store import resume
from tests.story.rlm_stage import block, contexts, rlm_stage
from tests.story.stage import Stage, call, stage

LOOK = Turn(text="Looking.", tool_calls=(call("shell", command="echo seen"),))


def spoken(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [(m["role"], str(m["content"])[:40]) for m in body["messages"][1:]]


def twin(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages without the ids that differ from session to session."""
    return [{k: v for k, v in m.items() if k in {"role", "content"}} for m in body["messages"]]


async def log(tmp_path: Path, session: str) -> list[Envelope]:
    read = await to_thread.run_sync(resume.read, tmp_path / "home", session)
    assert not read.warnings
    return read.envelopes


async def said(s: Stage, *words: str) -> None:
    for each in words:
        await s.run(each)


@pytest.mark.deep
@pytest.mark.proves("I13", "codex-16.2", "codex-16.3")
async def test_after_a_rollback_the_model_sees_what_it_would_have_seen_without_that_turn(
    tmp_path: Path,
) -> None:
    turns = [Turn(text="one"), LOOK, Turn(text="two"), Turn(text="three")]
    async with stage(tmp_path, turns, check=False) as s:
        await said(s, "First", "Second")
        await s.session.send(Rollback(turns=1))
        assert s.events(SessionRolledBack)[0].turns == 1
        await s.run("Third")
        rolled = twin(s.body())
        name = s.session.id
    async with stage(tmp_path / "twin", [Turn(text="one"), Turn(text="three")], cwd=s.cwd) as t:
        await said(t, "First", "Third")
        assert twin(t.body()) == rolled
    async with stage(tmp_path, [Turn(text="four")], resume=name) as s:
        await s.run("Fourth")
        assert twin(s.body())[: len(rolled)] == rolled
        assert "Second" not in str(s.body())


@pytest.mark.proves("I06", "I09")
async def test_a_branch_at_a_message_makes_a_second_leaf_and_the_first_can_be_gone_back_to(
    tmp_path: Path,
) -> None:
    turns = [Turn(text="one"), Turn(text="two"), Turn(text="other"), Turn(text="back")]
    async with stage(tmp_path, turns, check=False) as s:
        await said(s, "First", "Second")
        tree = twigs(s.session.state)
        assert [twig.text for twig in tree] == ["First", "one", "Second", "two"]
        await s.session.send(Branch(message_id=tree[1].id))
        await s.run("Another way")
        assert [text for _, text in spoken(s.body())[-2:]] == ["one", "Another way"]
        tree = twigs(s.session.state)
        assert [twig.text for twig in tree if twig.parent == tree[1].id] == [
            "Second",
            "Another way",
        ]
        assert [twig.text for twig in tree if twig.is_active] == [
            "First",
            "one",
            "Another way",
            "other",
        ]
        await s.session.send(Branch(message_id=tree[3].id))
        await s.run("Third")
        assert [text for _, text in spoken(s.body())[-4:]] == ["one", "Second", "two", "Third"]


async def test_before_words_of_the_persons_and_then_others_in_their_place(tmp_path: Path) -> None:
    async with stage(
        tmp_path, [Turn(text="one"), Turn(text="two"), Turn(text="x")], check=False
    ) as s:
        await said(s, "First", "Secnod")
        wrong = twigs(s.session.state)[2].id
        with pytest.raises(Misuse, match="not something you said"):
            await s.session.send(Rewind(message_id=twigs(s.session.state)[1].id))
        await s.session.send(Rewind(message_id=wrong))
        await s.run("Second")
        assert [text for _, text in spoken(s.body())[-2:]] == ["one", "Second"]
        await s.session.send(Rewind(message_id=twigs(s.session.state)[0].id))
        assert s.session.state.history == []


@pytest.mark.proves("J06")
async def test_behind_a_summary_the_model_sees_every_word_again(tmp_path: Path) -> None:
    turns = [LOOK, Turn(text="one"), Turn(text="SHORT"), Turn(text="two"), Turn(text="three")]
    async with stage(tmp_path, turns, check=False) as s:
        await s.run("First")
        asked = twin(s.body())
        await s.session.send(Compact())
        await s.run("Second")
        assert "SHORT" in str(s.body())
        await s.session.send(Rollback(turns=1))
        assert s.session.state.history[-1].kind == "summary"
        await s.session.send(Branch(message_id=node_named(s.session.state, "3")))
        await s.run("Third")
        assert twin(s.body())[: len(asked)] == asked
        assert "SHORT" not in str(s.body())
        assert "seen" in str(s.body())


async def test_a_running_turn_cannot_be_left_and_too_many_turns_not_be_gone_back(
    tmp_path: Path,
) -> None:
    turns = [
        Turn(text="one"),
        Turn(tool_calls=(call("shell", command="sleep 20"),)),
        Turn(text="x"),
    ]
    async with stage(tmp_path, turns, check=False) as s, anyio.create_task_group() as tasks:
        await s.run("First")
        with pytest.raises(Misuse) as refused:
            await s.session.send(Rollback(turns=2))
        assert refused.value.hint == "there is one turn to go back"
        with pytest.raises(Misuse, match="no message"):
            await s.session.send(Branch(message_id="msg_none"))
        tasks.start_soon(s.run, "Second")
        await s.until(ToolStarted)
        with pytest.raises(Misuse, match="go on from elsewhere"):
            await s.session.send(Rollback(turns=1))
        tasks.cancel_scope.cancel()


@pytest.mark.proves("I13", "codex-16.2", "codex-16.3", "divergences-a-fork")
async def test_a_fork_goes_on_by_itself_and_names_where_it_comes_from(tmp_path: Path) -> None:
    turns = [LOOK, Turn(text="one"), Turn(text="two"), Turn(text="three")]
    async with stage(tmp_path, turns) as s:
        await said(s, "First", "Second")
        first = node_named(s.session.state, "3")
        await s.session.send(Fork(message_id=first))
        (forked,) = s.events(SessionForked)
        await s.run("Third")
        before, parent = twin(s.body(1)), s.session.id
    all_of_them = await to_thread.run_sync(sessions.list_sessions, tmp_path / "home")
    listed = {each.id: each for each in all_of_them}
    assert listed[forked.child].parent == parent
    async with stage(tmp_path, [Turn(text="else")], resume=forked.child) as s:
        assert s.session.state.spent.requests == 0
        await s.run("Elsewhere")
        assert twin(s.body())[: len(before)] == before
        assert [text for _, text in spoken(s.body())[-2:]] == ["one", "Elsewhere"]
    assert "Elsewhere" not in str(await log(tmp_path, parent))
    await to_thread.run_sync(sessions.delete, tmp_path / "home", parent)
    assert "First" in str(await log(tmp_path, forked.child))


@pytest.mark.proves("I13", "codex-16.2", "codex-16.3")
async def test_a_fork_in_mid_turn_ends_its_copy_of_the_open_call(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("shell", command="rm x"),)), Turn(text="done")]
    async with (
        stage(tmp_path, turns, interactive=True, mode="ask") as s,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(s.run, "Do it")
        await s.until(PermissionRequested)
        await s.session.send(Fork())
        (forked,) = s.events(SessionForked)
        found = [each.data for each in await log(tmp_path, forked.child)]
        (result,) = [event for event in found if isinstance(event, ToolResulted)]
        assert result.status == "cancelled"
        assert [type(event) for event in found[-2:]] == [TaskCancelled, SessionForked]
        asked = s.events(PermissionRequested)[0]
        await s.session.send(Approve(request_id=asked.request_id))
    assert s.events(ToolResulted)[0].status == "failed"


async def test_a_session_that_is_not_open_is_branched_rolled_back_and_forked(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    async with stage(tmp_path, [Turn(text="one"), Turn(text="two")]) as s:
        await said(s, "First", "Second")
        name = s.session.id
    state = await to_thread.run_sync(forking.move, home, name, Rollback(turns=1))
    assert [message.text for message in state.history][1:] == ["First", "one"]
    second = node_named(state, "4")
    await to_thread.run_sync(forking.move, home, name, Branch(message_id=second))
    child = await to_thread.run_sync(forking.fork_aside, home, name, node_named(state, "2"))
    events = [each.data for each in await log(tmp_path, name)]
    assert [type(each) for each in events[-3:]] == [
        SessionRolledBack,
        SessionBranched,
        SessionForked,
    ]
    async with stage(tmp_path, [Turn(text="three")], resume=name) as s:
        await s.run("Third")
        assert [text for _, text in spoken(s.body())[-4:]] == ["one", "Second", "two", "Third"]
    state = sessions.describe(await log(tmp_path, child))
    assert [message.text for message in state.history][1:] == ["First", "one"]


async def test_a_branch_in_the_middle_of_a_run_goes_on_from_there(tmp_path: Path) -> None:
    turns = [LOOK, Turn(text="one"), Turn(text="better")]
    async with stage(tmp_path, turns, check=False) as s:
        await s.run("First")
        asked = twin(s.body(1))
        looked = next(twig.id for twig in twigs(s.session.state) if twig.calls)
        await s.session.send(Branch(message_id=looked))
        assert (await s.run("")).final == "better"
        assert twin(s.body()) == asked


@pytest.mark.deep
async def test_the_mind_that_writes_code_goes_on_from_elsewhere_too(tmp_path: Path) -> None:
    turns = [block("let a = 1; setFinal(a)"), block("setFinal(2)"), block("setFinal(3)")]
    async with rlm_stage(tmp_path, turns) as s:
        await said(s, "Find the first.", "Find the second.")
        assert "Find the first." in contexts(s)[-1]
        await s.session.send(Rollback(turns=1))
        assert (await s.run("Find the third.")).final == "3"
        told = contexts(s)[-1]
        assert ("Find the first." in told, "Find the second." in told) == (True, False)
        assert "a: number" in told
