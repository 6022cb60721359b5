"""How long a command takes through the tools that run commands, beside a plain subprocess in the same rounds.

Usage: python -m bench.exec [rounds]

The command is ``true`` in bash, to its end, without a cage; the spine of a session is around the tools.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import anyio

from ouroboros.core.parts import ToolCall
from ouroboros.safety.spawn import run
from ouroboros.tools.builtin.exec_command import ExecCommandTool, WriteStdinTool
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.exec.starting import Starter
from tests.unit.tools.spine import Spine

ENVIRONMENT = {"PATH": os.environ["PATH"]}
COMMAND = ("/bin/bash", "-c", "true")


async def main(rounds: int) -> None:
    """Takes turns, so that all meet the same machine."""
    processes = Processes()
    tools = [ExecCommandTool(Starter(), processes, login=False), WriteStdinTool(processes)]
    with TemporaryDirectory() as folder:
        async with processes.opened():
            cwd = Path(folder)
            spine = Spine(cwd, tools=tools)

            async def plain() -> None:
                child = await asyncio.create_subprocess_exec(*COMMAND, cwd=cwd, env=ENVIRONMENT)
                await child.wait()

            async def spawned() -> None:
                await run(COMMAND, cwd=cwd, environment=ENVIRONMENT, timeout_seconds=10)

            def called(name: str, **arguments: object) -> Callable[[], Awaitable[object]]:
                call = ToolCall(id="call_1", name=name, arguments=json.dumps(arguments))
                return lambda: spine.orchestrator.do(call)

            ways: dict[str, Callable[[], Awaitable[object]]] = {
                "subprocess": plain,
                "safety.spawn": spawned,
                "shell": called("shell", command="true"),
                "exec_command": called("exec_command", cmd="true"),
                "exec_command, tty": called("exec_command", cmd="true", tty=True),
            }
            taken: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(rounds):
                for name, way in ways.items():
                    began = time.perf_counter()
                    await way()
                    taken[name].append((time.perf_counter() - began) * 1000)
    sys.stdout.write("| way | median, ms | over subprocess, ms |\n|---|---|---|\n")
    for name, each in taken.items():
        more = median(each) - median(taken["subprocess"])
        sys.stdout.write(f"| {name} | {median(each):.2f} | {more:.2f} |\n")


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 100)
