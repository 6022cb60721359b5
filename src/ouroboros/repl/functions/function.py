"""A page function as a tool: its words for the model, its effect for the rules, its work."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.repl.functions.place import Place
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

type Work[Arguments: Struct] = Callable[[Place, Arguments, ToolContext], Awaitable[Result]]


class Function[Arguments: Struct]:
    """One function that code may call with positional arguments, options last.

    ``usage`` is how it is written in the prompt, such as ``click(tab, target, {button?}): Acted``.
    """

    def __init__(  # the words of a function and its work
        self,
        name: str,
        arguments: type[Arguments],
        work: Work[Arguments],
        *,
        place: Place,
        usage: str,
        description: str,
        kind: Literal["look", "act", "risk", "none"] = "look",
        action: Callable[[Arguments], str] | None = None,
        url: Callable[[Arguments], str] | None = None,
    ) -> None:
        """Args are what their names say; ``url`` is where it would go, else where its tab is."""
        self.name, self.arguments, self.description = name, arguments, description
        self.usage = usage
        self.parallel_safe = kind in {"look", "none"}
        self._work, self._place = work, place
        self._kind, self._action, self._url = kind, action, url

    def effect(self, arguments: Arguments, cwd: Path) -> Effect:
        """What it would do, on the page where its tab is now."""
        del cwd
        tab = getattr(arguments, "tab", "")
        said = self._action(arguments) if self._action else f"{self.name} {tab}"
        url = self._url(arguments) if self._url else self._place.url(tab)
        return Effect(kind=self._kind, action=said, url=url)

    async def run(
        self, arguments: Arguments, context: ToolContext
    ) -> AsyncIterator[Progress | Result]:
        """Does it."""
        if self._kind == "look":
            await self._place.looked(getattr(arguments, "tab", ""))
        yield await self._work(self._place, arguments, context)
