"""What `ouro explain` says a session would do is what a session does, over all that is kept to try both."""

import os
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from msgspec import Struct

from ouroboros.agent.journal import Journal
from ouroboros.app.config import layers as config
from ouroboros.app.offline.explain import (
    Asked,
    Here,
    here_of_command,
    here_of_path,
    here_of_url,
    verdict_of,
)
from ouroboros.app.permission import policies
from ouroboros.app.wiring import rulebook, toolbox
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Mode
from ouroboros.core.events import Envelope, PermissionRequested
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.parts import ToolCall
from ouroboros.core.state import State
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.paths import judge_path
from ouroboros.tools.approval import Answer, Reviewer
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.registry import AnyTool, Registry
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.tools.web.fetch import FetchTool
from tests.cases import deep_after, every
from tests.unit.safety.command_cases import harmful, harmless
from tests.unit.safety.network import url_cases
from tests.unit.safety.paths.test_judge_path import CASES, whole, workspace

pytestmark = pytest.mark.real

__all__ = ["workspace"]

MODES: tuple[Mode, ...] = ("plan", "ask", "auto-edit", "full-auto")
RULES = """
[permissions]
allow = ["Bash(git log:*)", "Bash(touch:*)", "Read(//etc/hostname)", "fetch(domain:example.com)"]
ask = ["Bash(grep:*)", "Read(docs/**)"]
deny = ["Bash(curl:*)", "Read(src/deep/**)", "Write(*.lock)"]
[web]
deny = ["example.net"]
"""


class Log:
    def append(self, envelope: Envelope) -> None:
        pass

    async def settled(self, seq: int) -> None:
        pass


class Probe:
    """A tool that would do what another one does, and does nothing."""

    parallel_safe = False

    def __init__(self, real: AnyTool) -> None:
        self._real = real
        self.name, self.description, self.arguments = real.name, "", real.arguments

    def effect(self, arguments: Struct, cwd: Path) -> Effect:
        return self._real.effect(arguments, cwd)

    async def run(self, arguments: Struct, context: ToolContext) -> AsyncGenerator[Result]:
        yield Result.of("done")


class Listener:
    """Says no to every question, and keeps what wanted to be asked."""

    reviewer: Reviewer = "person"

    def __init__(self) -> None:
        self.rules: list[str] = []

    async def ask(self, question: PermissionRequested) -> Answer:
        self.rules.append(question.rule)
        return Answer(allowed=False)


class Tried:
    """The hands of a session with these settings, over tools that do nothing."""

    def __init__(self, asked: Asked, mode: Mode) -> None:
        self.asker = Listener()
        state = State(mode=mode)
        journal = Journal(
            state=state,
            log=Log(),
            ids=TimeOrderedIds(SystemClock(), os.urandom),
            clock=SystemClock(),
        )
        loaded = asked.loaded
        book, _ = policies.book(loaded.home, asked.cwd)
        bench = rulebook.Bench(
            settings=loaded.settings,
            home=loaded.home,
            cwd=asked.cwd,
            environment=dict(asked.environment),
            leaks=Leaks({}),
            rules=loaded.rules,
        )
        self.hands: Orchestrator = toolbox.hands(
            bench,
            registry=Registry([*map(Probe, builtin_tools()), Probe(_fetch(asked))]),
            journal=journal,
            asker=self.asker,
            book=book,
            state=state,
            clock=SystemClock(),
            ids=TimeOrderedIds(SystemClock(), os.urandom),
        )

    async def of(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """What came of a call: the decision, and what decided."""
        self.asker.rules.clear()
        call = ToolCall(id="c", name=tool, arguments=msgspec.json.encode(arguments).decode())
        result = await self.hands.do(call)
        if self.asker.rules:
            return "ask", self.asker.rules[0]
        return ("deny" if result.status == "denied" else "allow"), ""


def _fetch(asked: Asked) -> FetchTool:
    from ouroboros.app.wiring.web import fetch_tool

    book, _ = policies.book(asked.loaded.home, asked.cwd)
    return fetch_tool(asked.loaded.settings, {}, book.policy)


def told(here: Here) -> tuple[str, str]:
    return here.decision, here.decided_by if here.decision == "ask" else ""


def compare(asked: Asked, mode: Mode, wanted: Sequence[tuple[str, dict[str, Any], Here]]) -> None:
    """Lets a session decide each call, and holds it against what was told of it."""
    tried = Tried(asked, mode)

    async def each() -> list[tuple[str, dict[str, Any], tuple[str, str], tuple[str, str]]]:
        found = [
            (tool, said, await tried.of(tool, **said), told(here)) for tool, said, here in wanted
        ]
        return [one for one in found if one[2] != one[3]]

    assert len(wanted) >= 20
    assert anyio.run(each) == []


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "home" / "rules").mkdir(parents=True)
    (tmp_path / "home" / "config.toml").write_text(RULES, encoding="utf-8")
    (tmp_path / "home" / "rules" / "a.rules").write_text(
        'prefix_rule(["make"])\nprefix_rule(["rm"], "prompt")\n', encoding="utf-8"
    )
    return tmp_path


def asked_in(place: Path, cwd: Path, mode: Mode, approval: str = "", **more: str) -> Asked:
    environment = {"OUROBOROS_HOME": str(place / "home"), "HOME": str(place), **more}
    flags = {"mode": mode, "approval_policy": approval or None}
    loaded = config.load(cwd, environment, flags, managed=place / "none.toml")
    return Asked(cwd=cwd, loaded=loaded, environment=environment)


COMMANDS = [*harmless.READS.strip().splitlines(), *harmful.CASES]
OWN = ["make", "make && rm x", "touch a", "git log -1", "git log && touch b", "curl x", "grep a b"]


PAIRS = [("ask", "untrusted"), ("full-auto", ""), ("auto-edit", "never"), ("plan", "on-request")]
"""Each mode and each way to be asked; the deep run tries all pairs."""


@pytest.mark.deep
@pytest.mark.proves("E12")
@pytest.mark.parametrize(
    ("mode", "approval"),
    [
        pytest.param(mode, approval, marks=() if (mode, approval) in PAIRS else pytest.mark.deep)
        for mode in MODES
        for approval in ("", "untrusted", "on-request", "never")
    ],
)
def test_of_commands(place: Path, workspace: Path, mode: Mode, approval: str) -> None:
    asked = asked_in(place, workspace, mode, approval)
    first = (MODES.index(mode) * 7 + len(approval)) % 61
    commands = [each for each in (*COMMANDS[first::61], *OWN) if "\0" not in each]
    compare(
        asked,
        mode,
        [("shell", {"command": each}, here_of_command(each, asked)) for each in commands],
    )


@pytest.mark.deep
@pytest.mark.parametrize(
    ("mode", "first"),
    [
        *(("ask", "."), ("full-auto", "bin")),
        *(pytest.param(mode, "bin", marks=pytest.mark.deep) for mode in MODES[:3]),
        *(pytest.param(mode, ".", marks=pytest.mark.deep) for mode in ("plan", *MODES[2:])),
    ],
)
def test_of_commands_where_path_leads_astray(place: Path, mode: Mode, first: str) -> None:
    work = place / "work"
    (work / "bin").mkdir(parents=True)
    (work / "bin" / "cat").write_text("#!/bin/sh\n", encoding="utf-8")
    (work / "bin" / "cat").chmod(0o755)
    (work / "a.txt").touch()
    search = "." if first == "." else str(work / first)
    asked = asked_in(place, work, mode, PATH=f"{search}:/usr/bin:/bin")
    commands = [*harmless.READS.strip().splitlines()[::23], *OWN, "cat a.txt", "pwd"]
    compare(
        asked,
        mode,
        [("shell", {"command": each}, here_of_command(each, asked)) for each in commands],
    )
    if mode in {"ask", "auto-edit"}:
        assert here_of_command("cat a.txt", asked).decision == "ask"
    straight = asked_in(place, work, mode, PATH="/usr/bin:/bin")
    assert here_of_command("cat a.txt", straight).decision == "allow"
    assert verdict_of("cat a.txt", asked).kind == "safe"


TOOLS = {"read": "read", "list": "ls", "write": "write"}


def paths(workspace: Path, asked: Asked, part: int) -> list[tuple[str, str, Here]]:
    spelled = [(op, whole(path, workspace)) for _, op, path in CASES[::part] if op in TOOLS]
    heres = [(op, path, here_of_path(op, path, asked)) for op, path in spelled]
    # What the disk itself refuses is no decision.
    return [(op, path, here) for op, path, here in heres if here and here.decided_by != "the disk"]


@pytest.mark.deep
@pytest.mark.proves("E12")
@pytest.mark.parametrize("part", deep_after(1, [9, 1]))
@pytest.mark.parametrize("mode", MODES)
def test_of_paths(place: Path, workspace: Path, mode: Mode, part: int) -> None:
    asked = asked_in(place, workspace, mode)
    compare(
        asked,
        mode,
        [
            (TOOLS[op], {"path": path} | ({"content": ""} if op == "write" else {}), here)
            for op, path, here in paths(workspace, asked, part)
        ],
    )


@pytest.mark.proves("E12")
@pytest.mark.parametrize("mode", MODES)
def test_of_addresses(place: Path, workspace: Path, mode: Mode) -> None:
    asked = asked_in(place, workspace, mode)
    lists = (url_cases.PUBLIC, url_cases.THIS_MACHINE, url_cases.LOCAL_NETWORK, url_cases.SCHEMES)
    own = ["https://example.com/a", "https://docs.example.com/", "https://example.net/"]
    heres = [
        (url, here_of_url(url, asked))
        for url in (*own, *(url for each in lists for url in each[::5]))
    ]
    refused = [url for url, here in heres if here.decided_by == "[web]"]
    assert "https://example.net/" in refused
    # What the tool itself refuses comes to no decision.
    compare(
        asked,
        mode,
        [("fetch", {"url": url}, here) for url, here in heres if url not in refused],
    )


NO_USE = (
    # The tools themselves fail at these.
    *("it lies below a file", "no file and no folder", "links go in a circle", " is a folder"),
    "it is the workspace itself",
    # Which name of a file was meant nobody can tell: that is said, and a session lets it be read.
    "has another name (a hard link)",
    # Links that lead out and in again, and names that are no path of this system.
    *("/ws/src/new", ".git holds control data", "/ws/.ouroboros/", "/ws/.Ouroboros/"),
)


@pytest.mark.proves("E12", "divergences-what-a-place-allows-and")
@pytest.mark.parametrize("part", deep_after(1, [9, 1]))
@pytest.mark.parametrize("mode", ["plan", "ask", "auto-edit"])
def test_no_session_uses_unasked_what_its_place_speaks_against(
    place: Path, workspace: Path, mode: Mode, part: int
) -> None:
    (place / "home" / "config.toml").write_text("", encoding="utf-8")
    asked = asked_in(place, workspace, mode)
    found: list[str] = []
    for op, path, here in paths(workspace, asked, part):
        judged = judge_path(workspace, op, path)
        if here.decision == "allow" != judged.decision:
            found.append(f"{judged.decision} {op} {path}: {judged.reason}")
    assert [each for each in found if not any(why in each for why in NO_USE)] == []


@pytest.mark.proves("E12")
@every("name", [".env", "id_rsa", "sub/credentials.json", "..\\x", "file:/etc/x"])
@every("mode", MODES)
def test_files_of_keys_and_odd_names_are_asked_about(place: Path, name: str, mode: Mode) -> None:
    asked = asked_in(place, place, mode)
    here = here_of_path("read", name, asked)
    assert here is not None
    assert here.decision == ("allow" if mode == "full-auto" else "ask")
    judged = judge_path(place, "read", name)
    assert judged.decision != "allow"
