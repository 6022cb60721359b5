"""``llm_query``, ``llm_batch`` and ``llm_map`` as tools that code calls."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
from msgspec import Raw, Struct, field

from ouroboros.rlm.children.family import NOTHING, PACK_ITEMS, Family, Item
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

_READ = (
    "Small data, or a prompt alone, is read by it directly; "
    "large data starts a helper with its own REPL (data in __data)."
)
_READ_WITH_BROWSER = (
    "Small data is read by it directly; large data, or none, starts a helper with its own "
    "REPL (data in __data) and browser."
)


class Query(Struct, frozen=True, kw_only=True):
    """One question."""

    prompt: str
    data: Raw = field(default_factory=lambda: NOTHING)


class Batch(Struct, frozen=True, kw_only=True):
    """Several questions: texts, or objects with ``prompt`` and ``data``."""

    prompts: list[str | Item]


class Mapped(Struct, frozen=True, kw_only=True):
    """One question about each of many items."""

    prompt: str
    items: list[Raw]
    batch: int = PACK_ITEMS


class _Asks:
    """What the three have in common: they touch nothing themselves and may run beside others."""

    parallel_safe = True

    def __init__(self, family: Family) -> None:
        self._family = family


class LlmQuery(_Asks):
    """Asks a model, which sees the data, or lets it work on it in a REPL of its own."""

    name = "llm_query"
    usage = "llm_query(prompt, data?): string"
    arguments = Query

    def __init__(self, family: Family) -> None:
        """``family`` answers."""
        super().__init__(family)
        self.description = (
            f"Ask a model. {_READ_WITH_BROWSER if family.has_browser else _READ} "
            "Never throws: a failure is a string that begins with [SUB-CALL."
        )

    def effect(self, arguments: Query, cwd: Path) -> Effect:
        """Nothing by itself."""
        del arguments, cwd
        return Effect(kind="none", action="Ask a model")

    async def run(self, arguments: Query, context: ToolContext) -> AsyncIterator[Progress | Result]:
        """Asks."""
        del context
        answer = await self._family.query(arguments.prompt, arguments.data)
        yield Result(value=msgspec.json.encode(answer))


class LlmBatch(_Asks):
    """Asks several questions at once."""

    name = "llm_batch"
    usage = "llm_batch([prompt | {prompt, data}]): [{status: 'fulfilled', value} | {status: 'rejected', error}]"
    description = "Several llm_query at once, answers in order."
    arguments = Batch

    def effect(self, arguments: Batch, cwd: Path) -> Effect:
        """Nothing by itself."""
        del cwd
        return Effect(kind="none", action=f"Ask a model {len(arguments.prompts)} questions")

    async def run(self, arguments: Batch, context: ToolContext) -> AsyncIterator[Progress | Result]:
        """Asks all."""
        del context
        items = [Item(prompt=each) if isinstance(each, str) else each for each in arguments.prompts]
        yield Result(value=msgspec.json.encode(await self._family.batch(items)))


class LlmMap(_Asks):
    """Asks the same of each item, several items to a call."""

    name = "llm_map"
    usage = "llm_map(prompt, items, {batch?}): as llm_batch"
    description = "The same question about each of many small items; several go in one call, so use it for them."
    arguments = Mapped

    def effect(self, arguments: Mapped, cwd: Path) -> Effect:
        """Nothing by itself."""
        del cwd
        return Effect(kind="none", action=f"Ask a model about {len(arguments.items)} items")

    async def run(
        self, arguments: Mapped, context: ToolContext
    ) -> AsyncIterator[Progress | Result]:
        """Asks about all."""
        del context
        found = await self._family.map(arguments.prompt, arguments.items, arguments.batch)
        yield Result(value=msgspec.json.encode(found))


def queries(family: Family) -> tuple[AnyTool, ...]:
    """The tools by which one run asks its children."""
    return (LlmQuery(family), LlmBatch(family), LlmMap(family))
