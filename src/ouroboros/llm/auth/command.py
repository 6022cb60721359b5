"""Tokens that a command prints: run once for all who ask, kept for a while, run again when refused."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio
from msgspec.structs import replace

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Failure, ModelFailed, OuroborosError
from ouroboros.llm.auth.credential import AuthStyle, Credential, is_sendable
from ouroboros.llm.auth.excerpt import excerpt
from ouroboros.llm.auth.plan import CommandPlan
from ouroboros.llm.transport import HttpRequest
from ouroboros.safety.capture import Capture
from ouroboros.safety.environment import is_secret_name
from ouroboros.safety.guard import Guard
from ouroboros.safety.spawn import Finished, shell_command, start

OUTPUT_BYTES = 65_536
KEPT = 8
"""Earlier tokens that are still taken out of texts."""


class CommandToken:
    """Sends what the command printed.

    The command runs in the person's home folder, so that no project can slip something under it,
    and sees the whole environment: getting at credentials is what it is for.
    """

    def __init__(
        self,
        plan: CommandPlan,
        style: AuthStyle,
        *,
        environment: Mapping[str, str],
        clock: Clock,
    ) -> None:
        """Runs nothing yet."""
        self._plan = plan
        self._style: AuthStyle = style
        self._environment = environment
        self._clock = clock
        self._guard = Guard()
        self._lock = anyio.Lock()
        self._runs = 0
        self._outcome: Credential | ModelFailed | None = None
        self._fetched_at = 0.0
        self._used: list[Credential] = []

    @property
    def source(self) -> str:
        """The command's program; its arguments may hold secrets."""
        return f"the command {self._program!r}"

    async def authorize(self, request: HttpRequest) -> HttpRequest:
        """The request with a token that is fresh enough."""
        token = self._fresh() or await self._fetched()
        return replace(request, headers={**request.headers, **token.headers(self._style)})

    async def warm(self) -> None:
        """Runs the command while the request is still being prepared."""
        with suppress(OuroborosError):
            _ = self._fresh() or await self._fetched()

    async def renew(self, refused: HttpRequest) -> bool:
        """Runs the command again, unless that has happened since; True if it printed another token."""
        known = self._outcome
        if isinstance(known, Credential) and self._carries(refused, known):
            self._outcome = None
        token = self._fresh() or await self._fetched()
        return not self._carries(refused, token)

    def redact(self, text: str) -> str:
        """The text with every token taken out."""
        for token in self._used:
            text = token.redact(text)
        return text

    @property
    def _program(self) -> str:
        command = self._plan.command
        words = command.split() if isinstance(command, str) else command
        return words[0] if words else ""

    def _carries(self, request: HttpRequest, token: Credential) -> bool:
        return token.headers(self._style).items() <= request.headers.items()

    def _fresh(self) -> Credential | None:
        age = self._clock.monotonic() - self._fetched_at
        known = self._outcome if age < self._plan.ttl_seconds else None
        return known if isinstance(known, Credential) else None

    async def _fetched(self) -> Credential:
        """A new token; whoever comes while the command runs gets what that run brought."""
        runs = self._runs
        async with self._lock:
            outcome = self._outcome
            if self._runs == runs or outcome is None:
                outcome = self._outcome = await self._attempt()
                self._runs += 1
        if isinstance(outcome, ModelFailed):
            raise ModelFailed(outcome.failure, hint=outcome.hint)
        return outcome

    async def _attempt(self) -> Credential | ModelFailed:
        try:
            token = self._read(await self._run())
        except ModelFailed as error:
            return error
        self._fetched_at = self._clock.monotonic()
        self._used = [*self._used[1 - KEPT :], token]
        return token

    async def _run(self) -> Finished:
        command = self._plan.command
        words = shell_command(command) if isinstance(command, str) else command
        home = Path(self._environment.get("HOME", "/"))
        capture = Capture(OUTPUT_BYTES)
        try:
            await self._guard.on_duty()
            environment = self._environment
            process = await start(
                words, cwd=home, environment=environment, reveal=environment, guard=self._guard
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it holds a NUL character"
            raise self._failed(f"cannot be started: {reason}") from error
        exit_code: int | None = None
        try:
            with anyio.move_on_after(self._plan.timeout_seconds):
                while (piece := await process.read()) is not None:
                    capture.add(piece.data, piece.stream)
                exit_code = process.exit_code
        finally:
            await process.close(survivors=exit_code is not None)
        return Finished(
            exit_code=124 if exit_code is None else exit_code,
            stdout=capture.bytes_of("stdout"),
            stderr=capture.bytes_of("stderr"),
            timed_out=exit_code is None,
        )

    def _read(self, ended: Finished) -> Credential:
        lines = ended.stdout.decode(errors="replace").strip().splitlines()
        token = lines[0].strip() if lines else ""
        if ended.timed_out:
            raise self._failed(f"did not end within {self._plan.timeout_seconds:g} seconds")
        if ended.exit_code != 0:
            named = [value for name, value in self._environment.items() if is_secret_name(name)]
            said = excerpt(ended.stderr, secrets=(token, *named))
            why = f": {self.redact(said)}" if said else ""
            raise self._failed(f"ended with {ended.exit_code}{why}")
        if not token:
            raise self._failed("printed nothing")
        if not is_sendable(token):
            raise self._failed("printed something that is no token in its first line")
        return Credential(token, self.source)

    def _failed(self, what: str) -> ModelFailed:
        return ModelFailed(
            Failure(
                kind="auth",
                message=f"The command {self._program!r}, which is to print the token, {what}.",
            ),
            hint="Run it in a terminal to see what it says; its first line must be the token.",
        )
