"""Pages on loopback for the browser tests: files of ``pages/`` and what a test puts there."""

import contextlib
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple, override
from urllib.parse import parse_qsl, urlsplit

PAGES = Path(__file__).parent / "pages"
HOSTS = ("127.0.0.1", "localhost", "shop.localhost")
"""Three sites as browsers count them; ports alone would make three origins of one site."""

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".gif": "image/gif",
    ".pdf": "application/pdf",
    ".csv": "text/csv; charset=utf-8",
}

KEPT = (("cache-control", "max-age=3600"),)
"""Of pictures that are not ours, which a browser may keep as it would those of the web."""


class Asked(NamedTuple):
    """One request that arrived; ``host`` is the number of the site it was meant for."""

    host: int
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


class Reply(NamedTuple):
    """What a dynamic page answers."""

    body: str | bytes = ""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


type Page = str | bytes | Reply | Callable[[Asked], str | bytes | Reply]


class Site:
    """Three servers with the same pages; what arrives is written down."""

    def __init__(self, folders: tuple[Path, ...] = (PAGES,)) -> None:
        self.requests: list[Asked] = []
        self._folders = folders
        self._pages: dict[str, Page] = {}
        self._servers = [_Server(self, number) for number in range(len(HOSTS))]

    def origin(self, host: int = 0) -> str:
        """Such as ``http://127.0.0.1:43123``; each number is a site of its own."""
        return f"http://{HOSTS[host]}:{self._servers[host].server_address[1]}"

    def url(self, path: str, host: int = 0) -> str:
        """The address of a page."""
        return f"{self.origin(host)}/{path.lstrip('/')}"

    def put(self, path: str, page: Page) -> str:
        """Serves ``page`` at ``path`` on every host until the test ends; its address on the first."""
        self._pages["/" + path.lstrip("/")] = page
        return self.url(path)

    def paths(self, host: int | None = None) -> list[str]:
        """The paths that were asked for, of one host or of all."""
        return [asked.path for asked in list(self.requests) if host in {None, asked.host}]

    def forget(self) -> None:
        """Starts anew, for the next test."""
        self.requests.clear()
        self._pages.clear()

    def answer(self, asked: Asked) -> Reply:
        """What a request gets."""
        page = self._pages.get(asked.path)
        if page is not None:
            said = page(asked) if callable(page) else page
            return said if isinstance(said, Reply) else Reply(said)
        for folder in self._folders:
            file = (folder / asked.path.lstrip("/")).resolve()
            if file.is_relative_to(folder) and file.is_file():
                kind = KINDS.get(file.suffix, "application/octet-stream")
                is_kept = folder != PAGES and kind.startswith("image/")
                return Reply(file.read_bytes(), kind, headers=KEPT if is_kept else ())
        return Reply(f"no page at {asked.path}", status=404)

    def close(self) -> None:
        """Shuts the servers."""
        for server in self._servers:
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, site: Site, number: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site, self.number = site, number
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers hang up whenever they like."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        server = self.server
        assert isinstance(server, _Server)
        length = int(self.headers.get("content-length") or 0)
        parts = urlsplit(self.path)
        asked = Asked(
            host=server.number,
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length) if length else b"",
        )
        if parts.path != "/favicon.ico":
            server.site.requests.append(asked)
        reply = server.site.answer(asked)
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        self.send_response(reply.status)
        for name, value in (
            ("content-type", reply.kind),
            ("content-length", str(len(body))),
            *(
                ()
                if any(n == "cache-control" for n, _ in reply.headers)
                else (("cache-control", "no-store"),)
            ),
            *reply.headers,
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(OSError):
                self.wfile.write(body)

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def serving(*folders: Path) -> Generator[Site]:
    """Servers for as long as the block runs."""
    site = Site(tuple(folder.resolve() for folder in folders) or (PAGES,))
    try:
        yield site
    finally:
        site.close()
