"""A spine whose commands may outlive their calls."""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ouroboros.core.events import ToolResulted
from ouroboros.tools.builtin.exec_command import ExecCommandTool, WriteStdinTool
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.exec.starting import Starter
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
