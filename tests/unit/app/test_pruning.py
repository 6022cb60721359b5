"""What `ouro checkpoints prune` lets go of: of sessions, of applied bundles, of work sessions that are no more."""

import os
from pathlib import Path

import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.paws.agents.changes import Watched
from ouroboros.app.rewind.bounds import bounds_of
from ouroboros.app.rewind.offline import prune, sizes
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.workspace.checkpoints.shadow import Shadow
from tests.unit.workspace.worktrees.repository import Repository

pytestmark = pytest.mark.real

SETTINGS = msgspec.convert({}, Settings)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def watched(folder: Path, home: Path) -> None:
    """As an agent's supervisor keeps the files of a work tree while it works, and the agent itself."""
    seen = Watched(folder, SETTINGS, home=home, owner="agent")
    seen.begin(SystemClock())
    seen.close()
    shadow = Shadow.opened(home, folder)
    shadow.take(bounds_of(SETTINGS, home), session="its-own", message="m", now=1.0)
    shadow.library.close()


@pytest.mark.deep
@pytest.mark.proves("paws-k-prune")
async def test_nothing_stays_of_a_work_session_that_was_deleted(tmp_path: Path, home: Path) -> None:
    repo = Repository(tmp_path / "work")
    sessions = await repo.sessions()
    first, second = await sessions.start(), await sessions.start()
    for session in (first, second):
        await to_thread.run_sync(watched, session.tree, home)
    assert await to_thread.run_sync(lambda: prune(home, keep=1)) == 0
    await sessions.delete(first.id)
    await sessions.archive(second.id)
    assert await to_thread.run_sync(lambda: prune(home, keep=1)) == 1
    (left,) = await to_thread.run_sync(sizes, home)
    assert (left.folder, left.checkpoints) == (str(second.tree), 1)


@pytest.mark.proves("paws-k-prune")
def test_of_a_project_that_is_elsewhere_now_all_stays(tmp_path: Path, home: Path) -> None:
    tree = tmp_path / "disk/.paws/sessions/s/worktree"
    tree.mkdir(parents=True)
    watched(tree, home)
    (tmp_path / "disk").rename(tmp_path / "unmounted")
    assert prune(home, keep=1) == 0
    assert [each.checkpoints for each in sizes(home)] == [1]


@pytest.mark.proves("paws-k-prune")
def test_of_applied_bundles_only_what_nothing_names_goes(tmp_path: Path, home: Path) -> None:
    folder, bounds = tmp_path / "work", bounds_of(SETTINGS, home)
    folder.mkdir()
    shadow = Shadow.opened(home / "paws", folder)
    for name in ("a", "b"):
        (folder / name).write_bytes(os.urandom(50_000))
        shadow.take(bounds, session="dogs", message="before a bundle", now=1.0)
    (folder / "c").write_bytes(os.urandom(50_000))
    with shadow.locked():
        shadow.glance(bounds, now=2.0)
        (folder / "c").unlink()
        shadow.glance(bounds, now=3.0)
    shadow.library.close()
    (before,) = sizes(home)
    assert prune(home, keep=1) == 0
    (after,) = sizes(home)
    assert (after.checkpoints, before.checkpoints) == (2, 2)
    assert 100_000 < after.bytes < before.bytes - 40_000
