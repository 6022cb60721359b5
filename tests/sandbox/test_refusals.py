"""What a sandbox refuses is observed as the calls are made, whatever the program says of it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.safety.sandbox import Confined, Policy, noted, stopped
from ouroboros.safety.sandbox.begin import begin
from ouroboros.safety.sandbox.features import features
from ouroboros.safety.sandbox.namespaces import Namespaces

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not features().namespaces, reason="the kernel makes no namespaces for us"),
]
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


async def ran(policy: Policy, work: Path, text: str) -> tuple[int, str, Confined]:
    confined = Namespaces(policy).confine(("/bin/bash", "-c", text), cwd=work)
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
async def test_what_was_refused_is_named_with_its_place(work: Path) -> None:
    """Also where the program says nothing and ends well, and then nothing is asked of anybody."""
    places = {"out": work.parent / "outside", "work": work, "py": PYTHON}
    wrong: list[object] = []
    for text, expected in REFUSED:
        command, wanted = text, expected
        for name, place in places.items():
            command = command.replace(f"{{{name}}}", str(place))
            wanted = wanted.replace(f"{{{name}}}", str(place))
        loud = await ran(policy_of(work), work, command)
        quiet = await ran(policy_of(work), work, f"{command} 2>/dev/null; exit 0")
        told = noted(loud[2], loud[1])
        if wanted not in told or not stopped(loud[2], loud[0] or 1, loud[1]):
            wrong.append((command, loud[:2], told))
        if "secret: Perm" not in wanted and wanted not in noted(quiet[2], quiet[1]):
            wrong.append((command, quiet[:2]))
        if quiet[0] or stopped(quiet[2], *quiet[:2]):
            wrong.append((command, "is asked about", quiet[:2]))
    assert wrong == []


@pytest.mark.proves("F11")
async def test_what_is_let_through_is_not_told_of(work: Path) -> None:
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
    for text in ordinary:
        _, said, confined = await ran(policy_of(work), work, text.replace("{work}", str(work)))
        assert (noted(confined, said), text) == ("", text)
        assert stopped(confined, 1, said) == ""
    tries = "import contextlib, socket\nfor n in range(2):\n  with contextlib.suppress(OSError): socket.socket(socket.AF_INET6)"
    _, said, confined = await ran(policy_of(work), work, f"{sys.executable} -c '{tries}'")
    assert "the network" in noted(confined, said)


@pytest.mark.proves("F11")
async def test_words_of_a_program_alone_are_no_refusal(work: Path) -> None:
    said = "pytest: 3 failed: PermissionError: Permission denied: Operation not permitted"
    code, heard, confined = await ran(policy_of(work), work, f"echo '{said}'; exit 1")
    assert code == 1
    assert stopped(confined, code, heard) == ""


@pytest.mark.proves("F11")
async def test_where_there_is_a_proxy_the_address_is_named(work: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        port = proxy.getsockname()[1]
        policy = replace(policy_of(work), network="proxy", ports=(port,))
        text = f"{PYTHON} 'import socket;socket.create_connection((\"127.0.0.1\", {port}), 30)'"
        _, said, confined = await ran(policy, work, text)
        assert "127.0.0.1" not in noted(confined, said)
    for address in ("192.0.2.1", "2001:db8::1", "127.0.0.1"):
        text = f"{PYTHON} 'import socket;socket.create_connection((\"{address}\", 4433), 30)'"
        code, said, confined = await ran(policy, work, text)
        assert code == 1
        assert "4433" in stopped(confined, code, said), said
        assert address in noted(confined, said)


async def test_many_processes_and_killed_ones_are_observed_to_the_end(work: Path) -> None:
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
        policy_of(work), work, text.replace("{out}", str(work.parent / "outside"))
    )
    assert code == 7
    assert confined.refusals is not None
    places = {Path(each.place).name for each in confined.refusals.all()}
    assert places == set("12345678"), said


async def test_the_observer_cannot_be_reached_from_inside(work: Path) -> None:
    """Neither its descriptors nor its memory, and nothing of a command is let through by it."""
    text = (
        "for f in /proc/1/fd/*; do readlink $f; done; ls /proc/1/fd; head -c1 /proc/1/mem;"
        f"{PYTHON} 'import os;print([f for f in os.listdir(\"/proc/self/fd\")])'; ls -l /proc/self/fd"
    )
    _, said, _ = await ran(policy_of(work), work, text)
    assert "seccomp" not in said
    assert "pipe" not in said.replace("1 -> pipe", "").replace("2 -> pipe", ""), said
