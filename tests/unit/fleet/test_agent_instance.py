"""The folder of an agent: made whole or not at all, read again, and held by one run at a time."""

import os
import resource
import sqlite3
import sys
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.fleet.agents.definition import Definition, Engine, Tool
from ouroboros.fleet.agents.instance import (
    AgentRefused,
    Instance,
    Instances,
    Run,
    ask_to_stop,
    at_work,
    is_to_stop,
    running,
)
from ouroboros.workspace.worktrees.faults import WorkBusy
from ouroboros.workspace.worktrees.records.shelf import held
from tests.cases import every
from tests.passing import hurrying

pytestmark = pytest.mark.real

FIXER = Definition(
    name="fixer",
    description="Mends",
    engine=Engine(model="m", max_turns=3),
    tools=(Tool(name="shell", denied_commands=("rm.*",)),),
    system_prompt="You mend.",
)
RUN = Run(id="run-1", pid=os.getpid(), session="s", goal="mend it")
HOLD = """
import sys, anyio
from pathlib import Path
from ouroboros.fleet.agents.instance import Instances, Run, at_work
async def main():
    async with at_work(Instances(Path(sys.argv[1])).read("fixer"), Run(id="run-9", pid=9)):
        print("held", flush=True)
        await anyio.sleep_forever()
anyio.run(main)
"""


@pytest.mark.proves("O03", "divergences-memory-db-knowledge-db")
def test_an_agent_is_made_with_all_its_files_and_read_again(tmp_path: Path) -> None:
    instances = Instances(tmp_path / ".paws" / "agents" / "instances")
    made = instances.create(FIXER, "agents/fixer.agent.md")
    assert sorted(each.name for each in made.folder.iterdir()) == [
        "artifacts",
        "config.json",
        "knowledge.db",
        "memory.db",
        "system_prompt.md",
    ]
    assert made.prompt.read_text() == "You mend.\n"
    config = msgspec.json.decode(made.folder.joinpath("config.json").read_bytes())
    assert config["version"] == "1.0"
    assert config["engine"] == {"model": "m", "temperature": None, "max_turns": 3}
    for name in ("memory.db", "knowledge.db"):
        with sqlite3.connect(made.folder / name) as database:
            assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
        database.close()
    assert instances.read("fixer") == made
    assert instances.all() == [made]


@pytest.mark.proves("O05")
async def test_who_only_looks_whether_it_runs_keeps_it_from_nothing(tmp_path: Path) -> None:
    made = await to_thread.run_sync(Instances(tmp_path).create, FIXER)
    begun = anyio.Event()

    async def begin() -> None:
        async with at_work(made, RUN):
            begun.set()

    async with anyio.create_task_group() as tasks:
        async with held(made.folder / ".lock", wait=0.0):
            tasks.start_soon(begin)
            await anyio.sleep(0.1)
        with anyio.fail_after(60):
            await begun.wait()


def test_a_second_of_the_same_name_and_names_that_are_paths_are_refused(tmp_path: Path) -> None:
    instances = Instances(tmp_path)
    instances.create(FIXER)
    with pytest.raises(Misuse, match="already"):
        instances.create(FIXER)
    for name in ("../up", "Big", ".hidden", "a/b", "", "a" * 65):
        with pytest.raises(Misuse, match="no agent is called"):
            instances.read(name)
    assert instances.create(FIXER, name="other").name == "other"


@pytest.mark.proves("O03")
@every("content", [b"", b"{", b'{"version": "2.0", "name": "fixer"}', b'{"name": "../x"}', b"\xff"])
def test_a_damaged_one_is_named_and_hides_no_other(tmp_path: Path, content: bytes) -> None:
    instances = Instances(tmp_path)
    whole = instances.create(FIXER, name="whole")
    (instances.create(FIXER).folder / "config.json").write_bytes(content)
    with pytest.raises(AgentRefused, match=r"config\.json"):
        instances.read("fixer")
    assert instances.all() == [whole]
    assert len(instances.warnings) == 1


@pytest.mark.proves("O03")
def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(AgentRefused, match="cannot be made"):
            Instances(tmp_path).create(FIXER)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def fixer(tmp_path: Path) -> Instance:
    return Instances(tmp_path).create(FIXER)


@pytest.mark.proves("O05", "O06")
async def test_it_runs_once_at_a_time_and_is_seen_to(fixer: Instance) -> None:
    assert await running(fixer) is None
    async with at_work(fixer, RUN):
        assert await running(fixer) == RUN
        async with hurrying(0.2):
            with pytest.raises(WorkBusy, match="'fixer' runs already"):
                async with at_work(fixer, RUN):
                    pass
        assert not await to_thread.run_sync(is_to_stop, fixer, RUN)
        await to_thread.run_sync(ask_to_stop, fixer, RUN)
        assert await to_thread.run_sync(is_to_stop, fixer, RUN)
    assert await running(fixer) is None
    assert not await to_thread.run_sync(is_to_stop, fixer, RUN)


async def test_a_wish_to_stop_an_earlier_run_stops_no_later_one(fixer: Instance) -> None:
    await to_thread.run_sync(ask_to_stop, fixer, Run(id="run-0", pid=1))
    async with at_work(fixer, RUN):
        assert not await to_thread.run_sync(is_to_stop, fixer, RUN)


@pytest.mark.deep
async def test_after_a_crash_of_its_supervisor_it_rests(fixer: Instance) -> None:
    program = [sys.executable, "-c", HOLD, str(fixer.folder.parent)]
    async with await anyio.open_process(program, stderr=None) as other:
        assert other.stdout is not None
        assert (await other.stdout.receive()).startswith(b"held")
        found = await running(fixer)
        assert found is not None
        assert found.id == "run-9"
        other.kill()
        await other.wait()
    assert await running(fixer) is None
    async with at_work(fixer, RUN):
        assert await running(fixer) == RUN


def test_a_folder_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    instances = Instances(tmp_path / "in")
    made = instances.create(FIXER, name="real")
    (tmp_path / "in" / "fixer").symlink_to(made.folder)
    with pytest.raises(OuroborosError, match="link"):
        instances.read("fixer")
