"""Requests that prove with a login: renewed in time, after a refusal, and once for all who ask."""

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import msgspec
import pytest
from anyio import to_thread, wait_all_tasks_blocked

from ouroboros.core.errors import ConfigBroken, Misuse, ModelFailed, StoreFailed, StoreFull
from ouroboros.llm.auth.oauth import Login, LoginFile, Tokens
from ouroboros.llm.auth.oauth.flow import give_back, keep
from ouroboros.llm.auth.plan import OAuthClient, OAuthPlan
from ouroboros.llm.transport import HttpRequest
from ouroboros.llm.transport.http1 import Http1
from ouroboros.safety.sealed import KEY_FILE, Sealer
from ouroboros.testing.clock import ManualClock
from tests.cases import every
from tests.small_disk import fill, mounted
from tests.unit.llm.asking import client, said
from tests.unit.llm.auth_server import CLIENT, AuthServer, authorizing

pytestmark = pytest.mark.real


@pytest.fixture
async def server() -> AsyncGenerator[AuthServer]:
    async with authorizing() as running:
        yield running


async def kept(server: AuthServer, home: Path, clock: ManualClock, **changes: object) -> LoginFile:
    """A login in the file, as ``ouro providers login`` leaves it."""
    given = server.grant()
    words = {
        "access_token": given["access_token"],
        "refresh_token": given.get("refresh_token", ""),
        "expires_at": clock.now() + 3600,
        "obtained_at": clock.now(),
        "client_id": CLIENT,
        **changes,
    }
    file = LoginFile(home, "mine")
    async with await file.hold() as held:
        await held.write(msgspec.convert(words, Tokens))
    return file


def plan(server: AuthServer, **changes: object) -> OAuthPlan:
    return OAuthPlan(name="mine", client=server.client(**changes))


def bearers(server: AuthServer) -> list[str]:
    return [
        exchange.headers["authorization"].removeprefix("Bearer ")
        for exchange in server.exchanges
        if exchange.path.endswith("/chat/completions")
    ]


async def test_a_fresh_login_is_sent_as_it_is(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        assert await said(asked) == "ready"
        assert await said(asked) == "ready"
    assert bearers(server) == ["access-0001-aaaa"] * 2
    assert server.refreshes == 0


@pytest.mark.proves("H15")
async def test_a_login_is_renewed_before_it_expires(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    file = await kept(server, tmp_path, clock)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        clock.advance(3600 - 61)
        await said(asked)
        clock.advance(2)
        await said(asked)
        await said(asked)
    assert bearers(server) == ["access-0001-aaaa", "access-0002-aaaa", "access-0002-aaaa"]
    found = await file.read()
    assert found is not None
    assert (found.access_token, found.refresh_token) == ("access-0002-aaaa", "refresh-0002-rrrr")
    assert found.expires_at == clock.now() + 3600
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert file.path.parent.stat().st_mode & 0o777 == 0o700


async def test_a_short_life_leaves_a_short_margin(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock, expires_at=clock.now() + 8)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        clock.advance(5)
        await said(asked)
        assert server.refreshes == 0
        clock.advance(1.5)
        await said(asked)
    assert server.refreshes == 1


async def test_the_refresh_token_stays_where_no_other_is_given(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    server.rotates = False
    file = await kept(server, tmp_path, clock, expires_at=clock.now() - 1)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        await said(asked)
    found = await file.read()
    assert found is not None
    assert found.refresh_token == "refresh-0001-rrrr"


async def test_a_login_is_not_renewed_without_tls_off_this_machine(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock, expires_at=clock.now() - 1)
    changed = plan(server, token_url="http://vendor.example/token")
    async with client(server.url, changed, tmp_path, clock=clock) as asked:
        with pytest.raises(Misuse, match="no TLS"):
            await said(asked)
    assert server.exchanges == []


@pytest.mark.proves("H15")
async def test_a_refused_token_is_renewed_and_sent_once_more(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock)
    server.live.clear()
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        assert await said(asked) == "ready"
    assert bearers(server) == ["access-0001-aaaa", "access-0002-aaaa"]


@pytest.mark.proves("H15")
async def test_a_second_refusal_is_final(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock)
    server.live.clear()
    grant = server.grant

    def worthless() -> dict[str, object]:
        given = grant()
        server.live.clear()
        return given

    server.grant = worthless
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        with pytest.raises(ModelFailed) as caught:
            await said(asked)
    assert len(bearers(server)) == 2
    assert caught.value.failure.kind == "auth"
    assert "access-000" not in str(caught.value)
    assert "ouro providers login mine" in caught.value.hint


@pytest.mark.proves("H15")
async def test_many_requests_at_once_renew_once(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock)
    server.live.clear()
    server.wait = 0.02
    async with (
        client(server.url, plan(server), tmp_path, clock=clock) as asked,
        anyio.create_task_group() as tasks,
    ):
        for _ in range(8):
            tasks.start_soon(said, asked)
    assert (server.refreshes, server.reused) == (1, 0)


async def test_a_login_renewed_by_another_is_taken_over(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        await said(asked)
        server.live.clear()
        await kept(server, tmp_path, clock)
        await said(asked)
    assert bearers(server)[-1] == "access-0002-aaaa"
    assert server.refreshes == 0


@pytest.mark.proves("H15")
async def test_a_login_renewed_by_another_meanwhile_is_not_renewed_again(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    file = await kept(server, tmp_path, clock)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        await said(asked)
        clock.advance(3600)
        given = server.grant()
        words = {**given, "expires_at": clock.now() + 3600, "client_id": CLIENT}
        async with anyio.create_task_group() as tasks, await file.hold() as held:
            tasks.start_soon(said, asked)
            await wait_all_tasks_blocked()
            await held.write(msgspec.convert(words, Tokens))
    assert bearers(server)[-1] == given["access_token"]
    assert server.refreshes == 0


async def test_a_leftover_that_others_could_read_does_not_stay_so(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    file = await kept(server, tmp_path, clock, expires_at=clock.now() - 1)
    leftover = file.path.with_suffix(".new")
    leftover.write_text("half")
    leftover.chmod(0o644)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        assert await said(asked) == "ready"
    assert file.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("refusal", [(503, b"busy"), (429, {}), (500, {"error": "server_error"})])
async def test_a_server_in_trouble_does_not_stop_a_token_that_still_lives(
    server: AuthServer, tmp_path: Path, refusal: tuple[int, object]
) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock)
    server.broken = [refusal]
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        clock.advance(3600 - 30)
        assert await said(asked) == "ready"
        assert bearers(server) == ["access-0001-aaaa"]
        clock.advance(60)
        server.broken = [refusal]
        with pytest.raises(ModelFailed) as caught:
            await said(asked)
    assert caught.value.failure.retryable


@pytest.mark.proves("H15")
async def test_a_login_that_is_over_says_how_to_log_in(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock, expires_at=clock.now() - 1)
    server.refresh_tokens.clear()
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        with pytest.raises(ModelFailed) as caught:
            await said(asked)
    assert (caught.value.failure.kind, caught.value.failure.retryable) == ("auth", False)
    assert caught.value.failure.code == "invalid_grant"
    assert caught.value.hint == "Log in: ouro providers login mine"
    assert "refresh-0001" not in f"{caught.value} {caught.value.failure!r}"
    assert bearers(server) == []


async def test_without_a_login_nothing_is_sent(server: AuthServer, tmp_path: Path) -> None:
    async with client(server.url, plan(server), tmp_path) as asked:
        with pytest.raises(ModelFailed, match="is missing") as caught:
            await said(asked)
    assert caught.value.hint == "Log in: ouro providers login mine"
    assert server.exchanges == []


async def test_a_login_for_another_client_is_none(server: AuthServer, tmp_path: Path) -> None:
    await kept(server, tmp_path, ManualClock(), client_id="somebody-else")
    async with client(server.url, plan(server), tmp_path) as asked:
        with pytest.raises(ModelFailed, match="is missing"):
            await said(asked)


async def test_a_login_without_a_refresh_token_ends(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock, refresh_token="")
    server.live.clear()
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        with pytest.raises(ModelFailed) as caught:
            await said(asked)
        assert len(bearers(server)) == 1
        assert "ouro providers login mine" in caught.value.hint
        clock.advance(4000)
        with pytest.raises(ModelFailed, match="expired"):
            await said(asked)


async def test_an_address_found_at_login_is_used_to_renew(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    gone = clock.now() - 1
    await kept(server, tmp_path, clock, expires_at=gone, token_url=f"{server.url}/token")
    known = OAuthPlan(name="mine", client=OAuthClient(client_id=CLIENT, issuer=server.url))
    async with client(server.url, known, tmp_path, clock=clock) as asked:
        for _ in range(2):
            assert await said(asked) == "ready"
            clock.advance(3600)
    assert server.refreshes == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"access_token":3}'])
async def test_a_file_that_is_no_login_is_named(
    server: AuthServer, tmp_path: Path, content: bytes
) -> None:
    file = await kept(server, tmp_path, ManualClock())
    file.path.write_bytes(content)
    async with client(server.url, plan(server), tmp_path) as asked:
        with pytest.raises(ModelFailed, match=r"mine\.json holds no login") as caught:
            await said(asked)
    assert caught.value.failure.kind == "auth"


@pytest.mark.proves("H15")
@pytest.mark.parametrize("mode", [0o640, 0o604])
async def test_a_login_others_can_read_is_refused_with_the_fix(
    server: AuthServer, tmp_path: Path, mode: int
) -> None:
    file = await kept(server, tmp_path, ManualClock())
    file.path.chmod(mode)
    async with client(server.url, plan(server), tmp_path) as asked:
        with pytest.raises(ModelFailed) as caught:
            await said(asked)
    assert caught.value.hint == f"chmod 600 {file.path}"
    assert server.exchanges == []


@pytest.mark.proves("H15")
async def test_a_cancel_does_not_lose_the_new_login(server: AuthServer, tmp_path: Path) -> None:
    clock = ManualClock()
    file = await kept(server, tmp_path, clock, expires_at=clock.now() - 1)
    server.wait = 0.1
    async with (
        client(server.url, plan(server), tmp_path, clock=clock) as asked,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(said, asked)
        await server.token_asked.wait()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(60):
        await server.renewed.wait()
    assert bearers(server) == []
    found = await file.read()
    assert found is not None
    assert found.refresh_token in server.refresh_tokens


@pytest.mark.proves("H15")
async def test_a_full_disk_is_noticed_before_the_old_login_is_spent(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    with mounted(tmp_path / "disk", mebibytes=1) as disk:
        file = await kept(server, disk, clock, expires_at=clock.now() - 1)
        await anyio.to_thread.run_sync(fill, disk / "filler")
        async with client(server.url, plan(server), disk, clock=clock) as asked:
            with pytest.raises(StoreFull, match="no room"):
                await said(asked)
            assert server.refreshes == 0
            (disk / "filler").unlink()
            assert await said(asked) == "ready"
        found = await file.read()
    assert found is not None
    assert found.refresh_token in server.refresh_tokens


@pytest.mark.proves("A31")
async def test_a_login_is_renewed_ahead_of_the_first_request(
    server: AuthServer, tmp_path: Path
) -> None:
    clock = ManualClock()
    await kept(server, tmp_path, clock, expires_at=clock.now() - 1)
    async with client(server.url, plan(server), tmp_path, clock=clock) as asked:
        await asked.warm()
        assert server.refreshes == 1
        await said(asked)
    assert (server.refreshes, bearers(server)) == (1, ["access-0002-aaaa"])


async def test_nothing_to_warm_is_no_failure(server: AuthServer, tmp_path: Path) -> None:
    async with client(server.url, plan(server), tmp_path) as asked:
        await asked.warm()


async def test_texts_show_no_token(server: AuthServer, tmp_path: Path) -> None:
    file = await kept(server, tmp_path, ManualClock())
    login = Login(plan(server), file, reach=lambda url: Http1(), clock=ManualClock())
    await login.authorize(HttpRequest(url=server.url))
    shown = login.redact("access-0001-aaaa refresh-0001-rrrr")
    assert shown == "[key] [key]"
    found = await file.read()
    assert "0001" not in repr(found)
    assert "0001" not in login.source


@pytest.mark.proves("W10")
async def test_a_login_is_sealed_and_a_copy_of_it_proves_nothing_elsewhere(
    server: AuthServer, tmp_path: Path
) -> None:
    file = await kept(server, tmp_path / "home", ManualClock())
    found = await file.read()
    assert found is not None
    content = await anyio.Path(file.path).read_bytes()
    assert all(each.encode() not in content for each in (found.access_token, found.refresh_token))
    await to_thread.run_sync(shutil.copytree, tmp_path / "home", tmp_path / "copy")
    there = Sealer(tmp_path / "copy", machine=lambda: b"another machine")
    copy = LoginFile(tmp_path / "copy", "mine", sealer=there)
    login = Login(plan(server), copy, reach=lambda url: Http1(), clock=ManualClock())
    with pytest.raises(ModelFailed, match="on another machine") as caught:
        await login.authorize(HttpRequest(url=server.url))
    assert caught.value.hint == "Log in again: ouro providers login mine"
    await keep(copy, Tokens(access_token="abc"))
    assert await copy.read() == Tokens(access_token="abc")


@pytest.mark.proves("W10")
async def test_a_damaged_login_is_refused_and_logged_out_of(tmp_path: Path) -> None:
    file = LoginFile(tmp_path, "mine")
    await keep(file, Tokens(access_token="abc"))
    content = await anyio.Path(file.path).read_bytes()
    for damaged in (content[:-1], content[:20], content[:-1] + b"x"):
        await anyio.Path(file.path).write_bytes(damaged)
        with pytest.raises(ConfigBroken) as caught:
            await file.read()
        assert caught.value.hint == "Log in again: ouro providers login mine"
    assert await give_back(file, reach=lambda url: Http1()) == (True, None)


@pytest.mark.proves("W10")
async def test_no_token_is_spent_where_it_could_not_be_sealed(
    server: AuthServer, tmp_path: Path
) -> None:
    before = await kept(server, tmp_path, ManualClock(), expires_at=1.0)
    found = await before.read()
    assert found is not None
    file = LoginFile(tmp_path, "mine", store="plain")
    await keep(file, found)
    await anyio.Path(tmp_path / KEY_FILE).write_bytes(b"damaged")
    await anyio.Path(tmp_path / KEY_FILE).chmod(0o600)
    sealed = LoginFile(tmp_path, "mine")
    login = Login(plan(server), sealed, reach=lambda url: Http1(), clock=ManualClock())
    with pytest.raises(StoreFailed, match="not a key"):
        await login.authorize(HttpRequest(url=server.url))
    assert server.refreshes == 0
    assert await file.read() == await sealed.read()


@every("name", ["../x", "a/b", ".", "..", "a\0b", "ö" * 20])
async def test_any_name_stays_in_the_folder(tmp_path: Path, name: str) -> None:
    file = LoginFile(tmp_path, name)
    async with await file.hold() as held:
        await held.write(Tokens(access_token="abc"))
    assert file.path.parent == tmp_path / "auth"
    assert [path async for path in anyio.Path(tmp_path / "auth").glob("*.json")] == [file.path]
    assert await file.read() == Tokens(access_token="abc")
