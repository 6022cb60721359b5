"""The folder in which an agent of a project lives: what it was made from, its memory and what it made."""

import os
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated

import anyio
import msgspec
from anyio import to_thread
from msgspec import Meta, Struct

from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.fleet.agents.definition import NAME, Definition, Engine, Tool
from ouroboros.store.layout import put_whole, sync_folder
from ouroboros.workspace.worktrees.faults import WorkBusy
from ouroboros.workspace.worktrees.records.shelf import held

CONFIG, PROMPT, ARTIFACTS = "config.json", "system_prompt.md", "artifacts"
MEMORY, KNOWLEDGE = "memory.db", "knowledge.db"
VERSION = "1.0"
_LOCK, _STOP, _RUN = ".lock", ".stop", "run.json"
_NAME = re.compile(NAME)
_LOOKED_SECONDS = 1.0


class AgentRefused(OuroborosError):
    """An instance that cannot be made, read or used."""


class Config(Struct, frozen=True, kw_only=True, rename="camel"):
    """``config.json``: the head of the definition that an instance was made from.

    Attributes:
        version: Of this form; a reader refuses another first number.
        agent_version: The author's own number.
        definition: The file, as the person named it.
        tools: None for all that the settings leave.
    """

    version: Annotated[str, Meta(pattern=r"^1\.\d+$")] = VERSION
    name: Annotated[str, Meta(pattern=f"^{NAME}$")]
    description: str = ""
    agent_version: str = ""
    author: str = ""
    definition: str = ""
    engine: Engine = Engine()
    tools: tuple[Tool, ...] | None = None
    packages: tuple[str, ...] = ()


class Run(Struct, frozen=True, kw_only=True, rename="camel"):
    """``run.json``: what an agent does now; it counts only while the lock is held.

    Attributes:
        id: Of this run; who wants it to stop writes it into a file beside.
        pid: Of the supervisor.
        child: Of the agent's own program; 0 before it was started.
        children: All of its programs, where it works several times at once.
        session: The work session's id; empty for none.
        started: In seconds since the epoch.
    """

    id: str
    pid: int
    child: int = 0
    children: tuple[int, ...] = ()
    session: str = ""
    goal: str = ""
    started: float = 0.0


class Instance(Struct, frozen=True, kw_only=True):
    """One agent of a project."""

    folder: Path
    config: Config

    @property
    def name(self) -> str:
        """What it is called."""
        return self.folder.name

    @property
    def prompt(self) -> Path:
        """Its words."""
        return self.folder / PROMPT

    @property
    def artifacts(self) -> Path:
        """What it made."""
        return self.folder / ARTIFACTS


class Instances:
    """The agents below one folder; every method that is not awaited blocks."""

    def __init__(self, folder: Path) -> None:
        """Creates nothing; ``folder`` is ``.paws/agents/instances``."""
        self.folder = folder
        self.warnings: list[str] = []

    def create(self, definition: Definition, source: str = "", *, name: str = "") -> Instance:
        """Makes the folder of an agent, whole or not at all; installs nothing.

        ``memory.db`` and ``knowledge.db`` are empty files, which SQLite reads as empty databases.

        Raises:
            Misuse: There is one of this name, or it cannot be one.
            AgentRefused: The disk says no.
        """
        name = name or definition.name
        _check(name)
        folder = self.folder / name
        if folder.exists() or folder.is_symlink():
            raise Misuse(
                f"there is an agent {name!r} already", hint="give it another name, or remove it"
            )
        config = _config(definition, name, source)
        partial = self.folder / f".{name}.{os.urandom(4).hex()}.tmp"
        try:
            (partial / ARTIFACTS).mkdir(parents=True)
            written = msgspec.json.format(msgspec.json.encode(config), indent=2)
            for file, content in (
                (CONFIG, written + b"\n"),
                (PROMPT, definition.system_prompt.encode() + b"\n"),
                (MEMORY, b""),
                (KNOWLEDGE, b""),
            ):
                put_whole(partial / file, content, partial / f".{file}.tmp")
            sync_folder(partial)
            partial.rename(folder)
            sync_folder(self.folder)
        except OSError as failed:
            shutil.rmtree(partial, ignore_errors=True)
            raise AgentRefused(
                f"the agent {name!r} cannot be made in {str(self.folder)!r}: {failed.strerror}",
                hint="make room on the disk, or let yourself write there",
            ) from failed
        return Instance(folder=folder, config=config)

    def read(self, name: str) -> Instance:
        """An agent by its name.

        Raises:
            Misuse: There is none.
            AgentRefused: Its folder is damaged, or of a later version.
        """
        _check(name)
        folder = self.folder / name
        path = folder / CONFIG
        try:
            if folder.is_symlink() or path.is_symlink():
                raise AgentRefused(f"{str(folder)!r} is a link, so it is not read")
            config = msgspec.json.decode(path.read_bytes(), type=Config)
        except FileNotFoundError:
            raise Misuse(
                f"there is no agent {name!r}",
                hint="`paws agent list` shows which there are; `paws agent create` makes one",
            ) from None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as odd:
            raise AgentRefused(
                f"{str(path)!r} cannot be read: {odd}",
                hint="make the agent again from its definition",
            ) from odd
        return Instance(folder=folder, config=config)

    def all(self) -> list[Instance]:
        """Those that can be read, by name; ``warnings`` tells of the others."""
        found: list[Instance] = []
        self.warnings = []
        with suppress(FileNotFoundError, NotADirectoryError):
            for entry in sorted(os.scandir(self.folder), key=lambda each: each.name):
                if not _NAME.fullmatch(entry.name) or not entry.is_dir(follow_symlinks=False):
                    continue
                try:
                    found.append(self.read(entry.name))
                except OuroborosError as broken:
                    self.warnings.append(broken.message)
        return found


@asynccontextmanager
async def at_work(instance: Instance, run: Run) -> AsyncGenerator[None]:
    """Nobody else runs this agent meanwhile, and others can read what it does.

    Raises:
        WorkBusy: It runs already.
        AgentRefused: The disk says no.
    """
    try:
        # Who looks whether it runs has the lock for a moment.
        async with held(instance.folder / _LOCK, wait=_LOOKED_SECONDS):
            try:
                await to_thread.run_sync(_noted_first, instance, run)
                yield
            finally:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(_forget, instance)
    except WorkBusy as busy:
        raise _busy(instance) from busy


async def refuse_busy(instance: Instance) -> None:
    """Raises ``WorkBusy`` where it runs now; it may begin right after."""
    if await running(instance) is not None:
        raise _busy(instance)


def _busy(instance: Instance) -> WorkBusy:
    return WorkBusy(
        f"the agent {instance.name!r} runs already",
        hint=f"wait for its end, or stop it: `paws agent stop {instance.name}`",
    )


def note(instance: Instance, run: Run) -> None:
    """Writes down what it does now; blocking."""
    path = instance.folder / _RUN
    partial = path.with_name(f".{_RUN}.{os.urandom(4).hex()}.tmp")
    put_whole(path, msgspec.json.encode(run), partial)


def _noted_first(instance: Instance, run: Run) -> None:
    try:
        note(instance, run)
    except OSError as failed:
        raise AgentRefused(
            f"{str(instance.folder / _RUN)!r} cannot be written: {failed.strerror}",
            hint="make room on the disk, or let yourself write there",
        ) from failed


async def running(instance: Instance) -> Run | None:
    """What it does now; None while it rests, also after a crash of whoever ran it."""
    try:
        async with held(instance.folder / _LOCK, wait=0.0):
            return None
    except WorkBusy:
        return await to_thread.run_sync(_noted, instance)


def ask_to_stop(instance: Instance, run: Run) -> None:
    """Leaves word for the supervisor of this run; blocking."""
    (instance.folder / _STOP).write_text(run.id, "utf-8")


def is_to_stop(instance: Instance, run: Run) -> bool:
    """Whether somebody wants this run to stop; blocking."""
    with suppress(OSError, UnicodeDecodeError):
        return (instance.folder / _STOP).read_text("utf-8").strip() == run.id
    return False


def _forget(instance: Instance) -> None:
    for name in (_RUN, _STOP):
        with suppress(OSError):
            (instance.folder / name).unlink()


def _noted(instance: Instance) -> Run | None:
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode((instance.folder / _RUN).read_bytes(), type=Run)
    return Run(id="", pid=0)


def _config(definition: Definition, name: str, source: str) -> Config:
    return Config(
        name=name,
        description=definition.description,
        agent_version=definition.version,
        author=definition.author,
        definition=source,
        engine=definition.engine,
        tools=definition.tools,
        packages=definition.packages,
    )


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Misuse(
            f"no agent is called {name[:80]!r}",
            hint="a name has small letters, digits, - and _, and begins with a letter or digit",
        )
