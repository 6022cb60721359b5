"""Reading a page of the web without a browser."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, Literal

import anyio
from msgspec import Meta, Struct

from ouroboros.core.errors import Denied, ToolFailed
from ouroboros.core.events.network import NetworkContacted
from ouroboros.core.parts import Text
from ouroboros.safety.network.urls import judge_by
from ouroboros.safety.origins import address
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext
from ouroboros.tools.web.documents import ReadPdf, document
from ouroboros.tools.web.download import Page, Reach, check, download

DEFAULT_BYTES = 2_000_000
MOST_BYTES = 20_000_000
WHOLE_SECONDS = 90.0


class FetchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to read."""

    url: str
    format: Literal["markdown", "text", "html"] = "markdown"
    max_bytes: Annotated[int, Meta(ge=1, le=MOST_BYTES)] = DEFAULT_BYTES


class FetchTool:
    """Gets one page and tells what a person would read of it."""

    name = "fetch"
    description = (
        "Read a web page, document or API answer by URL (GET, no login): HTML as Markdown, JSON, text or "
        "PDF text. For search, clicks or pages behind a login use a browser tool if there is one."
    )
    arguments = FetchArguments
    parallel_safe = True
    exposure: Exposure = "deferred"

    def __init__(self, reached: Reach | None = None, *, read_pdf: ReadPdf | None = None) -> None:
        """``reached`` says what of the network may be; ``read_pdf`` reads PDF where there is one."""
        self._reached = reached or Reach()
        self._read_pdf = read_pdf

    def effect(self, arguments: FetchArguments, cwd: Path) -> Effect:
        """Asks a server for something; also tells it whatever the address says."""
        del cwd
        check(arguments.url, self._reached.rules)
        return self._effect(arguments.url)

    async def run(
        self, arguments: FetchArguments, context: ToolContext
    ) -> AsyncGenerator[Progress | Result]:
        """The text of the page, its address and title first."""
        yield await self._read(arguments, context)

    def _effect(self, url: str, *, before: str = "") -> Effect:
        led = f", where {_origin(before)} leads on to" if before else ""
        doubt = judge_by(self._reached.rules, url).reason
        action = f"Fetch {url}{led}" + (f" ({doubt})" if doubt else "")
        return Effect(kind="fetch", action=action, url=url)

    async def _read(self, arguments: FetchArguments, context: ToolContext) -> Result:
        async def admit(url: str) -> None:
            await context.admit(self._effect(url, before=arguments.url))

        try:
            page = await download(
                arguments.url, reached=self._reached, admit=admit, max_bytes=arguments.max_bytes
            )
        except (Denied, ToolFailed) as failed:
            _tell(context, arguments.url, failed=failed)
            raise
        _tell(context, page.url, page=page)
        try:
            with anyio.fail_after(WHOLE_SECONDS):
                found = await document(page, form=arguments.format, read_pdf=self._read_pdf)
        except TimeoutError as error:
            raise ToolFailed(
                f"{page.url} could not be read within {WHOLE_SECONDS:g} seconds"
            ) from error
        is_good = 200 <= page.status < 300
        lines = [f"URL: {page.url}"]
        lines += [] if is_good else [f"Status: {page.status}"]
        lines += [f"Title: {found.title}"] if found.title else []
        lines.append(f"Type: {found.kind}")
        if page.is_cut:
            lines.append(
                f"Only the first {len(page.body)} bytes were read; max_bytes asks for more"
            )
        head = "\n".join(lines) + "\n\n"
        text = found.text or "(nothing that a person would read)"
        return Result(
            parts=(Text(text=head), Text(text=text)), ok=is_good, origin=f"page {_origin(page.url)}"
        )


def _origin(url: str) -> str:
    read = address(url)
    return read.origin if read is not None else url


def _tell(
    context: ToolContext, url: str, *, page: Page | None = None, failed: ToolFailed | None = None
) -> None:
    read = address(url)
    if read is None:
        return
    context.publish(
        NetworkContacted(
            host=read.host,
            port=read.port,
            protocol="fetch",
            decision="denied" if isinstance(failed, Denied) else "allowed",
            by="policy" if isinstance(failed, Denied) else "",
            address=page.address if page else "",
            reason=failed.message if failed else "",
            call_id=context.call_id,
            received=len(page.body) if page else 0,
        )
    )
