"""A history in steps: what arrived whole is kept, and gone on with."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.core.clock import SystemClock
from ouroboros.workspace.repos import steps
from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.faults import RepoFailed, RepoRefused
from ouroboros.workspace.repos.steps import Mark, depths
from tests.cases import every
from tests.unit.workspace.repos.git_host import Host, Upstream, serving
from tests.unit.workspace.repos.test_loading import Bench

pytestmark = pytest.mark.real

BIG = 1_000_000
LISTING = ["/o/r/git-upload-pack"]
"""What is asked to hear which branches there are."""

KILLED = """
import os, signal, sys
from pathlib import Path
import anyio
from ouroboros.core.clock import SystemClock
from ouroboros.workspace.repos.address import read_address
from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.loading import Loader, Wish
from ouroboros.workspace.repos.shelf import Shelf

home, url, ref = sys.argv[1:]

def tell(progress):
    if progress.stage == "writing":
        os.kill(os.getpid(), signal.SIGKILL)

loader = Loader(
    Shelf(Path(home)),
    environment={**os.environ, "GIT_PROGRESS_DELAY": "0"},
    bounds=Bounds(depth=0),
    clock=SystemClock(),
    tell=tell,
)
anyio.run(loader.load, Wish(address=read_address(url, base="file:///nowhere"), ref=ref))
"""


@pytest.fixture
def upstream(first: Upstream, tmp_path: Path) -> Upstream:
    return first.copied(tmp_path / "srv/o/r")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    """Made once; each test has a copy."""
    made = Upstream(tmp_path_factory.mktemp("first") / "r")
    made.commit("old", a="1")
    made.commit("new", big=os.urandom(BIG))
    return made


def bench_of(tmp_path: Path, *, depth: int = 0, size: int = 10**9) -> Bench:
    return Bench(tmp_path / "home", Bounds(depth=depth, bytes=size))


async def cut_off(bench: Bench, host: Host) -> RepoFailed:
    host.enough, host.drops = BIG, True
    with pytest.raises(RepoFailed) as failed:
        await bench.load(f"{host.url}/o/r")
    host.enough = 0
    host.sent.clear()
    return failed.value


@every(
    ("wanted", "done", "left"),
    [
        (1, 0, (1,)),
        (50, 0, (1, 50)),
        (0, 0, (1, 100, 1_000, 10_000, 0)),
        (0, 1_000, (10_000, 0)),
        (1_000, 1, (100, 1_000)),
        (1, 1, ()),
    ],
)
def test_the_steps_that_are_left(wanted: int, done: int, left: tuple[int, ...]) -> None:
    assert depths(wanted, done) == left


@pytest.mark.deep
@pytest.mark.proves("Y02")
async def test_a_connection_that_breaks_costs_one_step(tmp_path: Path, upstream: Upstream) -> None:
    bench = bench_of(tmp_path)
    with serving(tmp_path / "srv") as host:
        failed = await cut_off(bench, host)
        assert "goes on after it" in failed.hint
        assert await to_thread.run_sync(bench.shelf.all) == []
        repo = await bench.load(f"{host.url}/o/r")
        assert 0 < sum(host.sent) < 20_000
    assert bench.left() == ["o_r"]
    assert upstream.git("-C", repo.path, "rev-list", "--count", "HEAD") == "2"
    assert upstream.git("-C", repo.path, "fsck", "--full") == ""


def _killed_while_writing(home: Path, *words: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(home), *words], capture_output=True, check=False
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr


async def killed_and_gone_on(tmp_path: Path, branch: str, commits: int) -> None:
    """Kills a load after its last step; the next one fetches nothing again, and has all of it."""
    upstream = Upstream(tmp_path / "srv/o/r")
    upstream.git("checkout", "-q", "-b", branch)
    who = "committer u <u@example.com> 1700000000 +0000\ndata 1\nx\n"
    files = "".join(f"M 644 inline {number}.txt\ndata 1\nx\n" for number in range(40))
    history = f"commit refs/heads/{branch}\n{who}" * commits + files
    upstream.git("fast-import", "--quiet", "--force", given=history.encode())
    bench = bench_of(tmp_path)
    with serving(tmp_path / "srv") as host:
        await to_thread.run_sync(
            _killed_while_writing, tmp_path / "home", f"{host.url}/o/r", branch
        )
        assert bench.left() == ["o_r"]
        host.asked.clear()
        repo = await bench.load(f"{host.url}/o/r", branch)
        assert [path for path in host.asked if path.endswith("git-upload-pack")] == LISTING
    assert upstream.git("-C", repo.path, "rev-list", "--count", "HEAD") == str(commits)
    assert upstream.git("-C", repo.path, "rev-parse", "--is-shallow-repository") == "false"
    assert upstream.git("-C", repo.path, "status", "--porcelain") == ""


@pytest.mark.deep
@pytest.mark.proves("Y02")
@pytest.mark.parametrize("branch", ["index", pytest.param("tmp_x", marks=pytest.mark.deep)])
async def test_a_load_that_was_killed_after_its_last_step_fetches_nothing_again(
    tmp_path: Path, branch: str
) -> None:
    await killed_and_gone_on(tmp_path, branch, 3)


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_a_long_history_arrives_whole(tmp_path: Path) -> None:
    await killed_and_gone_on(tmp_path, "main", 10_050)


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_what_moved_meanwhile_is_had(tmp_path: Path, upstream: Upstream) -> None:
    bench = bench_of(tmp_path)
    with serving(tmp_path / "srv") as host:
        await cut_off(bench, host)
        new = upstream.commit(b="2")
        repo = await bench.load(f"{host.url}/o/r")
        assert sum(host.sent) < 20_000
    assert repo.commit == new
    assert upstream.git("-C", repo.path, "rev-list", "--count", "HEAD") == "3"


@pytest.mark.proves("Y02")
@pytest.mark.deep
@pytest.mark.parametrize("other", ["depth", "ref", "damage"])
async def test_for_another_wish_or_a_damaged_one_it_begins_anew(
    tmp_path: Path, upstream: Upstream, other: str
) -> None:
    upstream.git("branch", "side")
    with serving(tmp_path / "srv") as host:
        await cut_off(bench_of(tmp_path), host)
        if other == "damage":
            (pack,) = (tmp_path / "home/repos/.part/o_r/.git/objects/pack").glob("*.pack")
            pack.chmod(0o600)
            pack.write_bytes(b"PACK")
        bench = bench_of(tmp_path, depth=1 if other == "depth" else 0)
        repo = await bench.load(f"{host.url}/o/r", "side" if other == "ref" else "")
        assert sum(host.sent) > BIG
    assert upstream.git("-C", repo.path, "status", "--porcelain") == ""
    assert bench.left() == ["o_r"]


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_a_cancel_leaves_no_step(tmp_path: Path, upstream: Upstream) -> None:
    del upstream
    bench = Bench(tmp_path / "home", Bounds(depth=0))
    with serving(tmp_path / "srv") as host:
        host.enough = BIG
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bench.load, f"{host.url}/o/r")
            assert await to_thread.run_sync(host.stuck.wait, 30)
            tasks.cancel_scope.cancel()
    assert bench.left() == []


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_what_is_refused_leaves_no_step(tmp_path: Path, upstream: Upstream) -> None:
    upstream.commit(bigger=os.urandom(3 * BIG))
    upstream.commit(bigger="small now")
    bench = bench_of(tmp_path, size=2 * BIG)
    with pytest.raises(RepoRefused, match="larger than"):
        await bench.load(f"file://{upstream.folder}")
    assert bench.left() == []


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_steps_that_nobody_comes_back_for_are_removed(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = bench_of(tmp_path)
    with serving(tmp_path / "srv") as host:
        await cut_off(bench, host)
    now = SystemClock().now()
    await to_thread.run_sync(steps.sweep, bench.shelf, now + steps.KEPT_SECONDS / 2)
    assert bench.left() == ["o_r"]
    await to_thread.run_sync(steps.sweep, bench.shelf, now + 2 * steps.KEPT_SECONDS)
    assert bench.left() == []
    assert steps.begun(tmp_path / "none", Mark(url="", ref="", depth=0)) is None
    del upstream
