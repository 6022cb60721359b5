"""Answers made to break their reader: each ends as a typed error, whatever was in it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from ouroboros.core.errors import ConfigBroken, Misuse, ModelFailed
from ouroboros.llm.auth.oauth import LoginFile, discovery, messages
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.llm.cassettes import cassette
from ouroboros.llm.transport import split
from ouroboros.llm.transport.answer import MOST_INTERIM, Answer, Malformed
from tests.cases import every

_CLIENT = OAuthClient(
    client_id="me",
    issuer="http://127.0.0.1",
    authorize_url="http://127.0.0.1/authorize",
    token_url="http://127.0.0.1/token",
)
_DEEP = b'{"scope":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
_NO_UTF8 = b'{"access_token":"\xff","key":"\xff","issuer":"\xff"}'


@every("body", [_DEEP, _NO_UTF8], ids=["nested", "no UTF-8"])
@every(
    "read",
    [
        partial(messages.tokens_of, client=_CLIENT, now=0.0),
        messages.key_of,
        partial(discovery.described, _CLIENT),
    ],
    ids=["tokens", "key", "description"],
)
def test_an_authorization_server_cannot_crash_us(
    read: Callable[[bytes], object], body: bytes
) -> None:
    with pytest.raises(ModelFailed):
        read(body)


@pytest.mark.proves("H11")
@every("body", [_DEEP, b'{"error":"\xff"}'], ids=["nested", "no UTF-8"])
def test_a_refusal_that_cannot_be_read_is_told_by_its_status(body: bytes) -> None:
    assert "status 400" in messages.refusal(400, body).message


@every("content", [_DEEP, _NO_UTF8], ids=["nested", "no UTF-8"])
async def test_a_damaged_login_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    file = LoginFile(tmp_path, "vendor")
    file.path.parent.mkdir()
    file.path.write_bytes(content)
    file.path.chmod(0o600)
    with pytest.raises(ConfigBroken, match="holds no login"):
        await file.read()


@every(
    "content",
    [_DEEP.replace(b"scope", b"version"), b'{"version":1,"setup":{"model":"\xff"}}'],
    ids=["nested", "no UTF-8"],
)
def test_a_damaged_recording_is_named(content: bytes) -> None:
    with pytest.raises(Misuse, match=r"tape\.json is no recording"):
        cassette.parse(content, "tape.json")


def test_interim_answers_come_to_an_end() -> None:
    answer, interim = Answer(), b"HTTP/1.1 102 Processing\r\n\r\n"
    assert answer.begin(interim * MOST_INTERIM) is None
    with pytest.raises(Malformed, match="interim"):
        answer.begin(interim)
    head = Answer().begin(interim * MOST_INTERIM + b"HTTP/1.1 200 OK\r\n\r\n")
    assert head is not None
    assert head.status == 200


def test_a_length_with_thousands_of_digits_is_no_length() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-length: " + b"9" * 5_000 + b"\r\n\r\n"
    with pytest.raises(Malformed, match="content-length"):
        Answer().begin(head)


@every("url", ["http://me:secret@host:99999/v1", "ftp://me:secret@host/", "me:secret@x"])
def test_an_address_that_cannot_be_used_is_named_without_its_password(url: str) -> None:
    with pytest.raises(Misuse, match="is not an http or https address") as caught:
        split(url)
    assert "secret" not in caught.value.message
