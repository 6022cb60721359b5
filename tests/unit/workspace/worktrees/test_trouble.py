"""Sessions on a full disk, without rights, broken off, cleaned away, and in odd repositories."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ouroboros.app.paws.sessions import Sessions, WorkBusy, WorkRefused, manifest_of
from ouroboros.core.errors import OuroborosError
from ouroboros.workspace.worktrees.faults import NoRepository
from ouroboros.workspace.worktrees.records.shelf import held
from tests import forked
from tests.small_disk import fill, mounted
from tests.unit.workspace.worktrees.repository import Repository

pytestmark = [pytest.mark.anyio, pytest.mark.real]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


@pytest.mark.deep
@pytest.mark.proves("paws-sessions-in-trouble")
async def test_git_clean_takes_no_session_away(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start(name="mine")
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    repo.git("clean", "-fdxq")
    assert not (session.folder / "session.json").exists()
    (found,) = await (await repo.sessions()).all()
    assert (found.work.label, list(manifest_of(found).checkpoints)) == ("mine", ["one"])
    await sessions.pause("mine")
    assert (session.folder / "session.json").exists()
    await sessions.archive("mine")
    repo.git("clean", "-fdxq")
    assert not (repo.folder / ".paws").exists()
    (found,) = await (await repo.sessions()).all()
    assert manifest_of(found).status == "archived"
    assert ((await sessions.resume("mine")).tree / "new").exists()


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_a_full_disk_leaves_nothing_of_a_start(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", mebibytes=8) as disk:
        repo = Repository(disk / "work")
        repo.commit("large", large="x" * 3_000_000)
        before = repo.standing()
        fill(disk / "filler")
        with pytest.raises(WorkRefused) as caught:
            await repo.started()
        assert "room" in caught.value.hint
        assert not list((disk / "work/.paws/sessions").glob("*-*"))
        (disk / "filler").unlink()
        assert await (await repo.sessions()).all() == []
        assert repo.standing() == before
        assert repo.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
        assert len(repo.git("worktree", "list").splitlines()) == 1
        session = await repo.started()
        repo.write(session.tree, new="n\n")
        fill(disk / "filler")
        with pytest.raises(WorkRefused):
            await (await repo.sessions()).checkpoint(session.id, "one")
        (disk / "filler").unlink()
        await (await repo.sessions()).checkpoint(session.id, "one")
        await (await repo.sessions()).merge(session.id)
        assert (repo.folder / "new").read_text() == "n\n"


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_session_is_started_leaves_nothing(
    repo: Repository, tmp_path: Path, number: signal.Signals
) -> None:
    before = repo.standing()
    waiting = tmp_path / "waiting"
    shim = tmp_path / "bin/git"
    shim.parent.mkdir()
    real = shutil.which("git")
    shim.write_text(
        f'#!/bin/sh\ncase "$*" in *"worktree add"*) {real} "$@"; touch {waiting}; sleep 60 ;; esac\n'
        f'exec {real} "$@"\n'
    )
    shim.chmod(0o755)
    process = forked.Popen(
        [sys.executable, "-m", "ouroboros", "paws", "session", "start"],
        cwd=repo.folder,
        env={**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not waiting.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    listed = forked.run(
        [sys.executable, "-m", "ouroboros", "paws", "session", "list", "--all"],
        cwd=repo.folder,
        env=os.environ,
        capture_output=True,
        check=True,
    )
    assert listed.stdout == b""
    assert repo.standing() == before
    assert repo.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert len(repo.git("worktree", "list").splitlines()) == 1
    assert not [path for path in repo.folder.glob(".paws/sessions/*") if path.name != ".lock"]


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_a_repository_with_long_hashes(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    repo = Repository(folder)
    shutil.rmtree(folder / ".git")
    repo.git("init", "-q", "-b", "main", "--object-format=sha256")
    repo.git("config", "user.name", "P")
    repo.git("config", "user.email", "p@example.com")
    repo.commit("begin", kept="one\n")
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="n\n")
    _, made = await sessions.checkpoint(session.id, "one")
    assert len(made.commit_sha) == 64
    await sessions.rewind(session.id, "")
    await sessions.rewind(session.id, "")
    repo.write(session.tree, new="m\n")
    await sessions.checkpoint(session.id, "one")
    await sessions.merge(session.id, squash=True)
    assert (repo.folder / "new").read_text() == "m\n"
    assert repo.lost() == []


async def test_one_who_works_on_the_sessions_is_waited_for_and_then_named(
    repo: Repository,
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    lock = session.folder / ".lock"
    async with held(lock, wait=0.0):
        with pytest.raises(WorkBusy, match="another process works in"):
            async with held(lock, wait=0.05):
                pass
        assert [each.id for each in await sessions.all()] == [session.id]


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_a_lock_that_a_killed_git_left_is_told_with_its_name(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    lock = repo.folder / ".git/index.lock"
    lock.touch()
    before = repo.git("rev-parse", "HEAD")
    with pytest.raises(WorkRefused, match=r"index\.lock") as caught:
        await sessions.merge(session.id)
    assert "remove that file" in caught.value.hint
    assert repo.git("rev-parse", "HEAD") == before
    lock.unlink()
    await sessions.merge(session.id)
    assert (repo.folder / "new").exists()


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_a_partial_clone_reaches_no_network(repo: Repository, tmp_path: Path) -> None:
    repo.commit("more", kept="two\n")
    repo.git("config", "uploadpack.allowFilter", "true")
    words = ("-c", "protocol.file.allow=always", "clone", "-q", "--filter=blob:none")
    repo.git(*words, f"file://{repo.folder}", str(tmp_path / "partial"))
    sessions = await Sessions.at(tmp_path / "partial", os.environ)
    with pytest.raises(WorkRefused, match="promisor") as caught:
        await sessions.start(base="HEAD~1")
    assert "this clone is partial" in caught.value.hint
    assert await sessions.all() == []
    assert ((await sessions.start()).tree / "kept").read_text() == "two\n"


async def test_branches_in_the_way_are_named(repo: Repository) -> None:
    repo.git("branch", "paws")
    with pytest.raises(WorkRefused, match="a branch 'paws' already") as caught:
        await repo.started()
    assert "--detach" in caught.value.hint
    assert await (await repo.sessions()).all() == []
    assert (await repo.started(detach=True)).tree.is_dir()


@pytest.mark.deep
async def test_a_branch_that_was_deleted_is_told_with_how_to_make_it_again(
    repo: Repository,
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    await sessions.archive(session.id)
    branch = f"paws/{session.id[:8]}"
    repo.git("branch", "-q", "-D", branch)
    with pytest.raises(WorkRefused, match=f"branch '{branch}' .* is gone") as caught:
        await sessions.resume(session.id)
    made = caught.value.hint.partition(": ")[2].removeprefix("git ").split()
    repo.git(*made)
    assert ((await sessions.resume(session.id)).tree / "new").exists()


@pytest.mark.proves("N06", "N16")
@pytest.mark.deep
async def test_files_that_cannot_be_laid_out_again_leave_the_session_as_it_was(
    repo: Repository,
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    await sessions.archive(session.id)
    repo.git("switch", "-q", session.work.branch)
    with pytest.raises(WorkRefused, match="already") as caught:
        await sessions.resume(session.id)
    assert "git switch" in caught.value.hint
    repo.git("switch", "-q", "main")
    after = await repo.sessions()
    (found,) = await after.all()
    assert (after.mended, found.work.step) == ([], None)
    assert (manifest_of(found).status, found.tree.exists()) == ("archived", False)
    await after.resume(session.id)
    assert (found.tree / "kept").exists()


@pytest.mark.proves("N06", "N16")
@pytest.mark.deep
async def test_work_trees_of_a_bare_repository_have_sessions_of_their_own(
    repo: Repository, tmp_path: Path
) -> None:
    bare, one, other = tmp_path / "bare", tmp_path / "one", tmp_path / "other"
    repo.git("clone", "-q", "--bare", str(repo.folder), str(bare))
    for name in (one, other):
        repo.git("worktree", "add", "-q", "-b", name.name, str(name), at=bare)
    first = await repo.sessions(one)
    session = await first.start(name="mine")
    second = await repo.sessions(other)
    theirs = await second.start()
    assert [each.id for each in await second.all()] == [theirs.id]
    inside = await repo.sessions(session.tree)
    assert (inside.root, inside.here()) == (one, session.id)
    repo.write(session.tree, new="n\n")
    await inside.checkpoint("", "kept")
    shutil.rmtree(one / ".paws/sessions")
    again = await repo.sessions(one)
    await again.resume("mine")
    assert (session.tree / "new").read_text() == "n\n"


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_an_old_git_is_told_of(repo: Repository, tmp_path: Path) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    shim = tmp_path / "bin/git"
    shim.parent.mkdir()
    shim.write_text(
        '#!/bin/sh\ncase "$*" in *merge-tree*) echo "usage: git merge-tree" >&2; exit 129 ;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    shim.chmod(0o755)
    environment = {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}"}
    before = repo.standing()
    with pytest.raises(NoRepository, match="too old") as caught:
        await (await Sessions.at(repo.folder, environment)).merge(session.id)
    assert ("2.38" in caught.value.hint, repo.standing()) == (True, before)


@pytest.mark.deep
@pytest.mark.proves("N07", "O16")
async def test_whatever_a_record_holds_only_words_come_out(repo: Repository) -> None:
    session = await repo.started()
    whole = (session.folder / "session.json").read_bytes()
    for content in (b"", b"[]", b"null", b"\xff\xfe", whole[:50], whole.replace(b"{", b"[")):
        (session.folder / "session.json").write_bytes(content)
        sessions = await repo.sessions()
        assert await sessions.all() == []
        assert len(sessions.warnings) == 1
        with pytest.raises(OuroborosError):
            await sessions.archive(session.id)
    (session.folder / "session.json").write_bytes(whole)
    (session.folder / "work.json").write_bytes(b"{}")
    with pytest.raises(OuroborosError):
        await (await repo.sessions()).find(session.id)
