"""What a sandbox refuses is observed as the calls are made, whatever the program says of it."""

import itertools
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.safety.sandbox import Confined, Policy, noted, stopped
from ouroboros.safety.sandbox.begin import begin
from ouroboros.safety.sandbox.starting import end_launcher
from tests.leftovers import left
from tests.sandbox.cages import CAGES, cage_of

pytestmark = pytest.mark.real
OBSERVED = [cage for cage in CAGES if cage != "bubblewrap"]
ROOT = Path(__file__).parents[2]
PYTHON = f"{sys.executable} -ISB -c"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/config").write_text("[core]\n")
    (folder / "secret").write_text("token")
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "old").write_text("old")
    return folder


def policy_of(work: Path) -> Policy:
    return Policy(writable=(work,), protected=(work / ".git/config",), hidden=(work / "secret",))


async def ran(policy: Policy, work: Path, text: str, cage: str) -> tuple[int, str, Confined]:
    confined = cage_of(cage, policy).confine(("/bin/bash", "-c", text), cwd=work)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def run() -> tuple[int, str]:
        process = begin(
            confined,
            cwd=work,
            environment=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        said, _ = process.communicate(timeout=120)
        assert confined.finish is not None
        confined.finish()
        return process.wait(), said.decode("utf-8", "replace")

    code, said = await to_thread.run_sync(run)
    return code, said, confined


REFUSED = [
    ("echo x > {out}/new", "writing {out}/new: outside"),
    ("echo x >> {out}/old", "writing {out}/old: outside"),
    ("truncate -s 0 {out}/old", "writing {out}/old: outside"),
    ("mkdir {out}/made", "writing {out}/made: outside"),
    ("cd {out} && mkdir made", "writing {out}/made: outside"),
    ("rm {out}/old", "writing {out}/old: outside"),
    ("cd {out} && rm -rf old", "writing {out}/old: outside"),
    ("mv {out}/old .", "writing {out}/old: outside"),
    ("touch a; mv a {out}/a", "writing {out}/a: outside"),
    ("ln -s x {out}/link", "writing {out}/link: outside"),
    ("touch a; ln a {out}/hard", "writing {out}/hard: outside"),
    ("chmod 600 {out}/old", "writing {out}/old: outside"),
    ("mkfifo {out}/pipe", "writing {out}/pipe: outside"),
    (
        '{py} \'import os;os.open("old", 1, dir_fd=os.open("{out}", os.O_PATH))\'',
        "writing {out}/old: outside",
    ),
    ("git config -f .git/config user.name x", "writing {work}/.git/config"),
    ("echo x > .git/config", "writing {work}/.git/config: commands leave it as it is"),
    ("echo x > secret", "{work}/secret: hidden from commands"),
    ("cat secret", "what is hidden from commands (cat: secret: Permission denied)"),
    ("{py} 'import socket;socket.socket()'", "the network: it is off"),
    ("unshare -U true", "namespaces of its own"),
    ("mount -t tmpfs x /mnt", "mounting"),
    ("{py} 'import ctypes;ctypes.CDLL(None).ptrace(16, 1, 0, 0)'; false", "debugging a process"),
    ("echo x > $'{out}/\\e[31mred\\nIgnore'", "writing {out}/red Ignore: outside"),
]


@pytest.mark.deep
@pytest.mark.proves("F11")
@pytest.mark.parametrize("cage", OBSERVED)
async def test_what_was_refused_is_named_with_its_place(work: Path, cage: str) -> None:
    """Also where the program says nothing and ends well, and then nothing is asked of anybody."""
    places = {"out": work.parent / "outside", "work": work, "py": PYTHON}
    wrong: list[object] = []
    for text, expected in REFUSED:
        if text.startswith("chmod") and cage == "landlock":
            continue  # which it does not refuse
        command, wanted = text, expected
        for name, place in places.items():
            command = command.replace(f"{{{name}}}", str(place))
            wanted = wanted.replace(f"{{{name}}}", str(place))
        loud = await ran(policy_of(work), work, command, cage)
        quiet = await ran(policy_of(work), work, f"{command} 2>/dev/null; exit 0", cage)
        told = noted(loud[2], loud[1])
        if wanted not in told or not stopped(loud[2], loud[0] or 1, loud[1]):
            wrong.append((command, loud[:2], told))
        if "secret: Perm" not in wanted and wanted not in noted(quiet[2], quiet[1]):
            wrong.append((command, quiet[:2]))
        if quiet[0] or stopped(quiet[2], *quiet[:2]):
            wrong.append((command, "is asked about", quiet[:2]))
    assert wrong == []


@pytest.mark.deep
@pytest.mark.proves("F11")
@pytest.mark.parametrize("cage", OBSERVED)
async def test_what_is_let_through_is_not_told_of(work: Path, cage: str) -> None:
    ordinary = [
        "touch a; echo x > b; mkdir c; mv a c/a; rm b; ln -s c d; chmod 600 c/a; rm -r c d",
        "echo x > /dev/null; echo x > /dev/stderr; mkdir -p /usr/lib {work}; test -w /etc",
        "git init -q r; cd r; git -c user.name=a -c user.email=a commit -q --allow-empty -m a",
        "cat /etc/os-release; ls -la / ~; id; getent passwd root; readlink /proc/self/exe",
        f"{sys.executable} -c 'import asyncio, subprocess, http.client; asyncio.run(asyncio.sleep(0))'",
        # As pip does when it starts, to see if there is such a network.
        f"{sys.executable} -c 'import socket\ntry: socket.socket(socket.AF_INET6)\nexcept OSError: 0'",
        "rm /nowhere; cat /nowhere > b; : > /nowhere/at/all; mkdir /usr; rmdir /nowhere",
    ]
    # With Landlock alone nothing can be made beside what is kept.
    policy = Policy(writable=(work,)) if cage == "landlock" else policy_of(work)
    for text in ordinary:
        _, said, confined = await ran(policy, work, text.replace("{work}", str(work)), cage)
        assert (noted(confined, said), text) == ("", text)
        assert stopped(confined, 1, said) == ""
    tries = "import contextlib, socket\nfor n in range(2):\n  with contextlib.suppress(OSError): socket.socket(socket.AF_INET6)"
    _, said, confined = await ran(policy, work, f"{sys.executable} -c '{tries}'", cage)
    assert "the network" in noted(confined, said)


@pytest.mark.proves("F11")
@pytest.mark.parametrize("cage", OBSERVED)
async def test_words_of_a_program_alone_are_no_refusal(work: Path, cage: str) -> None:
    """But with Landlock alone, which refuses some of what nobody is notified of."""
    said = "pytest: 3 failed: PermissionError: Permission denied: Operation not permitted"
    code, heard, confined = await ran(policy_of(work), work, f"echo '{said}'; exit 1", cage)
    assert code == 1
    assert stopped(confined, code, heard) == ("" if cage == "namespaces" else said)
    both = f"echo x > {work.parent}/outside/new; echo '{said}'; exit 1"
    _, heard, confined = await ran(policy_of(work), work, both, cage)
    assert said not in stopped(confined, 1, heard)
    assert "outside/new" in stopped(confined, 1, heard)


@pytest.mark.deep
@pytest.mark.parametrize("cage", OBSERVED)
async def test_what_is_sent_to_its_group_ends_only_the_command(work: Path, cage: str) -> None:
    for name in ("USR1", "USR2", "ALRM", "TERM", "IO", "RTMIN+3"):
        text = f"trap 'echo got' {name}; kill -{name} 0; echo goes on"
        assert (await ran(Policy(writable=(work,)), work, text, cage))[:2] == (0, "got\ngoes on\n")


@pytest.mark.deep
@pytest.mark.proves("F11")
@pytest.mark.parametrize("cage", OBSERVED)
async def test_where_there_is_a_proxy_the_address_is_named(work: Path, cage: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        port = proxy.getsockname()[1]
        policy = replace(policy_of(work), network="proxy", ports=(port,))
        text = f"{PYTHON} 'import socket;socket.create_connection((\"127.0.0.1\", {port}), 30)'"
        _, said, confined = await ran(policy, work, text, cage)
        assert "127.0.0.1" not in noted(confined, said)
    for address in ("192.0.2.1", "2001:db8::1", "127.0.0.1"):
        text = f"{PYTHON} 'import socket;socket.create_connection((\"{address}\", 4433), 30)'"
        code, said, confined = await ran(policy, work, text, cage)
        assert code == 1
        assert "4433" in stopped(confined, code, said), said
        assert address in noted(confined, said)


@pytest.mark.deep
@pytest.mark.parametrize("cage", OBSERVED)
async def test_many_processes_and_killed_ones_are_observed_to_the_end(
    work: Path, cage: str
) -> None:
    """Nobody waits for an answer that does not come: neither a caller nor who observes it."""
    text = """
        for k in 1 2 3 4 5 6 7 8; do
            ( for i in $(seq 40); do echo $i > f$k; mv f$k g$k; rm g$k; done; echo x > {out}/$k ) & writers="$writers $!"
        done
        for k in 1 2 3 4; do
            ( while :; do echo x > h$k; done ) & kill -9 $!
        done
        ( sleep 0.1; while :; do echo x > late; done ) & victim=$!
        wait $writers
        kill -9 $victim; exit 7
    """
    code, said, confined = await ran(
        Policy(writable=(work,)), work, text.replace("{out}", str(work.parent / "outside")), cage
    )
    assert code == 7
    assert confined.refusals is not None
    places = {Path(each.place).name for each in confined.refusals.all()}
    assert places == set("12345678"), said


@pytest.mark.parametrize("cage", OBSERVED)
async def test_the_observer_cannot_be_reached_from_inside(work: Path, cage: str) -> None:
    """Neither its descriptors nor its memory, and nothing of a command is let through by it."""
    text = (
        "for f in /proc/$PPID/fd/*; do readlink $f; done; ls /proc/$PPID/fd; head -c1 /proc/$PPID/mem;"
        f"{PYTHON} 'import os;print([f for f in os.listdir(\"/proc/self/fd\")])'; ls -l /proc/self/fd"
    )
    _, said, _ = await ran(policy_of(work), work, text, cage)
    assert "seccomp" not in said
    assert "pipe" not in said.replace("1 -> pipe", "").replace("2 -> pipe", ""), said


_BLIND = """
import asyncio, struct, sys
from pathlib import Path
from ouroboros.safety.locking import kernel

kernel.no_new_privileges()
kernel.seccomp_listener(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000))  # there is one at most

from ouroboros.safety.sandbox import Policy, noted, stopped
from tests.sandbox import test_refusals

work, cage = Path(sys.argv[1]), sys.argv[2]
code, said, confined = asyncio.run(
    test_refusals.ran(Policy(writable=(work,)), work, "echo x > ../outside/new", cage)
)
print((code, stopped(confined, code, said), noted(confined, said)))
"""


@pytest.mark.proves("divergences-how-a-refusal-is-known")
@pytest.mark.parametrize("cage", OBSERVED)
async def test_where_nobody_is_notified_the_words_of_the_program_count(
    work: Path, cage: str
) -> None:
    """As under another program's listener, and on kernels before 5.19."""
    words = (sys.executable, "-c", _BLIND, str(work), cage)
    done = await to_thread.run_sync(
        partial(subprocess.run, words, cwd=ROOT, capture_output=True, text=True)
    )
    assert done.stdout.startswith("(1, '/bin/bash: line 1: ../outside/new: "), done.stderr
    assert done.stdout.endswith(", '')\n")


@pytest.mark.deep
@pytest.mark.parametrize("is_killed", [False, True])
async def test_what_outlives_its_command_goes_on_writing(work: Path, is_killed: bool) -> None:
    """With Landlock alone it may, and whoever is notified of its calls must outlive the command too.

    At whatever moment that is killed: also with a call in hand that it has not answered yet.
    """
    await to_thread.run_sync(end_launcher)  # so that only this command has anybody who does
    finishes = [
        await outlives(work / name, is_killed=is_killed)
        for name in ("abcdefgh" if is_killed else "a")
    ]
    # The launcher alone is left: whoever answered for what outlived its command has ended with it.
    await until(lambda: sum("locking.launcher" in each for each in left(work).values()) <= 1)
    await to_thread.run_sync(end_launcher)
    for finish in finishes:
        finish()


def folder_of(work: Path) -> Path:
    work.mkdir()
    (work / "lives").write_text("while [ ! -e stop ]; do echo x > alive; done; echo x > ended")
    return work


async def outlives(folder: Path, *, is_killed: bool) -> Callable[[], None]:
    work = folder_of(folder)
    ends = "sleep 1000" if is_killed else "exit 3"
    words = ("/bin/bash", "-c", f"setsid bash lives & while [ ! -s alive ]; do :; done; {ends}")
    confined = cage_of("landlock", Policy(writable=(work,))).confine(words, cwd=work)
    quiet = subprocess.DEVNULL
    environment = {"PATH": os.environ["PATH"]}
    start = partial(begin, confined, cwd=work, environment=environment, stdin=quiet)
    process = await to_thread.run_sync(partial(start, stdout=quiet, stderr=quiet))
    if is_killed:
        await until(lambda: (work / "alive").exists())
        process.kill()
    code = await to_thread.run_sync(process.wait)
    assert code == (-signal.SIGKILL if is_killed else 3)
    (work / "alive").unlink()
    await until(lambda: (work / "alive").exists())
    (work / "stop").touch()
    await until(lambda: (work / "ended").exists())
    assert confined.finish is not None
    return confined.finish


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        for pause in itertools.repeat(0.01):
            if holds():
                break
            await anyio.sleep(pause)
