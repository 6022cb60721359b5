"""An agent that is set to work from an open session: it asks there, and the model reads what it said."""

import os
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.paws.agents.asked import Place, run_agent
from ouroboros.app.settings import Settings
from ouroboros.core.commands import Approve, Deny, Interrupt
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events import (
    PermissionAnswered,
    PermissionRequested,
    ToolProgress,
    ToolResulted,
    UserMessage,
)
from ouroboros.core.ipc.messages import Result
from ouroboros.fleet.agents.definition import read
from ouroboros.fleet.agents.instance import Instances
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage
from tests.unit.workspace.worktrees.repository import Repository

DEFINITION = b"---\nname: fixer\ntools: [{name: shell}, {name: read}]\n---\nYou mend.\n"
DONE = Turn(text="Mended.")


def runs(command: str) -> Turn:
    return Turn(tool_calls=(call("shell", command=command),))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    repo = Repository(tmp_path / "work")
    Instances(repo.folder / ".paws/agents/instances").create(read(DEFINITION))
    return repo.folder


async def sent(s: Stage, words: str) -> Result:
    settings = msgspec.convert({"base_url": s.server.url}, Settings)
    home = s.cwd.parent / "home"
    environment = {**os.environ, "OUROBOROS_HOME": str(home), "OPENAI_API_KEY": "key-for-tests"}
    place = Place(settings=settings, home=home, environment=environment)
    return await run_agent(s.session, words, place)


@pytest.mark.deep
@pytest.mark.proves("O11")
async def test_its_questions_are_those_of_the_session_and_its_end_is_told(work: Path) -> None:
    turns = [
        runs("touch first"),
        runs("touch second"),
        runs("touch third"),
        DONE,
        Turn(text="Read."),
    ]
    async with stage(work.parent, turns, mode="ask", interactive=True, check=False) as s:

        async def answer() -> None:
            for number, command in ((1, "yes"), (2, "no"), (3, "other")):
                await s.until(PermissionRequested, number)
                asked = s.events(PermissionRequested)[-1]
                id = asked.request_id
                if command == "no":
                    await s.session.send(Deny(request_id=id, message="not that"))
                else:
                    text = "touch fourth" if command == "other" else ""
                    await s.session.send(Approve(request_id=id, input=text))

        ended: list[Result] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            ended.append(await sent(s, "fixer Make the files"))
        (result,) = ended
        assert (result.status, result.summary) == ("success", "Mended.")
        asked = s.events(PermissionRequested)
        assert [each.input for each in asked] == ["touch first", "touch second", "touch third"]
        assert all(each.action.startswith("fixer: ") for each in asked)
        assert [each.allowed for each in s.events(PermissionAnswered)] == [True, False, True]
        made = await to_thread.run_sync(Path(result.output_artifact_path).read_text)
        assert [name for name in ("first", "second", "third", "fourth") if name in made] == [
            "first",
            "fourth",
        ]
        assert s.session.state.granted == []
        (card,) = s.events(ToolResulted)
        assert (card.name, card.status) == ("agent", "done")
        assert "Mended." in "".join(event.text for event in s.events(ToolProgress))
        await s.run("And?")
        told = str(s.body()["messages"])
        assert "Mended." in told
        assert ".dogs.md" in told


@pytest.mark.deep
@pytest.mark.proves("O11")
async def test_a_yes_for_longer_holds_for_what_the_person_said_it_of(work: Path) -> None:
    """Changed: the command as it was is asked about again. With rules: these count, not the offered."""
    turns = [runs("touch first"), runs("touch first"), runs("touch first"), DONE]
    answers = [{"input": "touch other"}, {"rules": ("Bash(touch third)",)}, {}]
    async with stage(work.parent, turns, mode="ask", interactive=True, check=False) as s:

        async def answer() -> None:
            for number, said in enumerate(answers, 1):
                await s.until(PermissionRequested, number)
                id = s.events(PermissionRequested)[-1].request_id
                wish = msgspec.convert({"request_id": id, "scope": "session", **said}, Approve)
                await s.session.send(wish)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            await sent(s, "fixer Make the files")
        asked = [each.input for each in s.events(PermissionRequested)]
        assert asked == ["touch first"] * 3


@pytest.mark.deep
@pytest.mark.proves("O11")
async def test_a_yes_for_longer_is_asked_for_once(work: Path) -> None:
    turns = [runs("touch first"), runs("touch first"), DONE]
    async with stage(work.parent, turns, mode="ask", interactive=True, check=False) as s:

        async def answer() -> None:
            await s.until(PermissionRequested, 1)
            id = s.events(PermissionRequested)[-1].request_id
            await s.session.send(Approve(request_id=id, scope="session"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            await sent(s, "fixer Make the files")
        assert len(s.events(PermissionRequested)) == 1


@pytest.mark.deep
@pytest.mark.proves("O06", "O12")
async def test_a_stop_of_the_session_stops_it_and_hands_over_what_it_did(work: Path) -> None:
    turns = [runs("touch first"), runs("touch second"), DONE]
    async with stage(work.parent, turns, mode="ask", interactive=True, check=False) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sent, s, "fixer Wait for me")
            await s.until(PermissionRequested)
            first = s.events(PermissionRequested)[0].request_id
            await s.session.send(Approve(request_id=first))
            await s.until(PermissionRequested, 2)
            await s.session.send(Interrupt())
        assert [each.status for each in s.events(ToolResulted)] == ["cancelled"]
        deciders = [each.decider for each in s.events(PermissionAnswered)]
        assert deciders == ["person", "cancelled"]
        assert len(s.events(UserMessage)) == 1
        assert not s.session.running
    assert await to_thread.run_sync(left, work) == (["--- New File: first ---"], [])


def left(work: Path) -> tuple[list[str], list[Path]]:
    """What the bundle of an agent that was stopped says, and what is in its work tree all the same."""
    (bundle,) = work.glob(".paws/agents/instances/fixer/artifacts/*")
    heads = [line for line in bundle.read_text("utf-8").splitlines() if line.startswith("--- ")]
    return heads, list(work.glob(".paws/sessions/*/worktree/first"))


@pytest.mark.parametrize(
    ("words", "said"),
    [("", "needs a name"), ("fixer", "needs a name"), ("nobody Do it", "no agent 'nobody'")],
)
async def test_words_that_name_none_are_refused(work: Path, words: str, said: str) -> None:
    async with stage(work.parent, [], check=False) as s:
        with pytest.raises(Misuse, match=said):
            await sent(s, words)


async def test_without_a_repository_there_is_none(tmp_path: Path) -> None:
    async with stage(tmp_path, [], check=False) as s:
        with pytest.raises(OuroborosError, match="not in a git repository"):
            await sent(s, "fixer Do it")
