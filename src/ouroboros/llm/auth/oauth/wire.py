"""Questions to an authorization server, over the transports that models are reached by."""

from collections.abc import Callable

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.auth.oauth.discovery import addresses, described, is_absent
from ouroboros.llm.auth.oauth.messages import checked, refusal
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.llm.transport import HttpRequest, Transport

type Reach = Callable[[str], Transport]
"""From an address to what leads there, proxies and certificates considered."""

_ANSWER_BYTES = 262_144


async def asked(reach: Reach, request: HttpRequest, *, secrets: tuple[str, ...] = ()) -> bytes:
    """The body of the answer.

    Raises:
        ModelFailed: The server refused or cannot be reached; ``secrets`` are not in the text.
    """
    transport = reach(request.url)
    try:
        async with transport.send(request) as response:
            body = await response.read(_ANSWER_BYTES)
            if not 200 <= response.status < 300:
                raise refusal(response.status, body, secrets=secrets)
            return body
    finally:
        await transport.close()


async def resolved(client: OAuthClient, reach: Reach) -> OAuthClient:
    """The client with every address it needs, asked of its issuer where they are missing."""
    checked(client)
    if not client.issuer or (client.authorize_url and client.token_url):
        return client
    places = addresses(client.issuer)
    for place in places:
        try:
            body = await asked(reach, HttpRequest(url=place, method="GET"))
        except ModelFailed as error:
            if not is_absent(error) or place == places[-1]:
                raise
        else:
            return described(client, body)
    return client
