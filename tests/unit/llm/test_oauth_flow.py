"""A login from the first page to the tokens, with a real server and a browser that asks for pages."""

import contextlib
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.core.errors import Misuse, ModelFailed, unwrapped
from ouroboros.llm.auth.oauth import LoginFile, Tokens, pkce
from ouroboros.llm.auth.oauth.callback import MOST_OPEN
from ouroboros.llm.auth.oauth.discovery import described
from ouroboros.llm.auth.oauth.flow import (
    Person,
    give_back,
    keep,
    obtain_key,
    obtain_tokens,
    spelled,
)
from ouroboros.llm.auth.oauth.messages import key_of, refusal, tokens_of
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.llm.transport import Transport
from ouroboros.llm.transport.http1 import Http1
from ouroboros.testing.clock import ManualClock
from tests.cases import every
from tests.unit.llm.auth_server import (
    CLIENT,
    AuthServer,
    authorizing,
    browse,
    fetched,
    query,
    spare_port,
)

pytestmark = pytest.mark.real

type Show = Callable[[str], Awaitable[None]]


@pytest.fixture
async def server() -> AsyncGenerator[AuthServer]:
    async with authorizing() as running:
        yield running


def reach(url: str) -> Transport:
    del url
    return Http1()


async def logged_in(client: OAuthClient, show: Show, patience: float = 20.0) -> Tokens:
    person = Person(show=show, patience_seconds=patience)
    return await obtain_tokens(client, person, reach=reach, clock=ManualClock())


async def with_browser(client: OAuthClient, visit: Show | None = None) -> Tokens:
    """Logs in while a browser opens what is shown."""
    found: list[Tokens] = []

    async def opened(address: str) -> None:
        await (visit or browse)(address)

    try:
        async with anyio.create_task_group() as tasks:

            async def show(address: str) -> None:
                tasks.start_soon(opened, address)

            found.append(await logged_in(client, show))
    except ExceptionGroup as group:
        raise unwrapped(group) from None
    return found[0]


@pytest.mark.proves("H15")
def test_the_challenge_is_the_one_of_the_standard() -> None:
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert pkce.challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    assert len(pkce.secret()) == 43
    assert pkce.secret() != pkce.secret()


async def test_a_code_from_the_page_becomes_tokens(server: AuthServer) -> None:
    clock = ManualClock()
    tokens = await with_browser(server.client(scopes=["chat", "models"], resource="https://r/"))
    assert (tokens.access_token, tokens.refresh_token) == ("access-0001-aaaa", "refresh-0001-rrrr")
    assert tokens.expires_at == clock.now() + 3600
    page, exchange = server.exchanges[0], server.exchanges[1]
    asked = query(page.path)
    assert asked["client_id"] == CLIENT
    assert asked["scope"] == "chat models"
    assert asked["resource"] == "https://r/"
    assert asked["redirect_uri"].startswith("http://127.0.0.1:")
    assert asked["code_challenge_method"] == "S256"
    assert "client_secret" not in exchange.body
    assert "resource=https" in exchange.body
    assert asked["code_challenge"] not in exchange.body


@pytest.mark.proves("H15")
async def test_addresses_are_asked_of_the_issuer(server: AuthServer) -> None:
    client = OAuthClient(client_id=CLIENT, issuer=f"{server.url}/")
    tokens = await with_browser(client)
    assert tokens.token_url == f"{server.url}/token"
    assert tokens.revoke_url == f"{server.url}/revoke"
    assert server.exchanges[0].path == "/.well-known/oauth-authorization-server"


@pytest.mark.proves("H15")
@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"issuer": "http://127.0.0.1:1"}, "another one"),
        ({"code_challenge_methods_supported": ["plain"]}, "S256"),
        ({"token_endpoint": "http://example.com/token"}, "no TLS"),
        ({"token_endpoint": "javascript:alert(1)"}, "no TLS"),
        ({"token_endpoint": 3}, "does not describe"),
    ],
)
async def test_a_description_that_cannot_be_trusted_is_refused(
    server: AuthServer, metadata: dict[str, object], said: str
) -> None:
    server.metadata = metadata
    with pytest.raises(ModelFailed, match=said):
        await with_browser(OAuthClient(client_id=CLIENT, issuer=server.url))


@pytest.mark.proves("H15")
@pytest.mark.parametrize(("iss", "is_taken"), [("", True), ("http://127.0.0.1:1", False)])
async def test_the_answer_of_another_server_is_refused(
    server: AuthServer, iss: str, is_taken: bool
) -> None:
    async def visit(address: str) -> None:
        _, headers, _ = await fetched(address)
        await fetched(f"{headers['location']}&{urlencode({'iss': iss or server.url})}")

    client = OAuthClient(client_id=CLIENT, issuer=server.url)
    if is_taken:
        assert (await with_browser(client, visit)).access_token
        return
    with pytest.raises(ModelFailed, match="came from another server"):
        await with_browser(client, visit)


async def test_a_description_may_lie_at_the_older_place(server: AuthServer) -> None:
    server.broken = [(404, {})]
    with pytest.raises(ModelFailed) as caught:
        await with_browser(OAuthClient(client_id=CLIENT, issuer=f"{server.url}/tenant"))
    assert caught.value.failure.status == 404
    assert [exchange.path for exchange in server.exchanges] == [
        "/.well-known/oauth-authorization-server/tenant",
        "/.well-known/openid-configuration/tenant",
        "/tenant/.well-known/openid-configuration",
    ]


async def key_with_browser(server: AuthServer, visit: Callable[[str], Awaitable[object]]) -> str:
    found: list[str] = []

    async def opened(address: str) -> None:
        await visit(address)

    async with anyio.create_task_group() as tasks:

        async def show(address: str) -> None:
            tasks.start_soon(opened, address)

        found.append(await obtain_key(server.key_client(), Person(show=show), reach=reach))
    return found[0]


async def test_a_key_is_given_where_the_vendor_gives_keys(server: AuthServer) -> None:
    shown: list[str] = []

    async def visit(address: str) -> None:
        shown.append(address)
        await browse(address)

    assert await key_with_browser(server, visit) == "sk-key-from-the-page"
    (asked,) = map(query, shown)
    assert set(asked) == {"callback_url", "code_challenge", "code_challenge_method"}


@pytest.mark.proves("H15")
async def test_only_the_answer_with_the_right_state_counts(server: AuthServer) -> None:
    seen: list[tuple[int, str]] = []

    async def visit(address: str) -> None:
        redirect = query(address)["redirect_uri"]
        wrongs = ("?code=a&state=wrong", "?code=theirs", "/other?code=theirs", "?error=no")
        seen.extend([await browse(redirect + wrong) for wrong in wrongs])
        state = query(address)["state"]
        right = f"{redirect}?code=theirs&state={state}"
        status, _, page = await fetched(right, host="evil.example")
        seen.append((status, page))
        await browse(address)

    tokens = await with_browser(server.client(), visit)
    assert tokens.access_token == "access-0001-aaaa"
    assert [status for status, _ in seen] == [400, 400, 404, 400, 404]
    assert all("theirs" not in page for _, page in seen)


async def test_the_key_page_is_answered_only_by_who_knows_the_address(server: AuthServer) -> None:
    seen: list[int] = []

    async def visit(address: str) -> None:
        redirect = query(address)["callback_url"]
        wrong = redirect.rpartition("/")[0] + "/guessed?code=theirs"
        seen.append((await browse(wrong))[0])
        await browse(address)

    assert await key_with_browser(server, visit) == "sk-key-from-the-page"
    assert seen == [404]


@pytest.mark.proves("H15")
async def test_the_page_runs_nothing_and_repeats_nothing(server: AuthServer) -> None:
    pages: list[tuple[int, dict[str, str], str]] = []

    async def visit(address: str) -> None:
        asked = query(address)
        begun = f"{asked['redirect_uri']}?state={asked['state']}&code=x<script>y"
        pages.append(await fetched(begun))

    with pytest.raises(ModelFailed):
        await with_browser(server.client(), visit)
    ((_, headers, page),) = pages
    assert headers["content-security-policy"] == "default-src 'none'"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert "script" not in page


async def test_bytes_that_are_no_browser_do_not_disturb(server: AuthServer) -> None:
    async def visit(address: str) -> None:
        port = int(query(address)["redirect_uri"].rpartition(":")[2].partition("/")[0])
        for noise in (b"\x16\x03\x01\x00", b"GET http://[ HTTP/1.1\r\n\r\n", b"\xff" * 20_000, b""):
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                await stream.send(noise or b"G")
        await browse(address)

    assert (await with_browser(server.client(), visit)).access_token


async def test_a_person_who_says_no_is_understood(server: AuthServer) -> None:
    server.denies = "access_denied"
    with pytest.raises(ModelFailed, match="access_denied") as caught:
        await with_browser(server.client())
    assert (caught.value.failure.kind, caught.value.failure.retryable) == ("auth", False)


async def test_nobody_comes_and_nobody_listens_any_more(server: AuthServer) -> None:
    shown: list[str] = []

    async def show(address: str) -> None:
        shown.append(address)

    with anyio.fail_after(60), pytest.raises(ModelFailed, match="Nobody came back"):
        await logged_in(server.client(), show, patience=0.05)
    asked = query(shown[0])
    # Another test of another process may listen there by now, and hang up.
    with pytest.raises((OSError, anyio.BrokenResourceError, anyio.EndOfStream)):
        await fetched(f"{asked['redirect_uri']}?code=late&state={asked['state']}")


async def test_a_port_that_is_taken_is_named(server: AuthServer) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Misuse, match=f"port {port}"):
            await with_browser(server.client(redirect_port=port))


async def test_the_chosen_port_is_used(server: AuthServer) -> None:
    port = spare_port()
    await with_browser(server.client(redirect_port=port))
    assert query(server.exchanges[0].path)["redirect_uri"] == f"http://127.0.0.1:{port}/callback"


@pytest.mark.proves("H15")
@pytest.mark.parametrize("form", ["address", "code", "code#state"])
async def test_the_answer_may_be_pasted(server: AuthServer, form: str) -> None:
    pasted: list[str] = []

    async def show(address: str) -> None:
        _, headers, _ = await fetched(address)
        given = query(headers["location"])
        pasted.append(
            {
                "address": f"  {headers['location']}\n",
                "code": given["code"],
                "code#state": f"{given['code']}#{given['state']}",
            }[form]
        )

    async def paste() -> str:
        return pasted[0]

    person = Person(show=show, pasted=paste)
    tokens = await obtain_tokens(server.client(), person, reach=reach, clock=ManualClock())
    assert tokens.access_token == "access-0001-aaaa"


@every(
    ("text", "said"),
    [
        ("", "Neither"),
        ("http://127.0.0.1:1/callback", "Neither"),
        ("http://[", "Neither"),
        ("http://127.0.0.1:1/callback?code=x&state=other", "another login"),
        ("http://127.0.0.1:1/callback?code=x", "another login"),
        ("x#other", "another login"),
    ],
)
def test_a_wrong_answer_that_was_pasted_is_refused(text: str, said: str) -> None:
    with pytest.raises(Misuse, match=said):
        spelled(text, "mine")


@pytest.mark.proves("H15")
@pytest.mark.parametrize("name", ["authorize_url", "token_url", "revoke_url", "issuer"])
async def test_nothing_is_sent_without_tls_off_this_machine(server: AuthServer, name: str) -> None:
    with pytest.raises(Misuse, match="no TLS"):
        await with_browser(server.client(**{name: "http://vendor.example/x"}))
    assert server.exchanges == []


@pytest.mark.proves("H15")
async def test_connections_that_say_nothing_do_not_keep_the_browser_away(
    server: AuthServer,
) -> None:
    async def visit(address: str) -> None:
        port = urlsplit(query(address)["redirect_uri"]).port or 0
        async with contextlib.AsyncExitStack() as stack:
            silent = [
                await stack.enter_async_context(await anyio.connect_tcp("127.0.0.1", port))
                for _ in range(MOST_OPEN * 2)
            ]
            with anyio.fail_after(60), pytest.raises(anyio.EndOfStream):
                await silent[0].receive()
            await browse(address)

    assert (await with_browser(server.client(), visit)).access_token == "access-0001-aaaa"


async def test_a_code_that_is_refused_is_not_repeated(server: AuthServer) -> None:
    async def visit(address: str) -> None:
        asked = query(address)
        begun = f"{asked['redirect_uri']}?state={asked['state']}&code=code-of-somebody-else"
        await browse(begun)

    with pytest.raises(ModelFailed, match="is not known") as caught:
        await with_browser(server.client(), visit)
    assert "code-of-somebody-else" not in str(caught.value)
    assert caught.value.failure.code == "invalid_grant"


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        ((200, b"<html>"), "auth", False),
        ((200, {"access_token": ""}), "auth", False),
        ((200, {"access_token": "a b"}), "auth", False),
        ((200, {"access_token": "abc", "token_type": "mac"}), "auth", False),
        ((200, {"access_token": "abc", "expires_in": "soon"}), "auth", False),
        ((200, {"access_token": "abc", "expires_in": "1.2.3"}), "auth", False),
        ((401, {"error": "invalid_client"}), "auth", False),
        ((503, b"busy"), "server", True),
        ((429, b""), "server", True),
    ],
)
async def test_answers_of_every_kind_are_typed(
    server: AuthServer, answer: tuple[int, object], kind: str, retryable: bool
) -> None:
    server.broken = [answer]
    with pytest.raises(ModelFailed) as caught:
        await with_browser(server.client())
    assert (caught.value.failure.kind, caught.value.failure.retryable) == (kind, retryable)


async def test_a_login_is_given_back(server: AuthServer, tmp_path: Path) -> None:
    file = LoginFile(tmp_path, "mine")
    await keep(file, await with_browser(server.client()))
    assert await give_back(file, reach=reach) == (True, None)
    assert server.revoked == ["refresh-0001-rrrr"]
    assert await file.read() is None
    assert await give_back(file, reach=reach) == (False, None)


@every(("content", "mode"), [("{", 0o600), ('{"access_token":"a"}', 0o644)])
async def test_a_login_that_cannot_be_used_can_be_removed(
    tmp_path: Path, content: str, mode: int
) -> None:
    file = LoginFile(tmp_path, "mine")
    await keep(file, Tokens(access_token="abc"))
    await anyio.Path(file.path).write_text(content)
    await anyio.Path(file.path).chmod(mode)
    assert await give_back(file, reach=reach) == (True, None)
    assert await file.read() is None


@pytest.mark.proves("H15")
@settings(max_examples=12)
@given(
    body=st.binary(max_size=200)
    | st.builds(
        msgspec.json.encode,
        st.dictionaries(
            st.sampled_from([
                "access_token",
                "token_type",
                "refresh_token",
                "expires_in",
                "key",
                "error",
            ]),
            st.text(max_size=9)
            | st.integers()
            | st.floats(allow_nan=False)
            | st.none()
            | st.lists(st.none()),
        ),
    )
)
def test_no_answer_of_a_server_raises_anything_untyped(body: bytes) -> None:
    client = OAuthClient(client_id=CLIENT, issuer="https://vendor.example")
    readings: tuple[Callable[[bytes], object], ...] = (
        lambda body: tokens_of(body, client=client, now=0.0),
        key_of,
        lambda body: described(client, body),
        lambda body: refusal(400, body),
    )
    for reading in readings:
        with contextlib.suppress(ModelFailed):
            reading(body)


@given(text=st.text(max_size=80))
def test_no_line_of_a_person_raises_anything_untyped(text: str) -> None:
    with contextlib.suppress(Misuse):
        assert spelled(text, "state")
