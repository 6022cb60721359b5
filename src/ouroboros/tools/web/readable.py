"""What a person reads of a page of HTML, as Markdown or plain text. Pure.

Scripts, styles, forms' machinery and what a page hides are left out. It is a reader of pages as they are:
open ends, wrong nesting and nonsense come out as some text, never as an error.
"""

import re
from typing import Literal
from urllib.parse import urljoin

from msgspec import Struct

from ouroboros.tools.web.tokens import End, Start, tokens

type Form = Literal["markdown", "text"]

MAIN_CHARS = 200
"""A main part with less text than this is not the page."""

_DEEPEST = 500
_URL_CHARS = 500

_LEFT_OUT = frozenset({
    *(
        "script",
        "style",
        "template",
        "noscript",
        "svg",
        "math",
        "canvas",
        "iframe",
        "frame",
        "object",
    ),
    *("audio", "video", "map", "select", "datalist", "button", "dialog", "nav", "head", "textarea"),
})
_VOID = frozenset({
    *(
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
    ),
    *("track", "wbr", "frame"),
})
_BLOCKS = frozenset({
    *(
        "address",
        "article",
        "aside",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
    ),
    *("figcaption", "figure", "footer", "form", "header", "hgroup", "html", "legend", "main", "p"),
    *("section", "summary", "table", "tbody", "tfoot", "thead", "caption", "blockquote"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
})
_LEADS = {"blockquote": "> "} | {f"h{level}": "#" * level + " " for level in range(1, 7)}
_WRAPS = {"code": "`", "strong": "**", "b": "**", "em": "*", "i": "*"}
_CLOSED_BY_NEXT = {
    "li": {"li"},
    "p": {"p"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tr": {"tr", "td", "th"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "option": {"option"},
}
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*[0.]+\s*(;|$|!)"
    r"|font-size\s*:\s*0(px|em|rem|%|pt)?\s*(;|$|!)|(left|top|text-indent)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(50|100)%|content-visibility\s*:\s*hidden"
    r"|(^|;)\s*(max-)?(height|width)\s*:\s*0(px)?\s*(;|$|!)|transform\s*:\s*scale\(\s*0",
    re.IGNORECASE,
)


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_AS_IS = "\x02"
"""Stands around what is shown as it was written; no page can write it."""
_ITEM = re.compile(r" *(-|\d+\.) ")


class Readable(Struct, frozen=True, kw_only=True):
    """A page as text."""

    title: str
    text: str


def readable(html: str, *, url: str, form: Form = "markdown") -> Readable:
    """Reads a page; links are made whole with ``url``, and left out of plain text."""
    reader = _Reader(url, is_marked=form == "markdown")
    for token in tokens(html):
        match token:
            case Start(tag=tag, fields=fields):
                reader.start(tag, fields)
            case End(tag=tag):
                reader.end(tag)
            case str():
                reader.words(token)
    return Readable(title=reader.title, text=reader.text())


class _Open:
    """An element that is not closed yet."""

    def __init__(self, tag: str, *, hidden: bool, url: str = "", at: int = 0) -> None:
        self.tag, self.hidden, self.url, self.at = tag, hidden, url, at


class _Reader:
    def __init__(self, url: str, *, is_marked: bool) -> None:
        self._url, self._is_marked = url, is_marked
        self._open: list[_Open] = []
        self._out: list[str] = []
        self._title: list[str] = []
        self._lists: list[int] = []
        self._in_title = False
        self._as_is = 0
        self._hidden = 0
        self._cells: list[int] = []
        self._main: tuple[int, int] | None = None
        self._main_from = -1

    @property
    def title(self) -> str:
        """One line."""
        return " ".join("".join(self._title).split())[:300]

    def text(self) -> str:
        """All of it, or the main part where there is one."""
        if self._main_from >= 0:
            self._main = (self._main_from, len(self._out))
        whole = _tidy("".join(self._out))
        if self._main is None:
            return whole
        part = _tidy("".join(self._out[slice(*self._main)]))
        return part if len(part) >= MAIN_CHARS else whole

    def start(self, tag: str, fields: dict[str, str]) -> None:
        """An element begins."""
        if tag == "title" and not self._hidden_but_head():
            self._in_title = True
        if tag == "base" and fields.get("href"):
            self._url = _joined(self._url, fields["href"]) or self._url
        if tag in _VOID:
            if not self._hidden:
                self._void(tag, fields)
            return
        self._close_before(tag)
        if len(self._open) >= _DEEPEST:
            return
        is_hidden = bool(self._hidden) or tag in _LEFT_OUT or _hides(fields)
        entry = _Open(tag, hidden=is_hidden, url=_joined(self._url, fields.get("href", "")))
        self._hidden += is_hidden
        self._open.append(entry)
        if not is_hidden:
            self._begin(entry, fields)

    def end(self, tag: str) -> None:
        """An element ends, and all that was left open in it."""
        if tag == "title":
            self._in_title = False
        if not any(entry.tag == tag for entry in reversed(self._open)):
            if tag == "p" and not self._hidden:
                self._break()
            return
        while True:
            entry = self._open.pop()
            self._hidden -= entry.hidden
            if not entry.hidden:
                self._end(entry)
            if entry.tag == tag:
                return

    def words(self, data: str) -> None:
        """Text."""
        if self._in_title:
            self._title.append(data)
            return
        if self._hidden:
            return
        data = _CONTROLS.sub("", data)
        if self._as_is:
            self._out.append(data)
            return
        words = re.sub(r"[ \t\r\n\f\xa0]+", " ", data)
        if words == " " and (not self._out or self._out[-1].endswith((" ", "\n"))):
            return
        self._out.append(words)

    def _hidden_but_head(self) -> bool:
        return any(entry.hidden and entry.tag != "head" for entry in self._open)

    def _close_before(self, tag: str) -> None:
        """Ends what the standard lets a page leave open before such an element."""
        closed = _CLOSED_BY_NEXT.get(tag, set[str]())
        if tag in _BLOCKS or tag in {"ul", "ol", "pre"}:
            closed = closed | {"p"}
        while closed and self._open and self._open[-1].tag in closed:
            self.end(self._open[-1].tag)

    def _void(self, tag: str, fields: dict[str, str]) -> None:
        match tag:
            case "br":
                self._out.append("\n")
            case "hr":
                self._break()
                self._mark("---")
                self._break()
            case "img":
                said = " ".join(fields.get("alt", "").split())
                if said:
                    self._out.append(f"[image: {said[:200]}]")
            case _:
                pass

    def _begin(self, entry: _Open, fields: dict[str, str]) -> None:
        tag = entry.tag
        entry.at = len(self._out)
        match tag:
            case "ul" | "ol":
                self._between_lists()
                self._lists.append(0 if tag == "ul" else _first(fields) or 1)
            case "li":
                self._item()
            case "pre":
                self._break()
                self._mark("```\n")
                self._out.append(_AS_IS)
                self._as_is += 1
            case "tr" | "td" | "th":
                self._cell(tag)
            case _ if tag in _WRAPS:
                self._mark("" if self._as_is else _WRAPS[tag])
            case _ if tag in _BLOCKS:
                self._break()
                self._mark(_LEADS.get(tag, ""))
                self._begin_main(tag, fields)
            case _:
                pass

    def _begin_main(self, tag: str, fields: dict[str, str]) -> None:
        is_main = tag in {"main", "article"} or fields.get("role") == "main"
        if is_main and self._main is None and self._main_from < 0:
            self._main_from = len(self._out)

    def _end(self, entry: _Open) -> None:
        tag = entry.tag
        match tag:
            case "a":
                self._link(entry)
            case "ul" | "ol":
                self._lists.pop()
                self._between_lists()
            case "li":
                self._line()
            case "pre":
                self._as_is -= 1
                self._out.append(_AS_IS)
                self._line()
                self._mark("```")
                self._break()
            case "tr":
                self._row()
            case _ if tag in _WRAPS:
                self._mark("" if self._as_is else _WRAPS[tag])
            case _ if tag in _BLOCKS:
                if tag in {"main", "article"} and self._main_from >= entry.at:
                    self._main, self._main_from = (self._main_from, len(self._out)), -1
                self._break()
            case _:
                pass

    def _between_lists(self) -> None:
        if self._lists:
            self._line()
        else:
            self._break()

    def _cell(self, tag: str) -> None:
        if tag == "tr":
            self._line()
            self._cells.append(0)
            return
        self._out.append(" | " if self._cells and self._cells[-1] else "| ")
        if self._cells:
            self._cells[-1] += 1

    def _link(self, entry: _Open) -> None:
        said = "".join(self._out[entry.at :]).strip()
        if not self._is_marked or not entry.url or not said or "\n" in said or said == entry.url:
            return
        lead = " " if "".join(self._out[entry.at :])[:1].isspace() else ""
        self._out[entry.at :] = [f"{lead}[{said}]({entry.url})"]

    def _item(self) -> None:
        self._line()
        depth = "  " * max(len(self._lists) - 1, 0)
        if self._lists and self._lists[-1]:
            self._out.append(f"{depth}{self._lists[-1]}. ")
            self._lists[-1] += 1
        else:
            self._out.append(f"{depth}- ")

    def _row(self) -> None:
        if not self._cells:
            return
        count = self._cells.pop()
        if count:
            self._out.append(" |\n")

    def _mark(self, text: str) -> None:
        if self._is_marked and text:
            self._out.append(text)

    def _line(self) -> None:
        if self._out and not self._out[-1].endswith("\n"):
            self._out.append("\n")

    def _break(self) -> None:
        if self._cells:
            return  # a cell is one line
        self._line()
        self._out.append("\n")


def _hides(fields: dict[str, str]) -> bool:
    if "hidden" in fields or fields.get("aria-hidden", "").strip().lower() == "true":
        return True
    if fields.get("type", "").lower() == "hidden":
        return True
    style = fields.get("style", "")
    return bool(style) and _HIDING.search(style[:500]) is not None


def _joined(base: str, written: str) -> str:
    """A link of the web made whole; anything else is left out."""
    written = written.strip()
    if not written or written.startswith("#"):
        return ""
    try:
        whole = urljoin(base, written)
    except ValueError:
        return ""
    fits = len(whole) <= _URL_CHARS and whole.isprintable() and " " not in whole
    return whole if fits and whole.startswith(("http://", "https://", "mailto:")) else ""


def _first(fields: dict[str, str]) -> int:
    start = fields.get("start", "")
    return int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 0


def _tidy(text: str) -> str:
    """Without blanks at ends of lines, and never more than one empty line; what is to stay as it is stays."""
    kept: list[str] = []
    for number, part in enumerate(text.split(_AS_IS)):
        if number % 2:
            kept.append(part.strip("\n").replace("\t", "    "))
            continue
        lines = [_unindented(line.rstrip()) for line in part.split("\n")]
        kept.append(re.sub("\n{3,}", "\n\n", "\n".join(lines)))
    return re.sub("\n{3,}", "\n\n", "".join(kept)).strip()


def _unindented(line: str) -> str:
    """Blanks before a line are those between elements, but for items of lists."""
    return line if _ITEM.match(line) else line.lstrip()
