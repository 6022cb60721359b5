"""Requests to AWS: signed over what is sent, with the credentials that AWS's own tools would take."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.auth.aws import AwsSignature
from ouroboros.llm.providers import find
from ouroboros.llm.transport import HttpRequest
from tests.unit.llm.aws_world import SECRET, Chain, Sent, World, key_in, keys, program, proof

pytestmark = pytest.mark.real

REGION = "eu-west-1"


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    yield world
    world.close()


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, fresh_home: Path) -> Path:
    """No credentials anywhere, and no instance to ask."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    (fresh_home / ".aws").mkdir(parents=True)
    return fresh_home / ".aws"


def asked(url: str = "https://bedrock-runtime.eu-west-1.amazonaws.com", **more: Any) -> HttpRequest:
    headers = {"content-type": "application/json", "accept": "*/*"}
    return HttpRequest(url=f"{url}/model/a%3A0/converse", headers=headers, body=b'{"a":1}', **more)


def arrived(request: HttpRequest) -> Sent:
    """The request as a server would see it."""
    path = "/" + request.url.split("/", 3)[3]
    return Sent(request.method, path, dict(request.headers), request.body)


async def used(signature: AwsSignature) -> str:
    """The key that signs now; the signature itself must be right."""
    signed = arrived(await signature.authorize(asked()))
    assert signed.headers["authorization"] == proof(signed)
    return key_in(signed.headers)


@pytest.mark.proves("H22")
def test_the_proof_is_the_one_amazon_publishes() -> None:
    vanilla = (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        "SignedHeaders=host;x-amz-date, "
        "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    )
    headers = {"host": "example.amazonaws.com", "x-amz-date": "20150830T123600Z"}
    assert proof(Sent("GET", "/", {**headers, "authorization": vanilla}, b"")) == vanilla
    listing = (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date, "
        "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    )
    headers = {
        "host": "iam.amazonaws.com",
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
        "x-amz-date": "20150830T123600Z",
        "authorization": listing,
    }
    path = "/?Action=ListUsers&Version=2010-05-08"
    assert proof(Sent("GET", path, headers, b"")) == listing


async def test_keys_that_are_handed_in_sign_and_are_never_shown() -> None:
    environment = {
        "AWS_ACCESS_KEY_ID": "AKIDEXPLICIT",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": "passing/token",
    }
    signature = AwsSignature(environment)
    sent = arrived(await signature.authorize(asked()))
    assert sent.headers["authorization"] == proof(sent)
    assert "/eu-west-1/bedrock/aws4_request" in sent.headers["authorization"]
    assert "content-type;host;x-amz-date;x-amz-security-token" in sent.headers["authorization"]
    assert sent.headers["x-amz-security-token"] == "passing/token"
    assert sent.headers["accept"] == "*/*"
    assert signature.source == "AWS credentials (env)"
    assert signature.redact(f"a {SECRET} b passing/token") == "a [key] b [key]"
    other = arrived(await signature.authorize(asked()))._replace(body=b'{"a":2}')
    assert other.headers["authorization"] != proof(other)


@pytest.mark.proves("H22")
async def test_handed_in_keys_come_before_the_process_and_its_profile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDPROCESS")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    mine = {"AWS_ACCESS_KEY_ID": "AKIDMINE", "AWS_SECRET_ACCESS_KEY": SECRET}
    assert await used(AwsSignature({**mine, "AWS_PROFILE": "none-such"}, region=REGION)) == (
        "AKIDMINE"
    )
    assert await used(AwsSignature({})) == "AKIDPROCESS"


def used_elsewhere() -> str:
    """The key that signs in a process of its own."""
    text = (
        "import anyio\n"
        "from ouroboros.llm.auth.aws import AwsSignature\n"
        "from ouroboros.llm.transport import HttpRequest\n"
        "request = HttpRequest(url='https://bedrock-runtime.eu-west-1.amazonaws.com/')\n"
        "print(anyio.run(AwsSignature({}).authorize, request).headers['authorization'])\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    ).stdout
    return key_in({"authorization": told})


@pytest.mark.proves("H22", "divergences-order-of-aws-credentials")
async def test_the_order_of_the_chain(
    world: World, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every link is there at first; one after the other is taken away."""
    chain = Chain(world, bare)
    for link in chain.links():
        for name in ("AWS_EC2_METADATA_DISABLED", *link.variables):
            monkeypatch.delenv(name, raising=False)
        for name, value in chain.environment.items():
            monkeypatch.setenv(name, value)
        # AWS's library settles where logins lie when it is loaded.
        key = used_elsewhere() if link.key == "AKIDSSO" else await used(AwsSignature({}))
        assert key == link.key
    for name in chain.environment:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(ModelFailed) as caught:
        await AwsSignature({}).authorize(asked())
    assert caught.value.failure.kind == "auth"
    assert "No AWS credentials" in caught.value.message
    assert "aws sso login" in caught.value.hint


@pytest.mark.proves("H22")
async def test_the_profile_that_is_named(bare: Path) -> None:
    keys_of = "[{0}]\naws_access_key_id=AKID{0}\naws_secret_access_key={1}\n"
    text = keys_of.format("default", SECRET) + keys_of.format("mine", SECRET)
    (bare / "credentials").write_text(text)
    assert await used(AwsSignature({})) == "AKIDdefault"
    assert await used(AwsSignature({"AWS_PROFILE": "mine"})) == "AKIDmine"
    with pytest.raises(ModelFailed, match="none-such") as caught:
        await used(AwsSignature({"AWS_PROFILE": "none-such"}))
    assert caught.value.failure.kind == "auth"


@pytest.mark.proves("H22")
async def test_credentials_that_expire_are_fetched_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{world.url}/box")
    monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic box")
    signature = AwsSignature({}, region=REGION)
    world.says("/box", keys("AKIDONE", expires=soon))
    await signature.warm()
    assert signature.source == "AWS credentials (container-role)"
    world.says("/box", keys("AKIDTWO"))
    assert await used(signature) == "AKIDTWO"
    asks = len(world.sent)
    assert await used(signature) == "AKIDTWO"
    assert len(world.sent) == asks
    assert {sent.headers["authorization"] for sent in world.sent} == {"Basic box"}


@pytest.mark.proves("H22")
async def test_many_first_requests_look_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{world.url}/box")
    world.says("/box", keys("AKIDBOX"))
    signature = AwsSignature({})
    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(signature.authorize, asked())
    assert len(world.sent) == 1


async def test_a_refused_key_is_looked_for_again(bare: Path) -> None:
    def write(key: str) -> None:
        text = f"[default]\naws_access_key_id={key}\naws_secret_access_key={SECRET}\n"
        (bare / "credentials").write_text(text)

    write("AKIDOLD")
    signature = AwsSignature({})
    refused = await signature.authorize(asked())
    assert not await signature.renew(refused)
    write("AKIDNEW")
    assert await signature.renew(refused)
    assert await used(signature) == "AKIDNEW"


async def test_another_token_of_the_same_key_is_another_proof(bare: Path) -> None:
    def write(token: str) -> None:
        lines = ["[default]", "aws_access_key_id=AKID", f"aws_secret_access_key={SECRET}"]
        (bare / "credentials").write_text("\n".join([*lines, f"aws_session_token={token}", ""]))

    write("first")
    signature = AwsSignature({})
    refused = await signature.authorize(asked())
    write("second")
    assert await signature.renew(refused)
    assert (await signature.authorize(asked())).headers["x-amz-security-token"] == "second"


async def test_the_usual_port_is_not_signed() -> None:
    signature = AwsSignature({"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": SECRET})
    hosts = (
        "bedrock-runtime.eu-west-1.amazonaws.com",
        "bedrock-runtime.eu-west-1.amazonaws.com:443",
    )
    for host in hosts:
        sent = arrived(await signature.authorize(asked(f"https://{host}")))
        assert sent.headers["host"] == hosts[0]
        assert sent.headers["authorization"] == proof(sent)


@pytest.mark.proves("H22")
async def test_many_refusals_look_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{world.url}/box")
    world.says("/box", keys("AKIDONE"))
    signature = AwsSignature({})
    refused = await signature.authorize(asked())
    world.says("/box", keys("AKIDTWO"))
    renewed: list[bool] = []

    async def renew() -> None:
        renewed.append(await signature.renew(refused))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(renew)
    assert renewed == [True] * 5
    assert len(world.sent) == 2


@pytest.mark.proves("H22")
async def test_a_program_that_fails_is_named_without_its_secrets(bare: Path) -> None:
    text = "import sys; sys.exit('denied for AKIAIOSFODNN7EXAMPLE1234567890')"
    (bare / "config").write_text(f"[default]\ncredential_process = {program(bare, text)}\n")
    with pytest.raises(ModelFailed) as caught:
        await AwsSignature({}).authorize(asked())
    assert caught.value.failure.kind == "auth"
    assert not caught.value.failure.retryable
    assert "denied for [key]" in caught.value.message


def hanging(bare: Path) -> Path:
    """Lets a profile name a program that hangs; it tells of its start through this pipe."""
    waiting = bare / "waiting"
    os.mkfifo(waiting)
    text = (
        f"import pathlib, time; pathlib.Path({str(waiting)!r}).write_text('.')\n"
        f"while pathlib.Path({str(bare)!r}).exists(): time.sleep(0.05)"
    )
    (bare / "config").write_text(f"[default]\ncredential_process = {program(bare, text)}\n")
    return waiting


@pytest.mark.proves("H22")
async def test_a_program_that_hangs_can_be_left(bare: Path) -> None:
    waiting = hanging(bare)
    async with anyio.create_task_group() as group:
        group.start_soon(AwsSignature({}).authorize, asked())
        assert await to_thread.run_sync(waiting.read_text) == "."
        group.cancel_scope.cancel()
    await to_thread.run_sync(bare.rename, bare.with_name("gone"))


@pytest.mark.deep
@pytest.mark.proves("H22")
async def test_a_program_that_hangs_is_given_up(bare: Path) -> None:
    waiting = hanging(bare)
    signature = AwsSignature({}, deadline_seconds=0.2)
    with pytest.raises(ModelFailed) as caught:
        await signature.authorize(asked())
    assert caught.value.failure.kind == "auth"
    assert "within 0.2 seconds" in caught.value.message
    assert await to_thread.run_sync(waiting.read_text) == "."
    await to_thread.run_sync(bare.rename, bare.with_name("gone"))


@pytest.mark.deep
@pytest.mark.proves("H22")
def test_a_program_that_hangs_does_not_keep_ours(bare: Path) -> None:
    waiting = hanging(bare)
    text = (
        "import anyio, sys\n"
        "from ouroboros.llm.auth.aws import AwsSignature\n"
        "from ouroboros.llm.transport import HttpRequest\n"
        "async def main():\n"
        "    async with anyio.create_task_group() as group:\n"
        "        request = HttpRequest(url='http://127.0.0.1')\n"
        "        group.start_soon(AwsSignature({}).authorize, request)\n"
        "        await anyio.to_thread.run_sync(sys.stdin.readline)\n"
        "        group.cancel_scope.cancel()\n"
        "anyio.run(main)\n"
    )
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, text=True) as ours:
        try:
            assert waiting.read_text() == "."
            ours.communicate("leave\n", timeout=120)
        finally:
            bare.rename(bare.with_name("gone"))
            ours.kill()
    assert ours.returncode == 0


@pytest.mark.deep
async def test_a_token_service_out_of_reach_may_be_tried_again(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bare / "identity").write_text("a.jwt.of.mine")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/web")
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(bare / "identity"))
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
    with pytest.raises(ModelFailed) as caught:
        await AwsSignature({}).authorize(asked())
    failure = caught.value.failure
    assert (failure.kind, failure.retryable) == ("transport", True)


@pytest.mark.proves("H22")
async def test_which_region_signs(bare: Path) -> None:
    mine = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": SECRET}
    local = asked("http://127.0.0.1:9")

    async def region(request: HttpRequest, environment: dict[str, str], told: str = "") -> str:
        signature = AwsSignature({**mine, **environment}, region=told)
        sent = await signature.authorize(request)
        return sent.headers["authorization"].split("/")[2]

    assert await region(asked(), {"AWS_REGION": "us-west-2"}) == "eu-west-1"
    assert await region(asked(), {}, "us-east-2") == "us-east-2"
    assert await region(local, {"AWS_REGION": "us-west-2"}) == "us-west-2"
    assert await region(local, {"AWS_DEFAULT_REGION": "us-west-1"}) == "us-west-1"
    with pytest.raises(ModelFailed) as caught:
        await region(local, {})
    assert caught.value.failure.kind == "invalid_request"
    assert "AWS_REGION" in caught.value.hint
    (bare / "config").write_text("[profile p]\nregion = ap-south-1\n")
    home = {"HOME": str(bare.parent), "AWS_PROFILE": "p"}
    assert await region(local, home) == "ap-south-1"


@pytest.mark.proves("H22")
def test_the_address_takes_its_region_from_the_profile(bare: Path) -> None:
    (bare / "config").write_text(
        "[default]\nregion = eu-north-1\n[profile p]\nregion = ap-south-1\n"
    )
    home = {"HOME": str(bare.parent)}

    def address(**environment: str) -> str:
        return find("bedrock/m", environment={**home, **environment}).base_url

    assert address() == "https://bedrock-runtime.eu-north-1.amazonaws.com"
    assert address(AWS_PROFILE="p") == "https://bedrock-runtime.ap-south-1.amazonaws.com"
    assert address(AWS_REGION="us-east-1") == "https://bedrock-runtime.us-east-1.amazonaws.com"
    for broken in ("[default\nregion = x", "[default]\n", "\ufffe"):
        (bare / "config").write_text(broken)
        with pytest.raises(Misuse, match="AWS_REGION"):
            address()
    (bare / "config").unlink()
    with pytest.raises(Misuse, match="AWS_REGION"):
        address()


@pytest.mark.deep
@pytest.mark.proves("H22")
def test_without_botocore_the_person_is_told_what_to_install() -> None:
    text = (
        "import anyio, sys; sys.modules['botocore'] = None\n"
        "from ouroboros.core.errors import ModelFailed\n"
        "from ouroboros.llm.auth.aws import AwsSignature\n"
        "from ouroboros.llm.transport import HttpRequest\n"
        "try:\n    anyio.run(AwsSignature({}).authorize, HttpRequest(url='http://127.0.0.1'))\n"
        "except ModelFailed as error:\n    print(error.failure.kind, error.message, error.hint)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    ).stdout
    assert told.startswith("auth ")
    assert "pip install 'ouroboros[bedrock]'" in told
