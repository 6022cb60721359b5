"""Sessions come into the person's branch, or nothing is changed; going back loses nothing."""

import os
from pathlib import Path

import pytest

from ouroboros.app.paws.sessions import Kept, MergeConflict, Sessions, WorkRefused, manifest_of
from ouroboros.core.errors import Misuse
from tests.unit.workspace.worktrees.repository import Repository

pytestmark = [pytest.mark.anyio, pytest.mark.real]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


@pytest.fixture
def home(fresh_home: Path) -> Path:
    """The person's home, where git looks for their own settings."""
    fresh_home.mkdir(parents=True)
    return fresh_home


async def worked(repo: Repository, **files: str) -> tuple[Sessions, Kept]:
    """A session with one checkpoint of these files."""
    sessions = await repo.sessions()
    session = await sessions.start(name="Mend it")
    repo.write(session.tree, **files)
    await sessions.checkpoint(session.id, "one")
    return sessions, session


@pytest.mark.deep
@pytest.mark.proves("N11", "N10")
async def test_a_merge_brings_the_commits_and_archives(repo: Repository) -> None:
    sessions, session = await worked(repo, new="n\n")
    repo.commit("meanwhile", other="o\n")
    before = repo.git("rev-parse", "HEAD")
    repo.git("config", "branch.main.mergeOptions", "--squash --no-commit --autostash")
    done = await sessions.merge(session.id)
    short = session.id[:8]
    assert (
        repo.git("log", "-1", "--format=%P") == f"{before} {repo.git('rev-parse', f'paws/{short}')}"
    )
    assert repo.git("log", "-1", "--format=%s") == f"Merge work session {short}: Mend it"
    assert {"kept", "new", "other"} <= {path.name for path in repo.folder.iterdir()}
    assert (manifest_of(done.session).status, session.tree.exists()) == ("archived", False)
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("fsck", "--unreachable") == ""
    assert repo.git("for-each-ref", "refs/paws") == ""


@pytest.mark.deep
@pytest.mark.proves("N11", "N13")
async def test_a_squash_is_one_commit_and_loses_none(repo: Repository) -> None:
    sessions, session = await worked(repo, new="n\n")
    repo.commit("by hand", session.tree, new="m\n")
    await sessions.checkpoint(session.id, "two")
    before = repo.git("rev-parse", "HEAD")
    done = await sessions.merge(session.id, squash=True)
    assert repo.git("log", "-1", "--format=%P%n%B") == f"{before}\nMend it\n\n* one\n* two"
    assert repo.git("show", f"{done.commit}:new") == "m"
    assert repo.lost() == []
    repo.git("branch", "-q", "-D", f"paws/{session.id[:8]}")
    assert repo.lost() == []


@pytest.mark.proves("N11", "divergences-merge-of-a-work-session")
async def test_a_conflict_changes_nothing_and_says_what_to_do(repo: Repository) -> None:
    sessions, session = await worked(repo, kept="theirs\n", new="n\n")
    repo.commit("mine", kept="mine\n")
    repo.write(dirty="d\n")
    before = repo.standing()
    objects = repo.git("count-objects", "-v")
    for squash in (False, True):
        with pytest.raises(MergeConflict, match="the same lines of kept; nothing") as caught:
            await sessions.merge(session.id, squash=squash)
        assert caught.value.paths == ("kept",)
        assert "git merge main" in caught.value.hint
    assert (repo.standing(), repo.git("count-objects", "-v")) == (before, objects)
    assert manifest_of(await sessions.find(session.id)).status == "active"
    repo.git("merge", "main", at=session.tree, check=False)
    repo.commit("solved", session.tree, kept="both\n")
    await sessions.merge(session.id)
    assert (repo.folder / "kept").read_text() == "both\n"
    assert (repo.folder / "dirty").read_text() == "d\n"


@pytest.mark.deep
@pytest.mark.proves("N11")
async def test_changes_of_the_persons_stop_a_merge_only_where_they_would_be_lost(
    repo: Repository,
) -> None:
    repo.commit("more", **dict.fromkeys(("dirty", "staged", "touched"), "1\n"))
    sessions, session = await worked(repo, touched="session\n", fresh="session\n")
    repo.write(dirty="mine\n", staged="mine\n")
    repo.git("add", "staged")
    for name in ("touched", "fresh"):
        repo.write(**{name: "mine\n"})
        before = repo.standing()
        with pytest.raises(WorkRefused, match=f"session changed too: {name}") as caught:
            await sessions.merge(session.id)
        assert "commit or stash them" in caught.value.hint
        assert repo.standing() == before
        assert repo.git("for-each-ref", "refs/paws") == ""
        if name == "touched":
            repo.git("checkout", "-q", "--", name)
        else:
            (repo.folder / name).unlink()
    await sessions.merge(session.id)
    assert repo.git("status", "--porcelain") == " M dirty\nM  staged"
    assert (repo.folder / "touched").read_text() == "session\n"


@pytest.mark.proves("N10", "N11")
@pytest.mark.deep
async def test_a_file_that_git_ignores_is_not_overwritten_by_a_merge(repo: Repository) -> None:
    sessions, session = await worked(repo, **{"secret.env": "session\n"})
    (repo.folder / ".git" / "info" / "exclude").write_text("/.paws/\nsecret.env\n")
    for inside in ("secret.env", "secret.env/deep"):
        path = repo.folder / inside
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine, in no commit\n")
        before = repo.standing()
        with pytest.raises(WorkRefused, match=r"session changed too: secret\.env") as caught:
            await sessions.merge(session.id)
        assert "move them away" in caught.value.hint
        assert (repo.standing(), path.read_text()) == (before, "mine, in no commit\n")
        path.unlink()
    path.parent.rmdir()
    await sessions.merge(session.id)
    assert (repo.folder / "secret.env").read_text() == "session\n"


@pytest.mark.proves("N11")
@pytest.mark.deep
async def test_a_merge_needs_a_branch_that_is_not_the_sessions(repo: Repository) -> None:
    sessions, session = await worked(repo, new="n\n")
    repo.git("switch", "-q", "--detach")
    with pytest.raises(WorkRefused, match="no branch is checked out"):
        await sessions.merge(session.id)
    with pytest.raises(WorkRefused, match="this is a session's"):
        await (await repo.sessions(session.tree)).merge(session.id)
    repo.git("switch", "-q", "main")
    repo.commit("theirs", other="1\n")
    repo.git("branch", "side", "HEAD~1")
    repo.git("merge", "--no-commit", "--no-ff", "side", check=False)
    repo.git("switch", "-q", "side", check=False)
    await sessions.merge(session.id)
    assert (repo.folder / "new").exists()


@pytest.mark.proves("N11")
@pytest.mark.deep
async def test_what_is_going_on_in_the_main_tree_is_left_alone(repo: Repository) -> None:
    sessions, session = await worked(repo, new="n\n")
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", kept="side\n")
    repo.git("switch", "-q", "main")
    repo.commit("main", kept="main\n")
    for what in ("merge", "rebase"):
        repo.git(what, "side", check=False)
        with pytest.raises(WorkRefused, match=r"going on|not solved"):
            await sessions.merge(session.id)
        repo.git(what, "--abort")


@pytest.mark.deep
async def test_work_in_no_checkpoint_is_not_merged_away(repo: Repository) -> None:
    sessions, session = await worked(repo, new="n\n")
    repo.write(session.tree, late="l\n")
    with pytest.raises(WorkRefused, match=r"1 file .* in no checkpoint: late"):
        await sessions.merge(session.id)
    await sessions.merge(session.id, keep=True)
    assert (repo.folder / "late").exists()


@pytest.mark.deep
async def test_a_session_without_work_is_not_merged(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    with pytest.raises(WorkRefused, match="nothing to merge"):
        await sessions.merge(session.id)
    assert session.tree.exists()


@pytest.mark.deep
@pytest.mark.proves("paws-a-persons-git-settings")
async def test_who_commits_must_be_known_for_a_merge_but_not_for_a_checkpoint(
    repo: Repository,
) -> None:
    repo.git("config", "--unset", "user.name")
    repo.git("config", "--unset", "user.email")
    sessions, session = await worked(repo, new="n\n")
    assert repo.git("log", "-1", "--format=%an <%ae>", f"paws/{session.id[:8]}") == (
        "Ouroboros <ouroboros@localhost>"
    )
    before = repo.standing()
    with pytest.raises(Misuse, match="does not know who") as caught:
        await sessions.merge(session.id)
    assert ("user.name" in caught.value.hint, repo.standing()) == (True, before)


@pytest.mark.proves("paws-a-persons-git-settings")
async def test_no_hook_and_no_program_of_the_repository_runs(
    repo: Repository, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    names = "post-checkout pre-commit commit-msg post-commit post-merge pre-merge-commit"
    for name in (*names.split(), "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {ran}\n")
        (hooks / name).chmod(0o755)
    repo.commit(
        "attributes",
        **{".gitattributes": "*.txt filter=own merge=own diff=own\n*.md filter=here\n"},
    )
    repo.git("config", "core.hooksPath", str(hooks))
    for key in ("filter.own.clean", "filter.own.smudge", "merge.own.driver", "core.fsmonitor"):
        repo.git("config", key, f"echo {key} >> {ran}")
    repo.git("config", "filter.own.required", "true")
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "filter.here.smudge", f"echo filter.here >> {ran}")
    sessions, session = await worked(repo, new="n\n", **{"a.txt": "1\n", "a.md": "2\n"})
    assert sessions.silenced == ("filter.here", "filter.own", "merge.own")
    await sessions.diff(session.id)
    await sessions.rewind(session.id, "one")
    await sessions.merge(session.id)
    assert not ran.exists()
    assert (repo.folder / "a.txt").read_text() == "1\n"
    assert (repo.folder / "a.md").read_text() == "2\n"


@pytest.mark.proves("paws-a-persons-git-settings")
@pytest.mark.deep
async def test_filters_of_the_persons_own_settings_run(repo: Repository, home: Path) -> None:
    (home / ".gitconfig").write_text('[filter "up"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n')
    repo.commit("attributes", **{".gitattributes": "*.txt filter=up\n", "a.txt": "abc\n"})
    sessions = await repo.sessions()
    session = await sessions.start()
    assert (session.tree / "a.txt").read_text() == "abc\n"
    repo.write(session.tree, **{"a.txt": "def\n"})
    _, made = await sessions.checkpoint(session.id, "one")
    assert repo.git("cat-file", "blob", f"{made.commit_sha}:a.txt") == "DEF"
    await sessions.merge(session.id)
    assert (repo.folder / "a.txt").read_text() == "def\n"
    assert repo.git("status", "--porcelain") == ""


@pytest.mark.proves("paws-a-persons-git-settings")
@pytest.mark.deep
async def test_merges_are_signed_as_the_person_wants_it(repo: Repository, home: Path) -> None:
    signer = home / "signer"
    signer.write_text(
        "#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n"
        "echo '-----BEGIN PGP SIGNATURE-----'\necho x\necho '-----END PGP SIGNATURE-----'\n"
    )
    signer.chmod(0o755)
    (home / ".gitconfig").write_text(f"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {signer}\n")
    sessions, session = await worked(repo, new="n\n")
    repo.git("config", "gpg.program", "/bin/false")
    done = await sessions.merge(session.id)
    assert "gpgsig" in repo.git("cat-file", "commit", done.commit)
    assert "gpgsig" not in repo.git("cat-file", "commit", f"paws/{session.id[:8]}")
    signer.write_text("#!/bin/sh\nexit 1\n")
    sessions, session = await worked(repo, more="n\n")
    before = repo.standing()
    with pytest.raises(WorkRefused, match="cannot be signed") as caught:
        await sessions.merge(session.id)
    assert ("--no-sign" in caught.value.hint, repo.standing()) == (True, before)
    assert (await sessions.merge(session.id, sign=False)).commit


@pytest.mark.proves("N12")
@pytest.mark.deep
async def test_a_session_of_a_submodule_and_of_one_with_submodules(
    repo: Repository, tmp_path: Path
) -> None:
    inner = Repository(tmp_path / "inner")
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "add", "-q", str(inner.folder), "sub")
    repo.git("commit", "-q", "-m", "sub")
    repo.git("-C", "sub", "config", "user.name", "P")
    repo.git("-C", "sub", "config", "user.email", "p@example.com")
    within = await Sessions.at(repo.folder / "sub", os.environ, repo.clock)
    assert within.root == repo.folder / "sub"
    await within.archive((await within.start()).id)
    sessions, session = await worked(repo, new="n\n")
    repo.git(*allow, "submodule", "update", "-q", "--init", at=session.tree)
    repo.git("config", "user.name", "P", at=session.tree / "sub")
    repo.git("config", "user.email", "p@example.com", at=session.tree / "sub")
    repo.commit("only here", session.tree / "sub", deep="1\n")
    await sessions.checkpoint(session.id, "two")
    with pytest.raises(WorkRefused, match=r"'sub' .* work that is nowhere else"):
        await sessions.merge(session.id)
    repo.git("push", "-q", "origin", "HEAD:refs/heads/kept", at=session.tree / "sub")
    repo.write(session.tree / "sub", loose="l\n")
    with pytest.raises(WorkRefused, match=r"'sub' .* work that is nowhere else"):
        await sessions.merge(session.id, keep=True)
    (session.tree / "sub/loose").unlink()
    await sessions.merge(session.id)
    assert not session.tree.exists()
    assert repo.git("rev-parse", "HEAD:sub") == inner.git("rev-parse", "kept")


@pytest.mark.deep
async def test_sessions_of_another_work_tree_of_the_persons(
    repo: Repository, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    repo.git("worktree", "add", "-q", "-b", "side", str(other))
    sessions = await repo.sessions(other)
    session = await sessions.start()
    assert session.tree.is_relative_to(repo.folder / ".paws")
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    done = await sessions.merge(session.id)
    assert (done.branch, (other / "new").exists()) == ("side", True)
    assert not (repo.folder / "new").exists()
    assert repo.git("rev-parse", "side") == done.commit


@pytest.mark.proves("N10", "N13", "divergences-rewind-of-a-work-session")
async def test_going_back_prunes_the_record_and_loses_nothing(repo: Repository) -> None:
    sessions, session = await worked(repo, new="1\n")
    await sessions.log(session.id, [("human_prompt", "before")])
    _, middle = await sessions.checkpoint(session.id, "middle")
    await sessions.log(session.id, [("tool_call", "after")])
    repo.write(session.tree, new="2\n", more="m\n")
    _, late = await sessions.checkpoint(session.id, "late")
    repo.write(session.tree, new="3\n", loose="l\n", **{"x.log": "x"})
    done = await sessions.rewind(session.id, "middle")
    record = manifest_of(await sessions.find(session.id))
    assert (list(record.checkpoints), record.turn_count) == (["one", "middle"], 2)
    assert [each.content for each in record.agent_log] == ["before"]
    tree = repo.git("rev-parse", f"{middle.commit_sha}^{{tree}}")
    repo.git("add", "-A", at=session.tree)
    assert repo.git("write-tree", at=session.tree) == tree
    assert repo.git("show", f"{done.kept}:loose") == "l"
    assert done.pruned == ("late",)
    assert repo.git("show", f"paws-checkpoint-{session.id[:8]}-late:more") == "m"
    repo.write(session.tree, new="4\n")
    _, again = await sessions.checkpoint(session.id, "late")
    assert again.turn_number == 3
    assert repo.git("rev-parse", f"paws-checkpoint-{session.id[:8]}-late") == again.commit_sha
    kept = repo.git("for-each-ref", "--format=%(objectname)", "refs/paws").split()
    assert late.commit_sha in kept
    assert repo.lost() == []
    await sessions.rewind(session.id, "")
    assert {path.name for path in session.tree.iterdir()} == {".git", "kept"}
    assert repo.lost() == []


@pytest.mark.proves("N10")
@pytest.mark.deep
async def test_going_back_to_where_one_is_keeps_nothing_new(repo: Repository) -> None:
    sessions, session = await worked(repo, new="1\n")
    done = await sessions.rewind(session.id, "one")
    assert (done.kept, done.pruned, repo.git("for-each-ref", "refs/paws")) == ("", (), "")


@pytest.mark.proves("N10")
@pytest.mark.deep
async def test_what_git_ignores_stays_when_a_session_goes_back(repo: Repository) -> None:
    repo.commit("ignore", **{".gitignore": "*.log\n"})
    sessions, session = await worked(repo, new="1\n")
    repo.write(session.tree, new="2\n", **{"x.log": "built"})
    await sessions.rewind(session.id, "one")
    assert (session.tree / "x.log").read_text() == "built"
