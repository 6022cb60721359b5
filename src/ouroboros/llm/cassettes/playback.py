"""A transport that answers from a cassette."""

import re
from base64 import b64decode
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.llm.cassettes.cassette import Cassette, Exchange, address
from ouroboros.llm.transport import HttpRequest, HttpResponse, first_bytes
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.secrets.key_shapes import without_keys

_PASSING = re.compile(
    rb"\b(?:ses|msg|call|evt)_[0-9a-hjkmnp-tv-z]{20}\b|<current_date>[0-9-]+</current_date>"
)
"""What differs between two runs that ask the same: our identifiers, and the day."""

_NO_ANSWER = Failure(
    kind="transport", message="The exchange was cut off before an answer was recorded."
)


class Playing:
    """A cassette while it is played.

    Attributes:
        differing: Requests so far that are not the ones that were recorded, numbered from 1.
    """

    def __init__(self, cassette: Cassette, name: str, leaks: Leaks, *, strict: bool) -> None:
        """``strict`` refuses a request whose body is not the recorded one."""
        self.differing: list[int] = []
        self._exchanges = cassette.exchanges
        self._played = [False] * len(cassette.exchanges)
        self._name = name
        self._leaks = leaks
        self._strict = strict

    @property
    def total(self) -> int:
        """Exchanges on the cassette."""
        return len(self._exchanges)

    def next(self, request: HttpRequest) -> Exchange:
        """The first exchange not yet played that has this method and path.

        Raises:
            ModelFailed: There is none, its answer was withheld, or it differs and that counts.
        """
        wanted = (request.method, _path(address(request.url, self._leaks)))
        for place, exchange in enumerate(self._exchanges):
            if self._played[place] or (exchange.method, _path(exchange.url)) != wanted:
                continue
            self._played[place] = True
            self._compare(place + 1, exchange, request)
            if exchange.withheld:
                raise self._refusal(f"holds no answer {place + 1}, because a secret was in it")
            return exchange
        number = sum(self._played) + 1
        raise self._refusal(
            f"holds {count(self.total)} and has none left for request {number}: {' '.join(wanted)}"
        )

    def _compare(self, number: int, exchange: Exchange, request: HttpRequest) -> None:
        sent = without_keys(self._leaks.redacted(request.body.decode("utf-8", "replace")))
        if _lasting(sent) == _lasting(exchange.request):
            return
        self.differing.append(number)
        if self._strict:
            raise self._refusal(f"holds another request {number} than the one that was made")

    def _refusal(self, what: str) -> ModelFailed:
        failure = Failure(kind="invalid_request", message=f"The recording {self._name} {what}.")
        return ModelFailed(failure, hint="record it again with --record, or play it less far")


class Player:
    """A transport that answers from a cassette and knows no network."""

    def __init__(self, playing: Playing) -> None:
        """Several may share what is played."""
        self._playing = playing

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[HttpResponse]:
        """Answers as it was answered then."""
        exchange = self._playing.next(request)
        if not exchange.status:
            raise ModelFailed(exchange.failure or _NO_ANSWER)
        yield _Repeated(exchange)

    async def warm(self, url: str) -> None:
        """There is nothing to connect to."""

    async def close(self) -> None:
        """There is nothing to close."""


class _Repeated:
    """An answer from a cassette."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    @property
    def status(self) -> int:
        """The status code."""
        return self._exchange.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that were kept."""
        return self._exchange.answer_headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body in one piece, then what ended it."""
        exchange = self._exchange
        if exchange.answer:
            yield _bytes_of(exchange)
        if exchange.failure is not None:
            raise ModelFailed(exchange.failure)

    async def read(self, limit: int = 1_048_576) -> bytes:
        """The body, or its first ``limit`` bytes."""
        return await first_bytes(self.chunks(), limit)


def _path(url: str) -> str:
    """The path of an address; a recording may say anything."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _bytes_of(exchange: Exchange) -> bytes:
    if exchange.encoding == "text":
        return exchange.answer.encode()
    try:
        return b64decode(exchange.answer)
    except ValueError as error:
        failure = Failure(
            kind="invalid_request",
            message="An answer in the recording is said to be base64 and is none.",
        )
        raise ModelFailed(failure, hint="record it again with --record") from error


def count(exchanges: int) -> str:
    """So many exchanges, in words."""
    return "1 exchange" if exchanges == 1 else f"{exchanges} exchanges"


def _lasting(body: str) -> bytes:
    return _PASSING.sub(b"", body.encode())
