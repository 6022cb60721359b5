"""Tools that look: at a tab without its text, at how the browser stands, at a picture."""

from collections.abc import AsyncGenerator
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.browser.page.observe import observe
from ouroboros.core.errors import ToolFailed
from ouroboros.repl.recipes import Shelf
from ouroboros.repl.tools.seat import Seat
from ouroboros.safety.sanitize import sanitized
from ouroboros.tools.builtin.image import (
    VIEW_IMAGE,
    Blind,
    Detail,
    picture,
    refuse,
    sees,
    shown_to_model,
)
from ouroboros.tools.builtin.location import located, shown
from ouroboros.tools.pictures.measure import measured
from ouroboros.tools.tool import Effect, Result, ToolContext

_TABS = 20
_WORDS = 120


class ObserveArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tab; the one in front without it."""

    tab: str = ""


class StatusArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recipe to read as well; ``list`` names them."""

    recipe: str = ""


class ViewArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the three; ``original`` keeps every pixel that a model can be shown."""

    path: str = ""
    artifact: str = ""
    tab: str = ""
    detail: Detail = "high"


class BrowserObserveTool:
    """Says what kind of page a tab shows, in the same few words however large it is."""

    name = "browser_observe"
    description = "What a tab shows, by counts and a short preview, and which tabs there are."
    arguments = ObserveArguments
    parallel_safe = True

    def __init__(self, seat: Seat) -> None:
        """Starts nothing."""
        self._seat = seat

    def effect(self, arguments: ObserveArguments, cwd: Path) -> Effect:
        """Looks at a page."""
        del cwd
        which = arguments.tab or "the tab in front"
        return Effect(kind="look", action=f"Look at {which}", url=self._seat.url(arguments.tab))

    async def run(
        self, arguments: ObserveArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The tab, then all tabs."""
        del context
        tabs = await self._seat.tabs()
        chosen = arguments.tab or tabs.active
        lines: list[str] = []
        if chosen:
            await self._seat.looked(chosen)
            seen = await observe(tabs.tab(chosen))
            lines.append(seen.text())
        facts = tabs.all()
        lines.append(f"{len(facts)} tabs, {tabs.active or 'none'} in front")
        for one in facts[:_TABS]:
            words = f"{one.id} [{one.status}] {one.title or 'untitled'} {one.url}"
            lines.append(one_line(words + (f" dialog: {one.dialog}" if one.dialog else "")))
        yield Result.of("\n".join(lines))


class BrowserStatusTool:
    """Says how the browser stands, and gives recipes."""

    name = "browser_status"
    description = (
        "How the browser stands; `recipe` gives tested code for a topic, `list` the topics."
    )
    arguments = StatusArguments
    parallel_safe = True

    def __init__(self, seat: Seat) -> None:
        """Starts nothing."""
        self._seat = seat

    def effect(self, arguments: StatusArguments, cwd: Path) -> Effect:
        """Looks at nothing outside."""
        del cwd
        return Effect(kind="none", action=f"Browser status {arguments.recipe}".strip())

    async def run(self, arguments: StatusArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """A recipe, or the standing."""
        del context
        if arguments.recipe:
            yield Result.of(await _recipe(arguments.recipe))
            return
        standing = self._seat.standing()
        yield Result.of("\n".join((f"browser: {standing.state}", *standing.lines)))


async def _recipe(name: str) -> str:
    shelf = Shelf()
    names = ", ".join(shelf.names())
    if name == "list":
        return f"recipes: {names}"
    text = await to_thread.run_sync(shelf.text, name)
    if text is None:
        raise ToolFailed(f"no recipe {name[:80]!r}; there are {names}")
    return text


class ViewImageTool:
    """Puts one picture before the model, in the order in which it was taken."""

    name = VIEW_IMAGE
    description = "See an image file, an artifact, or a screenshot of a tab."
    arguments = ViewArguments
    parallel_safe = False

    def __init__(self, seat: Seat, blind: Blind = sees) -> None:
        """Starts nothing; ``blind`` is asked before anything is looked at."""
        self._seat, self._blind = seat, blind

    def effect(self, arguments: ViewArguments, cwd: Path) -> Effect:
        """Reads a file, or looks at a page."""
        refuse(self._blind)
        if arguments.path:
            path = located(arguments.path, cwd)
            return Effect(kind="read", action=f"View {shown(path, cwd)}", paths=(path,))
        if arguments.artifact:
            return Effect(kind="none", action=f"View {arguments.artifact}")
        which = arguments.tab or "the tab in front"
        url = self._seat.url(arguments.tab)
        return Effect(kind="look", action=f"Take a picture of {which}", url=url)

    async def run(self, arguments: ViewArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """The picture."""
        given = [word for word in (arguments.path, arguments.artifact, arguments.tab) if word]
        if len(given) > 1:
            raise ToolFailed("give one of path, artifact and tab")
        if arguments.path or arguments.artifact:
            path = located(arguments.path or self._seat.artifact(arguments.artifact), context.cwd)
            data, found = await to_thread.run_sync(picture, path)
            name = path.name
        else:
            await self._seat.looked(arguments.tab)
            data, _ = await self._seat.screenshot(arguments.tab)
            found = measured(data)
            name = arguments.tab or "the tab in front"
        yield await shown_to_model(name, data, found, detail=arguments.detail, context=context)


def one_line(text: str) -> str:
    """Words of a page on one bounded line, without what could mislead a reader."""
    return " ".join(sanitized(text[: _WORDS * 4]).split())[:_WORDS]
