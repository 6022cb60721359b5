"""Proving with a login: its token is renewed in time, once for all processes, and when refused."""

from collections.abc import Callable
from contextlib import suppress

import anyio
from msgspec.structs import replace

from ouroboros.core.clock import Clock
from ouroboros.core.errors import ConfigBroken, Failure, ModelFailed, OuroborosError
from ouroboros.llm.auth.credential import HIDDEN
from ouroboros.llm.auth.oauth.login_file import Held, LoginFile
from ouroboros.llm.auth.oauth.messages import Tokens, checked, refresh_request, tokens_of
from ouroboros.llm.auth.oauth.wire import Reach, asked
from ouroboros.llm.auth.plan import OAuthPlan
from ouroboros.llm.transport import HttpRequest

RENEWAL_SECONDS = 15.0
"""A renewal that was begun is not broken off: the server may have made the old token worthless."""

KEPT = 8
"""Earlier logins that are still taken out of texts."""


class Login:
    """Sends the access token of a login."""

    def __init__(
        self,
        plan: OAuthPlan,
        file: LoginFile,
        *,
        reach: Reach,
        clock: Clock,
        learn: Callable[[str], None] = lambda secret: None,
    ) -> None:
        """Reads nothing yet; ``learn`` is told each token that came up, sent or not."""
        self._learn = learn
        self._plan = plan
        self._file = file
        self._reach = reach
        self._clock = clock
        self._tokens: Tokens | None = None
        self._used: tuple[Tokens, ...] = ()

    @property
    def source(self) -> str:
        """Which login."""
        return f"the login of {self._plan.name!r}"

    async def authorize(self, request: HttpRequest) -> HttpRequest:
        """The request with a token that is still good."""
        tokens = self._tokens
        if tokens is None or not tokens.is_fresh(self._clock.now()):
            tokens = await self._current("")
        return replace(request, headers={**request.headers, **_header(tokens)})

    async def warm(self) -> None:
        """Reads, and renews if need be, while the request is still being prepared."""
        with suppress(OuroborosError):
            await self._current("")

    async def renew(self, refused: HttpRequest) -> bool:
        """Another token, unless the refused one cannot be renewed."""
        before = refused.headers.get("authorization", "").removeprefix("Bearer ")
        tokens = await self._current(before)
        return tokens.access_token != before

    def redact(self, text: str) -> str:
        """The text with every token taken out."""
        for tokens in self._used:
            for secret in (tokens.access_token, tokens.refresh_token):
                text = text.replace(secret, HIDDEN) if secret else text
        return text

    async def _current(self, refused: str) -> Tokens:
        """Tokens that are fresh and not the ``refused`` ones, from memory, the file or the server."""
        for tokens in (self._tokens, await self._kept()):
            if tokens is not None and self._is_good(tokens, refused):
                return self._noted(tokens)
        async with await self._file.hold() as held:
            tokens = await self._kept()
            if tokens is None:
                raise self._logged_out("is missing")
            if self._is_good(tokens, refused):  # another process was quicker
                return self._noted(tokens)
            return self._noted(await self._renewed(tokens, held, refused))

    async def _renewed(self, tokens: Tokens, held: Held, refused: str) -> Tokens:
        if not tokens.refresh_token:
            if tokens.access_token == refused:
                return tokens
            raise self._logged_out("has expired")
        found: Tokens | None = None
        try:
            with anyio.CancelScope(shield=True), anyio.move_on_after(RENEWAL_SECONDS):
                found = await self._exchanged(tokens, held)
            if found is None:
                raise self._late()
        except ModelFailed as error:
            if error.failure.kind == "auth":
                raise self._logged_out("was not renewed", error) from error
            if tokens.access_token == refused or not self._is_alive(tokens):
                raise
            return tokens
        return found

    async def _exchanged(self, tokens: Tokens, held: Held) -> Tokens:
        client = checked(self._plan.client)
        await held.reserve()
        secrets = (tokens.access_token, tokens.refresh_token)
        body = await asked(self._reach, refresh_request(tokens, client), secrets=secrets)
        found = tokens_of(body, client=client, now=self._clock.now(), before=tokens.refresh_token)
        found = replace(
            found,
            token_url=found.token_url or tokens.token_url,
            revoke_url=found.revoke_url or tokens.revoke_url,
        )
        await held.write(found)
        return found

    async def _kept(self) -> Tokens | None:
        try:
            tokens = await self._file.read()
        except ConfigBroken as error:
            raise ModelFailed(
                Failure(kind="auth", message=error.message), hint=error.hint
            ) from error
        # A login for another client is of no use to this one.
        is_ours = tokens is not None and tokens.client_id == self._plan.client.client_id
        return tokens if is_ours else None

    def _is_good(self, tokens: Tokens, refused: str) -> bool:
        return tokens.access_token != refused and tokens.is_fresh(self._clock.now())

    def _is_alive(self, tokens: Tokens) -> bool:
        return tokens.expires_at is None or self._clock.now() < tokens.expires_at

    def _noted(self, tokens: Tokens) -> Tokens:
        if tokens != self._tokens:
            self._used = (*self._used[1 - KEPT :], tokens)
            self._learn(tokens.access_token)
            self._learn(tokens.refresh_token)
            self._tokens = tokens
        return tokens

    def _logged_out(self, what: str, error: ModelFailed | None = None) -> ModelFailed:
        name = self._plan.name
        why = f": {self.redact(error.message)}" if error else "."
        failure = Failure(
            kind="auth",
            message=f"The login for the provider {name!r} {what}{why}",
            status=error.failure.status if error else None,
            code=error.failure.code if error else "",
        )
        return ModelFailed(failure, hint=f"Log in: ouro providers login {name}")

    def _late(self) -> ModelFailed:
        said = f"The login was not renewed within {RENEWAL_SECONDS:g} seconds."
        return ModelFailed(Failure(kind="timeout", message=said, retryable=True))


def _header(tokens: Tokens) -> dict[str, str]:
    return {"authorization": f"Bearer {tokens.access_token}"}
