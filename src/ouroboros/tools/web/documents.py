"""What was downloaded, as text that a model reads. Pure, but for PDF, which another program reads."""

import codecs
import re
from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.tools.web.download import Page
from ouroboros.tools.web.readable import readable

HTML_CHARS = 4_000_000
"""More of a page than this nobody reads."""

type Form = Literal["markdown", "text", "html"]
type ReadPdf = Callable[[bytes], Awaitable[str]]
"""The text of a PDF; raises ``ToolFailed``."""

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS = frozenset({
    *("application/json", "application/xml", "application/javascript", "application/x-javascript"),
    *(
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/x-sh",
        "application/sql",
    ),
    *("application/x-ndjson", "application/graphql", "application/x-www-form-urlencoded"),
    *("application/rtf", "application/x-tex", "application/x-python", "application/ecmascript"),
    *("image/svg+xml", "message/rfc822", "application/typescript"),
})
_CODINGS = re.compile(
    r"utf-?8(-sig)?|utf-?16(-?[lb]e)?|us-ascii|ascii|iso-?8859-\d{1,2}|latin-?1|windows-\d{3,4}|cp\d{3,4}"
    r"|koi8-[ru]|gb2312|gbk|gb18030|big5(-hkscs)?|shift[_-]?jis|sjis|x-sjis|euc-(jp|kr)|iso-2022-(jp|kr)"
    r"|mac(intosh|roman)|tis-620",
    re.IGNORECASE,
)
_META = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE
)
_META_BYTES = 4_096
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Document(Struct, frozen=True, kw_only=True):
    """What there is to read."""

    kind: str
    text: str
    title: str = ""


async def document(page: Page, *, form: Form, read_pdf: ReadPdf | None = None) -> Document:
    """Reads what came, by what the server calls it and what it looks like.

    Raises:
        ToolFailed: It is nothing that is read as text.
    """
    kind, charset = _called(page)
    if kind == "application/pdf" or page.body.startswith(b"%PDF-"):
        return await _pdf(page, read_pdf)
    if kind in _HTML:
        html = decoded(page.body, charset, is_cut=page.is_cut)
        if form == "html":
            return Document(kind=kind, text=html)
        from anyio import to_thread

        found = await to_thread.run_sync(
            lambda: readable(html[:HTML_CHARS], url=page.url, form=form), abandon_on_cancel=True
        )
        return Document(kind=kind, text=found.text, title=found.title)
    if (
        kind.startswith("text/")
        or kind in _TEXTS
        or kind.endswith(("+xml", "+json", "+yaml", "+text"))
    ):
        return Document(kind=kind, text=decoded(page.body, charset, is_cut=page.is_cut))
    raise ToolFailed(
        f"{page.url} is {kind} ({len(page.body)} bytes), which is not text. "
        "Download it with a command if it is needed as a file"
    )


def decoded(body: bytes, charset: str, *, is_cut: bool = False) -> str:
    """Bytes as text: by their mark, by what the server or the page says, or as UTF-8."""
    for mark, coding in _BOMS:
        if body.startswith(mark):
            return body.decode(coding, "replace")
    inside = _META.search(body[:_META_BYTES])
    for named in (charset, inside.group(1).decode() if inside else ""):
        if _CODINGS.fullmatch(named):
            try:
                return body.decode(_as_browsers(named), "replace")
            except LookupError:
                continue
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        # Cut in the middle of a letter, or an old page that says nothing.
        is_utf8 = is_cut and error.start >= len(body) - 4
        return body.decode("utf-8" if is_utf8 else "cp1252", "replace")


def _as_browsers(named: str) -> str:
    """Pages that say Latin-1 mean what Windows calls 1252 (https://encoding.spec.whatwg.org)."""
    plain = named.lower().replace("_", "-")
    if plain in {"iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii"}:
        return "cp1252"
    return {"gb2312": "gb18030", "gbk": "gb18030", "x-sjis": "cp932", "shift-jis": "cp932"}.get(
        plain, named
    )


def _called(page: Page) -> tuple[str, str]:
    said = page.headers.get("content-type", "")
    kind, _, rest = said.partition(";")
    kind = kind.strip().lower()
    found = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", rest, re.IGNORECASE)
    charset = found.group(1) if found else ""
    if kind in {"", "application/octet-stream", "unknown/unknown", "application/x-unknown"}:
        kind = _looks_like(page.body)
    return kind, charset


def _looks_like(body: bytes) -> str:
    start = body[:_META_BYTES].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "text/html"
    if b"\0" in body[:_META_BYTES]:
        return "application/octet-stream"
    return "text/plain"


async def _pdf(page: Page, read_pdf: ReadPdf | None) -> Document:
    if read_pdf is None:
        raise ToolFailed(f"{page.url} is a PDF, which cannot be read here")
    if page.is_cut:
        raise ToolFailed(
            f"{page.url} is a PDF of more than {len(page.body)} bytes; give a larger max_bytes"
        )
    return Document(kind="application/pdf", text=await read_pdf(page.body))
