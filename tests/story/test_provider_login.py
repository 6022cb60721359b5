"""`ouro providers login` and `logout` as a person meets them: pages, pasted answers, typed keys."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import msgspec
import pytest
from anyio import from_thread, to_thread

from ouroboros import __version__
from ouroboros.app.providers import keys
from ouroboros.llm.auth.oauth import LoginFile, Tokens
from tests import forked
from tests.story.cli_terminal import Program
from tests.unit.llm.auth_server import CLIENT, AuthServer, authorizing, fetched
from tests.unit.llm.proxy_parts import proxying

OURO = (sys.executable, "-m", "ouroboros")
BROWSER = """
import sys
from urllib.request import urlopen
with urlopen(sys.argv[1], timeout=60) as page:
    page.read()
"""
OUR_HEADERS = {
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
}
"""What a request of ours may say; anything else would be somebody's mark."""


@pytest.fixture
async def server() -> AsyncGenerator[AuthServer]:
    async with authorizing() as running:
        yield running


def environment(home: Path, **more: str) -> dict[str, str]:
    """With a browser that does as it is told."""
    script = home / "browser.py"
    script.write_text(BROWSER, encoding="utf-8")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "OUROBOROS_HOME": str(home / ".ouroboros"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "BROWSER": f"{sys.executable} {script} %s",
        **more,
    }


def ended(
    home: Path, *words: str, typed: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    return forked.run(
        [*OURO, *words],
        env=environment(home, **more),
        cwd=home,
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


async def ouro(
    home: Path, *words: str, typed: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    return await to_thread.run_sync(lambda: ended(home, *words, typed=typed, **more))


def configured(
    home: Path, server: AuthServer, *lines: str, name: str = "mine", **oauth: str
) -> None:
    settings = (
        f"[providers.{name}]",
        f'base_url = "{server.url}/v1"',
        *lines,
        *((f"[providers.{name}.oauth]",) if oauth else ()),
        *(f'{member} = "{value}"' for member, value in oauth.items()),
    )
    (home / ".ouroboros").mkdir(exist_ok=True)
    (home / ".ouroboros" / "config.toml").write_text("\n".join(settings), encoding="utf-8")


async def tokens(home: Path) -> Tokens:
    kept = await LoginFile(home / ".ouroboros", "mine").read()
    assert kept is not None
    return kept


@pytest.mark.proves("H15", "divergences-log-in-with-a-vendors")
async def test_a_login_a_chat_and_a_logout(server: AuthServer, tmp_path: Path) -> None:
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
    refused = await ouro(tmp_path, "run", "--model", "mine/m", "Hi")
    assert refused.returncode == 1
    assert "ouro providers login mine" in refused.stderr

    login = await ouro(tmp_path, "providers", "login", "mine")
    assert login.returncode == 0, login.stderr
    assert "agree in your browser" in login.stderr
    assert "the login is kept in" in login.stderr
    assert (await tokens(tmp_path)).access_token not in login.stdout + login.stderr

    chat = await ouro(tmp_path, "run", "--model", "mine/m", "Hi")
    assert (chat.returncode, chat.stdout) == (0, "ready\n"), chat.stderr

    kept = await tokens(tmp_path)
    logout = await ouro(tmp_path, "providers", "logout", "mine")
    assert (logout.returncode, logout.stderr) == (0, "removed its login\n")
    assert server.revoked == [kept.refresh_token]
    refused = await ouro(tmp_path, "run", "--model", "mine/m", "Hi")
    assert refused.returncode == 1


@pytest.mark.deep
@pytest.mark.proves("W10")
async def test_an_old_login_in_plain_text_is_used_and_sealed_when_it_is_renewed(
    server: AuthServer, tmp_path: Path
) -> None:
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
    old = msgspec.convert(
        {**server.grant(), "client_id": CLIENT, "token_url": f"{server.url}/token"}, Tokens
    )
    path = anyio.Path(LoginFile(tmp_path / ".ouroboros", "mine").path)
    await path.parent.mkdir(mode=0o700)
    await path.touch(mode=0o600)
    await path.write_bytes(msgspec.json.encode(old))
    chat = await ouro(tmp_path, "run", "--model", "mine/m", "Hi")
    assert (chat.returncode, chat.stdout, server.refreshes) == (0, "ready\n", 0), chat.stderr
    assert old.access_token.encode() in await path.read_bytes()
    doctor = await ouro(tmp_path, "doctor")
    assert f"{path} holds secrets as plain text" in doctor.stdout

    server.live.clear()
    chat = await ouro(tmp_path, "run", "--model", "mine/m", "Hi")
    assert (chat.returncode, chat.stdout, server.refreshes) == (0, "ready\n", 1), chat.stderr
    new = await tokens(tmp_path)
    assert new.access_token in server.live
    content = await path.read_bytes()
    assert all(each.encode() not in content for each in (new.access_token, new.refresh_token))
    assert "as plain text" not in (await ouro(tmp_path, "doctor")).stdout


@pytest.mark.deep
@pytest.mark.proves("W10")
async def test_a_login_is_plain_text_by_choice_and_says_so(
    server: AuthServer, tmp_path: Path
) -> None:
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
    variables = {"OUROBOROS_SECRETS_STORE": "plain"}
    login = await ouro(tmp_path, "providers", "login", "mine", **variables)
    assert login.returncode == 0, login.stderr
    path = LoginFile(tmp_path / ".ouroboros", "mine").path
    assert f"kept in {path} as plain text, as secrets.store says\n" in login.stderr
    server.live.clear()
    chat = await ouro(tmp_path, "run", "--model", "mine/m", "Hi", **variables)
    assert (chat.returncode, server.refreshes) == (0, 1), chat.stderr
    kept = msgspec.json.decode(await anyio.Path(path).read_bytes(), type=Tokens)
    assert kept.access_token in server.live


@pytest.mark.proves("H15")
@pytest.mark.deep
@pytest.mark.parametrize(("name", "variable"), [("mine", "MINE"), ("openrouter", "OPENROUTER_API")])
async def test_a_key_from_the_vendors_page_is_kept_and_used(
    server: AuthServer, tmp_path: Path, name: str, variable: str
) -> None:
    client = server.key_client()
    key_env = 'key_env = "MINE_KEY"' if name == "mine" else ""
    oauth = {"authorize_url": client.authorize_url, "key_url": client.key_url}
    configured(tmp_path, server, key_env, name=name, **oauth)
    login = await ouro(tmp_path, "providers", "login", name)
    assert login.returncode == 0, login.stderr
    assert f"{variable}_KEY is kept in" in login.stderr
    assert "sk-key" not in login.stderr
    assert await to_thread.run_sync(keys.sealed, tmp_path / ".ouroboros") == {
        f"{variable}_KEY": "sk-key-from-the-page"
    }
    chat = await ouro(tmp_path, "run", "--model", f"{name}/m", "Hi")
    assert (chat.returncode, chat.stdout) == (0, "ready\n"), chat.stderr
    exchange = next(each for each in server.exchanges if each.path == "/keys")
    assert set(exchange.json) == {"code", "code_verifier", "code_challenge_method"}
    assert set(exchange.headers) <= OUR_HEADERS
    assert exchange.headers["user-agent"] == f"ouroboros/{__version__}"


@pytest.mark.deep
@pytest.mark.proves("H15")
async def test_openrouter_is_logged_in_to_on_its_page(tmp_path: Path) -> None:
    """Its published addresses; nobody comes, as no browser of a test goes there."""
    words = ("providers", "login", "openrouter", "--timeout", "0.1", "--no-browser")
    login = await ouro(tmp_path, *words)
    assert login.returncode == 1
    begun = "https://openrouter.ai/auth?callback_url=http%3A%2F%2Flocalhost%3A"
    assert begun in login.stderr
    assert "&code_challenge_method=S256" in login.stderr
    assert "Nobody came back" in login.stderr


@pytest.mark.proves("A30", "divergences-log-in-with-a-vendors")
@pytest.mark.deep
@pytest.mark.parametrize("way", ["direct", "proxy"])
async def test_no_mark_of_anybody_else_is_sent(
    server: AuthServer, tmp_path: Path, way: str
) -> None:
    async with proxying() as proxy:
        more = {"HTTP_PROXY": proxy.url} if way == "proxy" else {}
        configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
        login = await ouro(tmp_path, "providers", "login", "mine", NO_PROXY="localhost", **more)
        assert login.returncode == 0, login.stderr
        server.live.clear()
        chat = await ouro(tmp_path, "run", "--model", "mine/m", "Hi", **more)
        assert chat.returncode == 0, chat.stderr
        await ouro(tmp_path, "providers", "logout", "mine", **more)
        assert bool(proxy.lines) == (way == "proxy")
    ours = [each for each in server.exchanges if not each.path.startswith("/authorize")]
    # Where the reply takes long, the window of the model is asked for besides.
    assert {urlsplit(each.path).path for each in ours} - {"/v1/models"} == {
        "/.well-known/oauth-authorization-server",
        "/token",
        "/v1/chat/completions",
        "/revoke",
    }
    for exchange in ours:
        assert set(exchange.headers) <= OUR_HEADERS
        assert exchange.headers["user-agent"] == f"ouroboros/{__version__}"
    (page,) = (each for each in server.exchanges if each.path.startswith("/authorize"))
    assert f"client_id={CLIENT}&" in page.path
    names = {pair.partition("=")[0] for pair in page.path.partition("?")[2].split("&")}
    assert names == {
        "response_type",
        "client_id",
        "redirect_uri",
        "state",
        "code_challenge",
        "code_challenge_method",
    }


@pytest.mark.deep
async def test_a_person_who_says_no_is_told_so(server: AuthServer, tmp_path: Path) -> None:
    server.denies = "access_denied"
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
    login = await ouro(tmp_path, "providers", "login", "mine")
    assert login.returncode == 1
    assert "The login was refused: access_denied." in login.stderr
    assert not LoginFile(tmp_path / ".ouroboros", "mine").path.exists()


@pytest.mark.deep
async def test_a_vendor_that_does_not_take_it_back_is_named(
    server: AuthServer, tmp_path: Path
) -> None:
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
    assert (await ouro(tmp_path, "providers", "login", "mine")).returncode == 0
    server.broken = [(503, b"busy")]
    logout = await ouro(tmp_path, "providers", "logout", "mine")
    assert logout.returncode == 0
    assert "warning: the provider did not take it back" in logout.stderr
    assert not LoginFile(tmp_path / ".ouroboros", "mine").path.exists()


@pytest.mark.deep
@pytest.mark.proves("H15")
async def test_the_answer_can_be_pasted_on_a_terminal(server: AuthServer, tmp_path: Path) -> None:
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)

    def person() -> int:
        words = ["providers", "login", "mine", "--no-browser"]
        variables = environment(tmp_path)
        with Program(words, cwd=tmp_path, columns=500, environment=variables) as program:
            program.sees("paste here")
            (address,) = re.findall(r"http://\S+/authorize\S+", program.raw)
            _, headers, _ = from_thread.run(fetched, address)
            program.type(f"{headers['location']}\n")
            return program.ends()

    assert await to_thread.run_sync(person) == 0
    assert (await tokens(tmp_path)).access_token in server.live


@pytest.mark.deep
async def test_the_answer_can_be_piped(server: AuthServer, tmp_path: Path) -> None:
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
    words = ("providers", "login", "mine", "--no-browser")
    login = await ouro(tmp_path, *words, typed="code#of-another-login\n")
    assert login.returncode == 2
    assert "the answer to another login" in login.stderr
    login = await ouro(tmp_path, *words, typed="a-guessed-code\n")
    assert login.returncode == 1
    assert "a-guessed-code" not in login.stderr


@pytest.mark.deep
def test_without_any_input_only_the_page_is_waited_for(tmp_path: Path) -> None:
    words = ("providers", "login", "openrouter", "--no-browser", "--timeout", "0.5")
    done = forked.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *OURO, *words],
        env=environment(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Nobody came back from the login page" in done.stderr
    assert "paste here" not in done.stderr


@pytest.mark.deep
@pytest.mark.proves("H15")
def test_a_typed_key_is_not_shown(tmp_path: Path) -> None:
    variables = environment(tmp_path)
    words = ["providers", "login", "groq"]
    with Program(words, cwd=tmp_path, environment=variables) as program:
        program.sees("GROQ_API_KEY:")
        program.type("sk-secret-word\n")
        program.sees("try it: ouro providers test groq")
        assert program.ends() == 0
    assert "sk-secret-word" not in program.raw
    assert keys.sealed(tmp_path / ".ouroboros") == {"GROQ_API_KEY": "sk-secret-word"}


def test_a_login_can_be_given_up(tmp_path: Path) -> None:
    words = ["providers", "login", "openrouter", "--no-browser"]
    with Program(words, cwd=tmp_path, environment=environment(tmp_path)) as program:
        program.sees("paste here")
        program.signal(signal.SIGINT)
        assert program.ends() == 130
    assert "Traceback" not in program.raw


@pytest.mark.deep
def test_what_cannot_be_logged_in_to_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / ".ouroboros").mkdir()
    settings = """
[providers.told]
base_url = "http://127.0.0.1:1/v1"
auth = "command"
command = ["echo", "x"]
[providers.open]
base_url = "http://127.0.0.1:1/v1"
[providers.cloud]
base_url = "http://127.0.0.1:1"
auth = "aws"
[providers.half]
base_url = "http://127.0.0.1:1/v1"
auth = "oauth"
oauth.client_id = "x"
"""
    (tmp_path / ".ouroboros" / "config.toml").write_text(settings, encoding="utf-8")
    for name, said in (
        ("nobody", "`ouro providers list` shows them"),
        ("open-router", "did you mean 'openrouter'?"),
        ("told", "comes from a command"),
        ("open", "ouro config set providers.open.key_env"),
        ("cloud", "aws sso login"),
        ("half", "issuer or authorize_url and token_url"),
        ("echo", "there is no provider"),
    ):
        login = ended(tmp_path, "providers", "login", name)
        assert (login.returncode, said in login.stderr) == (2, True), login.stderr


@pytest.mark.parametrize("key", ["", "two words", "esc\x1b[0m"])
def test_what_is_no_key_is_refused(tmp_path: Path, key: str) -> None:
    login = ended(tmp_path, "providers", "login", "groq", "--key-stdin", typed=f"{key}\n")
    assert login.returncode == 2
    assert not keys.sealed_file(tmp_path / ".ouroboros").exists()


@pytest.mark.proves("H15")
@pytest.mark.deep
def test_a_key_that_stays_is_named(tmp_path: Path) -> None:
    variables = {"GROQ_API_KEY": "sk-of-the-shell"}
    login = ended(
        tmp_path, "providers", "login", "groq", "--key-stdin", typed="sk-x\n", **variables
    )
    assert "GROQ_API_KEY is also set by the environment, which wins" in login.stderr
    logout = ended(tmp_path, "providers", "logout", "groq", **variables)
    assert logout.returncode == 0
    assert "a key is still there: GROQ_API_KEY (environment)" in logout.stderr
    assert "sk-of-the-shell" not in logout.stderr


@pytest.mark.deep
@pytest.mark.proves("H20", "W10")
async def test_no_token_is_written_in_plain_text(server: AuthServer, tmp_path: Path) -> None:
    configured(tmp_path, server, 'auth = "oauth"', client_id=CLIENT, issuer=server.url)
    assert (await ouro(tmp_path, "providers", "login", "mine")).returncode == 0
    first = await tokens(tmp_path)
    server.live.clear()
    assert (await ouro(tmp_path, "run", "--model", "mine/m", "Hi")).returncode == 0
    second = await tokens(tmp_path)
    server.live.clear()
    server.refresh_tokens.clear()
    chat = await ouro(tmp_path, "run", "--model", "mine/m", "--output", "stream-json", "Hi")
    assert chat.returncode == 1
    assert "ouro providers login mine" in chat.stdout + chat.stderr
    secrets = [each for kept in (first, second) for each in (kept.access_token, kept.refresh_token)]
    assert len(set(secrets)) == 4
    texts = {"what was said": (chat.stdout + chat.stderr).encode()}
    async for path in anyio.Path(tmp_path).rglob("*"):
        if await path.is_file():
            texts[str(path)] = await path.read_bytes()
    assert len(texts) > 4
    found = [
        (name, each) for name, text in texts.items() for each in secrets if each.encode() in text
    ]
    assert found == []
