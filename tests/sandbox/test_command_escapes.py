"""Hostile commands in each cage there is: nothing outside changes, nothing hidden is read."""

import contextlib
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.safety.sandbox import Confined, Policy, begin
from ouroboros.safety.sandbox.policy import (
    GIT_STEERS,
    Traffic,
    protected_in,
    real,
    secrets_of,
    staying,
)
from tests.browser.settling import until
from tests.sandbox import command_escapes
from tests.sandbox.cages import CAGES, OFFERED, SEPARATED, cage_of

GROUPS = {
    "writes": command_escapes.WRITES,
    "protected": command_escapes.PROTECTED,
    "reads": command_escapes.READS,
    "kernel": command_escapes.KERNEL,
    "network": command_escapes.NETWORK,
    "metadata": command_escapes.METADATA,
}
CAGED = tuple(name for name in GROUPS if name != "metadata")
FEW = 12
"""One of so many."""
SECRET = "SECRET"


class Ground:
    """Folders, a listener of each kind and a process, and how they were before."""

    def __init__(self, base: Path) -> None:
        self.base = base.resolve()
        self.work, self.outside = self.base / "work", self.base / "outside"
        self.person, self.home = self.base / "person", self.base / "ours"
        self.other = self.base / "other"
        self._files()
        self.reached: list[str] = []
        self._listeners = [self._tcp(), self._local(str(self.base / "socket"))]
        self.abstract = f"ouroboros-{os.getpid()}-{self.base.name}"
        self._listeners.append(self._local(f"\0{self.abstract}"))
        self.port = self._listeners[0].getsockname()[1]
        self._datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._datagrams.bind(str(self.base / "datagrams"))
        self._datagrams.settimeout(0)
        self._accepting = [
            threading.Thread(target=self._accept, args=(listener,), daemon=True)
            for listener in self._listeners
        ]
        for thread in self._accepting:
            thread.start()
        self.victim = subprocess.Popen(
            ["/bin/sleep", "600"], cwd=self.outside, env={"SLEEPER": SECRET}
        )
        self.before = self.state()

    def _files(self) -> None:
        files = {
            self.outside / "canary": "quiet",
            self.outside / "run.sh": "#!/bin/sh\n",
            self.outside / "sub" / "canary": "quiet",
            self.person / ".bashrc": "",
            self.home / "config.toml": "",
            self.work / "file": "#!/bin/sh\n",
            self.work / "src" / "a.txt": "one\n",
            self.work / "tree" / ".git": f"gitdir: {self.other}\n",
            self.work / "deep" / "sub" / ".git" / "config": "",
            self.work / "deep" / "sub" / ".git" / "hooks" / "sample": "",
            self.work / "deep" / ".ouroboros" / "config.toml": "",
            self.work / "real" / "config": "",
            self.other / "config": "",
            self.other / "hooks" / "sample": "",
        }
        for name in (".ssh/id_rsa", ".aws/credentials", ".netrc", ".git-credentials"):
            files[self.person / name] = SECRET
        files[self.person / ".config/gh/hosts.yml"] = SECRET
        files[self.home / "keys.toml"] = SECRET
        files[self.home / "auth" / "login.json"] = SECRET
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.work / "linked").mkdir()
        (self.work / "linked" / ".git").symlink_to("../real")
        subprocess.run(["git", "init", "-q", self.work], check=True)
        (self.work / ".git" / "hooks").mkdir(exist_ok=True)

    def _tcp(self) -> socket.socket:
        return socket.create_server(("127.0.0.1", 0))

    def _local(self, name: str) -> socket.socket:
        found = socket.socket(socket.AF_UNIX)
        found.bind(name)
        found.listen()
        return found

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                listener.accept()[0].close()
                self.reached.append(str(listener))

    def state(self) -> dict[str, object]:
        """All that is to stay: contents, modes, owners and times."""
        own = (".git", "deep", "linked", "real")
        inside = (self.work / name for name in own)
        roots = (self.outside, self.person, self.home, self.other, *inside)
        found: dict[str, object] = {
            str(path): _facts(path) for root in roots for path in (root, *sorted(root.rglob("*")))
        }
        link = self.work / "linked" / ".git"
        found["link"] = link.is_symlink() and str(link.readlink())
        found["tree"] = _facts(self.work / "tree" / ".git")
        found |= dict.fromkeys((str(path) for path in self.base.iterdir()), True)
        found["victim"] = _condition(self.victim.pid)
        found["own"] = [(self.work / name).exists() for name in (".ouroboros", ".agents")]
        found["system"] = [Path(name).exists() for name in ("/etc/made", "/usr/local/bin/made")]
        return found

    def received(self) -> bool:
        """Whether a datagram came, or somebody connected."""
        with contextlib.suppress(BlockingIOError):
            self.reached.append(str(self._datagrams.recv(10)))
        return bool(self.reached)

    def policy(self, network: Traffic = "off", *, is_closed: bool = True) -> Policy:
        roots = real([self.work])
        return Policy(
            writable=roots,
            protected=staying((*protected_in(roots, is_closed=is_closed), self.home)),
            hidden=real(secrets_of(self.person, self.home)),
            network=network,
        )

    def text(self, case: str) -> str:
        words = {
            "{O}": self.outside,
            "{S}": self.person,
            "{H}": self.home,
            "{W}": self.work,
            "{G}": self.other,
            "{P}": self.victim.pid,
            "{E}": os.getpid(),
            "{T}": self.port,
            "{U}": self.base / "socket",
            "{D}": self.base / "datagrams",
            "{A}": self.abstract,
            "{PY}": f"{sys.executable} -ISB",
        }
        for name, value in words.items():
            case = case.replace(name, str(value))
        return case

    def close(self) -> None:
        self.victim.send_signal(signal.SIGKILL)
        self.victim.wait()
        for listener, accepting in zip(self._listeners, self._accepting, strict=True):
            # Not closed under a thread that is about to accept: its number may soon be another's.
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
                accepting.join()
            listener.close()
        self._datagrams.close()


def _condition(pid: int) -> str:
    """Whether a process sleeps, is stopped or gone, and how nice it is."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
        return f"{fields[0] if fields[0] in 'TtXZ' else 'alive'} {fields[16]}"
    return "gone"


def _facts(path: Path) -> tuple[object, ...] | None:
    if not path.exists():
        return None
    status = path.lstat()
    content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    return (status.st_mode, status.st_uid, status.st_mtime_ns, status.st_ctime_ns, content)


def ran(confined: Confined, cwd: Path) -> str:
    """All that it says in at most ten seconds; what it left running ends with it."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(cwd), "LC_ALL": "C.UTF-8"}
    process = begin(
        confined,
        cwd=cwd,
        environment=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    try:
        said = process.communicate(timeout=120)[0]
    except subprocess.TimeoutExpired:
        said = b""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
    if confined.finish is not None:
        confined.finish()
    return said.decode("utf-8", "replace")


@pytest.fixture
def ground(tmp_path: Path) -> Generator[Ground]:
    made = Ground(tmp_path)
    yield made
    made.close()


def attacked(
    ground: Ground, cage: str, cases: tuple[str, ...], network: Traffic = "off"
) -> list[str]:
    """The cases that came through; what they changed is made whole before the next one."""
    through: list[str] = []
    sandbox = cage_of(cage, ground.policy(network))
    for case in cases:
        text = ground.text(case)
        said = ran(sandbox.confine(("/bin/bash", "-c", text), cwd=ground.work), ground.work)
        now = ground.state()
        if now != ground.before or SECRET in said or ground.received():
            changed = [name for name in now if now[name] != ground.before.get(name)]
            through.append(f"{case}: {changed} {ground.reached} {said[:200]!r}")
            ground.before = now
            ground.reached.clear()
    return through


@pytest.mark.proves(
    "F03",
    "F06",
    "F08",
    "sandbox-cage",
    "F10",
    "codex-10.1",
    "codex-10.4",
    "codex-10.2",
    "divergences-repositories-made-in-a-session",
)
@pytest.mark.skipif(OFFERED.landlock < 6, reason="the kernel has no Landlock of version 6")
@pytest.mark.parametrize("cage", CAGES)
@pytest.mark.parametrize("group", CAGED)
@pytest.mark.parametrize(
    "one_of", [pytest.param(4, marks=pytest.mark.deep), pytest.param(1, marks=pytest.mark.soak)]
)
async def test_no_command_gets_out(ground: Ground, cage: str, group: str, one_of: int) -> None:
    cases = GROUPS[group][one_of - 1 :: one_of]
    through = await to_thread.run_sync(attacked, ground, cage, cases)
    assert through == [], f"{len(through)} of {len(cases)} came through"


@pytest.mark.deep
@pytest.mark.proves("F03", "F06", "F08", "sandbox-cage", "F10")
@pytest.mark.skipif(OFFERED.landlock < 6, reason="the kernel has no Landlock of version 6")
@pytest.mark.parametrize("cage", CAGES)
async def test_no_command_of_each_kind_gets_out(ground: Ground, cage: str) -> None:
    """A few of each kind; the others are tried in the deep tests."""
    cases = tuple(case for kind in CAGED for case in GROUPS[kind][::FEW])
    assert await to_thread.run_sync(attacked, ground, cage, cases) == []


def steering(ground: Ground) -> dict[str, object]:
    """What names programs and settings, in every repository and in our folders: contents and modes."""
    found: dict[str, object] = {}
    folders = [
        *(ground.work / name for name in (".git", "deep/sub/.git", "real")),
        ground.other,
    ]
    places = [folder / name for folder in folders for name in GIT_STEERS]
    places += [ground.work / name for name in (".ouroboros", ".agents", "deep/.ouroboros")]
    places += [ground.work / "tree" / ".git"]
    for place in places:
        for path in (place, *sorted(place.rglob("*"))):
            facts = _facts(path)
            found[str(path)] = facts and (facts[0], facts[4])
    link = ground.work / "linked" / ".git"
    found["link"] = link.is_symlink() and str(link.readlink())
    return found


@pytest.mark.proves("F08", "F11")
@pytest.mark.deep
@pytest.mark.skipif(OFFERED.landlock < 6, reason="the kernel has no Landlock of version 6")
@pytest.mark.parametrize("cage", ["landlock, restoring", *SEPARATED])
async def test_what_steers_git_stays_where_the_rest_may_be_written(
    ground: Ground, cage: str
) -> None:
    through: list[str] = []

    def attack() -> None:
        sandbox = cage_of(cage, ground.policy(is_closed=False))
        before = steering(ground)
        for case in command_escapes.PROTECTED:
            words = ("/bin/bash", "-c", ground.text(case))
            said = ran(sandbox.confine(words, cwd=ground.work), ground.work)
            now = steering(ground)
            if now != before:
                changed = [name for name in {**now, **before} if now.get(name) != before.get(name)]
                through.append(f"{case}: {changed} {said[:200]!r}")
                before = now

    await to_thread.run_sync(attack)
    assert through == []


@pytest.mark.proves("F03", "divergences-the-cage-without-bubblewrap")
@pytest.mark.deep
@pytest.mark.parametrize("cage", SEPARATED)
async def test_modes_and_times_stay_where_there_are_mounts(ground: Ground, cage: str) -> None:
    cases = command_escapes.METADATA
    assert await to_thread.run_sync(attacked, ground, cage, cases) == []


@pytest.mark.deep
@pytest.mark.skipif(OFFERED.landlock < 6, reason="the kernel has no Landlock of version 6")
async def test_what_may_only_ask_the_proxy_finds_no_other_way(ground: Ground) -> None:
    cases = command_escapes.PAST_THE_PROXY
    assert await to_thread.run_sync(attacked, ground, "landlock", cases, "proxy") == []


@pytest.mark.proves("F08", "F10", "divergences-sockets-of-this-machine-with")
@pytest.mark.skipif(OFFERED.landlock < 6, reason="the kernel has no Landlock of version 6")
@pytest.mark.parametrize(
    "cage",
    [pytest.param(each, marks=() if each == CAGES[0] else pytest.mark.deep) for each in CAGES],
)
async def test_with_the_network_on_no_program_of_this_machine_is_spoken_to(
    ground: Ground, cage: str
) -> None:
    """Docker, podman, agents that hold keys, the bus and the desktop all listen on local sockets."""
    cases = command_escapes.LOCAL_SOCKETS
    assert await to_thread.run_sync(attacked, ground, cage, cases, "on") == []
    sandbox = cage_of(cage, await to_thread.run_sync(ground.policy, "on"))
    text = f"""{sys.executable} -ISBc 'import socket as s
a,b=s.socketpair();a.send(b"x");print(b.recv(1));s.create_connection(("127.0.0.1",{ground.port}))'"""
    words = ("/bin/bash", "-c", text)
    said = await to_thread.run_sync(ran, sandbox.confine(words, cwd=ground.work), ground.work)
    assert said == "b'x'\n"
    await until(ground.received)


@pytest.mark.proves("F03")
def test_there_are_enough_of_them() -> None:
    assert sum(map(len, GROUPS.values())) >= 150
    assert shutil.which("git")
