"""Finding the person's own running browser, or one at an address; it is theirs and stays theirs.

Since Chrome 144 the switch at chrome://inspect/#remote-debugging writes ``DevToolsActivePort`` into
the profile; the browser then answers 404 on ``/json/version`` and asks the person to agree.
"""

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed

ASKING_SECONDS = 5.0
MOST_BYTES = 65_536

_LINUX = (
    ".config/google-chrome",
    ".config/chromium",
    ".config/microsoft-edge",
    ".config/BraveSoftware/Brave-Browser",
    ".config/google-chrome-beta",
    "snap/chromium/common/chromium",
)
_MAC = (
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Chromium",
    "Library/Application Support/Microsoft Edge",
    "Library/Application Support/BraveSoftware/Brave-Browser",
)
_HOW = (
    "open chrome://inspect/#remote-debugging in it and allow remote debugging, or start it with "
    "--remote-debugging-port=9222 --user-data-dir=FOLDER and give the port"
)
_PATH = re.compile(r"/devtools/browser/[\w-]+")


class _Version(Struct, frozen=True):
    address: str = msgspec.field(name="webSocketDebuggerUrl", default="")


def folders(home: Path, platform: str = sys.platform) -> tuple[Path, ...]:
    """Where browsers of a person keep their default profiles, Chrome's first."""
    return tuple(home / name for name in (_MAC if platform == "darwin" else _LINUX))


def written(folder: Path) -> str:
    """The websocket address that a browser wrote into its profile; empty when there is none. Blocks."""
    try:
        port, _, path = (folder / "DevToolsActivePort").read_text("utf-8").strip().partition("\n")
    except (OSError, UnicodeDecodeError):
        return ""
    is_port = port.isascii() and port.isdigit() and 0 < int(port) < 65_536
    return f"ws://127.0.0.1:{port}{path}" if is_port and _PATH.fullmatch(path) else ""


async def address(wanted: str, home: Path) -> str:
    """The websocket address for what a person wrote after ``--attach``.

    Args:
        wanted: Nothing for their own browser, a port, ``host:port``, ``http://...`` or ``ws://...``.
        home: The person's home folder.

    Raises:
        BrowserFailed: Nothing is there; the hint says how to allow it.
    """
    if wanted.startswith(("ws://", "wss://")):
        return wanted
    if not wanted:
        found = await anyio.to_thread.run_sync(_own, home, 0)
        if not found:
            raise BrowserFailed("no running browser of yours lets itself be attached to", hint=_HOW)
        return found
    if wanted.isascii() and wanted.isdigit():
        wanted = f"127.0.0.1:{wanted}"
    if "://" not in wanted:
        wanted = f"http://{wanted}"
    host, port = _host_port(wanted)
    status, body = await _asked(host, port)
    if status == 200:
        try:
            return msgspec.json.decode(body, type=_Version).address or _missing(host, port)
        except msgspec.MsgspecError as odd:
            raise BrowserFailed(f"what answers at {host}:{port} is no browser") from odd
    if found := await anyio.to_thread.run_sync(_own, home, port):
        return found
    raise BrowserFailed(f"{host}:{port} answered {status} and not with its address", hint=_HOW)


def _own(home: Path, port: int) -> str:
    """What a browser of the person's wrote, at this port unless it is 0; empty when none did."""
    found = (written(folder) for folder in folders(home))
    return next((url for url in found if url and port in {0, urlsplit(url).port}), "")


def _missing(host: str, port: int) -> str:
    raise BrowserFailed(f"what answers at {host}:{port} is no browser", hint=_HOW)


def _host_port(wanted: str) -> tuple[str, int]:
    try:
        parts = urlsplit(wanted)
        host, port = (parts.hostname if parts.scheme == "http" else "") or "", parts.port
    except ValueError:
        host, port = "", None
    if not host:
        raise BrowserFailed(
            f"{wanted!r} is no address of a browser", hint="a port, http://host:port or ws://..."
        )
    return host, port or 9222


async def _asked(host: str, port: int) -> tuple[int, bytes]:
    """Status and body of ``/json/version``, by hand: an HTTP client costs more than the question."""
    name = f"[{host}]" if ":" in host else host
    head = f"GET /json/version HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n"
    answer = b""
    try:
        with anyio.fail_after(ASKING_SECONDS):
            async with await anyio.connect_tcp(host, port) as stream:
                await stream.send(head.encode())
                while len(answer) < MOST_BYTES and not _is_whole(answer):
                    answer += await stream.receive()
    except anyio.EndOfStream:
        pass
    except (OSError, TimeoutError, anyio.BrokenResourceError) as failed:
        raise BrowserFailed(f"no browser answers at {host}:{port}", hint=_HOW) from failed
    status = re.match(rb"HTTP/1\.\d (\d{3})", answer)
    body = answer.partition(b"\r\n\r\n")[2]
    return (int(status[1]) if status else 0), body


def _is_whole(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length:\s*(\d+)", head)
    return bool(found and length and len(body) >= int(length[1]))
