"""Each part of a cage by itself, as a command inside of it sees it."""

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.safety.locking import kernel
from ouroboros.safety.sandbox import Confined, Policy, Sandbox, starting, stopped
from ouroboros.safety.sandbox.begin import ended
from ouroboros.safety.sandbox.landlock import CHANGE, READ, READ_DIR, Plan, ruleset_of
from ouroboros.safety.sandbox.namespaces import Namespaces
from ouroboros.safety.sandbox.starting import end_launcher
from tests.leftovers import left
from tests.sandbox.cages import CAGES, OFFERED, SEPARATED, cage_of
from tests.small_disk import mounted

pytestmark = pytest.mark.skipif(OFFERED.landlock < 4, reason="the kernel has no such Landlock")


NAMESPACES = pytest.mark.skipif(
    "namespaces" not in SEPARATED, reason="needs namespaces that a program may make"
)


async def told(cage: Sandbox, work: Path, text: str) -> str:
    words = ("/bin/bash", "-c", text.replace("{PY}", f"{sys.executable} -ISB"))
    return await said(cage.confine(words, cwd=work), work)


async def said(confined: Confined, work: Path) -> str:
    path = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    confined = replace(confined, environment={**confined.environment, **path})
    return (await to_thread.run_sync(partial(ended, confined, cwd=work, seconds=60)))[1]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    folder.mkdir()
    return folder


def own_namespaces(kinds: tuple[str, ...]) -> set[str]:
    return {str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in kinds}


def namespaces_work() -> bool:
    program = shutil.which("bwrap")
    if program is None:
        return False
    trial = [program, "--ro-bind", "/", "/", "--unshare-all", "--proc", "/proc", "--dev", "/dev"]
    return subprocess.run([*trial, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.proves("F03")
async def test_where_namespaces_work_bubblewrap_is_used() -> None:
    """Else every test of it would vanish with the first wrong flag."""
    assert (OFFERED.launcher is not None) == await to_thread.run_sync(namespaces_work)


@pytest.mark.proves("F06")
@pytest.mark.parametrize("cage", CAGES)
async def test_a_command_gains_no_rights_and_is_filtered(work: Path, cage: str) -> None:
    status = await told(cage_of(cage, Policy(writable=(work,))), work, "cat /proc/self/status")
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert facts["NoNewPrivs"] == "1"
    assert facts["Seccomp"] == "2"
    allowed = 0b1101_1011 if cage == "landlock" and os.geteuid() == 0 else 0
    for kind in ("CapBnd", "CapEff", "CapPrm"):
        if kind != "CapBnd" or os.geteuid() == 0:
            assert int(facts[kind], 16) & ~allowed == 0, kind


@pytest.mark.proves("F03")
@pytest.mark.parametrize("cage", SEPARATED)
async def test_a_command_has_namespaces_of_its_own(work: Path, cage: str) -> None:
    kinds = ("ipc", "mnt", "net", "pid")
    text = f"cd /proc/self/ns && readlink {' '.join(kinds)}"
    inside = (await told(cage_of(cage, Policy(writable=(work,))), work, text)).split()
    assert len(inside) == len(kinds)
    assert not own_namespaces(kinds) & set(inside)


@pytest.mark.parametrize("cage", CAGES)
async def test_files_move_and_are_linked_between_folders(work: Path, cage: str) -> None:
    text = 'mkdir a b && echo x > a/f && ln a/f b/g && {PY} -c \'import os;os.rename("a/f","b/f")\' && ls b'
    assert await told(cage_of(cage, Policy(writable=(work,))), work, text) == "f\ng\n"


@pytest.mark.proves("F08")
@pytest.mark.parametrize("cage", CAGES)
async def test_what_is_hidden_in_the_workspace_is_neither_read_nor_written(
    work: Path, cage: str
) -> None:
    (work / "keys").mkdir()
    (work / "keys" / "key").write_text("secret")
    (work / "src").mkdir()
    policy = Policy(writable=(work,), hidden=(work / "keys",))
    text = "cat keys/key; echo y > keys/key; rm keys/key; echo z > src/made"
    assert "secret" not in await told(cage_of(cage, policy), work, text)
    assert (work / "keys" / "key").read_text() == "secret"
    assert (work / "src" / "made").read_text() == "z\n"


@pytest.mark.proves("F08")
@pytest.mark.parametrize("cage", CAGES)
async def test_a_folder_above_what_is_protected_is_not_moved_away(work: Path, cage: str) -> None:
    (work / "sub" / ".git").mkdir(parents=True)
    policy = Policy(writable=(work,), protected=(work / "sub" / ".git",))
    await told(cage_of(cage, policy), work, "mv sub away; mkdir -p sub/.git/hooks")
    assert (work / "sub" / ".git").is_dir()
    assert not (work / "away").exists()
    assert not (work / "sub" / ".git" / "hooks").exists()


async def test_a_folder_that_was_made_meanwhile_is_granted_too(work: Path) -> None:
    (work / ".git").mkdir()
    cage = cage_of("landlock", Policy(writable=(work,), protected=(work / ".git",)))
    assert "denied" in await told(cage, work, "mkdir later")
    (work / "later").mkdir()
    await told(cage, work, "echo x > later/f")
    assert (work / "later" / "f").exists()


@pytest.mark.proves("F08", "F10")
async def test_what_cannot_be_made_beside_git_is_told_with_the_refusal(work: Path) -> None:
    (work / "src").mkdir()
    policy = Policy(writable=(work,), protected=(work / ".git",))
    words = ("/bin/sh", "-c", "mkdir later")
    assert stopped(cage_of("landlock", policy).confine(words, cwd=work), 1, "x: denied") == ""
    (work / ".git").mkdir()
    confined = cage_of("landlock", policy).confine(words, cwd=work)
    told_so = stopped(confined, 1, await said(confined, work))
    assert f"writing {work}/later" in told_so
    assert f"nothing can be made, renamed or removed directly in {work} (beside .git)" in told_so


@pytest.mark.proves("F10")
async def test_only_the_port_of_the_proxy_is_connected_to(work: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        ports = [each.getsockname()[1] for each in (one, other)]
        policy = Policy(writable=(work,), network="proxy", ports=(ports[0],))
        text = " ".join(f"(echo x > /dev/tcp/127.0.0.1/{port}) && echo {port};" for port in ports)
        heard = await told(cage_of("landlock", policy), work, text)
    assert f"\n{heard}".count(f"\n{ports[0]}\n") == 1
    assert f"\n{ports[1]}\n" not in f"\n{heard}"


@pytest.mark.proves("F09")
async def test_a_place_that_became_a_link_grants_nothing_of_what_it_leads_to(work: Path) -> None:
    outside = work.parent / "outside"
    outside.mkdir()
    (work / "sub").symlink_to(outside)
    grants = ((Path("/"), READ | READ_DIR), (Path("/dev/null"), CHANGE), (work / "sub", CHANGE))

    heard: list[bytes] = []

    def run() -> None:
        ruleset = ruleset_of(Plan(grants=grants, listed=()), ports=None)
        kernel.no_new_privileges()
        kernel.landlock_restrict(ruleset)
        os.close(ruleset)
        command = (sys.executable, "-ISc", "open('made', 'w')")
        heard.append(subprocess.run(command, cwd=outside, stderr=subprocess.PIPE).stderr)

    bound = threading.Thread(target=run)  # for good, so never one of a pool
    bound.start()
    bound.join()
    assert b"PermissionError" in heard[0]
    assert list(outside.iterdir()) == []


def children() -> dict[int, str]:
    """Our child processes, the ended ones that nobody has waited for among them, with their states."""
    found: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent, *_ = entry.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(parent) == os.getpid():
                found[int(entry.parent.name)] = state
    return found


def waiting_in_namespaces() -> set[int]:
    """Children of ours that are the first process of a namespace of their own."""
    found: set[int] = set()
    for pid in children():
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text("utf-8")
            if len(status.partition("NSpid:")[2].partition("\n")[0].split()) > 1:
                found.add(pid)
    return found


def variables_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.deep
@pytest.mark.proves("F03")
@pytest.mark.skipif(os.geteuid() != 0, reason="others see no variables of ours")
@pytest.mark.parametrize("cage", [each for each in CAGES if each != "bubblewrap"])
async def test_what_waits_for_the_next_command_shows_variables(work: Path, cage: str) -> None:
    """Else every search for what a command left would look at it again and again, and wait in between."""
    await to_thread.run_sync(end_launcher)
    before = set(left(work))
    assert await told(cage_of(cage, Policy(writable=(work,))), work, "echo one") == "one\n"
    waiting = set(left(work)) - before
    assert waiting
    assert [pid for pid in waiting if not variables_of(pid)] == []
    await to_thread.run_sync(end_launcher)


@pytest.mark.deep
@pytest.mark.proves("F03")
@NAMESPACES
@pytest.mark.parametrize("is_launcher_too", [False, True])
async def test_the_process_that_waits_for_the_next_command_may_be_ended_at_any_time(
    work: Path, is_launcher_too: bool
) -> None:
    await to_thread.run_sync(end_launcher)
    before = set(children())
    cage = Namespaces(Policy(writable=(work,)))
    assert await told(cage, work, "echo one") == "one\n"
    for _ in range(3):
        waiting: set[int] = set()
        with anyio.fail_after(60):
            for pause in itertools.repeat(0.01):
                if len(waiting := waiting_in_namespaces()) == 1:
                    break
                await anyio.sleep(pause)
        for pid in set(children()) - before if is_launcher_too else waiting:
            os.kill(pid, signal.SIGKILL)
        assert await told(cage, work, "echo next") == "next\n"
    await to_thread.run_sync(end_launcher)
    assert set(children()) <= before


@pytest.mark.proves("F03")
@pytest.mark.deep
@NAMESPACES
async def test_a_launcher_that_stands_still_is_given_up(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await to_thread.run_sync(end_launcher)
    monkeypatch.setattr(starting, "_ANSWER_SECONDS", 5.0)
    before = set(children())
    cage = Namespaces(Policy(writable=(work,)))
    assert await told(cage, work, "echo one") == "one\n"
    for pid in set(children()) - before - waiting_in_namespaces():
        os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(starting, "_ANSWER_SECONDS", 60.0)
    for _ in range(2):
        assert await told(cage, work, "echo next") == "next\n"
    await to_thread.run_sync(end_launcher)
    assert set(children()) <= before


@pytest.mark.proves("F03")
@NAMESPACES
async def test_the_next_command_has_the_network_of_its_own_policy(work: Path) -> None:
    off, on = (
        Namespaces(Policy(writable=(work,))),
        Namespaces(Policy(writable=(work,), network="on")),
    )
    link = "readlink /proc/self/ns/net"
    ours = own_namespaces(("net",))
    for cage, is_ours in ((off, False), (on, True), (on, True), (off, False), (off, False)):
        assert ({(await told(cage, work, link)).strip()} == ours) is is_ours


@pytest.mark.proves("F03")
@NAMESPACES
async def test_a_command_sees_what_was_mounted_while_its_process_waited(work: Path) -> None:
    cage = Namespaces(Policy(writable=(work,)))
    assert await told(cage, work, "echo one") == "one\n"
    with mounted(work / "disk", mebibytes=1) as disk:
        (disk / "there").touch()
        assert await told(cage, work, "ls disk") == "there\n"
    assert await told(cage, work, "ls disk") == ""
