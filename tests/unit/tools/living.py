"""A spine whose commands may outlive their calls."""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from ouroboros.core.events import ToolProgress, ToolResulted
from ouroboros.tools.builtin.exec_command import ExecCommandTool, WriteStdinTool
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.exec.starting import Starter
from tests.passing import hurrying, passes, until
from tests.unit.tools.spine import Spine, text_of


@asynccontextmanager
async def living(
    folder: Path,
    *,
    is_paused: Callable[[], bool] = lambda: False,
    snapshots: Path | None = None,
    **around: Any,
) -> AsyncGenerator[Spine]:
    processes = Processes(is_paused=is_paused, snapshots=snapshots)
    starter = Starter(snapshots=processes.snapshots)
    login = snapshots is not None
    tools = [ExecCommandTool(starter, processes, login=login), WriteStdinTool(processes)]
    async with processes.opened():
        yield Spine(folder, tools=tools, **around)


async def shown(
    spine: Spine, words: str, name: str, *, most: int = 0, **arguments: object
) -> ToolResulted:
    """The result of a call that goes on: its time is over once it has said ``words``, or ``most`` characters."""
    before = len(spine.journal.of(ToolProgress))
    results: list[ToolResulted] = []

    async def call() -> None:
        results.append(await spine.call(name, yield_time_ms=30_000, **arguments))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await until(
            lambda: (
                words in (text := "".join(e.text for e in spine.journal.of(ToolProgress)[before:]))
                or 0 < most <= len(text)
            )
        )
        passes(30)
    return results[0]


async def answered(spine: Spine, words: str, number: int, chars: str) -> str:
    """What a command says to what is typed, up to ``words`` at least."""
    text = said(await spine.call("write_stdin", session_id=number, chars=chars, yield_time_ms=250))
    for _ in range(100):
        if words in text:
            break
        async with hurrying(1.0):
            text += said(await spine.call("write_stdin", session_id=number))
    return text


def number_of(result: ToolResulted) -> int:
    """The number under which a command goes on."""
    found = re.search(r"^Process running with session ID (\d+)$", text_of(result), re.MULTILINE)
    assert found, text_of(result)
    return int(found[1])


def said(result: ToolResulted) -> str:
    """What the command said."""
    return text_of(result).partition("\nOutput:\n")[2]


def seconds_of(result: ToolResulted) -> float:
    """How long the call took, as the model is told."""
    found = re.search(r"^Wall time: (\d+\.\d{4}) seconds$", text_of(result), re.MULTILINE)
    assert found, text_of(result)
    return float(found[1])
