"""Reading pages of the web from real servers: where they lead, what they send, and what is refused."""

import gzip
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.core.events import PermissionRequested, ToolResulted
from ouroboros.core.events.network import NetworkContacted
from ouroboros.safety.network import HostRules
from ouroboros.tools.approval import Answer
from ouroboros.tools.web.download import Reach
from ouroboros.tools.web.fetch import FetchTool
from tests.cases import every
from tests.unit.llm.proxy_parts import proxying
from tests.unit.safety.network.parts import page, serving
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real

LONG = "<p>hello <b>you</b></p>"


def _spine(
    folder: Path,
    *,
    mode: Mode = "full-auto",
    rules: Sequence[tuple[str, str]] = (),
    answers: Sequence[Answer] = (),
) -> Spine:
    tool = FetchTool(Reach(rules=HostRules.of(["127.0.0.1"])))
    return Spine(folder, tools=[tool], mode=mode, rules=rules, answers=answers)


async def _fetched(
    folder: Path, reply: Callable[[bytes], bytes], **arguments: object
) -> ToolResulted:
    with serving(reply) as port:
        return await _spine(folder).call("fetch", url=f"http://127.0.0.1:{port}/x", **arguments)


def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data)


def _deflated(data: bytes) -> bytes:
    return zlib.compress(data)


def _bare(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-15)


@pytest.mark.proves("D16")
async def test_a_page_is_read_and_marked_as_coming_from_outside(tmp_path: Path) -> None:
    heads: list[bytes] = []

    def reply(said: bytes) -> bytes:
        heads.append(said)
        return page(
            b"<title>T</title>" + LONG.encode(), "content-type: text/html", "set-cookie: a=b"
        )

    with serving(reply) as port:
        spine = _spine(tmp_path)
        result = await spine.call("fetch", url=f"http://127.0.0.1:{port}/a?b=c#d")
    assert result.status == "done"
    text = text_of(result)
    assert (
        text == f"URL: http://127.0.0.1:{port}/a?b=c#d\nTitle: T\nType: text/html\n\nhello **you**"
    )
    assert result.sources == (f"page http://127.0.0.1:{port}",)
    assert heads[0].startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"cookie" not in heads[0].lower()
    assert b"user-agent: ouroboros/" in heads[0]
    contacts = spine.journal.of(NetworkContacted)
    assert [(one.host, one.decision, one.address) for one in contacts] == [
        ("127.0.0.1", "allowed", "127.0.0.1")
    ]


@every(
    ("form", "text"),
    [("markdown", "hello **you**"), ("text", "hello you"), ("html", "<p>hello <b>you</b></p>")],
)
async def test_each_form_of_a_page(tmp_path: Path, form: str, text: str) -> None:
    reply = page(LONG.encode(), "content-type: text/html; charset=utf-8")
    result = await _fetched(tmp_path, lambda said: reply, format=form)
    assert text_of(result).endswith(f"\n\n{text}")


@every(
    ("kind", "body", "text"),
    [
        ("application/json", b'{"a": 1.10, "a": 2}', '{"a": 1.10, "a": 2}'),
        ("text/plain", b"\xef\xbb\xbfmark", "mark"),
        ("text/plain; charset=iso-8859-1", b"caf\xe9 \x80", "caf\u00e9 \u20ac"),
        ("text/plain; charset=shift_jis", "\u65e5\u672c".encode("shift_jis"), "\u65e5\u672c"),
        ("text/plain; charset=punycode", b"plain", "plain"),
        ("text/plain; charset=hex", b"6161", "6161"),
        ("text/plain", "\u65e5".encode("utf-16"), "\u65e5"),
        ("text/plain", b"caf\xe9", "caf\u00e9"),
        ("text/html", b'<meta charset="koi8-r"><p>\xd0\xd2', "\u043f\u0440"),
        ("", b"<!doctype html><p>a", "a"),
        ("", b"just text", "just text"),
        ("application/atom+xml", b"<feed/>", "<feed/>"),
    ],
)
async def test_texts_of_many_kinds(tmp_path: Path, kind: str, body: bytes, text: str) -> None:
    reply = page(body, *([f"content-type: {kind}"] if kind else []))
    assert text_of(await _fetched(tmp_path, lambda said: reply)).endswith(f"\n\n{text}")


@pytest.mark.proves("D16")
@every(
    ("coding", "pack"),
    [
        ("gzip", _gzipped),
        ("deflate", _deflated),
        ("deflate", _bare),
    ],
)
async def test_a_packed_page_is_unpacked_as_far_as_is_wanted(
    tmp_path: Path, coding: str, pack: Callable[[bytes], bytes]
) -> None:
    reply = page(pack(b"a" * 5_000_000), "content-type: text/plain", f"content-encoding: {coding}")
    result = await _fetched(tmp_path, lambda said: reply, max_bytes=1000)
    assert text_of(result).endswith("\n\n" + "a" * 1000)
    assert "Only the first 1000 bytes were read" in text_of(result)


@every(
    ("reply", "reason"),
    [
        (page(b"x", "content-type: image/png"), "not text"),
        (page(b"\0\1\2"), "not text"),
        (page(b"x", "content-encoding: br"), "packed as 'br'"),
        (page(b"damaged", "content-encoding: gzip"), "damaged"),
        (page(b"%PDF-1.7"), "PDF"),
        (b"", "before the headers were complete"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "does not answer as the web does"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort", "does not answer"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "does not answer"),
    ],
)
async def test_what_cannot_be_read_says_why(tmp_path: Path, reply: bytes, reason: str) -> None:
    result = await _fetched(tmp_path, lambda said: reply)
    assert result.status == "failed"
    assert reason in text_of(result)


async def test_a_missing_page_is_a_failure_with_its_text(tmp_path: Path) -> None:
    reply = page(b"no such thing", "content-type: text/plain", status="404 Not Found")
    result = await _fetched(tmp_path, lambda said: reply)
    assert result.status == "failed"
    assert "Status: 404" in text_of(result)
    assert "no such thing" in text_of(result)


@pytest.mark.proves("D16")
@every(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://localhost/",
        "http://2130706433/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/",
        "file:///etc/passwd",
        "data:text/html,x",
        "gopher://127.0.0.1/",
        "http://example.com\\@127.0.0.1/",
        "example.com",
        "",
    ],
)
async def test_places_that_are_not_the_web_are_refused_before_anything_is_sent(
    tmp_path: Path, url: str
) -> None:
    spine = Spine(tmp_path, tools=[FetchTool()])
    result = await spine.call("fetch", url=url)
    assert result.status == "denied"
    assert "was not fetched" in text_of(result)
    assert not spine.journal.of(NetworkContacted)


@pytest.mark.proves("D16")
@every(
    "there",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost:{port}/secret",
        "//[::1]:{port}/secret",
        "http://0:{port}/secret",
        "file:///etc/passwd",
        "gopher://127.0.0.1:{port}/_x",
        "http:\\\\127.0.0.1:{port}\\secret",
        "javascript:alert(1)",
    ],
)
async def test_a_redirect_to_such_a_place_is_not_followed(tmp_path: Path, there: str) -> None:
    asked: list[bytes] = []
    with serving(lambda said: asked.append(said) or page(b"secret")) as other:
        location = "location: " + there.replace("{port}", str(other))
        result = await _fetched(tmp_path, lambda said: page(b"", location, status="302 Found"))
    assert result.status == "denied"
    assert "secret" not in text_of(result).replace(there.replace("{port}", str(other)), "")
    assert not asked


@pytest.mark.proves("D16")
async def test_a_redirect_on_the_same_server_is_followed_and_one_elsewhere_is_asked_about(
    tmp_path: Path,
) -> None:
    with serving(lambda said: page(b"there", "content-type: text/plain")) as other:

        def reply(said: bytes) -> bytes:
            path = said.split(b" ")[1]
            if path == b"/start":
                return page(b"", "location: next", status="301 Moved")
            return page(b"", f"location: http://127.0.0.1:{other}/end", status="307 Temporary")

        with serving(reply) as port:
            url = f"http://127.0.0.1:{port}/start"
            first = f"fetch(origin:http://127.0.0.1:{port})"
            yes = _spine(
                tmp_path, mode="ask", rules=[("allow", first)], answers=[Answer(allowed=True)]
            )
            allowed = await yes.call("fetch", url=url)
            no = _spine(tmp_path, mode="ask", rules=[("allow", first)])
            denied = await no.call("fetch", url=url)
    assert text_of(allowed).endswith("\n\nthere")
    assert text_of(allowed).startswith(f"URL: http://127.0.0.1:{other}/end\n")
    questions = yes.journal.of(PermissionRequested)
    assert [f":{other}" in one.action for one in questions] == [True]
    assert denied.status == "denied"


async def test_a_redirect_in_circles_ends(tmp_path: Path) -> None:
    result = await _fetched(tmp_path, lambda said: page(b"", "location: /x", status="302 Found"))
    assert result.status == "failed"
    assert "circles" in text_of(result)


@pytest.mark.proves("D16")
async def test_only_listed_hosts_where_the_person_wants_no_others(tmp_path: Path) -> None:
    spine = Spine(tmp_path, tools=[FetchTool(Reach(rules=HostRules.of(["example.com"])))])
    result = await spine.call("fetch", url="https://example.org/")
    assert result.status == "denied"
    assert "example.org is not on the list of allowed hosts" in text_of(result)


async def test_the_persons_own_proxy_is_used(tmp_path: Path) -> None:
    with serving(lambda said: page(said.split(b"\r\n")[0], "content-type: text/plain")) as port:
        async with proxying() as theirs:
            theirs.leads_to = "127.0.0.1"
            reached = Reach(proxy_for=lambda origin: theirs.url)
            spine = Spine(tmp_path, tools=[FetchTool(reached)])
            result = await spine.call("fetch", url=f"http://pages.example:{port}/x")
    assert text_of(result).endswith("\n\nGET /x HTTP/1.1")
    assert theirs.lines == [f"GET http://pages.example:{port}/x HTTP/1.1"]
