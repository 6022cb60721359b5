"""`ouro web` as a program: what it prints, who may start it, how it ends, and what a kill leaves."""

import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import httpx2
import pytest
from anyio import to_thread

from ouroboros.app.past import sessions
from ouroboros.faces.web.door import Doorplate
from ouroboros.llm.turns import Fault, Turn
from ouroboros.testing.server import serving as models
from tests import forked
from tests.story.stage import call
from tests.unit.llm.auth_server import spare_port
from tests.web.serving import Frame, Served, is_durable, raw

STALLED = Turn(text="Half of it, and more.", fault=Fault(kind="stall", after=11))


class Program:
    """A running `ouro web`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.first = process.stdout.readline().strip()
        port, _, token = self.first.partition(" ")
        if found := re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=(\S+)", self.first):
            port, token = found.groups()
        self.plate = Doorplate(port=int(port or 0), token=token, ticket=str)

    def ends(self, how: signal.Signals | None = None) -> tuple[int, str, str]:
        """Sends a signal; its code, and what else it said."""
        if how is not None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            base_url=self.plate.address,
            headers={"authorization": f"Bearer {self.plate.token}"},
            timeout=60,
            trust_env=False,
        )


@contextmanager
def ouro_web(cwd: Path, *flags: str, **variables: str) -> Generator[Program]:
    """Starts it in a folder."""
    with forked.Popen(
        [sys.executable, "-m", "ouroboros", "web", *flags],
        cwd=cwd,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Program(process)
        finally:
            if process.poll() is None:
                process.kill()


def home() -> Path:
    return Path(os.environ["OUROBOROS_HOME"])


def listening_at(port: int) -> set[str]:
    """Addresses of this machine at which somebody listens on a port."""
    found: set[str] = set()
    for name in ("tcp", "tcp6"):
        for line in Path("/proc/net", name).read_text("utf-8").splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            address, _, number = local.partition(":")
            if state == "0A" and int(number, 16) == port:
                found.add(address)
    return found


FOUR, SIX = "0100007F", "00000000000000000000000001000000"


@pytest.mark.proves("interfaces-ouro-web")
async def test_the_address_is_printed_once_and_a_second_one_says_where_the_first_is(
    tmp_path: Path,
) -> None:
    with ouro_web(tmp_path, "--model", "echo") as first:
        async with first.client() as client:
            assert (await client.get("/api/v1/state")).json()["cwd"] == str(tmp_path)
        assert listening_at(first.plate.port) == {FOUR}
        with ouro_web(tmp_path) as second:
            code, _, told = second.ends()
            assert (code, second.first) == (2, "")
            assert f"at {first.plate.address} (process {first.process.pid})" in told
            assert first.plate.token not in told
        assert (await raw(first.plate.port, b"nonsense\r\n\r\n")).startswith(b"HTTP/1.1 400")
        code, out, told = first.ends(signal.SIGINT)
        assert (code, out) == (0, "")
        assert told.splitlines() == [
            "only this machine reaches it; Ctrl-C stops, sessions are kept",
            "stopping; sessions are kept",
        ]
    for path in home().rglob("*"):
        assert not path.is_file() or first.plate.token.encode() not in path.read_bytes()


@pytest.mark.deep
@pytest.mark.proves("interfaces-ouro-web")
async def test_a_program_reads_port_and_token_and_a_taken_port_is_said(tmp_path: Path) -> None:
    port = spare_port()
    with (
        socket.create_server(("127.0.0.1", port)),
        ouro_web(tmp_path, "--port", str(port), "--model", "echo") as refused,
    ):
        code, _, told = refused.ends()
        assert (code, refused.first) == (2, "")
        assert f"port {port}: Address already in use" in told
        assert "hint:" in told
    flags = ("--port", str(port), "--ipv6", "--headless-token", "--model", "echo")
    with ouro_web(tmp_path, *flags) as bare:
        assert bare.first.split(" ")[0] == str(port)
        assert listening_at(port) == {FOUR, SIX}
        async with bare.client() as client:
            assert (await client.get(f"http://[::1]:{port}/api/v1/state")).status_code == 200
        assert bare.ends(signal.SIGTERM) == (0, "", "")


def led_by(address: str) -> tuple[Path, str]:
    """Where a file leads that nobody else can read: anybody may read the arguments of programs."""
    assert address.startswith("file:///")
    file = Path(address.removeprefix("file://"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (entrance,) = re.findall('href="([^"]+)"', file.read_text("utf-8"))
    ticket = entrance.partition("#token=")[2].encode()
    assert len(ticket) > 20
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            assert ticket not in each.read_bytes()
    return file, entrance


@pytest.mark.deep
@pytest.mark.proves("interfaces-ouro-web", "interfaces-ouro-web-open")
async def test_the_browser_is_opened_with_a_word_that_lets_in_once(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    with ouro_web(tmp_path, "--open", "--model", "echo", BROWSER=str(browser)) as program:
        with anyio.fail_after(60):
            while True:
                if seen.exists():
                    break
                await anyio.sleep(0.02)
        led, entrance = await to_thread.run_sync(led_by, seen.read_text().strip())
        address, _, ticket = entrance.partition("#token=")
        assert address == program.plate.address
        async with httpx2.AsyncClient(base_url=address, timeout=60, trust_env=False) as page:
            used = [
                (await page.post("/api/v1/login", json={"token": ticket})).status_code
                for _ in range(2)
            ]
            assert used == [200, 401]
        program.ends(signal.SIGINT)
    assert not await to_thread.run_sync(led.exists)


@pytest.mark.proves("interfaces-reconnecting")
@pytest.mark.deep
async def test_a_server_that_is_killed_in_the_middle_of_a_run_leaves_all_that_was_shown(
    tmp_path: Path,
) -> None:
    turns = [
        Turn(text="I make it.", tool_calls=(call("write", path="a.txt", content="made"),)),
        STALLED,
        Turn(text="All of it."),
    ]
    shown: list[Frame] = []
    async with models(turns) as model:
        flags = ("--model", "openai-chat/scripted", "--base-url", model.url, "--mode", "full-auto")
        with ouro_web(tmp_path, *flags) as program:
            async with program.client() as client:
                s = Served(program.plate, client, model, tmp_path)
                session = await s.open()
                async with s.follow(session) as stream:
                    await stream.say({"type": "submit", "text": "Make it, and say all."})
                    while "Half" not in "".join(
                        each["data"].get("text", "")
                        for each in shown
                        if each["type"] == "model.delta"
                    ):
                        shown += (await stream.until("events"))["events"]
                program.ends(signal.SIGKILL)
        before = [each for each in shown if is_durable(each)]
        with ouro_web(tmp_path, *flags) as program:
            async with program.client() as client:
                s = Served(program.plate, client, model, tmp_path)
                async with s.follow(session, before[-1]["seq"]) as stream:
                    await stream.say({"type": "submit", "text": ""})
                    after = [each for each in await stream.events() if is_durable(each)]
                log = await s.log(session)
            program.ends(signal.SIGINT)
    assert [*before, *after] == log
    assert [each["seq"] for each in log] == list(range(1, len(log) + 1))
    assert log[-1]["data"]["final"] == "All of it."
    assert (tmp_path / "a.txt").read_text() == "made"


@pytest.mark.proves("interfaces-ouro-web")
async def test_ctrl_c_stops_a_run_and_the_session_is_kept_as_stopped(tmp_path: Path) -> None:
    async with models([STALLED]) as model:
        flags = ("--model", "openai-chat/scripted", "--base-url", model.url)
        with ouro_web(tmp_path, *flags) as program:
            async with program.client() as client:
                s = Served(program.plate, client, model, tmp_path)
                session = await s.open()
                async with s.follow(session) as stream:
                    await stream.say({"type": "submit", "text": "Say all."})
                    await stream.events("model.delta")
                assert (await s.look(session))["running"]
            code, _, told = program.ends(signal.SIGINT)
    assert (code, "Traceback" in told) == (0, False)
    found = await to_thread.run_sync(sessions.find, home(), session)
    assert found.status == "idle"
    kept = await to_thread.run_sync(sessions.events, home(), session)
    assert kept.envelopes[-1].type == "task.cancelled"
