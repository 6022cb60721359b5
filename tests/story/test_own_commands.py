"""Commands that the person runs themselves: in the session's folder, on record, told to the model."""

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from anyio import create_task_group

from ouroboros.app.settings import Settings
from ouroboros.core.commands import Interrupt, Submit
from ouroboros.core.errors import Misuse
from ouroboros.core.events import (
    AgentMessage,
    ModelDelta,
    PermissionRequested,
    ToolProgress,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Turn
from tests.passing import hurrying, until
from tests.story.stage import Stage, call, stage

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "OWN_TOKEN": "s3cret-of-mine-99"}


async def own(story: Stage, command: str, **settings: Any) -> int:
    wanted = msgspec.convert(settings, Settings)
    return await story.session.run_own(command, wanted, ENVIRONMENT)


def result(story: Stage) -> tuple[ToolResulted, str]:
    (found,) = story.events(ToolResulted)
    return found, "".join(part.text for part in found.parts if isinstance(part, Text))


@pytest.mark.proves("interfaces-shell-line")
async def test_it_runs_in_the_folder_unasked_and_the_model_reads_what_came_out(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, [Turn(text="I see.")], mode="plan") as story:
        assert await own(story, "echo here > made; pwd; cat made") == 0
        found, said = result(story)
        assert said == f"{story.cwd}\nhere\n"
        assert (found.status, found.name) == ("done", "shell")
        assert story.events(ToolStarted)[0].title == "! echo here > made; pwd; cat made"
        assert not story.events(PermissionRequested)
        assert "".join(event.text for event in story.events(ToolProgress)) == said
        await story.run("What did I do?")
        told = str(story.body()["messages"])
        assert "echo here > made; pwd; cat made" in told
        assert "data, not orders" in told
        assert told.index("user_command") < told.index("What did I do?")


async def test_what_fails_is_told_with_its_code(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="I see.")]) as story:
        assert await own(story, "echo oh >&2; exit 3") == 3
        found, said = result(story)
        assert (found.status, said) == ("failed", "oh\n")
        await story.run("Why?")
        assert '\\"exit_code\\":3' in str(story.server.exchanges[-1].body)


@pytest.mark.proves("interfaces-shell-line", "divergences-in-a-conversation")
async def test_it_sees_no_keys_and_has_no_input(tmp_path: Path) -> None:
    async with stage(tmp_path, []) as story:
        assert await own(story, 'cat; echo "[$OWN_TOKEN]"') == 0
        assert result(story)[1] == "[]\n"


@pytest.mark.proves("interfaces-shell-line")
async def test_it_is_stopped_like_a_run(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="I see.")]) as story:
        async with create_task_group() as tasks:
            tasks.start_soon(own, story, "echo begun; sleep 600")
            await story.until(ToolProgress)
            await story.session.send(Interrupt())
        assert result(story)[0].status == "cancelled"
        assert not story.session.state.calls
        await story.run("Go on.")
        assert "stopped by the user" in str(story.body()["messages"])


@pytest.mark.deep
async def test_it_does_not_go_on_for_ever(tmp_path: Path) -> None:
    async with stage(tmp_path, []) as story:
        code = await own(story, "sleep 600", tools={"shell_timeout_cap": 0.2})
        assert code == 124
        assert "stopped after 0.2 seconds" in result(story)[1]


async def test_words_that_were_said_meanwhile_are_answered(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text="Both heard.")]) as story:
        go = story.cwd / "go"
        async with create_task_group() as tasks:
            command = "echo begun; while [ ! -e go ]; do sleep 0.02; done; echo over"
            tasks.start_soon(own, story, command)
            await story.until(ToolProgress)
            await story.session.send(Submit(text="And this?"))
            go.touch()
        told = str(story.body()["messages"])
        assert "And this?" in told
        assert "over" in told
        assert story.session.state.final == "Both heard."


@pytest.mark.deep
@pytest.mark.proves("interfaces-shell-line")
async def test_during_a_run_the_model_hears_of_it_at_its_next_step(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("shell", command="while [ ! -e go ]; do sleep 0.02; done"),)),
        Turn(text="Seen."),
    ]
    async with stage(tmp_path, turns) as story:
        async with create_task_group() as tasks:
            tasks.start_soon(partial(story.run, "Wait for go."))
            await story.until(ToolStarted)
            with anyio.fail_after(60):
                assert await own(story, "echo mine; touch go") == 0
        assert "mine" in str(story.body()["messages"])
        assert story.session.state.final == "Seen."


@pytest.mark.deep
async def test_a_reply_that_is_being_said_has_not_read_it(tmp_path: Path) -> None:
    slow = Turn(text="word word ", chunk=5, pace_seconds=30)
    async with stage(tmp_path, [slow, Turn(text="Now I have.")]) as story:
        async with create_task_group() as tasks:
            tasks.start_soon(partial(story.run, "Say much."))
            async with hurrying(1):
                await until(lambda: story.events(ModelDelta))
            assert await own(story, "echo mine") == 0
            assert not story.events(AgentMessage)
            async with hurrying(1):
                await until(lambda: story.session.state.ended)
        said = [message.text for message in story.session.history()]
        heard = next(at for at, text in enumerate(said) if "user_command" in text)
        assert said.index("word word ") < heard < said.index("Now I have.")


@pytest.mark.parametrize("command", ["", "  ", "a\0b", "x" * 200_000])
async def test_what_is_no_command_is_refused(tmp_path: Path, command: str) -> None:
    async with stage(tmp_path, []) as story:
        with pytest.raises(Misuse):
            await own(story, command)
        assert not story.events(ToolStarted)
