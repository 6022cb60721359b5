"""Ordinary work goes on in each cage, limits hold, and nothing is left behind."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.app.permission.cages import Grounds
from ouroboros.app.permission.cages import policy_of as sessions_policy
from ouroboros.app.settings import Sandbox as SandboxSettings
from ouroboros.safety.sandbox import Confined, Policy, Sandbox, begin, noted
from ouroboros.safety.sandbox.begin import ended
from ouroboros.safety.sandbox.bubblewrap import Bubblewrap, Launcher
from ouroboros.safety.sandbox.cage import Started
from ouroboros.safety.sandbox.inner import taking
from ouroboros.safety.sandbox.kept import changed_by_us
from ouroboros.safety.sandbox.policy import PROTECTED_NAMES, protected_in, real, temporary_folders
from tests.leftovers import still_left
from tests.sandbox.cages import CAGES, OFFERED, SEPARATED, cage_of

pytestmark = pytest.mark.skipif(OFFERED.landlock < 3, reason="the kernel has no Landlock")

WORK = {
    "files": "mkdir d && echo x > d/f && mv d e && cp -rp e g && rm -r e && chmod +x g/f && ls -R",
    "archive": "echo x > f && tar cf t.tar f && rm f && tar xf t.tar --no-same-owner && cat f",
    "temporary": "cat $(mktemp) && T=$(mktemp -d) && echo x > $T/y && rm -r $T",
    "devices": "echo x > /dev/null; head -c 4 /dev/urandom | wc -c; head -c 4 /dev/zero > z",
    "pipes": "echo 'x y' | sed s/x/z/ | sort > f; cat <(echo in); mkfifo p; (echo f > p &); cat p",
    "signals": "sleep 60 & kill $! && ! wait $!",
    "threads": "{PY} -c 'import asyncio;print(asyncio.run(asyncio.to_thread(int)))'",
    "children": "{PY} -c 'import asyncio;asyncio.run(asyncio.create_subprocess_exec(\"true\"))'",
    "pool": "{PY} -c 'import multiprocessing as m;print(m.get_context(\"fork\").Pool(2).map(abs,[-1]))'",
    "pair": "{PY} -c 'import socket;a,b=socket.socketpair();a.send(b\"x\");print(b.recv(1))'",
    "git": "git init -q sub 2>/dev/null; git status --short >/dev/null; git log -1 --oneline",
    "own process": "cat /proc/self/status /proc/cpuinfo > f; cat /proc/$$/environ > f; id -u",
}


async def policy_of(work: Path, **changes: object) -> Policy:
    roots = real([work])
    return replace(
        Policy(
            writable=real((*roots, *temporary_folders({}))),
            protected=await to_thread.run_sync(protected_in, roots),
        ),
        **changes,
    )


async def told(cage: Sandbox, work: Path, text: str) -> tuple[int, str]:
    words = ("/bin/bash", "-ec", text.replace("{PY}", f"{sys.executable} -ISB"))
    confined = cage.confine(words, cwd=work)
    path = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(work)}
    confined = replace(confined, environment={**confined.environment, **path})
    return await to_thread.run_sync(partial(ended, confined, cwd=work, seconds=60))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    folder.mkdir()
    return folder


def committed(folder: Path) -> None:
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git[:3], "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)


@pytest.mark.deep
@pytest.mark.proves("F03", "codex-10.2", "divergences-sockets-with-the-network-off")
@pytest.mark.parametrize("cage", CAGES)
async def test_ordinary_work_goes_on(work: Path, cage: str) -> None:
    if cage in SEPARATED:
        await to_thread.run_sync(committed, work)
    sandbox = cage_of(cage, await policy_of(work))
    failed: dict[str, str] = {}
    for name, text in WORK.items():
        if name == "git" and cage == "landlock":
            continue  # with a repository there nothing is made at its top
        code, said = await told(sandbox, work, text)
        if code:
            failed[name] = said
    assert failed == {}


@pytest.mark.proves("F11")
@pytest.mark.parametrize("cage", ["landlock, restoring", *SEPARATED])
async def test_our_home_in_the_workspace_stays_ours_while_a_command_runs(
    work: Path, cage: str
) -> None:
    """No command gets at it, and what we write meanwhile is not put back."""
    home = work / "home"
    for folder in (home, work / "sub"):
        folder.mkdir()
    (home / "ouroboros.db").write_text("before")
    grounds = Grounds(cwd=work, home=home, environment={"HOME": str(work.parent / "person")})
    policy = await to_thread.run_sync(
        sessions_policy, SandboxSettings(), grounds, "workspace-write"
    )
    words = "until test -e sub/go; do sleep 0.02; done; (echo evil > home/ouroboros.db; rm -r home; mv home x) 2>&- && echo got in"
    confined = cage_of(cage, policy).confine(("/bin/bash", "-c", words), cwd=work)

    def run() -> str:
        process = begin(confined, cwd=work, environment=dict(os.environ), stdin=subprocess.DEVNULL)
        (home / "ouroboros.db").write_text("meanwhile")
        (home / "new").write_text("new")
        (work / "sub" / "go").touch()
        said, _ = process.communicate(timeout=60)
        if confined.finish is not None:
            confined.finish()
        return said.decode()

    assert "got in" not in await to_thread.run_sync(run)
    assert {path.name: path.read_text() for path in home.iterdir()} == {
        "ouroboros.db": "meanwhile",
        "new": "new",
    }
    assert "put back" not in noted(confined)


@pytest.mark.proves("F11")
@pytest.mark.parametrize("cage", ["landlock, restoring", *SEPARATED])
async def test_a_repository_is_worked_in_as_outside(work: Path, cage: str) -> None:
    """Files are made and removed at its top, and commits are made; its settings stay as they are."""
    await to_thread.run_sync(committed, work)
    sandbox = cage_of(cage, await policy_of(work))
    git = "git -c user.name=n -c user.email=e"
    text = (
        f"touch x && mkdir build && git add x && {git} commit -qm second && git switch -qc other "
        f"&& {git} commit -q --allow-empty -m third && git rebase -q HEAD~1 && git stash list "
        "&& rm x && rmdir build && git log --oneline | wc -l && git config user.name evil"
    )
    confined = sandbox.confine(("/bin/sh", "-c", text), cwd=work)
    _, said = await to_thread.run_sync(partial(ended, confined, cwd=work, seconds=60))
    assert said.split()[0] == "3", said
    assert "evil" not in (work / ".git" / "config").read_text("utf-8")
    if cage == "landlock, restoring":
        assert "config was changed and is put back" in noted(confined)


@pytest.mark.proves("F08")
async def test_no_command_makes_what_git_would_read_meanwhile(work: Path) -> None:
    """A ``commondir`` makes git read other settings, also of the person's git in another window."""
    await to_thread.run_sync(committed, work)
    sandbox = cage_of("namespaces", await policy_of(work))
    text = (
        "set +e; for name in commondir config.worktree hooks/x; do echo ../evil > .git/$name; done; "
        "mv .git .git2; rm -f .git/commondir; git status --short; git log --oneline | wc -l; "
        "rm -rf .git/hooks; cat .git/commondir"
    )
    code, said = await told(sandbox, work, text)
    assert (code, "\n1\n" in said, said.endswith("\n.\n")) == (0, True, True), said
    left = await to_thread.run_sync(os.listdir, work / ".git")
    assert not {"commondir", "config.worktree"} & set(left)
    (work / ".git" / "commondir").write_text(".\n", encoding="utf-8")  # as a kill leaves it
    assert (await told(sandbox, work, "git log --oneline | wc -l"))[1] == "1\n"
    assert not (work / ".git" / "commondir").exists()


@pytest.mark.proves("F08")
@pytest.mark.parametrize("cage", ["landlock, restoring", *SEPARATED])
async def test_what_the_persons_own_git_makes_meanwhile_stays(work: Path, cage: str) -> None:
    await to_thread.run_sync(committed, work)
    sandbox = cage_of(cage, await policy_of(work))
    confined = sandbox.confine(("/bin/sh", "-c", "echo begun; exec sleep 600"), cwd=work)

    def played() -> None:
        process = begin(confined, cwd=work, environment=dict(os.environ), stdin=-3)
        assert process.stdout is not None
        process.stdout.read(1)
        subprocess.run(
            ["git", "-C", work, "worktree", "add", "-q", work.parent / "tree"], check=True
        )
        (work / ".git" / "rebase-merge").mkdir()
        process.kill()
        process.communicate()
        assert confined.finish is not None
        confined.finish()

    await to_thread.run_sync(played)
    assert (work / ".git" / "rebase-merge").exists()
    status = ["git", "-C", str(work.parent / "tree"), "status"]
    done = await to_thread.run_sync(partial(subprocess.run, status, check=False))
    assert done.returncode == 0


@pytest.mark.proves("F08")
@pytest.mark.parametrize("cage", SEPARATED)
async def test_what_is_hidden_is_not_moved_to_where_it_is_read(work: Path, cage: str) -> None:
    (work / "config").mkdir()
    (work / "config" / "key").write_text("secret", encoding="utf-8")
    (work / "vendor" / "lib" / ".git").mkdir(parents=True)
    hidden = (work / "config" / "key", work / "vendor")
    sandbox = cage_of(cage, await policy_of(work, hidden=hidden))
    assert (await told(sandbox, work, "mv config moved || echo kept"))[1].endswith("kept\n")
    assert (await told(sandbox, work, "cat config/key moved/key"))[1].count("secret") == 0


@pytest.mark.proves("F08")
async def test_a_link_that_a_command_left_leads_nobody_astray(work: Path, tmp_path: Path) -> None:
    await to_thread.run_sync(committed, work)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "config").write_text("mine", encoding="utf-8")
    sandbox = cage_of("landlock, restoring", await policy_of(work))
    await told(sandbox, work, f"mv .git .git2; ln -s {outside} .git")
    assert await to_thread.run_sync(os.listdir, outside) == ["config"]
    assert (outside / "config").read_text("utf-8") == "mine"


@pytest.mark.proves("F08")
async def test_what_is_put_back_is_what_was_there_before_all_that_run(work: Path) -> None:
    """Of two commands at a time the later one has seen what the earlier one wrote."""
    await to_thread.run_sync(committed, work)
    hook, config = work / ".git" / "hooks" / "pre-commit", work / ".git" / "config"
    before = config.read_bytes()
    sandbox = cage_of("landlock, restoring", await policy_of(work))

    def begun(text: str) -> tuple[Confined, Started]:
        confined = sandbox.confine(("/bin/sh", "-c", text), cwd=work)
        return confined, begin(confined, cwd=work, environment=dict(os.environ), stdin=-3)

    def played() -> list[str]:
        first, one = begun(f"echo evil > {hook}; echo evil > {config}; echo; exec sleep 600")
        assert one.stdout is not None
        one.stdout.read(1)
        second, other = begun("true")
        other.communicate()
        assert second.finish is not None
        second.finish()
        assert (hook.exists(), config.read_bytes()) == (False, before)
        one.kill()
        one.communicate()
        assert first.finish is not None
        first.finish()
        return sorted(each.name for each in (work / ".git").glob("*.from-sandbox"))

    assert await to_thread.run_sync(played) == ["config.from-sandbox", "hooks.from-sandbox"]
    assert (hook.exists(), config.read_bytes()) == (False, before)


@pytest.mark.proves("F06")
@pytest.mark.parametrize("cage", CAGES)
async def test_limits_are_set_before_the_command_begins(work: Path, cage: str) -> None:
    sandbox = cage_of(cage, await policy_of(work, processes=500))
    text = "ulimit -c; ulimit -u; ulimit -c unlimited || echo kept"
    assert (await told(sandbox, work, text))[1].split()[:2] == ["0", "500"]


@pytest.mark.proves("F03")
@pytest.mark.skipif(OFFERED.launcher is None, reason="no bubblewrap")
async def test_without_perl_python_takes_on_the_same(work: Path) -> None:
    assert OFFERED.launcher is not None
    launcher = Launcher(bwrap=OFFERED.launcher.bwrap, inner=taking(None))
    sandbox = Bubblewrap(await policy_of(work), launcher)
    text = "ulimit -c; echo x > f; echo x 2>/dev/null > /etc/made || echo kept"
    assert await told(sandbox, work, text) == (0, "0\nkept\n")
    assert (await told(sandbox, work, "exec nowhere"))[0] == 127


@pytest.mark.parametrize("cage", CAGES)
async def test_names_that_are_no_text_are_hidden_as_well(work: Path, cage: str) -> None:
    odd = work / os.fsdecode(b"k\xfcey")
    odd.write_text("secret", encoding="utf-8")
    sandbox = cage_of(cage, await policy_of(work, hidden=(odd,)))
    code, said = await told(sandbox, work, "cat k*ey")
    assert (code, "secret" in said) == (1, False)


@pytest.mark.parametrize("cage", CAGES)
async def test_a_program_that_is_not_there_ends_with_127(work: Path, cage: str) -> None:
    confined = cage_of(cage, await policy_of(work)).confine(("nowhere",), cwd=work)
    code, said = await to_thread.run_sync(partial(ended, confined, cwd=work, seconds=60))
    assert (code, "nowhere: No such file or directory" in said) == (127, True)


@pytest.mark.proves("F05")
@pytest.mark.parametrize("cage", CAGES)
async def test_what_is_hidden_stays_so_where_everything_else_is_open(
    work: Path, tmp_path: Path, cage: str
) -> None:
    base = await to_thread.run_sync(tmp_path.resolve)
    key, other = base / "keys" / "key", base / "other"
    key.parent.mkdir()
    key.write_text("secret")
    other.mkdir()
    policy = Policy(reach="full-access", hidden=(key.parent,), network="on")
    text = (
        f"echo x > {other}/made; cat {key} || echo kept; {{PY}} -c 'import socket;socket.socket()'"
    )
    code, said = await told(cage_of(cage, policy), work, text)
    assert (code, "secret" in said, "kept" in said) == (0, False, True)
    assert (other / "made").exists()


@pytest.mark.proves("F08", "divergences-a-name-that-a-command")
@pytest.mark.parametrize("cage", SEPARATED)
async def test_a_protected_name_that_a_command_makes_is_set_aside(work: Path, cage: str) -> None:
    """Nothing is put in its place on the person's disk, so nothing is left there by a kill."""
    sandbox = cage_of(cage, await policy_of(work))
    confined = sandbox.confine(
        ("/bin/sh", "-c", "git init -q . && mkdir .agents plain && ls -A"), cwd=work
    )
    _, said = await to_thread.run_sync(partial(ended, confined, cwd=work, seconds=60))
    assert said.split() == [".agents", ".git", "plain"]
    assert sorted(await to_thread.run_sync(os.listdir, work)) == [
        ".agents.from-sandbox",
        ".git.from-sandbox",
        "plain",
    ]
    assert [f"{name}.from-sandbox" in noted(confined) for name in (".git", ".agents")] == [True] * 2


@pytest.mark.proves("F08")
@pytest.mark.parametrize("cage", SEPARATED)
async def test_what_we_make_ourselves_meanwhile_stays(work: Path, cage: str) -> None:
    sandbox = cage_of(cage, await policy_of(work))
    confined = sandbox.confine(("/bin/sh", "-c", "mkdir -p .ouroboros/tools"), cwd=work)
    changed_by_us(work / ".ouroboros" / "config.toml")
    await to_thread.run_sync(partial(ended, confined, cwd=work, seconds=60))
    assert await to_thread.run_sync(os.listdir, work) == [".ouroboros"]


@pytest.mark.proves("F08")
@pytest.mark.parametrize("cage", SEPARATED)
async def test_a_killed_run_leaves_nothing_on_the_disk(work: Path, cage: str) -> None:
    policy = await policy_of(work)
    program = (
        "import os,signal,subprocess,sys\n"
        "from pathlib import Path\n"
        "from ouroboros.safety.sandbox.begin import begin\n"
        "from ouroboros.safety.sandbox.policy import Policy\n"
        "from tests.sandbox.cages import cage_of\n"
        f"work=Path({str(work)!r})\n"
        f"policy=Policy(writable=(work,),protected=tuple(work/n for n in {PROTECTED_NAMES!r}))\n"
        f"confined=cage_of({cage!r},policy).confine(('/bin/sh','-c',': > begun; sleep 600'),cwd=work)\n"
        "begin(confined,cwd=work,environment={},stdin=subprocess.DEVNULL)\n"
        "while not (work/'begun').exists(): pass\n"
        "os.kill(os.getpid(),signal.SIGKILL)\n"
    )
    assert policy.protected
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    words = [sys.executable, "-c", program]
    killed = await to_thread.run_sync(
        partial(subprocess.run, words, env=environment, check=False, cwd=Path.cwd())
    )
    assert killed.returncode == -signal.SIGKILL
    assert await to_thread.run_sync(os.listdir, work) == ["begun"]
    assert await to_thread.run_sync(partial(still_left, work, descent=False)) == {}


@pytest.mark.proves("F07", "divergences-background-processes-in-a-cage")
@pytest.mark.parametrize("cage", SEPARATED)
async def test_what_a_command_leaves_in_the_background_ends_with_it(work: Path, cage: str) -> None:
    sandbox = cage_of(cage, await policy_of(work))
    lasts = f"setsid sh -c 'echo > begun; sleep 600; : {work}/late' >/dev/null 2>&1 &"
    await told(sandbox, work, f"{lasts} until [ -e begun ]; do sleep 0.01; done")
    assert (work / "begun").exists()
    assert await to_thread.run_sync(partial(still_left, work, descent=False)) == {}


@pytest.mark.proves("codex-10.5")
async def test_a_cage_that_cannot_be_made_runs_nothing(work: Path) -> None:
    broken = Bubblewrap(await policy_of(work), Launcher(bwrap="/nowhere/bwrap", inner=taking(None)))
    with pytest.raises(FileNotFoundError):
        await told(broken, work, "touch made")
    assert await to_thread.run_sync(os.listdir, work) == []
