"""A session of thousands of events goes on from its snapshot exactly as from all of its events."""

from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.commands import Rollback
from ouroboros.core.events import Event
from ouroboros.llm.turns import Turn
from ouroboros.store import Lease, resume
from ouroboros.store.resume import Restored
from tests.story.stage import stage
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready

TURNS = 400


def long(home: Path, cwd: Path) -> None:
    events: list[Event] = [ready(cwd=str(cwd), model="openai-chat/scripted")]
    for number in range(1, TURNS + 1):
        events += a_turn(number)
    keep(home, numbered(events))


def restored(home: Path) -> Restored:
    with Lease.take(home, SESSION) as lease:
        return resume.restore(home, lease)


async def asked(tmp_path: Path) -> str:
    """What a model is sent when the session goes on without its latest two turns."""
    async with stage(tmp_path, [Turn(text="More.")], resume=SESSION, check=False) as s:
        await s.session.send(Rollback(turns=2))
        await s.run("Go on.")
        return str(s.body()["messages"])


@pytest.mark.proves("I07")
async def test_a_snapshot_is_kept_when_a_long_session_goes_on_and_gives_the_same(
    tmp_path: Path,
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    await to_thread.run_sync(long, home, work)
    snapshot = home / "snapshots" / f"{SESSION}.json"
    async with stage(tmp_path, [], resume=SESSION):
        pass
    assert snapshot.exists()
    found = await to_thread.run_sync(restored, home)
    assert 0 < found.folded < 20
    kept = await to_thread.run_sync(snapshot.read_bytes)
    snapshot.unlink()
    whole = await to_thread.run_sync(restored, home)
    assert whole.folded > 6 * TURNS
    assert found.state == whole.state
    await to_thread.run_sync(snapshot.write_bytes, kept)
    request = await asked(tmp_path)
    assert f"question {TURNS - 2}" in request
    assert f"question {TURNS - 1}" not in request
    assert "content 1'" in request
