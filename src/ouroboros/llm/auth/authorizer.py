"""The seam between a route and whatever proves who asks, and its plainest kind: a key."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from msgspec.structs import replace

from ouroboros.llm.auth.credential import AuthStyle, Credential
from ouroboros.llm.transport import HttpRequest
from ouroboros.safety.environment import is_secret_name

_PROVING = frozenset({"authorization", "cookie", "proxy-authorization"})
_SIGNED = "AWS4-"
"""A signature is good for one request only, and says nothing of the key."""


def proofs(headers: Mapping[str, str]) -> Iterator[str]:
    """What in the headers of a request proves who asks, and must be shown nowhere."""
    for name, value in headers.items():
        if not (name.lower() in _PROVING or is_secret_name(name.replace("-", "_"))):
            continue
        if not value.startswith(_SIGNED):
            yield value.rpartition(" ")[2]


class Authorizer(Protocol):
    """Adds the proof to each request.

    Contract: ``authorize`` is given the final bytes of one attempt; it may wait for a command or a
    refresh, and raises ``ModelFailed`` of kind ``auth`` where there is nothing to prove with.
    """

    @property
    def source(self) -> str:
        """Where the proof comes from, for messages; empty when none is sent."""
        ...

    async def authorize(self, request: HttpRequest) -> HttpRequest:
        """The request as it is sent."""
        ...

    async def warm(self) -> None:
        """Gets ahead of time what the first request needs; what fails now fails then."""
        ...

    async def renew(self, refused: HttpRequest) -> bool:
        """After a refusal of kind ``auth``: True when there is another proof to try once more with.

        ``refused`` is what ``authorize`` gave, so that a proof renewed meanwhile is not renewed again.
        """
        ...

    def redact(self, text: str) -> str:
        """The text with every secret taken out."""
        ...


class KeyHeader:
    """A key that never changes, or none at all."""

    def __init__(self, style: AuthStyle = "none", credential: Credential | None = None) -> None:
        """Sends nothing without a credential."""
        self._style: AuthStyle = style
        self._credential = credential

    @property
    def source(self) -> str:
        """The variable that held the key."""
        return self._credential.source if self._credential else ""

    async def authorize(self, request: HttpRequest) -> HttpRequest:
        """The request with the key in its header."""
        if self._credential is None:
            return request
        headers = {**request.headers, **self._credential.headers(self._style)}
        return replace(request, headers=headers)

    async def warm(self) -> None:
        """A key is always at hand."""

    async def renew(self, refused: HttpRequest) -> bool:
        """There is no other key."""
        return False

    def redact(self, text: str) -> str:
        """The text with the key taken out."""
        return self._credential.redact(text) if self._credential else text
