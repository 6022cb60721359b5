"""Sessions that are deleted: what is theirs goes, and no commit is lost."""

import json
from pathlib import Path

import pytest

from ouroboros.app.paws.sessions import Kept, Sessions, WorkBusy, WorkRefused, WorkUnknown
from tests.unit.workspace.worktrees.repository import Repository

pytestmark = [pytest.mark.anyio, pytest.mark.real]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


async def with_work(repo: Repository) -> tuple[Sessions, Kept, str]:
    """A session with one checkpoint, and its commit."""
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="kept\n")
    _, made = await sessions.checkpoint(session.id, "one")
    return sessions, session, made.commit_sha


def refs(repo: Repository) -> list[str]:
    return repo.git("for-each-ref", "--format=%(refname)").splitlines()


@pytest.mark.deep
@pytest.mark.proves("N12", "N13")
async def test_of_an_archived_session_only_a_ref_stays_that_keeps_its_commits(
    repo: Repository,
) -> None:
    before = repo.standing()
    sessions, session, commit = await with_work(repo)
    await sessions.archive(session.id)
    done = await sessions.delete(session.id)
    assert done.kept == (f"refs/paws/{session.id[:8]}/kept/1",)
    assert repo.git("rev-parse", done.kept[0]) == commit
    assert refs(repo) == ["refs/heads/main", *done.kept]
    assert (repo.lost(), repo.standing()) == ([], before)
    assert await sessions.all() == []
    assert not session.folder.exists()
    with pytest.raises(WorkUnknown):
        await sessions.delete(session.id)


@pytest.mark.proves("N12", "N13")
async def test_one_with_work_that_is_nowhere_else_is_refused_unless_forced(
    repo: Repository,
) -> None:
    sessions, session, commit = await with_work(repo)
    repo.write(session.tree, more="in no checkpoint\n")
    with pytest.raises(WorkRefused, match=r"1 commit of session .* in no other branch"):
        await sessions.delete(session.id)
    assert (session.tree / "more").exists()
    done = await sessions.delete(session.id, force=True)
    assert repo.git("show", f"{done.kept[0]}:more") == "in no checkpoint"
    assert repo.git("merge-base", "--is-ancestor", commit, done.kept[0]) == ""
    assert (len(done.kept), repo.lost()) == (1, [])
    assert not session.tree.exists()


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_of_what_is_in_another_branch_no_ref_stays(repo: Repository) -> None:
    sessions, session, commit = await with_work(repo)
    repo.git("branch", "mine", commit)
    assert (await sessions.delete(session.id)).kept == ()
    unused = await sessions.start()
    assert (await sessions.delete(unused.id)).kept == ()
    assert refs(repo) == ["refs/heads/main", "refs/heads/mine"]


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_work_in_no_commit_is_not_deleted_unforced(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="n\n")
    with pytest.raises(WorkRefused, match="in no checkpoint: new"):
        await sessions.delete(session.id)
    assert (session.tree / "new").exists()


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_a_branch_that_is_checked_out_elsewhere_and_an_agent_at_work_stop_it(
    repo: Repository,
) -> None:
    sessions, session, _ = await with_work(repo)
    async with sessions.working(session):
        with pytest.raises(WorkBusy, match="an agent is at work"):
            await sessions.delete(session.id, force=True)
    await sessions.archive(session.id)
    repo.git("switch", "-q", session.work.branch)
    before = refs(repo)
    with pytest.raises(WorkRefused, match="is checked out in"):
        await sessions.delete(session.id, force=True)
    assert refs(repo) == before
    repo.git("switch", "-q", "main")
    assert (await sessions.delete(session.id)).kept


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_a_record_that_names_another_branch_is_not_believed(repo: Repository) -> None:
    sessions, session, commit = await with_work(repo)
    repo.git("branch", "mine", commit)
    for path in (session.folder, repo.folder / ".git/paws/sessions" / session.id):
        for record in path.glob("work.json"):
            work = json.loads(record.read_bytes())
            record.write_text(json.dumps({**work, "branch": "mine"}))
    await sessions.delete(session.id)
    assert refs(repo) == ["refs/heads/main", "refs/heads/mine"]


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_one_whose_deletion_was_cut_off_is_deleted_again(repo: Repository) -> None:
    sessions, session, _ = await with_work(repo)
    await sessions.archive(session.id)
    left = session.folder.with_name(f".{session.id}.gone")
    left.mkdir()
    first = await sessions.delete(session.id)
    assert not left.exists()
    session = await sessions.start()
    await sessions.archive(session.id)
    repo.git("branch", "-D", session.work.branch)
    assert (await sessions.delete(session.id)).kept == ()
    assert refs(repo) == ["refs/heads/main", *first.kept]


@pytest.mark.proves("M21", "M23")
@pytest.mark.deep
async def test_files_in_no_checkpoint_are_kept_by_the_option_that_the_hint_names(
    repo: Repository,
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="in no checkpoint\n")
    for act, option in ((sessions.delete, "--force"), (sessions.archive, "--keep")):
        with pytest.raises(WorkRefused, match="1 file in the work tree") as caught:
            await act(session.id)
        assert caught.value.hint.startswith(f"keep them: {option}, or `paws session checkpoint ")
    done = await sessions.delete(session.id, force=True)
    assert repo.git("show", f"{done.kept[0]}:new") == "in no checkpoint"
