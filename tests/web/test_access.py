"""Who may speak to the server: programs with the token, its own page, and nobody else."""

from pathlib import Path

import anyio
import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from ouroboros.faces.web.access import Access, Asker
from tests.passing import lingering, passes
from tests.web.serving import Served, raw, web


def asker(**given: str) -> Asker:
    usual = {
        "method": "GET",
        "host": "127.0.0.1:8000",
        "origin": "",
        "site": "",
        "authorization": "",
        "cookie": "",
        "key": "",
    }
    return Asker(**(usual | given))


HOSTS = [
    ("127.0.0.1:8000", None),
    ("localhost:8000", None),
    ("LOCALHOST:8000", None),
    ("[::1]:8000", None),
    ("127.0.0.1", "host"),
    ("127.0.0.1:8001", "host"),
    ("rebound.example:8000", "host"),
    ("127.0.0.1.nip.example:8000", "host"),
    ("localhost:8000@evil.example", "host"),
    ("", "host"),
]
ORIGINS = [
    ("", None),
    ("http://127.0.0.1:8000", None),
    ("http://localhost:8000", "origin"),
    ("http://127.0.0.1:8001", "origin"),
    ("https://127.0.0.1:8000", "origin"),
    ("http://evil.example", "origin"),
    ("http://127.0.0.1:8000.evil.example", "origin"),
    ("null", "origin"),
    ("file://", "origin"),
]


@pytest.mark.proves("T18")
def test_only_names_of_this_machine_with_the_right_port_are_answered() -> None:
    access = Access(8000, token="t")
    for host, refusal in HOSTS:
        given = asker(host=host, authorization="Bearer t")
        assert (host, access.refuses(given)) == (host, refusal)
        assert (host, access.refuses_place(given)) == (host, refusal)


@pytest.mark.proves("T18")
def test_only_the_page_at_the_same_address_may_ask() -> None:
    access = Access(8000, token="t")
    for origin, refusal in ORIGINS:
        given = asker(origin=origin, authorization="Bearer t", method="POST")
        assert (origin, access.refuses(given)) == (origin, refusal)
        assert (origin, access.refuses(given, is_socket=True)) == (origin, refusal)


@pytest.mark.proves("T18")
def test_a_cookie_counts_only_with_a_word_on_where_the_page_is_from() -> None:
    access = Access(8000, token="t", cookie="c", key="k")
    own, page = "http://127.0.0.1:8000", {"cookie": "other=1; ouro-8000=c", "key": "k"}
    assert access.refuses(asker(**page)) is None
    assert access.refuses(asker(**page, site="same-origin")) is None
    assert access.refuses(asker(**page, site="none")) is None
    for site in ("cross-site", "same-site", "odd"):
        assert access.refuses(asker(**page, site=site)) == "origin"
    assert access.refuses(asker(**page, method="POST")) == "origin"
    assert access.refuses(asker(**page, method="POST", origin=own)) is None
    assert access.refuses(asker(**page, method="DELETE", site="same-origin")) is None
    assert access.refuses(asker(**page), is_socket=True) == "origin"
    assert access.refuses(asker(**page, origin=own), is_socket=True) is None


STRANGERS: list[dict[str, str]] = [
    {},
    {"authorization": "Bearer x"},
    {"authorization": "Bearer "},
    {"authorization": "t"},
    {"authorization": "Basic t"},
    {"authorization": "Bearer \xe9"},
    {"cookie": "ouro-8000=t"},
    {"cookie": "ouro-8001=c"},
    {"cookie": "ouro-8000="},
    {"cookie": ";;=;"},
]


def test_without_the_token_or_the_cookie_nobody_is_let_in() -> None:
    access = Access(8000, token="t", cookie="c", key="k")
    assert [each for each in STRANGERS if access.refuses(asker(**each)) != "token"] == []


@pytest.mark.proves("T18")
def test_a_ticket_lets_in_once_and_the_token_always() -> None:
    access = Access(8000, token="t")
    one, other = access.ticket(), access.ticket()
    assert [access.enters(each) for each in (one, one, other, other)] == [True, False, True, False]
    assert [access.enters(each) for each in ("t", "t", "", "x")] == [True, True, False, False]
    assert not access.is_token(access.ticket())


async def asked(s: Served, method: str = "GET", path: str = "/api/v1/state", **headers: str) -> int:
    async with httpx2.AsyncClient(base_url=s.plate.address, timeout=60, trust_env=False) as client:
        return (await client.request(method, path, headers=headers)).status_code


@pytest.mark.deep
@pytest.mark.proves("T18")
async def test_every_route_and_socket_asks_who_is_there(tmp_path: Path) -> None:
    async with web(tmp_path) as s:
        right = {"authorization": f"Bearer {s.plate.token}"}
        assert await asked(s) == 401
        assert await asked(s, **right) == 200
        assert await asked(s, **right, host=f"evil.example:{s.plate.port}") == 403
        assert await asked(s, **right, origin="http://evil.example") == 403
        assert await asked(s, path="/", host="evil.example") == 403
        assert await asked(s, "OPTIONS", **right) == 405
        for path in ("/sessions/x/stream", "/stream"):
            for headers in (
                {"Authorization": "Bearer wrong"},
                {"Origin": "http://evil.example"},
                {"Origin": "null"},
                {"Host": f"evil.example:{s.plate.port}"},
            ):
                with pytest.raises(InvalidStatus):
                    async with s.socket(path, **headers):
                        pass


@pytest.mark.deep
@pytest.mark.proves("T18")
async def test_a_page_gets_a_cookie_and_a_key_for_the_token_and_works_by_both(
    tmp_path: Path,
) -> None:
    async with web(tmp_path) as s:
        own = {"origin": s.plate.address[:-1]}
        async with httpx2.AsyncClient(
            base_url=s.plate.address, timeout=60, trust_env=False
        ) as page:
            entered = await page.post("/api/v1/login", json={"token": s.plate.token}, headers=own)
            assert entered.json()["ok"] is True
            assert await everything(page, own) == [401] * len(EVERYTHING)
            page.headers["x-ouroboros-key"] = entered.json()["key"]
            cookie = entered.headers["set-cookie"]
            assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {
                each.strip() for each in cookie.split(";")
            }
            assert s.plate.token not in cookie
            assert (await page.get("/api/v1/state")).status_code == 200
            assert (await page.post("/api/v1/sessions", json={})).status_code == 403
            assert (await page.post("/api/v1/sessions", json={}, headers=own)).status_code == 201
            assert (await page.post("/api/v1/logout", json={}, headers=own)).status_code == 200
            assert (await page.get("/api/v1/state")).status_code == 401


EVERYTHING = [
    ("GET", "/state"),
    ("GET", "/sessions?all=1"),
    ("GET", "/sessions/x"),
    ("GET", "/sessions/x/events?after=0"),
    ("GET", "/sessions/x/file?path=a"),
    ("GET", "/sessions/x/export?format=md"),
    ("GET", "/sessions/x/artifacts/a"),
    ("GET", "/settings"),
    ("POST", "/sessions"),
    ("POST", "/sessions/x/commands"),
    ("POST", "/once"),
    ("POST", "/logout"),
    ("PUT", "/sessions/x/title"),
    ("DELETE", "/sessions/x"),
]
"""Of which a cookie alone, which any server of this machine is sent, may do nothing."""


async def everything(page: httpx2.AsyncClient, headers: dict[str, str]) -> list[int]:
    return [
        (await page.request(method, f"/api/v1{path}", headers=headers)).status_code
        for method, path in EVERYTHING
    ]


@pytest.mark.deep
@pytest.mark.proves("T18")
async def test_a_cookie_alone_opens_no_websocket_and_the_key_does(tmp_path: Path) -> None:
    async with (
        web(tmp_path) as s,
        httpx2.AsyncClient(base_url=s.plate.address, trust_env=False) as page,
    ):
        entered = await page.post("/api/v1/login", json={"token": s.plate.token})
        crumb = entered.headers["set-cookie"].partition(";")[0]
        page_of = {"Cookie": crumb, "Origin": s.plate.address[:-1]}
        key = f"key.{entered.json()['key']}"
        for path in ("/stream", "/sessions/x/stream", "/sessions/x/browser", "/api/earlier/000"):
            whole = path if path.startswith("/api") else f"/api/v1{path}"
            address = f"ws://127.0.0.1:{s.plate.port}{whole}"
            for words in ([], ["ouroboros"], ["ouroboros", "key."], ["ouroboros", f"{key}x"]):
                with pytest.raises(InvalidStatus, match="401"):
                    async with connect(
                        address,
                        additional_headers=page_of,
                        subprotocols=[Subprotocol(each) for each in words] or None,
                        proxy=None,
                    ):
                        pass
            async with connect(
                address,
                additional_headers=page_of,
                subprotocols=[Subprotocol("ouroboros"), Subprotocol(key)],
                proxy=None,
            ) as opened:
                assert opened.subprotocol == "ouroboros"


@pytest.mark.deep
@pytest.mark.proves("T18")
async def test_a_ticket_is_for_one_address_once_and_soon(tmp_path: Path) -> None:
    async with (
        web(tmp_path) as s,
        httpx2.AsyncClient(base_url=s.plate.address, trust_env=False) as page,
    ):
        session = await s.open()
        entered = await page.post("/api/v1/login", json={"token": s.plate.token})
        key = {"x-ouroboros-key": entered.json()["key"], "origin": s.plate.address[:-1]}

        async def ticketed(path: str) -> str:
            given = await page.post("/api/v1/once", json={"path": path}, headers=key)
            return given.json()["address"]

        async def got(address: str, method: str = "GET") -> int:
            return (await page.request(method, address)).status_code

        export = f"/sessions/{session}/export?format=md"
        first = await ticketed(export)
        assert [await got(first), await got(first)] == [200, 401]
        ticket = (await ticketed("/state")).partition("=")[2]
        other = await ticketed("/state")
        assert await got(f"/api/v1{export}&once={ticket}") == 401
        assert await got(other, "POST") == 401
        assert await got(other.replace("/state", "/state/")) == 401
        late = await ticketed("/state")
        passes(61)
        assert await got(late) == 401
        async with httpx2.AsyncClient(base_url=s.plate.address, trust_env=False) as stranger:
            assert (await stranger.get(await ticketed("/state"))).status_code == 401


@pytest.mark.deep
async def test_wrong_tokens_wait_and_only_a_few_may_while_the_right_one_goes_through(
    tmp_path: Path,
) -> None:
    async with web(tmp_path) as s:
        found: list[int] = []
        refused = anyio.Event()

        async def guess(number: int) -> None:
            async with httpx2.AsyncClient(
                base_url=s.plate.address, timeout=60, trust_env=False
            ) as page:
                answer = await page.post("/api/v1/login", json={"token": f"guess {number}"})
                found.append(answer.status_code)
                if len(found) >= 12:
                    refused.set()

        with lingering(100):  # the first that waits must not have waited before the last has come
            async with anyio.create_task_group() as tasks:
                for number in range(20):
                    tasks.start_soon(guess, number)
                with anyio.fail_after(60):
                    await refused.wait()
                entered = await s.client.post("/api/v1/login", json={"token": s.plate.token})
                assert entered.status_code == 200
                assert found == [429] * 12
                tasks.cancel_scope.cancel()
        passes(10)
        assert (await s.client.post("/api/v1/login", json={})).status_code == 400


@pytest.mark.deep
@pytest.mark.proves("T18")
async def test_answers_forbid_what_a_page_could_be_tricked_into(tmp_path: Path) -> None:
    async with web(tmp_path) as s:
        for path in ("/", "/api/v1/state", "/api/v1/nowhere", "/api/v1/sessions/x"):
            headers = (await s.client.get(path)).headers
            policy = dict(
                each.strip().split(" ", 1) for each in headers["content-security-policy"].split(";")
            )
            assert policy["default-src"] == "'none'"
            assert policy["script-src"] == policy["style-src"] == "'self'"
            assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-frame-options"] == "DENY"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert not [name for name in headers if name.startswith("access-control")]
        assert (await s.client.get("/api/v1/state")).headers["cache-control"] == "no-store"


async def test_two_hosts_or_a_split_header_are_refused(tmp_path: Path) -> None:
    async with web(tmp_path) as s:
        port = s.plate.port
        token = s.plate.token.encode()
        lines = b"GET /api/v1/state HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % port
        key = b"Authorization: Bearer %s\r\nConnection: close\r\n" % token
        assert (await raw(port, lines + key + b"\r\n")).startswith(b"HTTP/1.1 200")
        for wrong in (
            b"Host: evil.example\r\n",
            b"Origin: null\r\nOrigin: http://127.0.0.1:%d\r\n" % port,
        ):
            assert not (await raw(port, lines + wrong + key + b"\r\n")).startswith(b"HTTP/1.1 200")
        split = (
            b"GET /api/v1/x%0d%0aset-cookie:%20a=b HTTP/1.1\r\nHost: 127.0.0.1:" + b"%d\r\n" % port
        )
        answer = await raw(port, split + key + b"\r\n")
        assert b"set-cookie" not in answer.lower()
        assert answer.startswith(b"HTTP/1.1 404")


OUTSIDE = (
    "/../access.py",
    "/%2e%2e/access.py",
    "/js/..%2f..%2f..%2faccess.py",
    "/js/../../access.py",
    "//etc/passwd",
    "/%2fetc%2fpasswd",
    "/js/%00",
    "/..\\access.py",
    "/" + "a" * 5_000,
)


@pytest.mark.proves("T18")
async def test_no_path_leads_out_of_the_page_files(tmp_path: Path) -> None:
    async with web(tmp_path) as s:
        rest = f" HTTP/1.1\r\nHost: 127.0.0.1:{s.plate.port}\r\nConnection: close\r\n\r\n"
        for path in OUTSIDE:
            answer = await raw(s.plate.port, f"GET {path}{rest}".encode())
            assert answer.split(b" ")[1] in {b"404", b"400"}, path
            assert b"compare_digest" not in answer
            assert b"root:" not in answer
