"""What another user of the machine gets of a running program: nothing, whatever they look at or ask."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.sandbox.plain_user import NOBODY, SYSTEM_PYTHON
from tests.web.test_program import led_by, ouro_web

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not Path(SYSTEM_PYTHON).exists(),
    reason="needs to become another user, and a Python that they can start",
)

WORD, KEY = "violet-4711", "sk-of-the-person-4711"

LOOKS = r"""
import http.client, json, os, socket, sys
wanted = json.load(sys.stdin)
words = [each.encode() for each in wanted["words"]]
told = {"user": os.getuid(), "found": [], "read": [], "answered": {}, "socket": ""}
def look(path):
    try:
        with open(path, "rb") as file:
            said = file.read(1 << 24)
    except OSError:
        return False
    told["found"] += [path for word in words if word in said]
    return True
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("cmdline", "environ"):
        look(f"/proc/{pid}/{name}")
    if pid not in wanted["pids"]:
        continue
    for name in ("mem", "maps", "environ"):
        try:
            open(f"/proc/{pid}/{name}", "rb").close()
        except OSError:
            continue
        told["read"] += [f"/proc/{pid}/{name}"]
    try:
        told["read"] += [f"/proc/{pid}/fd/{each}" for each in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        pass
told["read"] += [each for each in wanted["files"] if look(each)]
def ask(name, method, path, headers, body=None):
    line = http.client.HTTPConnection("127.0.0.1", wanted["port"], timeout=60)
    line.request(method, path, body, headers)
    answer = line.getresponse()
    said = answer.read()
    told["found"] += [name for word in words if word in said]
    told["answered"][name] = answer.status
here = {"origin": f"http://127.0.0.1:{wanted['port']}", "content-type": "application/json"}
for name, headers in {"bare": {}, "as the page": here, "with a guess": {**here, "authorization": "Bearer guess", "cookie": "ouro=guess"}}.items():
    ask(f"state, {name}", "GET", "/api/v1/state", headers)
    ask(f"sessions, {name}", "GET", "/api/v1/sessions", headers)
    ask(f"open, {name}", "POST", "/api/v1/sessions", headers, b"{}")
    ask(f"login, {name}", "POST", "/api/v1/login", headers, b'{"token": "guess"}')
    ask(f"command, {name}", "POST", f"/api/v1/sessions/{wanted['session']}/commands", headers, b'{"type": "submit", "text": "!id"}')
    sign = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    ask(f"stream, {name}", "GET", f"/api/v1/sessions/{wanted['session']}/stream", {**headers, **sign})
with socket.socket(socket.AF_UNIX) as line:
    try:
        line.connect(wanted["socket"])
        told["socket"] = "connected"
    except OSError as refused:
        told["socket"] = type(refused).__name__
json.dump(told, sys.stdout)
"""


@contextmanager
def passable(folder: Path) -> Generator[None]:
    """Lets everybody pass through what the tests made, so that our own modes alone keep them out."""
    before = {each: each.stat().st_mode for each in (folder, *folder.parents)}
    mine = {each: mode for each, mode in before.items() if not mode & 0o001}
    for each, mode in mine.items():
        each.chmod(mode | 0o001)
    try:
        yield
    finally:
        for each, mode in mine.items():
            each.chmod(mode)


def looked(**wanted: object) -> dict[str, Any]:
    """What the other user came by."""
    done = subprocess.run(
        [SYSTEM_PYTHON, "-I", "-S", "-c", LOOKS],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd="/",
        env={},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.proves("W10", "interfaces-ouro-web-open")
@pytest.mark.deep
def test_another_user_of_the_machine_reads_nothing_and_is_answered_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir(0o755)
    monkeypatch.setenv("OUROBOROS_HOME", str(home))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\numask 022\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    open_to_all = work / "open-to-all"
    open_to_all.write_text(WORD)
    open_to_all.chmod(0o644)
    program = [sys.executable, "-m", "ouroboros"]
    ran = [*program, "run", "--output", "json", "--model", "echo", f"The word is {WORD}."]
    first = forked.run(ran, cwd=work, capture_output=True, text=True, timeout=120, check=True)
    session = json.loads(first.stdout)["session"]
    serve = [*program, "serve", "--model", "echo", "--socket", str(work / "s")]
    with (
        passable(tmp_path),
        forked.Popen(serve, cwd=work, stderr=subprocess.PIPE, text=True) as server,
        ouro_web(work, "--open", "--model", "echo", BROWSER=str(browser)) as page,
    ):
        try:
            until = time.monotonic() + 120
            while not (seen.exists() and (work / "s").exists()):
                assert time.monotonic() < until
                time.sleep(0.02)
            _, entrance = led_by(seen.read_text().strip())
            got = looked(
                words=[WORD, KEY, entrance.partition("#token=")[2], page.plate.token],
                pids=[str(page.process.pid), str(server.pid)],
                files=[str(each) for each in tmp_path.rglob("*") if each.is_file()],
                port=page.plate.port,
                session=session,
                socket=str(work / "s"),
            )
        finally:
            os.kill(server.pid, signal.SIGINT)
            server.communicate(timeout=120)
        page.ends(signal.SIGINT)
    assert got["user"] == NOBODY
    assert got["found"] == [str(open_to_all)]
    assert set(got["read"]) == {str(each) for each in (seen, browser, open_to_all)}
    assert set(got["answered"].values()) <= {400, 401, 403, 404, 426}, got["answered"]
    assert got["socket"] == "PermissionError"
