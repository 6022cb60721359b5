"""Functions of the session itself: what is kept from run to run, and recipes."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Annotated, Protocol

import anyio
from anyio import to_thread
from msgspec import Meta, Raw, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import SLEEP_SECONDS
from ouroboros.core.parts import Text
from ouroboros.repl.functions.own import Own, given
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import Effect, Result, ToolContext

RECIPE_CHARS = 6_000
"""Longest recipe that a model is shown."""


class Store(Struct, frozen=True, kw_only=True):
    """``store``."""

    key: str
    value: Raw


class Retrieve(Struct, frozen=True, kw_only=True):
    """``retrieve``."""

    key: str


class Sleep(Struct, frozen=True, kw_only=True):
    """``sleep``."""

    ms: Annotated[float, Meta(ge=0)]


class Name(Struct, frozen=True, kw_only=True):
    """``recipe``."""

    name: str = ""


class Recipes(Protocol):
    """Know-how that is shipped, by name."""

    def names(self) -> tuple[str, ...]:
        """All there are."""
        ...

    def text(self, name: str) -> str | None:
        """One of them, None when there is none of that name."""
        ...


class StoreFunction:
    """Keeps a value for later runs."""

    name = "store"
    usage = "store(key, value)"
    description = "kept for later runs; null drops it"
    arguments = Store
    parallel_safe = False

    def __init__(self, own: Own) -> None:
        """``own`` keeps it, and knows what was read before."""
        self._own = own

    def effect(self, arguments: Store, cwd: Path) -> Effect:
        """Stays within the session's own memory."""
        del cwd
        return Effect(kind="none", action=f"Keep {arguments.key[:80]!r}")

    async def run(self, arguments: Store, context: ToolContext) -> AsyncGenerator[Result]:
        """On disk when it answers; what was read of pages is noted with it."""
        del context
        value = bytes(arguments.value)
        by = self._own.taint.by
        await to_thread.run_sync(self._own.keepsakes.put, arguments.key, value, by)
        yield given(None, f"kept {len(value)} bytes")


class RetrieveFunction:
    """A value that an earlier run, or this one, has kept."""

    name = "retrieve"
    usage = "retrieve(key): value|null"
    description = ""
    arguments = Retrieve
    parallel_safe = True

    def __init__(self, own: Own) -> None:
        """``own`` keeps it, and hears what it holds of pages."""
        self._own = own

    def effect(self, arguments: Retrieve, cwd: Path) -> Effect:
        """Stays within the session's own memory."""
        del cwd
        return Effect(kind="none", action=f"Look up {arguments.key[:80]!r}")

    async def run(self, arguments: Retrieve, context: ToolContext) -> AsyncGenerator[Result]:
        """The value; whoever gets it has read what it was made from."""
        del context
        kept = await to_thread.run_sync(self._own.keepsakes.get, arguments.key)
        if kept is None:
            yield given(None, "nothing is kept")
            return
        await self._own.taint.read(*kept.by)
        yield Result(value=kept.value, parts=(Text(text=f"{len(kept.value)} bytes"),))


class SleepFunction:
    """Waits a little."""

    name = "sleep"
    usage = "sleep(ms)"
    description = f"at most {SLEEP_SECONDS * 1000:,.0f}"
    arguments = Sleep
    parallel_safe = True

    def __init__(self, *, longest: float = SLEEP_SECONDS) -> None:
        """``longest`` in seconds."""
        self._longest = longest

    def effect(self, arguments: Sleep, cwd: Path) -> Effect:
        """Does nothing."""
        del cwd
        return Effect(kind="none", action=f"Wait {arguments.ms:g} ms")

    async def run(self, arguments: Sleep, context: ToolContext) -> AsyncGenerator[Result]:
        """Answers when the time is over, with the milliseconds it took."""
        del context
        seconds = min(arguments.ms / 1000, self._longest)
        await anyio.sleep(seconds)
        yield given(round(seconds * 1000), f"waited {seconds:g} s")


class RecipeFunction:
    """Shows the model a recipe: words of ours, so that they are shown whole."""

    name = "recipe"
    usage = "recipe(name?)"
    arguments = Name
    parallel_safe = True

    def __init__(self, recipes: Recipes, show: Callable[[str], None]) -> None:
        """``show`` puts a text into the entry of the block."""
        self._recipes, self._show = recipes, show
        self.description = f"shows you tested code; for {', '.join(recipes.names())}"

    def effect(self, arguments: Name, cwd: Path) -> Effect:
        """Reads what is shipped."""
        del cwd
        return Effect(kind="none", action=f"Recipe {arguments.name[:80]}".strip())

    async def run(self, arguments: Name, context: ToolContext) -> AsyncGenerator[Result]:
        """The code gets the names, the model the text."""
        del context
        names = self._recipes.names()
        if not arguments.name:
            self._show(f"recipes: {', '.join(names)}")
            yield given(names, f"{len(names)} recipes")
            return
        text = await to_thread.run_sync(self._recipes.text, arguments.name)
        if text is None:
            raise ToolFailed(f"no recipe {arguments.name[:80]!r}; there are {', '.join(names)}")
        self._show(text[:RECIPE_CHARS])
        yield given(arguments.name, "shown")


def session_functions(own: Own) -> tuple[AnyTool, ...]:
    """What every REPL has."""
    return (SleepFunction(), StoreFunction(own), RetrieveFunction(own))
