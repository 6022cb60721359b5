"""The name that begins TLS: read from real greetings, cut anywhere, and looked at before it goes out."""

import socket
import ssl

import pytest

from ouroboros.safety.network.doorman import Consent, Contact
from ouroboros.safety.network.hello import named
from tests.cases import every
from tests.unit.llm.proxy_parts import proxying
from tests.unit.safety.network.parts import listening, proxy, say

pytestmark = pytest.mark.real


def hello(name: str | None) -> bytes:
    """What the real library of TLS begins with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    return outgoing.read()


def in_records(greeting: bytes, size: int) -> bytes:
    """The same over several records."""
    body = greeting[5:]
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"\x16\x03\x01" + len(each).to_bytes(2) + each for each in pieces)


@pytest.mark.proves("E24")
@every("name", ["shop.example", "a.b.c.example", None])
def test_a_real_greeting_is_read_and_before_its_end_nothing_is_said(name: str | None) -> None:
    data = hello(name)
    assert named(data) == ("name", name or "")
    assert named(data + b"more") == ("name", name or "")
    assert {named(data[:end])[0] for end in range(len(data))} == {"more"}
    for size in (1, 7, 100):
        assert named(in_records(data, size)) == ("name", name or "")


@every("data", [b"GET / HTTP/1.1", b"SSH-2.0-x", b"\x05\x01", b"\x15\x03\x03"])
def test_what_is_no_tls_is_not_read(data: bytes) -> None:
    assert named(data) == ("plain", "")


@pytest.mark.proves("E24")
def test_odd_greetings_are_broken_and_never_an_error() -> None:
    data = hello("shop.example")
    assert named(data[:5] + b"\x02" + data[6:])[0] == "broken"
    assert named(in_records(data, 50)[:55] + b"\x17" + data)[0] == "broken"
    assert named(data.replace(b"shop", b"\xff\xff\xff\xff"))[0] == "broken"
    assert named(b"\x16\x03\x01\xff\xff\x01\xff\xff\xff" + bytes(70_000))[0] == "broken"
    for at in range(len(data)):
        for value in (0, 1, 127, 255):
            assert named(data[:at] + bytes([value]) + data[at + 1 :])[0] in {
                *("name", "more", "broken", "plain")
            }


def _connect(place: str) -> bytes:
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode()


@pytest.mark.proves("E24")
@every(
    ("place", "name", "is_let"),
    [
        ("shop.example", "shop.example", True),
        ("shop.example", "SHOP.example.", True),
        ("shop.example", "other.example", False),
        ("shop.example", "cdn.example", True),
        ("shop.example", None, True),
        ("93.184.215.14", "other.example", True),
    ],
)
async def test_a_tunnel_leads_to_the_one_whom_it_was_opened_for(
    place: str, name: str | None, *, is_let: bool
) -> None:
    greeting = hello(None if name is None else name.rstrip(".").lower())
    if name is not None and name != name.lower():
        greeting = greeting.replace(b"shop", b"SHOP")
    heard: list[bytes] = []

    def answer(client: socket.socket) -> None:
        with client:
            heard.append(client.recv(65_536))

    lists = ["shop.example", "cdn.example", "93.184.215.14"]
    with listening(answer) as port:
        async with proxying() as theirs:
            theirs.leads_to = "127.0.0.1"
            async with proxy(lists, proxy_for=lambda origin: theirs.url) as (made, seen):
                with made.calls.attend("call-1") as attendance:
                    said = await say(made.port, _connect(f"{place}:{port}"), greeting)
    assert said.startswith(b"HTTP/1.1 200 ")
    assert [one.decision for one in seen] == ["allowed" if is_let else "denied"]
    assert ("other.example is spoken to" in seen[0].reason) is not is_let
    assert b"".join(heard) == (greeting if is_let else b"")
    assert attendance.denied.is_set() is not is_let


@pytest.mark.proves("E24")
async def test_a_new_name_within_a_tunnel_is_asked_about() -> None:
    asked: list[str] = []

    async def ask(contact: Contact) -> Consent:
        asked.append(contact.host)
        return Consent(allowed=True)

    with listening(lambda client: client.close()) as port:
        async with proxying() as theirs:
            theirs.leads_to = "127.0.0.1"
            async with proxy(ask=ask, proxy_for=lambda origin: theirs.url) as (made, _):
                await say(made.port, _connect(f"shop.example:{port}"), hello("other.example"))
    assert asked == ["shop.example", "other.example"]
