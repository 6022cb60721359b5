"""A page as a PDF, kept as an artifact."""

import base64
from typing import Any

from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tabs import Tab
from ouroboros.browser.transfer.artifacts import Artifact, Artifacts
from ouroboros.safety.origins import origin_of

PDF_BYTES = 256 * 1_048_576
PIECE_BYTES = 1_048_576
SECONDS = 120.0


class _Printed(Struct, frozen=True):
    stream: str = ""


class _Piece(Struct, frozen=True, rename="camel"):
    data: str
    base64_encoded: bool = False
    eof: bool = False


async def print_to_pdf(
    tab: Tab,
    artifacts: Artifacts,
    *,
    landscape: bool = False,
    background: bool = True,
    pages: str = "",
    name: str = "",
) -> Artifact:
    """Prints a tab's page; ``pages`` is such as ``1-3, 5``, all of them when empty.

    Raises:
        BrowserFailed: The page cannot be printed, or the PDF is too large.
    """
    params: dict[str, Any] = {
        "landscape": landscape,
        "printBackground": background,
        "pageRanges": pages,
        "preferCSSPageSize": True,
        "transferMode": "ReturnAsStream",
    }
    printed = await tab.ask(_Printed, "Page.printToPDF", params, timeout_seconds=SECONDS)
    try:
        data = await _whole(tab.connection, tab.session, printed.stream)
    finally:
        tab.connection.post("IO.close", {"handle": printed.stream}, session=tab.session)
    return await artifacts.keep(
        data,
        name or "page.pdf",
        kind="pdf",
        mime="application/pdf",
        origin=origin_of(tab.url),
    )


async def _whole(connection: Connection, session: str, stream: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        piece = await connection.ask(
            _Piece, "IO.read", {"handle": stream, "size": PIECE_BYTES}, session=session
        )
        pieces.append(base64.b64decode(piece.data) if piece.base64_encoded else piece.data.encode())
        size += len(pieces[-1])
        if size > PDF_BYTES:
            raise BrowserFailed(f"the PDF is larger than {PDF_BYTES:,} bytes")
        if piece.eof:
            return b"".join(pieces)
