"""A spine of real parts over a folder, with a journal that can be looked at."""

import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path

import anyio

from ouroboros.core.clock import Clock, SystemClock
from ouroboros.core.commands import Mode
from ouroboros.core.events import Event, PermissionRequested, ToolResulted
from ouroboros.core.parts import ToolCall
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Around, Policies, Rules, parse_rule
from ouroboros.safety.sandbox import Sandbox
from ouroboros.tools.approval import Answer, Asker, Keeper, Reviewer
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.pace import Pace
from ouroboros.tools.registry import AnyTool, Registry, canonical
from ouroboros.tools.seams import Hooks, OneCage


class Journal:
    """Keeps events in order; ``settled`` says how many were durable when asked for."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.settled: list[int] = []

    def record(self, event: Event) -> None:
        self.events.append(event)

    async def settle(self) -> None:
        self.settled.append(len(self.events))

    def types(self) -> list[str]:
        return [event.type for event in self.events]

    def of[Kind: Event](self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.events if isinstance(event, kind)]


class ScriptedAsker:
    """Gives the answers it was made with, then no."""

    reviewer: Reviewer = "person"

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = list(answers)
        self.questions: list[PermissionRequested] = []

    async def ask(self, question: PermissionRequested) -> Answer:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else Answer(allowed=False)


class Stand:
    def __init__(self, cwd: Path, mode: Mode) -> None:
        self.mode: Mode = mode
        self.granted: list[str] = []
        self.cwd = str(cwd)
        self.around = Around()
        self.open: dict[str, str] = {}

    def request_of(self, call_id: str) -> str:
        return self.open.get(call_id, "")


class CountingIds:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def new(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers)}"


class FolderSpill:
    """Keeps whole outputs as files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def keep(self, data: bytes) -> str:
        await anyio.Path(self.folder).mkdir(exist_ok=True)
        path = anyio.Path(self.folder) / f"{len(data)}.txt"
        await path.write_bytes(data)
        return str(path)


class Spine:
    """One orchestrator and everything around it."""

    def __init__(
        self,
        cwd: Path,
        *,
        mode: Mode = "full-auto",
        rules: Sequence[tuple[str, str]] = (),
        answers: Sequence[Answer] = (),
        tools: Sequence[AnyTool] = (),
        environment: dict[str, str] | None = None,
        hooks: Hooks | None = None,
        sandbox: Sandbox | None = None,
        asker: Asker | None = None,
        keeper: Keeper | None = None,
        pace: Pace | None = None,
        policies: Policies | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.journal = Journal()
        self.asker = ScriptedAsker(answers)
        self.standing = Stand(cwd, mode)
        own = {tool.name for tool in tools}
        kept = [tool for tool in builtin_tools() if tool.name not in own]
        self.registry = Registry([*kept, *tools])
        places = Places(roots=(cwd,), readable=(cwd.parent / "spill",)).resolved()
        self.orchestrator = Orchestrator(
            registry=self.registry,
            rules=Rules(
                [parse_rule(*rule) for rule in rules], places, canonical, policies=policies
            ),
            journal=self.journal,
            asker=asker or self.asker,
            keeper=keeper,
            pace=pace,
            standing=self.standing,
            clock=clock or SystemClock(),
            ids=CountingIds(),
            environment=environment or {"PATH": os.environ["PATH"]},
            spill=FolderSpill(cwd.parent / "spill"),
            hooks=hooks,
            cages=OneCage(sandbox),
        )

    async def call(self, name: str, /, **arguments: object) -> ToolResulted:
        return await self.raw(name, json.dumps(arguments))

    async def raw(self, name: str, arguments: str) -> ToolResulted:
        return await self.orchestrator.do(ToolCall(id="call_1", name=name, arguments=arguments))


def text_of(result: ToolResulted) -> str:
    return "".join(getattr(part, "text", "") for part in result.parts)


async def written(path: Path) -> str:
    """The first line of a file that another process is about to write."""
    with anyio.fail_after(60):
        while True:
            text = await anyio.Path(path).read_text() if await anyio.Path(path).exists() else ""
            if text.endswith("\n"):
                return text.strip()
            await anyio.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Whether a process still runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # the second while it is read
        return False
    return state != "Z"


async def gone(pid: int) -> bool:
    """Whether a process ends soon."""
    for _ in range(1_000):
        if not await anyio.to_thread.run_sync(is_alive, pid):
            return True
        await anyio.sleep(0.02)
    return False
