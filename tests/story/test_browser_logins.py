"""`ouro browser logins` and `ouro browse --login` as a person uses them; what is sealed is never printed."""

import base64
import json
import os
import pty
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import override

import anyio
import pytest

from ouroboros.app.browsing.vault import vault
from tests.cases import every
from tests.story.test_browse_cli import browse, command, environment, ouro, running_on

USER, PASSWORD = "ann", "pass:very-secret"
_LOGIN = "<title>login</title><script>localStorage.user = 'secret-ann'</script>"


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        wanted = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.path == "/private" and self.headers.get("authorization") != wanted:
            self.send_response(401)
            self.send_header("www-authenticate", 'Basic realm="x"')
            body = "refused"
        else:
            self.send_response(200)
            body = "<title>stranger</title>"
            if self.path == "/login":
                self.send_header("set-cookie", "sid=secret-sid; HttpOnly; Max-Age=9000")
                body = _LOGIN
            elif "sid=secret-sid" in self.headers.get("cookie", "") or self.path == "/private":
                body = "<title>known</title>"
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _look(site: str) -> str:
    return (
        f"const tab = await openTab('{site}/home'); await waitForLoad(tab);"
        "setFinal(await execInTab(tab, `document.title + ',' + localStorage.user`))"
    )


@pytest.mark.deep
@pytest.mark.proves("browser-logins")
def test_a_login_is_sealed_listed_loaded_and_removed(tmp_path: Path, site: str) -> None:
    enter = f"const tab = await openTab('{site}/login'); await waitForLoad(tab); setFinal('in')"
    asked = f"look at {site}"
    entered = browse(tmp_path, [enter], "--profile", "one", asked)
    assert entered.returncode == 0, entered.stderr
    words = ("browser", "logins")
    saved = ouro(tmp_path, *words, "save", "shop", "--profile", "one", "--origin", site)
    assert saved.returncode == 0, saved.stderr
    assert "1 cookie and the localStorage of 1 place" in saved.stderr
    listed = ouro(tmp_path, *words, "list", "--json")
    assert json.loads(listed.stdout) == [
        {"name": "shop", "kind": "state", "cookies": 1, "places": [site]}
    ]
    sealed = (tmp_path / ".ouroboros" / "browser" / "vault" / "shop").read_bytes()
    told = saved.stdout + saved.stderr + listed.stdout + listed.stderr
    assert "secret" not in told
    assert b"secret" not in sealed
    elsewhere = site.replace("127.0.0.1", "localhost")
    empty = ouro(tmp_path, *words, "save", "shop", "--profile", "one", "--origin", elsewhere)
    assert (empty.returncode, "nothing to keep" in empty.stderr) == (1, True)
    loaded = ouro(tmp_path, *words, "load", "shop", "--profile", "two")
    assert loaded.returncode == 0, loaded.stderr
    for flags in (("--profile", "two"), ("--profile", "three", "--login", "shop")):
        seen = browse(tmp_path, [_look(site)], *flags, asked)
        assert (seen.returncode, seen.stdout) == (0, "known,secret-ann\n"), seen.stderr
        assert "secret" not in seen.stderr
    assert ouro(tmp_path, *words, "remove", "shop", "--yes").returncode == 0
    again = ouro(tmp_path, *words, "remove", "shop", "--yes")
    assert (again.returncode, again.stdout) == (2, "")
    assert "no login called 'shop'" in again.stderr
    assert running_on(tmp_path) == []


@pytest.mark.deep
@pytest.mark.proves("browser-logins")
def test_the_mind_that_calls_tools_begins_with_a_login_too(tmp_path: Path, site: str) -> None:
    cookie = {"name": "sid", "value": "secret-sid", "domain": "127.0.0.1", "path": "/"}
    kept = vault(tmp_path / ".ouroboros")
    anyio.run(kept.put, "shop", json.dumps({"cookies": [cookie]}).encode())
    code = _look(site).replace("setFinal", "log")
    turns: list[dict[str, object]] = [
        {"tool_calls": [{"name": "browser_execute", "arguments": {"code": code}}]},
        {"text": "Seen."},
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    words = ("--mind", "tools", "--model", f"script:{path}", "--login", "shop")
    ended = ouro(tmp_path, "browse", *words, f"look at {site}")
    assert (ended.returncode, ended.stdout) == (0, "Seen.\n"), ended.stderr
    assert "known,undefined" in ended.stderr
    assert "secret" not in ended.stderr


@pytest.mark.deep
@pytest.mark.proves("browser-logins")
def test_a_password_is_typed_unseen_and_answers_the_place_it_is_for(
    tmp_path: Path, site: str
) -> None:
    ours, theirs = pty.openpty()
    words = command("browser", "logins", "add", "door", "--origin", site)
    with subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(tmp_path), cwd=tmp_path
    ) as process:
        os.close(theirs)
        said = b""
        for prompt, typed in ((b"User", USER), (b"Password", PASSWORD)):
            while prompt not in said:
                said += os.read(ours, 4096)
            os.write(ours, f"{typed}\n".encode())
        while b"Kept" not in said:
            said += os.read(ours, 4096)
        assert process.wait(120) == 0
    os.close(ours)
    assert PASSWORD.encode() not in said
    block = _look(site).replace("/home", "/private")
    seen = browse(tmp_path, [block], f"look at {site}")
    assert (seen.returncode, seen.stdout) == (0, "known,undefined\n"), seen.stderr
    state = browse(tmp_path, ["1"], "--login", "door", "look")
    assert state.returncode == 2
    assert "'door' is a user and a password" in state.stderr


MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("browse", "--login", "nothing", "look"), "nothing called 'nothing'"),
    (("browser", "logins", "save", "../x"), "not a name"),
    (("browser", "logins", "save", "shop", "--attach", "1"), "no browser answers at"),
    (("browser", "logins", "remove", "shop"), "--yes"),
    (("browser", "profiles", "remove", "a/b", "--yes"), "no profile 'a/b'"),
]
MORE: list[tuple[tuple[str, ...], str]] = [
    (("browse", "--login", "../x", "look"), "not a name"),
    (("browse", "--attach", "--login", "shop", "look"), "--login does not go with"),
    (("browser", "logins", "load", "nothing"), "nothing called 'nothing'"),
    (("browser", "logins", "save", "shop", "--origin", "file:///x"), "is no origin"),
    (("browser", "logins", "save", "shop", "--attach", "9", "--profile", "x"), "does not go"),
    (("browser", "logins", "save", "shop", "--attach"), "no running browser of yours"),
    (("browser", "profiles", "remove", "shop", "--yes"), "no profile 'shop'"),
    (("browser", "open", "--profile", "a/b"), "a name of letters, digits"),
    (("browse", "--profile", "a/b", "look"), "a name of letters, digits"),
    (("config", "set", "browser.profile", "a/b"), "a name of letters, digits"),
]


@pytest.mark.proves("browser-logins", "browser-mistakes-at-the-command-line")
@pytest.mark.parametrize("mistakes", [MISTAKES, pytest.param(MORE, marks=pytest.mark.deep)])
def test_a_mistake_is_told_before_anything_starts(
    tmp_path: Path, mistakes: list[tuple[tuple[str, ...], str]]
) -> None:
    wrong: list[object] = []
    for words, said in mistakes:
        flags = ("--model", "echo") if words[0] == "browse" else ()
        ended = ouro(tmp_path, *words, *flags)
        if (ended.returncode, ended.stdout) != (2, "") or said not in ended.stderr:
            wrong.append((words, ended))
    assert wrong == []
    assert not (tmp_path / ".ouroboros" / "browser" / "profiles").exists()


@pytest.mark.deep
@pytest.mark.proves("browser-mistakes-at-the-command-line")
@every("words", ["profiles remove work", "logins remove shop"])
def test_a_closed_standard_input_is_nobody_to_ask(tmp_path: Path, words: str) -> None:
    ended = subprocess.run(
        ("sh", "-c", 'exec "$@" <&-', "sh", *command("browser", *words.split())),
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "error: nobody is there to ask\nhint: give --yes\n"
