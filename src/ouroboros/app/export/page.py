"""A session as one page for a browser: no script, nothing from elsewhere, all branches."""

from collections.abc import Callable, Iterable, Iterator
from html import escape
from importlib.resources import files

from ouroboros.app.export.cleaning import Clean, visible
from ouroboros.app.export.deeds import (
    answer_of,
    arguments_of,
    diff_of,
    heading_of,
    pictures_of,
    result_of,
    summary_of,
)
from ouroboros.app.export.markdown import branch_title, moment, said_of
from ouroboros.app.export.passages import Passage, Step, passages
from ouroboros.app.text import plain
from ouroboros.core.events import (
    ContextCompacted,
    Envelope,
    Event,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.changes import TurnDiffed
from ouroboros.core.parts import Media, Message

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def page(
    envelopes: Iterable[Envelope],
    title: str,
    *,
    clean: Clean = str,
    contents: bool = False,
    only_active: bool = False,
) -> Iterator[str]:
    """The page in pieces; takes what ``markdown`` takes."""
    clean = visible(clean)
    told = escape(clean(title).strip() or "Session")
    found = passages(envelopes, only_active=only_active)
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{told}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n<h1>{told}</h1>\n"
    )
    if len(found) > 1:
        links = (
            f'<li><a href="#b{each.number}">{branch_title(each)}</a></li>' for each in found[1:]
        )
        yield f"<nav>This conversation has other branches:<ul>{''.join(links)}</ul></nav>\n"
    writer = _Writer(clean, contents=contents)
    for passage in found:
        yield from writer.passage(passage)
    yield "</body>\n</html>\n"


class _Writer:
    def __init__(self, clean: Clean, *, contents: bool) -> None:
        self._clean, self._contents = clean, contents
        self._marked = _reader()

    def passage(self, passage: Passage) -> Iterator[str]:
        if passage.number > 1:
            back = (
                f'<a href="#m{passage.after}">back to where it leaves</a>' if passage.after else ""
            )
            yield f'<section id="b{passage.number}"><h1>{branch_title(passage)}</h1>{back}\n'
        for step in passage.steps:
            yield from self._step(step)
        if passage.number > 1:
            yield "</section>\n"

    def _step(self, step: Step) -> Iterator[str]:
        message = step.node.message if step.node else None
        if message is not None and message.kind == "plain":
            yield self._said(message, step)
        for envelope in step.deeds:
            if told := self._deed(envelope.data, envelope.ts):
                yield f"{told}\n"
        for number in step.parts_into:
            yield (
                '<p class="note">The conversation also went on from here in another way: '
                f'<a href="#b{number}">branch {number}</a>.</p>\n'
            )

    def _said(self, message: Message, step: Step) -> str:
        text = self._clean(message.text).strip()
        pictures = self._pictures(part for part in message.parts if isinstance(part, Media))
        if not text and not pictures:
            return f'<a id="m{step.number}"></a>'
        who, kind = ("You", "you") if message.role == "user" else ("Ouroboros", "it")
        return (
            f'<article class="{kind}" id="m{step.number}"><h2><a href="#m{step.number}">'
            f"{step.number}</a> · {who} · {moment(step.at)}</h2>"
            f'<div class="said">{self._marked(text)}{pictures}</div></article>\n'
        )

    def _deed(self, event: Event, ts: float) -> str:
        match event:
            case ToolStarted(name=name, title=title):
                told = self._clean(arguments_of(event, contents=self._contents))
                return _folded(self._clean(title or name), escape(told))
            case ToolResulted(status=status):
                text, kind = result_of(event, contents=self._contents)
                shown = self._clean(text)
                inner = _diff(shown) if kind else escape(shown)
                pictures = self._pictures(pictures_of(event, contents=self._contents))
                title = self._clean(heading_of(event))
                told = _folded(title, inner, pictures, failed=status != "done")
                return f"{told}{self._answer(event)}"
            case ContextCompacted():
                told = self._marked(self._clean(summary_of(event)))
                return _folded(said_of(event, ts), "", f'<div class="said">{told}</div>')
            case TurnDiffed(diff=diff):
                told = diff_of(diff, contents=self._contents)
                return _folded("What was changed", _diff(self._clean(told)))
            case _:
                told = said_of(event, ts)
                return f'<p class="note">{escape(self._clean(told))}</p>' if told else ""

    def _answer(self, event: ToolResulted) -> str:
        text, is_json = answer_of(event)
        if not text:
            return ""
        told = self._clean(text).strip()
        shown = f"<pre>{escape(told)}</pre>" if is_json else self._marked(told)
        return f'\n<article class="it"><h2>Answer</h2><div class="said">{shown}</div></article>'

    def _pictures(self, parts: Iterable[Media]) -> str:
        return "".join(_picture(part, self._clean(part.name)) for part in parts)


def _reader() -> Callable[[str], str]:
    """Markdown to HTML; tags are text, and a picture from elsewhere is a link."""
    from markdown_it import MarkdownIt

    reader: MarkdownIt = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return lambda text: str(reader.render(text))


def _folded(title: str, inner: str, after: str = "", *, failed: bool = False) -> str:
    kind = ' class="failed"' if failed else ""
    body = f"<pre>{inner}</pre>" if inner else ""
    return f"<details{kind}><summary>{escape(' '.join(title.split()))}</summary>{body}{after}</details>"


def _diff(text: str) -> str:
    marks = {"+": "add", "-": "del"}
    return "\n".join(
        f'<span class="{marks[line[0]]}">{escape(line)}</span>'
        if line[:1] in marks
        else escape(line)
        for line in text.split("\n")
    )


def _picture(part: Media, name: str) -> str:
    name = escape(name or "picture")
    if not part.data or part.media_type not in _PICTURES:
        return f'<p class="note">{name} ({escape(plain(part.media_type))})</p>'
    return f'<img alt="{name}" src="data:{part.media_type};base64,{escape(part.data)}">'


def _style() -> str:
    return files("ouroboros.app.export").joinpath("style.css").read_text(encoding="utf-8")
