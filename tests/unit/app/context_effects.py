"""What the settings of the context change in a run or a chat."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.core.commands import Submit
from ouroboros.core.events import ContextCompacted
from ouroboros.core.parts import Media
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.story.stage import call, stage
from tests.story.test_cli_run import ouro

type Effect = Callable[[Path], Awaitable[None]]


async def scope(folder: Path) -> None:
    """What the first request held counts only in ``total``."""
    used = ScriptedUsage(input_uncached=8_000)
    turns = [
        Turn(tool_calls=(call("shell", command="true"),), usage=used),
        Turn(text="summary or end"),
        Turn(text="end"),
    ]
    for name, times in (("total", 1), ("body_after_prefix", 0)):
        place = folder / name
        await anyio.Path(place).mkdir()
        async with stage(place, turns, context={"window": 10_000, "scope": name}) as s:
            await s.run()
            assert len(s.events(ContextCompacted)) == times


async def notes(folder: Path) -> None:
    """A line is written at once where the place is known, and asked about where it is not."""

    def chat(place: str) -> bool:
        home = folder / f"home-{place}"
        home.mkdir()
        (home / "config.toml").write_text(f'[context]\nnotes = "{place}"\n', encoding="utf-8")
        ouro(*("chat", "--model", "echo"), cwd=folder, given="# mind\n", OUROBOROS_HOME=str(home))
        return (home / "AGENTS.md").exists()

    assert await to_thread.run_sync(chat, "user")
    assert not await to_thread.run_sync(chat, "")


async def images(folder: Path) -> None:
    """A model of which the settings say that it sees none is sent none."""
    shot = Media(media_type="image/png", data="c2hvdA")
    for sees in (True, False):
        place = folder / str(sees)
        await anyio.Path(place).mkdir()
        models = {"openai-chat/scripted": {"images": sees}}
        async with stage(place, [Turn(text="end")], models=models) as s:
            await s.session.send(Submit(text="look", media=(shot,)))
            assert ("c2hvdA" in s.server.exchanges[-1].body) is sees


async def mirror(folder: Path) -> None:
    """The events of a session stand in a file of the home folder too."""

    def run(word: str) -> bool:
        home = folder / f"home-{word}"
        home.mkdir()
        (home / "config.toml").write_text(f"[sessions]\nmirror = {word}\n", encoding="utf-8")
        ouro(*("run", "hi", "--model", "echo"), cwd=folder, OUROBOROS_HOME=str(home))
        return any((home / "mirror").glob("*.jsonl"))

    assert await to_thread.run_sync(run, "true")
    assert not await to_thread.run_sync(run, "false")


async def additional_permissions(folder: Path) -> None:
    """The model is told that it may ask for more for one command."""
    for offered in (True, False):
        place = folder / str(offered)
        await anyio.Path(place).mkdir()
        tools = {"additional_permissions": offered}
        async with stage(place, [Turn(text="end")], tools=tools) as s:
            await s.run()
            assert ("with_additional_permissions" in s.server.exchanges[-1].body) is offered


CONTEXT_EFFECTS: dict[str, Effect] = {
    "context.scope": scope,
    "context.notes": notes,
    "models.NAME.images": images,
    "sessions.mirror": mirror,
    "tools.additional_permissions": additional_permissions,
}
