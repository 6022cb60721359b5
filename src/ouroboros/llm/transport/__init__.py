"""HTTP as routes need it: the seam, the quick transport, one for proxies and one for the LiteLLM bridge.

Refuses: wire formats and keys. Only ``http`` is imported with the package.
"""

from ouroboros.llm.transport.http import (
    HttpRequest,
    HttpResponse,
    Proxies,
    Silent,
    Transport,
    first_bytes,
    is_bypassed,
    port_of,
    split,
    unreachable,
)

__all__ = [
    "HttpRequest",
    "HttpResponse",
    "Proxies",
    "Silent",
    "Transport",
    "first_bytes",
    "is_bypassed",
    "port_of",
    "split",
    "unreachable",
]
