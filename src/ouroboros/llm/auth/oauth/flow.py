"""A login from its beginning to its end: the page is shown, the answer heard, the code exchanged."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from urllib.parse import parse_qs

import anyio
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import ConfigBroken, Failure, Misuse, ModelFailed
from ouroboros.llm.auth.oauth import pkce
from ouroboros.llm.auth.oauth.callback import Callback, code_of, opened
from ouroboros.llm.auth.oauth.login_file import LoginFile
from ouroboros.llm.auth.oauth.messages import (
    Grant,
    Tokens,
    authorize_address,
    key_of,
    key_request,
    revoke_request,
    token_request,
    tokens_of,
)
from ouroboros.llm.auth.oauth.wire import Reach, asked, resolved
from ouroboros.llm.auth.plan import OAuthClient

PATIENCE_SECONDS = 300.0
"""How long a person may take to agree."""


class Person(Struct, frozen=True, kw_only=True):
    """How the person is reached.

    Attributes:
        show: Is given the address of the page to open.
        pasted: Waits for an address or code that the person types; None where nobody can.
        patience_seconds: How long to wait for the answer.
    """

    show: Callable[[str], Awaitable[None]]
    pasted: Callable[[], Awaitable[str]] | None = None
    patience_seconds: float = PATIENCE_SECONDS


async def obtain_tokens(
    client: OAuthClient, person: Person, *, reach: Reach, clock: Clock
) -> Tokens:
    """The tokens of a new login.

    Raises:
        ModelFailed: The person or the server refused, the server cannot be reached, or nobody came.
        Misuse: An address or the port of the client cannot be used.
    """
    client = await resolved(client, reach)
    grant = await _grant(client, person)
    secrets = (grant.code, grant.verifier)
    body = await asked(reach, token_request(client, grant), secrets=secrets)
    return tokens_of(body, client=client, now=clock.now())


async def obtain_key(client: OAuthClient, person: Person, *, reach: Reach) -> str:
    """A lasting key, from a vendor that hands out keys; raises as ``obtain_tokens``."""
    client = await resolved(client, reach)
    grant = await _grant(client, person)
    secrets = (grant.code, grant.verifier)
    return key_of(await asked(reach, key_request(client, grant), secrets=secrets))


async def keep(file: LoginFile, tokens: Tokens) -> None:
    """Puts a new login in the place of the one before; raises ``StoreFailed``."""
    async with await file.hold() as held:
        await held.write(tokens)


async def give_back(file: LoginFile, *, reach: Reach) -> tuple[bool, ModelFailed | None]:
    """Forgets a login: whether there was one, and why the server did not hear of it, if it did not."""
    trouble: ModelFailed | None = None
    async with await file.hold() as held:
        tokens: Tokens | None = None
        with suppress(ConfigBroken):  # what cannot be read can still be removed
            tokens = await file.read()
        if tokens is not None and tokens.revoke_url:
            secrets = (tokens.access_token, tokens.refresh_token)
            try:
                await asked(reach, revoke_request(tokens), secrets=secrets)
            except ModelFailed as error:
                trouble = error
        return await held.remove(), trouble


async def _grant(client: OAuthClient, person: Person) -> Grant:
    state, verifier = pkce.secret(), pkce.secret()
    page = await opened(client.redirect_port, state=state, in_path=bool(client.key_url))
    async with page:
        await person.show(
            authorize_address(
                client, redirect=page.redirect, state=state, challenge=pkce.challenge(verifier)
            )
        )
        given = await _answer(page, person, state)
    code = code_of(given, issuer=client.issuer)
    return Grant(code=code, redirect=page.redirect, verifier=verifier)


async def _answer(page: Callback, person: Person, state: str) -> Mapping[str, str]:
    """What came first: the browser, or a line from the person."""
    came: list[Mapping[str, str] | str] = []

    async def first(wait: Callable[[], Awaitable[Mapping[str, str] | str]]) -> None:
        came.append(await wait())
        tasks.cancel_scope.cancel()

    with anyio.move_on_after(person.patience_seconds):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first, page.wait)
            if person.pasted is not None:
                tasks.start_soon(first, person.pasted)
    if not came:
        said = f"Nobody came back from the login page within {person.patience_seconds:g} seconds."
        raise ModelFailed(Failure(kind="auth", message=said))
    answer = came[0]
    return spelled(answer, state) if isinstance(answer, str) else answer


def spelled(text: str, state: str) -> Mapping[str, str]:
    """What a person pasted: the whole address the browser ended at, ``CODE#STATE``, or the code.

    Raises:
        Misuse: It is empty, or the answer to another login.
    """
    text = text.strip()
    if "://" in text or text.startswith("/"):
        path, _, query = text.partition("#")[0].partition("?")
        given = {name: values[0] for name, values in parse_qs(query).items()}
        is_meant = given.get("state") == state or path.endswith(f"/{state}")
    else:
        code, mark, its_state = text.partition("#")
        given = {"code": code} if code else {}
        is_meant = not mark or its_state == state
    if not given:
        raise Misuse("Neither a code nor an address with one was given.")
    if not is_meant:
        raise Misuse("What was pasted is the answer to another login.", hint="Log in once more.")
    return given
