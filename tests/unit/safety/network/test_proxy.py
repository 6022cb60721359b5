"""The managed proxy: who is let through, who is asked about, what is refused, and what is on record."""

import os
import socket
from contextlib import closing
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from msgspec import structs

from ouroboros.safety.network import HostRules
from ouroboros.safety.network.dial import Refused, dial, look_of, lookup
from ouroboros.safety.network.doorman import Consent, Contact, Doorman
from tests.cases import every
from tests.unit.llm.proxy_parts import proxying
from tests.unit.safety.network.parts import page, proxy, say, serving

pytestmark = pytest.mark.real


def _get(url: str, *fields: str) -> bytes:
    return "\r\n".join([f"GET {url} HTTP/1.1", *fields, "", ""]).encode()


def _connect(place: str) -> bytes:
    return f"CONNECT {place} HTTP/1.1\r\nhost: {place}\r\n\r\n".encode()


def _socks(host: str, port: int) -> bytes:
    name = host.encode()
    return b"\5\1\0" + b"\5\1\0\3" + bytes((len(name),)) + name + port.to_bytes(2, "big")


def _nowhere(origin: str) -> str:
    """A proxy that nobody serves: what is let through is seen not to be reached."""
    del origin
    return "http://127.0.0.1:9"


async def _never(contact: Contact) -> Consent:
    raise AssertionError(contact)


@pytest.mark.proves("F10")
async def test_a_listed_host_is_reached_by_requests_tunnels_and_socks() -> None:
    with serving(lambda said: page(b"hello " + said.split(b" ", 2)[1])) as port:
        place = f"127.0.0.1:{port}"
        async with proxy([place], ask=_never) as (made, seen):
            plain = await say(made.port, _get(f"http://{place}/plain?q=1"))
            tunnel = await say(made.port, _connect(place), _get("/tunnel"))
            socks = await say(made.port, _socks("127.0.0.1", port), _get("/socks"))
    assert plain.endswith(b"hello /plain?q=1")
    assert tunnel.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200")
    assert tunnel.endswith(b"hello /tunnel")
    assert socks.startswith(b"\5\0\5\0\0\1")
    assert socks.endswith(b"hello /socks")
    assert [(one.protocol, one.decision, one.by, one.address) for one in seen] == [
        ("http", "allowed", "list", "127.0.0.1"),
        ("https", "allowed", "list", "127.0.0.1"),
        ("socks5", "allowed", "list", "127.0.0.1"),
    ]
    assert all(one.port == port and one.received > 20 for one in seen)
    assert all(one.sent > 10 for one in seen[1:])


@pytest.mark.proves("F10", "codex-11.1")
@every(
    ("allow", "deny", "place", "error"),
    [
        ([], [], "example.com:443", b"blocked-by-allowlist"),
        (["other.example"], [], "example.com:443", b"blocked-by-allowlist"),
        (["*.example.com"], [], "example.com:443", b"blocked-by-allowlist"),
        (["**.example.com"], ["example.com"], "example.com:443", b"blocked-by-denylist"),
        (["**.example.com"], ["example.com"], "EXAMPLE.com.:443", b"blocked-by-denylist"),
        (None, [], "127.0.0.1:443", b"blocked-by-policy"),
        (["**.example.com"], [], "localhost:443", b"blocked-by-policy"),
        (["localhost"], [], "127.0.0.1:443", b"blocked-by-policy"),
        (None, [], "[::1]:443", b"blocked-by-policy"),
        (None, [], "10.0.0.1:443", b"blocked-by-policy"),
        (None, [], "169.254.169.254:80", b"blocked-by-policy"),
        (None, [], "metadata.google.internal:80", b"blocked-by-policy"),
        (None, [], "2130706433:80", b"blocked-by-policy"),
        (None, [], "0x7f.1:80", b"blocked-by-policy"),
        (None, [], "[::ffff:127.0.0.1]:80", b"blocked-by-policy"),
        (None, [], "127.0.0.1.nip.io:80", b"blocked-by-policy"),
    ],
)
async def test_what_is_not_listed_or_local_is_refused_and_says_why(
    allow: list[str] | None, deny: list[str], place: str, error: bytes
) -> None:
    async with proxy(allow, deny) as (made, seen):
        said = await say(made.port, _connect(place))
        assert said.startswith(b"HTTP/1.1 403 ")
        assert b"x-proxy-error: " + error + b"\r\n" in said
        assert said.partition(b"\r\n\r\n")[2].strip()
        assert len(made.doorman.blocked) == 1
    assert [one.decision for one in seen] == ["denied"]
    assert seen[0].reason


@pytest.mark.proves("F10")
async def test_a_name_that_leads_to_a_local_address_is_refused_where_it_would_be_connected() -> (
    None
):
    name = "127.1"  # to those who look names up it is one, and leads where a rebinding one would
    assert await lookup(name, 80) == ("127.0.0.1",)
    with serving(lambda said: page(b"secret")) as port:
        with pytest.raises(Refused, match=r"not to be reached: 127\.0\.0\.1 is this machine"):
            await dial(name, port, look_of(HostRules(), name, port))
        named_too = HostRules.of(["127.0.0.1"])
        found = await dial(name, port, look_of(named_too, name, port))
        assert found.address == "127.0.0.1"
        await anyio.aclose_forcefully(found.stream)


@pytest.mark.proves("E24", "codex-11.2")
async def test_one_question_stands_for_all_that_want_the_same_at_once() -> None:
    asked: list[Contact] = []
    answered = anyio.Event()

    async def ask(contact: Contact) -> Consent:
        asked.append(contact)
        await answered.wait()
        return Consent(allowed=False, scope="session", message="not today")

    said: list[bytes] = []
    async with proxy(ask=ask) as (made, seen):
        async with anyio.create_task_group() as tasks:

            async def one() -> None:
                said.append(await say(made.port, _connect("example.com:443")))

            for _ in range(5):
                tasks.start_soon(one)
            while len(asked) < 1:
                await checkpoint()
            await anyio.sleep(0.05)
            assert not said
            answered.set()
        again = await say(made.port, _connect("example.com:443"))
        other = await say(made.port, _get("http://example.com/"))
    assert [one.place for one in asked] == ["example.com", "example.com"]
    assert [one.protocol for one in asked] == ["https", "http"]
    assert len(said) == 5
    assert all(b"not today" in one for one in [*said, again, other])
    assert [one.by for one in seen] == ["person"] * 5 + ["session", "person"]


@pytest.mark.proves("codex-11.3")
async def test_a_yes_for_once_is_asked_again_and_one_for_the_session_is_not() -> None:
    asked: list[str] = []
    scopes = iter(("once", "session"))

    async def ask(contact: Contact) -> Consent:
        asked.append(contact.place)
        return Consent(allowed=True, scope="once" if next(scopes) == "once" else "session")

    async with proxy(ask=ask, proxy_for=_nowhere) as (made, _):
        for _ in range(4):
            said = await say(made.port, _connect("nowhere.example:443"))
            assert said.startswith(b"HTTP/1.1 502 ")
    assert asked == ["nowhere.example", "nowhere.example"]


@pytest.mark.proves("E24")
async def test_a_yes_for_once_holds_for_the_rest_of_the_call_it_was_given_to() -> None:
    asked: list[str] = []

    async def ask(contact: Contact) -> Consent:
        asked.append(contact.call_id)
        return Consent(allowed=True)

    async with proxy(ask=ask, proxy_for=_nowhere) as (made, _):
        with made.calls.attend("call-1"):
            await say(made.port, _connect("nowhere.example:443"))
            await say(made.port, _connect("nowhere.example:443"))
        made.doorman.forget("call-1")
        with made.calls.attend("call-1"):
            await say(made.port, _connect("nowhere.example:443"))
    assert asked == ["call-1", "call-1"]


@pytest.mark.proves("sandbox-answers-about-hosts")
@every("allowed", [False, True])
async def test_a_contact_that_comes_right_after_an_answer_is_not_asked_again(
    *, allowed: bool
) -> None:
    asked: list[str] = []
    ruled: list[bool] = []
    contact = Contact(host="nowhere.example", port=80, protocol="http", call_id="call-1")

    async with anyio.create_task_group() as tasks:

        async def one() -> None:
            ruled.append((await doorman.rule(contact)).allowed)

        async def ask(contact: Contact) -> Consent:
            asked.append(contact.call_id)
            tasks.start_soon(one)  # begins before whoever waits has heard of the answer
            return Consent(allowed=allowed)

        doorman = Doorman(HostRules.of(None), tasks=tasks, ask=ask)
        await one()
    assert asked == ["call-1"]
    assert ruled == [allowed, allowed]


@pytest.mark.proves("sandbox-answers-about-hosts")
@every("allowed", [False, True])
async def test_an_answer_holds_until_what_a_call_left_running_has_ended(*, allowed: bool) -> None:
    asked: list[str] = []

    async def ask(contact: Contact) -> Consent:
        asked.append(contact.call_id)
        return Consent(allowed=allowed)

    async with proxy(ask=ask, proxy_for=_nowhere) as (made, seen):
        contact = Contact(host="nowhere.example", port=80, protocol="http", call_id="call-1")
        with made.calls.attend("call-1"):
            first = await made.doorman.rule(contact)
            made.calls.live_on("call-1", lambda: None)
        assert await made.doorman.rule(contact) == structs.replace(first, by="session")
        made.calls.gone("call-1")
        over = await made.doorman.rule(contact)
    assert asked == ["call-1"]
    assert not over.allowed
    assert "has ended" in over.reason
    assert not seen


@pytest.mark.proves("sandbox-answers-about-hosts")
async def test_a_contact_whose_call_ended_before_it_said_what_it_wants_is_asked_of_nobody() -> None:
    wish = _socks("nowhere.example", 443)
    async with proxy(ask=_never, proxy_for=_nowhere) as (made, seen):
        with anyio.fail_after(60), closing(socket.socket()) as client:
            client.settimeout(0)
            with made.calls.attend("call-1"):
                client.connect_ex(("127.0.0.1", made.port))
                await anyio.wait_writable(client)
                client.send(wish[:3])
                await anyio.wait_readable(client)
                assert client.recv(2) == b"\5\0"
            client.send(wish[3:])
            await anyio.wait_readable(client)
            assert client.recv(9)[1] != 0
    assert [(one.call_id, one.decision) for one in seen] == [("call-1", "denied")]
    assert "has ended" in seen[0].reason


@pytest.mark.proves("E24")
async def test_an_answer_that_comes_late_counts_for_the_next_one() -> None:
    answered = anyio.Event()
    asked: list[Contact] = []

    async def ask(contact: Contact) -> Consent:
        asked.append(contact)
        await answered.wait()
        return Consent(allowed=True)

    async with proxy(ask=ask, patience=0.01, proxy_for=_nowhere) as (made, _):
        first = await say(made.port, _connect("nowhere.example:443"))
        assert first.startswith(b"HTTP/1.1 403 ")
        assert b"waits for approval" in first
        answered.set()
        await anyio.sleep(0.01)
        assert (await say(made.port, _connect("nowhere.example:443"))).startswith(b"HTTP/1.1 502 ")
    assert len(asked) == 1


@pytest.mark.proves("sandbox-answers-about-hosts")
async def test_an_answer_that_comes_late_holds_for_the_call_that_came_back() -> None:
    answered = anyio.Event()
    asked: list[Contact] = []

    async def ask(contact: Contact) -> Consent:
        asked.append(contact)
        await answered.wait()
        return Consent(allowed=True)

    async with proxy(ask=ask, patience=0, proxy_for=_nowhere) as (made, seen):
        contact = Contact(host="nowhere.example", port=80, protocol="http", call_id="call-2")
        await made.doorman.rule(structs.replace(contact, call_id=""))
        answered.set()
        await checkpoint()
        with made.calls.attend("call-2"):
            ruled = [await made.doorman.rule(contact) for _ in range(3)]
    assert len(asked) == 1
    assert [one.allowed for one in ruled] == [True, True, True]
    assert not seen


@pytest.mark.proves("E24")
async def test_a_no_that_comes_late_ends_the_call_that_went_on_without_it() -> None:
    answered = anyio.Event()

    async def ask(contact: Contact) -> Consent:
        await answered.wait()
        return Consent(allowed=False, message="not there")

    async with proxy(ask=ask, patience=0, proxy_for=_nowhere) as (made, _):
        with made.calls.attend("call-1") as attendance:
            said = await say(made.port, _connect("nowhere.example:443"))
            assert b"waits for approval" in said
            assert not attendance.denied.is_set()
            answered.set()
            with anyio.fail_after(60):
                await attendance.denied.wait()
            assert "not there" in attendance.reason


@pytest.mark.proves("E24")
@every("is_over", [False, True])
async def test_a_no_ends_what_a_call_left_running_unless_that_has_ended(*, is_over: bool) -> None:
    asked, answered, ended = anyio.Event(), anyio.Event(), anyio.Event()

    async def ask(contact: Contact) -> Consent:
        asked.set()
        await answered.wait()
        return Consent(allowed=False)

    async with proxy(ask=ask, proxy_for=_nowhere) as (made, _), anyio.create_task_group() as tasks:
        with made.calls.attend("call-1"):
            tasks.start_soon(say, made.port, _connect("nowhere.example:443"))
            await asked.wait()
            made.calls.live_on("call-1", ended.set)
        if is_over:
            made.calls.gone("call-1")
        answered.set()
        with anyio.move_on_after(0.05 if is_over else 20):
            await ended.wait()
        assert ended.is_set() is not is_over


@pytest.mark.proves("F10")
async def test_a_rule_of_a_policy_file_is_about_one_protocol_of_a_host() -> None:
    rules = {("api.example", "https"): "allow", ("api.example", "http"): "forbidden"}
    rules["docs.example", "https"] = "prompt"
    asked: list[str] = []

    async def ask(contact: Contact) -> Consent:
        asked.append(f"{contact.protocol} {contact.host}")
        return Consent(allowed=False)

    def ruled(host: str, protocol: str) -> Any:
        return rules.get((host, protocol))

    lists = ["docs.example"]
    async with proxy(lists, ask=ask, proxy_for=_nowhere, ruled=ruled) as (made, seen):
        for said in (
            _connect("api.example:443"),
            _get("http://api.example/"),
            _socks("api.example", 443),
            _connect("docs.example:443"),
            _get("http://docs.example/"),
        ):
            await say(made.port, said)
    assert asked == ["socks5 api.example", "https docs.example"]
    assert [(one.decision, one.by) for one in seen] == [
        ("allowed", "list"),
        ("denied", "policy"),
        ("denied", "person"),
        ("denied", "person"),
        ("allowed", "list"),
    ]


@pytest.mark.proves("F10")
async def test_a_rule_that_names_this_machine_opens_it_as_the_list_does() -> None:
    def ruled(host: str, protocol: str) -> Any:
        return "allow" if host == "127.0.0.1" else None

    with serving(lambda said: page(b"hello")) as port:
        async with proxy(ruled=ruled) as (made, _):
            assert b"hello" in await say(made.port, _get(f"http://127.0.0.1:{port}/"))
            refused = await say(made.port, _get(f"http://localhost:{port}/"))
    assert b"blocked-by" in refused


async def test_a_yes_is_for_one_protocol_and_port() -> None:
    asked: list[tuple[str, int]] = []

    async def ask(contact: Contact) -> Consent:
        asked.append((contact.protocol, contact.port))
        return Consent(allowed=True, scope="session")

    async with proxy(ask=ask, proxy_for=_nowhere) as (made, _):
        for said in (
            _connect("nowhere.example:443"),
            _get("http://nowhere.example:443/"),
            _socks("nowhere.example", 443),
            _connect("nowhere.example:8443"),
            _connect("nowhere.example:443"),
        ):
            await say(made.port, said)
    assert asked == [("https", 443), ("http", 443), ("socks5", 443), ("https", 8443)]


@pytest.mark.proves("F10")
async def test_a_pattern_opens_no_name_that_stands_for_a_local_address() -> None:
    async with proxy(["*.nip.io"], ask=_never) as (made, _):
        said = await say(made.port, _connect("127.0.0.1.nip.io:443"))
    assert b"x-proxy-error: blocked-by-policy\r\n" in said


async def test_a_body_of_no_known_length_is_refused() -> None:
    with serving(lambda said: page(said)) as port:
        async with proxy([f"127.0.0.1:{port}"]) as (made, _):
            url = f"http://127.0.0.1:{port}/"
            said = await say(
                made.port, b"POST " + _get(url, "transfer-encoding: chunked")[4:], b"0\r\n\r\n"
            )
    assert said.startswith(b"HTTP/1.1 411 ")


@pytest.mark.proves("F10", "divergences-managed-proxy")
async def test_another_user_of_this_machine_is_not_served() -> None:
    program = "import socket,sys;s=socket.create_connection(('127.0.0.1',int(sys.argv[1])));s.sendall(sys.argv[2].encode());print(s.recv(99))"
    wish = _get("http://nowhere.example/").decode()
    nobody = 65_534 if os.getuid() == 0 else None
    async with proxy([], proxy_for=_nowhere) as (made, seen):
        command = ["/usr/bin/env", "python3", "-ISc", program, str(made.port), wish]
        ended = await anyio.run_process(command, check=False, user=nobody)
    assert (b"403" in ended.stdout) == (nobody is None)
    assert len(seen) == (0 if nobody else 1)


@pytest.mark.proves("F01")
async def test_the_one_call_that_runs_is_told_of_its_first_refusal() -> None:
    async with proxy([]) as (made, seen):
        with made.calls.attend("call-1") as attendance:
            await say(made.port, _connect("example.com:443"))
            assert attendance.denied.is_set()
            assert "example.com" in attendance.reason
            with made.calls.attend("call-2") as other:
                await say(made.port, _connect("example.org:443"))
                assert not other.denied.is_set()
            assert "example.org" not in attendance.reason
    assert [one.call_id for one in seen] == ["call-1", ""]


@pytest.mark.proves("F10")
async def test_limited_traffic_lets_only_reading_through() -> None:
    with serving(lambda said: page(said.split(b" ")[0])) as port:
        place = f"127.0.0.1:{port}"
        async with proxy([place], traffic="limited") as (made, _):
            assert (await say(made.port, _get(f"http://{place}/"))).endswith(b"GET")
            for refused in (
                _get(f"http://{place}/").replace(b"GET", b"POST", 1),
                _get(f"http://{place}/").replace(b"GET", b"DELETE", 1),
                _connect(place),
            ):
                said = await say(made.port, refused)
                assert b"x-proxy-error: blocked-by-method-policy\r\n" in said
            assert (await say(made.port, _socks("127.0.0.1", port))).startswith(b"\5\0\5\2")


@pytest.mark.proves("F10")
async def test_a_request_goes_to_the_host_that_was_decided_about_whatever_its_header_says() -> None:
    heads: list[bytes] = []

    def reply(said: bytes) -> bytes:
        heads.append(said)
        return page(b"ok")

    with serving(reply) as port:
        place = f"127.0.0.1:{port}"
        async with proxy([place]) as (made, _):
            fields = ("host: evil.example", "HOST : evil.example", "proxy-authorization: Basic x")
            await say(made.port, _get(f"http://{place}/", *fields))
    assert f"\r\nhost: {place}\r\n".encode() in heads[0]
    assert b"evil" not in heads[0]
    assert b"proxy-authorization" not in heads[0]


@pytest.mark.proves("F10")
async def test_a_second_request_on_a_connection_is_not_sent_on() -> None:
    heads: list[bytes] = []

    def reply(said: bytes) -> bytes:
        heads.append(said)
        return page(b"ok")

    with serving(reply) as port:
        place = f"127.0.0.1:{port}"
        async with proxy([place]) as (made, _):
            await say(made.port, _get(f"http://{place}/1") + _get("http://evil.example/2"))
    assert len(heads) <= 1
    assert not any(b"evil" in head for head in heads)


@every(
    "words",
    [
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET ftp://example.com/ HTTP/1.1\r\n\r\n",
        b"CONNECT example.com HTTP/1.1\r\n\r\n",
        b"CONNECT exa\xffmple.com:443 HTTP/1.1\r\n\r\n",
        b"CONNECT a@example.com:443 HTTP/1.1\r\n\r\n",
        b"CONNECT example.com:443:1 HTTP/1.1\r\n\r\n",
        b"GET http://example.com\\@127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"\5\0",
        b"\5\1\2",
        b"\5\1\0\5\3\0\1\x7f\0\0\1\0\x50",
        b"\5\1\0\5\1\0\x09",
        b"\5\1\0\5\1\0\3\0\0\x50",
        b"\4\1\0\x50\x7f\0\0\1\0\r\n\r\n",
        b"\x16\x03\x01\x02\0\1\0\r\n\r\n",
    ],
)
async def test_nonsense_is_refused_and_the_next_one_is_served(words: bytes) -> None:
    with serving(lambda said: page(b"fine")) as port:
        place = f"127.0.0.1:{port}"
        async with proxy([place]) as (made, _):
            said = await say(made.port, words)
            assert b"200" not in said
            assert (await say(made.port, _get(f"http://{place}/"))).endswith(b"fine")


@pytest.mark.proves("F10")
async def test_what_is_behind_the_persons_own_proxy_goes_through_that() -> None:
    with serving(lambda said: page(said.split(b"\r\n")[0])) as port:
        async with proxying() as theirs:
            theirs.leads_to = "127.0.0.1"
            place = f"api.example:{port}"
            async with proxy([place], proxy_for=lambda origin: theirs.url) as (made, seen):
                plain = await say(made.port, _get(f"http://{place}/x"))
                tunnel = await say(made.port, _connect(place), _get("/y"))
    assert plain.endswith(b"GET /x HTTP/1.1")
    assert tunnel.endswith(b"GET /y HTTP/1.1")
    assert theirs.lines == [f"GET http://{place}/x HTTP/1.1", f"CONNECT {place} HTTP/1.1"]
    assert [(one.decision, one.address) for one in seen] == [("allowed", ""), ("allowed", "")]


@pytest.mark.proves("F10")
async def test_the_last_two_hundred_refusals_are_kept() -> None:
    async with proxy([]) as (made, _):
        for number in range(205):
            contact = Contact(host=f"h{number}.example", port=443, protocol="https")
            assert not (await made.doorman.rule(contact)).allowed
        assert len(made.doorman.blocked) == 200
        assert made.doorman.blocked[-1].contact.host == "h204.example"
