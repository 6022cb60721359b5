"""Loading a repository: all of it or nothing, within bounds, and nothing of it is run."""

import fcntl
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Misuse
from ouroboros.workspace.repos.address import read_address
from ouroboros.workspace.repos.bounds import Bounds
from ouroboros.workspace.repos.faults import RepoFailed, RepoRefused
from ouroboros.workspace.repos.loading import Loader, Wish, registered
from ouroboros.workspace.repos.progress import Progress
from ouroboros.workspace.repos.shelf import Repo, Shelf
from tests.cases import every
from tests.small_disk import mounted
from tests.unit.workspace.repos.git_host import Upstream, serving

pytestmark = pytest.mark.real


class Bench:
    """A home to load into."""

    def __init__(self, home: Path, bounds: Bounds | None = None) -> None:
        self.shelf = Shelf(home)
        self.told: list[Progress] = []
        self.loader = Loader(
            self.shelf,
            environment=dict(os.environ),
            bounds=bounds or Bounds(idle_seconds=60),
            clock=SystemClock(),
            tell=self.told.append,
        )

    async def load(self, source: str, ref: str = "", name: str = "") -> Repo:
        address = read_address(source, base="file:///nowhere")
        with anyio.fail_after(60):
            return await self.loader.load(Wish(address=address, ref=ref, name=name))

    def left(self) -> list[str]:
        """What lies on the shelf, but for locks."""
        if not self.shelf.folder.is_dir():
            return []
        top = [path.name for path in self.shelf.folder.iterdir() if path.suffix != ".lock"]
        part = [path.name for path in (self.shelf.folder / ".part").iterdir()]
        return sorted({*top, *part} - {".part"})


@pytest.fixture
def upstream(first: Upstream, tmp_path: Path) -> Upstream:
    return first.copied(tmp_path / "srv/pallets/click")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    """Made once; each test has a copy."""
    made = Upstream(tmp_path_factory.mktemp("first") / "click")
    made.commit("one", a_dot_py="print(1)\n", README_dot_md="A library.\n")
    made.git("tag", "-a", "v1", "-m", "first")
    made.commit("two", b_dot_py="print(2)\n")
    made.git("branch", "feat/x", "v1")
    made.commit("three", sub__c_dot_py="print(3)\n")
    return made


@pytest.fixture
def person(fresh_home: Path) -> Callable[[str], object]:
    """Writes the person's own git settings."""
    fresh_home.mkdir(parents=True, exist_ok=True)
    return partial((fresh_home / ".gitconfig").write_text, encoding="utf-8")


@pytest.mark.proves("Y01", "Y03")
async def test_over_http_the_latest_commit_of_the_default_branch(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    with serving(tmp_path / "srv") as host:
        repo = await bench.load(f"{host.url}/pallets/click")
    path = Path(repo.path)
    assert path == tmp_path / "home/repos/pallets_click"
    assert (repo.ref, repo.commit) == ("main", upstream.git("rev-parse", "main"))
    assert (repo.files, (path / "sub/c.py").read_text()) == (4, "print(3)\n")
    assert (path / ".git/shallow").exists()
    assert not (path / ".git/hooks").exists()
    assert await to_thread.run_sync(bench.shelf.all) == [repo]
    assert {"asking", "receiving", "done"} <= {each.stage for each in bench.told}


@pytest.mark.deep
@pytest.mark.proves("Y01", "Y03")
@every("ref", ["v1", "feat/x", "commit", "short", "refs/tags/v1"])
async def test_a_branch_a_tag_or_a_commit(tmp_path: Path, upstream: Upstream, ref: str) -> None:
    first = upstream.git("rev-parse", "v1^{commit}")
    wanted = {"commit": first, "short": first[:9]}.get(ref, ref)
    repo = await Bench(tmp_path / "home").load(f"file://{upstream.folder}", wanted)
    assert repo.commit == first
    assert (repo.files, (Path(repo.path) / "b.py").exists()) == (2, False)


@pytest.mark.proves("Y01", "Y03")
@pytest.mark.deep
async def test_a_server_that_gives_out_no_single_commits(
    tmp_path: Path, upstream: Upstream, person: Callable[[str], object]
) -> None:
    person("[protocol]\nversion = 0\n")
    middle = upstream.git("rev-parse", "main~1")
    with serving(tmp_path / "srv") as host:
        bench = Bench(tmp_path / "home")
        repo = await bench.load(f"{host.url}/pallets/click", middle)
        assert (repo.commit, repo.files) == (middle, 3)
        with pytest.raises(RepoFailed, match="has no commit"):
            await bench.load(f"{host.url}/pallets/click", "0" * 40, "other")
    assert bench.left() == ["pallets_click"]


@pytest.mark.proves("Y01", "Y03")
async def test_a_ref_that_is_not_there_names_its_neighbours(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    with pytest.raises(RepoFailed, match="no branch, tag or commit 'feat/y'") as failed:
        await bench.load(f"file://{upstream.folder}", "feat/y")
    assert "feat/x" in failed.value.hint
    assert bench.left() == []


async def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    empty = Upstream(tmp_path / "empty")
    with pytest.raises(RepoFailed, match="no commit yet"):
        await Bench(tmp_path / "home").load(f"file://{empty.folder}")


async def test_one_that_is_here_is_not_loaded_over(tmp_path: Path, upstream: Upstream) -> None:
    bench = Bench(tmp_path / "home")
    repo = await bench.load(f"file://{upstream.folder}", name="mine")
    (Path(repo.path) / "a.py").write_text("my work")
    with pytest.raises(Misuse, match="mine is here already"):
        await bench.load(f"file://{upstream.folder}", name="mine")
    assert (Path(repo.path) / "a.py").read_text() == "my work"


@pytest.mark.deep
@pytest.mark.proves("Y02")
async def test_more_bytes_than_the_bound_stop_it(tmp_path: Path, upstream: Upstream) -> None:
    upstream.commit(big=os.urandom(3_000_000))
    upstream.commit(big="small now")
    bench = Bench(tmp_path / "home", Bounds(bytes=1_000_000, depth=0))
    with pytest.raises(RepoRefused, match="larger than 1,000,000 bytes"):
        await bench.load(f"file://{upstream.folder}")
    assert bench.left() == []


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_files_that_grow_when_they_are_written_stop_it(
    tmp_path: Path, upstream: Upstream
) -> None:
    upstream.commit(zeros=b"\0" * 3_000_000)
    bench = Bench(tmp_path / "home", Bounds(bytes=1_000_000))
    with pytest.raises(RepoRefused, match="its files have 3,000,0"):
        await bench.load(f"file://{upstream.folder}")
    assert bench.left() == []


@pytest.mark.proves("Y02")
async def test_more_files_than_the_bound_stop_it(tmp_path: Path, upstream: Upstream) -> None:
    bench = Bench(tmp_path / "home", Bounds(files=3))
    with pytest.raises(RepoRefused, match="4 files, more than 3"):
        await bench.load(f"file://{upstream.folder}")
    assert bench.left() == []


@pytest.mark.deep
@pytest.mark.proves("Y02")
@every(
    "entry",
    [
        ("100644", ".GIT", b"x"),
        ("100644", "..", b"x"),
        ("100644", "a/../../x", b"x"),
        ("100644", ".g\u200cit", b"x"),
        ("120000", "link", b"/etc/passwd"),
        ("120000", "link", b"../../../.."),
        ("120000", "link", b".git/config"),
    ],
)
async def test_what_would_lead_elsewhere_is_refused(
    tmp_path: Path, entry: tuple[str, str, bytes]
) -> None:
    hostile = Upstream(tmp_path / "hostile")
    hostile.plant(entry)
    bench = Bench(tmp_path / "home")
    with pytest.raises(RepoRefused):
        await bench.load(f"file://{hostile.folder}")
    assert bench.left() == []


async def test_links_within_it_are_kept(tmp_path: Path, upstream: Upstream) -> None:
    (upstream.folder / "sub/link").symlink_to("../a.py")
    (upstream.folder / "nowhere").symlink_to("missing")
    upstream.commit()
    repo = await Bench(tmp_path / "home").load(f"file://{upstream.folder}")
    assert (Path(repo.path) / "sub/link").read_text() == "print(1)\n"


@pytest.mark.deep
@pytest.mark.proves("Y01", "Y03")
async def test_nothing_of_it_and_of_the_persons_hooks_is_run(
    tmp_path: Path, upstream: Upstream, person: Callable[[str], object]
) -> None:
    mark = tmp_path / "ran"
    hooks = tmp_path / "template/hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "post-merge", "reference-transaction", "fsmonitor"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / name).chmod(0o755)
    person(
        f"[init]\ntemplateDir = {hooks.parent}\n[core]\nhooksPath = {hooks}\n"
        f'fsmonitor = {hooks / "fsmonitor"}\n[protocol "ext"]\nallow = always\n'
    )
    sub = f"[submodule \"s\"]\npath = s\nurl = ext::sh -c 'touch {mark}'\n"
    upstream.commit(_dot_gitmodules=sub)
    commit = upstream.git("rev-parse", "HEAD")
    upstream.git("update-index", "--add", "--cacheinfo", f"160000,{commit},s")
    upstream.git("commit", "-q", "-m", "with another within")
    repo = await Bench(tmp_path / "home").load(f"file://{upstream.folder}")
    assert repo.submodules == ("s",)
    assert not mark.exists()


@pytest.mark.proves("Y02")
async def test_a_silent_server_is_given_up(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home", Bounds(idle_seconds=0.1))
    with serving(tmp_path) as host:
        host.hangs = True
        with pytest.raises(RepoFailed, match=r"nothing came for 0\.1 s"):
            await bench.load(f"{host.url}/o/r")
    assert bench.left() == []


@pytest.mark.proves("Y02")
async def test_all_of_it_has_a_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home", Bounds(seconds=0.1))
    with serving(tmp_path) as host:
        host.hangs = True
        with pytest.raises(RepoFailed, match=r"longer than 0\.1 s"):
            await bench.load(f"{host.url}/o/r")
    assert bench.left() == []


@pytest.mark.proves("Y02")
async def test_a_cancel_leaves_nothing_half(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home")
    with serving(tmp_path) as host:
        host.hangs = True
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bench.load, f"{host.url}/o/r")
            assert await to_thread.run_sync(host.reached.wait, 20)
            assert bench.left() == ["o_r"]
            tasks.cancel_scope.cancel()
    assert bench.left() == []


@pytest.mark.proves("Y02")
async def test_what_a_kill_left_is_gone_at_the_next_time(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    half = tmp_path / "home/repos/.part/mine/.git/objects"
    half.mkdir(parents=True)
    (half / "tmp_pack").write_bytes(b"PACK")
    half.chmod(stat.S_IRUSR | stat.S_IXUSR)
    repo = await bench.load(f"file://{upstream.folder}", name="mine")
    assert not (Path(repo.path) / ".git/objects/tmp_pack").exists()
    assert bench.left() == ["mine"]


@pytest.mark.proves("Y02")
async def test_two_at_once_do_not_meet(tmp_path: Path) -> None:
    bench, other = Bench(tmp_path / "home"), Bench(tmp_path / "home")
    with serving(tmp_path) as host:
        host.hangs = True
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bench.load, f"{host.url}/o/r")
            assert await to_thread.run_sync(host.reached.wait, 20)
            with pytest.raises(RepoFailed, match="another process works on o_r"):
                await other.load(f"{host.url}/o/r")
            tasks.cancel_scope.cancel()


@pytest.mark.deep
async def test_a_server_that_sends_on_within_itself_is_followed(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    with serving(tmp_path / "srv") as host:
        host.sends_on["old"] = f"{host.url}/pallets"
        host.sends_on["older"] = "/old"
        repo = await bench.load(f"{host.url}/older/click")
        assert repo.url == f"{host.url}/pallets/click"
    assert repo.name == "older_click"
    assert repo.commit == upstream.git("rev-parse", "main")


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_a_server_that_sends_to_another_host_is_not_followed(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    with serving(tmp_path / "srv") as host, serving(upstream.folder.parent.parent) as other:
        host.sends_on["pallets"] = f"{other.url}/pallets"
        with pytest.raises(Misuse, match="another host") as refused:
            await bench.load(f"{host.url}/pallets/click")
        assert f"{other.url}/pallets/click" in refused.value.hint
        assert other.asked == []
        host.sends_on["pallets"] = f"{host.url}/pallets"
        with pytest.raises(RepoFailed, match="sends us on and on"):
            await bench.load(f"{host.url}/pallets/click")
    assert bench.left() == []


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_a_private_one_is_had_by_the_persons_own_helper(
    tmp_path: Path, upstream: Upstream, person: Callable[[str], object]
) -> None:
    bench = Bench(tmp_path / "home")
    with serving(tmp_path / "srv") as host:
        host.password = "open-sesame"
        with pytest.raises(RepoFailed, match="it is private, or not there"):
            await bench.load(f"{host.url}/pallets/click")
        person(
            '[credential]\nhelper = "!f() { echo username=person; echo password=open-sesame; }; f"\n'
        )
        repo = await bench.load(f"{host.url}/pallets/click")
    assert repo.commit == upstream.git("rev-parse", "main")
    assert "sesame" not in (Path(repo.path) / ".git/config").read_text()


@pytest.mark.deep
async def test_one_that_is_not_there(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home")
    with serving(tmp_path) as host, pytest.raises(RepoFailed, match="no such repository"):
        await bench.load(f"{host.url}/o/r")
    with pytest.raises(RepoFailed, match="no such repository"):
        await bench.load(f"file://{tmp_path}/missing")
    with pytest.raises(RepoFailed, match="does not answer"):
        await bench.load("http://127.0.0.1:1/o/r")
    assert bench.left() == []


@pytest.mark.proves("Y02")
@pytest.mark.deep
async def test_a_full_disk_leaves_nothing_half(tmp_path: Path, upstream: Upstream) -> None:
    upstream.commit(big=os.urandom(3_000_000))
    with mounted(tmp_path / "home", mebibytes=2) as home:
        bench = Bench(home)
        with pytest.raises(RepoFailed, match="no room on the disk"):
            await bench.load(f"file://{upstream.folder}")
        assert bench.left() == []


@pytest.mark.deep
async def test_an_update_brings_what_is_new_and_overwrites_nothing(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    repo = await bench.load(f"file://{upstream.folder}")
    new = upstream.commit(a_dot_py="print(10)\n")
    repo = await bench.loader.update(repo)
    assert repo.commit == new
    assert await to_thread.run_sync(bench.shelf.find, repo.name) == repo
    mine = Path(repo.path) / "a.py"
    assert mine.read_text() == "print(10)\n"
    mine.write_text("my work")
    upstream.commit(a_dot_py="print(100)\n")
    assert await bench.loader.unsaved(repo) == "1 changed files"
    with pytest.raises(RepoFailed, match="was changed here"):
        await bench.loader.update(repo)
    assert mine.read_text() == "my work"
    tagged = await bench.load(f"file://{upstream.folder}", "v1", "tagged")
    assert await bench.loader.unsaved(tagged) == ""
    with pytest.raises(Misuse, match="stands at a tag or commit"):
        await bench.loader.update(tagged)


@pytest.mark.deep
async def test_what_cannot_be_written_after_an_update_is_said(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    repo = await bench.load(f"file://{upstream.folder}")
    upstream.commit(a_dot_py="print(10)\n")
    record = Path(repo.path) / ".git/ouroboros.json"
    record.unlink()
    record.mkdir()
    with pytest.raises(RepoFailed, match="cannot be written"):
        await bench.loader.update(repo)


@pytest.mark.deep
async def test_an_update_counts_history_and_files_apart_as_loading_does(
    tmp_path: Path, upstream: Upstream
) -> None:
    upstream.commit(big=os.urandom(600_000))
    bench = Bench(tmp_path / "home", Bounds(bytes=1_000_000))
    repo = await bench.load(f"file://{upstream.folder}")
    new = upstream.commit(a_dot_py="print(10)\n")
    assert (await bench.loader.update(repo)).commit == new
    upstream.commit(more=os.urandom(600_000))
    with pytest.raises(RepoRefused, match="larger than 1,000,000 bytes"):
        await bench.loader.update(repo)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../..", ".git/config"])
@pytest.mark.deep
async def test_an_update_with_a_link_that_leads_out_changes_nothing(
    tmp_path: Path, upstream: Upstream, target: str
) -> None:
    bench = Bench(tmp_path / "home")
    repo = await bench.load(f"file://{upstream.folder}")
    mine = Path(repo.path) / "b.py"
    mine.write_text("my work")
    (upstream.folder / "link").symlink_to(target)
    upstream.commit(a_dot_py="print(10)\n")
    with pytest.raises(RepoRefused, match="leads out"):
        await bench.loader.update(repo)
    assert not (Path(repo.path) / "link").is_symlink()
    assert (Path(repo.path) / "a.py").read_text() == "print(1)\n"
    assert mine.read_text() == "my work"
    assert await to_thread.run_sync(bench.shelf.find, repo.name) == repo
    with pytest.raises(RepoRefused, match="leads out"):
        await bench.loader.update(repo)


@pytest.mark.deep
async def test_what_was_put_aside_by_stash_counts_as_unsaved(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    repo = await bench.load(f"file://{upstream.folder}")
    assert await bench.loader.unsaved(repo) == ""
    (Path(repo.path) / "a.py").write_text("my work")
    upstream.git("-C", repo.path, "stash", "-q")
    assert "commits of its own" in await bench.loader.unsaved(repo)


async def test_what_git_cannot_look_into_is_never_called_saved(
    tmp_path: Path, upstream: Upstream
) -> None:
    bench = Bench(tmp_path / "home")
    repo = await bench.load(f"file://{upstream.folder}")
    (Path(repo.path) / "a.py").write_text("my work")
    (Path(repo.path) / ".git/HEAD").write_text("nonsense")
    assert "cannot look at" in await bench.loader.unsaved(repo)


def test_a_folder_of_the_persons_stays_where_it_is(tmp_path: Path, upstream: Upstream) -> None:
    shelf = Shelf(tmp_path / "home")
    repo = registered(shelf, upstream.folder, "", SystemClock())
    assert (repo.name, repo.path, repo.is_own) == ("click", str(upstream.folder), True)
    with pytest.raises(Misuse, match="is this folder already"):
        registered(shelf, upstream.folder, "again", SystemClock())
    with pytest.raises(Misuse, match="your own folder"):
        anyio.run(Bench(tmp_path / "home").loader.update, repo)
    shelf.remove(repo)
    assert shelf.all() == []
    assert (upstream.folder / "a.py").exists()


def test_who_was_about_to_take_a_lock_has_it_after_a_removal(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "home")
    place = shelf.folder / "mine"
    (place / ".git").mkdir(parents=True)
    repo = Repo(name="mine", path=str(place), label="o/mine")
    shelf.note(repo)
    with shelf.locked("mine"):
        pass
    descriptor = os.open(shelf.folder / ".mine.lock", os.O_RDWR)
    try:
        shelf.remove(repo)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(RepoFailed, match="another process works on mine"), shelf.locked("mine"):
            pass
    finally:
        os.close(descriptor)
