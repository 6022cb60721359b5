"""Lists of vendors' models grow old by the clock, and by nothing else."""

import json
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.app.config.layers import Loaded, load
from ouroboros.app.providers.model_list import listed
from ouroboros.testing.clock import ManualClock
from tests.unit.llm.vendor_server import Answer, BareServer, bare

pytestmark = pytest.mark.real


def offering(name: str) -> dict[str, Answer]:
    return {"/models": Answer("application/json", json.dumps({"data": [{"id": name}]}).encode())}


async def loaded_for(server: BareServer, folder: Path) -> Loaded:
    def read() -> Loaded:
        text = f'[providers.mine]\nbase_url = "{server.url}"\n'
        (folder / "config.toml").write_text(text, "utf-8")
        return load(folder, {"OUROBOROS_HOME": str(folder)}, {})

    return await to_thread.run_sync(read)


@pytest.mark.proves("H14")
async def test_a_list_is_asked_for_again_after_300_seconds(tmp_path: Path) -> None:
    clock = ManualClock()
    unset: dict[str, str] = {}
    async with bare(offering("old")) as server:
        loaded = await loaded_for(server, tmp_path)

        async def names() -> list[str]:
            found = await listed(loaded, unset, clock, provider="mine")
            assert found.warnings == ()
            return [model.name for model in found.models]

        assert await names() == ["mine/old"]
        server.answers = offering("new")
        clock.advance(299)
        assert await names() == ["mine/old"]
        clock.advance(2)
        assert await names() == ["mine/new"]
        assert len(server.asked) == 2


async def test_two_askers_at_once_leave_one_whole_list(tmp_path: Path) -> None:
    clock = ManualClock()
    unset: dict[str, str] = {}
    async with bare(offering("m")) as server:
        loaded = await loaded_for(server, tmp_path)
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(lambda: listed(loaded, unset, clock, provider="mine"))
        again = await listed(loaded, unset, clock, provider="mine")
    assert [model.name for model in again.models] == ["mine/m"]
    folder = anyio.Path(tmp_path / "cache" / "models")
    assert [path.name async for path in folder.iterdir()] == ["mine.json"]
