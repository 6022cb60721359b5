"""Asks a vendor which models it has, and understands the many ways in which it answers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import cast
from urllib.parse import urljoin

import anyio
import msgspec
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.llm.auth import Authorizer
from ouroboros.llm.catalog.known import Known
from ouroboros.llm.failures import classify
from ouroboros.llm.fields import Fields, child, children, string
from ouroboros.llm.price import Price
from ouroboros.llm.providers.address import join
from ouroboros.llm.request import Effort
from ouroboros.llm.transport import HttpRequest, HttpResponse, Transport
from ouroboros.llm.transport.inflate import plain

LARGEST_BYTES = 32 * 1_048_576
MOST_LISTED = 20_000
"""Models of one list; the largest that is known of has not a tenth."""

LONGEST_NAME = 512
MOST_TOKENS = 10**9
MOST_SHOWN = 100
"""Models of a local server that are asked about one by one."""

_WINDOWS = (
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_context_length",
    "max_model_len",
    "inputTokenLimit",
    "max_input_tokens",
)
_OUTPUTS = (
    "outputTokenLimit",
    "max_completion_tokens",
    "max_output_tokens",
    "max_output_length",
    "max_tokens",
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_WORDS_OUT = frozenset({"chat", "language", "code", "llm", "vlm", "model", ""})
_EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_MEDIA = {"image": "image", "file": "pdf", "pdf": "pdf", "audio": "audio", "video": "video"}


class Source(Struct, frozen=True, kw_only=True):
    """Where a vendor's list is.

    Attributes:
        base_url: The vendor's address, without the path of a wire format.
        path: After ``base_url``, or beginning with ``../``, or a whole address.
        headers: Sent besides the proof of who asks.
    """

    protocol: str
    base_url: str
    path: str
    headers: Mapping[str, str] = {}
    connect_timeout: float = 5.0
    idle_timeout: float = 20.0

    @property
    def url(self) -> str:
        """The whole address."""
        if "://" in self.path:
            return self.path
        if self.path.startswith("../"):
            return urljoin(f"{self.base_url.rstrip('/')}/", self.path)
        url = join(self.base_url, self.path)
        many = {"gemini": "?pageSize=1000", "anthropic-messages": "?limit=1000"}
        return url + many.get(self.protocol, "")


async def discover(
    source: Source, auth: Authorizer, transport: Transport, clock: Clock
) -> dict[str, Known]:
    """The vendor's models by name, with what its list says of them.

    Raises:
        ModelFailed: It cannot be reached, refuses, or answers with something else than a list.
    """
    asked = _Asked(source, auth, transport, clock)
    found = parse(await asked.get(source.url))
    if found is not None:  # a key that a server says back is not kept with the list
        found = {auth.redact(name): known for name, known in found.items()}
    if found is None:
        raise ModelFailed(
            Failure(
                kind="invalid_request",
                message=f"{source.url} answered with something that is no list of models.",
            )
        )
    if source.protocol == "ollama-chat":
        return await _shown(asked, source, found)
    return found


def parse(body: bytes) -> dict[str, Known] | None:
    """The models of a list in any vendor's form; None for what is no list of models."""
    try:
        value: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    listed = value
    if isinstance(value, dict):
        fields = cast("Fields", value)
        listed = next((fields[key] for key in ("data", "models") if key in fields), None)
    if not isinstance(listed, list):
        return None
    return dict(_models(children({"all": cast("object", listed)}, "all")))


def _models(items: Sequence[Fields]) -> Iterator[tuple[str, Known]]:
    for item in islice(items, MOST_LISTED):
        name = string(item, "id") or string(item, "name") or string(item, "model")
        if name.isprintable() and 0 < len(name) <= LONGEST_NAME and _speaks(item):
            yield name.removeprefix("models/"), known_of(item)


def _speaks(item: Fields) -> bool:
    """Whether the model answers with words; what a list does not say counts as yes."""
    methods = item.get("supportedGenerationMethods")
    if isinstance(methods, list) and "generateContent" not in methods:
        return False
    if child(item, "capabilities").get("completion_chat") is False:
        return False
    if item.get("supports_chat") is False or item.get("lifecycle") == "retired":
        return False
    outputs = item.get("supported_output_modalities")
    if isinstance(outputs, list) and "text" not in outputs:
        return False
    return string(item, "type") in _WORDS_OUT


def known_of(item: Fields) -> Known:
    """What one item of a list says of its model."""
    can = _capabilities(item)
    top = child(item, "top_provider")
    return Known(
        window=_first(item, _WINDOWS),
        max_output=_first(item, _OUTPUTS) or _first(top, _OUTPUTS),
        inputs=tuple(dict.fromkeys(_inputs(item, can))),
        tools=_tools(item, can),
        reasoning=True if can & {"thinking", "reasoning"} else None,
        efforts=_efforts(item),
        retires=_day(string(item, "shutdown_date") or string(item, "retires_at")),
        price=_price(child(item, "pricing")),
    )


def _day(moment: str) -> str:
    found = _DAY.match(moment)
    return found.group() if found else ""


def _capabilities(item: Fields) -> set[str]:
    """What the model can do, as words; vendors say it as a list or as switches."""
    given = item.get("capabilities")
    listed = {*_texts(given), *_texts(item.get("supported_parameters"))}
    switches = {name: value for name, value in item.items() if value is True}
    if isinstance(given, dict):
        switches |= cast("Fields", given)
    return listed | {name.removeprefix("supports_") for name in switches if _is_on(switches[name])}


def _is_on(value: object) -> bool:
    return value is True or child({"it": value}, "it").get("supported") is True


def _efforts(item: Fields) -> tuple[Effort, ...]:
    levels = child(child(item, "capabilities"), "effort")
    return tuple(level for level in _EFFORTS if _is_on(levels.get(level)))


def _tools(item: Fields, can: set[str]) -> bool | None:
    if can & {"tools", "tool-calling", "tool_use", "function_calling", "tool_calling"}:
        return True
    says = isinstance(item.get("supported_parameters"), list)
    return False if says or child(item, "capabilities").get("function_calling") is False else None


def _inputs(item: Fields, can: set[str]) -> Iterator[str]:
    architecture = child(item, "architecture")
    for given in (architecture.get("input_modalities"), item.get("supported_input_modalities")):
        yield from (_MEDIA[word] for word in _texts(given) if word in _MEDIA)
    if can & {"vision", "image_input", "image_in"} or item.get("type") == "vlm":
        yield "image"
    if "pdf_input" in can:
        yield "pdf"


def _price(pricing: Fields) -> Price | None:
    """Dollars a million tokens, where the list says them.

    ``prompt`` and ``completion`` are dollars a token; negative ones mean that it depends. ``input``
    and ``output`` are dollars a million; both 0 is how a price is left out there.
    """
    fresh, output = _number(pricing, "prompt"), _number(pricing, "completion")
    if fresh is None or output is None:
        fresh, output = _number(pricing, "input"), _number(pricing, "output")
        if fresh is None or output is None or min(fresh, output) <= 0:
            return None
        return Price(input=fresh, output=output)
    read, write = _number(pricing, "input_cache_read"), _number(pricing, "input_cache_write")
    if min(fresh, output, read or 0, write or 0) < 0:
        return None
    return Price(
        input=_million(fresh),
        output=_million(output),
        cache_read=_million(read) if read else None,
        cache_write=_million(write) if write else None,
    )


def _million(dollars: float) -> float:
    return float(f"{dollars * 1_000_000:.6g}")


def _number(fields: Fields, key: str) -> float | None:
    try:
        value = float(cast("str", fields[key]))
    except (KeyError, TypeError, ValueError):
        return None
    return value if -1e9 < value < 1e9 else None


def _first(fields: Fields, keys: Sequence[str]) -> int | None:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_TOKENS:
            return value
    return None


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        return []
    return [one for one in cast("list[object]", value) if isinstance(one, str)]


class _Asked:
    """One vendor, asked with the same proof each time."""

    def __init__(
        self, source: Source, auth: Authorizer, transport: Transport, clock: Clock
    ) -> None:
        self._source, self._auth, self._transport, self._clock = source, auth, transport, clock

    async def get(self, url: str, body: bytes = b"") -> bytes:
        """The answer to a GET, or to a POST of ``body``; raises ``ModelFailed``."""
        source = self._source
        request = HttpRequest(
            url=url,
            method="POST" if body else "GET",
            headers={"accept": "application/json", **source.headers},
            body=body,
            connect_timeout=source.connect_timeout,
            idle_timeout=source.idle_timeout,
        )
        for is_last in (False, True):
            proven = await self._auth.authorize(request)
            try:
                async with self._transport.send(proven) as answer:
                    response = plain(answer)
                    if 200 <= response.status < 300:
                        return await response.read(LARGEST_BYTES)
                    failure = await self._refused(response)
            except ModelFailed as error:  # what is no HTTP is shown, and may be what we sent
                said = self._auth.redact(error.message)
                raise ModelFailed(
                    msgspec.structs.replace(error.failure, message=said), hint=error.hint
                ) from error
            if is_last or failure.kind != "auth" or not await self._auth.renew(proven):
                raise ModelFailed(failure)
        return b""

    async def _refused(self, response: HttpResponse) -> Failure:
        body = await response.read(65_536)
        now = self._clock.now()
        failure = classify(response.status, response.headers, body, now=now)
        return msgspec.structs.replace(failure, message=self._auth.redact(failure.message))


async def _shown(asked: _Asked, source: Source, found: dict[str, Known]) -> dict[str, Known]:
    """Ollama says of one model at a time what it can do and how much it sees."""
    url = join(source.base_url, "/api/show")
    shown: dict[str, Known] = {}
    limiter = anyio.CapacityLimiter(4)

    async def show(name: str) -> None:
        async with limiter:
            try:
                body = await asked.get(url, msgspec.json.encode({"model": name}))
            except ModelFailed:  # removed meanwhile, or a server that lists and does not show
                shown[name] = found[name]
                return
        known = understood(body)
        if known is not None:
            shown[name] = known

    async with anyio.create_task_group() as tasks:
        for name in list(found)[:MOST_SHOWN]:
            tasks.start_soon(show, name)
    rest = {name: found[name] for name in list(found)[MOST_SHOWN:]}
    return {name: shown[name] for name in found if name in shown} | rest


def understood(body: bytes) -> Known | None:
    """What ``/api/show`` says; None for a model that does not write text."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, object])
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError):
        return Known()
    can = _texts(fields.get("capabilities"))
    if can and "completion" not in can:
        return None
    described = child(fields, "model_info")
    windows = [key for key in described if key.endswith(".context_length")]
    return Known(
        window=_first(described, windows),
        inputs=("image",) if "vision" in can else (),
        images=False if can and "vision" not in can else None,
        tools="tools" in can if can else None,
        reasoning="thinking" in can if can else None,
    )
