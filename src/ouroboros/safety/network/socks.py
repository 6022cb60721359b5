"""SOCKS5 as far as a command needs it: connections by name or address, without a login.

Source: https://www.rfc-editor.org/rfc/rfc1928
"""

import ipaddress
from enum import IntEnum

from anyio.abc import ByteSendStream
from anyio.streams.buffered import BufferedByteReceiveStream
from msgspec import Struct

SOCKS = b"\x05"
_CONNECT = 1
_NO_LOGIN = 0
_NONE_FITS = b"\x05\xff"


class SocksReply(IntEnum):
    """What became of a wish."""

    DONE = 0
    REFUSED = 2
    UNREACHED = 4
    NO_SUCH_COMMAND = 7
    NO_SUCH_ADDRESS = 8


class SocksWish(Struct, frozen=True, kw_only=True):
    """Where to; an IPv6 address without brackets."""

    host: str
    port: int


def socks_reply(reply: SocksReply) -> bytes:
    """The answer, which names no address of ours."""
    return bytes((5, reply, 0, 1)) + bytes(6)


async def socks_wish(client: ByteSendStream, reader: BufferedByteReceiveStream) -> SocksWish | None:
    """The wish of a client whose first byte was read; None when it was told that it cannot be had.

    Raises:
        anyio.IncompleteRead: It ended before it had said all.
        UnicodeError: The name is none.
    """
    count = (await reader.receive_exactly(1))[0]
    if _NO_LOGIN not in await reader.receive_exactly(count):
        await client.send(_NONE_FITS)
        return None
    await client.send(bytes((5, _NO_LOGIN)))
    version, command, _, kind = await reader.receive_exactly(4)
    if version != SOCKS[0] or command != _CONNECT:
        await client.send(socks_reply(SocksReply.NO_SUCH_COMMAND))
        return None
    match kind:
        case 1:
            host = str(ipaddress.IPv4Address(await reader.receive_exactly(4)))
        case 3:
            length = (await reader.receive_exactly(1))[0]
            host = (await reader.receive_exactly(length)).decode("ascii")
        case 4:
            host = str(ipaddress.IPv6Address(await reader.receive_exactly(16)))
        case _:
            await client.send(socks_reply(SocksReply.NO_SUCH_ADDRESS))
            return None
    return SocksWish(host=host, port=int.from_bytes(await reader.receive_exactly(2), "big"))
