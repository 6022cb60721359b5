"""What a person would miss: files that git ignores, commits of a tree that is gone, files outside of a sparse one."""

from pathlib import Path

import pytest

from ouroboros.app.paws.sessions import WorkRefused, WorkUnknown
from tests.unit.workspace.worktrees.repository import Repository

pytestmark = [pytest.mark.anyio, pytest.mark.real]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


@pytest.mark.proves("N10", "N11")
async def test_going_back_keeps_ignored_files_that_it_writes_over(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    (session.tree / "folder").mkdir()
    repo.write(session.tree, **{"settings": "1\n", "name": "1\n", "folder/a [b]": "1\n"})
    await sessions.checkpoint(session.id, "one")
    repo.git("rm", "-q", "-r", "--cached", "settings", "name", "folder", at=session.tree)
    repo.write(session.tree, **{".gitignore": "settings\nname\nfolder\nother\n"})
    (session.tree / "name").unlink()
    (session.tree / "name").mkdir()
    (session.tree / "folder" / "a [b]").unlink()
    (session.tree / "folder").rmdir()
    mine = {"settings": "mine\n", "name/deep": "mine\n", "folder": "mine\n", "other": "mine\n"}
    repo.write(session.tree, **mine)
    await sessions.checkpoint(session.id, "two")
    done = await sessions.rewind(session.id, "one")
    assert (session.tree / "folder" / "a [b]").read_text() == "1\n"
    assert (session.tree / "settings").read_text() == "1\n"
    assert (session.tree / "other").read_text() == "mine\n"
    kept = [repo.git("show", f"{done.kept}:{name}") for name in list(mine)[:3]]
    assert kept == ["mine"] * 3
    again = await sessions.rewind(session.id, "one")
    assert (repo.git("show", f"{again.kept}:other"), repo.lost()) == ("mine", [])


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_commits_of_a_tree_that_was_deleted_by_hand_stay_reachable(repo: Repository) -> None:
    sessions = await repo.sessions()
    for act in (sessions.archive, sessions.resume):
        for detach in (True, False):
            session = await sessions.start(detach=detach)
            repo.commit("made", session.tree, new="n\n")
            made = repo.commit("amended away", session.tree, new="m\n")
            repo.git("reset", "-q", "--hard", "HEAD~1", at=session.tree)
            (session.tree / ".git").unlink()
            session.tree.rename(repo.folder.parent / f"gone-{session.id}")
            await act(session.id)
            assert repo.lost() == []
            assert made in repo.git("rev-list", "--all")
    assert repo.git("fsck") == ""


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_a_branch_that_was_deleted_under_a_tree_is_told_and_can_be_made_again(
    repo: Repository,
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    made = repo.commit("made", session.tree, new="n\n")
    branch = f"paws/{session.id[:8]}"
    repo.git("update-ref", "-d", f"refs/heads/{branch}")
    repo.write(session.tree, new="m\n")
    for act in (
        sessions.checkpoint(session.id, "one"),
        sessions.rewind(session.id, ""),
        sessions.merge(session.id, keep=True),
        sessions.archive(session.id),
    ):
        with pytest.raises(WorkRefused, match=f"branch '{branch}' of session .* is gone") as caught:
            await act
        assert caught.value.hint == f"make it again: git branch {branch} {made}"
    repo.git("branch", branch, made)
    await sessions.merge(session.id, keep=True)
    assert ((repo.folder / "new").read_text(), repo.lost()) == ("m\n", [])


@pytest.mark.deep
@pytest.mark.proves("N06")
async def test_a_name_is_not_taken_for_the_beginning_of_another_id(repo: Repository) -> None:
    sessions = await repo.sessions()
    other = await sessions.start()
    named = await sessions.start(name=other.id[:1])
    if named.id[0] != other.id[0]:
        with pytest.raises(WorkUnknown, match="may be several sessions"):
            await sessions.find(other.id[:1])
    assert (await sessions.find(other.id[:8])).id == other.id
    same = await sessions.start(name=named.id)
    assert (await sessions.find(named.id)).id == named.id
    assert (await sessions.find(same.id)).id == same.id


@pytest.mark.proves("N06")
@pytest.mark.deep
async def test_files_outside_of_a_sparse_tree_are_kept(repo: Repository) -> None:
    for folder in ("inside", "outside"):
        (repo.folder / folder).mkdir()
    repo.commit("more", **{"inside/a": "1\n", "outside/b": "1\n"})
    repo.git("sparse-checkout", "set", "--cone", "inside")
    sessions = await repo.sessions()
    session = await sessions.start()
    assert not (session.tree / "outside").exists()
    (session.tree / "outside").mkdir()
    repo.write(session.tree, **{"outside/new": "2\n"})
    assert b"outside/new" in await sessions.diff(session.id)
    _, made = await sessions.checkpoint(session.id, "one")
    names = repo.git("ls-tree", "-r", "--name-only", made.commit_sha).split()
    assert names == ["inside/a", "kept", "outside/b", "outside/new"]
    await sessions.merge(session.id)
    assert repo.git("show", "HEAD:outside/new") == "2"


def added_whole(repo: Repository, tree: Path) -> Repository:
    """A repository that a commit of the session names, though ``.gitmodules`` does not."""
    inner = Repository(tree / "inner")
    repo.git("add", "inner", at=tree)
    repo.git("commit", "-q", "-m", "added whole", at=tree)
    return inner


@pytest.mark.proves("N12", "N13")
@pytest.mark.deep
async def test_a_repository_that_was_added_whole_is_not_removed_with_its_commits(
    repo: Repository, tmp_path: Path
) -> None:
    """It is no submodule of ``.gitmodules``, and programs that its own settings name do not run."""
    sessions = await repo.sessions()
    session = await sessions.start()
    inner = added_whole(repo, session.tree)
    inner.git("config", "filter.x.clean", f"touch {tmp_path}/ran; cat")
    inner.write(**{".gitattributes": "* filter=x\n", "kept": "two\n"})
    assert await sessions.diff(session.id)
    for act in (
        sessions.archive(session.id),
        sessions.archive(session.id, keep=True),
        sessions.merge(session.id, keep=True),
    ):
        with pytest.raises(WorkRefused, match=r"'inner' of session .* has work that is nowhere"):
            await act
    _, made = await sessions.checkpoint(session.id, "one")
    assert made.commit_sha == repo.git("rev-parse", "HEAD", at=session.tree)
    assert not (tmp_path / "ran").exists()
    outside = tmp_path / "outside"
    inner.git("clone", "-q", "--bare", ".", str(outside))
    inner.git("remote", "add", "origin", str(outside))
    inner.git("fetch", "-q", "origin")
    inner.git("checkout", "-q", "--", ".")
    (inner.folder / ".gitattributes").unlink()
    inner.git("stash", "store", inner.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "x"))
    with pytest.raises(WorkRefused, match="nowhere"):
        await sessions.archive(session.id)
    inner.git("update-ref", "-d", "refs/stash")
    await sessions.archive(session.id)
    assert not session.tree.exists()


@pytest.mark.deep
@pytest.mark.proves("N10", "N12")
async def test_no_repository_that_git_ignores_goes_with_commits_of_its_own(
    repo: Repository,
) -> None:
    repo.commit("ignore", **{".gitignore": "out/\n"})
    sessions = await repo.sessions()
    session = await sessions.start()
    inner = Repository(session.tree / "out" / "deep" / "inner")
    acts = (sessions.archive, sessions.merge)
    for act in acts:
        with pytest.raises(WorkRefused, match=r"'out/deep/inner' of session .* is nowhere else"):
            await act(session.id, keep=True)
    with pytest.raises(WorkRefused, match=r"is nowhere else") as caught:
        await sessions.delete(session.id, force=True)
    assert "move it out of the work tree" in caught.value.hint
    (inner.folder / ".git" / "HEAD").rename(inner.folder / ".git" / "away")
    with pytest.raises(WorkRefused, match="a repository that git cannot read"):
        await sessions.archive(session.id)
    inner.folder.rename(repo.folder.parent / "inner")
    await sessions.archive(session.id)


@pytest.mark.proves("N10", "N12")
@pytest.mark.deep
async def test_a_submodule_whose_branch_has_no_commit_yet_is_not_removed_with_its_others(
    repo: Repository,
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    inner = added_whole(repo, session.tree)
    inner.git("symbolic-ref", "HEAD", "refs/heads/other")
    inner.git("rm", "-q", "--cached", "-r", ".")
    (inner.folder / "kept").unlink()
    assert inner.git("status", "--porcelain") == ""
    with pytest.raises(WorkRefused, match=r"'inner' of session .* is nowhere else"):
        await sessions.archive(session.id, keep=True)
    assert inner.git("log", "--format=%s", "main") == "begin"


@pytest.mark.proves("N10", "N12")
@pytest.mark.deep
async def test_no_repository_that_git_ignores_is_written_over_by_going_back(
    repo: Repository,
) -> None:
    """Where it stands itself, and a folder that holds it."""
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, out="1\n")
    await sessions.checkpoint(session.id, "one")
    (session.tree / "out").unlink()
    repo.write(session.tree, **{".gitignore": "out/\n"})
    await sessions.checkpoint(session.id, "two")
    for name in ("out", "out/deep"):
        inner = Repository(session.tree / name)
        with pytest.raises(WorkRefused, match=f"'{name}' is a repository of its own") as caught:
            await sessions.rewind(session.id, "one")
        assert "then go back again" in caught.value.hint
        assert inner.git("log", "--format=%s") == "begin"
        inner.folder.rename(repo.folder.parent / name.replace("/", "-"))
    (session.tree / "out").rmdir()
    await sessions.rewind(session.id, "one")
    assert (session.tree / "out").read_text() == "1\n"


@pytest.mark.proves("N10", "N12")
@pytest.mark.deep
async def test_no_file_of_a_repository_that_git_ignores_is_written_over_by_going_back(
    repo: Repository,
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    (session.tree / "out").mkdir()
    repo.write(session.tree, **{"out/kept": "1\n"})
    await sessions.checkpoint(session.id, "one")
    repo.git("rm", "-q", "-r", "out", at=session.tree)
    repo.write(session.tree, **{".gitignore": "out/\n"})
    await sessions.checkpoint(session.id, "two")
    inner = Repository(session.tree / "out")
    inner.write(kept="in no commit\n")
    with pytest.raises(WorkRefused, match="'out' is a repository of its own"):
        await sessions.rewind(session.id, "one")
    assert (inner.folder / "kept").read_text() == "in no commit\n"
