"""The way to the server fails before an answer can begin: what is said, and whether it is tried again."""

import subprocess
from collections.abc import AsyncGenerator

import anyio
import pytest
from anyio.abc import SocketAttribute

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.stream import Retrying
from ouroboros.llm.transport import Transport
from ouroboros.llm.transport.http1 import Http1
from ouroboros.llm.transport.proxied import Proxied
from ouroboros.llm.transport.reach import Tls
from ouroboros.llm.turns import Turn
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.server import serving
from tests.unit.llm.fault_ground import FEW, asked, client_for, listen, said
from tests.unit.llm.proxy_parts import Proxy
from tests.unit.llm.tls_parts import Papers, key, secure

pytestmark = pytest.mark.real

NOWHERE = f"http://127.{'x' * 70}.invalid/v1"
"""No name can be this long between two dots, so that nobody is asked for it."""

AUTHORITY = """[ca]
default_ca = one
[one]
database = {folder}/index.txt
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return Papers(tmp_path_factory.mktemp("papers")).make()


@pytest.fixture(scope="module")
def expired(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    """A certificate for one day of the year 2020, signed by itself."""
    old = Papers(tmp_path_factory.mktemp("expired"))
    folder = old.server.parent
    request, settings = folder / "request.pem", folder / "ca.cnf"
    (folder / "index.txt").touch()
    (folder / "serial").write_text("01\n", encoding="utf-8")
    settings.write_text(AUTHORITY.format(folder=folder), encoding="utf-8")
    words = "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=old"
    names = ("-addext", "subjectAltName=IP:127.0.0.1")
    openssl(*words.split(), *names, "-keyout", str(key(old.server)), "-out", str(request))
    words = "ca -batch -notext -selfsign -startdate 20200101000000Z -enddate 20200102000000Z"
    files = ("-config", str(settings), "-keyfile", str(key(old.server)), "-in", str(request))
    openssl(*words.split(), *files, "-out", str(old.server))
    return old


def openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


@pytest.fixture
async def strict_proxy() -> AsyncGenerator[Proxy]:
    one = Proxy("me:word")
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        one.url = f"127.0.0.1:{listener.extra_attributes[SocketAttribute.local_port]()}"
        tasks.start_soon(listener.serve, one.handle)
        yield one
        tasks.cancel_scope.cancel()


async def failing(format: str, url: str, transport: Transport) -> tuple[ModelFailed, int]:
    """How it fails, and how often it was tried again."""
    client = client_for(format, url, ManualClock(), transport=transport)
    events, error = await listen(client, asked(format))
    await client.close()
    assert error is not None
    assert error.failure.kind == "transport"
    retries = [event for event in events if isinstance(event, Retrying)]
    assert len(retries) == len(events)
    return error, len(retries)


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
async def test_a_name_that_does_not_exist_is_told(format: str) -> None:
    error, retries = await failing(format, NOWHERE, Http1())
    assert "was not found" in error.message
    assert "base URL" in error.hint
    assert retries == 4


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
async def test_tls_to_a_server_without_it_is_explained_and_not_repeated(format: str) -> None:
    async with serving([Turn(text="never")]) as server:
        url = server.url.replace("http://", "https://")
        error, retries = await failing(format, url, Http1())
        assert "does not speak TLS" in error.message
        assert "http://" in error.hint
        assert (retries, server.exchanges) == (0, [])


@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
async def test_a_certificate_of_strangers_is_not_trusted_and_not_repeated(
    format: str, papers: Papers
) -> None:
    with secure(papers) as url:
        error, retries = await failing(format, url, Http1())
        assert "is not trusted" in error.message
        assert retries == 0


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
async def test_a_certificate_whose_time_is_over_is_not_trusted(expired: Papers) -> None:
    with secure(expired) as url:
        tls = Tls(ca_file=str(expired.server))
        error, retries = await failing("openai-chat", url, Http1(tls=tls))
        assert "expired" in error.message
        assert retries == 0


@pytest.mark.deep
@pytest.mark.proves("providers-faults")
@pytest.mark.parametrize("format", FEW)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_wants_to_know_who_we_are(
    format: str, scheme: str, strict_proxy: Proxy
) -> None:
    async with serving([Turn(text="Hello")]) as server:
        url = server.url.replace("http:", f"{scheme}:")

        stranger = Proxied(f"http://{strict_proxy.url}")
        client = client_for(format, url, ManualClock(), transport=stranger)
        _, error = await listen(client, asked(format))
        assert error is not None
        assert "proxy" in error.message.lower()
        assert len(strict_proxy.lines) == 1
        if scheme == "https":
            return
        known = Proxied(f"http://me:word@{strict_proxy.url}")
        client = client_for(format, url, ManualClock(), transport=known)
        events, error = await listen(client, asked(format))
        assert (error, said(events)) == (None, "Hello")
        await client.close()
