"""Answers that were compressed on the way although nobody asked for it, made plain again."""

from collections.abc import AsyncGenerator, Mapping

from anyio.lowlevel import checkpoint

from ouroboros.llm.transport.http import HttpResponse, first_bytes, unreachable

PIECE_BYTES = 1_048_576
"""So much is unpacked at a time, however well it was packed."""

_ANY_HEADER = 47
_CODINGS = frozenset({"gzip", "x-gzip", "deflate"})


class Inflated:
    """An answer whose body is unpacked as it arrives."""

    def __init__(self, response: HttpResponse, coding: str) -> None:
        """Raises ``ModelFailed`` for a coding that is not known."""
        if coding not in _CODINGS:
            raise unreachable(
                f"The server compressed its answer as {coding[:40]!r}, which nobody asked for.",
                hint="Look for a proxy between here and the provider.",
                retryable=False,
            )
        self._response = response
        packed = {"content-encoding", "content-length"}
        self._headers = {
            name: value for name, value in response.headers.items() if name not in packed
        }

    @property
    def status(self) -> int:
        """The status code."""
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case, without those of the compression."""
        return self._headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it arrives, unpacked."""
        import zlib  # hardly any answer needs it

        unpacker = zlib.decompressobj(_ANY_HEADER)
        packed = self._response.chunks()
        try:
            async for chunk in packed:
                while chunk:
                    if unpacker.eof:
                        unpacker = zlib.decompressobj(_ANY_HEADER)
                    try:
                        piece = unpacker.decompress(chunk, PIECE_BYTES)
                    except zlib.error as error:
                        raise unreachable("The compressed answer arrived damaged.") from error
                    chunk = unpacker.unconsumed_tail or unpacker.unused_data
                    if piece:
                        yield piece
                        await checkpoint()  # so that nothing else starves while little becomes much
        finally:
            await packed.aclose()
        if rest := unpacker.flush():
            yield rest
        if not unpacker.eof:
            raise unreachable("The compressed answer broke off.")

    async def read(self, limit: int = 1_048_576) -> bytes:
        """The rest of the body, or its first ``limit`` bytes."""
        return await first_bytes(self.chunks(), limit)


def plain(response: HttpResponse) -> HttpResponse:
    """The answer, unpacked if it was compressed on the way; raises ``ModelFailed``."""
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding in {"", "identity"}:
        return response
    return Inflated(response, coding)
