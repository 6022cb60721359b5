"""Vendors that only LiteLLM knows, reached as if they were one server of chat completions.

Imported when such a model is chosen, and LiteLLM itself when the first request is prepared: it
takes seconds. What it raises becomes the answer a server would have given.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

import anyio
import msgspec
from anyio import to_thread

from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.extras import how_to_add
from ouroboros.llm.fields import Fields
from ouroboros.llm.transport.http import HttpRequest, HttpResponse, first_bytes, unreachable

_CLOSE_SECONDS = 5.0
_OWN_HEADERS = frozenset({"content-type", "accept", "authorization"})
_SETTINGS: Mapping[str, object] = {
    "telemetry": False,
    "suppress_debug_info": True,
    "drop_params": True,
    "modify_params": True,
    "num_retries": 0,
}
"""What LiteLLM is told once: to be quiet, to send nothing of its own, to leave retries to us."""


_ALWAYS: Mapping[str, object] = {"max_retries": 0, "num_retries": 0, "_skip_mcp_handler": True}
"""With every request: its own tools would need the package mcp, which it does not bring."""


_CLIENT_MAKERS = (
    ("litellm.llms.custom_httpx.http_handler", "AsyncHTTPHandler", "create_client"),
    ("litellm.llms.openai.common_utils", "BaseOpenAILLM", "_get_async_http_client"),
)
"""Where LiteLLM makes its clients: module, class and method."""


class _Chunk(Protocol):
    def model_dump_json(self, *, exclude_none: bool) -> str: ...


class _Stream(Protocol):
    def __aiter__(self) -> AsyncIterator[_Chunk]: ...

    async def aclose(self) -> None: ...


class _Client(Protocol):
    follow_redirects: bool


class _Library(Protocol):
    async def acompletion(self, **arguments: object) -> object: ...


class LiteLLM:
    """A transport whose one server is the LiteLLM package.

    Attributes:
        base_url: Another address for the vendor; empty leaves it to LiteLLM.
    """

    def __init__(self, base_url: str = "", *, ca_file: str = "") -> None:
        """Raises ``Misuse`` when the package is not installed; imports nothing yet."""
        if find_spec("litellm") is None:
            raise Misuse(
                "The provider 'litellm' needs the package litellm, which is not installed.",
                hint=f"Install it with: {how_to_add('litellm')}",
            )
        self._base_url = base_url
        self._ca_file = ca_file
        self._library: _Library | None = None

    async def warm(self, url: str) -> None:
        """Imports the package."""
        await self._loaded()

    async def close(self) -> None:
        """Closes the clients that LiteLLM keeps open."""
        if self._library is None:
            return
        shut = getattr(self._library, "close_litellm_async_clients", None)
        with suppress(OSError, RuntimeError), anyio.move_on_after(_CLOSE_SECONDS, shield=True):
            if shut is not None:
                await shut()

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[HttpResponse]:
        """Asks, and waits until LiteLLM has an answer."""
        library = await self._loaded()
        arguments = self._arguments(request)
        try:
            with anyio.fail_after(request.idle_timeout):
                answer = await library.acompletion(**arguments)
        except TimeoutError as error:
            raise _silent(request) from error
        except Exception as error:
            refusal = _refusal(error)
            if refusal is None:
                raise unreachable(f"LiteLLM could not ask: {error}.") from error
            yield refusal
            return
        if arguments.get("stream"):
            stream = cast("_Stream", answer)
            try:
                yield _Answer(200, "text/event-stream", _frames(stream, request))
            finally:
                with anyio.move_on_after(_CLOSE_SECONDS, shield=True):
                    await stream.aclose()
            return
        text = cast("_Chunk", answer).model_dump_json(exclude_none=True)
        yield _Answer(200, "application/json", _once(text.encode()))

    def _arguments(self, request: HttpRequest) -> Fields:
        """The body as LiteLLM's arguments; it takes the names of chat completions."""
        arguments = msgspec.json.decode(request.body, type=dict[str, object])
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        more = {name: text for name, text in request.headers.items() if name not in _OWN_HEADERS}
        told: Fields = {
            "api_base": self._base_url,
            "api_key": key,
            "extra_headers": more,
        }
        arguments.update({name: value for name, value in told.items() if value})
        return {**arguments, **_ALWAYS, "timeout": request.idle_timeout}

    async def _loaded(self) -> _Library:
        if self._library is None:
            self._library = await to_thread.run_sync(self._load)
        return self._library

    def _load(self) -> _Library:
        import logging
        import warnings

        warnings.filterwarnings("ignore", module=r"(pydantic|litellm)\b")  # of its own types
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logger = logging.getLogger(name)
            logger.setLevel(logging.CRITICAL + 1)
            logger.propagate = False
        library = import_module("litellm")
        trust = {"ssl_verify": self._ca_file} if self._ca_file else {}
        for name, value in {**_SETTINGS, **trust}.items():
            setattr(library, name, value)
        for place in _CLIENT_MAKERS:
            _stay_where_sent(*place)
        return cast("_Library", library)


def _stay_where_sent(module: str, owner: str, name: str) -> None:
    """Lets no client of LiteLLM follow a redirect, which would take the key along."""
    holder: object = getattr(import_module(module), owner)
    make: Callable[..., object] = getattr(holder, name)
    if hasattr(make, "__wrapped__"):  # another session has been here
        return

    @wraps(make)
    def made(*positional: object, **named: object) -> object:
        client = cast("_Client | None", make(*positional, **named))
        if client is not None:
            client.follow_redirects = False
        return client

    is_static = isinstance(vars(holder)[name], staticmethod)
    setattr(holder, name, staticmethod(made) if is_static else made)


class _Answer:
    """An answer in the form of an HTTP response."""

    def __init__(self, status: int, kind: str, chunks: AsyncGenerator[bytes]) -> None:
        self._chunks = chunks
        self.status = status
        self.headers: Mapping[str, str] = {"content-type": kind}

    def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it arrives."""
        return self._chunks

    async def read(self, limit: int = 1_048_576) -> bytes:
        """The body, or its first ``limit`` bytes."""
        return await first_bytes(self._chunks, limit)


async def _once(body: bytes) -> AsyncGenerator[bytes]:
    yield body


async def _frames(stream: _Stream, request: HttpRequest) -> AsyncGenerator[bytes]:
    """The chunks as the events of a stream; what is raised meanwhile is an error event."""
    chunks = aiter(stream)
    while True:
        try:
            with anyio.fail_after(request.idle_timeout):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            yield b"data: [DONE]\n\n"
            return
        except TimeoutError as error:
            raise _silent(request) from error
        except Exception as error:
            if _status(error) is None:
                raise unreachable(f"LiteLLM broke off: {error}.") from error
            yield b"data: " + _error_body(error) + b"\n\n"
            return
        yield b"data: " + chunk.model_dump_json(exclude_none=True).encode() + b"\n\n"


def _refusal(error: Exception) -> HttpResponse | None:
    status = _status(error)
    if status is None:
        return None
    return _Answer(status, "application/json", _once(_error_body(error)))


def _status(error: Exception) -> int | None:
    """The status that LiteLLM's exceptions carry; None for what is no answer of a vendor."""
    status: object = getattr(error, "status_code", None)
    is_lost = type(error).__name__ in {"APIConnectionError", "Timeout"}
    if is_lost or not isinstance(status, int | str):
        return None
    number = int(status) if str(status).isdigit() else 0
    return number if 400 <= number < 600 else None


def _error_body(error: Exception) -> bytes:
    message: object = getattr(error, "message", "") or str(error)
    # It prefixes each message with the names of its own classes.
    text = str(message).removeprefix("litellm.").partition(": ")[2] or str(message)
    code = "context_length_exceeded" if "ContextWindow" in type(error).__name__ else ""
    return msgspec.json.encode({
        "error": {"message": text, "type": "", "code": code or str(_status(error) or "")}
    })


def _silent(request: HttpRequest) -> ModelFailed:
    return unreachable(
        f"LiteLLM's vendor said nothing for {request.idle_timeout:g} s.", kind="timeout"
    )
