"""Killed with SIGKILL at any call of git: the next command ends what was begun, and nothing is lost."""

import os
import random
import shutil
import signal
import sys
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.paws.sessions import WorkRefused, manifest_of
from ouroboros.safety.marks import strays_of
from tests import forked
from tests.unit.workspace.worktrees.doing import do
from tests.unit.workspace.worktrees.repository import Repository

pytestmark = [pytest.mark.anyio, pytest.mark.real]

_PROJECT = Path(__file__).parents[4]
_GIT = """#!/bin/sh
n=$(($(cat "$COUNT") + 1))
echo $n > "$COUNT"
case "$n $* " in "$AT "* | *" $AT "*) ;; *) exec {real} "$@" ;; esac
case $WHEN in
after) {real} "$@" ;;
during) {real} "$@" & ;;
esac
kill -9 $(cat "$VICTIM")
wait
exit 1
"""


class Killed(Repository):
    """A repository with a session of two checkpoints, laid out anew for each time it is killed in."""

    async def prepare(self, verb: str) -> str:
        """The session's id; what is needed for the verb is done."""
        self.bin = self.folder.parent / "bin"
        self.bin.mkdir()
        real = shutil.which("git")
        (self.bin / "git").write_text(_GIT.format(real=real), "utf-8")
        (self.bin / "git").chmod(0o755)
        sessions = await self.sessions()
        session = await sessions.start(name="first")
        for number, name in enumerate(("one", "two")):
            self.write(session.tree, new=f"{number}\n", **{f"more{number}": "m\n"})
            await sessions.checkpoint(session.id, name)
        self.commit("meanwhile", other="o\n")
        if verb in {"checkpoint", "rewind", "delete"}:
            self.write(session.tree, new="loose\n", late="l\n")
        if verb == "resume":
            await sessions.archive(session.id)
        return session.id

    def keep(self) -> None:
        """Keeps everything as it is, for ``again``."""
        shutil.copytree(self.folder, self.folder.parent / "template", symlinks=True)

    def again(self) -> None:
        """Everything as it was kept."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.folder.parent / "template", self.folder, symlinks=True)

    def kill(self, at: int | str, when: str, *words: str) -> bool:
        """Whether the process was killed at that call of git, by its number or a word of it."""
        count = self.folder.parent / "count"
        count.write_text("0")
        ran = forked.run(
            [
                sys.executable,
                "-m",
                "tests.unit.workspace.worktrees.doing",
                str(self.folder),
                *words,
            ],
            cwd=_PROJECT,
            capture_output=True,
            check=False,
            env={
                **os.environ,
                "PATH": f"{self.bin}:{os.environ['PATH']}",
                "COUNT": str(count),
                "VICTIM": str(self.folder.parent / "victim"),
                "AT": str(at),
                "WHEN": when,
            },
        )
        assert ran.returncode in {0, -signal.SIGKILL}, ran.stderr
        return ran.returncode != 0

    def lost_work(self) -> list[str]:
        """Commits that nothing names, of whose content there is no other commit."""
        named = set(self.git("log", "--all", "--format=%T").split())
        lost = [line.split()[2] for line in self.lost()]
        return [each for each in lost if self.git("rev-parse", f"{each}^{{tree}}") not in named]


WHEN = ("before", "after", "during")
VERBS: dict[str, tuple[str, ...]] = {
    "start": (),
    "checkpoint": ("three",),
    "rewind": ("one",),
    "merge": (),
    "squash": ("--squash",),
    "archive": (),
    "resume": (),
    "delete": ("--force",),
}


async def put_right(repo: Killed, verb: str, session_id: str, words: tuple[str, ...]) -> None:
    """The next commands, and what must hold then."""
    sessions = await repo.sessions()
    found = {each.id: each for each in await sessions.all()}
    assert [each.problem for each in sessions.mended if each.problem] == []
    assert repo.git("status", "--porcelain") == ""
    assert all(each.work.step is None for each in found.values())
    folders = {path.name for path in sessions.root.glob(".paws/sessions/*-*")}
    assert folders == set(found)
    if verb == "delete":
        await deleted(repo, session_id, words)
        return
    own = found[session_id]
    said = ""
    try:
        await do(repo.folder, verb, session_id, list(words))
    except WorkRefused as done:
        said = done.message
    assert not said or (verb in {"checkpoint", "archive"} and "already" in said)
    record = manifest_of(await sessions.find(session_id))
    match verb:
        case "start":
            assert {each.work.label for each in await sessions.all()} == {"first", "second"}
        case "checkpoint":
            assert list(record.checkpoints) == ["one", "two", "three"]
            assert repo.git("show", f"paws/{own.id[:8]}:late") == "l"
            assert repo.git("status", "--porcelain", at=own.tree) == ""
        case "rewind":
            assert list(record.checkpoints) == ["one"]
            assert {path.name for path in own.tree.iterdir()} == {".git", "kept", "new", "more0"}
            kept = repo.git("for-each-ref", "--format=%(objectname)", "refs/paws").split()
            assert "loose" in {repo.git("show", f"{each}:new") for each in kept}
        case "resume":
            assert (record.status, (own.tree / "more1").exists()) == ("active", True)
        case _:
            assert (record.status, own.tree.exists()) == ("archived", False)
            assert (repo.folder / "more1").exists() == (verb == "merge")
    assert repo.git("status", "--porcelain") == ""
    assert repo.lost_work() == []
    repo.git("fsck", "--strict")


async def deleted(repo: Killed, session_id: str, words: tuple[str, ...]) -> None:
    """Deleted once more, nothing of it is left but a ref that keeps all of its work."""
    if (repo.folder / ".paws/sessions" / session_id).exists():
        await do(repo.folder, "delete", session_id, list(words))
    assert await (await repo.sessions()).all() == []
    short = session_id[:8]
    refs = repo.git("for-each-ref", "--format=%(refname)").splitlines()
    kept = [each for each in refs if each.startswith(f"refs/paws/{short}/kept/")]
    assert sorted(refs) == sorted(["refs/heads/main", *kept])
    assert "loose" in {repo.git("show", f"{each}:new") for each in kept}
    assert len(repo.git("worktree", "list").splitlines()) == 1
    assert not list(repo.folder.glob(f".paws/sessions/*{session_id}*"))
    assert not list(repo.folder.glob(f".git/paws/sessions/*{session_id}*"))
    assert repo.git("status", "--porcelain") == ""
    assert repo.lost_work() == []
    repo.git("fsck", "--strict")


async def killed_once(folder: Path, verb: str, at: int | str, when: str) -> None:
    repo = Killed(folder / "work")
    words = VERBS[verb]
    verb = "merge" if verb == "squash" else verb
    session_id = await repo.prepare(verb)
    assert repo.kill(at, when, verb, session_id, *words), (verb, at, when)
    await put_right(repo, verb, session_id, words)


async def sweep(tmp_path: Path, verb: str, points: range, when: str) -> int:
    """Kills at each of the points, and gives how many there were."""
    repo = Killed(tmp_path / "work")
    words = VERBS[verb]
    verb = "merge" if verb == "squash" else verb
    session_id = await repo.prepare(verb)
    repo.keep()
    count = 0
    for at in points:
        repo.again()
        if not repo.kill(at, when, verb, session_id, *words):
            break
        await put_right(repo, verb, session_id, words)
        count += 1
    return count


POINTS = {
    "start": "add",
    "checkpoint": "--stdin",
    "rewind": "--hard",
    "squash": "--ff-only",
    "archive": "remove",
    "delete": "--stdin",
}
"""A word of the call after which each leaves the most undone."""


@pytest.mark.proves("paws-sessions-killed", "N13")
@pytest.mark.parametrize(
    "verb",
    [
        pytest.param("rewind"),
        pytest.param("squash", marks=pytest.mark.deep),
        pytest.param("archive", marks=pytest.mark.deep),
        *(pytest.param(each, marks=pytest.mark.soak) for each in ("start", "checkpoint", "delete")),
    ],
)
async def test_killed_after_a_call_of_git(tmp_path: Path, verb: str) -> None:
    await killed_once(tmp_path, verb, POINTS[verb], "after")


@pytest.mark.proves("paws-sessions-killed", "N13")
@pytest.mark.deep
async def test_killed_at_some_calls_of_git(tmp_path: Path) -> None:
    seed = random.randrange(1_000_000)
    print("seed", seed)
    chance = random.Random(seed)
    for verb in VERBS:
        await killed_once(tmp_path / verb, verb, chance.randint(1, 6), chance.choice(WHEN))


@pytest.mark.proves("paws-sessions-killed")
@pytest.mark.deep
async def test_files_of_a_half_written_merge_go_back(tmp_path: Path) -> None:
    repo = Killed(tmp_path / "work")
    repo.commit("more", cut="1\n" * 50, gone="g\n", whole="1\n", mine="1\n")
    session_id = await repo.prepare("merge")
    sessions = await repo.sessions()
    tree = (await sessions.find(session_id)).tree
    (tree / "gone").unlink()
    (tree / "deep").mkdir()
    repo.write(tree, cut="2\n" * 50, whole="2\n", mine="2\n", **{"deep/fresh": "f\n"})
    (tree / "link").symlink_to("whole")
    await sessions.checkpoint(session_id, "three")
    assert repo.kill("--ff-only", "before", "merge", session_id)
    before = repo.standing()
    # As a git leaves them that is killed while it writes: some whole, one in its midst, one not yet.
    (repo.folder / "gone").unlink()
    (repo.folder / "deep").mkdir()
    (repo.folder / "link").symlink_to("whole")
    repo.write(cut="2\n" * 20, whole="2\n", mine="edited\n", **{"deep/fresh": ""})
    sessions = await repo.sessions()
    await sessions.all()
    (left,) = sessions.mended
    assert left.problem is not None
    assert "'mine' is neither as it was nor as the merge has it" in left.problem.message
    assert repo.git("status", "--porcelain") == " M mine"
    with pytest.raises(WorkRefused, match="'mine' is neither"):
        await sessions.merge(session_id)
    repo.write(mine="1\n")
    await (await repo.sessions()).all()
    assert repo.standing() == before
    await sessions.merge(session_id)
    assert (repo.folder / "deep/fresh").read_text() == "f\n"


@pytest.mark.proves("paws-sessions-killed")
@pytest.mark.deep
async def test_who_comes_next_waits_for_what_a_killed_one_started(tmp_path: Path) -> None:
    repo = Killed(tmp_path / "work")
    session_id = await repo.prepare("checkpoint")
    shim = repo.bin / "git"
    deaf = "sh -c 'trap \"\" TERM; sleep 60' & sleep 0.1; kill -9"
    shim.write_text(shim.read_text("utf-8").replace("kill -9", deaf), "utf-8")
    assert repo.kill("--stdin", "before", "checkpoint", session_id, "three")
    mark = (repo.folder / ".paws/sessions/.lock").read_text("utf-8")
    assert await to_thread.run_sync(strays_of, mark)
    await (await repo.sessions()).all()
    assert await to_thread.run_sync(strays_of, mark) == ()
    await put_right(repo, "checkpoint", session_id, ("three",))


@pytest.mark.soak
@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("verb", list(VERBS))
async def test_killed_at_every_call_of_git(tmp_path: Path, verb: str, when: str) -> None:
    assert await sweep(tmp_path, verb, range(1, 200), when) > 5
