"""Certificates made for one test run, and a server that shows one and may ask for one."""

import contextlib
import re
import socket
import socketserver
import ssl
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
_CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2")
# openssl makes each of them one that may sign, and Python 3.13 asks of such what its key is for.
_USE = ("-addext", "keyUsage=digitalSignature,keyCertSign")


class Papers:
    """Paths of PEM files below one folder; ``stranger`` is signed by nobody the server knows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ca, self.other_ca = folder / "ca.pem", folder / "other-ca.pem"
        self.server, self.client = folder / "server.pem", folder / "client.pem"
        self.stranger = folder / "stranger.pem"
        self.locked_key = folder / "locked.key"

    def make(self) -> "Papers":
        for ca in (self.ca, self.other_ca):
            self._request(ca, "-x509", "-subj", f"/CN={ca.stem}", *_USE)
        self._signed(self.server, self.ca, "-addext", "subjectAltName=IP:127.0.0.1")
        self._signed(self.client, self.ca)
        self._signed(self.stranger, self.other_ca)
        lock = ("ec", "-aes256", "-passout", "pass:word", "-in", str(key(self.client)))
        self._run(*lock, "-out", str(self.locked_key))
        both = self._folder / "both.pem"
        both.write_bytes(self.client.read_bytes() + key(self.client).read_bytes())
        return self

    @property
    def client_with_key(self) -> Path:
        return self._folder / "both.pem"

    def _signed(self, path: Path, ca: Path, *more: str) -> None:
        signer = ("-CA", str(ca), "-CAkey", str(key(ca)))
        self._request(path, "-x509", "-subj", f"/CN={path.stem}", *_USE, *signer, *more)

    def _request(self, path: Path, *more: str) -> None:
        files = ("-nodes", "-keyout", str(key(path)), "-out", str(path))
        self._run("req", *_CURVE, *more, *files)

    def _run(self, *words: str) -> None:
        _openssl(*words)


def self_signed(folder: Path) -> Path:
    """A certificate for 127.0.0.1 that vouches for itself, and its key, in one file."""
    both, apart = folder / "certificate.pem", folder / "key.pem"
    names = ("-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1")
    _openssl(
        "req", "-x509", *_CURVE, *_USE, *names, "-nodes", "-keyout", str(apart), "-out", str(both)
    )
    both.write_bytes(both.read_bytes() + apart.read_bytes())
    return both


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def key(certificate: Path) -> Path:
    return certificate.with_suffix(".key")


def answer(stream: ssl.SSLSocket, reply: bytes, *, spoils: bool) -> None:
    content = b""
    while piece := stream.recv(65_536):
        content += piece
        head, _, body = content.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if length and len(body) >= int(length[1]):
            stream.sendall(reply)
            content = b""
            if spoils:
                with socket.socket(fileno=stream.detach()) as raw:
                    raw.sendall(b"no record of TLS at all")
                    raw.recv(1)
                return


def linger(raw: socket.socket) -> None:
    """Waits for the other side to go: who closes with unread bytes takes back what was said."""
    with raw:
        raw.shutdown(socket.SHUT_WR)
        raw.settimeout(60)
        while raw.recv(65_536):
            pass


@contextmanager
def secure(
    papers: Papers,
    *,
    asks: bool = False,
    newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    reply: bytes = OK,
    spoils: bool = False,
) -> Generator[str]:
    """A server that answers everybody with ``reply``; with ``asks`` only clients of its CA.

    With ``spoils`` it goes on with bytes that are no TLS. It has sockets and threads: OpenSSL itself then says goodbye to those it refuses.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.maximum_version = newest
    context.load_cert_chain(papers.server, key(papers.server))
    if asks:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(papers.ca)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            stream = context.wrap_socket(
                self.request, server_side=True, do_handshake_on_connect=False
            )
            with contextlib.suppress(OSError), stream:
                try:
                    stream.do_handshake()
                except ssl.SSLError:
                    linger(socket.socket(fileno=stream.detach()))
                else:
                    answer(stream, reply, spoils=spoils)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_address[1]}/v1"
        finally:  # who goes on to accept at a closed socket takes a whole core
            server.shutdown()
            thread.join()
