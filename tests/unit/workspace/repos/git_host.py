"""A git server on loopback, and repositories to serve: git's own backend behind a small server."""

import os
import shutil
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import override

from msgspec import Struct, field

BACKEND = (
    Path(
        subprocess.run(
            ["git", "--exec-path"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )
    / "git-http-backend"
)


class Upstream:
    """A repository of somebody else's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not folder.exists():
            folder.mkdir(parents=True)
            self.git("init", "-q", "--template=", "-b", "main", ".")

    def copied(self, folder: Path) -> "Upstream":
        """Another one that holds the same."""
        return Upstream(shutil.copytree(self.folder, folder, symlinks=True))

    def git(self, *words: str, given: bytes = b"") -> str:
        ran = subprocess.run(
            ["git", "-c", "user.name=u", "-c", "user.email=u@example.com", *words],
            cwd=self.folder,
            input=given,
            capture_output=True,
            check=False,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.decode().strip()

    def commit(self, message: str = "more", **files: str | bytes) -> str:
        """Commits files, ``__`` in a name for a slash and ``_dot_`` for a dot; the commit."""
        for name, content in files.items():
            path = self.folder / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def plant(self, *entries: tuple[str, str, bytes]) -> str:
        """Commits a tree as no program of good will makes it: mode, name and content."""
        tree = b""
        for mode, name, content in entries:
            blob = self.git("hash-object", "-w", "--stdin", given=content)
            tree += f"{mode} {name}\0".encode() + bytes.fromhex(blob)
        sha = self.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin", given=tree)
        commit = self.git("commit-tree", sha, "-m", "planted")
        self.git("update-ref", "refs/heads/main", commit)
        return commit


class Host(Struct, kw_only=True):
    """A server, and what it does besides serving.

    Attributes:
        sends_on: Path to the place that it sends a client on to.
        password: That it wants to hear of ``person``.
        hangs: It takes requests and never answers.
        enough: Bytes of answers after which it does so; 0 for any number.
        drops: After so many it breaks connections off.
        sent: Bytes of each answer.
    """

    url: str = ""
    sends_on: dict[str, str] = field(default_factory=dict[str, str])
    password: str = ""
    hangs: bool = False
    enough: int = 0
    drops: bool = False
    sent: list[int] = field(default_factory=list[int])
    stuck: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list[str])
    reached: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(root: Path) -> Generator[Host]:
    """Serves the repositories below ``root``."""
    host = Host()

    class Handler(BaseHTTPRequestHandler):
        @override
        def log_message(self, format: str, *args: object) -> None:
            del format, args

        def do_GET(self) -> None:
            answer(self, host, root)

        def do_POST(self) -> None:
            answer(self, host, root)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    host.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield host
    finally:
        host.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def answer(client: BaseHTTPRequestHandler, host: Host, root: Path) -> None:
    path, _, query = client.path.partition("?")
    host.asked.append(path)
    host.reached.set()
    is_enough = 0 < host.enough < sum(host.sent)
    if is_enough and host.drops:
        client.close_connection = True
        return
    if host.hangs or is_enough:
        host.stuck.set()
        host.over.wait(60)
        return
    first = path.split("/")[1]
    if first in host.sends_on:
        client.send_response(301)
        rest = client.path.removeprefix(f"/{first}")
        client.send_header("Location", host.sends_on[first] + rest)
        client.end_headers()
        return
    if host.password and not _knows(client, host.password):
        client.send_response(401)
        client.send_header("WWW-Authenticate", 'Basic realm="git"')
        client.end_headers()
        return
    length = int(client.headers.get("Content-Length") or 0)
    given = client.rfile.read(length) if length else _chunks(client)
    ran = _answered(client, root, path, query, given)
    head, between, body = ran.stdout.partition(b"\r\n\r\n")
    if not between:  # it never says nothing: an empty answer would look like an empty repository
        client.send_error(500, f"the backend ended with {ran.returncode}: {ran.stderr!r}"[:300])
        return
    host.sent.append(len(body))
    status = 200
    headers: list[tuple[str, str]] = []
    for line in head.decode().split("\r\n"):
        name, _, value = line.partition(": ")
        if name == "Status":
            status = int(value.split()[0])
        elif name:
            headers.append((name, value))
    client.send_response(status)
    for name, value in headers:
        client.send_header(name, value)
    client.end_headers()
    client.wfile.write(body)


def _answered(
    client: BaseHTTPRequestHandler, root: Path, path: str, query: str, given: bytes
) -> subprocess.CompletedProcess[bytes]:
    ran = _backend(client, root, path, query, given)
    # Once, on a busy machine, it ended without a word for two tests in a row.
    return ran if ran.stdout else _backend(client, root, path, query, given)


def _backend(
    client: BaseHTTPRequestHandler, root: Path, path: str, query: str, given: bytes
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(BACKEND)],
        input=given,
        capture_output=True,
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": client.headers.get("Git-Protocol", ""),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": client.command,
            "CONTENT_TYPE": client.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": client.headers.get("Content-Encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        },
    )


def _knows(client: BaseHTTPRequestHandler, password: str) -> bool:
    import base64

    proof = base64.b64encode(f"person:{password}".encode()).decode()
    return client.headers.get("Authorization") == f"Basic {proof}"


def _chunks(client: BaseHTTPRequestHandler) -> bytes:
    if client.headers.get("Transfer-Encoding") != "chunked":
        return b""
    given = b""
    while size := int(client.rfile.readline(), 16):
        given += client.rfile.read(size)
        client.rfile.readline()
    return given
