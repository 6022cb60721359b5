"""From ``[providers.NAME]`` to the way its proof is to be had."""

from ouroboros.app.settings import Provider
from ouroboros.core.errors import Misuse
from ouroboros.llm.auth.plan import AuthPlan, CommandPlan, OAuthPlan


def planned(name: str, mine: Provider) -> AuthPlan | None:
    """The plan, or None where a key or nothing is sent; raises ``Misuse`` if it lacks something."""
    if mine.auth == "oauth":
        client = mine.oauth
        is_whole = client.issuer or (client.authorize_url and client.token_url)
        if not client.client_id or not is_whole:
            raise Misuse(
                f'the provider {name!r} has auth = "oauth" and [providers.{name}.oauth] is not whole',
                hint="it takes client_id, and issuer or authorize_url and token_url",
            )
        return OAuthPlan(name=name, client=client)
    if mine.auth == "command" and not mine.command:
        raise Misuse(
            f'the provider {name!r} has auth = "command" and no command',
            hint=f'put command = ["PROGRAM", "ARGUMENT"] into [providers.{name}]',
        )
    if not mine.command or mine.auth == "none":
        return None
    return CommandPlan(
        command=mine.command,
        ttl_seconds=mine.command_ttl,
        timeout_seconds=mine.command_timeout,
    )
