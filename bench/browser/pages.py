"""The pages that are looked at and worked in, served on loopback by a thread."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SMALL = """<!doctype html><title>Small</title><h1>Small</h1>
<button id=go onclick="document.title='clicked'">Go</button><input id=words><p id=text>Words</p>"""
SENTENCE = "The quick brown fox jumps over the lazy dog while nobody is looking at it. "


@cache
def elements(count: int) -> str:
    """A page with so many links, buttons and fields, in rows."""
    kinds = (
        '<a href="#{n}">Link {n}</a>',
        "<button>Button {n}</button>",
        '<input name="f{n}" placeholder="Field {n}">',
    )
    rows = "".join(f"<div>{kinds[n % 3].format(n=n)}</div>" for n in range(count))
    return f"<!doctype html><title>{count} elements</title><h1>{count}</h1>{rows}"


@cache
def article(size: int) -> str:
    """A page of about so many bytes of text, in paragraphs."""
    paragraph = f"<p>{SENTENCE * 13}</p>"
    return "<!doctype html><title>Article</title><h1>Article</h1>" + paragraph * (
        size // len(paragraph)
    )


def _page(path: str) -> str | None:
    kind, _, number = path.strip("/").partition("/")
    match kind:
        case "small" | "tab":
            return SMALL
        case "elements":
            return elements(int(number))
        case "article":
            return article(int(number))
        case _:
            return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        page = _page(self.path)
        body = (page or "").encode()
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def served() -> Generator[str]:
    """The address of the pages, without a slash at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
