"""Markdown as rows of a terminal; imports rich only when the first block is drawn."""

import re
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, ClassVar

from ouroboros.app.text import plain
from ouroboros.faces.wording.rows import Row, Span, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.style import Style

_WIDEST = 100
_LONGEST = 50_000
_DEEPEST = 12
_MOST_CELLS = 4000
"""Cells that a table lacks are added by the reader: a short text could ask for very many."""
_AROUND_PLANS = re.compile(r"^[ \t]*</?proposed_plan>[ \t]*$", re.MULTILINE)
"""What tells us where a plan is tells a person nothing."""


def warm() -> None:
    """Imports what the first block needs, so that a thread can do it early."""
    markdown_rows("```python\nx = 1\n```", 40, colours=16)


def markdown_rows(text: str, columns: int, *, colours: int) -> list[Row]:
    """The rows of some Markdown; a block too long or too odd to be laid out stays plain text.

    The text is made harmless before it is parsed and again after it: a numeric entity such as
    ``&#27;`` turns into a control character only while it is parsed.
    """
    safe = _AROUND_PLANS.sub("", plain(text))
    columns = min(columns, _WIDEST)
    if len(safe) > _LONGEST:
        return wrap(safe, columns)
    try:
        return _laid_out(safe, columns, colours)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, AssertionError):
        return wrap(safe, columns)


def _laid_out(safe: str, columns: int, colours: int) -> list[Row]:
    rows: list[Row] = []
    # rich takes four columns for each quote, and shows nothing where none are left.
    tokens = _parser(max(1, min(_DEEPEST, columns // 4 - 1))).parse(safe)
    if sum(each.type == "td_open" for each in tokens) > _MOST_CELLS:
        return wrap(safe, columns)
    for line in _console(columns).render_lines(_markup()(tokens), pad=False):
        spans = [
            Span(plain(segment.text).replace("\n", " "), _parameters(segment.style, colours))
            for segment in line
            if segment.text and not segment.control
        ]
        rows.append(_trimmed(spans))
    while rows and not rows[-1]:
        rows.pop()
    while rows and not rows[0]:
        del rows[0]
    return rows


def _trimmed(spans: list[Span]) -> Row:
    while spans and not spans[-1].text.strip():
        spans.pop()
    if spans:
        spans[-1] = Span(spans[-1].text.rstrip(), spans[-1].style)
    return tuple(spans)


@cache
def _console(columns: int) -> "Console":
    from rich.console import Console

    return Console(
        file=StringIO(),
        force_terminal=True,
        color_system="256",
        width=columns,
        height=1000,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )


@cache
def _parser(deepest: int) -> "MarkdownIt":
    """A reader that leaves no text out: neither HTML, nor definitions, nor what lies very deep."""
    from markdown_it import MarkdownIt

    def deep(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        """Makes one paragraph of what lies too deep, which the library would leave out."""
        if state.level < deepest:
            return False
        state.push("paragraph_open", "p", 1)
        inline = state.push("inline", "", 0)
        inline.content = state.getLines(start, end, state.blkIndent, keepLastLF=False).strip()
        inline.children = []
        state.push("paragraph_close", "p", -1)
        state.line = end
        return True

    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    parser.disable("reference")
    parser.block.ruler.before("table", "deep", deep)
    return parser


@cache
def _markup() -> "Callable[[list[Token]], Markdown]":
    from pygments.lexers import get_all_lexers
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import CodeBlock, Heading, ImageItem, Markdown, MarkdownElement
    from rich.text import Text

    known = {alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases}

    class Title(Heading):
        """A heading at the left edge, its level shown without colour as well."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            level = self.tag[1:]
            sign = "#" * int(level) if level.isdigit() else "#"
            yield Text(f"{sign} ", style="bold") + Text(self.text.plain, style="bold")

    class Code(CodeBlock):
        """Code; for a language it does not know, pygments would read every installed package."""

        def __init__(self, lexer_name: str, theme: str) -> None:
            super().__init__(lexer_name if lexer_name.lower() in known else "text", theme)

    class Picture(ImageItem):
        """An image as its words and its address; nothing is fetched."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            words = self.text.plain if self.text else ""
            yield Text(f"[image: {words or self.destination}]", style="italic", end="")

    class Plainly(Markdown):
        """Markdown without clickable links, whose targets a terminal would hide."""

        elements: ClassVar[dict[str, type[MarkdownElement]]] = {
            **Markdown.elements,
            "heading_open": Title,
            "image": Picture,
            "fence": Code,
            "code_block": Code,
        }

        def __init__(self, tokens: "list[Token]") -> None:
            super().__init__("", code_theme="ansi_dark", hyperlinks=False)
            self.parsed = tokens

    return Plainly


@cache
def _parameters(style: "Style | None", colours: int) -> str:
    """The SGR parameters of a style, read from how it would paint one letter."""
    from rich.color import ColorSystem

    if style is None:
        return ""
    system = ColorSystem.EIGHT_BIT if colours > 16 else ColorSystem.STANDARD
    painted = style.update_link(None).render("x", color_system=system)
    return painted.removeprefix("\x1b[").partition("m")[0] if painted != "x" else ""
