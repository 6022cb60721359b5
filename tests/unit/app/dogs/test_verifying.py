"""A command judges the changes; on failure everything is as it was, on success all of it stays."""

import os
import time
from pathlib import Path

import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.paws.sessions import Sessions
from ouroboros.faces.cli.commands.paws.dogs_words import tell_outcome
from tests.unit.app.dogs.dogs_stage import BUNDLE, Dogs, Picture, git, picture, project_in

pytestmark = pytest.mark.real


@pytest.fixture
def dogs(tmp_path: Path) -> Dogs:
    return Dogs(project_in(tmp_path), tmp_path / "home")


@pytest.mark.proves("M18", "divergences-plain-users-verify")
async def test_what_succeeds_is_kept_with_what_the_command_made(dogs: Dogs) -> None:
    before = picture(dogs.root)
    outcome = await dogs(
        verify="grep -q better src/app.py && echo built > build/result", revert=True
    )
    assert (outcome.outcome, outcome.exit_code) == ("applied", 0)
    assert outcome.verify is not None
    assert outcome.verify.is_good
    after = picture(dogs.root)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert changed == {"src/app.py", "docs", "docs/new.md", "build/result"}


@pytest.mark.proves("M18")
async def test_what_fails_is_kept_without_the_wish_to_revert(dogs: Dogs) -> None:
    outcome = await dogs(verify="echo out; echo err >&2; exit 3")
    assert (outcome.outcome, outcome.exit_code) == ("verify_failed", 2)
    assert outcome.verify is not None
    assert (outcome.verify.exit_code, outcome.verify.stdout, outcome.verify.stderr) == (
        3,
        "out\n",
        "err\n",
    )
    assert "better" in (dogs.root / "src" / "app.py").read_text()


FAILING = {
    "it only fails": "false",
    "it cannot be found": "no-such-program",
    "it kills itself": "kill -9 $$",
    "it makes files": "mkdir -p build/x target; touch build/x/y target/z untracked2; false",
    "it changes files that Git ignores": "echo more >> a.log; echo x > build/out.bin; false",
    "it changes the person's files": "echo x > untracked.txt; rm run.sh; chmod 600 staged.txt; false",
    "it removes folders": "rm -rf build src docs; false",
    "it puts a folder in the place of a file": "rm a.log; mkdir a.log; touch a.log/x; false",
    "it turns a link": "ln -sf run.sh link; false",
    "it refreshes the index": "touch staged.txt; git status >/dev/null; false",
    "it stages everything": "git add -A; false",
    "it empties all it can": "rm -rf ./* .gitignore; false",
    "it leaves a pipe and a socket": "mkfifo build/pipe; mkdir new; mkfifo new/pipe; false",
}


@pytest.mark.proves("M19", "CF07", "M18", "divergences-verify-and-taking-back")
async def test_what_fails_leaves_everything_as_it_was(dogs: Dogs) -> None:
    git(dogs.root, "status")
    before = unsaid(picture(dogs.root))
    stash = git(dogs.root, "stash", "list")
    for name, command in FAILING.items():
        outcome = await dogs(verify=command, revert=True)
        assert (name, outcome.outcome, outcome.exit_code) == (name, "reverted", 3)
        assert {file.action for file in outcome.files} == {"none"}
        after = unsaid(picture(dogs.root))
        changed = {path for path in before | after if before.get(path) != after.get(path)}
        assert (name, changed) == (name, set())
    assert git(dogs.root, "stash", "list") == stash


@pytest.mark.deep
@pytest.mark.proves("M18", "M19")
async def test_a_repository_within_is_put_back_as_far_as_it_can_be(dogs: Dogs) -> None:
    inner = dogs.root / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "x").write_text("x\n")
    git(inner, "add", ".")
    before = unsaid(picture(dogs.root))
    outcome = await dogs(verify="cd inner; echo y > x; git add -A; false", revert=True)
    assert (outcome.outcome, outcome.reason) == ("reverted", "")
    assert unsaid(picture(dogs.root)) == before
    outcome = await dogs(verify="rm -rf inner; false", revert=True)
    assert outcome.reason == f"the command removed '{inner}/.git', which cannot be put back"
    assert (inner / "x").read_text() == "x\n"


@pytest.mark.proves("M18", "N15")
async def test_work_that_goes_on_in_sessions_is_not_taken_back(dogs: Dogs) -> None:
    """An agent works in a work tree of the repository while a command judges a bundle beside it."""
    session = await (await Sessions.at(dogs.root, dogs.environment)).start()
    (session.tree / "run.sh").write_text("before\n")
    command = (
        f"echo work > {session.tree}/run.sh; echo new > {session.tree}/new; touch other; false"
    )
    outcome = await dogs(verify=command, revert=True)
    assert (outcome.outcome, (session.tree / "run.sh").read_text()) == ("reverted", "work\n")
    assert (session.tree / "new").read_text() == "new\n"
    assert not (dogs.root / "other").exists()
    assert dogs.told[-1] == "also brought back or removed: other"


def unsaid(found: Picture) -> Picture:
    """Without objects that no ref names, which Git keeps for a while."""
    return {name: seen for name, seen in found.items() if ".git/objects/" not in name}


@pytest.mark.deep
@pytest.mark.proves("M18")
async def test_one_that_hangs_is_ended_with_all_it_started(dogs: Dogs, tmp_path: Path) -> None:
    before = picture(dogs.root)
    pid = tmp_path / "pid"
    command = f"sleep 600 & echo $! > {pid}; wait"
    outcome = await dogs(verify=command, verify_timeout=0.5, revert=True)
    assert outcome.exit_code == 3
    assert outcome.verify is not None
    assert outcome.verify.timed_out
    assert picture(dogs.root) == before
    await to_thread.run_sync(ended, int(pid.read_text()))


def ended(pid: int) -> None:
    """Returns once a process runs no more."""
    deadline = time.monotonic() + 30
    stat = Path(f"/proc/{pid}/stat")
    while stat.exists() and stat.read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def test_a_moved_branch_is_told_and_no_commit_is_lost(dogs: Dogs) -> None:
    outcome = await dogs(
        verify="git -c user.name=a -c user.email=a@b commit -qam x; false", revert=True
    )
    assert outcome.exit_code == 3
    assert "moved HEAD, a branch or the stash" in outcome.reason
    assert git(dogs.root, "log", "-1", "--format=%s") == "x\n"


@pytest.mark.deep
@pytest.mark.proves("M18", "M19")
async def test_what_a_command_does_to_the_folder_itself_is_undone(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text('import os\nprint("dirty")\n')
    before = picture(root)
    dogs = Dogs(root, tmp_path / "home")
    root.chmod(0o750)
    for command in (
        "chmod 500 .; false",
        'rm -rf "$PWD"; false',
        'rm -rf "$PWD"; touch ../plain; false',
    ):
        outcome = await dogs(verify=command, revert=True)
        if "touch" in command:
            assert (outcome.outcome, outcome.exit_code) == ("verify_failed", 2)
            assert "could not be brought back" in outcome.reason
            root.unlink()
        else:
            assert (outcome.outcome, outcome.reason) == ("reverted", "")
            assert (picture(root), root.stat().st_mode & 0o777) == (before, 0o750)


@pytest.mark.proves("M18", "M19")
async def test_an_index_that_was_not_there_goes_again_and_settings_are_told(tmp_path: Path) -> None:
    root = tmp_path / "new"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text('import os\nprint("dirty")\n')
    git(root, "init", "-q")
    dogs = Dogs(root, tmp_path / "home")
    outcome = await dogs(verify="git add -A; git config a.b c; false", revert=True)
    assert outcome.exit_code == 3
    assert not (root / ".git" / "index").exists()
    assert outcome.reason.startswith("the command changed Git's settings or hooks")
    (root / ".git" / "index.lock").touch()
    outcome = await dogs(
        verify="git init -q -b x other; cp other/.git/HEAD .git/index; false", revert=True
    )
    assert "index, which cannot be put back" in outcome.reason
    assert (root / ".git" / "index.lock").exists()


@pytest.fixture
def small(tmp_path: Path) -> Dogs:
    """Large files are not kept."""
    root, home = project_in(tmp_path), tmp_path / "home"
    (root / "large.bin").write_bytes(bytes(2_000))
    home.mkdir()
    (home / "config.toml").write_text("[checkpoints]\nmax_file = 1000\n")
    return Dogs(root, home)


async def test_a_file_too_large_to_be_kept_is_named_before_and_after(
    small: Dogs, capsys: pytest.CaptureFixture[str]
) -> None:
    dogs, root = small, small.root
    outcome = await dogs(verify="echo x >> large.bin; false", revert=True)
    assert any("large.bin" in line for line in dogs.told)
    assert (outcome.outcome, list(outcome.left)) == ("verify_failed", ["large.bin"])
    assert "dirty" in (root / "src" / "app.py").read_text()
    assert {(file.action, file.reason) for file in outcome.files} == {("none", "it was taken back")}
    tell_outcome(outcome, is_quiet=False, undo="undo")
    said = capsys.readouterr().err
    assert "failed with exit code 1; not all is as it was before\n" in said
    assert "undo" not in said


@pytest.mark.proves("M22")
async def test_names_and_commands_that_are_no_unicode_come_out_as_json(small: Dogs) -> None:
    large = os.fsdecode(b"large\xff")
    (small.root / large).write_bytes(bytes(2_000))
    outcome = await small(
        bundle_name=f"{large}.md", verify=f"echo x >> {large}; false", revert=True
    )
    said = msgspec.json.decode(msgspec.json.encode(outcome))
    assert said["left"] == {"large\\xff": "its content was not kept"}
    assert said["verify"]["command"] == "echo x >> large\\xff; false"


async def test_the_command_sees_no_keys_of_providers(dogs: Dogs) -> None:
    dogs.environment["ANTHROPIC_API_KEY"] = "sk-secret"
    outcome = await dogs(verify="env; false")
    assert outcome.verify is not None
    assert "sk-secret" not in outcome.verify.stdout
    assert os.environ["PATH"] in outcome.verify.stdout


async def test_a_refused_bundle_is_not_judged(dogs: Dogs) -> None:
    outcome = await dogs(BUNDLE.replace("dirty", "gone"), verify="touch ran", revert=True)
    assert outcome.exit_code == 1
    assert not (dogs.root / "ran").exists()
