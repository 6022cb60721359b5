"""Many sessions on one event loop and in one home: their commands all wait for each other.

Blocking calls fail every test of this suite (``tests/conftest.py``); speed is the benchmarks' matter.
"""

from pathlib import Path

import anyio
import pytest

from ouroboros.app.ouroboros import Ouroboros, Outcome
from ouroboros.app.settings import Settings
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.story.stage import call


@pytest.mark.proves("A29")
@pytest.mark.parametrize("count", [5, pytest.param(20, marks=pytest.mark.soak)])
async def test_many_sessions_run_beside_each_other(tmp_path: Path, count: int) -> None:
    meet = f"mktemp ../XXXXXXXX.here; until [ $(ls ../*.here | wc -l) -ge {count} ]; do sleep 0.05; done"
    turns = [Turn(tool_calls=(call("shell", command=meet, timeout=600),)), Turn(text="Done.")]
    outcomes: dict[str, Outcome] = {}

    async def one(engine: Ouroboros, folder: Path) -> None:
        async with engine.open(cwd=folder) as session:
            outcomes[session.id] = await session.run("Do it.")

    async with serving(turns, order="history") as server:
        settings = Settings(model="openai-chat/x", mode="full-auto", base_url=server.url)
        engine = Ouroboros(
            settings, home=tmp_path / "home", environment={"PATH": "/usr/bin:/bin", "HOME": "/"}
        )
        async with anyio.create_task_group() as tasks:
            for number in range(count):
                folder = tmp_path / str(number)
                folder.mkdir()
                tasks.start_soon(one, engine, folder)

    assert {outcome.reason for outcome in outcomes.values()} == {"completed"}
    assert len(outcomes) == count
