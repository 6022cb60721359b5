"""Sessions in work trees: started, listed, kept, paused, put away and taken up again."""

import json
import os
from pathlib import Path

import anyio
import jsonschema
import msgspec
import pytest

from ouroboros.app.paws.sessions import (
    Manifest,
    Sessions,
    WorkRefused,
    WorkUnknown,
    manifest_of,
    told,
)
from ouroboros.core.errors import Misuse
from ouroboros.workspace.worktrees.faults import NoRepository
from tests.unit.workspace.worktrees.repository import Repository

pytestmark = [pytest.mark.anyio, pytest.mark.real]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work")


@pytest.mark.deep
@pytest.mark.proves("N06", "CF15")
async def test_a_session_has_a_tree_a_branch_and_a_record(repo: Repository) -> None:
    base = repo.git("rev-parse", "HEAD")
    session = await repo.started("Mend it")
    record = json.loads((session.folder / "session.json").read_bytes())
    assert record == {
        "version": "1.0",
        "sessionId": session.folder.name,
        "startTime": "2023-11-14T22:13:21.000Z",
        "status": "active",
        "baseCommit": base,
        "worktreePath": f".paws/sessions/{session.folder.name}/worktree",
        "turnCount": 0,
        "checkpoints": {},
        "agentLog": [],
    }
    short = session.id[:8]
    assert (session.tree / "kept").read_text() == "one\n"
    assert repo.git("symbolic-ref", "--short", "HEAD", at=session.tree) == f"paws/{short}"
    listed = repo.git("worktree", "list", "--porcelain")
    assert f"worktree {session.tree}\nHEAD {base}\nbranch refs/heads/paws/{short}" in listed


@pytest.mark.deep
@pytest.mark.proves("N07", "O16")
async def test_a_record_with_everything_fits_the_schema_of_the_reference(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    for name in ("cats.md", "dogs.md", "log.jsonl"):
        repo.write(session.folder, **{name: ""})
    repo.write(session.tree, new="x")
    folder = session.folder
    await sessions.log(session.id, [("human_prompt", "do it"), ("tool_call", "write new")])
    await sessions.checkpoint(
        session.id,
        "first",
        cats=folder / "cats.md",
        dogs=folder / "dogs.md",
        log=folder / "log.jsonl",
    )
    record = json.loads((folder / "session.json").read_bytes())
    page = (Path(__file__).parents[4] / "docs/reference/work-sessions.md").read_text("utf-8")
    schema = json.loads(page.partition("```json\n")[2].partition("\n```")[0])
    jsonschema.validate(record, schema)
    assert set(record["checkpoints"]["first"]) == {
        *("timestamp", "commitSha", "turnNumber"),
        *("catsArtifactPath", "dogsArtifactPath", "agentLogPath"),
    }
    inside = f".paws/sessions/{session.id}"
    assert record["checkpoints"]["first"]["dogsArtifactPath"] == f"{inside}/dogs.md"
    assert [each["type"] for each in record["agentLog"]] == ["human_prompt", "tool_call"]
    for key in ("sessionId", "status", "checkpoints"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**record, key: "wrong"}, schema)


@pytest.mark.deep
@pytest.mark.proves("N14")
async def test_what_is_the_persons_stays_as_it_was(repo: Repository) -> None:
    repo.commit("ignore", **{".gitignore": "*.log\n"})
    repo.write(kept="stashed\n")
    repo.git("stash", "push", "-q")
    repo.write(kept="changed\n", staged="s\n", untracked="u\n", **{"x.log": "ignored\n"})
    repo.git("add", "staged")
    index = (repo.folder / ".git/index").read_bytes()
    before = repo.standing()
    sessions = await repo.sessions()
    session = await sessions.start()
    assert not (session.tree / "untracked").exists()
    repo.write(session.tree, kept="mine\n", new="n\n")
    await sessions.checkpoint(session.id, "one")
    repo.write(session.tree, kept="more\n")
    await sessions.diff(session.id)
    await sessions.rewind(session.id, "one")
    await sessions.archive(session.id)
    assert repo.standing() == before
    assert (repo.folder / ".git/index").read_bytes() == index
    assert ".paws" not in repo.git("status", "--porcelain", "--ignored=no", "-uall")
    assert (repo.folder / ".gitignore").read_text() == "*.log\n"


@pytest.mark.proves("N14")
async def test_the_list_of_what_git_does_not_see_grows_once(repo: Repository) -> None:
    exclude = repo.folder / ".git/info/exclude"
    exclude.write_text("*.mine")
    await repo.started()
    await repo.started()
    assert exclude.read_text() == "*.mine\n/.paws/\n"


@pytest.mark.proves("N06", "CF15")
async def test_a_session_starts_from_what_is_named(repo: Repository) -> None:
    repo.git("branch", "old")
    repo.commit("more", kept="two\n")
    session = await repo.started(base="old")
    assert (session.tree / "kept").read_text() == "one\n"
    assert manifest_of(session).base_commit == repo.git("rev-parse", "old")
    for name in ("nowhere", "--upload-pack=x", "-b", "HEAD:kept", "a b", "x" * 5000):
        with pytest.raises(WorkUnknown, match="names no commit"):
            await repo.started(base=name)
    assert [each.id for each in await (await repo.sessions()).all()] == [session.id]


@pytest.mark.proves("N06", "CF15")
@pytest.mark.deep
async def test_a_detached_session_has_no_branch_and_loses_nothing(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start(detach=True)
    assert repo.git("branch", "--list", "paws/*") == ""
    repo.write(session.tree, new="1\n")
    await sessions.checkpoint(session.id, "one")
    by_hand = repo.commit("by hand", session.tree, new="2\n")
    done = await sessions.archive(session.id)
    assert [repo.git("rev-parse", ref) for ref in done.kept] == [by_hand]
    assert repo.lost() == []
    again = await sessions.resume(session.id)
    assert (again.tree / "new").read_text() == "1\n"


@pytest.mark.deep
async def test_a_name_that_cannot_be_seen_is_refused(repo: Repository) -> None:
    session = await repo.started("good")
    for name in ("a\nb", "\x1b[31m", "x" * 101, "\u202e"):
        with pytest.raises(Misuse):
            await repo.started(name)
        with pytest.raises(Misuse):
            await (await repo.sessions()).checkpoint(session.id, name)
    assert len(await (await repo.sessions()).all()) == 1


def moved(place: Path, to: Path) -> None:
    place.rename(to)


ODD = [
    "a b",
    "../../x",
    "-x",
    "a..b",
    "x.lock",
    "ä ö",
    "~^:?*[\\",
    "@{",
    ".",
    "…",
    "名前",
    "A'\"$(id)",
]


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_checkpoints_may_have_any_name_that_can_be_seen(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    made = None
    for number, name in enumerate(ODD, 1):
        repo.write(session.tree, new=f"{number}\n")
        _, made = await sessions.checkpoint(session.id, name)
        assert made.turn_number == number
    assert made is not None
    record = manifest_of(await sessions.find(session.id)).checkpoints
    assert list(record) == ODD
    tags = repo.git("for-each-ref", "--format=%(objectname)", "refs/tags").split()
    assert sorted(tags) == sorted(each.commit_sha for each in record.values())
    assert repo.git("log", "-1", "--format=%s%n%an", made.commit_sha) == (
        f"PAWS Turn {len(ODD)}: {ODD[-1]}\nPerson"
    )
    with pytest.raises(WorkRefused, match="has a checkpoint"):
        await sessions.checkpoint(session.id, "A B")


@pytest.mark.deep
async def test_sessions_are_found_by_the_beginning_of_an_id_or_by_name(repo: Repository) -> None:
    first, second = await repo.started("one"), await repo.started("two")
    sessions = await repo.sessions()
    assert (await sessions.find(first.id[:8])).id == first.id
    assert (await sessions.find(first.id[:8].upper())).id == first.id
    assert (await sessions.find("two")).id == second.id
    assert (await (await repo.sessions(second.tree)).find("")).id == second.id
    await repo.started("two")
    with pytest.raises(WorkUnknown, match="may be several"):
        await sessions.find("two")
    for words in ("three", "../x", "", "*"):
        with pytest.raises(WorkUnknown):
            await sessions.find(words)


@pytest.mark.proves("N08")
async def test_only_an_active_session_is_worked_in(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    await sessions.pause(session.id)
    for refused in (
        sessions.active(session.id),
        sessions.checkpoint(session.id, "x"),
        sessions.pause(session.id),
    ):
        with pytest.raises(WorkRefused, match="is paused, not active"):
            await refused
    await sessions.resume(session.id)
    assert (await sessions.active(session.id)).id == session.id
    await sessions.archive(session.id)
    with pytest.raises(WorkRefused, match="is archived, not active"):
        await sessions.active(session.id)
    with pytest.raises(WorkRefused, match="is archived already"):
        await sessions.archive(session.id)


@pytest.mark.deep
@pytest.mark.proves("N12")
async def test_an_archived_session_keeps_its_commits_and_comes_back(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="kept\n")
    await sessions.checkpoint(session.id, "one")
    await sessions.archive(session.id)
    assert not session.tree.exists()
    assert "prunable" not in repo.git("worktree", "list")
    assert len(repo.git("worktree", "list").splitlines()) == 1
    assert (repo.lost(), repo.git("fsck", "--unreachable")) == ([], "")
    assert repo.git("show", f"paws/{session.id[:8]}:new") == "kept"
    back = await sessions.resume(session.id)
    assert (back.tree / "new").read_text() == "kept\n"
    assert manifest_of(back).status == "active"


@pytest.mark.proves("N12")
@pytest.mark.deep
async def test_work_in_no_checkpoint_is_not_archived_away(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, kept="changed\n", new="n\n")
    with pytest.raises(WorkRefused, match=r"2 files .* in no checkpoint: kept, new"):
        await sessions.archive(session.id)
    assert (session.tree / "new").exists()
    await sessions.archive(session.id, keep=True)
    assert repo.git("show", f"paws-checkpoint-{session.id[:8]}-last:new") == "n"


@pytest.mark.proves("N12")
@pytest.mark.deep
async def test_a_repository_within_stops_what_would_lose_it(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    inner = Repository(session.tree / "inner")
    for refused in (
        sessions.checkpoint(session.id, "x"),
        sessions.archive(session.id, keep=True),
        sessions.merge(session.id, keep=True),
    ):
        with pytest.raises(WorkRefused, match="inner"):
            await refused
    repo.write(session.tree, new="n\n")
    await sessions.rewind(session.id, "")
    assert inner.git("rev-parse", "HEAD")


@pytest.mark.proves("N13")
@pytest.mark.deep
async def test_commits_reset_away_in_a_tree_are_kept_when_it_goes(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    gone = repo.commit("gone", session.tree, new="1\n")
    repo.git("reset", "-q", "--hard", "HEAD~1", at=session.tree)
    done = await sessions.archive(session.id)
    assert [repo.git("rev-parse", ref) for ref in done.kept] == [gone]
    assert repo.lost() == []


@pytest.mark.deep
@pytest.mark.proves("paws-sessions-in-trouble")
async def test_a_tree_that_was_deleted_by_hand_is_laid_out_again(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    session.tree.rename(repo.folder.parent / "away")
    for refused in (sessions.active(session.id), sessions.checkpoint(session.id, "two")):
        with pytest.raises(WorkRefused, match=r"work tree .* is gone") as caught:
            await refused
        assert f"resume {session.id[:8]}" in caught.value.hint
    assert b"+n" in await sessions.diff(session.id)
    await sessions.resume(session.id)
    assert (session.tree / "new").read_text() == "n\n"
    assert (await sessions.checkpoint(session.id, "two"))[1].turn_number == 2


@pytest.mark.deep
async def test_a_deleted_tree_may_be_archived_and_merged(repo: Repository) -> None:
    sessions = await repo.sessions()
    for number in range(2):
        session = await sessions.start()
        repo.write(session.tree, **{f"new{number}": "n\n"})
        await sessions.checkpoint(session.id, "one")
        session.tree.rename(repo.folder.parent / f"away{number}")
        await (sessions.archive if number else sessions.merge)(session.id)
    assert (repo.folder / "new0").exists()
    assert len(repo.git("worktree", "list").splitlines()) == 1


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_a_repository_that_was_moved_goes_on(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    await sessions.pause(session.id)
    repo.folder.rename(repo.folder.parent / "elsewhere")
    repo.folder = repo.folder.parent / "elsewhere"
    sessions = await repo.sessions()
    (found,) = await sessions.all()
    assert found.tree.is_relative_to(repo.folder)
    await sessions.resume(session.id)
    repo.write(found.tree, more="m\n")
    await sessions.checkpoint(session.id, "two")
    await sessions.merge(session.id)
    assert (repo.folder / "more").exists()


@pytest.mark.proves("paws-sessions-in-trouble", "N06")
@pytest.mark.deep
async def test_folders_may_have_any_name(tmp_path: Path) -> None:
    name = "nöt ascii'\"$(id):b, a new\nline and " + os.fsdecode(b"no utf-8 \xff")
    repo = Repository(tmp_path / name)
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.write(session.tree, kept="two\n", new="n\n")
    assert b"+two" in await sessions.diff(session.id)
    await sessions.checkpoint(session.id, "one", cats=tmp_path / f"{name}.md")
    repo.git("checkout", "-q", "-b", repo.folder.name.strip("\n:").replace(" ", "-"), check=False)
    said = msgspec.json.encode(told(sessions, await sessions.find(session.id)))
    assert b".md" in said
    await sessions.merge(session.id)
    assert (repo.folder / "new").exists()


@pytest.mark.proves("N16")
async def test_a_change_of_the_same_size_in_the_same_second_is_shown(repo: Repository) -> None:
    repo.git("config", "core.trustCtime", "false")
    sessions = await repo.sessions()
    session = await sessions.start()
    (index,) = (repo.folder / ".git/worktrees").glob("*/index")
    for path in (index, session.tree / "kept"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    repo.git("update-index", "--refresh", at=session.tree)
    repo.write(session.tree, kept="two\n")
    for path in (index, session.tree / "kept"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert b"+two" in await sessions.diff(session.id)


@pytest.mark.proves("paws-sessions-in-trouble")
async def test_where_there_is_no_repository_words_say_so(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(NoRepository, match="not in a git repository") as caught:
        await Sessions.at(tmp_path / "plain", os.environ)
    assert (caught.value.exit_code, "git init" in caught.value.hint) == (2, True)
    empty = Repository(tmp_path / "empty", empty=True)
    with pytest.raises(NoRepository, match="no commit yet"):
        await empty.started()
    assert await (await empty.sessions()).all() == []
    assert not (empty.folder / ".paws").exists()
    empty.git("init", "-q", "--bare", str(tmp_path / "bare"))
    for place in (tmp_path / "bare", empty.folder / ".git"):
        with pytest.raises(NoRepository, match="without files of its own"):
            await Sessions.at(place, os.environ)


async def test_without_git_words_say_so(repo: Repository, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/env").symlink_to("/usr/bin/env")
    with pytest.raises(NoRepository, match="git cannot be run"):
        await Sessions.at(repo.folder, {**os.environ, "PATH": str(tmp_path / "bin")})


@pytest.mark.proves("N15")
@pytest.mark.deep
async def test_five_sessions_work_beside_each_other(repo: Repository) -> None:
    before = repo.standing()
    ended: list[str] = []

    async def work(number: int) -> None:
        sessions = await repo.sessions()
        session = await sessions.start(name=f"work {number}")
        repo.write(session.tree, kept=f"{number}\n", **{f"own{number}": "x\n"})
        await sessions.checkpoint(session.id, "one")
        await sessions.pause(session.id)
        await sessions.resume(session.id)
        repo.write(session.tree, kept=f"{number}{number}\n")
        await sessions.checkpoint(session.id, "two")
        ended.append(session.id)

    async with anyio.create_task_group() as tasks:
        for number in range(5):
            tasks.start_soon(work, number)
    assert repo.standing() == before
    found = await (await repo.sessions()).all()
    assert sorted(each.id for each in found) == sorted(ended)
    for each in found:
        number = each.work.label.removeprefix("work ")
        assert (each.tree / "kept").read_text() == number * 2 + "\n"
        assert {path.name for path in each.tree.iterdir()} == {".git", "kept", f"own{number}"}
        assert list(manifest_of(each).checkpoints) == ["one", "two"]
    assert repo.lost() == []


@pytest.mark.deep
@pytest.mark.proves("N15")
async def test_an_agent_at_work_is_not_pulled_out_from_under(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    async with sessions.working(session):
        repo.write(session.tree, new="n\n")
        await sessions.checkpoint(session.id, "one")
        for refused in (
            sessions.rewind(session.id, "one"),
            sessions.merge(session.id),
            sessions.archive(session.id),
        ):
            with pytest.raises(WorkRefused, match="an agent is at work"):
                await refused
    await sessions.archive(session.id)


@pytest.mark.deep
async def test_another_branch_in_the_tree_is_left_alone(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.git("switch", "-q", "-c", "own", at=session.tree)
    repo.write(session.tree, new="n\n")
    with pytest.raises(WorkRefused, match="branch 'own' is checked out") as caught:
        await sessions.checkpoint(session.id, "one")
    assert f"switch paws/{session.id[:8]}" in caught.value.hint


@pytest.mark.deep
async def test_conflicts_in_the_tree_are_not_taken_for_work(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    repo.commit("theirs", session.tree, kept="theirs\n")
    repo.commit("mine", kept="mine\n")
    repo.git("merge", "main", at=session.tree, check=False)
    for refused in (sessions.checkpoint(session.id, "x"), sessions.rewind(session.id, "")):
        with pytest.raises(WorkRefused, match="conflicts that are not solved"):
            await refused
    repo.write(session.tree, kept="both\n")
    repo.git("add", "kept", at=session.tree)
    _, made = await sessions.checkpoint(session.id, "solved")
    parents = repo.git("rev-list", "--parents", "-1", made.commit_sha).split()[1:]
    assert repo.git("rev-parse", "main") in parents
    assert repo.git("status", "--porcelain=v2", at=session.tree) == ""
    assert not list((repo.folder / ".git/worktrees").glob("*/MERGE_HEAD"))


@pytest.mark.proves("N07", "O16")
async def test_minor_versions_are_read_and_kept_and_major_ones_refused(repo: Repository) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    path = session.folder / "session.json"
    record = json.loads(path.read_bytes())
    path.write_text(json.dumps({**record, "version": "1.7", "mood": "good"}))
    await sessions.pause(session.id)
    kept = json.loads(path.read_bytes())
    assert (kept["version"], kept["mood"], kept["status"]) == ("1.7", "good", "paused")
    path.write_text(json.dumps({**record, "version": "2.0"}))
    with pytest.raises(WorkRefused, match=r"version 2\.0; this program reads 1"):
        await sessions.find(session.id)
    assert await sessions.all() == []
    assert "version 2.0" in sessions.warnings[0]


HARM: tuple[dict[str, object], ...] = (
    {"sessionId": "11111111-1111-1111-1111-111111111111"},
    {"baseCommit": "--output=/tmp/x"},
    {"checkpoints": {"x": {"timestamp": "now", "commitSha": "HEAD", "turnNumber": 1}}},
    {"status": "busy"},
    {"version": None},
)


@pytest.mark.proves("N07", "O16")
async def test_a_record_from_elsewhere_is_not_believed(repo: Repository) -> None:
    session = await repo.started()
    sessions = await repo.sessions()
    path = session.folder / "session.json"
    record = json.loads(path.read_bytes())
    for harm in HARM:
        path.write_text(json.dumps({**record, **harm}))
        with pytest.raises(WorkRefused):
            await sessions.find(session.id)
    path.write_text(json.dumps({**record, "worktreePath": "../../etc"}))
    assert (await sessions.find(session.id)).tree == session.tree


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_links_in_the_place_of_sessions_are_not_followed(
    repo: Repository, tmp_path: Path
) -> None:
    (tmp_path / "away").mkdir()
    for link in (repo.folder / ".paws", repo.folder / ".git/paws"):
        link.symlink_to(tmp_path / "away")
        with pytest.raises(WorkRefused, match="is not a folder"):
            await repo.sessions()
        link.unlink()
    exclude = repo.folder / ".git/info/exclude"
    moved(exclude, tmp_path / "mine")
    exclude.symlink_to(tmp_path / "mine")
    before = (tmp_path / "mine").read_text()
    with pytest.raises(WorkRefused, match="it is a link") as caught:
        await repo.started()
    assert (caught.value.hint, (tmp_path / "mine").read_text()) == (
        "add the line /.paws/ to it yourself",
        before,
    )
    (tmp_path / "mine").write_text("/.paws/\n")
    session = await repo.started()
    record = session.folder / "session.json"
    record.rename(tmp_path / "record")
    record.symlink_to(tmp_path / "record")
    with pytest.raises(WorkRefused, match="cannot be read"):
        await (await repo.sessions()).find(session.id)


@pytest.mark.proves("paws-sessions-in-trouble")
@pytest.mark.deep
async def test_a_tree_that_names_another_repository_is_not_worked_in(
    repo: Repository, tmp_path: Path
) -> None:
    sessions = await repo.sessions()
    session = await sessions.start()
    evil = Repository(tmp_path / "evil")
    ran = tmp_path / "ran"
    evil.git("config", "core.fsmonitor", f"touch {ran}")
    link = session.tree / ".git"
    mine = link.read_text()
    link.write_text(f"gitdir: {evil.folder}/.git\n")
    repo.write(session.tree, new="n\n")
    await sessions.checkpoint(session.id, "one")
    assert (link.read_text(), ran.exists()) == (mine, False)
    link.unlink()
    (evil.folder / ".git").rename(link)
    for refused in (sessions.active(session.id), sessions.checkpoint(session.id, "two")):
        with pytest.raises(WorkRefused, match="no longer a work tree of"):
            await refused
    assert not ran.exists()


def test_a_record_is_read_back_as_it_was_written() -> None:
    record = Manifest(
        session_id="0" * 8 + "-0000-0000-0000-" + "0" * 12,
        start_time="2026-01-01T00:00:00.000Z",
        status="active",
        base_commit="a" * 40,
        worktree_path="x",
    )
    assert msgspec.json.decode(msgspec.json.encode(record), type=Manifest) == record
