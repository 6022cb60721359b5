"""What the settings of checkpoints change in a run."""

import random
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from ouroboros.app.rewind.journey import ForeignEdits
from ouroboros.core.commands import Undo
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionRequested
from ouroboros.core.events.checkpoint import CheckpointCreated
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

type Effect = Callable[[Path], Awaitable[None]]
type Check = Callable[[Stage], object]

FILES = {".gitignore": "*.log\n", "a.log": "log\n", "large": "x" * 3_000, "own/x": "x\n"}


def _filled(folder: Path) -> Path:
    """The folder, whose workspace has some files."""
    for name, text in FILES.items():
        path = folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


async def _after(
    folder: Path, check: Check, wish: dict[str, Any], *, writes: int = 1, **settings: Any
) -> object:
    """What a check finds after so many turns have written a file each."""
    noise = random.Random(1)
    turns = [
        turn
        for number in range(writes)
        for turn in (
            Turn(
                tool_calls=(call("write", path=f"n{number}", content=noise.randbytes(3_000).hex()),)
            ),
            Turn(text="done"),
        )
    ]
    async with stage(_filled(folder), turns, checkpoints=wish, **settings) as s:
        for number in range(writes):
            await s.run(f"Write {number}")
        return check(s)


def _repositories(s: Stage) -> list[Path]:
    return list((s.cwd.parent / "home" / "checkpoints").glob("*.git"))


def _kept(s: Stage) -> int:
    (repository,) = _repositories(s)
    return sum(path.is_file() for path in repository.glob("refs/checkpoints/*/*"))


def _left(s: Stage) -> list[str]:
    return [path for event in s.events(CheckpointCreated) for path in event.left]


def _told(s: Stage) -> int:
    return sum("cannot be kept" in event.text for event in s.events(Logged))


def changes(name: str, check: Check, *, value: object, writes: int = 1) -> Effect:
    """The check finds something else with this value than without it."""

    async def effect(folder: Path) -> None:
        wishes: tuple[dict[str, Any], ...] = ({}, {name: value})
        without, given = [
            await _after(folder / str(number), check, wish, writes=writes)
            for number, wish in enumerate(wishes)
        ]
        assert without != given

    return effect


async def include(folder: Path) -> None:
    await _covers(folder, "a.log", {}, {"include": ["*.log"]}, before=False)


async def exclude(folder: Path) -> None:
    await _covers(folder, "own/x", {}, {"exclude": ["own/"]}, before=True)


async def _covers(
    folder: Path, name: str, without: dict[str, Any], given: dict[str, Any], *, before: bool
) -> None:
    """Whether a file that a command changed is had back."""
    for number, (wish, is_back) in enumerate(((without, before), (given, not before))):
        work = folder / str(number) / "work"
        turns = [Turn(tool_calls=(call("shell", command=f"echo new > {name}"),)), Turn(text="done")]
        async with stage(_filled(work.parent), turns, checkpoints=wish) as s:
            await s.run()
            await s.session.send(Undo())
            assert ((work / name).read_text() == FILES[name]) is is_back


async def on_failure(folder: Path) -> None:
    for name, asked in (("ask", 1), ("warn", 0)):
        found = await _after(
            folder / name,
            lambda s: len(s.events(PermissionRequested)),
            {"max_entries": 1, "on_failure": name},
            mode="auto-edit",
        )
        assert found == asked


async def undo_depth(folder: Path) -> None:
    turns = [Turn(text="one"), Turn(text="two")]
    async with stage(_filled(folder), turns, checkpoints={"undo_depth": 1}) as s:
        await s.run("First")
        await s.run("Second")
        with pytest.raises(Misuse, match="only the latest 1 turns"):
            await s.session.send(Undo(turns=2))


async def ask_after(folder: Path) -> None:
    for seconds, is_asked in ((600.0, False), (0.000_001, True)):
        work, wish = folder / str(is_asked) / "work", {"ask_after": seconds}
        turns = [Turn(tool_calls=(call("shell", command="echo new > a"),)), Turn(text="done")]
        async with stage(_filled(work.parent), turns, checkpoints=wish) as s:
            await s.run()
            with pytest.raises(ForeignEdits) if is_asked else nullcontext():
                await s.session.send(Undo())


CHECKPOINT_EFFECTS: dict[str, Effect] = {
    "checkpoints.ask_after": ask_after,
    "checkpoints.enabled": changes("enabled", value=False, check=lambda s: len(_repositories(s))),
    "checkpoints.exclude": exclude,
    "checkpoints.include": include,
    "checkpoints.keep": changes("keep", value=1, check=_kept, writes=2),
    "checkpoints.max_bytes": changes("max_bytes", value=9_000, check=_kept, writes=3),
    "checkpoints.max_entries": changes("max_entries", value=2, check=_told),
    "checkpoints.max_file": changes("max_file", value=2_000, check=_left),
    "checkpoints.on_failure": on_failure,
    "checkpoints.timeout": changes("timeout", value=0.000_001, check=_told),
    "checkpoints.undo_depth": undo_depth,
}
