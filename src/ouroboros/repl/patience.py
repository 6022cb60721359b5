"""Calls that code makes again and again: a no is not asked for twice, and a failure has an end."""

from ouroboros.core.errors import Denied
from ouroboros.core.parts import Text, ToolCall
from ouroboros.repl.seams import Performer
from ouroboros.tools.builtin.permissions import REQUEST_PERMISSIONS
from ouroboros.tools.registry import Registry
from ouroboros.tools.tool import Result

MOST_FAILURES = 100
"""So often a call of one block may fail with the same words; code may well wait for something."""

REFUSED = "It was refused before in this block, and nobody is asked again: do something else. "
FAILED = f"It has failed {MOST_FAILURES} times in this block with the same words: "


class Patience:
    """Carries out what code asks for, as long as that makes sense; knows the block that runs."""

    def __init__(self, performer: Performer) -> None:
        """Nothing was refused yet."""
        self._performer = performer
        self._within = ""
        self._failures: dict[tuple[str, str], tuple[str, int]] = {}
        self._refused: dict[tuple[str, str], str] = {}

    async def perform(self, call: ToolCall, *, within: str, registry: Registry) -> Result:
        """As the performer.

        Raises:
            Denied: Exactly this was refused, or failed too often, in this block.
        """
        if within != self._within:
            self._within = within
            self._failures.clear()
            self._refused.clear()
        made = (call.name, call.arguments)
        if made in self._refused:
            raise Denied(f"{call.name}: {REFUSED}{self._refused[made]}")
        said, times = self._failures.get(made, ("", 0))
        if times >= MOST_FAILURES:
            raise Denied(f"{call.name}: {FAILED}{said}")
        result = await self._performer.perform(call, within=within, registry=registry)
        words = _words(result)
        if result.denied:
            self._refused[made] = words
        elif not result.ok:
            self._failures[made] = (words, times + 1 if words == said else 1)
        elif call.name == REQUEST_PERMISSIONS:
            self._refused.clear()
        else:
            self._failures.pop(made, None)
        return result


def _words(result: Result) -> str:
    return "\n".join(part.text for part in result.parts if isinstance(part, Text))
