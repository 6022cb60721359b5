"""Each thing the doctor looks at, whole and broken, and the fix it prints."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from anyio.abc import SocketAttribute, SocketStream

from ouroboros.app import doctor
from ouroboros.app.config import trust
from ouroboros.app.providers import keys
from ouroboros.store.db import open_database

pytestmark = pytest.mark.real

TERMINAL = doctor.Terminal(is_terminal=True, columns=80, encoding="utf-8")
NOBODY = "127.0.0.1:1"


class Machine:
    """A home, a folder of programs and an environment that the doctor is shown."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.programs = root / "bin"
        self.cwd = root / "work"
        self.programs.mkdir()
        self.cwd.mkdir()
        self.terminal = TERMINAL
        self.environment = {
            "OUROBOROS_HOME": str(self.home),
            "PATH": str(self.programs),
            "TERM": "xterm",
            "OLLAMA_HOST": f"http://{NOBODY}",
            "OPENAI_API_KEY": "sk-secret",
        }
        self.program("git", "echo git version 2")
        self.program("rg", "echo ripgrep 14")

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    async def checks(self, name: str) -> list[doctor.Check]:
        found = await doctor.examine(
            self.environment, self.cwd, self.home, self.terminal, beside=self.programs
        )
        return [check for check in found if check.name == name]

    async def check(self, name: str) -> doctor.Check:
        return (await self.checks(name))[0]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


async def test_a_whole_machine_has_nothing_failed(machine: Machine) -> None:
    found = await doctor.examine(machine.environment, machine.cwd, machine.home, TERMINAL)

    assert not doctor.has_failed(found)
    assert [check.name for check in found if check.verdict != "ok"] == ["ollama"]
    assert [check.name for check in found if check.verdict != "ok" and not check.fix] == []
    assert "sk-secret" not in repr(found)


@pytest.mark.deep
@pytest.mark.proves("W09")
async def test_a_missing_git_fails_and_a_missing_rg_warns(machine: Machine) -> None:
    (machine.programs / "git").unlink()
    (machine.programs / "rg").unlink()

    git, rg = await machine.check("git"), await machine.check("rg")

    assert (git.verdict, git.said, git.fix) == ("failed", "not found on PATH", "install git")
    assert rg.verdict == "warning"


@pytest.mark.deep
async def test_a_git_that_does_not_run_fails(machine: Machine) -> None:
    machine.program("git", "exit 3")
    assert (await machine.check("git")).said.endswith("--version ended with 3")

    (machine.programs / "git").write_text("#!/nowhere/at/all\n", encoding="utf-8")
    assert (await machine.check("git")).verdict == "failed"


async def test_a_home_that_is_a_file_fails_with_what_to_do(machine: Machine) -> None:
    machine.home.write_text("", encoding="utf-8")

    home = await machine.check("home")

    assert home.verdict == "failed"
    assert home.said.startswith(f"{machine.home} cannot be written")
    assert "OUROBOROS_HOME" in home.fix


async def test_files_others_can_read_are_named_with_their_fix(machine: Machine) -> None:
    machine.home.mkdir(mode=0o755)
    (machine.home / "auth").mkdir(mode=0o755)
    (machine.home / "config.toml").write_text("", encoding="utf-8")
    (machine.home / "config.toml").chmod(0o644)

    found = await machine.checks("file modes")

    assert [check.fix for check in found] == [
        f"chmod 700 {machine.home}",
        f"chmod 700 {machine.home / 'auth'}",
        f"chmod 600 {machine.home / 'config.toml'}",
    ]


def make_database(home: Path) -> None:
    with closing(open_database(home)):
        pass


@pytest.mark.deep
@pytest.mark.proves("W09")
async def test_a_damaged_database_fails(machine: Machine) -> None:
    machine.home.mkdir(mode=0o700)
    assert (await machine.check("database")).said == "none yet"
    await to_thread.run_sync(make_database, machine.home)
    assert (await machine.check("database")).said == "sound"

    (machine.home / "ouroboros.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    for side in ("-wal", "-shm"):
        (machine.home / f"ouroboros.db{side}").unlink(missing_ok=True)

    found = await machine.check("database")
    assert found.verdict == "failed"
    assert found.fix


@pytest.mark.proves("W09")
async def test_no_key_and_no_ollama_fails_with_every_way_out(machine: Machine) -> None:
    del machine.environment["OPENAI_API_KEY"]

    found = await machine.check("keys")

    assert found.verdict == "failed"
    assert "OPENAI_API_KEY" in found.fix
    assert "ANTHROPIC_API_KEY" in found.fix
    assert "Ollama" in found.fix
    assert "./ouro demo" in found.fix


@pytest.mark.deep
async def test_a_server_of_ones_own_may_need_no_key(machine: Machine) -> None:
    del machine.environment["OPENAI_API_KEY"]
    machine.home.mkdir(mode=0o700)
    settings = machine.home / "config.toml"
    settings.write_text('[providers.mine]\nbase_url = "http://h/v1"\n', encoding="utf-8")
    assert (await machine.check("keys")).said == "none, and none is needed for mine"
    settings.write_text(
        '[providers.mine]\nbase_url = "http://h/v1"\nauth = "command"\n', encoding="utf-8"
    )
    broken = await machine.check("settings")
    assert broken.verdict == "failed"
    assert 'auth = "command"' in broken.said, broken.said


@asynccontextmanager
async def ollama(answer: bytes) -> AsyncGenerator[str]:
    async def serve(stream: SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(answer)

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port: int = listener.extra_attributes[SocketAttribute.local_port]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            yield f"127.0.0.1:{port}"
            tasks.cancel_scope.cancel()


@pytest.mark.deep
async def test_a_running_ollama_is_found_and_needs_no_key(machine: Machine) -> None:
    del machine.environment["OPENAI_API_KEY"]
    async with ollama(b'HTTP/1.1 200 OK\r\n\r\n{"version":"1"}') as address:
        for spelled in (address, f"http://{address}"):
            machine.environment["OLLAMA_HOST"] = spelled

            assert (await machine.check("ollama")).verdict == "ok"
            assert (await machine.check("keys")).verdict == "ok"


async def test_something_else_on_the_port_is_not_taken_for_ollama(machine: Machine) -> None:
    async with ollama(b"SSH-2.0-x\r\n") as address:
        machine.environment["OLLAMA_HOST"] = address

        assert (await machine.check("ollama")).said.endswith("is not Ollama")


@pytest.mark.parametrize(
    "host", ["0.0.0.0:1", "[::1]:1", "http://localhost:1/", "http://[", "127.0.0.1:99999999"]
)
async def test_no_spelling_of_the_address_breaks_the_doctor(machine: Machine, host: str) -> None:
    machine.environment["OLLAMA_HOST"] = host

    assert (await machine.check("ollama")).verdict in {"ok", "warning"}


async def test_a_broken_setting_fails_with_its_place(machine: Machine) -> None:
    machine.home.mkdir(mode=0o700)
    (machine.home / "config.toml").write_text("mode = 3", encoding="utf-8")

    found = await machine.check("settings")

    assert found.verdict == "failed"
    assert "config.toml, line 1: mode: expected" in found.said


def trust_it(machine: Machine) -> None:
    trust.grant(machine.home, trust.read(machine.cwd, machine.home))


@pytest.mark.deep
async def test_an_untrusted_folder_warns(machine: Machine) -> None:
    (machine.cwd / ".env").write_text("A=1", encoding="utf-8")
    assert (await machine.check("settings")).verdict == "warning"

    await to_thread.run_sync(trust_it, machine)
    assert (await machine.check("settings")).verdict == "ok"


async def test_a_key_file_others_can_read_fails_with_the_fix(machine: Machine) -> None:
    del machine.environment["OPENAI_API_KEY"]
    await to_thread.run_sync(keys.store, machine.home, "OPENAI_API_KEY", "sk-secret")
    keys.key_file(machine.home).chmod(0o644)

    found = await machine.check("settings")

    assert (found.verdict, found.fix) == ("failed", f"chmod 600 {keys.key_file(machine.home)}")


TERMINALS = [
    (doctor.Terminal(is_terminal=True, columns=80, encoding="ascii"), "xterm", "UTF-8"),
    (doctor.Terminal(is_terminal=True, columns=80, encoding="utf-8"), "dumb", "TERM"),
    (doctor.Terminal(is_terminal=True, columns=80, encoding="UTF-8"), "", "TERM"),
]


@pytest.mark.proves("W09")
@pytest.mark.parametrize(("terminal", "kind", "fix"), TERMINALS)
async def test_a_poor_terminal_warns(
    machine: Machine, terminal: doctor.Terminal, kind: str, fix: str
) -> None:
    machine.terminal = terminal
    machine.environment["TERM"] = kind

    found = await machine.check("terminal")

    assert found.verdict == "warning"
    assert fix in found.fix


async def test_the_running_python_is_named(machine: Machine) -> None:
    found = await machine.check("python")

    assert found.said.startswith(".".join(map(str, sys.version_info[:3])))
    assert os.access(found.said.rpartition(" at ")[2], os.X_OK)


@pytest.mark.deep
@pytest.mark.proves("W09")
async def test_what_holds_commands_is_told_with_the_way_to_more(machine: Machine) -> None:
    parts = [await machine.check(name) for name in ("landlock", "seccomp", "namespaces")]
    assert all(part.verdict == "ok" or part.fix for part in parts)
    said = await machine.check("sandbox")
    assert (said.verdict == "ok") == (parts[-1].verdict == "ok")
    assert "network off" in said.said
    machine.environment["OUROBOROS_SANDBOX_MODE"] = "danger-full-access"
    bare = await machine.check("sandbox")
    assert (bare.verdict, "switched off" in bare.said) == ("warning", True)
    assert "workspace-write" in bare.fix
