"""What of the web a session may reach: the hosts that the person listed, and how pages are read."""

import shutil
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import anyio
import msgspec

from ouroboros.app.settings import Settings, Web
from ouroboros.core.errors import ToolFailed
from ouroboros.llm.transport.http import Proxies
from ouroboros.llm.transport.reach import Tls
from ouroboros.safety.network.hosts import HostRules
from ouroboros.safety.policy.evaluate import Policy
from ouroboros.tools.web.download import Reach
from ouroboros.tools.web.fetch import FetchTool

PDF_SECONDS = 60.0
PDF_CHARS = 4_000_000


def host_rules(web: Web, policy: Policy | None = None) -> HostRules:
    """The lists of the settings, and what policy files say of hosts.

    Raises:
        ConfigBroken: A pattern names no host, or every one.
    """
    read = {"http", "https"}
    rules = [one for one in policy.network if one.protocol in read] if policy is not None else []
    allowed = [rule.host for rule in rules if rule.decision == "allow"]
    denied = [rule.host for rule in rules if rule.decision == "forbidden"]
    return HostRules.of((*web.allow, *allowed), (*web.deny, *denied), others=not web.only_allowed)


def fetch_tool(settings: Settings, environment: Mapping[str, str], policy: Policy) -> FetchTool:
    """The tool that reads pages."""
    reached = Reach(
        rules=host_rules(settings.web, policy),
        tls=Tls(ca_file=settings.network.ca_file),
        proxy_for=Proxies.of(environment).proxy_for,
    )
    return FetchTool(reached, read_pdf=partial(read_pdf, environment=dict(environment)))


async def read_pdf(data: bytes, *, environment: dict[str, str]) -> str:
    """The text of a PDF, taken apart by a program of its own; raises ``ToolFailed``."""
    from ouroboros.safety.spawn import run

    folder = Path(await anyio.to_thread.run_sync(partial(tempfile.mkdtemp, prefix="ouro-pdf-")))
    try:
        given, written = folder / "given.pdf", folder / "pages.json"
        await anyio.Path(given).write_bytes(data)
        ended = await run(
            [
                *(sys.executable, "-I", "-m", "ouroboros.app.seeds.pdf"),
                *(str(given), str(written), str(PDF_CHARS)),
            ],
            cwd=folder,
            environment=environment,
            timeout_seconds=PDF_SECONDS,
        )
        if ended.exit_code:
            said = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            reason = "it took too long" if ended.timed_out else said
            raise ToolFailed(f"the text of the PDF cannot be found: {reason}")
        pages = msgspec.json.decode(await anyio.Path(written).read_bytes(), type=list[str])
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))
    return "\n\n".join(f"[page {number}]\n{text}" for number, text in enumerate(pages, 1))
