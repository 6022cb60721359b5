"""AWS signatures (version 4), with credentials from wherever AWS's own tools would take them."""

import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from types import ModuleType
from typing import Protocol, cast
from urllib.parse import urlsplit

import anyio
from anyio import from_thread, to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.errors import Failure, FailureKind, ModelFailed, OuroborosError
from ouroboros.llm.auth.aws_profile import region_of_profile
from ouroboros.llm.auth.credential import HIDDEN
from ouroboros.llm.auth.excerpt import excerpt
from ouroboros.llm.extras import how_to_add
from ouroboros.llm.transport import HttpRequest

DEADLINE_SECONDS = 60
"""How long a helper program, a token service or an instance may take to give credentials."""

_SERVICE = "bedrock"
_HOST = re.compile(r"bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.")
_USUAL = {"http": 80, "https": 443}
_LOOK_SECONDS = 0.05
_KEPT = 8
"""Earlier credentials that are still taken out of texts."""

_SOURCES = (
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK; "
    "or sign in with: aws sso login."
)


class _Keys(Protocol):
    """Credentials at one moment."""

    @property
    def access_key(self) -> str: ...

    @property
    def secret_key(self) -> str: ...

    @property
    def token(self) -> str | None: ...


class _Credentials(Protocol):
    """Credentials that renew themselves where they can."""

    @property
    def method(self) -> str: ...

    def get_frozen_credentials(self) -> _Keys: ...


class _Session(Protocol):
    def set_credentials(self, access_key: str, secret_key: str, token: str | None) -> None: ...

    def get_credentials(self) -> _Credentials | None: ...


class _Loaded(Struct, frozen=True, kw_only=True):
    """Credentials that were found, and the region that goes with them."""

    credentials: _Credentials
    region: str
    is_explicit: bool


class AwsSignature:
    """Signs each request over its final bytes.

    Credentials come from the environment that was handed in, or else through botocore's chain: the
    process's environment, assumed roles, web identity, SSO, shared files and the programs they name,
    the container, the instance. What renews itself is renewed before it expires.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        region: str = "",
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        """Looks for nothing yet; without ``region`` it is the address's, or else the profile's."""
        self._deadline = deadline_seconds
        self._environment = environment
        self._region = region
        self._lock = anyio.Lock()
        self._loaded: _Loaded | None = None
        self._used: list[_Keys] = []

    @property
    def source(self) -> str:
        """Which link of the chain the credentials come from."""
        if self._loaded is None:
            return "AWS credentials"
        how = "env" if self._loaded.is_explicit else self._loaded.credentials.method
        return f"AWS credentials ({how})"

    async def authorize(self, request: HttpRequest) -> HttpRequest:
        """The request with date, signature and, for passing credentials, their token."""
        loaded = await self._load()
        return await self._bounded(lambda: self._signed(request, loaded))

    async def warm(self) -> None:
        """Finds the credentials while the request is still being prepared."""
        with suppress(OuroborosError):
            await self._load()

    async def renew(self, refused: HttpRequest) -> bool:
        """Goes through the chain again, unless that has happened since; True for other credentials."""
        loaded = await self._load()
        if await self._signs(loaded, refused):
            async with self._lock:
                if self._loaded is loaded:
                    self._loaded = None
            loaded = await self._load()
        return not await self._signs(loaded, refused)

    def redact(self, text: str) -> str:
        """The text with secret keys and tokens taken out."""
        for keys in self._used:
            for secret in filter(None, (keys.secret_key, keys.token)):
                text = text.replace(secret, HIDDEN)
        return text

    async def _load(self) -> _Loaded:
        if (loaded := self._loaded) is None:
            async with self._lock:
                loaded = self._loaded = self._loaded or await self._bounded(self._find)
        return loaded

    def _find(self) -> _Loaded:
        named = self._environment
        open_session = cast("Callable[..., _Session]", _module("botocore.session").Session)
        profile = named.get("AWS_PROFILE") or named.get("AWS_DEFAULT_PROFILE")
        access, secret = named.get("AWS_ACCESS_KEY_ID"), named.get("AWS_SECRET_ACCESS_KEY")
        is_explicit = bool(access and secret)
        session = open_session(profile=None if is_explicit else profile or None)
        if is_explicit:
            session.set_credentials(access or "", secret or "", named.get("AWS_SESSION_TOKEN"))
        credentials = session.get_credentials()
        if credentials is None:
            raise ModelFailed(
                Failure(
                    kind="auth",
                    message="No AWS credentials were found in the environment, in the profile "
                    f"{profile or 'default'!r}, from a container or from an instance.",
                ),
                hint=_SOURCES,
            )
        for name in ("botocore.auth", "botocore.awsrequest"):
            _module(name)  # so that the first request need not load them
        region = named.get("AWS_REGION") or named.get("AWS_DEFAULT_REGION")
        return _Loaded(
            credentials=credentials,
            region=region or region_of_profile(named),
            is_explicit=is_explicit,
        )

    def _signed(self, request: HttpRequest, loaded: _Loaded) -> HttpRequest:
        keys = loaded.credentials.get_frozen_credentials()
        if keys not in self._used:
            self._used = [*self._used[1 - _KEPT :], keys]
        parts = urlsplit(request.url)
        found = _HOST.search(parts.hostname or "")
        region = self._region or (found[1] if found else "") or loaded.region
        if not region:
            raise ModelFailed(
                Failure(
                    kind="invalid_request",
                    message=f"No AWS region is known for {parts.hostname}.",
                ),
                hint="Set AWS_REGION, such as us-east-1, or a region in the profile.",
            )
        host = parts.netloc.rpartition("@")[2].removesuffix(f":{_USUAL.get(parts.scheme, 0)}")
        headers = {"host": host}
        if kind := request.headers.get("content-type"):
            headers["content-type"] = kind
        signing = _module("botocore.awsrequest").AWSRequest(
            method=request.method, url=request.url, data=request.body, headers=headers
        )
        _module("botocore.auth").SigV4Auth(keys, _SERVICE, region).add_auth(signing)
        proof = {name.lower(): value for name, value in signing.headers.items()}
        return replace(request, headers={**request.headers, **proof})

    async def _signs(self, loaded: _Loaded, request: HttpRequest) -> bool:
        """Whether the request was signed with these credentials as they are now."""
        keys = await self._bounded(loaded.credentials.get_frozen_credentials)
        named = f"Credential={keys.access_key}/" in request.headers.get("authorization", "")
        return named and keys.token == request.headers.get("x-amz-security-token")

    async def _bounded[T](self, function: Callable[[], T]) -> T:
        return await to_thread.run_sync(_within, function, self._deadline)


def _within[T](function: Callable[[], T], seconds: float) -> T:
    """What the function gives, in time; a thread that never ends does not keep the program."""
    results: Queue[T | ModelFailed] = Queue()

    def run() -> None:
        try:
            results.put(_typed(function))
        except ModelFailed as error:
            results.put(error)

    Thread(target=run, name="aws", daemon=True).start()
    for _ in range(math.ceil(seconds / _LOOK_SECONDS)):
        from_thread.check_cancelled()
        try:
            outcome = results.get(timeout=_LOOK_SECONDS)
        except Empty:
            continue
        if isinstance(outcome, ModelFailed):
            raise outcome
        return outcome
    raise _failed(f"AWS credentials did not come within {seconds:g} seconds.")


def _typed[T](function: Callable[[], T]) -> T:
    """What the function gives; botocore's errors as ours."""
    try:
        return function()
    except ModelFailed:
        raise
    except Exception as error:
        raise _explained(error) from error


def _explained(error: Exception) -> ModelFailed:
    known = _module("botocore.exceptions")
    is_unreached = isinstance(error, known.HTTPClientError | known.ConnectionError)
    kind: FailureKind = "transport" if is_unreached else "auth"
    return _failed(f"AWS credentials cannot be had: {excerpt(str(error))}", kind)


def _failed(message: str, kind: FailureKind = "auth") -> ModelFailed:
    failure = Failure(kind=kind, message=message, retryable=kind == "transport")
    return ModelFailed(failure, hint="" if kind == "transport" else _SOURCES)


def _module(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise ModelFailed(
            Failure(
                kind="auth", message="Requests to AWS are signed with botocore, which is missing."
            ),
            hint=f"Install it with: {how_to_add('bedrock')}",
        ) from error
